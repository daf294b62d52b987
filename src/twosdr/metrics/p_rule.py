"""The P%-rule, or impact ratio: the smallest ratio of selection rates between groups."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from typing import Any

from twosdr.metrics import _comparing as comparing
from twosdr.metrics._cells import Tally
from twosdr.metrics._contrasts import pairs, ratio_interval, worst_ratio
from twosdr.metrics._words import told
from twosdr.metrics.estimate import Estimate
from twosdr.metrics.homogeneity import of_tally
from twosdr.metrics.noise_ceiling import noise_ceiling

WHAT = "smallest ratio of selection rates between groups"


def p_rule(
    y_pred: Any,
    *,
    s: Any,
    sample_weight: Any = None,
    cluster: Any = None,
    confidence: float = 0.95,
    pos_label: Any = None,
    zero_division: float | None = None,
    min_group_size: int = 1,
) -> Estimate:
    """min over pairs of groups of P(ŷ=1 | one) / P(ŷ=1 | other); 1 when all groups are selected at one rate.

    Needs: counts by group. `s` is binary or a category; of several columns every combination that occurs is a group, and
    `min_group_size` leaves small ones out. 0 to r is 0; 0 to 0 is no number, or `zero_division`.

    >>> p_rule([1, 0, 0, 0, 1, 1, 0, 0], s=["f", "f", "f", "f", "m", "m", "m", "m"]).value
    0.5
    """
    found = tally(y_pred, s=s, sample_weight=sample_weight, cluster=cluster, pos_label=pos_label)
    return answer(found, confidence=confidence, zero_division=zero_division, min_group_size=min_group_size)


tally = comparing.decisions


def answer(
    tally: Tally, *, confidence: float = 0.95, zero_division: float | None = None, min_group_size: int = 1
) -> Estimate:
    """The rule from the counts of a tally."""
    found, left_out = comparing.large_enough(tally, min_group_size, confidence)
    if len(found) < 2:
        return comparing.too_few(found, left_out, min_group_size)
    what = WHAT + left_out
    how = ratio_interval(found)
    many = len(pairs(found))
    if many > 1:
        same = of_tally(found)
        rate = sum(s.mean * s.weight for s in found.cells.values()) / sum(s.weight for s in found.cells.values())
        what += f"; worst of {many} pairs of {len(found)} groups"
        if same is not None:
            ceiling = noise_ceiling([s.size for s in found.cells.values()], rate)
            what += f", chi-squared test of equal rates p = {same.p_value:.3g}, noise ceiling {ceiling:.3f}"
        how += f" of all pairs at once (Sidak over {many})"
    return told(worst_ratio(found, confidence, zero_division, "rate"), what, how, confidence, found.within is not None)
