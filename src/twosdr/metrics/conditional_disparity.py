"""Conditional demographic disparity: a group's share among the rejected less its share among the accepted, within strata."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

import math
from typing import Any

import numpy as np

from twosdr.errors import MetricError
from twosdr.metrics import _influence as influence
from twosdr.metrics import _intervals as ci
from twosdr.metrics import _reading as reading
from twosdr.metrics._reading import Groups
from twosdr.metrics._words import told
from twosdr.metrics.auc import one_of_two
from twosdr.metrics.estimate import Estimate


def conditional_disparity(
    y_pred: Any,
    *,
    s: Any,
    z: Any,
    level: Any = None,
    sample_weight: Any = None,
    cluster: Any = None,
    confidence: float = 0.95,
    pos_label: Any = None,
) -> Estimate:
    """Σ_k share of stratum k · (P(s=level | ŷ=0, k) - P(s=level | ŷ=1, k)), strata by z.

    Needs: counts by group and stratum; rows for its interval. Without `level` s has two groups and the answer is the size of
    the disparity; with it the sign stays, above 0 when the level fares worse. A stratum where all or nobody is accepted shows nothing
    and is left out.

    >>> conditional_disparity([1, 0, 1, 0, 1, 0], s=list("fmmfmf"), z=list("aaabbb"), level="f").value
    0.25
    """
    y = reading.decisions(y_pred, pos_label)
    strata = _strata(z, len(y))
    by = reading.groups(s, len(y))
    rows = reading.beside(len(y), sample_weight, cluster, confidence)
    y, strata, by = rows.take(y), rows.take(strata), rows.take(by)
    member = one_of_two(by, rows.n, level).astype(float)
    weight = np.ones(rows.n) if rows.weight is None else rows.weight
    k = len(strata)
    cell = strata.codes.astype(np.intp) * 2 + y
    total = np.bincount(cell, weight, 2 * k).reshape(k, 2)
    with np.errstate(invalid="ignore"):
        among = np.bincount(cell, weight * member, 2 * k).reshape(k, 2) / total
    telling = np.asarray((total > 0).all(axis=1))
    what = f"demographic disparity within {k} strata"
    if not telling.any():
        return Estimate(None, None, rows.n, "in every stratum all or nobody are accepted: there is nothing to compare")
    if not telling.all():
        what += f", {int((~telling).sum())} of them left out because all or nobody are accepted there"
    share = np.where(telling, total.sum(axis=1), 0.0)
    everybody = share.sum()
    share = share / everybody
    within = np.where(telling, among[:, 0] - among[:, 1], 0.0)
    value = float(share @ within)
    inside = telling[strata.codes]
    parts = np.where(inside, weight / everybody * (within[strata.codes] - value), 0.0)
    own, side = among.ravel()[cell], np.where(y == 0, 1.0, -1.0)
    parts += np.where(inside, share[strata.codes] * side * weight * (member - own) / total.ravel()[cell], 0.0)
    error, df = influence.error(parts, rows, lost=min(2 * k, rows.n - 1))
    estimate = Estimate(
        value if level is not None else abs(value), None, int(inside.sum()), "no interval: too few rows"
    )
    if not math.isnan(error) and error > 0:
        reach = influence.reach(rows, df) * error
        low, high = value - reach, value + reach
        if level is None:
            low, high = map(float, ci.fold(low, high))
        estimate = Estimate(estimate.value, (max(low, -1.0), min(high, 1.0)), estimate.n)
    return told(estimate, what, "influence interval", confidence, cluster is not None)


def _strata(z: Any, n: int) -> Groups:
    found = []
    for name, one in reading.columns(z, "z", n).items():
        by = reading.factor(
            one.values if one.levels is None else np.array(one.levels, dtype=object)[one.values], n, name
        )
        if len(by) == n and n > 2:
            raise MetricError(
                f"z ({name}) has {n} values for {n} rows, and strata need rows in common. Cut it into classes first, or use "
                "explained_disparity or partial_correlation, which take numbers."
            )
        found.append(by)
    return found[0] if len(found) == 1 else reading.cross(*found)
