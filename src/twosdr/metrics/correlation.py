"""The correlation coefficient of predictions with a numeric s."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from typing import Any

import numpy as np

from twosdr.errors import MetricError
from twosdr.metrics import _influence as influence
from twosdr.metrics import _intervals as ci
from twosdr.metrics import _reading as reading
from twosdr.metrics._reading import Beside
from twosdr.metrics._words import told
from twosdr.metrics.estimate import Estimate
from twosdr.tables import Array


def correlation(
    y_pred: Any, *, s: Any, sample_weight: Any = None, cluster: Any = None, confidence: float = 0.95
) -> Estimate:
    """|Pearson's r| of ŷ with one s, a number or two groups.

    Needs: moments; rows for its interval. Fisher's z holds for normal data only, so the error of z is taken from each row's
    influence. Zero does not mean independent: see distance_correlation.

    >>> correlation([1, 2, 3, 4, 6], s=[5, 4, 3, 1, 1]).value.__round__(3)
    0.93
    """
    y_hat = reading.scores(y_pred)
    number = reading.number(s, len(y_hat))
    rows = reading.beside(len(y_hat), sample_weight, cluster, confidence)
    return of_numbers(rows.take(y_hat), rows.take(number), rows, "absolute Pearson correlation")


def of_numbers(y_hat: Array, s: Array, rows: Beside, what: str, fitted: int = 0) -> Estimate:
    """|r| of two columns of which a fit has used up `fitted` rows."""
    found = signed(y_hat, s, rows, fitted)
    if found.value is None:
        return found
    how = "influence interval on the z scale"
    if found.interval is None:
        return told(Estimate(abs(found.value), None, rows.n, found.why), what, how, rows.confidence)
    low, high = ci.fold(*found.interval)
    estimate = Estimate(abs(found.value), (float(low), float(high)), rows.n)
    return told(estimate, what, how, rows.confidence, rows.cluster is not None)


def signed(y_hat: Array, s: Array, rows: Beside, fitted: int = 0) -> Estimate:
    """r with its sign, and its interval."""
    share = influence.shares(rows)
    a, of_s = influence.centred(s, share)
    b, of_y = influence.centred(y_hat, share)
    if of_s == 0.0:
        raise MetricError("s is constant: nothing can correlate with it. Leave it out of the audit.")
    if of_y == 0.0:
        return Estimate(None, None, rows.n, "every prediction is the same number: a correlation with it is 0 to 0")
    a, b = a / of_s, b / of_y
    r = float(np.clip(share @ (a * b), -1.0, 1.0))
    if 1 - r * r < 1e-14:
        return Estimate(r, None, rows.n, "no interval: the rows lie on a line and show no error")
    parts = share * (a * b - r * (a * a + b * b) / 2) / (1 - r * r)
    wide, df = influence.error(parts, rows, lost=3 + fitted)
    if np.isnan(wide):
        return Estimate(r, None, rows.n, f"no interval: {rows.n} rows are too few for one")
    return Estimate(r, ci.on_z_scale(r, wide, influence.reach(rows, df)), rows.n)
