"""The difference of selection rates between groups."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from typing import Any

from twosdr.metrics import _comparing as comparing
from twosdr.metrics._cells import Tally
from twosdr.metrics.estimate import Estimate


def parity_difference(
    y_pred: Any,
    *,
    s: Any,
    sample_weight: Any = None,
    cluster: Any = None,
    confidence: float = 0.95,
    pos_label: Any = None,
    min_group_size: int = 1,
) -> Estimate:
    """max over pairs of groups of |P(ŷ=1 | one) - P(ŷ=1 | other)|; 0 when all are selected at one rate.

    Needs: counts by group.

    >>> parity_difference([1, 0, 0, 0, 1, 1, 0, 0], s=["f", "f", "f", "f", "m", "m", "m", "m"]).value
    0.25
    """
    found = tally(y_pred, s=s, sample_weight=sample_weight, cluster=cluster, pos_label=pos_label)
    return answer(found, confidence=confidence, min_group_size=min_group_size)


tally = comparing.decisions


def answer(tally: Tally, *, confidence: float = 0.95, min_group_size: int = 1) -> Estimate:
    """The difference from the counts of a tally."""
    found, left_out = comparing.large_enough(tally, min_group_size, confidence)
    if len(found) < 2:
        return comparing.too_few(found, left_out, min_group_size)
    return comparing.rates_apart(found, "difference of selection rates between groups" + left_out, confidence)
