"""The selection rate: the share of positive decisions."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from typing import Any

from twosdr.metrics import _reading as reading
from twosdr.metrics._cells import Tally, gather
from twosdr.metrics._contrasts import share_of
from twosdr.metrics._words import told
from twosdr.metrics.estimate import Estimate


def selection_rate(
    y_pred: Any, *, sample_weight: Any = None, cluster: Any = None, confidence: float = 0.95, pos_label: Any = None
) -> Estimate:
    """P(ŷ=1). By group: by_group("selection_rate", y_pred, s=...).

    Needs: counts.

    >>> selection_rate([1, 0, 0, 1]).value
    0.5
    """
    found = tally(y_pred, sample_weight=sample_weight, cluster=cluster, pos_label=pos_label)
    return answer(found, confidence=confidence)


def tally(
    y_pred: Any, *, sample_weight: Any = None, cluster: Any = None, pos_label: Any = None, whole: bool = True
) -> Tally:
    """Decisions."""
    y = reading.decisions(y_pred, pos_label, whole=whole)
    rows = reading.beside(len(y), sample_weight, cluster)
    y = rows.take(y)
    return gather(y, reading.everyone(len(y)), rows.weight, rows.cluster)


def answer(tally: Tally, *, confidence: float = 0.95) -> Estimate:
    """The share from the counts of a tally."""
    reading.beside(1, confidence=confidence)
    [cell] = tally.cells
    found = share_of(tally, cell, confidence)
    return told(found, "share of positive decisions", "Wilson score interval", confidence, tally.within is not None)
