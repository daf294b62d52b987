"""What a model remembers: nothing of an earlier fit, nothing of a failed one, and no setting that has no effect."""

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.model_selection import KFold, cross_val_score
from sklearn.naive_bayes import GaussianNB

from twosdr import Residualizer, TwoStageClassifier, TwoStageRegressor
from twosdr.errors import MomentsError, ParameterError, RoleError, TableError, TwosdrError, UnknownLevelError

pytestmark = pytest.mark.filterwarnings("ignore::twosdr.errors.ChoiceWarning")
CHANCE = np.random.default_rng(5)
N = 240


def people(n=N):
    sex = CHANCE.choice(["f", "m"], n)
    frame = pd.DataFrame({"sex": sex, "a": CHANCE.normal(size=n) + (sex == "f"), "b": CHANCE.normal(size=n)})
    y = frame["a"] + 2 * frame["b"] + CHANCE.normal(size=n)
    return frame, y.to_numpy()


X, Y = people()
LABELS = np.where(Y > np.median(Y), "yes", "no")


def with_gaps(frame):
    out = frame.copy()
    out.loc[out.index[::7], "a"] = np.nan
    return out


class TestNothingOfAnEarlierFit:
    def test_the_baseline_is_that_of_the_last_fit(self):
        model = TwoStageRegressor(sensitive="sex").fit(X, Y)
        first = model.baseline_.coef_
        assert np.allclose(model.fit(X, -3 * Y).baseline_.coef_, -3 * first)
        grown = model.partial_fit(X, Y).baseline_.coef_
        assert not np.allclose(grown, -3 * first)
        assert np.allclose(model.forget(X, Y).baseline_.coef_, -3 * first, atol=1e-8)

    def test_decision_rates_go_when_the_rows_change(self):
        model = TwoStageClassifier(sensitive="sex", alphas=1.0).fit(X, LABELS)
        assert model.decision_rates_
        assert not hasattr(model.partial_fit(X, LABELS), "decision_rates_")

    def test_a_quantile_threshold_cannot_forget(self):
        model = TwoStageClassifier(sensitive="sex", alphas=1.0, threshold={"quantile": 0.7}).fit(X, LABELS)
        with pytest.raises(ParameterError, match="training scores, so rows cannot be taken out"):
            model.forget(X[:5], LABELS[:5])


class TestNothingOfAFailedFit:
    @pytest.mark.parametrize("model", [TwoStageRegressor(sensitive="sex"), TwoStageRegressor(Ridge(), sensitive="sex")])
    def test_it_is_not_fitted(self, model):
        model.fit(X, Y)
        with pytest.raises(TableError):
            model.fit(X, Y[:-3])
        with pytest.raises(NotFittedError):
            model.predict(X)

    def test_another_estimator_is_not_fitted(self):
        model = TwoStageRegressor(Ridge(), sensitive="sex").fit(X, Y).set_params(estimator=None)
        with pytest.raises(NotFittedError):
            model.predict(X)


class TestGapsWhileGrowing:
    """What a gap counts as is fixed by the first call, so it goes out with the number that it came in with."""

    @pytest.mark.parametrize("settings", [{"handle_missing": "mean"}, {"handle_missing": "category"}])
    def test_forget_is_exact(self, settings):
        more, y_more = people(60)
        model = TwoStageRegressor(sensitive="sex", **settings).partial_fit(with_gaps(X), Y)
        before = model.coef_
        model.partial_fit(with_gaps(more), y_more)
        assert abs(model.coef_ - before).max() > 1e-3
        assert np.allclose(model.forget(with_gaps(more), y_more).coef_, before, atol=1e-9)

    def test_unknown_levels_too(self):
        more, y_more = people(60)
        strange = more.assign(sex=np.where(np.arange(60) % 5 == 0, "?", more["sex"]))
        model = TwoStageRegressor(sensitive="sex", handle_unknown="mean").partial_fit(X, Y)
        before = model.coef_
        model.partial_fit(strange, y_more)
        assert np.allclose(model.forget(strange, y_more).coef_, before, atol=1e-9)

    def test_later_calls_come_in_any_order(self):
        parts = [people(50) for _ in range(3)]

        def grown(order):
            model = TwoStageRegressor(sensitive="sex", handle_missing="mean").fit(with_gaps(X), Y)
            for k in order:
                model.partial_fit(with_gaps(parts[k][0]), parts[k][1])
            return model.coef_

        assert np.allclose(grown([0, 1, 2]), grown([2, 0, 1]), atol=1e-10)


