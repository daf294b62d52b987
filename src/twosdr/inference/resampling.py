"""Sums over rows or clusters, of influences; and draws of rows or clusters, for what no formula holds."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from twosdr.errors import MetricError, ParameterError
from twosdr.tables import Array


@dataclass
class Meat:
    """Sums over rows of weighted influences: of squares, or by cluster."""

    clusters: int | None = None
    n: int = 0
    weight: float = 0.0
    total: Any = None

    def add(self, psi: Array, weight: Array, cluster: Array | None) -> None:
        """Rows with a weight above zero count."""
        moved = psi * weight[:, None]
        self.n, self.weight = self.n + int((weight > 0).sum()), self.weight + float(weight.sum())
        if cluster is None:
            self.total = moved.T @ moved + (0.0 if self.total is None else self.total)
            return
        if self.total is None:
            self.total = np.zeros((int(self.clusters or 0), psi.shape[1]))
        np.add.at(self.total, cluster, moved)

    def covariance(self, parameters: int) -> tuple[Array, int]:
        """Covariance of the coefficients, and the degrees of freedom of their intervals."""
        free = self.n - parameters
        if free < 1:
            raise MetricError(f"{self.n} rows cannot give standard errors of {parameters} coefficients.")
        if self.clusters is None:
            return self.total / self.weight**2 * (self.n / free), free
        if self.clusters < 2:
            raise MetricError("One cluster cannot give standard errors: nothing repeats.")
        small = self.clusters / (self.clusters - 1) * (self.n - 1) / free
        return self.total.T @ self.total / self.weight**2 * small, self.clusters - 1


def resampled(n: int, times: int, seed: Any, cluster: Array | None = None) -> Iterator[Array]:
    """How often each row is drawn, `times` over, by rows or by whole clusters; the same for the same seed."""
    chance = np.random.default_rng(seed)
    groups = n if cluster is None else int(cluster.max()) + 1
    for _ in range(times):
        counts = np.bincount(chance.integers(0, groups, groups), minlength=groups).astype(float)
        yield counts if cluster is None else counts[cluster]


def bootstrap(
    fit: Callable[[Array], Array], n: int, *, times: int = 200, random_state: Any = None, cluster: Any = None
) -> Array:
    """Covariance of what `fit` returns, over resamples of n rows; `fit` takes how often each row counts (as weights).

    For what no formula holds: a penalty, one chosen by cross-validation, the variance correction, a target for removal.
    """
    codes = None if cluster is None else cluster_codes(cluster, n)
    drawn = np.array([fit(counts) for counts in resampled(n, times, random_state, codes)])
    # A level that a draw left out has no coefficient in it.
    there = np.isfinite(drawn)
    count = np.maximum(there.sum(axis=0), 1)
    gaps = np.where(there, drawn - np.where(there, drawn, 0.0).sum(axis=0) / count, 0.0)
    pairs = np.maximum(there.T.astype(float) @ there - 1.0, 1.0)
    return np.asarray(gaps.T @ gaps / pairs)


def cluster_codes(cluster: Any, n: int) -> Array:
    """Clusters as numbers from 0."""
    given = np.asarray(cluster)
    if given.ndim != 1 or len(given) != n:
        raise ParameterError(f"cluster must hold a value for each of the {n} rows. Got shape {given.shape} instead.")
    if given.dtype.kind == "f" and np.isnan(given).any():
        raise ParameterError(f"cluster has {int(np.isnan(given).sum())} missing values.")
    if given.dtype.kind == "O":
        given = given.astype(str)
    return np.asarray(np.unique(given, return_inverse=True)[1])
