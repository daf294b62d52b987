"""The models of the paper, built of public classes: 2SDR as a pipeline, the baseline, and our closed form beside them."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from typing import Any

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


def binary(names: list[str], table: Any) -> list[str]:
    """Those of these columns that have two values."""
    return [name for name in names if len(np.unique(table[name].to_numpy())) == 2]


def as_numbers(table: Any) -> Array:
    """The columns of a numeric table as one array: what the baseline is fitted on."""
    return np.column_stack([column.to_numpy() for column in table.columns])
