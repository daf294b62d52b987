"""Folds: which one a row is in, and the error of every fold under every penalty, from moments alone.

Training moments of fold k are the total minus cell k. Stage 1, deviations and coefficients are fitted on them
anew, so nothing leaks. Each fold reduces its penalised block to a tridiagonal matrix once; a thousand alphas
then cost little more than ten.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import lapack

from twosdr.moments import EPS, Cells, Moments
from twosdr.solve import Columns, Goal, Problem, pose, residual_scatter, rows_of
from twosdr.tables import Array, Column


def fold_of_rows(start: int, stop: int, n_folds: int) -> Array:
    """The folds of rows start..stop: a 64-bit mix (splitmix64) of the row's number, modulo n_folds.

    A row's fold depends on its number alone, so chunks, files and later calls agree about it; and neighbouring rows
    are spread, so a sorted table makes no odd folds.
    """
    return np.asarray(mix(np.arange(start, stop, dtype=np.uint64)) % np.uint64(n_folds))


def fold_of_keys(column: Column, n_folds: int) -> Array:
    """The folds of rows by the value of a column: a hash of the value alone, so that order and cutting have no say."""
    if column.levels is None:
        # Equal numbers fall together whatever their dtype; -0.0 and 0.0 are equal.
        hashes = mix((np.asarray(column.values, dtype=np.float64) + 0.0).view(np.uint64))
    else:
        words = [hashlib.blake2b(repr(level).encode(), digest_size=8).digest() for level in (*column.levels, None)]
        hashes = np.array([int.from_bytes(word, "little") for word in words], dtype=np.uint64)[column.values]
    return np.asarray(hashes % np.uint64(n_folds))


def mix(numbers: Array) -> Array:
    """splitmix64: every bit of the result depends on every bit of the number."""
    h = numbers + np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB), (31, 1)):
        h ^= h >> np.uint64(shift)
        h *= np.uint64(factor)
    return h


def merged(m: Moments, into: Array, n: int) -> Moments:
    """Cells added up: cell k goes into the new cell into[k]."""
    sums = Cells(m.names, m.blocks, n, m.shift)
    for k, new in enumerate(into):
        sums.merge(int(new), m.weight[k], m.count[k], m.delta[k], m.scatter[k])
    return sums.freeze()


def by_class(m: Moments, strata: int) -> Moments:
    """Cells of fold and class (class fastest) added up over folds: one cell a class."""
    return m if m.n_cells == strata else merged(m, np.arange(m.n_cells) % strata, strata)


def by_fold(m: Moments, strata: int) -> Moments:
    """Cells of fold and class added up over classes: one cell a fold."""
    return m if strata == 1 else merged(m, np.arange(m.n_cells) // strata, m.n_cells // strata)


def fold_coefficients(
    m: Moments, c: Columns, goal: Goal, alphas: Array, whole: Moments, strata: int = 1
) -> Iterator[tuple[int, Moments, Array]]:
    """For each fold that can be tested: its number, the moments of the other folds, and the coefficients that they give."""
    rests = _rests(m, whole, strata)
    if rests:
        setups = [_fold(*rest, c, goal) for rest in rests.values()]
        paths = _paths(setups, c, goal, alphas)
        yield from ((k, rest, coef) for (k, (rest, _)), coef in zip(rests.items(), paths, strict=True))


def rests_by_class(m: Moments, strata: int) -> dict[int, Moments]:
    """The moments of the other folds, one cell a class, for each fold that has rows and leaves some."""
    whole, found = by_class(m, strata), {}
    for k in range(m.n_cells // strata):
        own = slice(k * strata, (k + 1) * strata)
        if m.count[own].any():
            rest = whole.without(
                Moments(m.names, m.blocks, m.shift, m.weight[own], m.count[own], m.delta[own], m.scatter[own])
            )
            if rest.count.any():
                found[k] = rest
    return found


def _rests(m: Moments, whole: Moments, strata: int) -> dict[int, tuple[Moments, Array | None]]:
    """The moments of the other folds, and their scatters by class, for each fold that has rows and leaves some.

    Beside a weight of 1 all weights of 1e-300 together are nothing, so it is the difference that says whether rows are left.
    """
    if strata > 1:
        return {k: (rest.total(), rest.scatter) for k, rest in rests_by_class(m, strata).items()}
    rests = {k: whole.without(m.cell(k)) for k in range(m.n_cells) if m.count[k] > 0}
    return {k: (rest, None) for k, rest in rests.items() if rest.count[0] > 0}


def fold_errors(
    m: Moments, c: Columns, goal: Goal, alphas: Array, whole: Moments | None = None, strata: int = 1
) -> Array:
    """Mean squared error of each fold (cell) under each alpha, shape (K, A, d_y); NaN for a fold without rows.

    Stage 1, deviations and coefficients are fitted on the other folds; with a = [-intercept, -coef, 1] the error is the
    quadratic form a'M_k a of the fold's own moments. With `strata` classes the cells are fold by class, class fastest.
    """
    whole = m.total() if whole is None else whole
    rests = _rests(m, whole, strata)
    m = by_fold(m, strata)
    errors = np.full((m.n_cells, len(alphas), len(c.y)), np.nan)
    if not rests:
        return errors
    used = list(rests)
    setups = [_fold(*rest, c, goal) for rest in rests.values()]
    a = np.empty((len(used), len(m.names), len(alphas), len(c.y)))
    for k, coef in enumerate(_paths(setups, c, goal, alphas)):
        np.negative(coef, out=a[k])
    a[:, c.y, :, np.arange(len(c.y))] += 1.0
    gap = m.delta[used] - np.stack([fold.delta for fold in setups])
    flat = a.reshape(*a.shape[:2], len(alphas) * len(c.y))
    squares = (flat * (m.scatter[used] @ flat)).sum(axis=1) / m.weight[used, None]
    errors[used] = (squares + (gap[:, None, :] @ flat)[:, 0] ** 2).reshape(len(used), *errors.shape[1:])
    return errors


@dataclass(frozen=True, eq=False)
class _Fold:
    """One training part, its penalised block reduced to a tridiagonal matrix."""

    delta: Array
    problem: Problem
    shrink: Array  # one over the deviations of the penalised features, 0 for one without spread
    eliminate: Array  # (d_free, m): free coefficients given the penalised ones
    free: Array  # (d_free, r): free coefficients when the penalised ones are zero
    reflectors: tuple[Array, Array]
    diagonal: Array
    beside: Array
    right: Array  # (m, r): right-hand sides in the tridiagonal basis


def _fold(rest: Moments, strata: Array | None, c: Columns, goal: Goal) -> _Fold:
    S, weight = rest.scatter[0], float(rest.weight[0])
    problem = pose(S, rows_of(S, c.v), weight, c, goal, strata)
    T = residual_scatter(S, problem.v, c.x, problem.B)
    if len(problem.banned):
        # Zero coefficients are left out; those that are only shrunk are a second fit, and the two are mixed later.
        problem = _banning(problem, goal.removal, len(S))
    f, pen = problem.free, problem.penalised
    right = T[:, c.y]
    if problem.C is not None:
        right = np.hstack([right, problem.C])
    inverse = _scaled_inverse(T[np.ix_(f, f)])
    eliminate, free = inverse @ T[np.ix_(f, pen)], inverse @ right[f]
    G = T[np.ix_(pen, pen)]
    rhs = right[pen]
    if len(f):
        G -= T[np.ix_(pen, f)] @ eliminate
        rhs -= eliminate.T @ right[f]
    size = np.sqrt(np.maximum(problem.ridge[pen], 0.0))
    shrink = np.divide(1.0, size, out=np.zeros_like(size), where=size > 0)  # no spread: no effect
    G *= shrink[:, None]
    G *= shrink
    rhs *= shrink[:, None]
    packed, diagonal, beside, tau = _tridiagonal(G)
    return _Fold(
        rest.delta[0],
        problem,
        shrink,
        eliminate,
        free,
        (packed, tau),
        diagonal,
        beside,
        _rotate(packed, tau, rhs, "T"),
    )


def _banning(problem: Problem, removal: float, p: int) -> Problem:
    if removal == 1.0:
        kept = sorted(set(problem.free.tolist()) - set(problem.banned.tolist()))
        return replace(problem, free=np.array(kept, dtype=int), banned=problem.banned[:0])
    only = np.zeros((p, len(problem.banned)))
    only[problem.banned, np.arange(len(problem.banned))] = 1.0
    return replace(problem, C=only)


def _scaled_inverse(G: Array) -> Array:
    if not len(G):
        return G
    size = np.sqrt(np.maximum(np.diag(G), 0.0))
    size = np.where(size > 0, size, 1.0)
    return np.asarray(np.linalg.pinv(G / size[:, None] / size[None, :], hermitian=True) / size[:, None] / size[None, :])


def _tridiagonal(G: Array) -> tuple[Array, Array, Array, Array]:
    m = len(G)
    if m < 2:
        return G, np.diag(G).copy(), np.zeros(0), np.zeros(0)
    work = int(lapack.dsytrd_lwork(m, lower=1)[0])
    packed, diagonal, beside, tau, info = lapack.dsytrd(G, lower=1, lwork=work)
    assert info == 0
    return packed, diagonal, beside, tau


def _rotate(packed: Array, tau: Array, vectors: Array, trans: str) -> Array:
    """Q'vectors (trans="T") or Q vectors; Q acts on all coordinates but the first, as dsytrd leaves it."""
    if not len(tau) or not vectors.size:
        return vectors
    inner = packed[1:, :-1]
    if vectors.shape[1] > len(
        inner
    ):  # many vectors: one product with Q itself outruns its reflectors one after the other
        Q = lapack.dorgqr(inner, tau)[0]
        return np.vstack([vectors[:1], (Q.T if trans == "T" else Q) @ vectors[1:]])
    out = np.array(vectors, order="F")
    out[1:] = lapack.dormqr("L", trans, inner, tau, out[1:], 64 * out.shape[1])[0]
    return out


