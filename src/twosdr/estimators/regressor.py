"""TwoStageRegressor: numbers predicted without what s explains."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.utils import get_tags

from twosdr import folds, tables
from twosdr.engines import memory
from twosdr.errors import ChoiceWarning, DegenerateWarning, ParameterError, PrecisionWarning, listing
from twosdr.estimators._reading import RolesMixin, check_choice, check_jobs, check_removal, warn_of_dropped
from twosdr.estimators.residualizer import Residualizer
from twosdr.model import Affine
from twosdr.moments import Moments
from twosdr.roles import check_rows
from twosdr.solve import ACCEPT, Goal, Rank, Solution, decide_rank, rows_of, solve
from twosdr.tables import Array, Table

GOALS = ("parity", "discrimination_free")
READINGS = ("controlled", "joint", "raw")
# With rows at hand the triangle of a QR holds digits down to this condition of the correlations.
HOPELESS = 1e-18


class TwoStageRegressor(RolesMixin, RegressorMixin, BaseEstimator):
    """Least squares whose predictions are uncorrelated with the sensitive columns.

    Parameters
    ----------
    estimator : scikit-learn regressor, optional
        Fitted on the rows (u, z) in the place of least squares. By default the closed form from moments.
    sensitive, explanatory, drop : names, indices, mask, callable or column selector
        The roles of X's columns: what must not matter, what may explain a difference, what to leave out. Every other
        column is an ordinary one, x. Text, booleans and categories need no encoding.
    goal : "parity" or "discrimination_free"
        parity (2SDR): training predictions have no covariance with s. discrimination_free: the coefficient of s in least squares on
        everything is set to zero; no proxy effect in the other coefficients, and no parity.
    removal : float from 0 to 1
        How much to remove: 1 all, 0 nothing (least squares on all columns), linear between.
    at_predict : "with" or "without"
        Whether predict may use s. "without" needs no s columns at predict, and costs accuracy.
    explanatory_mode : "controlled", "joint" or "raw", optional
        How z and s share an effect (docs/notation.md). By default controlled where it is defined, else joint.
    alphas : float or sequence of floats
        Ridge penalties on the standardised (u, z); 0 is least squares. Of several, cross-validation chooses one.
    cv : int
        Folds of that cross-validation.
    handle_unknown : "error" or "mean"; handle_missing : "error", "mean" or "category"
        What a level that training did not see, or a missing value, is answered with.
    max_levels : int
        A category with more levels than this is refused: it is probably an identifier.
    n_jobs : int, optional
        Worker threads of our own; the numbers do not depend on it.

    Attributes
    ----------
    coef_, intercept_ : in the encoded columns `encoded_names_`; `X_encoded @ coef_ + intercept_` is the prediction
    B_ : (columns of s, then z) x (columns of x), named by `B_names_`; stage 1
    beta_u_, beta_z_ : effects of the residuals and of z, as stage 2 estimates them
    alpha_, cv_results_ : the penalty, and the errors that it was chosen by
    cost_ : rise of the training mean squared error against removal=0, exact without a penalty
    dropped_, rank_, rcond_ : columns left out and why; how many stayed; the condition of their correlations
    roles_, moments_ : the roles as understood; the sums that the fit was made from (personal data)

    Examples
    --------
    >>> from twosdr import TwoStageRegressor
    >>> X = {"sex": ["f", "m", "f", "m", "f", "m"], "skill": [1, 2, 2, 3, 3, 5]}
    >>> y = [1.0, 3.0, 2.0, 4.0, 3.0, 6.0]
    >>> model = TwoStageRegressor(sensitive="sex").fit(X, y)
    >>> fitted = model.predict(X)
    >>> bool(abs(fitted[::2].mean() - fitted[1::2].mean()) < 1e-12)  # the same average for both
    True
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        sensitive: Any = (),
        explanatory: Any = (),
        drop: Any = (),
        goal: str = "parity",
        removal: float = 1.0,
        at_predict: str = "with",
        explanatory_mode: str | None = None,
        alphas: Any = 0.0,
        cv: int = 10,
        handle_unknown: str = "error",
        handle_missing: str = "error",
        max_levels: int = 1000,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.sensitive = sensitive
        self.explanatory = explanatory
        self.drop = drop
        self.goal = goal
        self.removal = removal
        self.at_predict = at_predict
        self.explanatory_mode = explanatory_mode
        self.alphas = alphas
        self.cv = cv
        self.handle_unknown = handle_unknown
        self.handle_missing = handle_missing
        self.max_levels = max_levels
        self.n_jobs = n_jobs

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        sensitive_features: Any = None,
        explanatory_features: Any = None,
    ) -> Self:
        """Fit on a table with roles; s may come as columns of X or as `sensitive_features`."""
        target = tables.target(y)
        named = tuple(target.names) if target.names != ("y",) else ()
        weight = tables.weights(sample_weight, len(target.values))
        table = self._read_fit(X, sensitive_features, explanatory_features, weight, named)
        self._target_names = named
        self._flat = target.flat
        if self.estimator is not None:
            return self._fit_wrapped(X, y, sample_weight, sensitive_features, explanatory_features)
        check_rows(table, least=2)
        goal, alphas = self._question(), self._alphas()
        n_folds = self._n_folds(alphas, table.n_rows)
        source = self._gather(
            table,
            target,
            weight,
            cell_of=(lambda a, b: folds.fold_of_rows(a, b, n_folds)) if n_folds > 1 else None,
            n_cells=n_folds,
        )
        cells = memory.moments(source, n_jobs=check_jobs(self.n_jobs))
        self._refuse_infinite(table, cells)
        self._learn(cells, goal, alphas, source)
        return self

    def _question(self) -> Goal:
        check_choice("goal", self.goal, GOALS)
        check_choice("at_predict", self.at_predict, ("with", "without"))
        check_choice("explanatory_mode", self.explanatory_mode, (None, *READINGS))
        removal = check_removal(self.removal)
        has_s, has_z = bool(self.roles_.columns("s")), bool(self.roles_.columns("z"))
        if self.explanatory_mode is not None and not has_z:
            raise ParameterError(
                f"explanatory_mode={self.explanatory_mode!r} has no effect without explanatory columns. Name some, or leave it out."
            )
        plain = self.goal == "parity" and self.at_predict == "with"
        if self.explanatory_mode in ("controlled", "raw") and not plain:
            raise ParameterError(
                f"explanatory_mode={self.explanatory_mode!r} is defined for goal='parity' with at_predict='with'. Elsewhere the "
                "reading is 'joint': leave explanatory_mode out."
            )
        if not has_s and (self.goal, self.at_predict, removal) != ("parity", "with", 1.0):
            raise ParameterError(
                "goal, removal and at_predict have no effect without sensitive columns. Name some, or leave them out."
            )
        if self.goal == "discrimination_free" and self.at_predict == "without" and removal < 1.0:
            raise ParameterError(
                "removal below 1 keeps part of the effect of s, which at_predict='without' does not have."
            )
        reading = self.explanatory_mode or ("controlled" if plain else "joint")
        return Goal(self.goal, self.at_predict, reading, removal)

    def _alphas(self) -> Array:
        alphas = np.atleast_1d(np.asarray(self.alphas, dtype=float))
        if alphas.ndim != 1 or not len(alphas) or not np.isfinite(alphas).all() or (alphas < 0).any():
            raise ParameterError(f"alphas must be one or more numbers from 0 up. Got {self.alphas!r} instead.")
        return alphas

    def _n_folds(self, alphas: Array, n_rows: int) -> int:
        if not isinstance(self.cv, (int, np.integer)) or isinstance(self.cv, bool) or self.cv < 2:
            raise ParameterError(f"cv must be a whole number of folds from 2 up. Got {self.cv!r} instead.")
        return min(int(self.cv), n_rows) if len(alphas) > 1 else 1

    def _learn(self, cells: Moments, goal: Goal, alphas: Array, source: memory.Source | None) -> None:
        whole = cells.total()
        rank = self._rank(whole, goal, alphas)
        self.alpha_ = self._choose(cells, rank, goal, alphas)
        scatter, weight = whole.scatter[0], float(whole.weight[0])
        if rank.rcond < ACCEPT and self.alpha_ == 0.0 and source is not None:
            F = memory.triangle(source, whole)
        else:
            F = rows_of(scatter, rank.columns.features)
        if rank.rcond < (HOPELESS if source is not None else ACCEPT) and self.alpha_ == 0.0:
            warnings.warn(
                f"Columns are so nearly dependent (eigenvalue ratio {rank.rcond:.1e} of their correlations) that coefficients have "
                "few or no digits. Drop one of each near-copy, or give alphas above 0.",
                PrecisionWarning,
                stacklevel=4,
            )
        solution = solve(scatter, F, weight, rank.columns, goal, self.alpha_)
        self._keep(whole, cells, rank, goal, solution)

    def _rank(self, whole: Moments, goal: Goal, alphas: Array) -> Rank:
        references = self.roles_.references(whole.mean[0])
        rank = decide_rank(whole, references, penalised=bool((alphas > 0).all()), reading=goal.reading)
        self.dropped_ = warn_of_dropped(self.roles_, rank, whole.names, stacklevel=5)
        if not len(rank.columns.x):
            warnings.warn(
                "Nothing is left of x once constant columns and what s determines are out: predictions rest on "
                + (f"{listing(self.roles_.columns('z'))} alone." if len(rank.columns.z) else "the mean of y alone."),
                DegenerateWarning,
                stacklevel=5,
            )
        elif whole.count[0] <= len(rank.columns.s) + 1 and len(rank.columns.s):
            warnings.warn(
                f"{whole.count[0]} rows and {len(rank.columns.s)} sensitive columns: s explains every x, and u is zero.",
                DegenerateWarning,
                stacklevel=5,
            )
        return rank

    def _choose(self, cells: Moments, rank: Rank, goal: Goal, alphas: Array) -> float:
        if len(alphas) == 1:
            self.cv_results_: dict[str, Array] | None = None
            return float(alphas[0])
        errors = folds.fold_errors(cells, rank.columns, goal, alphas).mean(axis=2)
        used = ~np.isnan(errors).any(axis=1)
        if not used.any():
            raise ParameterError(f"{int(cells.count.sum())} rows cannot be divided into folds. Give one alpha.")
        mean = errors[used].mean(axis=0)
        best = int(np.argmin(mean))
        self.cv_results_ = {
            "alpha": alphas,
            "mse": errors,
            "mean_mse": mean,
            "std_mse": errors[used].std(axis=0),
        }
        if alphas[best] in (alphas.min(), alphas.max()):
            warnings.warn(
                f"alpha = {alphas[best]:g} was chosen, at the edge of the grid {alphas.min():g} to {alphas.max():g}: a wider grid "
                "may predict better.",
                ChoiceWarning,
                stacklevel=5,
            )
        return float(alphas[best])

    def _keep(self, whole: Moments, cells: Moments, rank: Rank, goal: Goal, solution: Solution) -> None:
        p = len(self.roles_.names)
        self.model_ = Affine.through_means(whole, solution.coef[:p])
        if self.handle_missing != "error" or self.handle_unknown != "error":
            self.roles_ = self.roles_.with_fill(whole.mean[0, :p])
        flat = self._flat
        self.encoded_names_ = np.array(self.roles_.names, dtype=object)
        self.coef_ = self.model_.coef[:, 0] if flat else self.model_.coef.T
        self.intercept_ = float(self.model_.intercept[0]) if flat else self.model_.intercept
        every_v, every_x = whole.index("s", "z"), whole.index("x")
        B = np.zeros((p, p))
        B[np.ix_(solution.v, rank.columns.x)] = solution.B
        self.B_ = B[np.ix_(every_v, every_x)]
        self.B_names_ = tuple(whole.names[j] for j in every_v), tuple(whole.names[j] for j in every_x)
        effect = solution.effect[:, 0] if flat else solution.effect.T
        self.beta_u_, self.beta_z_ = effect[..., every_x], effect[..., whole.index("z")]
        self.cost_ = float(solution.cost[0]) if flat else solution.cost
        self.rank_, self.rcond_ = len(rank.columns.features), rank.rcond
        self.moments_ = cells
        s_coef = solution.coef[whole.index("s")]
        # A level that is not in the fit has no coefficient, but its row still has to be read to be known as such.
        self.needs_sensitive_ = (
            bool(s_coef.any()) if goal.at_predict == "without" or goal.name != "parity" else bool(len(s_coef))
        )

    def _fit_wrapped(
        self, X: Any, y: Any, sample_weight: Any, sensitive_features: Any, explanatory_features: Any
    ) -> Self:
        if (self.goal, self.at_predict) != ("parity", "with"):
            raise ParameterError(
                "A wrapped estimator is fitted on the residuals u, so it has goal='parity' with at_predict='with'. "
                "For other goals leave estimator out."
            )
        if self.explanatory_mode == "controlled":
            raise ParameterError(
                "explanatory_mode='controlled' is defined for the closed form. With an estimator use 'joint' or 'raw'."
            )
        defaults = {name: p.default for name, p in _parameters(type(self)).items()}
        idle = [name for name in ("alphas", "cv") if not np.array_equal(getattr(self, name), defaults[name])]
        if idle:
            raise ParameterError(
                f"{' and '.join(idle)} have no effect with estimator=: set the estimator's own penalty."
            )
        self.residualizer_ = Residualizer(
            sensitive=self.sensitive,
            explanatory=self.explanatory,
            drop=self.drop,
            removal=self.removal,
            explanatory_mode=self.explanatory_mode,
            handle_unknown=self.handle_unknown,
            handle_missing=self.handle_missing,
            max_levels=self.max_levels,
            n_jobs=self.n_jobs,
        )
        beside = {"sensitive_features": sensitive_features, "explanatory_features": explanatory_features}
        self.residualizer_.set_output(transform="default")
        rows = self.residualizer_.fit(X, y, sample_weight, **beside).transform(X, **beside)
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        self.estimator_ = clone(self.estimator).fit(rows, y, **weights)
        self.roles_, self.dropped_ = self.residualizer_.roles_, self.residualizer_.dropped_
        self.needs_sensitive_ = bool(self.roles_.columns("s"))
        return self

    def predict(self, X: Any, *, sensitive_features: Any = None, explanatory_features: Any = None) -> Array:
        """Predictions for new rows, by column name; s is needed unless the model was fitted without it."""
        beside = {"sensitive_features": sensitive_features, "explanatory_features": explanatory_features}
        if self.estimator is not None:
            self._read_new(X, **beside, needs_s=self.needs_sensitive_, target=self._target_names)
            return np.asarray(self.estimator_.predict(self.residualizer_._transform(X, beside, self._target_names)))
        table = self._read_new(
            X,
            **beside,
            needs_s=getattr(self, "needs_sensitive_", True),
            target=getattr(self, "_target_names", ()),
        )
        out = self._apply(table)
        if not np.isfinite(out).all():
            self.roles_.refuse_missing_numbers(table, needs_s=self.needs_sensitive_)
        return out[:, 0] if self._flat else out

    def _apply(self, table: Table) -> Array:
        if table.sparse is not None and not table._more:
            columns = [table.names.index(name) for name in self.roles_.names if name in table.names]
            inside = [j for j, name in enumerate(self.roles_.names) if name in table.names]
            return np.asarray(table.sparse[:, columns] @ self.model_.coef[inside] + self.model_.intercept)
        out = np.empty((table.n_rows, self.model_.coef.shape[1]))
        for rows, block in self._encoded_blocks(table):
            out[rows] = self.model_(block)
        return out

    def score(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        sensitive_features: Any = None,
        explanatory_features: Any = None,
    ) -> float:
        """R² of the predictions."""
        from sklearn.metrics import r2_score

        fitted = self.predict(X, sensitive_features=sensitive_features, explanatory_features=explanatory_features)
        return float(r2_score(tables.target(y).values, fitted, sample_weight=sample_weight))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.estimator is None
        tags.input_tags.allow_nan = self.handle_missing != "error"
        tags.input_tags.string = tags.input_tags.categorical = True
        tags.target_tags.multi_output = tags.target_tags.single_output = True
        if self.estimator is not None:
            tags.target_tags = get_tags(self.estimator).target_tags
        return tags


def _parameters(cls: type) -> Any:
    import inspect

    return inspect.signature(cls.__init__).parameters
