"""TwoStageClassifier: decisions from scores without what s explains."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import accuracy_score
from sklearn.utils import get_tags
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from twosdr import tables
from twosdr.engines import memory
from twosdr.engines.sources import is_source
from twosdr.errors import ChoiceWarning, ParameterError, TableError, listing, warn
from twosdr.estimators._choosing import Choice, Decided, default
from twosdr.estimators._growing import closed_form, no_rows, target_names
from twosdr.estimators._reading import says_nothing
from twosdr.estimators._sources import FromSources
from twosdr.estimators._streamed import by_name
from twosdr.estimators._wrapped import Wrapped
from twosdr.moments import Moments
from twosdr.roles import Roles, check_rows
from twosdr.tables import Array, Target

# Wide and logarithmic: a thousand penalties cost what ten do, and a choice at the edge is warned of.
ALPHAS = tuple(float(f"{10 ** (k / 3):.3g}") for k in range(-9, 19))
ONE_SIDED = 0.01  # decisions of which a smaller share than this goes one way say little about any group


def _has_scores(model: Any) -> bool:
    wrapped = getattr(model, "estimator_", model.estimator)
    return model.estimator is None or hasattr(wrapped, "decision_function")


def _has_proba(model: Any) -> bool:
    return model.estimator is not None and hasattr(getattr(model, "estimator_", model.estimator), "predict_proba")


def _values(labels: list[Any]) -> str:
    """As Python writes them, so that 0 and "0" differ in a message."""
    return ", ".join(repr(v) for v in labels[:8]) + (f" and {len(labels) - 8} more" if len(labels) > 8 else "")


class TwoStageClassifier(FromSources, Wrapped, ClassifierMixin, BaseEstimator):
    """Ridge on +-1 classes whose scores are uncorrelated with the sensitive columns.

    The score is linear, and its covariance with s is zero on the training rows. The decision is the score cut at a
    threshold, and carries no such guarantee: measure it.

    Parameters
    ----------
    estimator : scikit-learn classifier, optional
        Fitted on the rows (u, z) in the place of ridge, for example LogisticRegression(). By default the closed form.
    sensitive, explanatory, drop, goal, removal, at_predict, explanatory_mode :
        As in TwoStageRegressor, and so is `between`. Of two classes, goal="equalized_odds" holds the class fixed, both of
        them, and "equal_opportunity" the second alone (`classes_[1]`). With more the goal is parity, one score column a class. A
        wrapped estimator has to be linear where the goal is not parity with s at predict; LogisticRegression() is the one
        to take where probabilities matter.
    alphas, cv, fold_key, scoring :
        As in TwoStageRegressor; several alphas by default. They are compared by squared error on +-1, or by any scorer,
        with a second pass over the rows.
    threshold : float, {"quantile": q} or {"cost_ratio": c}
        Where the score of two classes is cut: at a number; at this quantile of the training scores, so that a share of
        1 - q is decided for the second class; or at (c - 1) / (c + 1), where c is the cost of a wrong decision for the
        second class over that of one against it, and the score is read as 2 P - 1.
    class_weight : dict, "balanced" or None
        Weights of the classes, multiplied with sample_weight.
    handle_unknown, handle_missing, max_levels, n_jobs :
        As in TwoStageRegressor.

    Attributes
    ----------
    classes_, threshold_ : the labels, sorted; the number that scores are cut at
    decision_rates_ : the share of training rows decided for each class
    coef_, intercept_, alpha_, cv_results_, B_, dropped_, roles_, moments_, baseline_ and more : as in TwoStageRegressor

    Examples
    --------
    >>> from twosdr import TwoStageClassifier
    >>> X = {"sex": ["f", "m"] * 4, "skill": [1, 2, 2, 3, 3, 5, 5, 6]}
    >>> y = ["no", "no", "no", "yes", "yes", "yes", "yes", "yes"]
    >>> TwoStageClassifier(sensitive="sex", alphas=1.0).fit(X, y).predict({"sex": ["f", "m"], "skill": [5, 5]}).tolist()
    ['yes', 'yes']
    """

    _IDLE = ("alphas", "fold_key", "scoring", "threshold")

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
        alphas: Any = ALPHAS,
        cv: Any = 10,
        fold_key: str | None = None,
        scoring: Any = None,
        threshold: Any = 0.0,
        class_weight: Any = None,
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
        self.threshold = threshold
        self.class_weight = class_weight
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
        """Fit on a table with roles, or on a source as in TwoStageRegressor.fit; labels of any kind."""
        beside = {"sensitive_features": sensitive_features, "explanatory_features": explanatory_features}
        given = self._from_source(X, y, sample_weight, beside, reading)
        if given is None:
            return self
        X, y, sample_weight = given
        labels, name = tables.labels(y)
        weight = tables.weights(sample_weight, len(labels))
        counted = labels if weight is None else labels[weight > 0]
        classes = np.unique(counted)
        if len(classes) < 2:
            raise TableError(
                f"y holds one class, {classes.tolist()[0]!r}: the number of classes has to be greater than one."
            )
        target = self._coded(labels, classes, name)
        self._start(target)
        self.classes_ = classes
        self._check_threshold()
        weight = self._weigh(labels, weight, classes)
        if self.estimator is not None:
            self._fit_wrapped(X, labels, target, weight, **beside)
            self._count_decisions(self.predict(X, **beside), weight)
            return self
        table = self._read_fit(X, **beside, weight=weight, target=self._target_names)
        check_rows(table, least=2, weight=weight)
        self._refuse_goals_for_many()
        self._fit_closed(table, target, weight, labels)
        scores = self._apply(table)
        self._cut(scores, weight)
        self._count_decisions(self._decide(scores), weight)
        return self

    def _coded(self, labels: Array, classes: Array, name: str | None) -> Target:
        """+1 for the class and -1 for the others: one column for two classes, else one for each."""
        columns = classes[1:] if len(classes) == 2 else classes
        values = np.where(labels[:, None] == columns[None, :], 1.0, -1.0)
        names = (name or "y",) if len(columns) == 1 else tuple(f"{name or 'y'}={c}" for c in columns)
        target = Target(values, names, len(columns) == 1, name is not None)
        self._label_name = name
        return target

    def _weighed(self, y: Any, weight: Array | None) -> Array | None:
        return self._weigh(tables.labels(y)[0], weight, self.classes_)

    def _coded_target(self, y: Any) -> Target:
        labels, name = tables.labels(y)
        strange = sorted(set(labels.tolist()) - set(self.classes_.tolist()), key=str)
        if strange:
            raise ParameterError(f"y holds {listing(strange)}, which is none of the classes {listing(self.classes_)}.")
        kept = self._label_name
        target = self._coded(labels, self.classes_, name if kept is None else kept)
        self._label_name = kept
        return target

    def _start(self, target: Target) -> None:
        super()._start(target)
        self._target_names = (self._label_name,) if self._label_name is not None else ()

    def _refuse_goals_for_many(self) -> None:
        if len(self.classes_) > 2 and self.goal != "parity":
            raise ParameterError(
                f"goal={self.goal!r} is defined for two classes; y has {len(self.classes_)}. Use goal='parity'."
            )

    def _weigh(self, labels: Array, weight: Array | None, classes: Array) -> Array | None:
        if self.class_weight is None:
            return weight
        if isinstance(self.class_weight, dict):
            strange = [c for c in self.class_weight if c not in classes]
            if strange:
                raise ParameterError(
                    f"class_weight names {_values(strange)}, which is none of the classes {_values(classes.tolist())}."
                )
            by_class = np.ones(len(labels))
            for c, factor in self.class_weight.items():  # a later call may hold rows of some classes only
                by_class[labels == c] = factor
        elif self.class_weight == "balanced":
            by_class = compute_sample_weight("balanced", labels)
        else:
            raise ParameterError(
                f"class_weight must be a dict of classes, 'balanced' or None. Got {self.class_weight!r} instead."
            )
        return tables.weights(by_class if weight is None else by_class * weight, len(labels))

    def _check_threshold(self) -> None:
        given = self.threshold
        number = isinstance(given, (int, float, np.integer, np.floating)) and not isinstance(given, bool)
        if number and np.isfinite(given):
            kind, value = "score", float(given)
        elif isinstance(given, dict) and len(given) == 1 and next(iter(given)) in ("quantile", "cost_ratio"):
            kind, value = next(iter(given.items()))
            top = 1.0 if kind == "quantile" else np.inf
            number = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
            if not number or not 0.0 < value < top:
                raise ParameterError(f"threshold {kind} must lie between 0 and {top:g}. Got {value!r} instead.")
        else:
            raise ParameterError(
                f"threshold must be a number, {{'quantile': q}} or {{'cost_ratio': c}}. Got {given!r} instead."
            )
        if len(self.classes_) > 2 and given != default(self, "threshold"):
            raise ParameterError("threshold has no effect with more than two classes: the largest score decides.")
        self._threshold_kind = kind
        self.threshold_ = value if kind == "score" else (value - 1.0) / (value + 1.0)

    def _cut(self, scores: Array, weight: Array | None) -> None:
        if self._threshold_kind == "quantile":
            # A cut between two scores that occur, so that rounding moves nobody across it.
            w = np.ones(len(scores)) if weight is None else weight
            order = np.argsort(scores[:, 0], kind="stable")
            share = np.cumsum(w[order]) / w.sum()
            at = min(int(np.searchsorted(share, self.threshold["quantile"] - 1e-12)), len(order) - 1)
            nearest = scores[order[at], 0]
            above = scores[scores[:, 0] > nearest, 0]
            self.threshold_ = float((nearest + above.min()) / 2) if len(above) else float(nearest)

    def _decide(self, scores: Array) -> Array:
        if len(self.classes_) == 2:
            return np.asarray(self.classes_[(scores[:, 0] > self.threshold_).astype(int)])
        return np.asarray(self.classes_[np.argmax(scores, axis=1)])

    def _count_decisions(self, decided: Array, weight: Array | None) -> None:
        w = np.ones(len(decided)) if weight is None else weight
        rates = np.array([w[decided == c].sum() for c in self.classes_]) / w.sum()
        self.decision_rates_ = dict(zip(self.classes_.tolist(), rates.tolist(), strict=True))
        most = int(np.argmax(rates))
        if rates[most] > 1 - ONE_SIDED:
            warn(
                f"{rates[most]:.2%} of the training rows are decided for {self.classes_.tolist()[most]!r}. Nearly constant "
                "decisions make any ratio of rates look perfect and say nothing about equal treatment. Choose a threshold "
                "({'quantile': ...}), or class_weight='balanced'.",
                ChoiceWarning,
            )

    def _by_scorer(self, task: Choice, source: memory.Source, labels: Any) -> Any:
        if self._threshold_kind == "quantile" and self.scoring != "roc_auc":
            raise ParameterError(
                "threshold={'quantile': ...} is found after alpha is chosen; choose alpha by scoring=None or 'roc_auc'."
            )
        return super()._by_scorer(task, source, labels)

    def _shim(self, scores: Array) -> Any:
        return Decided(scores[:, 0] if self._flat else scores, self._decide(scores), self.classes_)

    @available_if(closed_form)  # type: ignore[untyped-decorator]
    def partial_fit(
        self,
        X: Any,
        y: Any,
        classes: Any = None,
        sample_weight: Any = None,
        *,
        levels: dict[str, Any] | None = None,
        sensitive_features: Any = None,
        explanatory_features: Any = None,
    ) -> Self:
        """Add rows to the fit; the first call fixes the classes and the levels, unless `classes` and `levels` declare more."""
        if self._threshold_kind_of() == "quantile":
            raise ParameterError(
                "threshold={'quantile': ...} needs all training scores at once. Use a number or {'cost_ratio': c}."
            )
        if self.class_weight == "balanced":
            raise ParameterError("class_weight='balanced' needs all labels at once. Pass a dict of weights.")
        if is_source(X):
            beside = {"sensitive_features": sensitive_features, "explanatory_features": explanatory_features}
            self._fit_source(X, y, sample_weight, beside, {"levels": levels}, growing=True, classes=classes)
            return self
        X, y, sample_weight = by_name(X, y, sample_weight)
        labels, name = tables.labels(y)
        first = not hasattr(self, "moments_")
        if first:
            known = np.unique(labels if classes is None else np.asarray(classes))
        else:
            known = self.classes_
            if classes is not None and not np.array_equal(np.unique(np.asarray(classes)), known):
                raise ParameterError(f"classes={classes!r} differs from the first call's: {listing(known)}.")
        strange = sorted(set(labels.tolist()) - set(known.tolist()), key=str)
        if strange:
            raise ParameterError(
                f"y holds {_values(strange)}, which the classes of the first call do not: {_values(known.tolist())}."
            )
        if len(known) < 2:
            raise TableError(
                f"y holds one class, {known.tolist()[0]!r}. Announce all with classes=[...] in the first call."
            )
        self._extend(X, labels, known, name, sample_weight, levels, sensitive_features, explanatory_features, 1)
        return self

    def _threshold_kind_of(self) -> str:
        return next(iter(self.threshold)) if isinstance(self.threshold, dict) and self.threshold else "score"

    def _extend(
        self, X: Any, labels: Array, known: Array, name: Any, sample_weight: Any, levels: Any, s: Any, z: Any, sign: int
    ) -> None:
        target = self._coded(labels, known, name)
        weight = self._weigh(labels, tables.weights(sample_weight, len(labels)), known)
        if not hasattr(self, "moments_"):
            self._pending = known
        else:
            self._check_threshold()
        self._grow(X, target, weight, {"sensitive_features": s, "explanatory_features": z}, levels, sign)

    def _question(self) -> Any:
        if not hasattr(self, "classes_"):  # a first partial_fit, whose start forgot everything
            self.classes_ = self._pending
            self._check_threshold()
        self._refuse_goals_for_many()
        return super()._question()

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
        labels, name = tables.labels(y)
        strange = sorted(set(labels.tolist()) - set(self.classes_.tolist()), key=str)
        if strange:
            raise ParameterError(
                f"y holds {_values(strange)}, which is none of the classes {_values(self.classes_.tolist())}."
            )
        if self.class_weight == "balanced":
            raise ParameterError(
                "class_weight='balanced' weighs rows by all labels, so rows cannot be taken out. Fit again."
            )
        if self._threshold_kind_of() == "quantile":
            raise ParameterError(
                "threshold={'quantile': ...} was found from all training scores, so rows cannot be taken out. Fit again."
            )
        self._extend(X, labels, self.classes_, name, sample_weight, None, sensitive_features, explanatory_features, -1)
        return self

    @available_if(closed_form)  # type: ignore[untyped-decorator]
    def fit_from_moments(self, moments: Moments, roles: Roles | None = None, *, classes: Any = None) -> Self:
        """Fit on moments gathered elsewhere, with y coded +-1: one column for two classes, else one for each of `classes`."""
        names = target_names(moments)
        n = 2 if len(names) == 1 else len(names)
        known = np.arange(n) if classes is None else np.asarray(classes)
        if len(known) != n:
            raise ParameterError(
                f"The moments have {len(names)} target columns, for {n} classes; classes has {len(known)}."
            )
        if self._threshold_kind_of() == "quantile":
            raise ParameterError("threshold={'quantile': ...} needs training scores, which moments do not hold.")
        self._label_name, self._pending = None, known
        self._from_moments(moments, roles, no_rows(names))
        return self

    def _without_roles(self) -> Self:
        if self._threshold_kind == "quantile":
            raise AttributeError(
                "baseline_ comes from moments, and threshold={'quantile': ...} from rows: fit with sensitive=() instead."
            )
        return super()._without_roles()

    @available_if(_has_scores)  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any, *, sensitive_features: Any = None, explanatory_features: Any = None) -> Array:
        """Scores: (n,) for two classes, else one column for each."""
        beside = {"sensitive_features": sensitive_features, "explanatory_features": explanatory_features}
        if is_source(X):
            return self._predict_source("decision_function", X, beside)
        if self.estimator is not None:
            return np.asarray(self._on_residuals("decision_function", X, beside))
        scores = self._scores(X, beside)
        return scores[:, 0] if self._flat else scores

    def predict(self, X: Any, *, sensitive_features: Any = None, explanatory_features: Any = None) -> Array:
        """Decisions for new rows, by column name; s is needed unless the model was fitted without it."""
        beside = {"sensitive_features": sensitive_features, "explanatory_features": explanatory_features}
        if is_source(X):
            return self._predict_source("predict", X, beside)
        if self.estimator is not None:
            return np.asarray(self._on_residuals("predict", X, beside))
        return self._decide(self._scores(X, beside))

    @available_if(_has_proba)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any, *, sensitive_features: Any = None, explanatory_features: Any = None) -> Array:
        """Probabilities, where the wrapped estimator has them."""
        beside = {"sensitive_features": sensitive_features, "explanatory_features": explanatory_features}
        return np.asarray(self._on_residuals("predict_proba", X, beside))

    def score(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        sensitive_features: Any = None,
        explanatory_features: Any = None,
    ) -> float:
        """Accuracy of the decisions."""
        decided = self.predict(X, sensitive_features=sensitive_features, explanatory_features=explanatory_features)
        labels, _ = tables.labels(y)
        if len(labels) != len(decided):
            raise TableError(f"X has {len(decided)} rows, y has {len(labels)}.")
        return float(accuracy_score(labels, decided, sample_weight=tables.weights(sample_weight, len(labels))))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.estimator is None
        tags.input_tags.allow_nan = self.handle_missing != "error"
        tags.input_tags.string = tags.input_tags.categorical = True
        if hasattr(self.estimator, "__sklearn_tags__"):
            tags.classifier_tags = get_tags(self.estimator).classifier_tags
        # A model that gives up what s explains may predict the past badly, and is meant to.
        tags.classifier_tags.poor_score |= not says_nothing(self.sensitive)
        return tags
