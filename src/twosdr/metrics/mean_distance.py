"""The mean distance: how far apart the groups' average predictions are."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from typing import Any

from twosdr.metrics import _comparing as comparing
from twosdr.metrics._cells import Tally
from twosdr.metrics._contrasts import largest_difference, pairs
from twosdr.metrics._words import told
from twosdr.metrics.estimate import Estimate


def mean_distance(
    y_pred: Any,
    *,
    s: Any,
    sample_weight: Any = None,
    cluster: Any = None,
    confidence: float = 0.95,
    min_group_size: int = 1,
) -> Estimate:
    """|E[ŷ | s=1] - E[ŷ | s=0]|, in the unit of ŷ; 0 when both groups get the same average.

    Needs: sums by group. For binary s it is the covariance in disguise: |Cov(s, ŷ)| / (p (1 - p)). Of more than two groups
    the largest distance.

    >>> mean_distance([1, 2, 3, 4], s=[0, 0, 1, 1]).value
    2.0
    """
    found = tally(y_pred, s=s, sample_weight=sample_weight, cluster=cluster)
    return answer(found, confidence=confidence, min_group_size=min_group_size)


tally = comparing.scores


def answer(tally: Tally, *, confidence: float = 0.95, min_group_size: int = 1) -> Estimate:
    """The distance from the sums of a tally."""
    found, left_out = comparing.large_enough(tally, min_group_size, confidence)
    if len(found) < 2:
        return comparing.too_few(found, left_out, min_group_size)
    many = len(pairs(found))
    what, how = "distance of group means" + left_out, "Welch interval"
    if many > 1:
        what, how = f"largest {what} in {many} pairs", f"{how} of all pairs at once (Sidak over {many})"
    return told(largest_difference(found, confidence, rates=False), what, how, confidence, found.within is not None)
