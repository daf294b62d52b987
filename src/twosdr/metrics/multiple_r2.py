"""Multiple R²: the share of the predictions' variance that all sensitive columns together explain linearly."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from twosdr.errors import MetricError
from twosdr.metrics import _influence as influence
from twosdr.metrics import _reading as reading
from twosdr.metrics._linear import around, fit
from twosdr.metrics._reading import Beside
from twosdr.metrics._words import told
from twosdr.metrics.estimate import Estimate
from twosdr.metrics.r2 import left_over
from twosdr.tables import Array


def multiple_r2(
    y_pred: Any, *, s: Any, sample_weight: Any = None, cluster: Any = None, confidence: float = 0.95
) -> Estimate:
    """R² of ŷ on all columns of s, categories as indicators: correlation squared when s is one column.

    Needs: moments; rows for its interval. In a sample it is above 0 (about columns / rows) when nothing is explained, so the
    interval reaches down to 0 unless a robust test says that something is.

    >>> multiple_r2([1, 2, 3, 3, 5, 7], s={"sex": list("ffmmff"), "age": [20, 30, 25, 40, 50, 60]}).value.__round__(3)
    0.893
    """
    y_hat = reading.scores(y_pred)
    columns, _, _ = reading.matrix(s, len(y_hat), "s")
    rows = reading.beside(len(y_hat), sample_weight, cluster, confidence)
    y_hat, columns = rows.take(y_hat), rows.take(columns)
    if (np.ptp(columns, axis=0) == 0).all():
        raise MetricError("s is constant: it explains nothing. Leave it out of the audit.")
    what, how = "R² of the predictions on s", "influence interval of log(1 - R²)"
    if np.ptp(y_hat) == 0:
        return Estimate(None, None, rows.n, "every prediction is the same number: there is no variance to explain")
    share = influence.shares(rows)
    design, target = around(columns, share), around(y_hat, share)
    found = fit(design, target, share)
    estimate = left_over(found.residual, target, rows, lost=found.rank + 1)
    if 1 - float(estimate) < 1e-14:
        return told(Estimate(1.0, None, rows.n, "no interval: s determines the predictions"), what, how, confidence)
    if estimate.interval is not None:
        low, high = estimate.interval
        # Near 0 the error of R² vanishes while R² itself is chi-squared: there a test of all slopes says whether 0 is possible.
        low = max(low, 0.0) if _p_value(design, target, found.rank, share, rows) < 1 - confidence else 0.0
        estimate = replace(estimate, interval=(low, max(high, float(estimate))))
    return told(estimate, what, how, confidence, cluster is not None)


def _p_value(design: Array, target: Array, rank: int, share: Array, rows: Beside) -> float:
    """Score test that every slope is 0, with errors that need not be alike.

    Their sizes are taken where the hypothesis holds, from the target itself: residuals of many columns are too small, and Wald's
    test on them rejects far too often.
    """
    from scipy.special import chdtrc

    parts = (share * target)[:, None] * design
    if rows.cluster is not None:
        parts = np.column_stack([np.bincount(rows.cluster, column) for column in parts.T])
    score = parts.sum(axis=0)
    statistic = float(score @ np.linalg.pinv(parts.T @ parts, rcond=1e-10, hermitian=True) @ score)
    return float(chdtrc(rank, statistic))
