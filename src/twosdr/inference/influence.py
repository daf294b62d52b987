"""How far one row moves every coefficient, and from that their covariance.

A constrained fit solves G b + C λ = c, C'b = 0. Row i, with F̃ and ỹ centred, h the constraint's columns and F̌ the features
centred on what the constraint holds fixed (a class of y, what z explains), moves (b, λ) by M^-1 ψ_i, M = [[G, C], [C', 0]]:

    ψ_i = ( F̃_i (ỹ_i - F̃_i'b) - F̌_i h_i'λ ;  - h_i F̌_i'b )

Between two levels the influence is the mixture that the coefficients are. Where stage 2 runs on residuals of stage 1 (the raw
reading, a wrapped least squares) the regressor is generated, and B's own influence joins. The covariance is that of the mean of
influences, robust to unequal variances; summed within clusters first, to dependence within them. One more pass over the rows.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from twosdr.moments import Moments
from twosdr.solve import GIVEN_Y, Columns, Goal, first_stage, net, rows_of, views
from twosdr.tables import Array

Influence = Callable[[Array, Array], Array]


def of_fit(fit: Moments, c: Columns, goal: Goal, coef: Array) -> Influence:
    """Influence of rows on (coef of every table column, intercept), shape (n, p + 1), for a fit without a penalty.

    `fit` has one cell, or one for each class of y; `coef` (p,) over the table's columns. The function takes rows of all moment
    columns less their training means, and their cells.
    """
    whole = fit.total()
    S, W, p = whole.scatter[0] / whole.weight[0], float(whole.weight[0]), len(coef)
    apart = fit.delta - whole.delta[0]  # means of the cells, about the common mean
    blind = goal.bound and goal.at_predict == "without"
    f, y, t = (np.concatenate([c.z, c.x]) if blind else c.features), int(c.y[0]), 1.0 - goal.removal
    F = rows_of(whole.scatter[0], c.features)
    G_inverse = _inverse(S[np.ix_(f, f)])
    b_u = G_inverse @ S[f, y]

    def least_squares(d: Array) -> Array:
        return np.asarray((d[:, f] * (d[:, y] - d[:, f] @ b_u)[:, None]) @ G_inverse)

    if goal.name == "discrimination_free":
        keep = np.where(np.isin(f, c.s), t, 1.0)
        return _with_intercept(lambda d, _: least_squares(d) * keep, f, y, coef, whole.mean[0, :p])
    if goal.name == "parity" and not blind and (goal.reading == "controlled" or not len(c.z)):
        V_inverse = _inverse(S[np.ix_(c.v, c.v)])
        b_v = V_inverse @ S[c.v, y]
        at_s = np.flatnonzero(np.isin(f, c.s))

        def dropped(d: Array, _: Array) -> Array:
            out = least_squares(d)
            moved = (d[:, c.v] * (d[:, y] - d[:, c.v] @ b_v)[:, None]) @ V_inverse
            out[:, at_s] -= (1.0 - t) * moved[:, : len(c.s)]
            return out

        return _with_intercept(dropped, f, y, coef, whole.mean[0, :p])
    if goal.name == "parity" and goal.reading == "raw":
        removed = _generated(S, F, c, f)
    else:
        removed = _constrained(S, F, W, c, goal, fit.scatter if fit.n_cells > 1 else None, apart, f, G_inverse, b_u)
    return _with_intercept(
        lambda d, cell: (1.0 - t) * removed(d, cell) + t * least_squares(d), f, y, coef, whole.mean[0, :p]
    )


def _constrained(
    S: Array,
    F: Array,
    W: float,
    c: Columns,
    goal: Goal,
    strata: Array | None,
    apart: Array,
    f: Array,
    G_inverse: Array,
    b_u: Array,
) -> Influence:
    """The sandwich of the module's docstring, for b_0 over the columns f."""
    every, y = np.arange(len(S)), int(c.y[0])
    given_y = goal.name in GIVEN_Y and strata is not None
    parts = []
    for k, (T, rows, given) in enumerate(views(S * W, F, c, goal, strata)):
        away = first_stage(rows, given, every)
        own = None if not given_y or goal.pooled else len(apart) - 1 if goal.name == "equal_opportunity" else k
        parts.append((given, away, own, net(T, rows, given, c.s)[f] / W))
    C = np.hstack([part[3] for part in parts])
    pull = G_inverse @ C
    inner = _inverse(C.T @ pull)
    price = inner @ C.T @ b_u
    b_0 = b_u - pull @ price

    def removed(d: Array, cell: Array) -> Array:
        score = (d[:, f] * (d[:, y] - d[:, f] @ b_0)[:, None]) @ G_inverse
        bound = []
        for j, (given, away, own, _) in enumerate(parts):
            net_rows = d - apart[cell] if given_y else d.copy()
            net_rows -= net_rows[:, given] @ away
            if own is not None:
                net_rows[cell != own] = 0.0
            h, features = net_rows[:, c.s], net_rows[:, f]
            score -= (features * (h @ price[j * len(c.s) : (j + 1) * len(c.s)])[:, None]) @ G_inverse
            bound.append(-h * (features @ b_0)[:, None])
        return np.asarray(score - (score @ C - np.hstack(bound)) @ inner @ pull.T)

    return removed


