"""Rows of a source in the place of rows at hand: names of columns, a second pass, scores and decisions piece by piece."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np

from twosdr import engines, tables
from twosdr.engines.embedded import each
from twosdr.engines.plan import Plan, only
from twosdr.engines.sources import Rows
from twosdr.engines.tasks import Apply, Arrays, Total, Triangulate
from twosdr.errors import ColumnError, ParameterError, SecondPassWarning, did_you_mean, listing, warn
from twosdr.moments import Moments
from twosdr.tables import Array

SCORED_BYTES = 2**30  # rows that a scorer needs in memory at once


@dataclass(frozen=True, eq=False)
class Streamed:
    """What stands in the place of rows in memory while alpha is chosen: the source, to be read again."""

    rows: Rows
    plan: Plan
    jobs: int

    def triangle(self, gathered: Moments) -> Array | None:
        """R of a blockwise QR of the rows; None, with a warning, where they cannot be read again."""
        if not self.rows.again:
            warn(
                "Columns are nearly dependent, and a second pass would hold twice the digits of their coefficients; the rows of "
                f"{self.rows.what} can be read only once.",
                SecondPassWarning,
            )
            return None
        found = engines.run(self.rows, Triangulate(self.plan, gathered.total()), n_jobs=self.jobs)[0]
        return np.asarray(found.R)

    def at_hand(self, n_rows: int) -> tuple[Any, Any]:
        """The rows in memory, and their labels, for a scorer that needs the predictions of all of them."""
        size = 8 * n_rows * (len(self.plan.roles.names) + 2)
        if not self.rows.again or size > SCORED_BYTES or self.rows.engine != "embedded":
            why = (
                f"the rows of {self.rows.what} can be read only once"
                if not self.rows.again
                else f"that is {size / 2**30:.1f} GiB here, and more than {SCORED_BYTES / 2**30:.0f}"
                if self.rows.engine == "embedded"
                else f"{self.rows.what} is not read into memory"
            )
            raise ParameterError(
                f"scoring= needs the predictions of all rows at once, and {why}. Compare alphas by squared error "
                "(scoring=None) or 'r2', or give one alpha."
            )
        import pyarrow as pa

        task = Apply(self.plan.columns, _as_one)
        table = pa.concat_tables(
            [t for d in each(self.rows, task) for t in d.value.parts], promote_options="permissive"
        )
        labels = None if self.plan.classes is None else self.plan.labels(table)
        return self.plan.source(table.combine_chunks()), labels


def _as_one(rows: Any) -> Arrays:
    return Arrays((rows,))


def scores_and_weights(model: Any, plan: Plan, rows: Any) -> Arrays:
    source = plan.source(rows)
    w = np.ones(source.table.n_rows) if source.weight is None else source.weight
    return Arrays((np.column_stack([model(source.rows(slice(0, source.table.n_rows))), w]),))


def decisions(model: Any, plan: Plan, threshold: float, rows: Any) -> Total:
    """Weight by decided class."""
    both = scores_and_weights(model, plan, rows).whole()
    scores, w = both[:, :-1], both[:, -1]
    assert plan.classes is not None
    decided = (scores[:, 0] > threshold).astype(int) if scores.shape[1] == 1 else np.argmax(scores, axis=1)
    return Total(np.bincount(decided, weights=w, minlength=len(plan.classes)))


def target_columns(y: Any) -> tuple[str, ...]:
    if isinstance(y, str):
        return (y,)
    if isinstance(y, (list, tuple)) and y and all(isinstance(c, str) for c in y) and len(set(y)) == len(y):
        return tuple(y)
    raise ParameterError(
        f'Of a source, y is the name of its target column: y="income". Got {type(y).__name__} instead.'
    )


def lazy_with_values(X: Any, y: Any) -> bool:
    """A lazy frame with an array beside it: tables.read says what to do."""
    return type(X).__name__ == "LazyFrame" and not isinstance(y, (str, list, tuple))


def by_name(X: Any, y: Any, weight: Any) -> tuple[Any, Any, Any]:
    """X, y and weights of a table at hand, where y and the weights may be names of its columns."""
    named = [name for name in (y, weight) if isinstance(name, str)]
    if not named:
        return X, y, weight
    table = tables.read(X)
    missing = [name for name in named if name not in table.names]
    if missing or not table.named:
        hint = did_you_mean(missing[0], table.names) if missing and table.named else ""
        why = (
            f"X does not have.{hint} X has: {listing(table.names)}."
            if table.named
            else "X has no names for. Pass a data frame."
        )
        raise ColumnError(f"y and sample_weight as text name columns of X: {listing(missing or named)}, which {why}")
    if isinstance(X, dict):
        rest: Any = {name: values for name, values in X.items() if name not in named}
        series = {name: only(tables.read(X).native, (name,)) for name in named}
    else:
        frame: Any = nw.from_native(table.native, eager_only=True)
        rest, series = frame.drop(named).to_native(), {name: frame[name] for name in named}
    taken = {name: _series(values, name) for name, values in series.items()}
    return (
        rest,
        taken[y] if isinstance(y, str) else y,
        np.asarray(taken[weight].to_numpy()) if isinstance(weight, str) else weight,
    )


def _series(values: Any, name: str) -> Any:
    return values if isinstance(values, nw.Series) else nw.from_native(values, eager_only=True)[name]
