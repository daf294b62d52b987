"""Predictions for a source: batches in, one array or a file out, in the rows' order and in constant memory."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from twosdr import tables
from twosdr.engines import writing
from twosdr.engines.embedded import each
from twosdr.engines.progress import bar
from twosdr.engines.sources import Rows, is_source, open_source
from twosdr.engines.tasks import Apply
from twosdr.errors import ColumnError, ParameterError, TableError, listing
from twosdr.estimators._reading import RolesMixin, check_jobs
from twosdr.tables import Array


class ToSources(RolesMixin):
    """predict for a source, and predict_to, for both closed forms."""

    estimator: Any
    n_jobs: int | None
    model_: Any

    def _refuse_for_sources(self, beside: dict[str, Any]) -> None:
        if self.estimator is not None:
            raise ParameterError(
                f"{type(self.estimator).__name__} is fitted on rows in memory, and a source is read piece by piece. Leave "
                "estimator out, or read the rows into a data frame first."
            )
        given = [f"{role}=" for role, features in beside.items() if features is not None]
        if given:
            raise ParameterError(
                f"{' and '.join(given)} holds one value for each row at hand; of a source, name columns: "
                "sensitive=[...], explanatory=[...]."
            )

    def _pieces(self, X: Any, method: str, keep: tuple[str, ...], jobs: int) -> tuple[Rows, Iterator[Any]]:
        """The answers of a method for every piece of a source, in order."""
        check_is_fitted(self)
        source = open_source(X)
        if source.engine != "embedded":
            how = (
                "frame.withColumn(name, twosdr.engines.spark.column(model, frame))"
                if source.engine == "spark"
                else "frame.map_partitions(model.predict)"
            )
            raise ParameterError(f"{source.what} lies on other machines, where predictions belong too: {how}.")
        missing = [c for c in keep if c not in source.names]
        if missing:
            raise ColumnError(f"keep= names {listing(missing)}, which {source.what} does not have.")
        uses_s = getattr(self, "needs_sensitive_", True)
        used = tuple(f.name for f in self.roles_.fields if f.name in source.names and (uses_s or f.role != "s"))
        columns = tuple(dict.fromkeys((*used, *keep)))
        if not used:
            raise ColumnError(
                f"{source.what} has none of the columns that this model reads: {listing(f.name for f in self.roles_.fields)}."
            )
        task = Apply(columns, partial(_answers, self, method, used, keep))
        return source, (done.value for done in each(source, task, n_jobs=jobs))

    def _predict_source(self, method: str, X: Any, beside: dict[str, Any]) -> Array:
        """One array of a method's answers for a source."""
        self._refuse_for_sources(beside)
        found = [answer for answer, _ in self._pieces(X, method, (), check_jobs(self.n_jobs))[1]]
        if not found:
            raise TableError("Found array with 0 sample(s): the source holds no row, while a minimum of 1 is required.")
        return np.concatenate(found)

    def predict_to(
        self,
        X: Any,
        path: str | os.PathLike[str],
        *,
        keep: str | tuple[str, ...] | list[str] = (),
        progress: bool = False,
    ) -> int:
        """Write predictions for a source (or a table) to a Parquet or CSV file, in the rows' order; returns how many.

        The columns are `keep`, of the source, then `prediction`, and for classes `score` (one a class where there are
        several). Memory does not grow with the rows. The file appears whole or not at all.
        """
        import pyarrow as pa

        check_is_fitted(self)
        self._refuse_for_sources({})
        writing.check_path(path)
        kept = (keep,) if isinstance(keep, str) else tuple(keep)
        X = X if is_source(X) else _as_source(X)
        source, answers = self._pieces(X, "_scores", kept, check_jobs(self.n_jobs))
        clash = sorted(set(kept) & set(self._written()))
        if clash:
            raise ColumnError(
                f"keep= names {listing(clash)}, which is what predictions are called. Rename it in the source."
            )

        def written(advance: Any) -> Iterator[Any]:
            for scores, beside in answers:
                columns = dict(zip(kept, beside, strict=True)) | self._columns(scores)
                advance(len(scores))
                yield pa.table(columns)

        with bar("predictions", source.n_rows, progress) as advance:
            return writing.write(written(advance), path)

    def _written(self) -> tuple[str, ...]:
        known = getattr(self, "classes_", None)
        n = self.model_.coef.shape[1]
        if known is not None:
            return ("prediction", "score") if n == 1 else ("prediction", *(f"score {c}" for c in known))
        return ("prediction",) if n == 1 else tuple(f"prediction {j}" for j in range(n))

    def _columns(self, scores: Array) -> dict[str, Array]:
        by_column = [np.ascontiguousarray(scores[:, j]) for j in range(scores.shape[1])]
        me: Any = self
        values = [me._decide(scores), *by_column] if hasattr(self, "classes_") else by_column
        return dict(zip(self._written(), values, strict=True))


def _answers(
    model: Any, method: str, used: tuple[str, ...], keep: tuple[str, ...], rows: Any
) -> tuple[Array, list[Any]]:
    some = rows.select(list(used))
    answer = (
        model._scores(some, {"sensitive_features": None, "explanatory_features": None}) if method == "_scores" else None
    )
    return getattr(model, method)(some) if answer is None else answer, [rows.column(name) for name in keep]


def _as_source(X: Any) -> Any:
    table = tables.read(X)
    if not table.named:
        raise ParameterError("predict_to goes by names of columns, and X has none. Use predict, or pass a data frame.")
    return lambda: iter([X])