def _paths(folds: list[_Fold], c: Columns, goal: Goal, alphas: Array) -> Iterator[Array]:
    """For each fold its coefficients in the table's columns, shape (p, A, d_y)."""
    p, q, A = len(folds[0].delta), len(c.y), len(alphas)
    solved = _solve_tridiagonal(folds, alphas)
    for k, fold in enumerate(folds):
        problem, m = fold.problem, len(fold.diagonal)
        effects = (
            _rotate(*fold.reflectors, solved[:m, k].reshape(m, A * fold.right.shape[1]), "N") * fold.shrink[:, None]
        )
        b = np.zeros((p, A, fold.right.shape[1]))
        b[problem.penalised] = effects.reshape(m, A, fold.right.shape[1])
        if len(problem.free):
            b[problem.free] = fold.free[:, None, :] - (fold.eliminate @ effects).reshape(
                len(problem.free), A, fold.right.shape[1]
            )
        coef = b[:, :, :q]
        if problem.C is not None:
            coef = coef - goal.removal * _correction(b, problem.C, q, problem.slack)
        if problem.drop == "residual":
            coef[c.s] *= 1.0 - goal.removal
        coef[problem.v] -= (problem.B @ coef[c.x].reshape(len(c.x), A * q)).reshape(len(problem.v), A, q)
        if problem.drop == "table":
            coef[c.s] *= 1.0 - goal.removal
        yield coef