class TestNoSettingWithoutEffect:
    def test_settings_are_checked_at_every_call(self):
        model = TwoStageRegressor(sensitive="sex").fit(X, Y).set_params(goal="kindness")
        with pytest.raises(ParameterError, match="goal must be one of"):
            model.partial_fit(X, Y)

    def test_roles_are_those_of_the_first_call(self):
        model = TwoStageRegressor(sensitive="sex").fit(X, Y).set_params(sensitive="a")
        with pytest.raises(ParameterError, match='names "a" now and named "sex"'):
            model.partial_fit(X, Y)

    def test_moments_say_who_is_sensitive(self):
        source = TwoStageRegressor(sensitive="sex").fit(X, Y)
        same = TwoStageRegressor(sensitive="sex").fit_from_moments(source.moments_, source.roles_)
        assert np.allclose(same.coef_, source.coef_)
        with pytest.raises(ParameterError, match="the moments say who is s"):
            TwoStageRegressor(sensitive="a").fit_from_moments(source.moments_, source.roles_)
        with pytest.raises(MomentsError, match="takes Moments"):
            TwoStageRegressor().fit_from_moments(None)

    def test_a_threshold_set_later_is_used(self):
        model = TwoStageClassifier(sensitive="sex", alphas=1.0).fit(X, LABELS).set_params(threshold=99.0)
        assert model.partial_fit(X, LABELS).threshold_ == 99.0

    def test_a_scorer_needs_rows(self):
        model = TwoStageClassifier(sensitive="sex", alphas=[0.1, 10.0], scoring="accuracy")
        with pytest.raises(ParameterError, match="moments alone"):
            model.partial_fit(X, LABELS)
        with pytest.raises(AttributeError, match="chooses alpha by predictions"):
            _ = model.fit(X, LABELS).baseline_

    def test_a_class_weight_serves_chunks_of_one_class(self):
        weights = {"yes": 5.0}
        whole = TwoStageClassifier(sensitive="sex", alphas=1.0, class_weight=weights).fit(X, LABELS)
        model = TwoStageClassifier(sensitive="sex", alphas=1.0, class_weight=weights)
        for label, levels in (("no", {"sex": ["f", "m"]}), ("yes", None)):
            here = label == LABELS
            model.partial_fit(X[here], LABELS[here], classes=["no", "yes"], levels=levels)
        assert np.allclose(model.coef_, whole.coef_)
        with pytest.raises(ParameterError, match="none of the classes"):
            TwoStageClassifier(class_weight={"maybe": 2.0}, alphas=1.0).fit(X, LABELS)


class TestWeightsReachScorers:
    @pytest.mark.parametrize("scoring", ["accuracy", "roc_auc", "balanced_accuracy"])
    def test_weight_k_is_k_copies(self, scoring):
        k = CHANCE.integers(1, 4, N)
        folds = np.arange(N) % 4
        settings = {"sensitive": "sex", "alphas": [0.1, 10.0, 1000.0], "scoring": scoring}
        weighed = TwoStageClassifier(cv=folds, **settings).fit(X, LABELS, k)
        copied = TwoStageClassifier(cv=np.repeat(folds, k), **settings).fit(
            X.loc[X.index.repeat(k)].reset_index(drop=True), np.repeat(LABELS, k)
        )
        assert np.allclose(weighed.cv_results_["mean_score"], copied.cv_results_["mean_score"], atol=1e-12)

    def test_a_scorer_without_weights_says_so(self):
        def mine(estimator, rows, y):
            return float(np.mean(estimator.predict(rows) == y))

        model = TwoStageClassifier(sensitive="sex", alphas=[0.1, 10.0], scoring=mine)
        assert model.fit(X, LABELS).alpha_ in (0.1, 10.0)
        with pytest.raises(ParameterError, match="takes none"):
            model.fit(X, LABELS, np.arange(N) % 3 + 1)


