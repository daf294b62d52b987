"""Residualizer: stage 1 alone, as a transformer."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from typing import Any, Self

import numpy as np
from scipy.linalg.blas import dgemm
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from twosdr import tables
from twosdr.engines import memory
from twosdr.errors import (
    ColumnError,
    DegenerateWarning,
    DroppedColumnWarning,
    KindError,
    ParameterError,
    TableError,
    listing,
    warn,
)
from twosdr.estimators._groups import Groups, group_column
from twosdr.estimators._reading import (
    RolesMixin,
    check_choice,
    check_jobs,
    check_removal,
    warn_of_dropped,
    warn_of_near_copies,
)
from twosdr.moments import Moments
from twosdr.roles import Roles
from twosdr.solve import SAME_AS_S, Columns, decide_rank, first_stage, residual_scatter, rows_of
from twosdr.tables import Array, Table


class Residualizer(RolesMixin, TransformerMixin, BaseEstimator):
    """What is left of every ordinary column once a regression on s is taken off: u = x - (v - v̄)B.

    The output columns are u(name) for every encoded column of x, in the table's order, and then z. Training
    residuals have no covariance with s. A drop-in for fairlearn's CorrelationRemover: with one numeric s and no z the numbers are the same.

    Parameters
    ----------
    sensitive, explanatory, drop : names, indices, mask, callable or column selector
        The roles of X's columns; every other column is an ordinary one, x.
    removal : float from 0 to 1
        How much to take off: 1 all of (v - v̄)B, 0 nothing.
    explanatory_mode : "joint" or "raw", optional
        With explanatory columns, whether x is regressed on (s, z) or on s alone. By default joint.
    variance_correction : bool or name of a sensitive column
        Scale each u, group by group, to its pooled training deviation, and drop columns of x that are constant within a group
        (the paper's experiments). It depends on how categories are coded, and is not a gain in general.
    handle_unknown : "error" or "mean"; handle_missing : "error", "mean" or "category"
        What a level that training did not see, or a missing value, is answered with.
    max_levels : int
        A category with more levels than this is refused.
    n_jobs : int, optional
        Worker threads of our own.

    Attributes
    ----------
    B_, B_names_ : stage 1, (columns of s, then z) x (columns of x), and their names
    dropped_ : columns left out, and why
    roles_, moments_ : the roles as understood; the sums that B was made from (personal data)

    Examples
    --------
    >>> from twosdr import Residualizer
    >>> X = {"sex": ["f", "m", "f", "m"], "skill": [1.0, 2.0, 3.0, 6.0]}
    >>> Residualizer(sensitive="sex").fit_transform(X).ravel().tolist()
    [2.0, 1.0, 4.0, 5.0]
    """

    def __init__(
        self,
        *,
        sensitive: Any = (),
        explanatory: Any = (),
        drop: Any = (),
        removal: float = 1.0,
        explanatory_mode: str | None = None,
        variance_correction: bool | str = False,
        handle_unknown: str = "error",
        handle_missing: str = "error",
        max_levels: int = 1000,
        n_jobs: int | None = None,
    ) -> None:
        self.sensitive = sensitive
        self.explanatory = explanatory
        self.drop = drop
        self.removal = removal
        self.explanatory_mode = explanatory_mode
        self.variance_correction = variance_correction
        self.handle_unknown = handle_unknown
        self.handle_missing = handle_missing
        self.max_levels = max_levels
        self.n_jobs = n_jobs

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        sensitive_features: Any = None,
        explanatory_features: Any = None,
    ) -> Self:
        """Learn B from the moments of one pass; y is not looked at."""
        self._fit(
            X,
            sample_weight,
            {"sensitive_features": sensitive_features, "explanatory_features": explanatory_features},
            (),
        )
        return self

    def _fit(self, X: Any, sample_weight: Any, beside: dict[str, Any], target: tuple[str, ...]) -> None:
        table = tables.read(X)
        if table.sparse is not None:
            raise KindError(
                "X is a sparse matrix, and residuals u = x - (v - v̄)B are dense. The closed form (TwoStageRegressor without estimator=) "
                "keeps x sparse; here pass X.toarray() if it fits in memory."
            )
        weight = tables.weights(sample_weight, table.n_rows)
        table = self._read_fit(table, **beside, weight=weight, target=target)
        removal = check_removal(self.removal)
        check_choice("explanatory_mode", self.explanatory_mode, (None, "joint", "raw"))
        if self.explanatory_mode is not None and not self.roles_.columns("z"):
            raise ParameterError(
                f"explanatory_mode={self.explanatory_mode!r} has no effect without explanatory columns."
            )
        if removal < 1.0 and not self.roles_.columns("s") and not self.roles_.columns("z"):
            raise ParameterError("removal has no effect without sensitive columns. Name some, or leave it out.")
        self._groups = self._find_groups(table)
        cells: dict[str, Any] = {}
        if self._groups is not None:
            cells = {"cell_of": self._groups.reader(table, self.roles_), "n_cells": self._groups.n}
        m = memory.moments(self._gather(table, None, weight, **cells), n_jobs=check_jobs(self.n_jobs))
        self._refuse_infinite(table, m)
        self._learn(m, removal)

    def _find_groups(self, table: Table) -> Groups | None:
        if self.variance_correction is False:
            return None
        name = group_column(table, self.roles_, self.variance_correction)
        return Groups.of(table, self.roles_, name)

    def _learn(self, m: Moments, removal: float) -> None:
        whole = m.total()
        rank = decide_rank(whole, self.roles_.references(whole.mean[0]), penalised=True, reading="controlled")
        self.dropped_ = warn_of_dropped(self.roles_, rank, whole.names)
        c = rank.columns
        as_s = np.array([j for j, why in rank.dropped.items() if why == "explained by s"], dtype=int)
        if not len(c.x) and len(as_s):
            warn(
                f"s explains every column of x ({int(whole.count[0])} rows, {len(c.s)} independent sensitive columns): u is constant.",
                DegenerateWarning,
            )
            for j in as_s:
                del self.dropped_[whole.names[j]]
            c = Columns(c.s, c.z, np.sort(as_s), c.y)
        if self._groups is not None:
            c = self._drop_flat(m, c)
        scatter = whole.scatter[0]
        v = c.s if self.explanatory_mode == "raw" else c.v
        B = removal * first_stage(rows_of(scatter, v), v, c.x)
        if self.explanatory_mode == "raw":
            warn_of_near_copies(whole, c, v, B)
        left = np.diag(residual_scatter(scatter, v, c.x, B))[c.x]
        # A residual that is rounding would be blown up to unit size by a scaler after us, and rounding can follow s.
        flat = (left < SAME_AS_S * np.diag(scatter)[c.x]) & (removal == 1.0)
        factors = np.ones((1, len(c.x)))
        if self._groups is not None:
            factors = _factors(m, whole, v, c.x, B)
        factors[:, flat] = 0.0
        self._x, self._z, self._v, self._B, self._factors = c.x, c.z, v, B, factors
        self._shift, self._delta = whole.shift, whole.delta[0]
        every_v, every_x = whole.index("s", "z"), whole.index("x")
        full = np.zeros((len(whole.names), len(whole.names)))
        full[np.ix_(v, c.x)] = B
        self.B_ = full[np.ix_(every_v, every_x)]
        self.B_names_ = tuple(whole.names[j] for j in every_v), tuple(whole.names[j] for j in every_x)
        self.moments_ = m
        if self.handle_missing != "error" or self.handle_unknown != "error":
            self.roles_ = self.roles_.with_fill(whole.mean[0])

    def _drop_flat(self, m: Moments, c: Columns) -> Columns:
        """The paper's step (i): a column that is constant within a group tells who is in the other one."""
        within = np.einsum("kjj->kj", m.scatter)[m.count > 0][:, c.x]
        flat = (within <= SAME_AS_S * within.sum(axis=0)).any(axis=0)
        gone = [m.names[j] for j in c.x[flat]]
        self.dropped_.update(dict.fromkeys(gone, "constant within a group of s"))
        if flat.all():
            raise TableError(
                "variance_correction drops columns of x that are constant within a group of s, and every column is. The groups are "
                "too small, or the column is not a grouping: fit with variance_correction=False."
            )
        if gone:
            warn(f"Columns left out, constant within a group of s: {listing(gone)}.", DroppedColumnWarning)
        return Columns(c.s, c.z, c.x[~flat], c.y)

    def transform(self, X: Any, *, sensitive_features: Any = None, explanatory_features: Any = None) -> Array:
        """Residuals of new rows by the training B, then their explanatory columns."""
        beside = {"sensitive_features": sensitive_features, "explanatory_features": explanatory_features}
        return self._transform(X, beside, ())

    def _transform(self, X: Any, beside: dict[str, Any], target: tuple[str, ...]) -> Array:
        table = self._read_new(X, **beside, needs_s=True, target=target)
        d_x = len(self._x)
        out = np.empty((table.n_rows, d_x + len(self._z)))
        finite = True
        codes = None if self._groups is None else self._groups.codes(table, self.roles_)
        for rows, block in self._pieces(table):
            self._residual(block, out[rows], None if codes is None else codes[rows])
            finite = finite and bool(np.isfinite(out[rows].sum()))
        if not finite and not np.isfinite(out).all():
            self.roles_.refuse_missing_numbers(table)
        return out

    def _pieces(self, table: Table) -> Any:
        """Blocks that stay in the processor's cache while they are copied, multiplied and subtracted."""
        for rows, block in self._encoded_blocks(table):
            step = max(1, 2**20 // (8 * max(1, block.shape[1])))
            for a in range(0, len(block), step):
                yield slice(rows.start + a, rows.start + min(a + step, len(block))), block[a : a + step]

    def _residual(self, block: Array, out: Array, codes: Array | None) -> None:
        d_x = len(self._x)
        _copy_columns(block, self._x, out[:, :d_x])
        _copy_columns(block, self._z, out[:, d_x:])
        if len(self._v) and out.size:
            v = (block[:, self._v] - self._shift[self._v]) - self._delta[self._v]
            # out -= v B in place, by one product without a temporary; z, which stays as it is, has zeros in B.
            wide = np.hstack([self._B, np.zeros((len(self._v), len(self._z)))])
            dgemm(-1.0, wide.T, v.T, beta=1.0, c=out.T, overwrite_c=1)
        if (self._factors != 1.0).any():
            mean = self._shift[self._x] + self._delta[self._x]
            factors = self._factors[0 if codes is None else codes]
            out[:, :d_x] = (out[:, :d_x] - mean) * factors + mean

    def fit_transform(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        sensitive_features: Any = None,
        explanatory_features: Any = None,
    ) -> Any:
        """fit, then transform, on the same rows."""
        beside = {"sensitive_features": sensitive_features, "explanatory_features": explanatory_features}
        return self.fit(X, y, sample_weight, **beside).transform(X, **beside)

    def inverse_transform(self, U: Any, *, sensitive_features: Any) -> Array:
        """The encoded columns of x, then z, from residuals and the sensitive columns: x = u + (v - v̄)B.

        The sensitive columns are needed because the residuals do not hold them: that is their point.
        """
        check_is_fitted(self, "_B")
        given = tables.read(U, what="U")
        width = len(self._x) + len(self._z)
        if len(given.names) != width:
            raise TableError(f"U has {len(given.names)} columns; transform gives {width}.")
        names_out = tuple(self.get_feature_names_out())
        if given.named and given.names != names_out:
            if set(given.names) != set(names_out):
                raise ColumnError(f"The columns of U are not those that transform gives: {listing(names_out)}.")
        elif not given.named:
            given = given.rename(names_out)
        s_fields = tuple(f for f in self.roles_.fields if f.role == "s")
        names = tuple(f.name for f in s_fields)
        beside = tables.read(sensitive_features, what="sensitive_features")
        if set(beside.names) != set(names):
            if len(beside.names) != len(names):
                raise TableError(f"sensitive_features has {len(beside.names)} columns; training had {listing(names)}.")
            beside = beside.rename(names)
        if beside.n_rows != given.n_rows:
            raise TableError(f"U has {given.n_rows} rows, sensitive_features has {beside.n_rows}.")
        roles = Roles(s_fields, (), True, self.roles_.handle_missing, self.roles_.handle_unknown)
        beside = roles.match(beside, needs_s=True, who=type(self).__name__)
        rows = np.zeros((given.n_rows, len(self._shift)))
        out = np.column_stack([_numbers_of(given, name) for name in names_out])
        s_at = [j for j, letter in enumerate(self.roles_.blocks) if letter == "s"]
        roles.refuse_missing_numbers(beside)
        rows[:, s_at] = roles.encode(beside, slice(0, beside.n_rows))
        rows[:, self._z] = out[:, len(self._x) :]
        u, mean = out[:, : len(self._x)], self._shift[self._x] + self._delta[self._x]
        if self._groups is not None:
            factors = self._factors[self._groups.codes(beside, self.roles_)]
            u = np.where(factors > 0, (u - mean) / np.where(factors > 0, factors, 1.0), 0.0) + mean
        out[:, : len(self._x)] = u + ((rows[:, self._v] - self._shift[self._v]) - self._delta[self._v]) @ self._B
        return out

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """u(name) for every column of x, then the names of z."""
        check_is_fitted(self, "_B")
        if input_features is not None:
            asked, known = list(input_features), list(getattr(self, "feature_names_in_", []))
            if known and asked != known:
                raise ParameterError("input_features is not equal to feature_names_in_")
            if len(asked) != self.n_features_in_:
                raise ParameterError(
                    f"input_features should have length equal to number of features ({self.n_features_in_}), got {len(asked)}"
                )
        names = self.roles_.names
        return np.array([f"u({names[j]})" for j in self._x] + [names[j] for j in self._z], dtype=object)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_B")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.handle_missing != "error"
        tags.input_tags.string = tags.input_tags.categorical = True
        return tags


def _numbers_of(table: Table, name: str) -> Array:
    column = table.column(name)
    if column.kind != "number" or column.levels is not None:
        raise KindError(f"Column {listing([name])} of U holds {column.kind}; transform gives numbers.")
    return np.asarray(column.values, dtype=float)


def _factors(m: Moments, whole: Moments, v: Array, x: Array, B: Array) -> Array:
    """Pooled deviation over group deviation of every residual, shape (groups + 1, d_x); 1 for a group of nobody.

    The last row answers unknown groups.
    """
    # Of a residual that is rounding the variance may come out below zero.
    pooled = np.maximum(np.diag(residual_scatter(whole.scatter[0], v, x, B))[x], 0.0) / whole.weight[0]
    factors = np.ones((m.n_cells + 1, len(x)))
    for k in np.flatnonzero(m.count > 0):
        own = np.diag(residual_scatter(m.scatter[k], v, x, B))[x] / m.weight[k]
        factors[k] = np.sqrt(np.divide(pooled, own, out=np.ones_like(own), where=own > SAME_AS_S * pooled))
    return factors


def _copy_columns(rows: Array, columns: Array, out: Array) -> None:
    # Runs of neighbouring columns are copied as slices: a gather by column index is several times slower.
    if not len(columns):
        return
    for run in np.split(np.arange(len(columns)), np.flatnonzero(np.diff(columns) != 1) + 1):
        out[:, run[0] : run[-1] + 1] = rows[:, columns[run[0]] : columns[run[-1]] + 1]
