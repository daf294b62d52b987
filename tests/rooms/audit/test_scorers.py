"""Metrics as scorers, in the hands of scikit-learn."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from tests.rooms.audit.worlds import company
from twosdr import TwoStageClassifier, TwoStageRegressor, make_scorer, metrics
from twosdr.errors import MetricError, ParameterError, RoleError

ROWS = company(600, seed=2)
X = pd.DataFrame({"sex": ROWS["sex"], "hours": ROWS["hours"], "score": ROWS["score"], "age": ROWS["age"]})
Y = np.where(ROWS["y"] == 1, "yes", "no")
MODEL = TwoStageClassifier(sensitive="sex", alphas=1.0)
FITTED = clone(MODEL).fit(X, Y)


def plain():
    return TwoStageClassifier(drop="sex", alphas=1.0)


def test_a_scorer_is_the_metric_on_the_predictions_and_a_distance_is_negative():
    p = metrics.p_rule(FITTED.predict(X), s=X["sex"], pos_label="yes")
    assert make_scorer("p_rule", sensitive="sex")(FITTED, X, Y) == pytest.approx(float(p))
    gap = metrics.tpr_gap(FITTED.predict(X), s=X["sex"], y_true=Y, pos_label="yes")
    assert make_scorer("tpr_gap", sensitive="sex")(FITTED, X, Y) == pytest.approx(-float(gap))
    distance = metrics.mean_distance(FITTED.decision_function(X), s=X["sex"])
    assert make_scorer("mean_distance", sensitive=["sex"])(FITTED, X, Y) == pytest.approx(-float(distance))
    assert make_scorer("accuracy")(FITTED, X, Y) == pytest.approx(FITTED.score(X, Y))
    assert make_scorer("balanced_accuracy")(FITTED, X, Y) == pytest.approx(
        float(metrics.balanced_accuracy(FITTED.predict(X), y_true=Y))
    )
    both = metrics.p_rule(FITTED.predict(X), s=X[["sex", "age"]].assign(age=X["age"] > 40), pos_label="yes")
    frame = X.assign(age=X["age"] > 40)
    assert make_scorer("p_rule", sensitive=["sex", "age"])(clone(MODEL).fit(frame, Y), frame, Y) == pytest.approx(
        float(both), abs=0.2
    )


def test_the_positive_class_is_the_second_unless_named():
    no = metrics.p_rule(FITTED.predict(X), s=X["sex"], pos_label="no")
    assert make_scorer("p_rule", sensitive="sex", pos_label="no")(FITTED, X, Y) == pytest.approx(float(no))


def test_regressors_and_arrays():
    numbers = X.assign(sex=(X["sex"] == "man").astype(float)).to_numpy()
    model = TwoStageRegressor(sensitive=[0]).fit(numbers, ROWS["truth"])
    score = make_scorer("correlation", sensitive=0)(model, numbers, ROWS["truth"])
    assert score == pytest.approx(0.0, abs=1e-8)
    rmse = metrics.rmse(model.predict(numbers), y_true=ROWS["truth"])
    assert make_scorer("rmse")(model, numbers, ROWS["truth"]) == pytest.approx(-float(rmse))
    assert make_scorer("r2")(model, numbers, ROWS["truth"]) == pytest.approx(model.score(numbers, ROWS["truth"]))


def test_grid_search_finds_the_removal_that_a_floor_needs():
    biased = np.where(ROWS["truth"] + 1.5 * (ROWS["sex"] == "man") > 0.7, "yes", "no")  # what came true favours men
    grid = {"removal": [0.0, 0.5, 1.0]}
    floor = make_scorer("accuracy", sensitive="sex", floor={"p_rule": 0.7})
    search = GridSearchCV(MODEL, grid, scoring=floor, cv=3, error_score="raise").fit(X, biased)
    alone = GridSearchCV(MODEL, grid, scoring=make_scorer("accuracy"), cv=3).fit(X, biased)
    assert alone.best_params_["removal"] == 0.0
    assert search.best_params_["removal"] > 0.0
    assert search.cv_results_["mean_test_score"][0] < search.best_score_


def test_cross_validate_with_several_scorers():
    scoring = {
        "p": make_scorer("p_rule", sensitive="sex"),
        "d": make_scorer("mean_distance", sensitive="sex"),
        "a": "accuracy",
    }
    found = cross_validate(MODEL, X, Y, scoring=scoring, cv=3, error_score="raise")
    assert np.isfinite([found["test_p"], found["test_d"], found["test_a"]]).all()


def test_in_a_pipeline_and_with_any_estimator():
    numbers = X.assign(sex=(X["sex"] == "man").astype(int))
    pipe = make_pipeline(FunctionTransformer(lambda t: t.drop(columns="sex")), LogisticRegression(max_iter=500))
    found = cross_validate(pipe, numbers, Y, scoring=make_scorer("p_rule", sensitive="sex"), cv=3, error_score="raise")
    assert (found["test_score"] < 1).all()


def test_any_fold_that_keeps_its_floor_beats_any_that_does_not():
    floor = make_scorer("accuracy", sensitive="sex", floor={"p_rule": 0.8})
    free, kept = plain().fit(X, Y), FITTED
    p = {m: float(metrics.p_rule(m.predict(X), s=X["sex"], pos_label="yes")) for m in (free, kept)}
    assert p[free] < 0.8 <= p[kept]
    assert floor(kept, X, Y) == pytest.approx(kept.score(X, Y))
    assert floor(free, X, Y) == pytest.approx(-(0.8 - p[free]) / 0.8)
    nearer = make_scorer("accuracy", sensitive="sex", floor={"p_rule": p[free] + 0.01})
    assert floor(free, X, Y) < nearer(free, X, Y) < 0


def test_ceilings_hold_distances_and_floors_may_be_held_with_confidence():
    kept = make_scorer("accuracy", sensitive="sex", ceiling={"parity_difference": 0.2})(FITTED, X, Y)
    assert kept == pytest.approx(FITTED.score(X, Y))
    assert make_scorer("accuracy", sensitive="sex", ceiling={"parity_difference": 1e-9})(plain().fit(X, Y), X, Y) < 0
    p = metrics.p_rule(FITTED.predict(X), s=X["sex"], pos_label="yes")
    between = (p.value + p.interval[0]) / 2
    assert make_scorer("accuracy", sensitive="sex", floor={"p_rule": between})(FITTED, X, Y) > 0
    assert make_scorer("accuracy", sensitive="sex", floor={"p_rule": between}, sure=0.95)(FITTED, X, Y) < 0


def test_errors_stand_under_a_ceiling_too():
    Z = X.assign(y=0).drop(columns="y")
    model = Ridge().fit(Z[["hours", "score"]], ROWS["truth"])

    class Two(Ridge):
        def predict(self, T):
            return model.predict(T[["hours", "score"]])

    kept = make_scorer("rmse", sensitive="sex", ceiling={"mean_distance": 10.0})(Two(), Z, ROWS["truth"])
    missed = make_scorer("rmse", sensitive="sex", ceiling={"mean_distance": 1e-6})(Two(), Z, ROWS["truth"])
    assert missed < -2 * ROWS["truth"].std() < kept < 0


def test_weights_come_from_a_column_or_by_routing():
    w = np.arange(600) % 4 + 1.0
    frame = X.assign(w=w)
    model = TwoStageClassifier(sensitive="sex", drop="w", alphas=1.0).fit(frame, Y)
    expected = float(metrics.p_rule(model.predict(frame), s=X["sex"], pos_label="yes", sample_weight=w))
    by_column = make_scorer("p_rule", sensitive="sex", weight="w")
    assert by_column(model, frame, Y) == pytest.approx(expected)
    assert make_scorer("p_rule", sensitive="sex")(model, frame, Y, sample_weight=w) == pytest.approx(expected)
    with sklearn.config_context(enable_metadata_routing=True):
        routed = make_scorer("p_rule", sensitive="sex").set_score_request(sample_weight=True)
        linear = LogisticRegression(max_iter=500).set_fit_request(sample_weight=True)
        table = X.assign(sex=(X["sex"] == "man").astype(int))
        params = {"sample_weight": w}
        found = cross_validate(linear, table, Y, scoring=routed, cv=3, params=params, error_score="raise")
        unweighted = make_scorer("p_rule", sensitive="sex").set_score_request(sample_weight=False)
        other = cross_validate(linear, table, Y, scoring=unweighted, cv=3, params=params, error_score="raise")
    assert found["test_score"].tolist() != other["test_score"].tolist()


def test_rows_of_unknown_s_take_no_part():
    frame = X.assign(sex=X["sex"].astype(object))
    frame.loc[:9, "sex"] = None
    model = TwoStageClassifier(drop="sex", alphas=1.0).fit(frame, Y)
    rest = metrics.p_rule(model.predict(frame)[10:], s=X["sex"][10:], pos_label="yes")
    assert make_scorer("p_rule", sensitive="sex")(model, frame, Y) == pytest.approx(float(rest))


def test_a_fold_without_a_number_scores_nan_and_keeps_no_floor():
    class Nobody(LogisticRegression):
        def predict(self, T):
            return np.full(len(T), "no")

    model = Nobody(max_iter=500).fit(X[["hours"]], Y)
    assert np.isnan(make_scorer("p_rule", sensitive="sex")(model, X, Y))
    assert make_scorer("accuracy", sensitive="sex", floor={"p_rule": 0.8})(model, X, Y) == -1.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = cross_validate(
            model, X[["hours"]].assign(sex=X["sex"] == "man"), Y, scoring=make_scorer("p_rule", sensitive="sex"), cv=2
        )
    assert np.isnan(found["test_score"]).all()


def test_a_scorer_travels_and_shows_itself():
    scorer = make_scorer("accuracy", sensitive="sex", floor={"p_rule": 0.8})
    assert pickle.loads(pickle.dumps(scorer))(FITTED, X, Y) == scorer(FITTED, X, Y)
    assert repr(scorer) == "make_scorer('accuracy', sensitive='sex', floor={'p_rule': 0.8})"
    assert repr(make_scorer("p_rule", sensitive="sex", min_group_size=5, response="predict")) == (
        "make_scorer('p_rule', sensitive='sex', response='predict', min_group_size=5)"
    )


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: make_scorer("p_rul", sensitive="sex"), 'Did you mean "p_rule"'),
        (lambda: make_scorer("p_rule"), "name the columns of X that are s"),
        (lambda: make_scorer("accuracy", floor={"p_rule": 0.8}), "name the columns of X that are s"),
        (lambda: make_scorer("accuracy", sensitive="sex"), "has no effect on 'accuracy' alone"),
        (lambda: make_scorer("accuracy", sensitive="sex", floor={"prule": 0.8}), "there is no scorer for 'prule'"),
        (lambda: make_scorer("mean_distance", sensitive="sex", floor={"accuracy": 0.8}), "no worst value"),
        (lambda: make_scorer("p_rule", sensitive="sex", response="guess"), "response must be one of"),
        (lambda: make_scorer("p_rule", sensitive="sex", sure=0.9), "sure=0.9 has no effect"),
        (lambda: make_scorer("accuracy", sensitive="sex", floor={"p_rule": "high"}), "one number for each metric"),
        (
            lambda: make_scorer("accuracy", sensitive="sex", floor={"p_rule": 0.8}, ceiling={"p_rule": 0.9}),
            "each metric in one of them",
        ),
    ],
)
def test_scorers_that_make_no_sense_are_refused_when_they_are_made(call, said):
    with pytest.raises(ParameterError, match=said):
        call()


def test_what_shows_only_on_the_rows_is_refused_there():
    with pytest.raises(RoleError, match="which X does not have"):
        make_scorer("p_rule", sensitive="gender")(FITTED, X, Y)
    regressor = TwoStageRegressor(sensitive="sex").fit(X, ROWS["truth"])
    with pytest.raises(MetricError, match="predicts numbers and no decisions"):
        make_scorer("p_rule", sensitive="sex")(regressor, X, ROWS["truth"])
    three = np.where(ROWS["age"] > 50, "later", Y)
    model = TwoStageClassifier(sensitive="sex", alphas=1.0).fit(X, three)
    with pytest.raises(ParameterError, match="3 classes: say which one counts"):
        make_scorer("p_rule", sensitive="sex")(model, X, three)
    assert 0 <= make_scorer("p_rule", sensitive="sex", pos_label="later")(model, X, three) <= 1