class TestTheTargetIsNoColumn:
    def test_a_series_called_y_is_known_by_its_name(self):
        frame = X.assign(y=LABELS)
        with pytest.raises(RoleError, match='"y" is the target'):
            TwoStageClassifier(sensitive="sex", alphas=1.0).fit(frame, frame["y"])
        model = TwoStageClassifier(sensitive="sex", alphas=1.0).fit(X, frame["y"])
        assert (model.predict(frame) == model.predict(X)).all()


class TestWrappedEstimators:
    @pytest.mark.parametrize("inner", [RandomForestClassifier(5, random_state=0), GaussianNB()])
    def test_scores_come_from_probabilities_where_there_is_no_decision_function(self, inner):
        model = TwoStageClassifier(inner, sensitive="sex")
        assert not hasattr(model, "decision_function")
        found = cross_val_score(model, X, LABELS, scoring="roc_auc", error_score="raise", cv=KFold(3))
        assert ((found > 0.5) & (found <= 1)).all()

    def test_what_it_refuses_is_said_in_our_name(self):
        with pytest.raises(ParameterError, match=r"Ridge could not be fitted on the 2 columns of \(u, z\)"):
            TwoStageClassifier(Ridge(), sensitive="sex").fit(X, LABELS)

    def test_removal_is_of_x_alone(self):
        """With an estimator removal=0 leaves x whole and s out: it is no baseline, and the page says so."""
        free = TwoStageRegressor(LinearRegression(), sensitive="sex", removal=0.0).fit(X, Y).predict(X)
        plain = LinearRegression().fit(X[["a", "b"]], Y).predict(X[["a", "b"]])
        assert np.allclose(free, plain)


BAD_CV = {
    "a row that is not there": [(np.arange(N - 1), np.array([N + 7])), (np.array([0]), np.arange(1, N))],
    "fold ids with None": [None, *(["a", "b"] * N)[: N - 1]],
    "fold ids with NaN": [np.nan, *([0.0, 1.0] * N)[: N - 1]],
}


