"""Balanced accuracy: the recall of every class, averaged."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from typing import Any

import numpy as np

from twosdr.metrics import _intervals as ci
from twosdr.metrics import _reading as reading
from twosdr.metrics._cells import Tally, gather
from twosdr.metrics._contrasts import cluster_error, share_of
from twosdr.metrics._words import told
from twosdr.metrics.estimate import Estimate


def balanced_accuracy(
    y_pred: Any, *, y_true: Any, sample_weight: Any = None, cluster: Any = None, confidence: float = 0.95
) -> Estimate:
    """mean over true classes of P(ŷ = class | y = class), for classes of any kind.

    Needs: counts by true class. The interval joins Wilson's of each class (square and add).

    >>> balanced_accuracy(["a", "a", "a", "b"], y_true=["a", "a", "b", "b"]).value
    0.75
    """
    return answer(tally(y_pred, y_true=y_true, sample_weight=sample_weight, cluster=cluster), confidence=confidence)


def tally(y_pred: Any, *, y_true: Any, sample_weight: Any = None, cluster: Any = None) -> Tally:
    """Right and wrong rows by true class."""
    a, b, known = reading.labels(y_pred, y_true)
    rows = reading.beside(len(a), sample_weight, cluster)
    by = rows.take(reading.Groups(b, known, "y_true").occurring())
    return gather(rows.take((a == b).astype(np.int8)), by, rows.weight, rows.cluster)


def answer(tally: Tally, *, confidence: float = 0.95) -> Estimate:
    """The average from the counts of a tally."""
    reading.beside(1, confidence=confidence)
    recall = np.array([sums.mean for sums in tally.cells.values()])
    what = f"recall averaged over {len(recall)} classes"
    value = float(recall.mean())
    if tally.within is not None:
        error, df = cluster_error(tally.within, np.full(len(recall), 1 / len(recall)))
        if np.isnan(error):
            return told(Estimate(value, None, tally.n, "no interval: a class lies in 1 cluster"), what, "", confidence)
        low, high = ci.welch(value, error, df, confidence)
        found = Estimate(value, (max(float(low), 0.0), min(float(high), 1.0)), tally.n)
        return told(found, what, "Student's interval", confidence, clustered=True)
    each = [share_of(tally, cell, confidence).interval for cell in tally.cells]
    ends = np.array([end for end in each if end is not None])
    low, high = ci.average(recall, ends[:, 0], ends[:, 1])
    return told(Estimate(value, (float(low), float(high)), tally.n), what, "Wilson intervals joined", confidence)
