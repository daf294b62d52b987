"""Intervals as functions of counts, means and errors; no row is read here, and no table.

Each takes the confidence that it is to hold; arrays go in wherever numbers do.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from statistics import NormalDist
from typing import Any

import numpy as np

from twosdr.tables import Array

Pair = tuple[Any, Any]

# From this many rows on either side of either decision the interval of the log ratio is that of its normal approximation,
# whose ends then differ from Koopman's by less than 2 % of the width (tests/rooms/metrics/test_intervals.py).
ENOUGH = 500.0
TURNS, CLOSE = 60, 1e-12  # of the search for the ends of a score interval
FARTHEST = 300.0  # a log ratio beyond every pair of counts, whose exponential can still be squared


def normal_quantile(confidence: float) -> float:
    """How many standard errors a two-sided interval reaches to each side."""
    return NormalDist().inv_cdf(0.5 + confidence / 2)


def t_quantile(confidence: float, df: Any) -> Any:
    """The same for a standard error that was itself estimated, with `df` degrees of freedom."""
    from scipy.special import stdtrit

    return stdtrit(df, 0.5 + confidence / 2)


def sidak(confidence: float, many: int) -> float:
    """The confidence of each of `many` intervals that makes them hold together."""
    return float(confidence ** (1.0 / max(many, 1)))


def wilson(rate: Any, n: Any, confidence: float) -> Pair:
    """Score interval of a rate on n rows."""
    z2 = normal_quantile(confidence) ** 2
    middle = (rate + z2 / (2 * n)) / (1 + z2 / n)
    reach = np.sqrt(z2 * rate * (1 - rate) / n + z2**2 / (4 * n**2)) / (1 + z2 / n)
    return np.maximum(middle - reach, 0.0), np.minimum(middle + reach, 1.0)


def difference(a: Any, of_a: Pair, b: Any, of_b: Pair) -> Pair:
    """Interval of a - b from those of two independent numbers (Newcombe, square and add)."""
    low = a - b - np.hypot(a - of_a[0], of_b[1] - b)
    return low, a - b + np.hypot(of_a[1] - a, b - of_b[0])


def average(parts: Array, low: Array, high: Array) -> Pair:
    """Interval of the mean of independent numbers from their intervals (square and add)."""
    k, middle = len(parts), parts.mean()
    return middle - np.linalg.norm(parts - low) / k, middle + np.linalg.norm(high - parts) / k


def welch(gap: Any, error: Any, df: Any, confidence: float) -> Pair:
    """A difference of means of unequal variances; `error` is its standard error, `df` from `satterthwaite`."""
    reach = t_quantile(confidence, df) * error
    return gap - reach, gap + reach


def satterthwaite(variances: Any, df: Any) -> Any:
    """Degrees of freedom of a sum of independent estimated variances, last axis."""
    variances, df = np.asarray(variances, dtype=float), np.asarray(df, dtype=float)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = variances.sum(-1) ** 2 / (variances**2 / df).sum(-1)
    return np.where(np.isfinite(found), found, df.sum(-1))


def ratio(x1: Any, n1: Any, x0: Any, n0: Any, confidence: float) -> Pair:
    """Interval of the ratio of the rates x1/n1 to x0/n0: Koopman's, or its normal limit where all counts are large."""
    x1, n1, x0, n0 = np.broadcast_arrays(*(np.asarray(a, dtype=float) for a in (x1, n1, x0, n0)))
    fewest = np.minimum(np.minimum(x1, n1 - x1), np.minimum(x0, n0 - x0))
    low, high = delta_ratio(x1, n1, x0, n0, confidence)
    few = fewest < ENOUGH
    if few.any():
        low, high = np.array(low), np.array(high)
        low[few], high[few] = koopman(x1[few], n1[few], x0[few], n0[few], confidence)
    return low, high


def delta_ratio(x1: Any, n1: Any, x0: Any, n0: Any, confidence: float) -> Pair:
    """Normal interval of the log ratio, half a row added to each count."""
    x1, n1, x0, n0 = x1 + 0.5, n1 + 0.5, x0 + 0.5, n0 + 0.5
    middle = np.log(x1 / n1) - np.log(x0 / n0)
    reach = normal_quantile(confidence) * np.sqrt(np.maximum(1 / x1 - 1 / n1 + 1 / x0 - 1 / n0, 0.0))
    return np.exp(middle - reach), np.exp(middle + reach)


def koopman(x1: Any, n1: Any, x0: Any, n0: Any, confidence: float) -> Pair:
    """Score interval of the ratio of two rates (Koopman 1984); counts need not be whole.

    The ratios that a chi-squared test with one degree of freedom does not reject. Without a positive row in the
    numerator it begins at 0, in the denominator it ends at infinity, in neither it says nothing.
    """
    x1, n1, x0, n0 = np.broadcast_arrays(*(np.asarray(a, dtype=float) for a in (x1, n1, x0, n0)))
    centre = np.log(np.maximum(x1, 0.5) / n1) - np.log(np.maximum(x0, 0.5) / n0)
    low, high = _roots(x1, n1, x0, n0, normal_quantile(confidence), centre)
    return np.where(x1 > 0, np.exp(low), 0.0), np.where(x0 > 0, np.exp(high), np.inf)


