"""The P%-rule at every cut of a score: one cut is no verdict."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from twosdr.errors import ParameterError
from twosdr.metrics import _intervals as ci
from twosdr.metrics import _reading as reading
from twosdr.tables import Array

RATES = np.arange(0.01, 1.0, 0.01)


@dataclass(frozen=True, eq=False)
class Cut:
    """By cut: the share selected, the smallest ratio of selection rates between groups with its ends, and the score above which
    rows are selected. The ratio is NaN where nobody is selected. `by_group` holds the rates, shape (cuts, groups), and `groups` names them.
    """

    rate: Array
    p_rule: Array
    low: Array
    high: Array
    threshold: Array
    by_group: Array
    groups: tuple[Any, ...]


def ratio_along_cut(
    scores: Any, *, s: Any, rates: Any = None, sample_weight: Any = None, confidence: float = 0.95
) -> Cut:
    """P% against the selection rate when the rows with the highest scores are selected, ties together.

    Needs: ranks. `rates` are the shares to select (1 to 99 %); where ties do not allow one, the next that they do is shown. Each cut
    has its own interval: that the worst of all cuts is low says less than it seems to.

    >>> cut = ratio_along_cut([1, 2, 3, 4, 5, 6, 7, 8], s=[0, 1, 0, 1, 0, 1, 0, 1], rates=[0.25, 0.5])
    >>> cut.rate, cut.p_rule
    (array([0.25, 0.5 ]), array([1., 1.]))
    """
    wanted = np.sort(np.atleast_1d(np.asarray(RATES if rates is None else rates, dtype=float)))
    if not len(wanted) or not ((wanted > 0) & (wanted <= 1)).all():
        raise ParameterError(f"rates must lie between 0 and 1. Got {rates!r:.80} instead.")
    score = reading.scores(scores, "scores")
    by = reading.groups(s, len(score))
    rows = reading.beside(len(score), sample_weight, None, confidence)
    score, by = rows.take(score), rows.take(by)
    reading.check_groups(by.levels, rows.n, by.name, by.numeric)
    order = np.argsort(-score)
    weight = np.ones(rows.n) if rows.weight is None else rows.weight[order]
    reached = np.cumsum(weight)
    reached /= reached[-1]
    ends = np.flatnonzero(np.append(np.diff(score[order]) != 0, True))  # the last row of each distinct score
    at = ends[np.unique(np.minimum(np.searchsorted(reached[ends], wanted - 1e-12), len(ends) - 1))]
    rate, size = np.empty((len(at), len(by))), np.empty((len(at), len(by)))
    codes = by.codes[order]
    for g in range(len(by)):
        w = np.where(codes == g, weight, 0.0)
        whole, squares = w.sum(), w @ w
        q = np.minimum(np.cumsum(w)[at] / whole, 1.0)
        q[q > 1 - 1e-12] = 1.0  # all of them: what is missing is the rounding of the sum
        above = np.cumsum(w * w)[at]
        # The rows that the rate is worth, as for a single cut: all of them when weights are equal.
        noise = above * (1 - 2 * q) + q * q * squares
        with np.errstate(divide="ignore", invalid="ignore"):
            size[:, g] = np.where((q > 0) & (q < 1), q * (1 - q) * whole**2 / noise, whole**2 / squares)
        rate[:, g] = q
    ratio, low, high = _worst(rate, size, confidence)
    threshold = np.append(score[order], -np.inf)[at + 1]
    return Cut(reached[at], ratio, low, high, threshold, rate, by.levels)


def _worst(rate: Array, size: Array, confidence: float) -> tuple[Array, Array, Array]:
    first, second = np.triu_indices(rate.shape[1], 1)
    each = ci.sidak(confidence, len(first))
    x = rate * size
    low, high = ci.fold_ratio(*ci.ratio(x[:, first], size[:, first], x[:, second], size[:, second], each))
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = rate.min(axis=1) / rate.max(axis=1)
    return ratio, low.min(axis=1), high.min(axis=1)
