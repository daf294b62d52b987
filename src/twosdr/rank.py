"""The one decision about rank: which columns stay, which go and why; and rows that stand for a scatter matrix."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh, lapack, solve_triangular, svd

from twosdr.moments import EPS, Moments
from twosdr.tables import Array

SAME_AS_S = 1e-12  # a column of x with a smaller share of its variance left by v *is* v
ACCEPT = 1e-10  # eigenvalue ratio of the correlations below which moments alone have few digits left
REREAD = 1e-4  # below this the error of moments, condition squared times rounding, passes 1e-11: read the rows again
EXACT = 8.0  # times p * EPS: a share of variance that is rounding, so the dependence is exact


@dataclass(frozen=True, eq=False)
class Columns:
    """Positions of s, z, x and y among the moment columns: those that take part, in the order of the table."""

    s: Array
    z: Array
    x: Array
    y: Array

    @property
    def v(self) -> Array:
        """What stage 1 regresses on, in the readings that hold z beside s."""
        return np.concatenate([self.s, self.z])

    @property
    def features(self) -> Array:
        """s, then z, then x: the order in which a dependent column gives way to earlier ones."""
        return np.concatenate([self.s, self.z, self.x])


@dataclass(frozen=True, eq=False)
class Rank:
    """The one decision about rank: which columns stay, which go and why, and how well the rest is conditioned.

    `rcond` is the eigenvalue ratio of the correlations of what stays, `before` that of all columns with any spread.
    """

    columns: Columns
    dropped: dict[int, str]
    rcond: float
    before: float


def decide_rank(
    m: Moments, references: Array, *, penalised: bool, reading: str = "joint", rows: Array | None = None
) -> Rank:
    """Drop constants, references and exact dependences; later columns give way to earlier ones.

    With a penalty on every alpha, dependent columns of x (and of z, where it is penalised too) may stay: ridge shares the effect
    among them, as scikit-learn's does. Columns of x that s explains go in any case. Moments tell dependence from
    near-dependence down to 1 - R² of about 1e-13; `rows` (of a QR of the data) down to the square of that.
    """
    scatter, weight, mean = m.scatter[0], float(m.weight[0]), m.mean[0]
    spread = np.sqrt(np.maximum(np.diag(scatter), 0.0) / weight)
    dropped: dict[int, str] = {}
    for j in range(len(m.names)):
        if m.blocks[j] != "y" and spread[j] <= 4 * EPS * abs(mean[j]):
            dropped[j] = "constant"
        elif j in references:
            dropped[j] = "reference"
    s, z, x = (np.array([j for j in m.index(b) if j not in dropped], dtype=int) for b in "szx")
    scale = np.where(spread > 0, spread, 1.0) * np.sqrt(weight)
    correlation = scatter / scale[:, None] / scale[None, :]
    # First what s determines: such a column is another name of s, whatever else it depends on.
    alone = s[[j for j in range(len(s)) if j not in _dependent(correlation[np.ix_(s, s)], len(s))]]
    left = _left_by(correlation, alone, x)
    dropped.update({int(j): "explained by s" for j in x[left < SAME_AS_S]})
    x = x[left >= SAME_AS_S]
    order = np.concatenate([s, z, x])
    firm = len(s) + (len(z) if reading == "controlled" or not penalised else 0) + (0 if penalised else len(x))
    gathered = first = _rcond(correlation[np.ix_(order, order)])
    if rows is not None:
        unit = rows[:, order] / scale[order]
        noise = EXACT * len(order) * EPS
        order = np.delete(order, _dependent_rows(unit, firm, noise))
        gathered = _rcond_rows(rows[:, order] / scale[order])
    elif first < ACCEPT:
        order = np.delete(order, _dependent(correlation[np.ix_(order, order)], firm))
        gathered = _rcond(correlation[np.ix_(order, order)])
    every = np.concatenate([s, z, x])
    dropped.update({int(j): "dependent" for j in every if j not in order})
    s, z, x = (block[np.isin(block, order)] for block in (s, z, x))
    return Rank(Columns(s, z, x, m.index("y")), dict(sorted(dropped.items())), gathered, first)


def _rcond(correlation: Array) -> float:
    if not len(correlation):
        return 1.0
    values = eigh(correlation, eigvals_only=True, check_finite=False)
    return float(max(values[0], 0.0) / values[-1])


def _rcond_rows(unit: Array) -> float:
    if not unit.shape[1]:
        return 1.0
    sing = svd(unit, compute_uv=False)
    return float((sing[-1] / sing[0]) ** 2)


def _dependent(correlation: Array, firm: int) -> list[int]:
    """Columns, among the first `firm`, that earlier kept ones determine exactly: Cholesky, row by row, skipping them."""
    p = len(correlation)
    rows = np.zeros((firm, firm))
    kept: list[int] = []
    gone: list[int] = []
    for j in range(firm):
        k = len(kept)
        r = solve_triangular(rows[:k, :k], correlation[kept, j], lower=True, check_finite=False) if k else np.zeros(0)
        left = correlation[j, j] - r @ r
        if left <= EXACT * p * EPS:
            gone.append(j)
            continue
        rows[k, :k], rows[k, k] = r, np.sqrt(left)
        kept.append(j)
    return gone


def _dependent_rows(unit: Array, firm: int, noise: float) -> list[int]:
    """The same from rows: Gram-Schmidt, twice, which holds the digits that a squared column has lost."""
    basis = np.zeros((len(unit), min(firm, len(unit))))
    k = 0
    gone: list[int] = []
    for j in range(firm):
        r = unit[:, j].copy()
        for _ in range(2):
            r -= basis[:, :k] @ (basis[:, :k].T @ r)
        left = np.linalg.norm(r)
        if left <= noise or k == basis.shape[1]:
            gone.append(j)
            continue
        basis[:, k] = r / left
        k += 1
    return gone


def _left_by(correlation: Array, v: Array, x: Array) -> Array:
    """1 - R² of each column of x on v."""
    if not len(v) or not len(x):
        return np.ones(len(x))
    half = rows_of(correlation, v)[:, x]
    return np.asarray(np.diag(correlation)[x] - (half**2).sum(axis=0))


def rows_of(scatter: Array, features: Array) -> Array:
    """Rows F, shape (r, p), with F_i'F_j = S_ij wherever i or j is a feature.

    Cholesky on the scale of correlations; where features depend on each other, eigenvectors.
    """
    if not len(features):
        return np.zeros((0, len(scatter)))
    inner = scatter[np.ix_(features, features)]
    scale = np.sqrt(np.maximum(np.diag(inner), 0.0))
    scale = np.where(scale > 0, scale, 1.0)
    cross = scatter[features] / scale[:, None]
    inner = inner / scale[:, None] / scale[None, :]
    factor, fails = lapack.dpotrf(inner, lower=1)
    if not fails:
        return np.asarray(lapack.dtrtrs(factor, cross, lower=1)[0])
    values, vectors = eigh(inner)
    there = values > len(inner) * EPS * values[-1]
    return np.asarray((vectors[:, there].T @ cross) / np.sqrt(values[there])[:, None])
