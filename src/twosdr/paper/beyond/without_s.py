"""Prediction without s: parity from a model that never sees the sensitive columns after fit."""
# SPDX-License-Identifier: MIT

import numpy as np

from twosdr import metrics
from twosdr.estimators import TwoStageClassifier, TwoStageRegressor
from twosdr.paper.beyond.trials import FOLDS, TEN, Bar, Experiment, Fitted, Model
from twosdr.paper.plan import Setting
from twosdr.tables import Array

CLASSIFIER = {"make": lambda s: TwoStageClassifier(sensitive=s, at_predict="without")}


def left(fitted: Fitted, scores: Array) -> float:
    """|Cov(s, ŷ)| over the rows of the fit."""
    s = fitted.here[fitted.s_names[0]].to_numpy()
    return abs(float(np.mean((s - s.mean()) * scores)))


def decisions(fitted: Fitted) -> dict[str, float]:
    unseen, own = (table.drop_columns(list(fitted.s_names)) for table in (fitted.there, fitted.here))
    predicted = fitted.model.predict(unseen)
    return {
        "P%": float(metrics.p_rule(predicted, s=fitted.s, pos_label=1.0, zero_division=0.0)),
        "acc": float(metrics.accuracy(predicted, y_true=fitted.truth)),
        "cov": left(fitted, fitted.model.decision_function(own)),
    }


def numbers(fitted: Fitted) -> dict[str, float]:
    unseen, own = (table.drop_columns(list(fitted.s_names)) for table in (fitted.there, fitted.here))
    predicted = fitted.model.predict(unseen)
    return {
        "MD": float(metrics.mean_distance(predicted, s=fitted.s)),
        "RMSE": float(metrics.rmse(predicted, y_true=fitted.truth)),
        "cov": left(fitted, fitted.model.predict(own)),
    }


EXPERIMENT = Experiment(
    "No s at prediction",
    'at_predict="without"; Adult and Compas on 10 random splits, C&C on the ten official folds. predict gets tables without '
    "the column of s. The covariance is that of the rows of the fit.",
    {
        "adult": Model(Setting("adult"), TEN, CLASSIFIER["make"], decisions),
        "communities": Model(
            Setting("communities"), FOLDS, lambda s: TwoStageRegressor(sensitive=s, at_predict="without"), numbers
        ),
        "compas": Model(Setting("compas"), TEN, CLASSIFIER["make"], decisions),
    },
    (
        Bar("no s at prediction, Adult", "P%", "adult", "P%", ">=", 0.93),
        Bar("no s at prediction, Adult", "accuracy", "adult", "acc", ">=", 0.812),
        Bar("no s at prediction, Adult", "training |Cov(s, score)|", "adult", "cov", "<=", 1e-10),
        Bar("no s at prediction, C&C", "MD", "communities", "MD", "<=", 0.03),
        Bar("no s at prediction, C&C", "RMSE", "communities", "RMSE", "<=", 0.197),
        Bar("no s at prediction, C&C", "training |Cov(s, prediction)|", "communities", "cov", "<=", 1e-10),
        Bar("no s at prediction, Compas", "P%", "compas", "P%", ">=", 0.90),
        Bar("no s at prediction, Compas", "accuracy", "compas", "acc", ">=", 0.705),
        Bar("no s at prediction, Compas", "training |Cov(s, score)|", "compas", "cov", "<=", 1e-10),
    ),
)
