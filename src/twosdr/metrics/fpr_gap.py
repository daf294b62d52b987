"""The gap of false positive rates between groups."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from typing import Any

from twosdr.metrics import _comparing as comparing
from twosdr.metrics._cells import Tally
from twosdr.metrics.estimate import Estimate

TRUTH = 0


def fpr_gap(
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
    """max over pairs of groups of |P(ŷ=1 | y=0, one) - P(ŷ=1 | y=0, other)|; 0 is with tpr_gap, equalised odds.

    Needs: counts by group and true label. A group without a row of y=0 has no such rate: no number, or `zero_division`.
    `min_group_size` counts the rows of y=0.

    >>> fpr_gap([1, 0, 1, 1], y_true=[0, 0, 0, 0], s=["f", "f", "m", "m"]).value
    0.5
    """
    found = tally(y_pred, s=s, y_true=y_true, sample_weight=sample_weight, cluster=cluster, pos_label=pos_label)
    return answer(found, confidence=confidence, zero_division=zero_division, min_group_size=min_group_size)


tally = comparing.decisions_by_truth


def answer(
    tally: Tally, *, confidence: float = 0.95, zero_division: float | None = None, min_group_size: int = 1
) -> Estimate:
    """The gap from the counts of a tally."""
    what = "gap of false positive rates between groups"
    return comparing.rate_gap(
        tally, TRUTH, what, confidence=confidence, zero_division=zero_division, min_group_size=min_group_size
    )
