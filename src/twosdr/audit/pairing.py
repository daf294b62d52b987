"""The difference of two models' measures on the same rows: an interval from each one's own and from how the two move together.

Two good predictions of the same rows err alike, so their difference is known better than either. MOVER (Zou and Donner 2008)
puts the interval of a - b together from those of a and b and their correlation r:

    low = a - b - sqrt((a - l_a)² - 2 r (a - l_a)(u_b - b) + (u_b - b)²),   high likewise with the other ends.

So it inherits what each interval is good at (Koopman's for ratios, DeLong's for areas). Measures that are folded at parity (a
ratio to at most 1, a distance to at least 0) hide a sign. Near parity the data admit both, and r would have the wrong one half of
the time; there the interval is the hull over the signs that are admitted, never wider than the two intervals' outer ends.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from twosdr.metrics import Estimate
from twosdr.tables import Array

RATIOS = frozenset({"p_rule", "quantile_rates"})  # folded at 1
DISTANCES = frozenset(  # folded at 0
    {
        "parity_difference",
        "tpr_gap",
        "fpr_gap",
        "mean_distance",
        "standardised_difference",
        "correlation",
        "decision_correlation",
    }
)


@dataclass(frozen=True)
class Reading:
    """A number with its interval under one sign of what was folded; `sign` is -1 for the sign that was not observed."""

    value: float
    low: float
    high: float
    sign: int = 1


def readings(measure: str, found: Estimate) -> list[Reading]:
    """What an estimate may mean: itself, and its mirror image where its interval reaches parity."""
    assert found.value is not None
    assert found.interval is not None
    value, (low, high) = found.value, found.interval
    if measure in RATIOS and high >= 1.0 and value > 0.0 and low > 0.0:
        top = value * value / low  # on the log scale as far above as below
        return [Reading(value, low, top), Reading(1 / value, 1 / top, 1 / low, -1)]
    if measure in DISTANCES and low <= 0.0:
        bottom = 2 * value - high
        return [Reading(value, bottom, high), Reading(-value, -high, -bottom, -1)]
    return [Reading(value, low, high)]


def difference(measure: str, a: Estimate, b: Estimate, r: float) -> tuple[float, float]:
    """Interval of a - b; r is the correlation of the two as they were observed."""
    assert a.interval is not None
    assert b.interval is not None
    ends = [mover(one, two, r * one.sign * two.sign) for one in readings(measure, a) for two in readings(measure, b)]
    low = max(min(end[0] for end in ends), a.interval[0] - b.interval[1])
    high = min(max(end[1] for end in ends), a.interval[1] - b.interval[0])
    return low, high


def mover(a: Reading, b: Reading, r: float) -> tuple[float, float]:
    """Zou and Donner's interval of a difference of two correlated numbers."""
    gap = a.value - b.value
    down, up = (a.value - a.low, b.high - b.value), (a.high - a.value, b.value - b.low)
    below, above = (np.sqrt(max(p * p - 2 * r * p * q + q * q, 0.0)) for p, q in (down, up))
    return float(gap - below), float(gap + above)


def correlation(a: Array | None, b: Array | None, cluster: Array | None) -> float:
    """How two estimates move together over rows (or clusters); 0, the wider answer, where that is not known."""
    if a is None or b is None:
        return 0.0
    if cluster is not None:
        a, b = np.bincount(cluster, a), np.bincount(cluster, b)
    size = float(np.sqrt((a @ a) * (b @ b)))
    return float(np.clip(a @ b / size, -1.0, 1.0)) if size > 0 else 0.0
