"""summary(): coefficients with standard errors, by a second pass over the training rows, or by a bootstrap."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.linear_model import LinearRegression
from sklearn.utils.validation import check_is_fitted

from twosdr import folds, inference, levels
from twosdr.engines import memory
from twosdr.errors import MetricError, ParameterError, TwosdrWarning
from twosdr.estimators._frontier import Frontiers
from twosdr.inference import Influence, Meat, Summary
from twosdr.moments import Moments
from twosdr.roles import check_rows
from twosdr.solve import ACCEPT, rows_of
from twosdr.tables import Array, Table, Target

PASS_ROWS = 8192  # rows at a time: their influences are a matrix as wide as the table
SAME_ROWS = 1e-6  # deviations by which a mean may differ before the rows are other rows
SAME_PAIRS = (
    1e-4  # and deviations of an influence by which its mean, zero on the rows of the fit, may: X and y in another order
)
OTHER_PAIRS = (
    "These are not the rows of the fit: they have other coefficients. Is y in another order than X? Or, of a wrapped estimator, are "
    "columns nearly dependent? Then method='bootstrap' holds."
)


class Summaries(Frontiers):
    """Standard errors, for both closed forms and for wrapped least squares."""

    estimator: Any
    _goal: Any

    def summary(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        cluster: Any = None,
        confidence: float = 0.95,
        method: str | None = None,
        times: int = 200,
        random_state: Any = None,
        sensitive_features: Any = None,
        explanatory_features: Any = None,
    ) -> Summary:
        """Coefficients with standard errors and intervals, by encoded column; X and y are the rows of the fit, read once more.

        Robust to unequal variances, and with `cluster` (a value for each row) to dependence within clusters. `method` is "sandwich" where
        a formula holds and "bootstrap" where none does (a penalty, a target for removal), unless it is named. The bootstrap refits
        `times` times, seeded by `random_state`.
        """
        check_is_fitted(self)
        if method not in (None, "sandwich", "bootstrap"):
            raise ParameterError(f"method must be None, 'sandwich' or 'bootstrap'. Got {method!r} instead.")
        confidence = inference.check_confidence(confidence)
        beside = {"sensitive_features": sensitive_features, "explanatory_features": explanatory_features}
        names, estimate = self._coefficients()
        reason = self._no_formula()
        if method == "sandwich" and reason:
            raise ParameterError(f"No formula holds for {reason}. Use method='bootstrap'.")
        X, y, target, weight = self._at_hand("summary", X, y, sample_weight)
        n = len(target.values)
        codes = None if cluster is None else inference.cluster_codes(cluster, n)
        rho = getattr(self, "identifiability_", np.ones(0)) if self._bound() else np.ones(0)
        if why := inference.collinear(rho, self.roles_.columns("s")):
            return Summary(names, estimate, None, n, 0, "none", confidence, why)
        if method == "bootstrap" or reason:
            covariance = self._bootstrap(X, y, weight, beside, names, n, codes, times, random_state)
            df = n - len(names) if codes is None else int(codes.max())
            said = f"bootstrap of {'rows' if codes is None else 'clusters'}, {times} times" + (
                f" ({reason})" if reason else ""
            )
            return Summary(names, estimate, covariance, n, max(1, df), said, confidence)
        weight = self._weighed(y, weight)
        table = self._read_new(X, **beside, needs_s=True, target=self._target_names, growing=True)
        check_rows(table)
        influence, fit = self._influence(table, target, weight)
        meat, moved = self._pass_of(influence, fit, table, target.values, weight, codes)
        parameters = int((moved > 0).sum()) + len(self._columns_of_stage_1())
        covariance, df = meat.covariance(parameters)
        said = f"sandwich, {'robust' if codes is None else f'{meat.clusters} clusters'}"
        return Summary(names, estimate, covariance, meat.n, df, said, confidence)

    def _bound(self) -> bool:
        return self.estimator is None and bool(self._goal.bound)

    def _coefficients(self) -> tuple[tuple[str, ...], Array]:
        me: Any = self
        if self.estimator is not None:
            inner = me.estimator_
            if not hasattr(inner, "coef_") or np.ndim(np.squeeze(inner.coef_)) > 1:
                raise ParameterError(
                    f"summary lists the coefficients of one score, and {type(inner).__name__} has none of that kind."
                )
            if hasattr(me, "basis_"):
                return (*self.roles_.names, "(intercept)"), np.append(me.coef_, me.intercept_)
            names = tuple(me.residualizer_.get_feature_names_out())
            return (*names, "(intercept)"), np.append(np.ravel(inner.coef_), np.ravel(inner.intercept_)[:1])
        if not self._flat:
            raise ParameterError(
                "summary lists the coefficients of one score; this model has several. Fit one at a time."
            )
        return (*self.roles_.names, "(intercept)"), np.append(me.coef_, me.intercept_)

    def _no_formula(self) -> str:
        """Why the sandwich does not hold, or "" where it does."""
        me: Any = self
        if self.estimator is not None:
            inner = me.estimator_
            plain = type(inner) is LinearRegression and inner.fit_intercept and not inner.positive
            if not plain or not hasattr(me, "residualizer_"):
                return f"a wrapped {type(inner).__name__}"
            return "" if me.removal == 1.0 else "a wrapped estimator with removal below 1"
        if np.size(me.alphas) > 1:
            return "a penalty chosen by cross-validation"
        if me.alpha_ > 0:
            return "a penalty"
        if me.rcond_ < ACCEPT:
            return "columns so nearly dependent that moments hold few digits"
        if self._goal.between is not None:
            return "between="
        return "a target for removal" if isinstance(levels.level(me.removal), levels.Level) else ""

    def _columns_of_stage_1(self) -> tuple[int, ...]:
        """Columns whose effects are estimated beside those that are listed."""
        me: Any = self
        if self.estimator is not None:
            return tuple(me.residualizer_._v)
        return ()

    def _influence(self, table: Table, target: Target, weight: Array | None) -> tuple[Influence, Moments]:
        """What a row moves, and the moments whose means it is centred on."""
        me: Any = self
        if self.estimator is None:
            n = self._strata()
            fit = folds.by_class(self.moments_, n) if n > 1 else self.moments_.total()
            return inference.of_fit(fit, self._rank.columns, self._goal, me.model_.coef[:, 0]), fit
        stage_1, known = me.residualizer_, me.residualizer_.moments_.total()
        fit = memory.moments(self._gather(table, target, weight))
        self._refuse_infinite(table, fit)
        p = len(known.names)
        if fit.count[0] != known.count[0] or not np.allclose(fit.mean[0, :p], known.mean[0], rtol=1e-6, atol=1e-9):
            raise MetricError("These are not the rows of the fit: their number or their means differ.")
        S = fit.scatter[0] / fit.weight[0]
        v, x, z = stage_1._v, stage_1._x, stage_1._z
        stage = inference.stage_2(S, rows_of(fit.scatter[0], v), v, x, z, p)
        if not np.allclose(stage.effect, np.ravel(me.estimator_.coef_), rtol=1e-4, atol=1e-4 * abs(stage.effect).max()):
            raise MetricError(OTHER_PAIRS)
        r = np.concatenate([x, z])

        def moves(d: Array, _: Array) -> Array:
            out = stage(d)
            u = np.hstack([d[:, x] - d[:, v] @ stage.B, d[:, z]])
            rest = d[:, p] - u @ stage.effect - out @ fit.mean[0, r]
            return np.column_stack([out, rest])

        return moves, fit

    def _pass_of(
        self, influence: Influence, fit: Moments, table: Table, y: Array, weight: Array | None, codes: Array | None
    ) -> tuple[Meat, Array]:
        whole = fit.total()
        p = len(self.roles_.names)
        meat = Meat(None if codes is None else len(np.unique(codes if weight is None else codes[weight > 0])))
        if codes is not None and weight is not None:
            codes = np.unique(np.where(weight > 0, codes, codes[weight > 0].min()), return_inverse=True)[1]
        sums, first, second = np.zeros(p + 1), np.zeros(1), np.zeros(1)
        for rows, block in self._encoded_blocks(table):
            for a in range(0, len(block), PASS_ROWS):
                at = slice(rows.start + a, min(rows.start + a + PASS_ROWS, rows.stop))
                d = np.column_stack([np.asarray(block[a : a + PASS_ROWS], dtype=float), y[at]])
                d = (d - whole.shift) - whole.delta[0]
                w = np.ones(len(d)) if weight is None else weight[at]
                d[w == 0] = 0.0
                cell = (y[at][:, 0] > 0).astype(int) if fit.n_cells > 1 else np.zeros(len(d), dtype=int)
                psi = influence(d, cell)
                if not np.isfinite(psi.sum()):
                    self.roles_.refuse_missing_numbers(table)
                sums += (d * w[:, None]).sum(axis=0)
                first, second = first + w @ psi, second + w @ psi**2
                meat.add(psi, w, None if codes is None else codes[at])
        spread = np.sqrt(np.diag(whole.scatter[0]) / whole.weight[0])
        if (
            meat.n != int(whole.count[0])
            or (abs(sums) / meat.weight > SAME_ROWS * spread + 1e-9 * abs(whole.mean[0])).any()
        ):
            raise MetricError(
                f"These are not the rows of the fit: {meat.n} rows with a weight, and the fit had {int(whole.count[0])}, or their means "
                "differ. Standard errors need the rows that the coefficients came from, with their weights."
            )
        if self.estimator is None:  # of a wrapped one the coefficients were compared
            rounding = (
                SAME_ROWS * spread[-1] / np.maximum(spread[:p], 1e-300)
            )  # all that is left where the fit is exact
            off = abs(first[:p]) / meat.weight
            if (off > np.maximum(SAME_PAIRS * np.sqrt(second[:p] / meat.weight), rounding)).any():
                raise MetricError(OTHER_PAIRS)
        total = meat.total if codes is None else meat.total**2
        return meat, np.diag(total) if codes is None else total.sum(axis=0)

    def _bootstrap(
        self,
        X: Any,
        y: Any,
        weight: Array | None,
        beside: dict[str, Any],
        names: tuple[str, ...],
        n: int,
        codes: Array | None,
        times: int,
        seed: Any,
    ) -> Array:
        def fit(counts: Array) -> Array:
            model = clone(self)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", TwosdrWarning)
                model.fit(X, y, counts if weight is None else counts * weight, **beside)
            found = dict(zip(*model._coefficients(), strict=True))
            return np.array([found.get(name, np.nan) for name in names])

        if not isinstance(times, (int, np.integer)) or times < 2:
            raise ParameterError(f"times must be a whole number from 2 up. Got {times!r} instead.")
        return inference.bootstrap(fit, n, times=times, random_state=seed, cluster=codes)
