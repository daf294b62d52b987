"""Any linear estimator under a constraint: fitted on the directions of the features in which none of it shows.

The columns that predict may use are standardised, and rotated into N, an orthonormal basis of what C' sends to zero. A linear
function of (features) N has no covariance with the constraint's columns, whatever the loss and the penalty that chose it. A
non-linear one has, so it is refused.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from copy import deepcopy
from typing import Any

import numpy as np
from scipy.linalg import svd
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from twosdr import levels
from twosdr.engines import memory
from twosdr.errors import ParameterError, TableError
from twosdr.estimators._reading import check_jobs
from twosdr.model import Affine
from twosdr.moments import Moments
from twosdr.roles import check_rows
from twosdr.solve import SAME_DIRECTION, Columns, Goal, decide_rank, net, rows_of, views
from twosdr.tables import Array, Target

STRAIGHT = 1e-6  # deviations by which a linear score may miss the line through two others: solvers' and links' rounding
LINES = 500  # pairs of rows that are looked along


class Whole:
    """One fold: nothing is chosen by cross-validation here."""

    cell_of = None
    n = 1


class Linear:
    """What `estimator=` does for goals other than parity with s at prediction."""

    def _fit_linear(
        self, X: Any, y: Any, target: Target, weight: Array | None, sensitive_features: Any, explanatory_features: Any
    ) -> None:
        me: Any = self
        if me.goal == "discrimination_free":
            raise ParameterError(
                "A wrapped estimator has no goal='discrimination_free': dropping the coefficient of s is defined for least squares. "
                "Leave estimator out."
            )
        if not isinstance(levels.level(me.removal), float):
            raise ParameterError(
                f"removal={me.removal!r} is turned into a number by the closed form. With estimator= give the number."
            )
        table = me._read_fit(X, sensitive_features, explanatory_features, weight, me._target_names)
        check_rows(table, least=2, weight=weight)
        goal = me._question()
        if goal.between is not None:
            raise ParameterError("between= is defined for the closed form. Leave estimator out, or between.")
        source = me._gather(table, target, weight, **me._celled(Whole, target))
        cells = memory.moments(source, n_jobs=check_jobs(me.n_jobs))
        me._refuse_infinite(table, cells)
        whole, apart = cells.total(), me._classes_apart(cells)
        rank = decide_rank(whole, me.roles_.references(whole.mean[0]), penalised=True, reading="joint")
        me._say_what_went(whole, rank, False)
        F = rows_of(whole.scatter[0], rank.columns.features)
        goal = me._settle(F, whole, apart, rank.columns, goal, False)
        me._warn_of_weak(goal, None)
        me.removal_ = goal.removal
        p = len(me.roles_.names)
        units, free = directions(whole, rank.columns, goal, None if apart is None else apart.scatter)
        if not free.shape[1]:
            raise TableError(
                f"Nothing is left to fit {type(me.estimator).__name__} on: {units.shape[1]} features, and as many constraints "
                f"for goal={goal.name!r}."
            )
        if me.handle_missing != "error" or me.handle_unknown != "error":
            me.roles_ = me.roles_.with_fill(whole.mean[0, :p])
        me._absent = tuple(np.array(me.roles_.names)[whole.mean[0, :p] <= 0])
        me.needs_sensitive_ = goal.at_predict == "with"
        weights = {} if weight is None else {"sample_weight": weight}
        me.basis_ = _centred(whole, (units @ free)[:p])
        rows = me._through_basis(table)
        bound = self._try(rows, y, weights)
        me.estimator_ = bound
        if goal.removal < 1.0:
            me.basis_ = _centred(whole, units[:p])
            plain_rows = me._through_basis(table)
            me.estimator_ = _mixed(bound, self._try(plain_rows, y, weights), free, 1.0 - goal.removal)
            self._refuse_bent(me.estimator_, plain_rows)
        if hasattr(me.estimator_, "coef_"):
            inner = np.atleast_2d(me.estimator_.coef_)
            coef = me.basis_.coef @ inner.T
            at_zero = np.ravel(me.estimator_.intercept_) + inner @ me.basis_.intercept
            one = coef.shape[1] == 1
            me.encoded_names_ = np.array(me.roles_.names, dtype=object)
            me.coef_, me.intercept_ = (coef[:, 0], float(at_zero[0])) if one else (coef.T, at_zero)

    def _try(self, rows: Array, y: Any, weights: dict[str, Any]) -> Any:
        me: Any = self
        name = type(me.estimator).__name__
        try:
            fitted = clone(me.estimator).fit(rows, y, **weights)
        except (ValueError, TypeError) as trouble:
            raise ParameterError(f"{name} could not be fitted on {rows.shape[1]} directions: {trouble}") from trouble
        self._refuse_bent(fitted, rows)
        return fitted

    def _refuse_bent(self, fitted: Any, rows: Array) -> None:
        """A score that leaves the line through two rows is not linear, and covariance with s would come back through the bend."""
        me: Any = self
        score = _score(fitted, hasattr(me, "classes_"))
        name = type(fitted).__name__
        bent = score is None
        if score is not None:
            first, last = rows[:LINES], rows[::-1][:LINES]
            a, b, beyond = (np.asarray(score(r), dtype=float) for r in (first, last, 2.0 * first - last))
            unit = max(float(np.std(np.concatenate([a, b]), axis=0).max()), 1e-300)
            bent = bool((abs(beyond - (2.0 * a - b)) > STRAIGHT * unit + 1e-12 * abs(beyond).max()).any())
        if bent:
            raise ParameterError(
                f"A wrapped estimator has to be linear for goal={me.goal!r} with at_predict={me.at_predict!r}, and the score of {name} is "
                "not: a function that bends brings back the covariance that the directions it was fitted on lack. Use a linear one "
                "(LogisticRegression, LinearSVC, Ridge, Lasso), or goal='parity' with at_predict='with'."
            )

    def _through_basis(self, table: Any) -> Array:
        me: Any = self
        out = np.empty((table.n_rows, me.basis_.coef.shape[1]))
        for rows, block in me._encoded_blocks(table):
            out[rows] = me.basis_(block)
        if not np.isfinite(out).all():
            me.roles_.refuse_missing_numbers(table, needs_s=me.needs_sensitive_)
            if not me.needs_sensitive_:
                return self._through_basis(table.without(me.roles_.columns("s")))
        return out

    def _on_directions(self, method: str, X: Any, beside: dict[str, Any]) -> Any:
        """A method of the wrapped estimator, on the directions of X."""
        me: Any = self
        check_is_fitted(me)
        table = me._read_new(X, **beside, needs_s=me.needs_sensitive_, target=me._target_names)
        return getattr(me.estimator_, method)(self._through_basis(table))


def directions(whole: Moments, c: Columns, goal: Goal, strata: Array | None) -> tuple[Array, Array]:
    """The features in units of their deviations, (p, d), and the basis N of those directions that the constraint leaves, (d, m)."""
    S, W = whole.scatter[0], float(whole.weight[0])
    f = np.concatenate([c.z, c.x]) if goal.at_predict == "without" else c.features
    size = np.sqrt(np.diag(S)[f] / W)
    units = np.zeros((len(S), len(f)))
    units[f, np.arange(len(f))] = 1.0 / size
    parts = [net(*view, c.s)[f] for view in views(S, rows_of(S, c.v), c, goal, strata)]
    C = np.hstack(parts) / size[:, None]
    length = np.linalg.norm(C, axis=0)
    C = C[:, length > 0] / length[length > 0]
    if not C.shape[1]:
        return units, np.eye(len(f))
    left, sing, _ = svd(C)
    return units, np.asarray(left[:, int((sing > SAME_DIRECTION * sing[0]).sum()) :])


def _centred(whole: Moments, coef: Array) -> Affine:
    """The map with these coefficients that takes the mean of the rows to zero."""
    m = whole.select(np.arange(len(coef)))
    through = Affine.through_means(m, np.zeros((len(coef), 0)))
    gap = (m.shift - through.origin) + m.delta[0]
    return Affine(m.names, np.ascontiguousarray(coef), -(gap @ coef), through.origin)


def _score(fitted: Any, decides: bool) -> Any:
    return getattr(fitted, "decision_function" if decides else "predict", None)


def _mixed(bound: Any, plain: Any, free: Array, t: float) -> Any:
    """The linear model (1 - t) bound + t plain, in the features of the plain one."""
    if not (hasattr(bound, "coef_") and hasattr(plain, "coef_")):
        raise ParameterError(
            f"removal below 1 mixes two linear models by their coef_, which {type(bound).__name__} does not have. Use removal=1, or "
            "wrap its last step."
        )
    out = deepcopy(plain)
    one = np.asarray(bound.coef_, dtype=float) @ free.T
    out.coef_ = (1.0 - t) * one + t * np.asarray(plain.coef_, dtype=float)
    out.intercept_ = (1.0 - t) * np.asarray(bound.intercept_) + t * np.asarray(plain.intercept_)
    return out
