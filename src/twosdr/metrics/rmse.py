"""Root mean squared error."""
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


def rmse(
    y_pred: Any, *, y_true: Any, sample_weight: Any = None, cluster: Any = None, confidence: float = 0.95
) -> Estimate:
    """sqrt(E[(ŷ - y)²]), in the unit of y.

    Needs: sums of squared errors. The interval is that of the logarithm of the mean square, whose error the rows show.

    >>> rmse([1, 2, 3], y_true=[1, 2, 6]).value.__round__(6)
    1.732051
    """
    return answer(tally(y_pred, y_true=y_true, sample_weight=sample_weight, cluster=cluster), confidence=confidence)


def tally(y_pred: Any, *, y_true: Any, sample_weight: Any = None, cluster: Any = None) -> Tally:
    """Squared errors."""
    y_hat = reading.scores(y_pred)
    squares = (y_hat - reading.scores(y_true, "y_true", len(y_hat))) ** 2
    rows = reading.beside(len(y_hat), sample_weight, cluster)
    squares = rows.take(squares)
    if (squares > reading.LARGEST).any():
        raise reading.too_large("y_pred - y_true")
    return gather(squares, reading.everyone(len(squares)), rows.weight, rows.cluster)


def answer(tally: Tally, *, confidence: float = 0.95) -> Estimate:
    """The root from the sums of a tally."""
    reading.beside(1, confidence=confidence)
    [sums] = tally.cells.values()
    value, df = math.sqrt(sums.mean), float(sums.n - 1)
    if tally.within is not None:
        error, df = cluster_error(tally.within, np.ones(1))
    else:
        error = math.sqrt(sums.squared_error) if sums.n > 1 else math.nan
    if math.isnan(error):
        return told(
            Estimate(value, None, sums.n, "no interval: one row or cluster shows no spread"), "rmse", "", confidence
        )
    if value == 0.0:
        return told(Estimate(0.0, None, sums.n, "no interval: no row has an error"), "rmse", "", confidence)
    # The root of the mean square has half its relative error.
    low, high = ci.on_log_scale(value, error / sums.mean / 2, ci.t_quantile(confidence, df))
    found = Estimate(value, (float(low), float(high)), sums.n)
    return told(found, "root mean squared error", "interval on the log scale", confidence, tally.within is not None)
