"""Accuracy: the share of rows whose predicted class is the true one."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from typing import Any

import numpy as np

from twosdr.metrics import _reading as reading
from twosdr.metrics._cells import Tally, gather
from twosdr.metrics._contrasts import share_of
from twosdr.metrics._words import told
from twosdr.metrics.estimate import Estimate


def accuracy(
    y_pred: Any, *, y_true: Any, sample_weight: Any = None, cluster: Any = None, confidence: float = 0.95
) -> Estimate:
    """P(ŷ = y), for classes of any kind.

    Needs: counts.

    >>> accuracy(["a", "b", "b", "a"], y_true=["a", "b", "a", "a"]).value
    0.75
    """
    return answer(tally(y_pred, y_true=y_true, sample_weight=sample_weight, cluster=cluster), confidence=confidence)


def tally(y_pred: Any, *, y_true: Any, sample_weight: Any = None, cluster: Any = None) -> Tally:
    """Right and wrong rows."""
    a, b, _ = reading.labels(y_pred, y_true)
    rows = reading.beside(len(a), sample_weight, cluster)
    right = rows.take((a == b).astype(np.int8))
    return gather(right, reading.everyone(len(right)), rows.weight, rows.cluster)


def answer(tally: Tally, *, confidence: float = 0.95) -> Estimate:
    """The share from the counts of a tally."""
    reading.beside(1, confidence=confidence)
    [cell] = tally.cells
    found = share_of(tally, cell, confidence)
    return told(found, "share of rows predicted right", "Wilson score interval", confidence, tally.within is not None)
