"""A fitted estimator as a value that travels, and an estimator from such a value.

A loaded estimator predicts, scores and explains; what needs moments or rows says that the file holds none.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from twosdr import __version__
from twosdr.errors import MomentsError, ParameterError
from twosdr.roles import Roles
from twosdr.solve import Goal
from twosdr.tables import Array

if TYPE_CHECKING:  # files are far from a fit, which should not wait for them
    from twosdr.model import Facts, Model

_KEPT = ("explanatory_mode", "alphas", "cv", "fold_key", "scoring", "max_levels", "threshold", "class_weight")


class NotSaved:
    """An attribute that fit sets on the instance, and that a file does not hold: until it is set, asking for it says why."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, model: Any, owner: type) -> Any:
        if model is None:
            return self
        if hasattr(model, "saved_"):
            raise AttributeError(without(f"{self.name} is not there"))
        raise AttributeError(f"{type(model).__name__!r} object has no attribute {self.name!r}")


class Saving:
    """`save`, and what stands behind it."""

    moments_: Any = NotSaved()
    cv_results_: Any = NotSaved()
    B_: Any = NotSaved()
    B_names_: Any = NotSaved()
    identifiability_: Any = NotSaved()
    strata_: Any = NotSaved()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted model as JSON that a person can read, without rows and moments; `twosdr.load` reads it."""
        from twosdr.model import write

        write(self._portable(), path)

    def _portable(self) -> Model:
        """The fitted model as a value."""
        from twosdr.model import Model

        me: Any = self
        check_is_fitted(me)
        if me.estimator is not None:
            inner = type(me.estimator).__name__
            raise ParameterError(
                f"A wrapped {inner} is not JSON, and cannot be saved or exported here. Use skops (skops.io.dump and skops.io.load), "
                "which stores scikit-learn estimators without pickle; or leave estimator out: the closed form travels."
            )
        if hasattr(me, "saved_"):
            saved: Model = me.saved_
            return saved
        is_classifier = hasattr(me, "classes_")
        return Model(
            me.model_,
            _roles(me),
            me.needs_sensitive_,
            me.n_features_in_,
            tuple(me.feature_names_in_.tolist()) if hasattr(me, "feature_names_in_") else None,
            dict(me._beside_),
            me._target_names,
            me._flat,
            me.classes_ if is_classifier else None,
            float(me.threshold_) if is_classifier else 0.0,
            _settings(me),
            _facts(me),
            f"twosdr {__version__}",
        )

    def _restore(self, saved: Model) -> None:
        """Take over all that a fit would have learned."""
        me: Any = self
        f, flat = saved.facts, saved.flat
        me.saved_, me.model_, me.roles_ = saved, saved.affine, replace(saved.roles, absent=())
        me.needs_sensitive_, me.dropped_, me.alpha_ = saved.needs_sensitive, dict(f.dropped), f.alpha
        me.removal_, me.rank_, me.rcond_, me.rows_seen_, me.n_features_in_ = (
            f.removal,
            f.rank,
            f.rcond,
            f.rows,
            saved.n_features,
        )
        if saved.feature_names is not None:
            me.feature_names_in_ = np.array(saved.feature_names, dtype=object)
        me.encoded_names_ = np.array(saved.roles.names, dtype=object)
        me.coef_ = _flatly(saved.affine.coef, flat)
        me.intercept_ = float(saved.affine.intercept[0]) if flat else saved.affine.intercept
        blocks = np.array(saved.roles.blocks)
        me.beta_u_, me.beta_z_ = (_flatly(f.effect[blocks == b], flat) for b in "xz")
        me.cost_ = float(f.cost[0]) if flat else f.cost
        me._beside_, me._target_names, me._flat = dict(saved.beside), saved.target, flat
        me._absent, me._goal = saved.roles.absent, Goal(f.goal, f.at_predict, f.reading, f.removal)
        if saved.classes is None:
            return
        me.classes_, me.threshold_ = saved.classes, saved.threshold
        me._label_name = saved.target[0] if saved.target else None
        me._threshold_kind = me._threshold_kind_of()
        if f.rates is not None:
            me.decision_rates_ = dict(zip(saved.classes.tolist(), f.rates.tolist(), strict=True))

    def _refuse_loaded(self, said: str = "rows cannot be added or taken out") -> None:
        if hasattr(self, "saved_"):
            raise MomentsError(without(said))


def _flatly(columns: Array, flat: bool) -> Array:
    return columns[:, 0] if flat else columns.T


def without(said: str) -> str:
    """What a loaded model answers when asked for more than a file holds."""
    return (
        f"This model was loaded from a file, which holds no moments, so {said}. Keep the moments beside the model "
        "(moments_.save(path), Moments.load(path), fit_from_moments), or fit again."
    )


def _roles(me: Any) -> Roles:
    """The roles with the levels that predict counts as unknown, and with nothing that no policy reads."""
    roles: Roles = me.roles_
    levels = {name for field, span in roles.group_slices() for name in roles.names[span]}
    fill = None
    if (roles.handle_missing, roles.handle_unknown) != ("error", "error"):
        fill = (0.0,) * len(roles.names) if roles.fill is None else roles.fill
    return replace(roles, fill=fill, absent=tuple(name for name in map(str, me._absent) if name in levels))


def _settings(me: Any) -> dict[str, Any]:
    """Constructor parameters as plain values; what has no plain form (a splitter, a function) is left to its default."""
    given = me.get_params(deep=False)
    found: dict[str, Any] = {}
    for role, letter in (("sensitive", "s"), ("explanatory", "z")):
        found[role] = given[role] if isinstance(given[role], str) else list(me.roles_.columns(letter))
        if role in me._beside_:
            found[role] = []
    found["drop"] = [name for name in me.roles_.left_out if name != me.fold_key]
    for name in _KEPT:
        plain = _plain(given[name]) if name in given else _NO
        if plain is not _NO and not (
            name == "cv" and isinstance(plain, list)
        ):  # folds are of rows, and rows do not travel
            found[name] = plain
    return found


_NO = object()


def _plain(value: Any) -> Any:
    if isinstance(value, (np.generic, np.ndarray)):
        value = value.tolist()
    if isinstance(value, dict):
        if set(value) <= {"quantile", "cost_ratio"}:
            return {k: _plain(v) for k, v in value.items()}
        from twosdr.model.nodes import of_scalar

        return [[of_scalar(label), float(weight)] for label, weight in value.items()]  # class_weight
    if isinstance(value, (list, tuple)):
        numbers = [_plain(v) for v in value]
        return numbers if all(isinstance(v, (int, float)) for v in numbers) else _NO
    return value if value is None or isinstance(value, (str, int, float)) else _NO


def _facts(me: Any) -> Facts:
    whole, goal = me.moments_.total(), me._goal
    p = len(me.roles_.names)
    d_y = me.model_.coef.shape[1]
    effect = np.zeros((p, d_y))
    effect[whole.index("x")] = np.reshape(me.beta_u_.T, (-1, d_y))
    effect[whole.index("z")] = np.reshape(me.beta_z_.T, (-1, d_y))
    rates = getattr(me, "decision_rates_", None)
    from twosdr.model import Facts
    from twosdr.model.value import summaries

    return Facts(
        int(whole.count[0]),
        float(whole.weight[0]),
        goal.name,
        goal.removal,
        goal.at_predict,
        goal.reading,
        me.alpha_,
        me.rank_,
        float(me.rcond_),
        np.reshape(me.cost_, d_y),
        effect=effect,
        dropped=dict(me.dropped_),
        between=getattr(goal, "between", None),
        rates=None if rates is None else np.array([rates[c] for c in me.classes_.tolist()]),
        **summaries(whole, me.model_.coef),
    )
