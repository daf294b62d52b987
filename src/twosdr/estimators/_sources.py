"""Fits and predictions from sources: files, streams, databases, Dask and Spark, read piece by piece; columns go by name.

What a second pass over the rows gives (docs/passes.md) is made by one where the source can be read again; where not, a
warning says what is missing.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from functools import partial
from typing import Any, cast

import numpy as np

from twosdr import engines
from twosdr.engines import looking
from twosdr.engines.plan import Plan
from twosdr.engines.progress import bar
from twosdr.engines.sources import Rows, is_source, open_source
from twosdr.engines.state import State
from twosdr.engines.tasks import Apply, Gather, Look
from twosdr.errors import (
    ColumnError,
    MomentsError,
    ParameterError,
    SecondPassWarning,
    TableError,
    did_you_mean,
    listing,
    quoted,
    warn,
)
from twosdr.estimators._choosing import check_alphas, choose_folding
from twosdr.estimators._growing import Growing
from twosdr.estimators._predicting import ToSources
from twosdr.estimators._reading import check_jobs
from twosdr.estimators._streamed import (
    Streamed,
    by_name,
    decisions,
    lazy_with_values,
    scores_and_weights,
    target_columns,
)
from twosdr.moments import Moments
from twosdr.tables import Target

OPTIONS = ("levels", "progress", "state")


class FromSources(ToSources, Growing):
    """What fit, partial_fit and predict do with anything but a table at hand."""

    class_weight: Any

    def _from_source(
        self, X: Any, y: Any, weight: Any, beside: dict[str, Any], reading: dict[str, Any]
    ) -> tuple[Any, Any, Any] | None:
        """Fit on a source and answer None; of a table, answer X, y and weights with names turned into columns."""
        unknown = sorted(set(reading) - set(OPTIONS))
        if unknown:
            raise TypeError(
                f"fit() got an unexpected keyword argument {unknown[0]!r}; sources know {', '.join(OPTIONS)}."
            )
        if is_source(X) and not lazy_with_values(X, y):
            self._fit_source(X, y, weight, beside, reading, growing=False)
            return None
        idle = [name for name in OPTIONS if reading.get(name)]
        if idle:
            raise ParameterError(
                f"{' and '.join(idle)} {'have' if len(idle) > 1 else 'has'} no effect on a table at hand: it is for sources "
                "(files, streams, databases). Leave it out."
            )
        return by_name(X, y, weight)

    def _fit_source(
        self,
        X: Any,
        y: Any,
        weight: Any,
        beside: dict[str, Any],
        reading: dict[str, Any],
        *,
        growing: bool,
        classes: Any = None,
    ) -> None:
        """A fit from moments that are gathered piece by piece."""
        self._refuse_for_sources(beside)
        if "sample_weight" in reading or (weight is not None and not isinstance(weight, str)):
            raise ParameterError(
                f"Of a source, sample_weight is the name of a column. Got {type(weight).__name__} instead."
            )
        source, columns, jobs = open_source(X), target_columns(y), check_jobs(self.n_jobs)
        if growing:
            self._refuse_loaded()
        if growing and hasattr(self, "moments_"):
            self._add(source, columns, weight, jobs, reading)
            return
        asked = bool(reading.get("progress"))
        found = self._look(source, columns, weight, reading.get("levels"), jobs, asked, classes)
        known = self._begin(found, columns, classes, source)
        self.roles_ = looking.roles_of(
            source,
            found,
            columns,
            weight,
            levels=reading.get("levels"),
            sensitive=self.sensitive,
            explanatory=self.explanatory,
            drop=self.drop,
            handle_missing=self.handle_missing,
            handle_unknown=self.handle_unknown,
            max_levels=self.max_levels,
            target=columns,
            aside=self._aside(),
        )
        names = looking.features(source, columns, weight)
        self._beside_: dict[str, tuple[str, ...]] = {}
        self.n_features_in_, self.feature_names_in_ = len(names), np.array(names, dtype=object)
        self._gaps = {n: gap for n, gap in looking.gaps(found).items() if n in self.roles_.columns("s")}
        goal, alphas = self._question(), check_alphas(self.alphas)
        n_rows = source.n_rows if found is None else found.n_rows
        plan = Plan(
            self.roles_,
            columns,
            known,
            weight,
            self._weights_of_classes(found, known),
            self.fold_key if len(alphas) > 1 else None,
            self._count_folds(source, len(alphas), None if growing else n_rows),
            self._strata() == 2,
            type(self).__name__,
        )
        cells, n_rows = self._pass(source, plan, jobs, asked, reading.get("state"), 0, n_rows)
        if not cells.weight.any():
            raise TableError("Every sample_weight is zero: no row is left to fit on.")
        if cells.count.sum() < 2 and not growing:
            raise TableError(
                f"Found array with {int(cells.count.sum())} sample(s): {source.what} holds {n_rows}, while a minimum of 2 is required."
            )
        self._refuse_infinite(cast(Any, None), cells)  # what is not finite was refused where it lies
        self.rows_seen_ = n_rows
        if weight is not None:  # a column of the source that later tables may hold as well
            self._target_names = (*self._target_names, weight)
        streamed = Streamed(source, plan, jobs)
        self._learn(cells, goal, alphas, None if growing else streamed, quiet=growing)  # type: ignore[arg-type]
        if known is not None and not growing:
            self._decide_again(source, plan, jobs, asked)

    def _aside(self) -> tuple[str, ...]:
        return () if self.fold_key is None else (self.fold_key,)

    def _look(
        self,
        source: Rows,
        columns: tuple[str, ...],
        weight: str | None,
        levels: Any,
        jobs: int,
        asked: bool,
        classes: Any,
    ) -> Look | None:
        """The light pass."""
        with bar("levels", source.n_rows, asked) as advance:
            return looking.look(
                source,
                partial(engines.run, n_jobs=jobs, advance=advance),
                y=columns,
                weight=weight,
                labels=hasattr(self, "class_weight") and classes is None,
                drop=self.drop,
                aside=self._aside(),
                levels=levels,
                handle_missing=self.handle_missing,
                max_levels=self.max_levels,
                sensitive=self.sensitive,
            )

    def _begin(
        self, found: Look | None, columns: tuple[str, ...], classes: Any, source: Rows
    ) -> tuple[Any, ...] | None:
        """Forget an earlier fit; the classes, where there are any."""
        if not hasattr(self, "class_weight"):
            self._start(Target(np.empty((0, len(columns))), columns, len(columns) == 1, True))
            return None
        if len(columns) != 1:
            raise ParameterError(f"Classes stand in one column. Got y={list(columns)!r}.")
        me: Any = self
        if classes is None and found is not None:
            classes = [value for value, (counted, _) in found.classes.items() if counted]
        known = np.unique(np.asarray(classes))
        if len(known) < 2:
            raise TableError(
                f"y holds one class, {known.tolist()[0]!r}: the number of classes has to be greater than one."
                if len(known)
                else f"Every sample_weight is zero: no row of {source.what} is left to fit on."
            )
        self._start(me._coded(known[:0], known, columns[0]))
        me.classes_ = known
        me._check_threshold()
        me._refuse_goals_for_many()
        if not source.again and me._threshold_kind == "quantile":
            raise ParameterError(
                "threshold={'quantile': ...} needs the scores of all rows, which is a second pass, and the rows of "
                f"{source.what} can be read only once. Use a number or {{'cost_ratio': c}}."
            )
        return tuple(known.tolist())

    def _weights_of_classes(self, found: Look | None, known: tuple[Any, ...] | None) -> dict[Any, float] | None:
        asked = getattr(self, "class_weight", None)
        if known is None or asked is None:
            return None
        me: Any = self
        if asked == "balanced":
            if found is None or not found.classes:
                raise ParameterError("class_weight='balanced' needs all labels at once. Pass a dict of weights.")
            total = sum(every for _, every in found.classes.values())
            return {value: total / (len(found.classes) * every) for value, (_, every) in found.classes.items()}
        factors = me._weigh(np.asarray(known), None, np.asarray(known))
        return dict(zip(known, factors.tolist(), strict=True))

    def _count_folds(self, source: Rows, n_alphas: int, n_rows: int | None) -> int:
        if n_alphas == 1:
            return choose_folding(self, None, 1).n  # type: ignore[arg-type]
        whole = isinstance(self.cv, (int, np.integer)) and not isinstance(self.cv, bool)
        if not whole or self.cv < 2:
            raise ParameterError(
                f"Of a source, cv must be a whole number of folds from 2 up. Got {self.cv!r:.80} instead."
            )
        if self.fold_key is not None:
            if self.fold_key not in source.names:
                raise ParameterError(
                    f"fold_key names column {quoted(self.fold_key)}, which {source.what} does not have."
                    + did_you_mean(self.fold_key, source.names)
                )
            return int(self.cv)
        if not source.ordered:
            raise ParameterError(
                f"The rows of {source.what} have no numbers to divide them into folds by. Name a column with fold_key=, or give one alpha."
            )
        return int(self.cv) if n_rows is None else max(1, min(int(self.cv), n_rows))

    def _pass(
        self, source: Rows, plan: Plan, jobs: int, asked: bool, state: Any, start: int, n_rows: int | None
    ) -> tuple[Moments, int]:
        """The one pass that all is made from."""
        if state is not None and (source.engine != "embedded" or not source.again):
            raise ParameterError(f"state= keeps moments of finished files, and {source.what} has none. Leave it out.")
        kept = None if state is None else State(state, plan)
        with bar("moments", n_rows, asked) as advance:
            cells, n_read = engines.run(source, Gather(plan), n_jobs=jobs, start=start, advance=advance, state=kept)
        if cells is None:
            raise TableError(
                f"Found array with 0 sample(s): {source.what} holds no row, while a minimum of 1 is required."
            )
        return cells, n_read

    def _decide_again(self, source: Rows, plan: Plan, jobs: int, asked: bool) -> None:
        """A second pass counts the decisions, and finds a threshold among the scores."""
        me: Any = self
        if not source.again:
            warn(
                f"decision_rates_ is not there, nor the warning about nearly constant decisions: they need a second pass, and the rows of "
                f"{source.what} can be read only once.",
                SecondPassWarning,
            )
            return
        with bar("decisions", self.rows_seen_, asked) as advance:
            how = {"n_jobs": jobs, "advance": advance}
            if me._threshold_kind == "quantile":
                found = engines.run(source, Apply(plan.columns, partial(scores_and_weights, self.model_, plan)), **how)[
                    0
                ]
                both = found.whole()
                me._cut(both[:, :-1], both[:, -1])
                me._count_decisions(me._decide(both[:, :-1]), both[:, -1])
                return
            task = Apply(plan.columns, partial(decisions, self.model_, plan, me.threshold_))
            me._count_decisions(me.classes_, engines.run(source, task, **how)[0].value)

    def _add(
        self, source: Rows, columns: tuple[str, ...], weight: str | None, jobs: int, reading: dict[str, Any]
    ) -> None:
        """Another source's rows, in the roles and levels of the first."""
        if reading.get("levels") is not None:
            raise ParameterError("levels= has no effect after the first call, which fixed the levels.")
        self._check_settings()
        absent = [c for c in (*columns, *([] if weight is None else [weight])) if c not in source.names]
        absent += [f.name for f in self.roles_.fields if f.name not in source.names]
        if absent:
            raise ColumnError(
                f"{source.what} lacks {listing(absent)}, which this fit needs. It has {listing(source.names)}."
            )
        known = getattr(self, "classes_", None)
        goal, alphas = self._question(), check_alphas(self.alphas)
        plan = Plan(
            self.roles_,
            columns,
            None if known is None else tuple(known.tolist()),
            weight,
            self._weights_of_classes(None, None if known is None else tuple(known.tolist())),
            self.fold_key if len(alphas) > 1 else None,
            self._count_folds(source, len(alphas), None),
            self._strata() == 2,
            type(self).__name__,
        )
        cells, n_rows = self._pass(
            source, plan, jobs, bool(reading.get("progress")), None, self.rows_seen_, source.n_rows
        )
        if self.moments_.n_cells != cells.n_cells:
            raise MomentsError(
                f"The fit so far has {self.moments_.n_cells} cells and this one {cells.n_cells}: it was fitted on fewer rows than "
                "folds, or with explicit folds, and cannot go on."
            )
        fill = self.roles_.fill
        self.__dict__.pop("decision_rates_", None)
        self.rows_seen_ += n_rows
        self._learn(self.moments_ + cells, goal, alphas, None, quiet=True)
        self.roles_ = self.roles_.with_fill(np.asarray(fill)) if fill is not None else self.roles_

    def _by_scorer(self, task: Any, source: Any, labels: Any) -> Any:
        if isinstance(source, Streamed):
            source, labels = source.at_hand(self.rows_seen_)
        return super()._by_scorer(task, source, labels)
