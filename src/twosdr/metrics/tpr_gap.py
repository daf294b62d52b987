"""The gap of true positive rates between groups."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from typing import Any

from twosdr.metrics import _comparing as comparing
from twosdr.metrics._cells import Tally
from twosdr.metrics.estimate import Estimate

TRUTH = 1


def tpr_gap(
    y_pred: Any,
    *,
    s: Any,
    y_true: Any,
    sample_weight: Any = None,
    cluster: Any = None,
    confidence: float = 0.95,
    pos_label: Any = None,
    zero_division: float | None = None,
    min_group_size: int = 1,
) -> Estimate:
    """max over pairs of groups of |P(ŷ=1 | y=1, one) - P(ŷ=1 | y=1, other)|; 0 is equal opportunity.

    Needs: counts by group and true label. A group without a row of y=1 has no such rate: no number, or `zero_division`.
    `min_group_size` counts the rows of y=1.

    >>> tpr_gap([1, 0, 1, 1], y_true=[1, 1, 1, 1], s=["f", "f", "m", "m"]).value
    0.5
    """
    found = tally(y_pred, s=s, y_true=y_true, sample_weight=sample_weight, cluster=cluster, pos_label=pos_label)
    return answer(found, confidence=confidence, zero_division=zero_division, min_group_size=min_group_size)


tally = comparing.decisions_by_truth


def answer(
    tally: Tally, *, confidence: float = 0.95, zero_division: float | None = None, min_group_size: int = 1
) -> Estimate:
    """The gap from the counts of a tally."""
    what = "gap of true positive rates between groups"
    return comparing.rate_gap(
        tally, TRUTH, what, confidence=confidence, zero_division=zero_division, min_group_size=min_group_size
    )