def _correction(b: Array, C: Array, q: int, slack: Array | None = None) -> Array:
    """G^-1 C (C'G^-1 C + slack)^+ C'b_u for every alpha, from b = [b_u, G^-1 C]."""
    CG = np.moveaxis(np.tensordot(C.T, b, axes=1), 1, 0)  # (A, k, q + k)
    if slack is not None:
        CG[:, :, q:] += slack
    size = np.sqrt(np.maximum(np.einsum("akk->ak", CG[:, :, q:]), 0.0))
    size = np.where(size > 0, size, 1.0)
    inner = np.linalg.pinv(CG[:, :, q:] / size[:, :, None] / size[:, None, :], hermitian=True, rcond=1e-12)
    weights = (inner @ (CG[:, :, :q] / size[:, :, None])) / size[:, :, None]
    return np.asarray(np.einsum("pak,akq->paq", b[:, :, q:], weights))


def _solve_tridiagonal(folds: list[_Fold], alphas: Array) -> Array:
    """(T + alpha I)^-1 right for all folds and alphas at once, shape (m, K, A, r): LDL', one row at a time."""
    K, A, r, widest = len(folds), len(alphas), folds[0].right.shape[1], max(len(f.diagonal) for f in folds)
    diagonal, beside, w = np.ones((widest, K)), np.zeros((widest, K)), np.zeros((widest, K, A, r))
    for k, f in enumerate(folds):
        diagonal[: len(f.diagonal), k], beside[: len(f.beside), k] = f.diagonal, f.beside
        w[: len(f.right), k] = f.right[:, None, :]
    pivots = np.zeros((widest, K, A))
    floor = widest * EPS * np.abs(diagonal).max(axis=0, initial=0.0)[:, None]
    safe = bool((alphas > floor).all())  # every pivot is at least alpha
    before = np.zeros((K, A))
    for i in range(widest):
        pivot = diagonal[i][:, None] + alphas
        if i:
            step = beside[i - 1][:, None] * before
            pivot = pivot - step * beside[i - 1][:, None]
            w[i] -= step[:, :, None] * w[i - 1]
        # Without a penalty a pivot can vanish: a direction without spread, whose coefficient is zero.
        before = 1.0 / pivot if safe else np.divide(1.0, pivot, out=np.zeros_like(pivot), where=pivot > floor)
        pivots[i] = before
    for i in range(widest - 1, -1, -1):
        if i < widest - 1:
            w[i] -= beside[i][:, None, None] * w[i + 1]
        w[i] *= pivots[i][:, :, None]
    return w