def _generated(S: Array, F: Array, c: Columns, f: Array) -> Influence:
    """The raw reading: y on (u, z) with u = x - sB, written in the table's columns f."""
    stage = stage_2(S, F, c.s, c.x, c.z, int(c.y[0]))
    B, at = first_stage(F, c.s, c.x), {int(j): i for i, j in enumerate(f)}
    of_s, of_x, of_z = ([at[int(j)] for j in block] for block in (c.s, c.x, c.z))
    P, beta = _inverse(S[np.ix_(c.s, c.s)]), stage.effect[: len(c.x)]

    def removed(d: Array, _: Array) -> Array:
        moved = stage(d)
        u = d[:, c.x] - d[:, c.s] @ B
        out = np.zeros((len(d), len(f)))
        out[:, of_x], out[:, of_z] = moved[:, : len(c.x)], moved[:, len(c.x) :]
        out[:, of_s] = -moved[:, : len(c.x)] @ B.T - (d[:, c.s] @ P) * (u @ beta)[:, None]
        return out

    return removed


@dataclass(frozen=True, eq=False)
class Stage2:
    """Influence on the effects of (u, z) in y ~ 1 + u + z, where u = x - vB was itself estimated.

    ψ_i = A^-1 [ r_i ε_i - (u_i v_i'δ ; 0) + E[r v'] P v_i u_i'β ],   A = E[r r'], P = E[v v']^-1, δ = P E[v ε]
    """

    v: Array
    x: Array
    z: Array
    y: int
    B: Array
    A_inverse: Array
    P: Array
    delta: Array
    cross: Array
    effect: Array

    def __call__(self, d: Array) -> Array:
        u = d[:, self.x] - d[:, self.v] @ self.B
        r = np.hstack([u, d[:, self.z]])
        score = r * (d[:, self.y] - r @ self.effect)[:, None]
        score[:, : len(self.x)] -= u * (d[:, self.v] @ self.delta)[:, None]
        moved = (d[:, self.v] @ self.P) * (u @ self.effect[: len(self.x)])[:, None]
        return np.asarray((score + moved @ self.cross.T) @ self.A_inverse)


def stage_2(S: Array, F: Array, v: Array, x: Array, z: Array, y: int) -> Stage2:
    """Least squares of y on (u, z), from covariances S."""
    B = first_stage(F, v, x)
    turn = np.zeros((len(S), len(x) + len(z)))  # r = d @ turn
    turn[x, np.arange(len(x))] = 1.0
    turn[v, : len(x)] -= B
    turn[z, len(x) + np.arange(len(z))] = 1.0
    A_inverse = _inverse(turn.T @ S @ turn)
    effect = A_inverse @ turn.T @ S[:, y]
    P, cross = _inverse(S[np.ix_(v, v)]), turn.T @ S[:, v]
    return Stage2(v, x, z, y, B, A_inverse, P, P @ (S[v, y] - cross.T @ effect), cross, effect)


def _with_intercept(moves: Influence, f: Array, y: int, coef: Array, mean: Array) -> Influence:
    """Influence over all of the table's columns, and on the intercept, which is what the means leave."""

    def full(d: Array, cell: Array) -> Array:
        out = np.zeros((len(d), len(coef) + 1))
        out[:, f] = moves(d, cell)
        out[:, -1] = d[:, y] - d[:, : len(coef)] @ coef - out[:, :-1] @ mean
        return out

    return full


def _inverse(A: Array) -> Array:
    unit = np.sqrt(np.maximum(np.diag(A), 1e-300))
    return np.asarray(np.linalg.pinv(A / unit[:, None] / unit, hermitian=True, rcond=1e-13) / unit[:, None] / unit)
