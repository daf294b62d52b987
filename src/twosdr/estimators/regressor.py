"""TwoStageRegressor: numbers predicted without what s explains."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.metrics import r2_score
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from twosdr import tables
from twosdr.engines.sources import is_source
from twosdr.errors import TableError
from twosdr.estimators._growing import closed_form, no_rows, target_names
from twosdr.estimators._sources import FromSources
from twosdr.estimators._streamed import by_name
from twosdr.estimators._wrapped import Wrapped
from twosdr.moments import Moments
from twosdr.roles import Roles, check_rows
from twosdr.tables import Array


class TwoStageRegressor(FromSources, Wrapped, RegressorMixin, BaseEstimator):
    """Least squares whose predictions are uncorrelated with the sensitive columns.

    Parameters
    ----------
    estimator : scikit-learn regressor, optional
        Fitted on the rows (u, z) in the place of least squares. By default the closed form from moments.
    sensitive, explanatory, drop : names, indices, mask, callable or column selector
        The roles of X's columns: what must not matter, what may explain a difference, what to leave out. Every other
        column is an ordinary one, x. Text, booleans and categories need no encoding.
    goal : "parity", "equalized_odds" or "discrimination_free"
        parity (2SDR): training predictions have no covariance with s. equalized_odds: none with what y leaves of s.
        discrimination_free: the coefficient of s in least squares on everything is set to zero; no proxy effect in the other
        coefficients, and no parity. docs/goals.md sets them side by side.
    removal : float from 0 to 1, {"md": x} or {"r2": x}
        How much to remove: 1 all, 0 nothing (least squares on all columns), linear between. Or a target: the largest distance
        between the means of groups (one for all, or by sensitive column), or the share of the predictions' variance that s explains
        beyond z. It is met exactly on the training rows, where it is in reach.
    at_predict : "with" or "without"
        Whether predict may use s. "without" needs no s columns at predict, and costs accuracy.
    between : float, optional
        With goal="parity" and at_predict="without": a penalty on the variance between groups (what s explains of the
        predictions) in the place of removing all of it. Smoother where there are many or rare groups.
    explanatory_mode : "controlled", "joint" or "raw", optional
        How z and s share an effect (docs/notation.md). By default controlled where it is defined, else joint.
    alphas : float or sequence of floats
        Ridge penalties on the standardised (u, z); 0 is least squares. Of several, cross-validation chooses one.
    cv : int, array of folds, list of (train, test), or splitter
        Folds of that cross-validation; an int goes by row numbers. They have to divide the rows.
    fold_key : column name, optional
        Rows with the same value of this column share a fold; the column is used for nothing else.
    scoring : scikit-learn scorer, optional
        What alphas are compared by; squared error by default. That and "r2" need no second pass over the rows.
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
    removal_ : the removal that was used: a target's is found from moments
    identifiability_ : where the goal is a constraint, the canonical correlations of the columns used with it; 1 is free, near 0 is dear
    strata_ : how y is held fixed: "each class", "pooled" (one constraint for both), "second class" or "linear"

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
        removal: Any = 1.0,
        at_predict: str = "with",
        between: float | None = None,
        explanatory_mode: str | None = None,
        alphas: Any = 0.0,
        cv: Any = 10,
        fold_key: str | None = None,
        scoring: Any = None,
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
        self.between = between
        self.explanatory_mode = explanatory_mode
        self.alphas = alphas
        self.cv = cv
        self.fold_key = fold_key
        self.scoring = scoring
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
        **reading: Any,
    ) -> Self:
        """Fit on a table with roles; s may come as columns of X or as `sensitive_features`.

        X may also be a source that is read piece by piece (docs/big.md): y and sample_weight then name columns of it, and
        `reading` takes levels=, progress= and state=.
        """
        beside = {"sensitive_features": sensitive_features, "explanatory_features": explanatory_features}
        given = self._from_source(X, y, sample_weight, beside, reading)
        if given is None:
            return self
        X, y, sample_weight = given
        target = tables.target(y)
        self._start(target)
        weight = tables.weights(sample_weight, len(target.values))
        if self.estimator is not None:
            values = target.values[:, 0] if target.flat else target.values
            self._fit_wrapped(X, values, target, weight, sensitive_features, explanatory_features)
            return self
        table = self._read_fit(X, sensitive_features, explanatory_features, weight, self._target_names)
        check_rows(table, least=2, weight=weight)
        self._fit_closed(table, target, weight)
        return self

    @available_if(closed_form)  # type: ignore[untyped-decorator]
    def partial_fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        levels: dict[str, Any] | None = None,
        sensitive_features: Any = None,
        explanatory_features: Any = None,
    ) -> Self:
        """Add rows to the fit; the first call fixes the levels of categories, unless `levels` declares more of them."""
        beside = {"sensitive_features": sensitive_features, "explanatory_features": explanatory_features}
        if is_source(X):
            self._fit_source(X, y, sample_weight, beside, {"levels": levels}, growing=True)
            return self
        X, y, sample_weight = by_name(X, y, sample_weight)
        target = tables.target(y)
        self._grow(X, target, tables.weights(sample_weight, len(target.values)), beside, levels, 1)
        return self

    @available_if(closed_form)  # type: ignore[untyped-decorator]
    def forget(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        sensitive_features: Any = None,
        explanatory_features: Any = None,
    ) -> Self:
        """Take rows out of the fit, exactly; refused when they cannot have been in, or when digits would be lost."""
        check_is_fitted(self)
        target = tables.target(y)
        beside = {"sensitive_features": sensitive_features, "explanatory_features": explanatory_features}
        self._grow(X, target, tables.weights(sample_weight, len(target.values)), beside, None, -1)
        return self

    @available_if(closed_form)  # type: ignore[untyped-decorator]
    def fit_from_moments(self, moments: Moments, roles: Roles | None = None) -> Self:
        """Fit on moments gathered elsewhere, by fold where several alphas compete; `roles` as another fit's `roles_`."""
        self._from_moments(moments, roles, no_rows(target_names(moments)))
        return self

    def predict(self, X: Any, *, sensitive_features: Any = None, explanatory_features: Any = None) -> Array:
        """Predictions for new rows, by column name; s is needed unless the model was fitted without it."""
        beside = {"sensitive_features": sensitive_features, "explanatory_features": explanatory_features}
        if is_source(X):
            return self._predict_source("predict", X, beside)
        if self.estimator is not None:
            return np.asarray(self._on_residuals("predict", X, beside))
        out = self._scores(X, beside)
        return out[:, 0] if self._flat else out

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
        fitted = self.predict(X, sensitive_features=sensitive_features, explanatory_features=explanatory_features)
        observed = tables.target(y)
        if len(observed.values) != len(fitted):
            raise TableError(f"X has {len(fitted)} rows, y has {len(observed.values)}.")
        weight = tables.weights(sample_weight, len(fitted))
        return float(r2_score(observed.values, fitted, sample_weight=weight))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.estimator is None
        tags.input_tags.allow_nan = self.handle_missing != "error"
        tags.input_tags.string = tags.input_tags.categorical = True
        tags.target_tags.multi_output = tags.target_tags.single_output = True
        if hasattr(self.estimator, "__sklearn_tags__"):
            tags.target_tags = get_tags(self.estimator).target_tags
        return tags