class TestOurOwnErrors:
    @pytest.mark.parametrize("cv", BAD_CV.values(), ids=BAD_CV.keys())
    def test_bad_folds(self, cv):
        with pytest.raises(ParameterError):
            TwoStageRegressor(sensitive="sex", alphas=[0.1, 1.0], cv=cv).fit(X, Y)

    def test_splits_may_be_masks_or_come_from_a_generator(self):
        expected = TwoStageRegressor(sensitive="sex", alphas=[0.1, 1.0], cv=KFold(3)).fit(X, Y).cv_results_["mse"]
        splits = list(KFold(3).split(X))
        masks = [(~np.isin(np.arange(N), test), np.isin(np.arange(N), test)) for _, test in splits]
        for cv in (masks, KFold(3).split(X)):
            found = TwoStageRegressor(sensitive="sex", alphas=[0.1, 1.0], cv=cv).fit(X, Y).cv_results_["mse"]
            assert np.allclose(found, expected)

    @pytest.mark.parametrize("key", [["a"], 3.5])
    def test_a_fold_key_is_a_name(self, key):
        with pytest.raises(ParameterError, match="fold_key must be the name"):
            TwoStageRegressor(sensitive="sex", alphas=[0.1, 1.0], fold_key=key).fit(X, Y)

    @pytest.mark.parametrize("levels", [{"sex": ["m", "f", 1]}, {"sex": None}, ["m", "f"], {"a": [1, 2]}])
    def test_levels_are_a_dict_of_lists(self, levels):
        with pytest.raises(TwosdrError):
            TwoStageRegressor(sensitive="sex").partial_fit(X, Y, levels=levels)

    @pytest.mark.parametrize(
        ("scoring", "words"), [("neg_log_loss", "asks for probabilities"), ("f1", "pos_label=1 is not a valid label")]
    )
    def test_what_a_scorer_cannot_do_is_said_with_its_name(self, scoring, words):
        with pytest.raises(ParameterError, match=f"scoring='{scoring}' cannot compare these fits: .*{words}"):
            TwoStageClassifier(sensitive="sex", alphas=[0.1, 1.0], scoring=scoring).fit(X, LABELS)

    def test_errors_whose_squares_overflow_are_compared_all_the_same(self):
        found = TwoStageRegressor(sensitive="sex", alphas=[0.1, 10.0]).fit(X, np.where(np.arange(N) == 3, 1e150, 0.0))
        assert np.isfinite(found.cv_results_["std_mse"]).all()
        assert (found.cv_results_["std_mse"] > 0).all()

    def test_scores_are_there_for_every_scoring(self):
        found = TwoStageRegressor(sensitive="sex", alphas=[0.1, 1.0]).fit(X, Y).cv_results_
        assert np.array_equal(found["mean_score"], -found["mean_mse"])

    def test_levels_that_lost_their_rows_are_not_called_known(self):
        model = TwoStageRegressor(sensitive="sex").partial_fit(X, Y)
        gone = (X["sex"] == "m").to_numpy()
        with pytest.warns(UserWarning, match="constant"):
            left = TwoStageRegressor(sensitive="sex").fit(X[~gone], Y[~gone])
        assert left is not None
        model.forget(X[gone], Y[gone])
        with pytest.raises(UnknownLevelError, match=r"Known: \"sex\" in \{'f'\}"):
            model.predict(X)

    def test_an_array_in_the_place_of_a_frame_with_columns_left_out(self):
        model = TwoStageRegressor(sensitive="sex", drop="b").fit(X, Y)
        with pytest.warns(UserWarning, match="feature names"), pytest.raises(TableError, match='left out "b" by name'):
            model.predict(X.to_numpy())

    def test_numbers_too_small_to_square_whatever_the_folds(self):
        tiny = X.assign(b=X["b"] * 1e-170)
        for alphas in (1.0, [0.1, 1.0]):
            with pytest.raises(TableError, match="too small to square"):
                TwoStageRegressor(sensitive="sex", alphas=alphas).fit(tiny, Y)

    def test_more_columns_than_the_guard_admits(self, monkeypatch):
        monkeypatch.setattr("twosdr.moments.LARGEST", 10 * 5**2 * 8 - 1)  # sex=f, sex=m, a, b, y in ten folds
        with pytest.raises(MomentsError, match=r"5 encoded columns in 10 cells need 10 x 5\^2 x 8 bytes"):
            TwoStageRegressor(sensitive="sex", alphas=[0.1, 1.0]).fit(X, Y)
        assert TwoStageRegressor(sensitive="sex").fit(X, Y).rank_ == 3


class TestLabelsThatAreNumbers:
    """A data frame whose columns are called 3, 2 and 1: the numbers are names, not places."""

    FRAME = pd.DataFrame({3: CHANCE.normal(size=N), 2: CHANCE.normal(size=N), 1: CHANCE.normal(size=N)})

    def test_columns_are_matched_by_label(self):
        model = TwoStageRegressor(sensitive=1).fit(self.FRAME, Y)
        assert model.roles_.columns("s") == ("x1",)
        assert np.array_equal(model.predict(self.FRAME[[1, 2, 3]]), model.predict(self.FRAME))
        u = Residualizer(sensitive=1).fit_transform(self.FRAME)
        assert abs(np.corrcoef(u[:, 0], self.FRAME[1])[0, 1]) < 1e-12
