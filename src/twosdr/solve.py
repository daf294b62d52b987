"""From moments to coefficients: the two stages, and the constrained least squares that they are.

Letters: s sensitive, z explanatory, x ordinary, y target; v is what stage 1 regresses x on, u = x - (v - v̄)B
its residual. All functions are pure, and work on one of two forms of the same centred data: the scatter
matrix S, or rows F with F'F = S (any such rows, often just p of them, have the same least squares).

With features Φ, a penalty P and constraint columns C:

    b_u = (Φ'Φ + P)^-1 Φ'y                              unconstrained
    b_0 = b_u - G^-1 C (C'G^-1 C)^+ C'b_u,  G = Φ'Φ + P   C'b = 0
    b_t = b_0 + t (b_u - b_0),  t = 1 - removal
    cost = (1 - t)^2 (C'b_u)' (C'G^-1 C)^+ (C'b_u)        in sums of squares, of the penalised objective

The penalty lives on u and z (standardised by their own training deviations), never on s.

C is the scatter of the features with h, which is s less what z explains of it; for equalised odds, less its mean within a class
of y, and within that class alone. So all that a goal needs are scatters, of all rows or of each class.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import block_diag, eigh, qr, solve_triangular, svd

from twosdr.moments import EPS, Moments
from twosdr.rank import ACCEPT as ACCEPT
from twosdr.rank import REREAD as REREAD
from twosdr.rank import SAME_AS_S as SAME_AS_S
from twosdr.rank import Columns as Columns
from twosdr.rank import Rank as Rank
from twosdr.rank import decide_rank as decide_rank
from twosdr.rank import rows_of as rows_of
from twosdr.tables import Array

SAME_DIRECTION = 1e-12  # constraints that differ by a smaller share than this are one
TINY = float(np.finfo(np.float64).tiny)
GIVEN_Y = ("equal_opportunity", "equalized_odds")  # goals that hold y fixed


@dataclass(frozen=True)
class Goal:
    """What is asked for: the goal, whether s is there at prediction, the reading of z, and how much to remove.

    `reading` is "controlled", "joint" or "raw"; it matters only where there are explanatory columns. `pooled` puts the classes of y
    under one constraint rather than under one each. `between` penalises what s explains of the score instead of forbidding it.
    """

    name: str = "parity"
    at_predict: str = "with"
    reading: str = "controlled"
    removal: float = 1.0
    pooled: bool = False
    between: float | None = None

    @property
    def bound(self) -> bool:
        """Whether the goal is a constraint on covariances, rather than an effect that is dropped."""
        return self.name in GIVEN_Y or (self.name == "parity" and self.at_predict == "without")


@dataclass(frozen=True, eq=False)
class Solution:
    """Coefficients by moment column, shape (p, d_y), and what they are made of.

    `B` has shape (d_v, d_x) with rows for `v`; `effect` holds the coefficients of (s, u, z) before they are
    written in the table's own columns; `cost` is the rise of the mean squared error by y, (d_y,).
    """

    coef: Array
    v: Array
    B: Array
    effect: Array
    cost: Array


def first_stage(F: Array, v: Array, x: Array) -> Array:
    """Regress each x column on all v columns at once; returns B, shape (d_v, d_x).

    Algorithm 1, line 3, on centred columns: without centring the group means stay in u and Theorem 2 does not
    hold (docs/notation.md, reading 5).
    """
    if not len(v):
        return np.zeros((0, len(x)))
    scale = np.linalg.norm(F[:, v], axis=0)
    scale = np.where(scale > 0, scale, 1.0)
    return np.asarray(np.linalg.lstsq(F[:, v] / scale, F[:, x], rcond=None)[0] / scale[:, None])


def residual_rows(F: Array, v: Array, x: Array, B: Array) -> Array:
    """F with u = x - vB in the place of x."""
    out = F.copy()
    out[:, x] -= F[:, v] @ B
    return out


def residual_scatter(S: Array, v: Array, x: Array, B: Array) -> Array:
    """S with u = x - vB in the place of x: what the scatter of the residual rows would be."""
    wide = np.zeros((len(v), len(S)))  # B over all columns: whole-matrix products beat gathers of x
    wide[:, x] = B
    out = S - S[:, v] @ wide
    out -= wide.T @ out[v, :]
    return np.asarray(out)


def residual_moments(m: Moments, v: Array, x: Array, B: Array) -> Moments:
    """Moments of the rows with u = x - (v - v̄)B in the place of x, cell by cell, without a second pass over them."""
    delta = m.delta.copy()
    delta[:, x] -= (m.delta[:, v] - m.total().delta[0, v]) @ B
    scatter = np.stack([residual_scatter(S, v, x, B) for S in m.scatter])
    return Moments(m.names, m.blocks, m.shift.copy(), m.weight.copy(), m.count.copy(), delta, scatter)


@dataclass(frozen=True, eq=False)
class Problem:
    """A goal written as a constrained least squares in the coordinates (s, u, z).

    v, B        stage 1: what is subtracted from x
    free        features without a penalty
    penalised   features with one
    ridge       by moment column: the squared deviation that alpha is multiplied with
    banned      features whose effect is zero when all is removed
    C           constraint C'b = 0 on the effects of (s, u, z), shape (p, k); None where the goal is not one
    H           scatter of the constraint's own columns h, (k, k)
    slack       what C'G^-1 C is increased by where the constraint is a penalty, (k, k)
    drop        where the goal is met by dropping the effect of s instead: "residual" (the coordinates s, u, z),
                "table" (the coordinates s, x, z), or None
    """

    v: Array
    B: Array
    free: Array
    penalised: Array
    ridge: Array
    banned: Array
    C: Array | None
    drop: str | None
    H: Array | None = None
    slack: Array | None = None


def views(S: Array, F: Array, c: Columns, goal: Goal, strata: Array | None) -> list[tuple[Array, Array, Array]]:
    """Where s and the score are to have no covariance: scatters, rows of theirs, and the columns that may explain both.

    `strata` holds the scatter within each class of y, the positive one last; None where y is a number, or has no say.
    """
    if goal.name not in GIVEN_Y:
        return [(S, F, c.z)]
    if strata is None:
        given = np.concatenate([c.z, c.y])
        return [(S, rows_of(S, given), given)]
    if goal.name == "equal_opportunity":
        parts = [strata[-1]]
    else:
        parts = [strata.sum(axis=0)] if goal.pooled else list(strata)
    return [(T, rows_of(T, c.z), c.z) for T in parts]


def net(T: Array, F: Array, given: Array, of: Array) -> Array:
    """Scatter of every column with some, less what `given` explains: T - T_g T_gg^-1 T_g'."""
    out = T[:, of] - T[:, given] @ first_stage(F, given, of)
    out[given] = 0.0  # by construction; rounding there would look like a constraint of its own
    return np.asarray(out)


