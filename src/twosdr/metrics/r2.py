"""R²: the share of the target's variance that the predictions account for."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

import math
from typing import Any

import numpy as np

from twosdr.metrics import _influence as influence
from twosdr.metrics import _reading as reading
from twosdr.metrics._linear import around
from twosdr.metrics._reading import Beside
from twosdr.metrics._words import told
from twosdr.metrics.estimate import Estimate
from twosdr.tables import Array


def r2(
    y_pred: Any, *, y_true: Any, sample_weight: Any = None, cluster: Any = None, confidence: float = 0.95
) -> Estimate:
    """1 - Σ(y - ŷ)² / Σ(y - ȳ)²: 1 is exact, 0 no better than the mean, below 0 worse.

    Needs: moments; rows for its interval, which is that of log(1 - R²). Where y does not vary there is no number.

    >>> r2([1, 2, 3, 5], y_true=[1, 2, 3, 4]).value
    0.8
    """
    y_hat = reading.scores(y_pred)
    y = reading.scores(y_true, "y_true", len(y_hat))
    rows = reading.beside(len(y_hat), sample_weight, cluster, confidence)
    y_hat, y = rows.take(y_hat), rows.take(y)
    share = influence.shares(rows)
    what, how = "R² of the predictions", "influence interval of log(1 - R²)"
    if np.ptp(y) == 0:
        return Estimate(None, None, rows.n, "y_true is constant: it has no variance to account for")
    return told(left_over(y - y_hat, around(y, share), rows, lost=2), what, how, confidence, cluster is not None)


def left_over(residual: Array, whole: Array, rows: Beside, lost: int) -> Estimate:
    """1 - E[residual²] / E[whole²], with the interval of the logarithm of that ratio."""
    share = influence.shares(rows)
    of_residual, of_whole = share @ (residual * residual), share @ (whole * whole)
    value = 1 - of_residual / of_whole
    if of_residual == 0.0:
        return Estimate(1.0, None, rows.n, "no interval: no row has an error")
    parts = share * (residual * residual / of_residual - whole * whole / of_whole)
    error, df = influence.error(parts, rows, lost)
    if math.isnan(error):
        return Estimate(value, None, rows.n, f"no interval: {rows.n} rows are too few for one")
    stretch = math.exp(influence.reach(rows, df) * error)
    return Estimate(value, (1 - (1 - value) * stretch, 1 - (1 - value) / stretch), rows.n)