def _roots(x1: Array, n1: Array, x0: Array, n0: Array, critical: float, centre: Array) -> Array:
    """The log ratios below and above the centre at which the root of the score statistic is critical, shape (2, ...).

    The root of the statistic is nearly a straight line in the log ratio, so false position finds it in a few turns. An answer that
    was found stays as it is: it depends on its own counts, and not on what else is asked for.
    """
    side = np.array([-1.0, 1.0]).reshape(2, *([1] * centre.ndim))

    def beyond(step: Array) -> Array:
        return np.sqrt(_score(x1, n1, x0, n0, centre + side * step)) - critical

    inner, outer = np.zeros((2, *centre.shape)), np.ones((2, *centre.shape))
    # The statistic rises without bound on both sides of the observed ratio, so doubling brackets the root.
    at_inner, at_outer = beyond(inner), beyond(outer)
    for _ in range(9):
        short = at_outer < 0
        if not short.any():
            break
        inner, at_inner = np.where(short, outer, inner), np.where(short, at_outer, at_inner)
        outer = np.where(short, 2 * outer, outer)
        at_outer = beyond(outer)
    step, found = outer, at_outer < 0  # without a bracket there is no end on this side, and the caller knows
    for turn in range(TURNS):
        with np.errstate(divide="ignore", invalid="ignore"):
            line = (inner * at_outer - outer * at_inner) / (at_outer - at_inner)
        # Every third turn halves, wherever the line points: no bracket stays wide.
        halved = (turn % 3 == 2) | ~(np.isfinite(line) & (line > inner) & (line < outer))
        tried = np.where(halved, (inner + outer) / 2, line)
        at_tried = beyond(tried)
        step = np.where(found, step, tried)
        found = found | (np.abs(at_tried) < CLOSE) | (outer - inner < CLOSE)
        if found.all():
            break
        inside = at_tried < 0
        inner, at_inner = np.where(inside, tried, inner), np.where(inside, at_tried, at_inner)
        outer, at_outer = np.where(inside, outer, tried), np.where(inside, at_outer, at_tried)
    return np.asarray(centre + side * step)


def _score(x1: Array, n1: Array, x0: Array, n0: Array, log_ratio: Array) -> Array:
    """The chi-squared statistic against a ratio of the rates, at the rates that are likeliest under it."""
    phi = np.exp(np.clip(log_ratio, -FARTHEST, FARTHEST))
    # The smaller root of N phi p^2 - B p + X = 0, written so that a large phi does not cancel its digits away.
    A, B, C = (n1 + n0) * phi, n1 * phi + x1 + n0 + x0 * phi, x1 + x0
    p0 = 2 * C / (B + np.sqrt(np.maximum(B * B - 4 * A * C, 0.0)))
    p1 = np.minimum(phi * p0, 1.0)
    p0 = np.minimum(p0, 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        of_1 = np.where(x1 == n1 * p1, 0.0, (x1 - n1 * p1) ** 2 / (n1 * p1 * (1 - p1)))
        of_0 = np.where(x0 == n0 * p0, 0.0, (x0 - n0 * p0) ** 2 / (n0 * p0 * (1 - p0)))
    return np.asarray(of_1 + of_0)


def on_log_scale(value: Any, relative_error: Any, quantile: Any) -> Pair:
    """A positive number whose logarithm has that standard error."""
    reach = np.exp(quantile * relative_error)
    return value / reach, value * reach


def on_logit_scale(share: float, error: float, quantile: float) -> tuple[float, float]:
    """A number between 0 and 1, both excluded."""
    middle, reach = np.log(share / (1 - share)), quantile * error / (share * (1 - share))
    return float(1 / (1 + np.exp(reach - middle))), float(1 / (1 + np.exp(-reach - middle)))


def on_z_scale(r: float, error: float, quantile: float) -> tuple[float, float]:
    """A correlation; `error` is that of atanh(r)."""
    middle = np.arctanh(r)
    return float(np.tanh(middle - quantile * error)), float(np.tanh(middle + quantile * error))


def fold_ratio(low: Any, high: Any) -> Pair:
    """From a ratio to the smaller of it and its inverse: the upper end is 1 where the ratio may be 1."""
    low, high = np.asarray(low, dtype=float), np.asarray(high, dtype=float)
    with np.errstate(divide="ignore"):
        from_above, from_below = 1 / high, 1 / low
    lower = np.minimum(low, from_above)
    return lower, np.where((low <= 1) & (high >= 1), 1.0, np.where(high < 1, high, from_below))


def fold(low: Any, high: Any) -> Pair:
    """From a difference to its size: the lower end is 0 where the difference may be 0."""
    low, high = np.asarray(low, dtype=float), np.asarray(high, dtype=float)
    inside = (low <= 0) & (high >= 0)
    return np.where(inside, 0.0, np.minimum(abs(low), abs(high))), np.maximum(abs(low), abs(high))
