"""Distance correlation: 0 only where predictions and s are independent, whatever the shape of their dependence."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

import math
from typing import Any

import numpy as np

from twosdr.errors import MetricError, ParameterError
from twosdr.metrics import _influence as influence
from twosdr.metrics import _intervals as ci
from twosdr.metrics import _reading as reading
from twosdr.metrics._words import told
from twosdr.metrics.estimate import Estimate
from twosdr.tables import Array

SUBSAMPLE = 1500  # all pairs of rows are looked at: 1500 rows take about a tenth of a second and 100 MB
ROUNDING = 1e-14  # a square below is what sums of a million distances round to; its root would look like a number


def distance_correlation(
    y_pred: Any,
    *,
    s: Any,
    sample_weight: Any = None,
    cluster: Any = None,
    confidence: float = 0.95,
    max_rows: int = SUBSAMPLE,
    random_state: int = 0,
) -> Estimate:
    """sqrt of the bias-corrected squared distance correlation (Székely and Rizzo), 0 where that is below 0.

    Needs: rows; of more than `max_rows` a seeded subsample (drawn by weight). s may have several columns: numbers are scaled to
    unit deviation, categories become indicators.

    >>> x = np.linspace(-1, 1, 101)
    >>> round(float(distance_correlation(x**2, s=x)), 2)  # where the correlation is 0
    0.47
    """
    y_hat = reading.scores(y_pred)
    columns, _, _ = reading.matrix(s, len(y_hat), "s")
    rows = reading.beside(len(y_hat), sample_weight, cluster, confidence)
    y_hat, columns = rows.take(y_hat), rows.take(columns)
    if not isinstance(max_rows, (int, np.integer)) or isinstance(max_rows, bool) or max_rows < 10:
        raise ParameterError(f"max_rows must be a whole number, 10 or more. Got {max_rows!r} instead.")
    if (np.ptp(columns, axis=0) == 0).all():
        raise MetricError("s is constant: everything is independent of it. Leave it out of the audit.")
    if np.ptp(y_hat) == 0:
        return Estimate(None, None, rows.n, "every prediction is the same number: it has no distances to correlate")
    if rows.n < 10:
        return Estimate(None, None, rows.n, f"{rows.n} rows are too few: distances need 10")
    chosen, what = _chosen(rows, int(max_rows), random_state)
    spread = columns.std(axis=0)
    a = _distances(columns[chosen] / np.where(spread > 0, spread, 1.0))
    b = _distances(y_hat[chosen][:, None] / y_hat.std())
    groups = None if rows.cluster is None else rows.cluster[chosen]
    if not a.any() or not b.any():
        return Estimate(None, None, rows.n, "the subsample is constant: take more rows with max_rows=")
    return told(_of_distances(a, b, groups, confidence), what, "jackknife interval", confidence, cluster is not None)


def _chosen(rows: reading.Beside, most: int, random_state: int) -> tuple[Array, str]:
    what = "bias-corrected distance correlation"
    chance = np.random.default_rng(random_state)
    if rows.weight is not None and np.ptp(rows.weight) > 0:
        # Weights cannot enter pairs of rows without bias, so rows enter as often as their weight says.
        drawn = chance.choice(rows.n, min(most, rows.n), p=influence.shares(rows))
        return drawn, f"{what} on {len(drawn)} rows drawn by weight, seed {random_state}"
    if rows.n <= most:
        return np.arange(rows.n), what
    return np.sort(
        chance.choice(rows.n, most, replace=False)
    ), f"{what} on {most} of {rows.n} rows, seed {random_state}"


def _distances(columns: Array) -> Array:
    """Euclidean distances of all pairs, U-centred: rows and columns add to zero without the diagonal."""
    if columns.shape[1] == 1:
        d = np.abs(columns - columns.T)
    else:
        from scipy.spatial.distance import cdist

        d = cdist(columns, columns)
    n = len(d)
    by_row = d.sum(axis=1)
    total = by_row.sum()
    d -= by_row[:, None] / (n - 2)
    d -= by_row[None, :] / (n - 2)
    d += total / ((n - 1) * (n - 2))
    np.fill_diagonal(d, 0.0)
    return np.asarray(d)


def _of_distances(a: Array, b: Array, groups: Array | None, confidence: float) -> Estimate:
    n = len(a)
    by_row = np.array([np.einsum("ij,ij->i", left, right) for left, right in ((a, b), (a, a), (b, b))])
    covariance, of_a, of_b = by_row.sum(axis=1) / (n * (n - 3))
    if min(of_a, of_b) <= 0:
        return Estimate(None, None, n, "the distances of the subsample do not vary: take more rows")
    squared = covariance / math.sqrt(of_a * of_b)
    squared = 0.0 if abs(squared) < ROUNDING else squared
    # Leaving a row out moves a mean over pairs by twice its own row's share.
    parts = 2 * (by_row / (n - 3) - np.array([[covariance], [of_a], [of_b]])) / n
    parts = parts[0] / math.sqrt(of_a * of_b) - squared / 2 * (parts[1] / of_a + parts[2] / of_b)
    if groups is not None:
        parts = np.bincount(groups, parts)
        parts = parts[np.bincount(groups) > 0]
    units = len(parts)
    error = math.sqrt(float(parts @ parts) * units / max(units - 1, 1))
    # At independence the rows' shares vanish to first order; there the known error of sqrt(2 / (n (n - 3))) is what is left.
    error = math.hypot(error, math.sqrt(2 / (n * (n - 3))))
    reach = error * (
        ci.normal_quantile(confidence) if groups is None else float(ci.t_quantile(confidence, max(units - 1, 1)))
    )
    low, high = (math.sqrt(min(max(end, 0.0), 1.0)) for end in (squared - reach, squared + reach))
    return Estimate(math.sqrt(max(squared, 0.0)), (low, high), n)
