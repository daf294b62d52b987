"""What a metric is given, read once: decisions, scores or classes; weights and clusters; s through `_groups`.

Every refusal that metrics share is worded here and in the two files below. A row of weight zero is not there.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from twosdr import tables
from twosdr.errors import MetricError, ParameterError, listing
from twosdr.metrics._columns import LARGEST, as_float, column, columns, table, too_large
from twosdr.metrics._groups import Groups, check_groups, cross, everyone, factor, groups, matrix, number
from twosdr.tables import Array, Column

__all__ = [
    "LARGEST",
    "Beside",
    "Groups",
    "as_float",
    "beside",
    "check_groups",
    "column",
    "columns",
    "cross",
    "decisions",
    "everyone",
    "factor",
    "groups",
    "labels",
    "matrix",
    "number",
    "scores",
    "table",
    "too_large",
]


@dataclass(frozen=True, eq=False)
class Beside:
    """What stands beside the predictions: weights, codes of clusters, the rows that count, the confidence."""

    n: int
    weight: Array | None
    cluster: Array | None
    confidence: float
    keep: Array | None

    def take(self, values: Any) -> Any:
        """The rows of an array, or of groups, whose weight is not zero."""
        if self.keep is None:
            return values
        return values.take(self.keep) if isinstance(values, Groups) else values[self.keep]


def beside(n: int, sample_weight: Any = None, cluster: Any = None, confidence: float = 0.95) -> Beside:
    """Weights, clusters and the confidence, checked against n rows."""
    number = isinstance(confidence, (int, float, np.floating)) and not isinstance(confidence, bool)
    if not number or not 0.0 < confidence < 1.0:
        raise ParameterError(f"confidence must lie between 0 and 1, such as 0.95. Got {confidence!r} instead.")
    if isinstance(sample_weight, tables.Table):
        sample_weight = sample_weight.column(sample_weight.names[0]).values
    weight = tables.weights(sample_weight, n)
    keep = None
    if weight is not None:
        if (weight > LARGEST).any() or ((weight < 1 / LARGEST) & (weight > 0)).any():
            least = weight[weight > 0].min()
            raise ParameterError(
                f"sample_weight holds numbers from {least:g} to {weight.max():g}; squares of numbers beyond {LARGEST:g} or below "
                f"{1 / LARGEST:g} are lost. Rescale it."
            )
        if not weight.all():
            keep = weight > 0
            weight = weight[keep]
    codes = None
    if cluster is not None:
        found = factor(cluster, n, "cluster")
        codes = (found if keep is None else found.take(keep)).codes
        if codes.max() == 0:
            raise MetricError(
                "cluster holds one value: rows of one cluster say nothing about how clusters differ. Leave cluster out, or pass "
                "what tells independent rows apart."
            )
    return Beside(n if keep is None else int(keep.sum()), weight, codes, float(confidence), keep)


# Predictions


def scores(values: Any, what: str = "y_pred", n: int | None = None) -> Array:
    """Numbers as float64; booleans count as 0 and 1."""
    found, _ = column(values, what, n)
    if found.levels is not None and found.kind != "bool":
        raise MetricError(
            f"{what} holds {found.kind} ({listing(found.levels, 3)}); this metric needs numbers. For decisions use p_rule, "
            "parity_difference or accuracy."
        )
    return as_float(found.values, what)


def decisions(
    values: Any, pos_label: Any = None, what: str = "y_pred", n: int | None = None, *, whole: bool = True
) -> Array:
    """Decisions as 0 and 1 (int8): those of `pos_label`, or 0/1 and booleans as they are.

    `whole` says that these are all rows, so that a label which does not occur is a slip of the pen.
    """
    found, _ = column(values, what, n)
    if found.levels is None:
        return _of_numbers(found.values, pos_label, what, whole)
    if pos_label is None:
        if found.kind == "bool":
            return np.asarray(found.values, dtype=np.int8)
        raise MetricError(
            f"{what} holds {listing(found.levels, 4)} and not 0 and 1. Say which counts as positive with pos_label=."
        )
    if pos_label in found.levels:
        return np.asarray(found.values == found.levels.index(pos_label), dtype=np.int8)
    return _nobody(found.levels, pos_label, what, len(found.values), whole)


def _of_numbers(values: Array, pos_label: Any, what: str, whole: bool) -> Array:
    low, high = float(values.min()), float(values.max())
    if values.dtype.kind == "f" and ((values != np.round(values)).any()):
        odd = values[values != np.round(values)][0]
        raise MetricError(
            f"{what} holds scores (such as {odd:.6g}); this metric needs decisions. Cut the scores first, or use mean_distance, auc, "
            "or ratio_along_cut, which shows every cut."
        )
    if pos_label is None:
        if low < 0 or high > 1:
            seen = np.unique(values[:10_000])
            raise MetricError(
                f"{what} holds {listing(seen.tolist(), 4)} and not 0 and 1. Say which counts as positive with pos_label=; for scores "
                "use mean_distance or auc."
            )
        return np.asarray(values, dtype=np.int8)
    if isinstance(pos_label, (str, bytes)):
        raise MetricError(f"pos_label={pos_label!r} is text, while {what} holds numbers. Pass one of its numbers.")
    positive = np.asarray(values == pos_label, dtype=np.int8)
    if positive.any():
        return positive
    return _nobody(tuple(np.unique(values).tolist()), pos_label, what, len(values), whole)


def _nobody(levels: tuple[Any, ...], pos_label: Any, what: str, n: int, whole: bool) -> Array:
    # One other label is a model that is positive about nobody; several without this one are a slip of the pen.
    same_kind = all(isinstance(level, str) == isinstance(pos_label, str) for level in levels)
    if (whole and len(levels) > 1) or not same_kind:
        raise MetricError(f"pos_label={pos_label!r} does not occur in {what}, which holds {listing(levels, 6)}.")
    return np.zeros(n, dtype=np.int8)


def labels(y_pred: Any, y_true: Any) -> tuple[Array, Array, tuple[Any, ...]]:
    """Predicted and true classes as codes into one tuple of classes."""
    a, _ = column(y_pred, "y_pred")
    b, _ = column(y_true, "y_true", len(a.values))
    (codes_a, levels_a), (codes_b, levels_b) = _codes(a, "y_pred"), _codes(b, "y_true")
    text = {isinstance(v, str) for v in (*levels_a, *levels_b)}
    if len(text) > 1:
        raise MetricError(
            f"y_pred holds {listing(levels_a, 4)}, y_true {listing(levels_b, 4)}: text and numbers are never equal. Make them one kind."
        )
    known = tuple(sorted({*levels_a, *levels_b}))
    place = {level: j for j, level in enumerate(known)}
    to = np.array([place[v] for v in levels_a]), np.array([place[v] for v in levels_b])
    return to[0][codes_a], to[1][codes_b], known


def _codes(found: Column, what: str) -> tuple[Array, tuple[Any, ...]]:
    if found.levels is not None:
        return found.values, found.levels
    values = found.values
    if values.dtype.kind == "f" and (values != np.round(values)).any():
        odd = values[values != np.round(values)][0]
        raise MetricError(
            f"{what} holds scores (such as {odd:.6g}); this metric needs classes. For numbers use rmse or r2."
        )
    levels, codes = np.unique(values, return_inverse=True)
    return codes, tuple(levels.tolist())
