"""classifier.py: ridge on +-1, its labels, thresholds and choices; scikit-learn does the same on rows, and is the oracle."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.metrics import accuracy_score, balanced_accuracy_score, roc_auc_score
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, StratifiedKFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from twosdr import Residualizer, TwoStageClassifier, TwoStageRegressor
from twosdr.errors import ChoiceWarning, KindError, MissingValueError, ParameterError, TableError
from twosdr.folds import fold_of_rows

CHANCE = np.random.default_rng(11)
N = 400
SEX = CHANCE.choice(["f", "m"], N)
AGE = CHANCE.normal(45.0, 12.0, N)
X = pd.DataFrame(
    {
        "sex": SEX,
        "age": AGE,
        "skill": CHANCE.normal(size=N) + (SEX == "m") + 0.02 * AGE,
        "job": CHANCE.choice(["office", "shop", "trade"], N),
        "hours": CHANCE.normal(38.0, 5.0, N) + 3.0 * (SEX == "m"),
    }
)
SCORE = X["skill"] + 0.1 * X["hours"] + (X["job"] == "trade") + CHANCE.normal(size=N)
Y = np.where(np.median(SCORE) < SCORE, "hired", "not")
GRID = np.geomspace(1e-1, 1e4, 12)


def fitted(y=Y, **settings):
    return TwoStageClassifier(**({"sensitive": ["sex", "age"], "alphas": 3.0} | settings)).fit(X, y)


def test_scores_have_no_covariance_with_any_sensitive_column():
    scores = fitted().decision_function(X)
    assert abs(np.cov(scores, AGE)[0, 1]) < 1e-10
    assert abs(scores[SEX == "m"].mean() - scores[SEX == "f"].mean()) < 1e-12


@pytest.mark.parametrize("alpha", [0.1, 3.0, 500.0])
def test_it_is_scikit_learns_ridge_classifier_on_standardised_residuals(alpha):
    theirs = make_pipeline(Residualizer(sensitive=["sex", "age"]), StandardScaler(), RidgeClassifier(alpha=alpha)).fit(
        X, Y
    )
    ours = fitted(alphas=alpha)
    assert np.allclose(ours.decision_function(X), theirs.decision_function(X), rtol=0, atol=1e-10)
    assert (ours.predict(X) == theirs.predict(X)).all()


def test_three_classes_are_three_scores():
    y = np.where(np.quantile(SCORE, 0.7) < SCORE, "c", Y)
    theirs = make_pipeline(Residualizer(sensitive=["sex", "age"]), StandardScaler(), RidgeClassifier(alpha=3.0)).fit(
        X, y
    )
    ours = fitted(y)
    assert ours.decision_function(X).shape == (N, 3)
    assert np.allclose(ours.decision_function(X), theirs.decision_function(X), rtol=0, atol=1e-10)
    assert (ours.predict(X) == theirs.predict(X)).all()
    with pytest.raises(ParameterError, match="two classes"):
        fitted(y, goal="discrimination_free")
    with pytest.raises(ParameterError, match="threshold has no effect"):
        fitted(y, threshold=0.5)


LABELS = {
    "text": Y,
    "booleans": Y == "hired",
    "whole numbers": np.where(Y == "hired", 7, -3),
    "floats": np.where(Y == "hired", 1.0, 0.0),
    "list": Y.tolist(),
    "pandas": pd.Series(Y, index=range(1000, 1000 + N), name="decision"),
    "category": pd.Series(Y, dtype="category"),
    "nullable": pd.Series(Y == "hired", dtype="boolean"),
    "polars": pl.Series("decision", Y.tolist()),
}


@pytest.mark.parametrize("kind", LABELS)
def test_labels_come_back_as_they_went_in(kind):
    given = np.asarray(LABELS[kind])
    decided = fitted(LABELS[kind]).predict(X)
    assert set(decided.tolist()) == set(given.tolist())
    agree = fitted().predict(X) == Y
    assert ((decided == given) == agree).all()


@pytest.mark.parametrize(
    ("y", "kind", "words"),
    [
        (None, TableError, "None"),
        (np.full(N, "one"), TableError, "one class"),
        (np.linspace(0, 1, N), KindError, "TwoStageRegressor"),
        ([*Y[:-1], None], MissingValueError, "row 399"),
        (np.column_stack([Y, Y]), TableError, "1d array"),
        (Y[:10], TableError, "400 rows, y has 10"),
        ([], TableError, "0 sample"),
    ],
)
def test_odd_labels_are_refused(y, kind, words):
    with pytest.raises(kind, match=words):
        fitted(y)


def test_the_target_may_lie_beside_and_come_along_at_predict():
    table = X.assign(decision=Y)
    model = TwoStageClassifier(sensitive="sex", alphas=1.0).fit(X, table["decision"])
    assert (model.predict(table) == model.predict(X)).all()
    with pytest.raises(ValueError, match="read the answer"):
        TwoStageClassifier(sensitive="sex", alphas=1.0).fit(table, table["decision"])


class TestThreshold:
    """Where the score is cut."""

    @pytest.mark.parametrize("q", [0.1, 0.5, 0.73, 0.9])
    def test_a_quantile_decides_that_share(self, q):
        model = fitted(threshold={"quantile": q})
        assert abs(model.decision_rates_["not"] - (1 - q)) <= 1 / N
        assert abs((model.predict(X) == "not").mean() - (1 - q)) <= 1 / N

    def test_a_weighted_quantile_counts_weights(self):
        weight = CHANCE.integers(0, 4, N).astype(float)
        model = TwoStageClassifier(sensitive="sex", alphas=1.0, threshold={"quantile": 0.6}).fit(X, Y, weight)
        rows = np.repeat(np.arange(N), weight.astype(int))
        copies = TwoStageClassifier(sensitive="sex", alphas=1.0, threshold={"quantile": 0.6}).fit(X.iloc[rows], Y[rows])
        assert model.threshold_ == pytest.approx(copies.threshold_, abs=1e-12)

    def test_a_cost_ratio_is_the_cut_of_least_expected_cost(self):
        assert fitted(threshold={"cost_ratio": 3.0}).threshold_ == 0.5  # P > 3/4
        assert fitted(threshold={"cost_ratio": 1.0}).threshold_ == 0.0

    @pytest.mark.parametrize(
        "threshold",
        ["half", None, {}, {"quantile": 1.0}, {"quantile": 0}, {"cost_ratio": -1}, {"share": 0.5}, np.nan, True],
    )
    def test_odd_thresholds_are_refused(self, threshold):
        with pytest.raises(ParameterError, match="threshold"):
            fitted(threshold=threshold)


def test_nearly_constant_decisions_are_said_to_look_perfect():
    rare = np.where(np.arange(N) % 100 == 0, "fail", "pass")
    with pytest.warns(ChoiceWarning, match=r"100\.00%.* 'pass'.*look perfect"):
        model = fitted(rare)
    assert model.decision_rates_["pass"] > 0.99
    with pytest.warns(ChoiceWarning, match="look perfect"):
        fitted(rare, alphas=TwoStageClassifier().alphas, estimator=LogisticRegression())


def test_class_weights_are_sample_weights():
    by_hand = np.where(Y == "hired", 1.5, 1.0)
    a = fitted(class_weight={"hired": 1.5, "not": 1.0}).decision_function(X)
    b = TwoStageClassifier(sensitive=["sex", "age"], alphas=3.0).fit(X, Y, by_hand).decision_function(X)
    assert np.allclose(a, b, rtol=0, atol=1e-12)
    with pytest.raises(ParameterError, match="class_weight"):
        fitted(class_weight={"nobody": 1.0})


def test_the_baseline_is_the_same_fit_with_s_among_the_columns():
    for settings in ({}, {"alphas": GRID}, {"explanatory": "hours"}):
        baseline = fitted(**settings).baseline_
        plain = TwoStageClassifier(alphas=settings.get("alphas", 3.0)).fit(X, Y)
        assert baseline.alpha_ == plain.alpha_
        assert np.allclose(baseline.decision_function(X), plain.decision_function(X), rtol=0, atol=1e-10)
    assert np.allclose(
        TwoStageRegressor(sensitive="sex").fit(X, SCORE).baseline_.predict(X),
        TwoStageRegressor().fit(X, SCORE).predict(X),
    )
    with pytest.raises(AttributeError, match="sensitive="):
        _ = fitted(estimator=LogisticRegression(), alphas=TwoStageClassifier().alphas).baseline_


class TestWrapped:
    """Any classifier on the rows (u, z)."""

    def test_probabilities_are_the_estimators(self):
        model = TwoStageClassifier(LogisticRegression(), sensitive=["sex", "age"]).fit(X, Y)
        rows = Residualizer(sensitive=["sex", "age"]).fit_transform(X)
        theirs = LogisticRegression().fit(rows, Y)
        assert np.allclose(model.predict_proba(X), theirs.predict_proba(rows), rtol=0, atol=1e-10)
        assert np.allclose(model.decision_function(X), theirs.decision_function(rows), rtol=0, atol=1e-10)

    def test_there_are_none_where_it_has_none(self):
        assert not hasattr(TwoStageClassifier(), "predict_proba")
        assert not hasattr(TwoStageClassifier(RidgeClassifier()).fit(X, Y), "predict_proba")
        assert not hasattr(TwoStageClassifier(LogisticRegression()), "partial_fit")


def explicit(settings, folds, score):
    """What each alpha scores, averaged over folds, by refitting on rows."""
    means = []
    for alpha in GRID:
        per_fold = []
        for k in np.unique(folds):
            train, test = folds != k, folds == k
            model = TwoStageClassifier(alphas=float(alpha), **settings).fit(X[train], Y[train])
            per_fold.append(score(Y[test], model.predict(X[test]), model.decision_function(X[test])))
        means.append(np.mean(per_fold))
    return np.array(means)


SCORERS = {
    "accuracy": lambda y, decided, score: accuracy_score(y, decided),
    "balanced_accuracy": lambda y, decided, score: balanced_accuracy_score(y, decided),
    "roc_auc": lambda y, decided, score: roc_auc_score(y, score),
}


@pytest.mark.filterwarnings("ignore::twosdr.errors.ChoiceWarning")
class TestChoosing:
    """Cross-validation gives what refitting on rows gives."""

    @pytest.mark.parametrize("scoring", SCORERS)
    def test_any_scorer_is_refitting_on_rows(self, scoring):
        settings = {"sensitive": ["sex", "age"]}
        model = TwoStageClassifier(alphas=GRID, cv=4, scoring=scoring, **settings).fit(X, Y)
        expected = explicit(settings, fold_of_rows(0, N, 4).astype(int), SCORERS[scoring])
        assert np.allclose(model.cv_results_["mean_score"], expected, rtol=0, atol=1e-9)
        assert model.alpha_ == GRID[np.argmax(expected)]

    def test_squared_error_is_refitting_on_rows(self):
        settings, coded = {"sensitive": "sex", "explanatory": "hours"}, {"hired": -1.0, "not": 1.0}
        model = TwoStageClassifier(alphas=GRID, cv=5, **settings).fit(X, Y)
        expected = explicit(
            settings,
            fold_of_rows(0, N, 5).astype(int),
            lambda y, decided, score: np.mean((np.array([coded[v] for v in y]) - score) ** 2),
        )
        assert np.allclose(model.cv_results_["mean_mse"], expected, rtol=0, atol=1e-9)
        assert model.alpha_ == GRID[np.argmin(expected)]

    def test_folds_may_be_given_in_any_form(self):
        ids = np.arange(N) % 3
        splits = [(np.flatnonzero(ids != k), np.flatnonzero(ids == k)) for k in range(3)]

        class Mine(KFold):
            def split(self, X, y=None, groups=None):
                return iter(splits)

        chosen = [
            TwoStageClassifier(sensitive="sex", alphas=GRID, cv=cv).fit(X, Y).cv_results_["mean_mse"]
            for cv in (ids, ids.astype(str).tolist(), splits, Mine(3))
        ]
        for other in chosen[1:]:
            assert np.allclose(chosen[0], other, rtol=0, atol=1e-13)
        stratified = TwoStageClassifier(sensitive="sex", alphas=GRID, cv=StratifiedKFold(4)).fit(X, Y)
        assert stratified.cv_results_["mse"].shape == (4, len(GRID))

    @pytest.mark.parametrize(
        ("cv", "words"),
        [
            (
                [(np.arange(300), np.arange(300, 350)), (np.arange(100), np.arange(350, 400))],
                "every row in one test fold",
            ),
            (GroupKFold(3), "fold_key"),
            (np.zeros(N), "one fold"),
            (np.arange(7), "cv must be"),
            ("ten", "cv must be"),
            (1, "from 2 up"),
        ],
    )
    def test_folds_that_do_not_divide_the_rows_are_refused(self, cv, words):
        with pytest.raises(ParameterError, match=words):
            TwoStageClassifier(sensitive="sex", alphas=GRID, cv=cv).fit(X, Y)

    @pytest.mark.parametrize("key", ["numbers", "words"])
    def test_rows_with_one_key_share_a_fold_in_any_order(self, key):
        home = np.arange(N) // 4
        table = X.assign(home=home if key == "numbers" else [f"home {h}" for h in home])
        order = np.random.default_rng(0).permutation(N)
        settings = {"sensitive": "sex", "alphas": GRID, "fold_key": "home", "cv": 5}
        a = TwoStageClassifier(**settings).fit(table, Y)
        b = TwoStageClassifier(**settings).fit(table.iloc[order], Y[order])
        assert np.allclose(a.cv_results_["mean_mse"], b.cv_results_["mean_mse"], rtol=0, atol=1e-12)
        assert "home" not in a.encoded_names_
        assert (a.predict(X) == a.predict(table)).all()
        counts = a.moments_.count
        assert counts.sum() == N
        assert (counts % 4 == 0).all()  # homes are whole

    def test_a_key_that_is_no_column_is_refused(self):
        with pytest.raises(ParameterError, match="fold_key"):
            TwoStageClassifier(sensitive="sex", alphas=GRID, fold_key="house").fit(X, Y)

    def test_a_scorer_that_is_none_is_refused(self):
        with pytest.raises(ParameterError, match="scoring"):
            TwoStageClassifier(sensitive="sex", alphas=GRID, scoring="niceness").fit(X, Y)


@pytest.mark.filterwarnings("ignore::twosdr.errors.ChoiceWarning")
class TestCitizen:
    """In scikit-learn's own machinery."""

    def test_a_search_over_roles_and_removal(self):
        search = GridSearchCV(
            TwoStageClassifier(alphas=1.0),
            {"sensitive": ["sex", ["sex", "age"]], "removal": [0.5, 1.0]},
            cv=3,
            error_score="raise",
            scoring="balanced_accuracy",
        ).fit(X, Y)
        assert np.isfinite(search.cv_results_["mean_test_score"]).all()
        assert clone(search.best_estimator_).get_params() == search.best_estimator_.get_params()

    def test_both_forms_give_identical_numbers(self):
        bare = X.drop(columns=["sex", "age"])
        beside = TwoStageClassifier(alphas=GRID).fit(bare, Y, sensitive_features=X[["sex", "age"]])
        named = TwoStageClassifier(sensitive=["sex", "age"], alphas=GRID).fit(X, Y)
        assert beside.alpha_ == named.alpha_
        assert np.allclose(
            beside.decision_function(bare, sensitive_features=X[["sex", "age"]]),
            named.decision_function(X),
            rtol=0,
            atol=1e-12,
        )
        assert beside.score(bare, Y, sensitive_features=X[["sex", "age"]]) == named.score(X, Y)

    def test_the_keyword_form_in_a_scorer_says_what_to_do(self):
        bare = X.drop(columns="sex")
        with pytest.raises(ParameterError, match="sensitive=\\[column names\\]"):
            cross_validate(
                TwoStageClassifier(alphas=1.0),
                bare,
                Y,
                params={"sensitive_features": SEX},
                scoring="accuracy",
                error_score="raise",
            )
        with pytest.warns(UserWarning, match="sensitive=\\[column names\\]"):
            found = cross_validate(
                TwoStageClassifier(alphas=1.0), bare, Y, params={"sensitive_features": SEX}, scoring="accuracy"
            )
        assert np.isnan(found["test_score"]).all()

    def test_with_routing_and_the_default_scorer_it_works(self):
        bare = X.drop(columns="sex")
        with sklearn.config_context(enable_metadata_routing=True):
            model = (
                TwoStageClassifier(alphas=1.0)
                .set_fit_request(sensitive_features=True)
                .set_score_request(sensitive_features=True)
            )
            found = cross_validate(model, bare, Y, params={"sensitive_features": SEX}, error_score="raise", cv=4)
        expected = cross_validate(TwoStageClassifier(alphas=1.0, sensitive="sex"), X, Y, error_score="raise", cv=4)
        assert np.allclose(found["test_score"], expected["test_score"], rtol=0, atol=1e-12)

    @pytest.mark.parametrize("container", ["pandas", "polars"])
    def test_a_pipeline_of_frames(self, container):
        table = X if container == "pandas" else pl.from_pandas(X)
        pipe = make_pipeline(
            Residualizer(sensitive="sex").set_output(transform=container),
            TwoStageClassifier(sensitive="u(age)", alphas=1.0),
        )
        assert pipe.fit(table, Y).score(table, Y) > 0.5
        assert list(pipe[1].feature_names_in_) == list(pipe[0].get_feature_names_out())
