"""The models of the paper, built of public classes: 2SDR as a pipeline, the baseline, and our closed form beside them."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifierCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from twosdr.estimators import Residualizer, TwoStageClassifier, TwoStageRegressor
from twosdr.paper.plan import Method, Setting
from twosdr.paper.protocols import sensitive
from twosdr.tables import Array

ALPHAS = (0.1, 1.0, 10.0)  # inferred


def second_stage(kind: str) -> Any:
    """scikit-learn's least squares, ridge classifier with its penalty by 10-fold cross-validation, or logistic regression."""
    if kind == "ridge":
        return RidgeClassifierCV(alphas=ALPHAS, cv=10)
    return LogisticRegression(C=1.0, max_iter=1000) if kind == "logistic" else LinearRegression()


def build(method: Method, setting: Setting, table: Any) -> Any:
    """An unfitted model for tables like this one."""
    s = list(sensitive(setting)) if method.two_stage else []
    z = list(setting.explanatory) if method.two_stage else []
    if method.quoted:
        return ByStratum(s[0], z) if z else TwoStageRegressor(sensitive=s, at_predict="without")
    if method.closed:
        kind = TwoStageRegressor if method.second == "least squares" else TwoStageClassifier
        return kind(sensitive=s, explanatory=z)
    first = stage_one(s, z, binary(s, table)) if s else FunctionTransformer(as_numbers)
    return make_pipeline(first, StandardScaler(), second_stage(method.second))


def stage_one(s: list[str], z: list[str], groups: list[str]) -> Residualizer:
    """Stage 1 as the paper's numbers demand: x on (1, s, z); the correction by the binary sensitive column, if there is one."""
    return Residualizer(
        sensitive=s,
        explanatory=z,
        variance_correction=groups[0] if groups else False,
        explanatory_mode="joint" if z else None,
    )


class ByStratum:
    """Equal averages for both groups of s in every fifth of the propensity, from features without s (Calders et al., SEM-MP).

    With one column s · 1[stratum] a stratum as s, and the stratum as explanatory, each constraint is the covariance within one stratum:
    s less its mean there.
    """

    FIFTHS = (0.2, 0.4, 0.6, 0.8)

    def __init__(self, s: str, z: list[str]) -> None:
        self.s, self.z = s, z

    def fit(self, table: Any, y: Array) -> Self:
        """Propensities by logistic regression of s on z, then the constrained fit."""
        self._propensity = make_pipeline(StandardScaler(), LogisticRegression(C=1.0, max_iter=1000))
        self._propensity.fit(as_numbers(table.select(self.z)), table[self.s].to_numpy())
        self._cuts = np.quantile(self._score(table), self.FIFTHS)
        names = [f"{self.s} in {k}" for k in range(len(self._cuts) + 1)]
        self._model = TwoStageRegressor(sensitive=names, explanatory="stratum", at_predict="without")
        self._model.fit(self._widened(table, names), y)
        return self

    def predict(self, table: Any) -> Array:
        """From x and the stratum."""
        return np.asarray(self._model.predict(self._widened(table, [])))

    def _score(self, table: Any) -> Array:
        return np.asarray(self._propensity.predict_proba(as_numbers(table.select(self.z)))[:, 1])

    def _widened(self, table: Any, names: list[str]) -> Any:
        import pyarrow as pa

        stratum = np.searchsorted(self._cuts, self._score(table))
        columns = {name: table[name] for name in table.column_names if name != self.s}
        columns["stratum"] = pa.array([str(k) for k in stratum])
        s = table[self.s].to_numpy()
        return pa.table({**columns, **{name: pa.array(s * (stratum == k)) for k, name in enumerate(names)}})


def binary(names: list[str], table: Any) -> list[str]:
    """Those of these columns that have two values."""
    return [name for name in names if len(np.unique(table[name].to_numpy())) == 2]


def as_numbers(table: Any) -> Array:
    """The columns of a numeric table as one array: what the baseline is fitted on."""
    return np.column_stack([column.to_numpy() for column in table.columns])
