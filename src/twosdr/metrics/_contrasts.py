"""Two cells compared, and many pairs of cells at once: ratios and differences with intervals that hold together.

For more than two groups the headline is the worst pair; a bootstrap of it covers nothing (it is biased by what it searches
for), so its interval comes from all pairs at a confidence at which all of them hold.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from twosdr.metrics import _intervals as ci
from twosdr.metrics._cells import Tally, quotient
from twosdr.metrics.estimate import Estimate
from twosdr.tables import Array


def pairs(tally: Tally) -> list[tuple[int, int]]:
    """Every pair of cells, by position."""
    return list(combinations(range(len(tally)), 2))


def cluster_error(within: Array, contrast: Array) -> tuple[float, float]:
    """Standard error of a contrast of cell means, and its degrees of freedom, from the clusters' parts."""
    used = contrast != 0
    df = clusters_of(within)[used] - 1
    if (df < 1).any():
        return float("nan"), float("nan")
    parts = np.nan_to_num(within[:, used]) * contrast[used]
    error = float(np.sqrt((parts.sum(axis=1) ** 2).sum()))
    return error, float(ci.satterthwaite((parts**2).sum(axis=0), df))


def clusters_of(within: Array) -> Array:
    """How many clusters have rows in each cell; 0 for a cell of one cluster, which shows nothing of how they differ."""
    return np.asarray((~np.isnan(within)).sum(axis=0))


def log_ratios(tally: Tally, confidence: float) -> tuple[Array, Array, Array]:
    """Ratio (first rate to second), lower and upper end for every pair; the ratio is NaN for 0 to 0."""
    sums = list(tally.cells.values())
    rate, size = np.array([s.mean for s in sums]), np.array([s.size for s in sums])
    first, second = (np.array(side, dtype=int) for side in zip(*pairs(tally), strict=True))
    ratio = np.array([quotient(sums[a], sums[b]) for a, b in pairs(tally)])
    if tally.within is None:
        x = rate * size
        low, high = ci.ratio(x[first], size[first], x[second], size[second], confidence)
        return ratio, np.asarray(low), np.asarray(high)
    ends = [_clustered_ratio(tally, rate, a, b, confidence) for a, b in zip(first, second, strict=True)]
    low, high = (np.array(side) for side in zip(*ends, strict=True))
    return ratio, low, high


def ratio_interval(tally: Tally) -> str:
    """Which interval `log_ratios` gives, in words."""
    sums = list(tally.cells.values())
    if tally.within is not None:
        flat = any(not 0 < s.mean < 1 for s in sums)
        return "normal interval of the log ratio" + (
            " (Koopman's on the number of clusters where a rate is 0 or 1)" if flat else ""
        )
    fewest = min(min(s.mean, 1 - s.mean) * s.size for s in sums)
    return "Koopman score interval" if fewest < ci.ENOUGH else "normal limit of Koopman's score interval"


def _clustered_ratio(tally: Tally, rate: Array, a: int, b: int, confidence: float) -> tuple[float, float]:
    assert tally.within is not None
    clusters = np.maximum(clusters_of(tally.within)[[a, b]], 1)
    one_sided = (rate[[a, b]] <= 0) | (rate[[a, b]] >= 1)
    if one_sided.any():
        # Nothing varies in one of the groups, so the rows of a cluster may all be one row: count clusters.
        low, high = ci.koopman(rate[a] * clusters[0], clusters[0], rate[b] * clusters[1], clusters[1], confidence)
        return float(low), float(high)
    contrast = np.zeros(len(rate))
    contrast[a], contrast[b] = 1 / rate[a], -1 / rate[b]
    error, df = cluster_error(tally.within, contrast)
    if not np.isfinite(error):
        return 0.0, float("inf")
    low, high = ci.on_log_scale(rate[a] / rate[b], error, ci.t_quantile(confidence, df))
    return float(low), float(high)


