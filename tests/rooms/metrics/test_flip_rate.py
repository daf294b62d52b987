"""What changes when only the recorded s changes."""

from functools import cache

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

from tests.rooms.samples import CONTAINERS, NAMELESS, frame, people, refused, target
from twosdr import TwoStageClassifier, TwoStageRegressor
from twosdr.errors import MetricError, ParameterError
from twosdr.metrics import flip_rate


class Rule:
    """Accepts men above 20 and women above 40."""

    classes_ = (0, 1)

    def decision_function(self, X):
        return np.asarray(X["age"]) - np.where(np.asarray(X["sex"]) == "m", 20.0, 40.0)

    def predict(self, X):
        return (self.decision_function(X) > 0).astype(int)


AGES = {"sex": ["f", "m", "f", "m"], "age": [10, 30, 50, 25]}


@pytest.mark.parametrize(
    "make", [dict, pd.DataFrame, pl.DataFrame, pa.table], ids=["dict", "pandas", "polars", "pyarrow"]
)
def test_a_known_rule(make):
    found = flip_rate(Rule(), make(AGES), sensitive="sex")
    assert (found.decisions.value, found.scores.value) == (0.5, 20.0)  # the men of 30 and 25
    assert found.decisions.n == 4
    assert found.decisions.interval[0] < 0.5 < found.decisions.interval[1]
    assert found.scores.interval == (20.0, 20.0)


def test_what_was_passed_stays_as_it_was():
    table = pd.DataFrame(AGES, index=[7, 7, 3, 1])
    before = table.copy()
    flip_rate(Rule(), table, sensitive=["sex"])
    pd.testing.assert_frame_equal(table, before)


@cache
def of_people():
    """The flips of a classifier of the people, in pandas."""
    y = target(people())
    model = TwoStageClassifier(sensitive=["sex", "race"], alphas=[1.0]).fit(frame(), (y > np.median(y)).astype(int))
    return flip_rate(model, frame())


@pytest.mark.parametrize("container", CONTAINERS)
def test_our_estimators_know_their_s_in_every_container(container):
    columns = people()
    y = target(columns)
    X = CONTAINERS[container](columns)
    model = TwoStageClassifier(sensitive=["sex", "race"], alphas=[1.0]).fit(X, (y > np.median(y)).astype(int))
    found, expected = flip_rate(model, X), of_people()
    assert found.decisions.value == expected.decisions.value
    assert found.scores.value == pytest.approx(expected.scores.value)
    assert found.scores.value > 0


def test_a_model_without_s_does_not_flip():
    y = target(people())
    model = TwoStageClassifier(sensitive="sex", at_predict="without").fit(frame(), (y > 0).astype(int))
    found = flip_rate(model, frame(), sensitive="sex")
    assert (found.decisions.value, found.scores.value) == (0.0, 0.0)


def test_a_regression_has_scores_and_no_decisions():
    y = target(people())
    model = TwoStageRegressor(sensitive="age", drop=["race", "part_time"]).fit(frame(), y)
    found = flip_rate(model, frame())
    assert "nothing is decided" in found.decisions.why
    age = frame()["age"].to_numpy()
    quartiles = np.unique(np.quantile(age, (0.25, 0.5, 0.75), method="nearest"))
    slope = abs(model.coef_[list(model.encoded_names_).index("age")])
    moved = [np.mean([abs(a - q) for q in quartiles if q != a]) for a in age]
    assert found.scores.value == pytest.approx(slope * np.mean(moved))


def test_s_beside_the_table():
    columns = people()
    y, sex = target(columns), columns["sex"]
    X = np.column_stack([columns["skill"], columns["hours"]])
    model = TwoStageClassifier().fit(X, (y > 0).astype(int), sensitive_features=sex)
    found = flip_rate(model, X, sensitive_features=sex)
    other = model.predict(X, sensitive_features=np.where(sex == "f", "m", "f"))
    assert found.decisions.value == np.mean(other != model.predict(X, sensitive_features=sex))
    same = flip_rate(model, X, sensitive_features=pd.Series(sex))
    assert same.decisions == found.decisions


def test_an_array_by_position():
    class Sum:
        def predict(self, X):
            return X.sum(axis=1)

    X = np.array([[0.0, 1.0], [1.0, 2.0], [1.0, 5.0]])
    assert flip_rate(Sum(), X, sensitive=[0]).scores.value == 1.0
    assert flip_rate(Sum(), sp.csr_array(X), sensitive=[0]).scores.value == 1.0


@pytest.mark.parametrize("container", NAMELESS)
def test_rows_without_names(container):
    columns = people()
    y = (target(columns) > 0).astype(int)
    X = NAMELESS[container](columns)
    model = TwoStageClassifier(sensitive=[0]).fit(X, y)
    expected = flip_rate(TwoStageClassifier(sensitive="sex").fit(frame(), y), frame())
    assert flip_rate(model, X).decisions.value == expected.decisions.value


def test_a_model_of_three_classes_and_one_of_probabilities():
    columns = people()
    y = np.digitize(target(columns), [-1, 1])
    model = TwoStageClassifier(sensitive="sex").fit(frame(), y)
    assert 0 < flip_rate(model, frame()).decisions.value < 1

    class Chances:
        classes_ = (0, 1)

        def predict(self, X):
            return (np.asarray(X["a"]) > 0.5).astype(int)

        def predict_proba(self, X):
            return np.column_stack([1 - np.asarray(X["a"]), X["a"]])

    found = flip_rate(Chances(), {"a": [0.0, 1.0, 1.0]}, sensitive="a")
    assert (found.decisions.value, found.scores.value) == (1.0, 1.0)

    class Labels:
        def predict(self, X):
            return np.array(["yes"] * len(X["a"]))

    found = flip_rate(Labels(), {"a": ["u", "v"]}, sensitive="a")
    assert found.decisions.value == 0.0
    assert "has no score" in found.scores.why


def test_weights_and_clusters():
    found = flip_rate(Rule(), AGES, sensitive="sex", sample_weight=[1, 3, 1, 1], cluster=[1, 1, 2, 2])
    assert found.decisions.value == pytest.approx(4 / 6)
    assert "by clusters" in found.decisions.method


def test_refusals():
    with refused(ParameterError, "which columns are s"):
        flip_rate(Rule(), AGES)
    with refused(ParameterError, 'no column "gender"', '"sex"'):
        flip_rate(Rule(), AGES, sensitive="gender")
    with refused(MetricError, "constant"):
        flip_rate(Rule(), {"sex": ["f", "f"], "age": [1, 2]}, sensitive="sex")
