"""Explanatory attributes read as controlled: only what z itself is worth may differ between the groups."""
# SPDX-License-Identifier: MIT

from collections.abc import Callable

from twosdr import metrics
from twosdr.estimators import TwoStageClassifier, TwoStageRegressor
from twosdr.paper.beyond.trials import FOLDS, TEN, Bar, Experiment, Fitted, Model
from twosdr.paper.plan import Setting
from twosdr.paper.protocols import dataset

CRIME_Z = ("FemalePctDiv", "PctImmigRecent")
HOURS = ("hours_per_week",)


def with_occupation() -> tuple[str, ...]:
    """Hours, and the indicators of occupation."""
    return (*HOURS, *(name for name in dataset("adult").attributes if name.startswith("occupation_")))


def crime(fitted: Fitted) -> dict[str, float]:
    predicted = fitted.model.predict(fitted.there)
    parts = metrics.explained_disparity(predicted, s=fitted.s, z=fitted.there.select(list(CRIME_Z)))
    return {
        "unexplained": abs(float(parts.unexplained)),
        "RMSE": float(metrics.rmse(predicted, y_true=fitted.truth)),
    }


def income(z: Callable[[], tuple[str, ...]]) -> Callable[[Fitted], dict[str, float]]:
    def measure(fitted: Fitted) -> dict[str, float]:
        scores = (fitted.model.decision_function(fitted.there) + 1) / 2  # the scale of y = 0 and 1, as the bars mean it
        parts = metrics.explained_disparity(scores, s=fitted.s, z=fitted.there.select(list(z())))
        return {
            "unexplained": abs(float(parts.unexplained)),
            "MD": float(metrics.mean_distance(scores, s=fitted.s)),
            "acc": float(metrics.accuracy(fitted.model.predict(fitted.there), y_true=fitted.truth)),
        }

    return measure


EXPERIMENT = Experiment(
    "Explanatory attributes, controlled",
    "C&C with FemalePctDiv and PctImmigRecent on the ten official folds; Adult with hours worked, and with occupation too, "
    "on 10 random splits. The unexplained slope is the coefficient of s in ŷ ~ 1 + s + z; Adult's scores are on the scale of "
    "y = 0 and 1.",
    {
        "communities": Model(
            Setting("communities", explanatory=CRIME_Z),
            FOLDS,
            lambda s: TwoStageRegressor(sensitive=s, explanatory=list(CRIME_Z)),
            crime,
        ),
        "hours": Model(
            Setting("adult"),
            TEN,
            lambda s: TwoStageClassifier(sensitive=s, explanatory=list(HOURS)),
            income(lambda: HOURS),
        ),
        "hours and occupation": Model(
            Setting("adult"),
            TEN,
            lambda s: TwoStageClassifier(sensitive=s, explanatory=list(with_occupation())),
            income(with_occupation),
        ),
    },
    (
        Bar("explanatory, C&C", "unexplained slope", "communities", "unexplained", "<=", 0.025),
        Bar("explanatory, C&C", "RMSE", "communities", "RMSE", "<=", 0.155),
        Bar("explanatory, Adult, hours", "unexplained slope", "hours", "unexplained", "<=", 0.006),
        Bar("explanatory, Adult, hours", "accuracy", "hours", "acc", ">=", 0.826),
        Bar("explanatory, Adult, hours and occupation", "MD", "hours and occupation", "MD", "<=", 0.03),
        Bar("explanatory, Adult, hours and occupation", "accuracy", "hours and occupation", "acc", ">=", 0.824),
    ),
)