def pose(S: Array, F: Array, weight: float, c: Columns, goal: Goal, strata: Array | None = None) -> Problem:
    """The goal as a problem: one row of the table in docs/architecture.md each."""
    none = np.zeros(0, dtype=int)
    reading = goal.reading if len(c.z) else "joint"
    v = c.s if reading == "raw" else c.v
    B = first_stage(F, v, c.x)
    ridge = np.diag(S) / weight
    ridge[c.x] = _residual_variance(S, v, c.x, B) / weight
    # A residual that is rounding has no effect to estimate, and dividing by its deviation would invent one.
    alive = c.x[ridge[c.x] > SAME_AS_S * np.diag(S)[c.x] / weight]
    if goal.bound:
        parts = [net(*view, c.s) for view in views(S, F, c, goal, strata)]
        C, H = np.hstack(parts), block_diag(*(part[c.s] for part in parts))
        free, at = (c.s, np.ones(len(v), dtype=bool)) if goal.at_predict == "with" else (none, np.isin(v, c.z))
        v, B = v[at], B[at]
        C[c.x] -= B.T @ C[v]
        slack = None if goal.between is None else H / max(goal.between, EPS)  # so small a penalty is none
        return Problem(v, B, free, np.concatenate([alive, c.z]), ridge, none, C, None, H, slack)
    if goal.name == "discrimination_free":
        return Problem(v, B, c.s, np.concatenate([alive, c.z]), ridge, none, None, "table")
    if reading == "controlled":
        return Problem(v, B, c.v, alive, ridge, none, None, "residual")
    return Problem(v, B, c.s, np.concatenate([alive, c.z]), ridge, c.s, None, None)


def _residual_variance(S: Array, v: Array, x: Array, B: Array) -> Array:
    """The diagonal of `residual_scatter` at x, without the rest of it."""
    return np.asarray(np.diag(S)[x] + ((S[np.ix_(v, v)] @ B - 2.0 * S[np.ix_(v, x)]) * B).sum(axis=0))


def solve(
    S: Array, F: Array, weight: float, c: Columns, goal: Goal, alpha: float, strata: Array | None = None
) -> Solution:
    """Coefficients for one alpha, from rows F with the digits that they hold."""
    problem = pose(S, F, weight, c, goal, strata)
    pushed = residual_rows(F, problem.v, c.x, problem.B)
    use = np.concatenate([problem.free, problem.penalised])
    penalty = np.concatenate([np.zeros(len(problem.free)), alpha * problem.ridge[problem.penalised]])
    C = problem.C
    if len(problem.banned):  # a coefficient that has to be zero is a constraint like any other
        C = np.zeros((len(S), len(problem.banned)))
        C[problem.banned, np.arange(len(problem.banned))] = 1.0
    C = None if C is None else C[use]
    b_u, b_0, lost = constrained(pushed[:, use], pushed[:, c.y], C, penalty, problem.slack)
    t = 1.0 - goal.removal
    effect = np.zeros((len(S), len(c.y)))
    effect[use] = b_0 + t * (b_u - b_0)
    if problem.drop == "residual":
        lost = np.einsum("iq,ij,jq->q", effect[c.s], S[np.ix_(c.s, c.s)], effect[c.s])
        effect[c.s] = t * effect[c.s] + 0.0  # no minus before a zero
    coef = in_table(effect, problem, c)
    if problem.drop == "table":
        lost = np.einsum("iq,ij,jq->q", coef[c.s], S[np.ix_(c.s, c.s)], coef[c.s])
        coef[c.s] = t * coef[c.s] + 0.0
    return Solution(coef, problem.v, problem.B, effect, (1.0 - t) ** 2 * lost / weight)


