"""The average prediction."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

import math
from typing import Any

import numpy as np

from twosdr.metrics import _intervals as ci
from twosdr.metrics import _reading as reading
from twosdr.metrics._cells import Tally, gather
from twosdr.metrics._contrasts import cluster_error
from twosdr.metrics._words import told
from twosdr.metrics.estimate import Estimate


def mean_score(y_pred: Any, *, sample_weight: Any = None, cluster: Any = None, confidence: float = 0.95) -> Estimate:
    """E[ŷ], in the unit of ŷ. By group: by_group("mean_score", y_pred, s=...).

    Needs: sums.

    >>> mean_score([1, 2, 6]).value
    3.0
    """
    return answer(tally(y_pred, sample_weight=sample_weight, cluster=cluster), confidence=confidence)


def tally(y_pred: Any, *, sample_weight: Any = None, cluster: Any = None) -> Tally:
    """Scores."""
    y = reading.scores(y_pred)
    rows = reading.beside(len(y), sample_weight, cluster)
    y = rows.take(y)
    return gather(y, reading.everyone(len(y)), rows.weight, rows.cluster)


def answer(tally: Tally, *, confidence: float = 0.95) -> Estimate:
    """The average from the sums of a tally."""
    reading.beside(1, confidence=confidence)
    [sums] = tally.cells.values()
    if tally.within is not None:
        error, df = cluster_error(tally.within, np.ones(1))
    else:
        error, df = math.sqrt(sums.squared_error) if sums.n > 1 else math.nan, float(sums.n - 1)
    what = "average prediction"
    if math.isnan(error):
        why = "no interval: one row or cluster shows no spread"
        return told(Estimate(sums.mean, None, sums.n, why), what, "", confidence)
    low, high = ci.welch(sums.mean, error, df, confidence)
    found = Estimate(sums.mean, (float(low), float(high)), sums.n)
    return told(found, what, "Student's interval", confidence, tally.within is not None)
