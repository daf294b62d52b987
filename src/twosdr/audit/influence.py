"""What each row adds to a measure, up to a factor: enough to see how two models' measures move together on the same rows.

One short formula a measure, the derivative of the measure in the weight of a row. Values and intervals stay the metrics' own.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

import numpy as np

from twosdr.audit.given import Given
from twosdr.audit.parts import Part
from twosdr.metrics import _influence as influence
from twosdr.metrics._reading import Beside
from twosdr.metrics.auc import placements
from twosdr.tables import Array


def of_all_rows(given: Given, measure: str) -> Array | None:
    """The parts of a measure over all rows; None where no formula is known."""
    w = _shares(given.weight, given.n)
    y = given.y
    match measure:
        case "selection_rate" if given.decided is not None:
            return _mean(given.decided.astype(float), w)
        case "accuracy" if given.decided is not None and y is not None:
            return _mean((given.decided == y).astype(float), w)
        case "balanced_accuracy" if given.decided is not None and y is not None:
            right = (given.decided == y).astype(float)
            return _cell(right, y == 1, w) + _cell(right, y == 0, w)
        case "rmse" if given.score is not None and y is not None:
            return _mean((given.score - y) ** 2, w)
        case "r2" if given.score is not None and y is not None:
            squares, around = (given.score - y) ** 2, (y - w @ y) ** 2
            spread = w @ around
            return None if spread == 0 else w * ((w @ squares) / spread * around - squares)
        case "auc_y" if given.score is not None and y is not None:
            return _ranked(given.score, y == 1, given.weight)
    return None


def of_part(part: Part, measure: str, min_group_size: int) -> Array | None:
    """The parts of a measure of one s, turned so that the measure rises with them (before any folding at parity)."""
    w = _shares(part.weight, part.n)
    match measure:
        case "p_rule" if part.decided is not None:
            return _gap(part, part.decided.astype(float), w, min_group_size, of_ratio=True)
        case "parity_difference" if part.decided is not None:
            return _gap(part, part.decided.astype(float), w, min_group_size)
        case "tpr_gap" | "fpr_gap" if part.decided is not None and part.y is not None:
            truth = 1 if measure == "tpr_gap" else 0
            return _gap(part, part.decided.astype(float), w, min_group_size, part.y == truth)
        case "mean_distance" if part.score is not None:
            return _gap(part, part.score, w, min_group_size)
        case "standardised_difference" if part.score is not None and len(part.by) == 2:
            return _standardised(part.score, part.by.codes == 1, w)
        case "auc" if part.score is not None and len(part.by) == 2:
            return _ranked(part.score, part.by.codes == 1, part.weight)
        case "correlation" | "decision_correlation":
            values = part.decided.astype(float) if part.score is None or measure != "correlation" else part.score
            [name] = part.table.names
            return _correlated(values, np.asarray(part.table.column(name).values, dtype=float), w)
    return None


def _shares(weight: Array | None, n: int) -> Array:
    return np.full(n, 1 / n) if weight is None else weight / weight.sum()


def _mean(values: Array, w: Array) -> Array:
    return np.asarray(w * (values - w @ values))


def _cell(values: Array, rows: Array, w: Array) -> Array:
    """The parts of the mean over some of the rows."""
    total = w[rows].sum()
    if total == 0:
        return np.zeros(len(values))
    return np.asarray(np.where(rows, w * (values - (w[rows] @ values[rows]) / total) / total, 0.0))


def _gap(
    part: Part, values: Array, w: Array, min_group_size: int, rows: Array | None = None, of_ratio: bool = False
) -> Array | None:
    """Highest mean less lowest, or lowest over highest, among the groups that are large enough."""
    codes, k = part.by.codes.astype(np.intp), len(part.by)
    inside = w if rows is None else np.where(rows, w, 0.0)
    n = np.bincount(codes if rows is None else codes[rows], minlength=k)
    total = np.bincount(codes, inside, minlength=k)
    able = np.flatnonzero((n >= min_group_size) & (total > 0))
    if len(able) < 2:
        return None
    mean = np.bincount(codes, inside * values, minlength=k)[able] / total[able]
    low, high = able[np.argmin(mean)], able[np.argmax(mean)]
    if low == high:  # all alike: any two
        low, high = able[0], able[1]
    at_low, at_high = codes == low, codes == high
    if rows is not None:
        at_low, at_high = at_low & rows, at_high & rows
    of_low, of_high = _cell(values, at_low, w), _cell(values, at_high, w)
    if not of_ratio:
        return of_high - of_low
    least, most = mean.min(), mean.max()
    return None if least <= 0 else of_low / least - of_high / most


def _standardised(score: Array, member: Array, w: Array) -> Array | None:
    """The difference of means, less what the spread of both groups adds to it."""
    if member.all() or not member.any():
        return None
    one, two = _cell(score, member, w), _cell(score, ~member, w)
    means = [np.average(score[rows], weights=w[rows]) for rows in (member, ~member)]
    squares = (score - np.where(member, *means)) ** 2
    pooled = sum(np.average(squares[rows], weights=w[rows]) for rows in (member, ~member)) / 2
    if pooled == 0:
        return None
    gap = means[0] - means[1]
    spread = _cell(squares, member, w) + _cell(squares, ~member, w)
    return np.asarray((1.0 if gap >= 0 else -1.0) * (one - two - gap / (4 * pooled) * spread))


def _ranked(score: Array, member: Array, weight: Array | None) -> Array | None:
    if member.all() or not member.any():
        return None
    rows = Beside(len(score), weight, None, 0.95, None)
    _, parts = placements(score, member, rows, "half")
    return parts


def _correlated(a: Array, b: Array, w: Array) -> Array | None:
    (a, of_a), (b, of_b) = influence.centred(a, w), influence.centred(b, w)
    if of_a == 0 or of_b == 0:
        return None
    a, b = a / of_a, b / of_b
    r = w @ (a * b)
    return np.asarray(np.sign(r) * w * (a * b - r * (a * a + b * b) / 2))