def constrained(
    Phi: Array, y: Array, C: Array | None, penalty: Array, slack: Array | None = None
) -> tuple[Array, Array, Array]:
    """b_u and b_0, shape (m, d_y), and the price of the constraint in sums of squares, (d_y,).

    By QR of the rows, the penalty as rows below them; in the basis Q the constraint is an orthogonal projection. With `slack` K it
    is a penalty b'C K^-1 C'b, and b_0 = b_u - G^-1 C (C'G^-1 C + K)^-1 C'b_u.
    """
    m = Phi.shape[1]
    if not m:
        return np.zeros((0, y.shape[1])), np.zeros((0, y.shape[1])), np.zeros(y.shape[1])
    rows = np.vstack([Phi, np.diag(np.sqrt(penalty))[penalty > 0]])
    size = np.linalg.norm(rows, axis=0)
    size = np.where(size > 0, size, 1.0)
    Q, R = qr(rows / size, mode="economic", check_finite=False)
    c = Q[: len(Phi)].T @ y
    b_u = solve_triangular(R, c, check_finite=False) / size[:, None]
    if C is None or not C.shape[1]:
        return b_u, b_u, np.zeros(y.shape[1])
    A = solve_triangular(R, C / size[:, None], trans="T", check_finite=False)
    if slack is not None:
        inner = A.T @ A + slack
        unit = np.sqrt(np.maximum(np.diag(inner), TINY))
        pull = A @ (
            np.linalg.pinv(inner / unit[:, None] / unit, hermitian=True) @ ((A.T @ c) / unit[:, None]) / unit[:, None]
        )
        return b_u, solve_triangular(R, c - pull, check_finite=False) / size[:, None], (pull**2).sum(axis=0)
    P = _basis(A)
    blocked = P.T @ c
    if P.shape[1] == m:  # nothing is left: rounding would pass for a score
        return b_u, np.zeros_like(b_u), (blocked**2).sum(axis=0)
    b_0 = solve_triangular(R, c - P @ blocked, check_finite=False) / size[:, None]
    return b_u, b_0, (blocked**2).sum(axis=0)


def _basis(A: Array) -> Array:
    """An orthonormal basis of the columns of A, each scaled to one first: units of s have no say in the rank."""
    size = np.linalg.norm(A, axis=0)
    if not size.any():
        return np.zeros((len(A), 0))
    left, sing, _ = svd(A[:, size > 0] / size[size > 0], full_matrices=False)
    return np.asarray(left[:, sing > SAME_DIRECTION * sing[0]])


def identifiability(F: Array, c: Columns, problem: Problem) -> Array:
    """Canonical correlations of the features with the constraint's columns h, largest first: 1 is free, near 0 is hopeless."""
    assert problem.C is not None
    assert problem.H is not None
    use = np.concatenate([problem.free, problem.penalised])
    pushed = residual_rows(F, problem.v, c.x, problem.B)[:, use]
    size = np.linalg.norm(pushed, axis=0)
    if not pushed.size:  # nothing to tell s by
        return np.zeros(len(problem.H))
    _, sing, right = svd(pushed / np.where(size > 0, size, 1.0), full_matrices=False)
    there = sing > EPS * len(use) * max(sing[0], TINY) if len(sing) else sing > 0
    shown = (right[there] / sing[there, None]) @ (problem.C[use] / np.where(size > 0, size, 1.0)[:, None])
    unit = np.sqrt(np.maximum(np.diag(problem.H), 0.0))
    some = unit > 0
    values, vectors = eigh(problem.H[np.ix_(some, some)] / unit[some, None] / unit[some])
    live = values > SAME_DIRECTION * max(values[-1], TINY) if len(values) else values > 0
    shown = shown[:, some] / unit[some] @ (vectors[:, live] / np.sqrt(values[live]))
    found = np.zeros(int(live.sum()))
    if shown.size:
        rho = svd(shown, compute_uv=False)
        found[: len(rho)] = np.minimum(rho, 1.0)
    return found


def in_table(effect: Array, problem: Problem, c: Columns) -> Array:
    """Coefficients of (s, u, z) written in the table's own columns: u = x - vB, so v takes up -B times u's."""
    coef = effect.copy()
    coef[problem.v] -= problem.B @ effect[c.x]
    return coef
