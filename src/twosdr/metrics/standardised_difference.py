"""The standardised mean difference of scores between groups (Cohen's d)."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from twosdr.metrics import _comparing as comparing
from twosdr.metrics import _influence as influence
from twosdr.metrics import _intervals as ci
from twosdr.metrics import _reading as reading
from twosdr.metrics._cells import gather
from twosdr.metrics._contrasts import pairs
from twosdr.metrics._reading import Beside
from twosdr.metrics._words import told
from twosdr.metrics.estimate import Estimate
from twosdr.tables import Array

ALONE = 1e-12  # a group whose other rows weigh less than this share of it is a group of 1 row


def standardised_difference(
    y_pred: Any,
    *,
    s: Any,
    sample_weight: Any = None,
    cluster: Any = None,
    confidence: float = 0.95,
    min_group_size: int = 1,
) -> Estimate:
    """max over pairs of groups of |mean one - mean other| / sqrt((variance one + variance other) / 2).

    Needs: sums by group; rows for its interval. 0 when both groups get the same average, 1 when the averages lie a standard
    deviation apart. Variances are unbiased ones.

    >>> standardised_difference([1, 2, 3, 3, 4, 5], s=[0, 0, 0, 1, 1, 1]).value.__round__(6)
    2.0
    """
    y = reading.scores(y_pred)
    by = reading.groups(s, len(y))
    rows = reading.beside(len(y), sample_weight, cluster, confidence)
    y, by = rows.take(y), rows.take(by)
    found, left_out = comparing.large_enough(gather(y, by, rows.weight), min_group_size, confidence)
    if len(found) < 2:
        return comparing.too_few(found, left_out, min_group_size)
    keys = list(found.cells)
    each = [
        of_two(y, by.codes == by.levels.index(keys[a]), by.codes == by.levels.index(keys[b]), rows, len(pairs(found)))
        for a, b in pairs(found)
    ]
    many = len(each)
    what = "standardised mean difference" + left_out
    how = "influence interval" + (f" of all pairs at once (Sidak over {many})" if many > 1 else "")
    what = f"largest {what} in {many} pairs" if many > 1 else what
    if any(one.value is None for one in each):
        return next(one for one in each if one.value is None)
    value = max(abs(float(one)) for one in each)
    if any(one.interval is None for one in each):
        why = next(one.why for one in each if one.interval is None)
        return told(Estimate(value, None, found.n, why), what, how, confidence)
    ends = np.array([one.interval for one in each if one.interval is not None])
    low, high = ci.fold(ends[:, 0], ends[:, 1])
    estimate = Estimate(value, (float(low.max()), float(high.max())), found.n)
    return told(estimate, what, how, confidence, cluster is not None)


def of_two(y: Array, one: Array, two: Array, rows: Beside, many: int = 1) -> Estimate:
    """The signed difference of two groups."""
    n = int(one.sum() + two.sum())
    if min(one.sum(), two.sum()) < 2:
        return Estimate(None, None, n, "a group of 1 row has no variance to standardise by")
    share = np.zeros(len(y))
    mean, variance, around = {}, {}, np.zeros(len(y))
    for name, member in (("one", one), ("two", two)):
        w = np.ones(int(member.sum())) if rows.weight is None else rows.weight[member]
        w = w / w.sum()
        values = y[member] - y[member][0]
        m = float(w @ values)
        mean[name] = m + y[member][0]
        # Unbiased for weights that only scale: 1 / (1 - Σw²) is n / (n - 1) when they are equal.
        alone = 1 - float(w @ w)
        if alone < ALONE:
            return Estimate(
                None, None, n, "one row of a group has all of its weight: there is no variance to standardise by"
            )
        variance[name] = float(w @ (values - m) ** 2) / alone if np.ptp(values) else 0.0
        share[member], around[member] = w, values - m
    pooled = (variance["one"] + variance["two"]) / 2
    if pooled == 0.0:
        return Estimate(None, None, n, "the scores do not vary within the groups: there is nothing to standardise by")
    d = (mean["one"] - mean["two"]) / math.sqrt(pooled)
    sign = np.where(one, 1.0, -1.0)
    own = np.where(one, variance["one"], variance["two"])
    parts = share * (sign * around / math.sqrt(pooled) - d * (around**2 - own) / (4 * pooled))
    inside = one | two
    part = replace(rows, n=n, weight=None, keep=None, cluster=None)
    if rows.cluster is not None:
        _, codes = np.unique(rows.cluster[inside], return_inverse=True)
        part = replace(part, cluster=codes)
    wide, df = influence.error(parts[inside], part, lost=2)
    if math.isnan(wide):
        return Estimate(d, None, n, "no interval: too few rows or clusters")
    reach = influence.reach(part, df, ci.sidak(rows.confidence, many)) * wide
    return Estimate(d, (d - reach, d + reach), n)
