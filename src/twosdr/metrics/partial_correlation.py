"""The correlation of predictions with s that is left when both are freed of z."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from typing import Any

from twosdr.metrics import _influence as influence
from twosdr.metrics import _reading as reading
from twosdr.metrics._linear import around, determined, fit
from twosdr.metrics.correlation import of_numbers
from twosdr.metrics.estimate import Estimate


def partial_correlation(
    y_pred: Any, *, s: Any, z: Any, sample_weight: Any = None, cluster: Any = None, confidence: float = 0.95
) -> Estimate:
    """|corr| of the residuals of ŷ and of s on z; with a z that has no effect it is the correlation.

    Needs: moments; rows for its interval. 0 means that equals in z are treated alike, as far as lines can tell.

    >>> partial_correlation([1, 2, 3, 4, 6, 5], s=[0, 1, 0, 1, 1, 0], z=[1, 2, 3, 4, 5, 6]).value.__round__(4)
    0.6054
    """
    y_hat = reading.scores(y_pred)
    number = reading.number(s, len(y_hat))
    columns, _, _ = reading.matrix(z, len(y_hat), "z")
    rows = reading.beside(len(y_hat), sample_weight, cluster, confidence)
    share = influence.shares(rows)
    design = around(rows.take(columns), share)
    of_y, of_s = around(rows.take(y_hat), share), around(rows.take(number), share)
    y_fit, s_fit = fit(design, of_y, share), fit(design, of_s, share)
    for residual, whole, what in ((s_fit.residual, of_s, "s"), (y_fit.residual, of_y, "the prediction")):
        if determined(residual, whole, share):
            return Estimate(None, None, rows.n, f"z determines {what}: nothing is left to correlate")
    return of_numbers(y_fit.residual, s_fit.residual, rows, "absolute partial correlation given z", s_fit.rank)
