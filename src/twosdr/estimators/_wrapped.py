"""The other way to fit: any scikit-learn estimator on the rows (u, z); for other goals see `_linear.py`."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from twosdr import levels, tables
from twosdr.errors import ParameterError, TableError
from twosdr.estimators._choosing import default
from twosdr.estimators._linear import Linear
from twosdr.estimators.residualizer import Residualizer
from twosdr.roles import check_rows
from twosdr.tables import Array, Target


class Wrapped(Linear):
    """What a regressor or classifier with `estimator=` does in the place of the closed form."""

    estimator: Any
    sensitive: Any
    explanatory: Any
    drop: Any
    goal: str
    removal: Any
    between: float | None
    at_predict: str
    explanatory_mode: str | None
    handle_unknown: str
    handle_missing: str
    max_levels: int
    n_jobs: int | None
    roles_: Any
    _target_names: tuple[str, ...]
    # Settings of the closed form, which have no effect here.
    _IDLE: tuple[str, ...] = ("alphas", "fold_key", "scoring")

    def _fit_wrapped(
        self, X: Any, y: Any, target: Target, weight: Array | None, sensitive_features: Any, explanatory_features: Any
    ) -> None:
        if self.explanatory_mode == "controlled":
            raise ParameterError(
                "explanatory_mode='controlled' is defined for the closed form. With an estimator use 'joint' or 'raw'."
            )
        if isinstance(self.estimator, type) or not (
            hasattr(self.estimator, "fit") and hasattr(self.estimator, "get_params")
        ):
            raise ParameterError(
                f"estimator must be a scikit-learn estimator, such as Ridge(). Got {self.estimator!r} instead."
            )
        idle = [name for name in self._IDLE if not np.array_equal(getattr(self, name), default(self, name))]
        if idle:
            verb = "have" if len(idle) > 1 else "has"
            raise ParameterError(
                f"{' and '.join(idle)} {verb} no effect with estimator=: set the estimator's own penalty."
            )
        if weight is not None and not has_fit_parameter(self.estimator, "sample_weight"):
            raise ParameterError(
                f"{type(self.estimator).__name__} does not take sample_weight, which was passed. Leave the weights out, or use an "
                "estimator that takes them (for a Pipeline, wrap TwoStage around its last step)."
            )
        if (self.goal, self.at_predict) != ("parity", "with"):
            self._fit_linear(X, y, target, weight, sensitive_features, explanatory_features)
            return
        if not isinstance(levels.level(self.removal), float):
            raise ParameterError(
                f"removal={self.removal!r} is turned into a number by the closed form. With estimator= give the number."
            )
        if self.between is not None:
            raise ParameterError(
                "between= penalises what s explains of a score that does not use s: it is defined for the closed form with "
                "goal='parity' and at_predict='without'."
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
        stage_1 = self.residualizer_.set_output(transform="default")
        stage_1._who = type(self).__name__
        beside = {"sensitive_features": sensitive_features, "explanatory_features": explanatory_features}
        table = tables.read(X)
        check_rows(table, least=2, weight=weight)
        if len(y) != table.n_rows:
            raise TableError(
                f"Found input variables with inconsistent numbers of samples: X has {table.n_rows} rows, y has {len(y)}."
            )
        stage_1._fit(table, weight, beside, self._target_names)
        rows = stage_1._transform(table, beside, self._target_names)
        if not rows.shape[1]:
            raise TableError(f"No column is left to fit {type(self.estimator).__name__} on: {stage_1.dropped_}.")
        weights = {} if weight is None else {"sample_weight": weight}
        try:
            self.estimator_ = clone(self.estimator).fit(rows, y, **weights)
        except (ValueError, TypeError) as trouble:
            raise ParameterError(
                f"{type(self.estimator).__name__} could not be fitted on the {rows.shape[1]} columns of (u, z): {trouble}"
            ) from trouble
        for learned in ("roles_", "dropped_", "n_features_in_", "feature_names_in_", "B_", "B_names_", "_beside_"):
            if hasattr(stage_1, learned):
                setattr(self, learned, getattr(stage_1, learned))
        self.needs_sensitive_ = bool(self.roles_.columns("s"))

    def _on_residuals(self, method: str, X: Any, beside: dict[str, Any]) -> Any:
        """A method of the wrapped estimator, on the rows (u, z) of X."""
        check_is_fitted(self)
        if hasattr(self, "basis_"):
            return self._on_directions(method, X, beside)
        rows = self.residualizer_._transform(X, beside, self._target_names)
        return getattr(self.estimator_, method)(rows)
