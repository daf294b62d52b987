"""The goals beyond parity at the door: what is refused, what is warned of, and what the attributes say."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import Lasso, LinearRegression, LogisticRegression, PoissonRegressor, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import twosdr
from tests.rooms.samples import answer, frame, people, refused, target
from twosdr import Residualizer, TwoStageClassifier, TwoStageRegressor
from twosdr.errors import (
    DegenerateWarning,
    IdentifiabilityWarning,
    MetricError,
    MomentsError,
    ParameterError,
    TableError,
)


def table(n: int = 300, seed: int = 0):
    """People of whom skill and hours tell the sex well."""
    columns = people(n, seed)
    columns["skill"] = columns["skill"] - 2.0 * (columns["sex"] == "f")
    return frame(columns), target(columns)


X, Y = table()
LABELS = np.where(np.median(Y) < Y, "yes", "no")
TOLD = {"sensitive": "sex", "drop": ["race", "age", "part_time"]}


class TestRemoval:
    @pytest.mark.parametrize(
        "removal",
        [True, "all", None, -0.1, 1.1, np.nan, {}, {"md": 1, "r2": 1}, {"md": "much"}, {"r2": [0.1]}, {"md": []}],
    )
    def test_is_a_share_or_a_target(self, removal):
        answer(lambda: TwoStageRegressor(**TOLD, removal=removal).fit(X, Y), ParameterError, "Got")

    def test_a_name_that_is_nearly_right_is_guessed(self):
        answer(
            lambda: TwoStageRegressor(**TOLD, removal={"md": {"sexx": 1}}).fit(X, Y),
            ParameterError,
            "Did you mean",
            "sex",
        )

    def test_a_target_that_is_met_anyway_removes_nothing(self):
        model = TwoStageRegressor(**TOLD, removal={"md": 100.0}).fit(X, Y)
        assert (model.removal_, model.cost_) == (0.0, 0.0)

    def test_zero_is_everything(self):
        model = TwoStageRegressor(**TOLD, removal={"md": 0.0}).fit(X, Y)
        assert model.removal_ == pytest.approx(1.0, abs=1e-9)
        assert TwoStageRegressor(**TOLD, removal={"r2": 0.0}).fit(X, Y).removal_ == pytest.approx(1.0, abs=1e-5)

    def test_a_transformer_and_a_wrapped_estimator_take_numbers_alone(self):
        answer(lambda: Residualizer(**TOLD, removal={"md": 0.1}).fit(X), ParameterError, "number")
        answer(lambda: TwoStageRegressor(Ridge(), **TOLD, removal={"md": 0.1}).fit(X, Y), ParameterError, "closed form")

    def test_grows_with_the_rows(self):
        model = TwoStageRegressor(**TOLD, removal={"md": 0.2})
        for part in (slice(0, 150), slice(150, 300)):
            model.partial_fit(X[part], Y[part])
        assert model.removal_ == pytest.approx(TwoStageRegressor(**TOLD, removal={"md": 0.2}).fit(X, Y).removal_)

    def test_of_several_targets_the_hardest_decides(self):
        two = np.column_stack([Y, Y + (X["sex"] == "m")])
        model = TwoStageRegressor(**TOLD, removal={"md": 0.2}).fit(X, two)
        score, woman = model.predict(X), (X["sex"] == "f").to_numpy()
        assert abs(score[woman].mean(axis=0) - score[~woman].mean(axis=0)).max() == pytest.approx(0.2)

    def test_moments_alone_do_not_know_the_values_of_a_number(self):
        coded = X.assign(sex=np.where(X["sex"] == "f", 1.0, 2.0))
        fitted = TwoStageRegressor(**TOLD).fit(coded, Y)
        alone = TwoStageRegressor(removal={"md": 0.2})
        answer(lambda: alone.fit_from_moments(fitted.moments_), ParameterError, "moments alone")


class TestIdentifiability:
    def test_is_reported_and_a_good_one_is_no_matter(self):
        model = TwoStageRegressor(**TOLD, at_predict="without").fit(X, Y)
        told = np.corrcoef(
            np.linalg.lstsq(
                np.column_stack([np.ones(300), X[["skill", "hours"]]]), (X["sex"] == "f") * 1.0, rcond=None
            )[0]
            @ np.column_stack([np.ones(300), X[["skill", "hours"]]]).T,
            X["sex"] == "f",
        )[0, 1]
        assert model.identifiability_ == pytest.approx([told])
        assert not hasattr(TwoStageRegressor(**TOLD).fit(X, Y), "identifiability_")

    def test_a_bad_one_is_warned_of_with_its_number_and_price(self):
        weak = X.assign(skill=np.arange(300) % 7, hours=np.random.default_rng(0).normal(size=300))
        with pytest.warns(
            IdentifiabilityWarning, match=r'hardly tell "sex".* is 0\.\d+, below 0.3.*costs \d+%.*between='
        ):
            model = TwoStageRegressor(**TOLD, at_predict="without").fit(weak, Y)
        assert model.identifiability_[0] < 0.3
        with pytest.warns(IdentifiabilityWarning, match="hardly tell"):
            TwoStageRegressor(Lasso(0.01), **TOLD, at_predict="without").fit(weak, Y)

    @pytest.mark.parametrize("asked", [{"removal": 0.0}, {"between": 2.0}])
    def test_what_does_not_remove_does_not_warn(self, asked):
        weak = X.assign(skill=np.arange(300) % 7, hours=np.random.default_rng(0).normal(size=300))
        TwoStageRegressor(**TOLD, at_predict="without", **asked).fit(weak, Y)

    def test_many_groups_that_cost_much_are_named(self):
        rng = np.random.default_rng(1)
        group = rng.integers(0, 6, 4000)
        x = 2 * rng.normal(size=(6, 6))[group] + rng.normal(size=(4000, 6))
        many = {"g": group.astype(str).astype(object), **{f"x{j}": x[:, j] for j in range(6)}}
        with pytest.warns(IdentifiabilityWarning, match=r'5 constraints for "g".*costs \d\d%.*between='):
            TwoStageRegressor(sensitive="g", at_predict="without").fit(many, x.sum(axis=1) + rng.normal(size=4000))


class TestPreview:
    def test_says_before_a_fit_what_one_would_find(self):
        ask = TwoStageRegressor(**TOLD, removal={"md": 0.1}, alphas=2.0)
        family = ask.preview(X, Y).family()
        assert not hasattr(ask, "model_")
        fitted = TwoStageRegressor(**TOLD, alphas=2.0, at_predict="without").fit(X, Y)
        assert family["without s"]["identifiability"] == pytest.approx(fitted.identifiability_.min())
        assert family["without s"]["mse"] == pytest.approx(np.mean((fitted.predict(X) - Y) ** 2))
        assert "identifiability" not in family["unaware"]
        assert "identifiability" not in family["2SDR"]

    def test_goals_at_equal_y_are_told_too_and_a_wrapped_estimator_is_no_matter(self):
        ask = TwoStageClassifier(LogisticRegression(), **TOLD, goal="equalized_odds")
        found = ask.preview(X, LABELS)
        fitted = TwoStageClassifier(**TOLD, goal="equalized_odds", alphas=1.0).fit(X, LABELS)
        assert found["equalized_odds"].identifiability == pytest.approx(fitted.identifiability_)
        assert "identifiability" in repr(found)

    @pytest.mark.filterwarnings("error")
    def test_warns_of_nothing_and_reads_files(self, tmp_path):
        weak = X.assign(skill=np.arange(300) % 7, hours=np.cos(np.arange(300) ** 2), y=Y)
        weak.to_parquet(tmp_path / "rows.parquet")
        ask = TwoStageRegressor(**TOLD)
        here, there = ask.preview(weak, "y"), ask.preview(str(tmp_path / "rows.parquet"), "y")
        assert here.family()["without s"]["identifiability"] < 0.3
        assert here.family()["without s"] == pytest.approx(there.family()["without s"])


class TestGivenY:
    def test_says_how_y_is_held_fixed(self):
        assert TwoStageRegressor(**TOLD, goal="equalized_odds").fit(X, Y).strata_ == "linear"
        model = TwoStageClassifier(**TOLD, goal="equal_opportunity").fit(X, LABELS)
        assert (model.strata_, len(model.identifiability_)) == ("second class", 1)
        assert model.moments_.n_cells == 20  # ten folds of two classes
        assert model.baseline_.moments_.n_cells == 10

    def test_a_class_in_which_s_does_not_vary_is_an_error(self):
        one = LABELS.copy()
        one[(X["sex"] == "f").to_numpy()] = "no"
        ask = TwoStageClassifier(**TOLD, goal="equalized_odds", alphas=1.0)
        answer(lambda: ask.fit(X, one), ParameterError, "y = 'yes'", "does not vary", "rows", "goal='parity'")

    def test_a_group_of_a_few_is_warned_of_with_its_number(self):
        few = np.where(np.arange(300) < 150, LABELS, "no").astype(object)
        woman = np.flatnonzero((X["sex"] == "f").to_numpy())
        few[woman] = "no"
        few[woman[:4]] = "yes"
        with pytest.warns(DegenerateWarning, match=r"sex=f in y = 'yes' \(about 4 of \d+ rows\)"):
            TwoStageClassifier(**TOLD, goal="equal_opportunity", alphas=1.0, class_weight="balanced").fit(X, few)
        coded = X.assign(sex=np.where(X["sex"] == "f", 1.0, 0.0))
        with pytest.warns(DegenerateWarning, match=r"sex=1 in y = 'yes' \(about 4 of \d+ rows\)"):
            TwoStageClassifier(**TOLD, goal="equal_opportunity", alphas=1.0, class_weight="balanced").fit(coded, few)

    def test_a_number_that_leaves_nothing_of_s_is_an_error_and_one_that_few_rows_have_a_warning(self):
        ask = TwoStageRegressor(**TOLD, goal="equalized_odds")
        answer(
            lambda: ask.fit(X, (X["sex"] == "f").to_numpy() * 2.0 + 1.0),
            ParameterError,
            "at equal y",
            "sex",
            "goal='parity'",
        )
        few = X.assign(sex=np.where(np.arange(300) < 5, "f", "m"))
        with pytest.warns(DegenerateWarning, match=r"fewer than 10 rows: sex=f \(about 5 of 300 rows\)"):
            ask.fit(few, Y)

    def test_more_than_two_classes_are_refused(self):
        three = np.digitize(Y, np.quantile(Y, [0.3, 0.6]))
        answer(
            lambda: TwoStageClassifier(**TOLD, goal="equalized_odds").fit(X, three), ParameterError, "two classes", "3"
        )
        answer(
            lambda: TwoStageClassifier(LogisticRegression(), **TOLD, goal="equalized_odds").fit(X, three),
            *(ParameterError, "two classes", "3"),
        )

    def test_several_targets_are_refused(self):
        two = np.column_stack([Y, Y])
        answer(lambda: TwoStageRegressor(**TOLD, goal="equalized_odds").fit(X, two), ParameterError, "several columns")

    def test_moments_that_do_not_know_the_classes_are_refused(self):
        plain = TwoStageClassifier(**TOLD, alphas=1.0).fit(X, LABELS)
        ask = TwoStageClassifier(goal="equalized_odds", alphas=1.0)
        answer(lambda: ask.fit_from_moments(plain.moments_, plain.roles_), MomentsError, "by class of y", "1 cells")

    def test_the_first_rows_may_hold_one_class(self):
        model = TwoStageClassifier(**TOLD, goal="equalized_odds", alphas=1.0)
        for label in ("no", "yes"):
            model.partial_fit(X[label == LABELS], LABELS[label == LABELS], classes=["no", "yes"])
        whole = TwoStageClassifier(**TOLD, goal="equalized_odds", alphas=1.0).fit(X, LABELS)
        assert np.allclose(model.coef_, whole.coef_)


class TestWrapped:
    @pytest.mark.parametrize(
        "inner",
        [
            GradientBoostingClassifier(n_estimators=2),
            make_pipeline(StandardScaler(), GradientBoostingClassifier(n_estimators=2)),
        ],
    )
    def test_what_bends_is_refused_with_the_reason(self, inner):
        ask = TwoStageClassifier(inner, **TOLD, goal="equalized_odds")
        answer(lambda: ask.fit(X, LABELS), ParameterError, "has to be linear", "bends", "LogisticRegression")

    def test_a_link_bends_too(self):
        ask = TwoStageRegressor(PoissonRegressor(), **TOLD, at_predict="without")
        answer(lambda: ask.fit(X, np.exp(Y / 4)), ParameterError, "score of PoissonRegressor is not")

    def test_probabilities_and_a_pipeline_work(self):
        for inner in (LogisticRegression(), make_pipeline(StandardScaler(), LogisticRegression())):
            model = TwoStageClassifier(inner, **TOLD, goal="equal_opportunity", at_predict="without").fit(X, LABELS)
            assert model.predict_proba(X.drop(columns="sex")).shape == (300, 2)
            assert model.score(X, LABELS) > 0.6
            assert not model.needs_sensitive_
        assert not hasattr(model, "coef_")

    def test_levels_mix_two_models_by_their_coefficients(self):
        asked = {**TOLD, "goal": "equalized_odds"}
        ends = [TwoStageClassifier(LogisticRegression(), **asked, removal=r).fit(X, LABELS) for r in (0.0, 1.0, 0.25)]
        none, whole, part = (m.decision_function(X) for m in ends)
        assert np.allclose(part, 0.25 * whole + 0.75 * none)
        pipe = make_pipeline(StandardScaler(), LogisticRegression())
        answer(
            lambda: TwoStageClassifier(pipe, **asked, removal=0.5).fit(X, LABELS), ParameterError, "Pipeline", "coef_"
        )

    def test_several_classes_have_parity_without_s(self):
        three = np.digitize(Y, np.quantile(Y, [0.3, 0.6]))
        model = TwoStageClassifier(LogisticRegression(), **TOLD, at_predict="without").fit(X, three)
        woman = (X["sex"] == "f").to_numpy()
        score = model.decision_function(X)
        assert abs(score[woman].mean(axis=0) - score[~woman].mean(axis=0)).max() < 1e-10

    def test_nothing_left_is_said(self):
        only = X[["sex", "skill"]]
        ask = TwoStageRegressor(Ridge(), sensitive="sex", at_predict="without")
        answer(lambda: ask.fit(only, Y), TableError, "1 features")

    def test_missing_values_are_named_at_predict(self):
        model = TwoStageClassifier(LogisticRegression(), **TOLD, goal="equalized_odds").fit(X, LABELS)
        gaps = X.assign(skill=np.where(np.arange(300) == 3, np.nan, X["skill"]))
        with refused(TableError, "skill"):
            model.predict(gaps)


class TestNearCopies:
    @pytest.mark.parametrize("kind", [TwoStageRegressor, Residualizer])
    def test_a_column_that_copies_z_is_named_in_the_raw_reading(self, kind):
        near = X.assign(copy=X["hours"] + 0.05 * np.arange(300) / 300)
        asked = {"sensitive": "sex", "explanatory": "hours", "drop": ["race", "age", "part_time"]}
        with pytest.warns(IdentifiabilityWarning, match=r"u\(copy\) and hours \((0\.9\d|1\.00)\)"):
            kind(**asked, explanatory_mode="raw").fit(near, Y)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            kind(**asked, explanatory_mode="joint").fit(near, Y)

    def test_also_where_s_explains_most_of_z(self):
        rng = np.random.default_rng(2)
        s = rng.choice(["a", "b"], 500)
        z = 3.0 * (s == "a") + rng.normal(
            size=500
        )  # a copy of it, less what s explains, has a correlation of .55 with z
        columns = {"s": s.astype(object), "z": z, "x": z + 0.01 * rng.normal(size=500)}
        with pytest.warns(IdentifiabilityWarning, match=r"u\(x\) and z \(1\.00\)"):
            TwoStageRegressor(sensitive="s", explanatory="z", explanatory_mode="raw").fit(
                columns, z + rng.normal(size=500)
            )


class TestFrontier:
    def test_wants_levels_in_range(self):
        model = TwoStageRegressor(**TOLD).fit(X, Y)
        for levels in (1, [], [2.0], [[0.5]], [-0.1]):
            with refused(ParameterError, "levels"):
                model.frontier(levels=levels)

    def test_says_what_it_lacks(self):
        model = TwoStageRegressor(**TOLD).fit(X, Y)
        with refused(ParameterError, "by fold"):
            model.frontier(held_out=True)
        with refused(ParameterError, "needs y"):
            model.frontier(X)
        with refused(ParameterError, "no sensitive columns"):
            TwoStageRegressor(drop=["race"]).fit(X, Y).frontier()
        with refused(ParameterError, "fitted on rows"):
            TwoStageRegressor(Ridge(), **TOLD).fit(X, Y).frontier()
        with pytest.raises(NotFittedError):
            TwoStageRegressor().frontier()

    def test_rows_of_another_table_are_coded_as_in_training(self):
        model = TwoStageClassifier(**TOLD, alphas=1.0).fit(X, LABELS)
        here, there = model.frontier(levels=[0.0, 1.0]), model.frontier(X, LABELS, levels=[0.0, 1.0])
        assert [r["mse"] for r in here.rows()] == pytest.approx([r["mse"] for r in there.rows()])
        assert there.rows_of == "given rows"
        with refused(ParameterError, "none of the classes"):
            model.frontier(X, np.full(300, "perhaps"))

    @pytest.mark.parametrize("weights", ["balanced", {"yes": 3.0}])
    def test_the_training_rows_given_again_have_the_weights_of_the_fit(self, weights):
        model = TwoStageClassifier(**TOLD, alphas=1.0, class_weight=weights).fit(
            X, np.where(Y > 1.2 * Y.mean(), "yes", "no")
        )
        here, there = model.frontier(levels=3), model.frontier(X, np.where(Y > 1.2 * Y.mean(), "yes", "no"), levels=3)
        assert [r["mse"] for r in here.rows()] == pytest.approx([r["mse"] for r in there.rows()])

    def test_where_nothing_is_left_nothing_is_explained(self):
        with pytest.warns(IdentifiabilityWarning, match="100%"):
            model = TwoStageRegressor(sensitive="race", drop=["sex", "part_time", "age"], at_predict="without").fit(
                X, Y
            )
        assert (model.coef_ == 0).all()
        assert model.frontier().family()["without s"]["r2_s"] == 0.0


class TestNamesOfColumns:
    def test_go_where_they_go_in_fit(self):
        rows, weight = X.assign(y=Y, w=np.linspace(0.5, 2, 300)), np.linspace(0.5, 2, 300)
        model = TwoStageRegressor(**TOLD).fit(rows, "y", "w")
        assert np.array_equal(model.summary(rows, "y", "w").se, model.summary(X, Y, weight).se)
        assert model.frontier(rows, "y", "w", levels=2).rows() == model.frontier(X, Y, weight, levels=2).rows()

    def test_a_file_is_refused_with_what_to_do(self):
        model = TwoStageRegressor(**TOLD).fit(X, Y)
        for ask in (model.summary, model.frontier):
            with refused(ParameterError, "rows at hand", "data frame"):
                ask("rows.csv", "y")


class TestSummary:
    def test_prints_and_turns_into_a_frame(self):
        summary = TwoStageRegressor(**TOLD).fit(X, Y).summary(X, Y)
        assert summary.names == ("sex=f", "sex=m", "skill", "hours", "(intercept)")
        assert "sandwich, robust" in repr(summary)
        assert "<td>skill</td>" in summary._repr_html_()
        of_frame = summary.to_pandas()
        assert np.isnan(of_frame.loc["sex=f", "se"])  # the reference, zero by construction
        assert (of_frame["low"] < of_frame["estimate"])[["skill", "hours"]].all()

    def test_other_rows_than_those_of_the_fit_are_refused(self):
        model = TwoStageRegressor(**TOLD).fit(X, Y)
        for other in (X[:100], X.assign(skill=X["skill"] + 1)):
            with refused(MetricError, "not the rows of the fit"):
                model.summary(other, Y[: len(other)])
        wrapped = TwoStageRegressor(LinearRegression(), **TOLD).fit(X, Y)
        with refused(MetricError, "not the rows of the fit"):
            wrapped.summary(X[:100], Y[:100])
        for one in (model, wrapped, TwoStageRegressor(**TOLD, at_predict="without").fit(X, Y)):
            with refused(MetricError, "another order than X"):
                one.summary(X, Y[::-1])

    def test_no_formula_is_said_and_the_bootstrap_named(self):
        for model, reason in (
            (TwoStageRegressor(**TOLD, alphas=1.0), "a penalty"),
            (TwoStageRegressor(**TOLD, removal={"md": 0.1}), "a target"),
            (TwoStageRegressor(**TOLD, at_predict="without", between=1.0), "between="),
            (TwoStageRegressor(Ridge(), **TOLD), "a wrapped Ridge"),
        ):
            with refused(ParameterError, reason, "bootstrap"):
                model.fit(X, Y).summary(X, Y, method="sandwich")
            assert reason in model.summary(X, Y, times=3, random_state=0).method

    def test_nearly_collinear_constraints_have_no_errors_and_the_reason(self):
        weak = X.assign(skill=np.arange(300) % 7, hours=np.cos(np.arange(300) ** 2))
        with pytest.warns(IdentifiabilityWarning):
            model = TwoStageRegressor(**TOLD, at_predict="without").fit(weak, Y)
        model.identifiability_ = np.array([0.004])
        summary = model.summary(weak, Y)
        assert summary.se is None
        assert summary.low is None
        assert "0.004" in summary.why
        assert "no standard errors" in repr(summary)
        assert summary.rows()[0]["se"] is None

    @pytest.mark.parametrize(
        ("asked", "words"),
        [
            ({"cluster": [1, 2]}, ("cluster", "300 rows")),
            ({"cluster": np.where(np.arange(300) < 3, np.nan, 1.0)}, ("cluster", "3 missing")),
            ({"confidence": 95}, ("confidence", "95")),
            ({"method": "exact"}, ("method", "exact")),
            ({"method": "bootstrap", "times": 1}, ("times", "1")),
        ],
    )
    def test_odd_settings_are_named(self, asked, words):
        with refused(ParameterError, *words):
            TwoStageRegressor(**TOLD).fit(X, Y).summary(X, Y, **asked)

    def test_columns_that_hardly_differ_have_a_bootstrap(self):
        """From moments of two columns 1e-7 apart the formula would give errors a million times too small."""
        rng = np.random.default_rng(6)
        x = rng.normal(size=(400, 2))
        table = np.column_stack([x[:, 0] > 0, x, x[:, 1] + 1e-7 * rng.normal(size=400)])
        y = x.sum(axis=1) + rng.normal(size=400)
        summary = TwoStageRegressor(sensitive=[0]).fit(table, y).summary(table, y, times=30, random_state=0)
        assert "nearly dependent" in summary.method
        exact = 1.0 / (1e-7 * np.sqrt(400))  # of either, for unit noise
        assert (np.abs(np.log(summary.se[2:4] / exact)) < 0.7).all()

    def test_one_cluster_and_too_few_rows_are_refused(self):
        model = TwoStageRegressor(**TOLD).fit(X, Y)
        with refused(MetricError, "One cluster"):
            model.summary(X, Y, cluster=np.zeros(300))
        few = X[:4].assign(sex=["f", "m", "f", "m"])
        with refused(MetricError, "4 rows"):
            TwoStageRegressor(**TOLD).fit(few, Y[:4]).summary(few, Y[:4])

    def test_several_scores_are_refused(self):
        two = np.column_stack([Y, -Y])
        with refused(ParameterError, "one score"):
            TwoStageRegressor(**TOLD).fit(X, two).summary(X, two)
        with refused(ParameterError, "coefficients of one score"):
            TwoStageClassifier(GradientBoostingClassifier(n_estimators=2), **TOLD).fit(X, LABELS).summary(X, LABELS)

    @pytest.mark.parametrize("weights", ["balanced", {"yes": 3.0}])
    def test_class_weights_are_weights(self, weights):
        ask = TwoStageClassifier(**TOLD, goal="equal_opportunity", alphas=0.0)
        label = np.where(Y > 1.2 * Y.mean(), "yes", "no")
        same = {"balanced": {c: 150 / (label == c).sum() for c in ("no", "yes")}}.get(
            str(weights), {"no": 1.0, "yes": 3.0}
        )
        by_row = np.where(label == "yes", same["yes"], same["no"])
        mine = clone(ask).set_params(class_weight=weights).fit(X, label).summary(X, label)
        assert np.allclose(mine.se, ask.fit(X, label, by_row).summary(X, label, by_row).se)

    def test_weights_of_zero_are_rows_that_are_not_there(self):
        weight = (np.arange(300) % 3 > 0).astype(float)
        some = TwoStageRegressor(**TOLD).fit(X, Y, weight).summary(X, Y, weight, cluster=np.arange(300) // 4)
        keep = weight > 0
        rest = (
            TwoStageRegressor(**TOLD)
            .fit(X[keep], Y[keep])
            .summary(X[keep], Y[keep], cluster=(np.arange(300) // 4)[keep])
        )
        assert np.allclose(some.se, rest.se)
        assert (some.n, some.df) == (rest.n, rest.df)


@pytest.mark.filterwarnings("ignore::twosdr.errors.ChoiceWarning")
class TestTravels:
    @pytest.mark.parametrize(
        "asked",
        [
            {"goal": "equalized_odds"},
            {"goal": "equal_opportunity", "at_predict": "without"},
            {"removal": {"md": 0.1}},
            {"at_predict": "without", "between": 2.0},
        ],
        ids=str,
    )
    def test_a_file_gives_the_fit_of_its_rows_and_a_saved_model_its_predictions(self, asked, tmp_path):
        rows = X.assign(y=LABELS)
        rows.to_parquet(tmp_path / "rows.parquet")
        of_file = TwoStageClassifier(**TOLD, **asked).fit(str(tmp_path / "rows.parquet"), "y")
        of_rows = TwoStageClassifier(**TOLD, **asked).fit(X, LABELS)
        assert np.allclose(of_file.coef_, of_rows.coef_, rtol=1e-10)
        assert (of_file.removal_, getattr(of_file, "strata_", None)) == (
            pytest.approx(of_rows.removal_),
            getattr(of_rows, "strata_", None),
        )
        of_rows.save(tmp_path / "model.json")
        again = twosdr.load(tmp_path / "model.json")
        assert (again.decision_function(X) == of_rows.decision_function(X)).all()
        assert again.removal_ == of_rows.removal_
        with pytest.raises(AttributeError, match="no moments"):
            again.frontier()

    def test_sparse_rows_give_the_fit_of_dense_ones(self):
        rng = np.random.default_rng(2)
        dense = np.column_stack([X["sex"] == "f", X["skill"], X["hours"], (rng.random((300, 2)) < 0.2)]).astype(float)
        sparse = sp.csr_array(dense)
        for asked in ({"goal": "equalized_odds"}, {"at_predict": "without", "between": 2.0}):
            ask = TwoStageClassifier(sensitive=[0], alphas=0.0, **asked)
            found, expected = ask.fit(sparse, LABELS).coef_, ask.fit(dense, LABELS).coef_
            assert np.allclose(found, expected)
