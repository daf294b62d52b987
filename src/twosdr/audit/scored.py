"""What a scorer sees of a fold: its rows, its s, its weights, and what the estimator says of them, asked once for each kind of answer."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from twosdr import metrics, tables
from twosdr.audit.given import as_table
from twosdr.audit.parts import taken
from twosdr.errors import MetricError, ParameterError, TableError
from twosdr.metrics import Estimate
from twosdr.roles import select
from twosdr.tables import Array, Table

if TYPE_CHECKING:
    from twosdr.audit.scorers import Scorer


@dataclass(frozen=True)
class Kind:
    """How a metric becomes a score: what it reads, which way is better, and the score that counts as useless (None: there is none)."""

    reads: str  # "labels", "decisions" (0 and 1) or "scores"
    s: bool
    y: bool
    sign: int
    worst: float | None


KINDS = {
    "accuracy": Kind("labels", False, True, 1, 0.0),
    "balanced_accuracy": Kind("labels", False, True, 1, 0.0),
    "selection_rate": Kind("decisions", False, False, 1, 0.0),
    "r2": Kind("scores", False, True, 1, -1.0),
    "rmse": Kind("scores", False, True, -1, None),  # twice the deviation of y
    "p_rule": Kind("decisions", True, False, 1, 0.0),
    "parity_difference": Kind("decisions", True, False, -1, -1.0),
    "tpr_gap": Kind("decisions", True, True, -1, -1.0),
    "fpr_gap": Kind("decisions", True, True, -1, -1.0),
    "quantile_rates": Kind("decisions", True, False, 1, 0.0),
    "mean_distance": Kind("scores", True, False, -1, None),
    "standardised_difference": Kind("scores", True, False, -1, None),
    "correlation": Kind("scores", True, False, -1, -1.0),
    "multiple_r2": Kind("scores", True, False, -1, -1.0),
}


@dataclass(frozen=True, eq=False)
class Fold:
    """The rows that a scorer was handed, and what the estimator says of them (asked once for each kind of answer)."""

    scorer: Scorer
    estimator: Any
    X: Any
    y: Any
    table: Table
    weight: Array | None
    s: tuple[str, ...]
    said: dict[str, Any]

    @classmethod
    def read(cls, scorer: Scorer, estimator: Any, X: Any, y: Any, sample_weight: Any) -> Fold:
        """The table, its s and its weights."""
        table = tables.read(X)
        s = () if scorer.sensitive is None else select(table, scorer.sensitive, "sensitive")
        weight = tables.weights(sample_weight, table.n_rows)
        if scorer.weight is not None:
            [name] = select(table, [scorer.weight], "weight")
            of_column = tables.weights(table.column(name).values, table.n_rows)
            weight = of_column if weight is None or of_column is None else weight * of_column
        return cls(scorer, estimator, X, y, table, weight, s, {})

    def measure(self, name: str, settings: dict[str, Any]) -> Estimate:
        """One metric of these rows."""
        kind, metric = KINDS[name], getattr(metrics, name)
        y_hat, y, weight = self._response(kind.reads), self._truth(kind) if kind.y else None, self.weight
        more = dict(settings)
        if kind.s:
            keep = self._known()
            if keep is not None:
                y_hat = y_hat[keep]
                y, weight = (None if v is None else v[keep] for v in (y, weight))
                if not len(y_hat):
                    return Estimate(None, why="every s is missing in this fold")
            more["s"] = self._s(keep)
        if kind.y:
            more["y_true"] = y
        try:
            found: Estimate = metric(y_hat, sample_weight=weight, **more)
        except MetricError as refusal:
            return Estimate(None, why=str(refusal))
        return found

    def worst(self, name: str) -> float:
        """The score that counts as useless."""
        if name != "rmse":
            worst = KINDS[name].worst
            assert worst is not None
            return worst
        y = np.asarray(self.y, dtype=float)
        return -2.0 * math.sqrt(float(np.average((y - np.average(y, weights=self.weight)) ** 2, weights=self.weight)))

    def _known(self) -> Array | None:
        gone = np.zeros(self.table.n_rows, dtype=bool)
        for name in self.s:
            gone |= self.table.column(name).missing()
        return ~gone if gone.any() else None

    def _s(self, keep: Array | None) -> Table:
        return taken(as_table({name: self.table.column(name) for name in self.s}, self.table.n_rows), keep)

    def _positive(self) -> Any:
        if self.scorer.pos_label is not None:
            return self.scorer.pos_label
        classes = getattr(self.estimator, "classes_", None)
        if classes is None:
            raise MetricError(
                f"{type(self.estimator).__name__} has no classes, so it predicts numbers and no decisions. Score mean_distance or "
                "correlation instead."
            )
        if len(classes) != 2:
            raise ParameterError(f"y has {len(classes)} classes: say which one counts as positive, pos_label=...")
        return classes[1]

    def _response(self, reads: str) -> Array:
        if reads not in self.said:
            self.said[reads] = self._ask(reads)
        found: Array = self.said[reads]
        return found

    def _ask(self, reads: str) -> Array:
        if reads in ("labels", "decisions"):
            labels = np.asarray(self._response("predict") if "predict" in self.said else self.estimator.predict(self.X))
            self.said["predict"] = labels
            return labels if reads == "labels" else (labels == self._positive()).astype(np.int8)
        how = self.scorer.response
        if how == "auto":
            ranks = [name for name in ("decision_function", "predict_proba") if hasattr(self.estimator, name)]
            how = ranks[0] if hasattr(self.estimator, "classes_") and ranks else "predict"
        found = np.asarray(getattr(self.estimator, how)(self.X))
        if found.ndim == 2:
            classes = list(self.estimator.classes_)
            found = found[:, classes.index(self._positive())] if found.shape[1] == len(classes) else found
        if found.ndim != 1:
            raise TableError(f"{how} answers with {found.shape[1]} columns; a scorer needs one score for each row.")
        return found

    def _truth(self, kind: Kind) -> Array:
        if self.y is None:
            raise TableError("this scorer compares with y, and y is None.")
        y = np.asarray(self.y)
        return (y == self._positive()).astype(np.int8) if kind.reads == "decisions" else y