def worst_ratio(tally: Tally, confidence: float, zero_division: float | None, words: str) -> Estimate:
    """The smallest ratio of two rates among all pairs, with a simultaneous interval."""
    many = len(pairs(tally))
    ratio, low, high = log_ratios(tally, ci.sidak(confidence, many))
    if np.isnan(ratio).all():
        why = f"the {words} is 0 in every group: 0 to 0 is no ratio"
        if zero_division is not None:
            return Estimate(float(zero_division), None, tally.n, f"{why}; zero_division={zero_division!r}")
        return Estimate(None, None, tally.n, why)
    said = ~np.isnan(ratio)
    lower, upper = ci.fold_ratio(low[said], high[said])
    sums = sorted(tally.cells.values(), key=lambda s: s.mean)
    value = quotient(sums[0], sums[-1])  # of all pairs the lowest to the highest is the worst
    # Every pair's interval holds, so the least true ratio lies between the least of the lower and the least of the upper ends.
    return Estimate(value, (float(lower.min()), float(upper.min())), tally.n)


def largest_difference(
    tally: Tally, confidence: float, *, rates: bool, why_not: str = "a group of 1 row has no spread"
) -> Estimate:
    """The largest difference of two means among all pairs, with a simultaneous interval."""
    each = ci.sidak(confidence, len(pairs(tally)))
    sums = list(tally.cells.values())
    mean = [s.mean for s in sums]
    value = max(abs(mean[a] - mean[b]) for a, b in pairs(tally))
    ends = [difference(tally, a, b, each, rates=rates) for a, b in pairs(tally)]
    if any(end is None for end in ends):
        why = "the clusters of a group are fewer than 2" if tally.within is not None else why_not
        return Estimate(value, None, tally.n, f"no interval: {why}")
    low, high = (np.array(side) for side in zip(*(end for end in ends if end is not None), strict=True))
    lower, upper = ci.fold(low, high)
    return Estimate(value, (float(lower.max()), float(upper.max())), tally.n)


def difference(tally: Tally, a: int, b: int, confidence: float, *, rates: bool) -> tuple[float, float] | None:
    """Interval of the signed difference of two cells' means: Newcombe's for rates, Welch's for scores; None without one."""
    sums = list(tally.cells.values())
    one, two = sums[a], sums[b]
    if tally.within is not None:
        contrast = np.zeros(len(sums))
        contrast[a], contrast[b] = 1.0, -1.0
        error, df = cluster_error(tally.within, contrast)
        if not np.isfinite(error):
            return None
        low, high = ci.welch(one.mean - two.mean, error, df, confidence)
    elif rates:
        of_one, of_two = (ci.wilson(s.mean, s.size, confidence) for s in (one, two))
        low, high = ci.difference(one.mean, of_one, two.mean, of_two)
    else:
        if min(one.n, two.n) < 2:
            return None
        parts = [one.squared_error, two.squared_error]
        df = ci.satterthwaite(parts, [one.n - 1, two.n - 1])
        low, high = ci.welch(one.mean - two.mean, sum(parts) ** 0.5, df, confidence)
    return float(low), float(high)


def share_of(tally: Tally, cell: Any, confidence: float) -> Estimate:
    """A cell's mean of 0 and 1: Wilson's interval, on the clusters' worth of rows where rows are clustered."""
    sums = tally.cells[cell]
    size = sums.size
    if tally.within is not None:
        at = list(tally.cells).index(cell)
        contrast = np.zeros(len(tally))
        contrast[at] = 1.0
        error, _ = cluster_error(tally.within, contrast)
        clusters = int(clusters_of(tally.within)[at])
        if not np.isfinite(error):
            return Estimate(sums.mean, None, sums.n, "no interval: fewer than 2 clusters")
        spread = sums.mean * (1 - sums.mean)
        # Clusters that happen to be more alike than chance add no rows; clusters without any spread may be one row each.
        size = min(size, spread / error**2) if error > 0 and spread > 0 else float(clusters)
        # Few clusters know their own error badly: Student's reach instead of the normal one, as fewer rows.
        size *= float((ci.normal_quantile(confidence) / ci.t_quantile(confidence, clusters - 1)) ** 2)
    low, high = ci.wilson(sums.mean, size, confidence)
    return Estimate(sums.mean, (float(low), float(high)), sums.n)
