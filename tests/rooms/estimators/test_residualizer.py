"""estimators/residualizer.py: what is left of x, in any container; there and back; group variances."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from fairlearn.preprocessing import CorrelationRemover
from sklearn.base import clone
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from tests.rooms.samples import CONTAINERS, NUMERIC, answer, frame, numbers, people, refused, same, target
from twosdr import Residualizer, TwoStageRegressor
from twosdr.errors import (
    ColumnError,
    DegenerateWarning,
    DroppedColumnWarning,
    KindError,
    MissingValueError,
    ParameterError,
    TableError,
    TwosdrError,
    UnknownLevelError,
)

ROWS = frame()
LATER = frame(people(n=40, seed=7))
Y = target(people())
X_NAMES = ["age", "skill", "hours"]
ZERO = 1e-13


def correlations(a, b):
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    a, b = a - a.mean(axis=0), b - b.mean(axis=0)
    return (a / np.linalg.norm(a, axis=0)).T @ (b / np.linalg.norm(b, axis=0))


class TestTheDropIn:
    """CorrelationRemover's users find the same numbers, and with several s, better ones."""

    def test_one_numeric_s_gives_fairlearns_numbers(self):
        X = ROWS[X_NAMES]
        theirs = CorrelationRemover(sensitive_feature_ids=["age"]).fit(X)
        ours = Residualizer(sensitive="age").fit(X)
        later = LATER[X_NAMES]
        assert same(ours.transform(X), theirs.transform(X), 1e-12)
        assert same(ours.transform(later), theirs.transform(later), 1e-12)

    @pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
    def test_removal_is_fairlearns_alpha(self, share):
        X = ROWS[X_NAMES]
        theirs = CorrelationRemover(sensitive_feature_ids=["age"], alpha=share).fit_transform(X)
        assert same(Residualizer(sensitive="age", removal=share).fit_transform(X), theirs, 1e-12)

    def test_in_a_pipeline_the_predictions_are_the_same(self):
        X, later = ROWS[X_NAMES], LATER[X_NAMES]
        theirs = make_pipeline(CorrelationRemover(sensitive_feature_ids=["age"]), StandardScaler(), LinearRegression())
        ours = make_pipeline(Residualizer(sensitive="age"), StandardScaler(), LinearRegression())
        assert same(ours.fit(X, Y).predict(later), theirs.fit(X, Y).predict(later), 1e-12)

    def test_two_s_of_different_means_stay_uncorrelated_with_what_is_left(self):
        X = np.column_stack([ROWS["sex"] == "f", ROWS["age"] * 1.0, ROWS["skill"], ROWS["hours"]])
        ours = Residualizer(sensitive=[0, 1]).fit_transform(X)
        assert np.abs(correlations(X[:, :2], ours)).max() < ZERO

    def test_offsets_of_a_thousand_million_leave_no_correlation(self):
        X = ROWS[X_NAMES].to_numpy() + 1e9
        assert np.abs(correlations(X[:, :1], Residualizer(sensitive=0).fit_transform(X))).max() < 1e-6

    def test_grid_search_over_removal_runs_with_errors_raised(self):
        line = make_pipeline(Residualizer(sensitive="age"), LinearRegression())
        search = GridSearchCV(line, {"residualizer__removal": [0.0, 0.5, 1.0]}, error_score="raise", cv=3)
        assert np.isfinite(search.fit(ROWS[X_NAMES], Y).cv_results_["mean_test_score"]).all()


class TestWhatIsLeft:
    """u by its definition."""

    def test_least_squares_on_the_groups(self):
        out = Residualizer(sensitive="sex").fit(ROWS[["sex", *X_NAMES]])
        means, whole = ROWS.groupby("sex")[X_NAMES].mean(), ROWS[X_NAMES].mean()
        for rows in (ROWS, LATER, LATER[3:4]):
            expected = rows[X_NAMES].to_numpy() - means.loc[rows["sex"]].to_numpy() + whole.to_numpy()
            assert same(out.transform(rows[["sex", *X_NAMES]]), expected, 1e-13)

    @pytest.mark.parametrize("removal", [0.0, 0.25, 1.0])
    def test_removal_takes_off_a_share(self, removal):
        X = ROWS[["sex", *X_NAMES]]
        part, none, all_ = (Residualizer(sensitive="sex", removal=r).fit_transform(X) for r in (removal, 0.0, 1.0))
        assert same(none, X[X_NAMES], 1e-14)
        assert same(part, (1 - removal) * none + removal * all_, 1e-13)
        before, after = (np.abs(correlations(X[["sex"]] == "f", a)) for a in (none, part))
        assert (after <= before + ZERO).all()

    def test_z_comes_behind_and_is_untouched(self):
        out = Residualizer(sensitive="sex", explanatory="hours").fit(ROWS)
        assert out.get_feature_names_out()[-1] == "hours"
        u = out.transform(ROWS)
        assert u[:, -1].tolist() == ROWS["hours"].tolist()
        assert np.abs(correlations(np.column_stack([ROWS["sex"] == "f", ROWS["hours"]]), u[:, :-1])).max() < ZERO

    def test_raw_takes_off_s_alone(self):
        out = Residualizer(sensitive="sex", explanatory="hours", explanatory_mode="raw").fit(ROWS)
        plain = Residualizer(sensitive="sex", drop="hours").fit(ROWS)
        assert same(out.transform(ROWS)[:, :-1], plain.transform(ROWS), 1e-13)
        assert np.abs(correlations(ROWS[["hours"]], out.transform(ROWS)[:, :-1])).max() > 0.01

    def test_without_s_and_z_nothing_is_taken_off(self):
        assert same(Residualizer().fit_transform(ROWS[X_NAMES]), ROWS[X_NAMES], 1e-14)

    def test_B_is_named(self):
        out = Residualizer(sensitive=["sex", "age"], explanatory="hours").fit(ROWS)
        v_names, x_names = out.B_names_
        assert out.B_.shape == (len(v_names), len(x_names))
        assert (v_names[:3], v_names[-1]) == (("sex=f", "sex=m", "age"), "hours")
        assert "skill" in x_names

    def test_one_row_equals_the_row_in_a_batch(self):
        out = Residualizer(sensitive=["sex", "age"], explanatory="hours", variance_correction="sex").fit(ROWS)
        whole = out.transform(LATER)
        for k in range(len(LATER)):
            assert same(out.transform(LATER[k : k + 1]), whole[k : k + 1], 1e-14)

    def test_a_batch_of_one_group_is_answered_like_any_other(self):
        out = Residualizer(sensitive="sex").fit(ROWS)
        women = (LATER["sex"] == "f").to_numpy()
        assert same(out.transform(LATER[women]), out.transform(LATER)[women], 1e-14)

    def test_weights_count_rows(self):
        weight = np.arange(60) % 3
        heavy = Residualizer(sensitive="sex").fit(ROWS, sample_weight=weight)
        copies = Residualizer(sensitive="sex").fit(ROWS.loc[np.repeat(np.arange(60), weight)])
        assert same(heavy.transform(LATER), copies.transform(LATER), 1e-12)


class TestContainers:
    """The same numbers from every container, in the container asked for."""

    @pytest.mark.parametrize("container", CONTAINERS)
    def test_the_same_numbers(self, container):
        X = CONTAINERS[container](people())
        out = Residualizer(sensitive="sex", explanatory="race").fit(X)
        expected = Residualizer(sensitive="sex", explanatory="race").fit(ROWS)
        assert out.get_feature_names_out().tolist() == expected.get_feature_names_out().tolist()
        assert same(out.transform(X), expected.transform(ROWS), 1e-13)

    @pytest.mark.parametrize("container", [name for name in NUMERIC if "cs" not in name and "coo" not in name])
    def test_the_same_numbers_from_numbers(self, container):
        X = NUMERIC[container](numbers(people()))
        expected = Residualizer(sensitive=0).fit_transform(numbers(people()))
        assert same(Residualizer(sensitive=0).fit_transform(X), expected, 1e-13)

    @pytest.mark.parametrize("container", ["pandas object", "polars", "pyarrow", "dict of lists"])
    def test_the_container_asked_for(self, container):
        X = CONTAINERS[container](people())
        plain = Residualizer(sensitive="sex").fit_transform(X)
        pandas = Residualizer(sensitive="sex").set_output(transform="pandas").fit_transform(X)
        polars = Residualizer(sensitive="sex").set_output(transform="polars").fit_transform(X)
        assert [type(plain), type(pandas), type(polars)] == [np.ndarray, pd.DataFrame, pl.DataFrame]
        names = ["u(race=other)", "u(race=white)", "u(age)", "u(skill)", "u(hours)", "u(part_time=True)"]
        assert list(pandas.columns) == polars.columns == names
        assert np.array_equal(pandas.to_numpy(), plain)
        assert np.array_equal(polars.to_numpy(), plain)

    def test_the_index_of_pandas_is_kept(self):
        out = Residualizer(sensitive="sex").set_output(transform="pandas").fit_transform(ROWS.set_axis(range(100, 160)))
        assert out.index.tolist() == list(range(100, 160))

    @pytest.mark.parametrize("kind", [sp.csr_array, sp.csc_matrix, sp.coo_array])
    def test_a_sparse_table_is_refused_with_the_way_out(self, kind):
        X = numbers(people())
        with refused(KindError, "sparse", "TwoStageRegressor", "toarray"):
            Residualizer(sensitive=0).fit(kind(X))

    def test_a_sparse_table_is_refused_at_transform_or_answered(self):
        X = numbers(people())
        out = Residualizer(sensitive=0).fit(X)
        found = answer(lambda: out.transform(sp.csr_array(X)), KindError, "sparse")
        assert found is None or same(found, out.transform(X), 1e-13)


class TestThereAndBack:
    """inverse_transform gives back the encoded columns of x, then z."""

    SETTINGS = (
        {"sensitive": "age"},
        {"sensitive": "sex"},
        {"sensitive": ["sex", "age", "race"]},
        {"sensitive": "sex", "removal": 0.3},
        {"sensitive": "sex", "removal": 0.0},
        {"sensitive": "sex", "explanatory": "hours"},
        {"sensitive": "sex", "explanatory": ["hours", "race"]},
        {"sensitive": ["sex", "age"], "explanatory": "hours", "explanatory_mode": "raw"},
        {"sensitive": "sex", "variance_correction": True},
        {"sensitive": ["sex", "race"], "variance_correction": "race", "explanatory": "hours", "removal": 0.6},
    )

    @pytest.mark.parametrize("settings", SETTINGS, ids=str)
    @pytest.mark.parametrize("rows", [ROWS, LATER, LATER[5:6]], ids=["training", "later", "one row"])
    def test_round_trip(self, settings, rows):
        out = Residualizer(**settings).fit(ROWS)
        s = rows[settings["sensitive"]]
        back = out.inverse_transform(out.transform(rows), sensitive_features=s)
        names = [name.removeprefix("u(").removesuffix(")") for name in out.get_feature_names_out()]
        expected = np.column_stack(
            [rows[n] if n in rows else rows[n.split("=")[0]].astype(str) == n.split("=")[1] for n in names]
        )
        assert same(back, expected.astype(float), 1e-12)

    @pytest.mark.parametrize("output", ["pandas", "polars"])
    def test_a_data_frame_is_taken_back(self, output):
        out = Residualizer(sensitive="sex", explanatory="hours").set_output(transform=output).fit(ROWS)
        back = out.inverse_transform(out.transform(ROWS), sensitive_features=ROWS["sex"])
        assert same(np.asarray(back)[:, -1], ROWS["hours"], 1e-13)

    def test_named_columns_in_another_order_are_put_in_order_or_refused(self):
        out = Residualizer(sensitive="sex").set_output(transform="pandas").fit(ROWS)
        u = out.transform(ROWS)
        expected = out.inverse_transform(u, sensitive_features=ROWS["sex"])
        turned = u[u.columns[::-1]]
        back = answer(lambda: out.inverse_transform(turned, sensitive_features=ROWS["sex"]), TwosdrError, "u(")
        assert back is None or same(back, expected, 1e-13)

    @pytest.mark.parametrize(
        "form", [list, np.asarray, pl.Series, lambda s: s.astype("category"), lambda s: {"sex": s}]
    )
    def test_s_comes_in_any_form(self, form):
        out = Residualizer(sensitive="sex").fit(ROWS)
        expected = out.inverse_transform(out.transform(ROWS), sensitive_features=ROWS[["sex"]])
        assert np.array_equal(
            out.inverse_transform(out.transform(ROWS), sensitive_features=form(ROWS["sex"])), expected
        )

    def test_s_is_matched_by_name(self):
        out = Residualizer(sensitive=["sex", "race"]).fit(ROWS)
        u = out.transform(ROWS)
        assert np.array_equal(
            out.inverse_transform(u, sensitive_features=ROWS[["race", "sex"]]),
            out.inverse_transform(u, sensitive_features=ROWS[["sex", "race"]]),
        )

    def test_what_does_not_fit_is_refused(self):
        out = Residualizer(sensitive="sex").fit(ROWS)
        u = out.transform(ROWS)
        with refused(TableError, "5 columns", "6"):
            out.inverse_transform(u[:, :5], sensitive_features=ROWS["sex"])
        with refused(TableError, "60 rows", "3"):
            out.inverse_transform(u, sensitive_features=ROWS["sex"][:3])
        with refused(TableError, "2 columns", '"sex"'):
            out.inverse_transform(u, sensitive_features=ROWS[["age", "race"]])
        with refused(UnknownLevelError, '"sex"', "'x' (60 rows)"):
            out.inverse_transform(u, sensitive_features=["x"] * 60)
        with refused(KindError, '"sex"', "text", "numbers"):
            out.inverse_transform(u, sensitive_features=[1] * 60)
        with refused(KindError):
            out.inverse_transform(u.astype(str), sensitive_features=ROWS["sex"])

    @pytest.mark.parametrize("value", [np.nan, np.inf])
    def test_a_number_that_is_missing_is_refused(self, value):
        out = Residualizer(sensitive="age").fit(ROWS[X_NAMES])
        u = out.transform(ROWS[X_NAMES])
        with refused(MissingValueError, '"age" (60 rows)'):
            out.inverse_transform(u, sensitive_features=np.full(60, value))


class TestVarianceCorrection:
    """Each u, group by group, brought to its pooled deviation."""

    @pytest.mark.parametrize("s", ["sex", "race", "part_time"])
    def test_deviations_are_equal_in_every_group_and_means_too(self, s):
        X = ROWS[[s, *X_NAMES]]
        out = Residualizer(sensitive=s, variance_correction=True)
        u = pd.DataFrame(out.fit_transform(X), columns=X_NAMES)
        plain = Residualizer(sensitive=s).fit_transform(X)
        groups = u.groupby(X[s])
        assert np.allclose(groups.std(ddof=0), plain.std(axis=0), rtol=1e-12, atol=0)
        assert same(groups.mean(), np.tile(plain.mean(axis=0), (groups.ngroups, 1)), 1e-12)

    def test_a_two_valued_number_counts_as_groups(self):
        coded = ROWS[X_NAMES].assign(sex=np.where(ROWS["sex"] == "f", 7.5, -2))
        one = Residualizer(sensitive="sex", variance_correction=True).fit_transform(coded)
        other = Residualizer(sensitive="sex", variance_correction=True).fit_transform(ROWS[["sex", *X_NAMES]])
        assert same(one, other, 1e-12)

    def test_new_rows_are_scaled_by_the_training_groups(self):
        X = ROWS[["sex", *X_NAMES]]
        out = Residualizer(sensitive="sex", variance_correction=True).fit(X)
        plain = Residualizer(sensitive="sex").fit(X)
        women = (ROWS["sex"] == "f").to_numpy()
        u = plain.transform(X)
        factors = u.std(axis=0) / u[women].std(axis=0)
        row = LATER[LATER["sex"] == "f"][["sex", *X_NAMES]][:1]
        centre = ROWS[X_NAMES].mean().to_numpy()
        assert same(out.transform(row), (plain.transform(row) - centre) * factors + centre, 1e-12)

    def test_of_several_groupings_one_is_named(self):
        with refused(ParameterError, '"sex", "race"', "variance_correction='sex'"):
            Residualizer(sensitive=["sex", "race"], variance_correction=True).fit(ROWS)
        X = ROWS[["sex", "race", *X_NAMES]]
        u = Residualizer(sensitive=["sex", "race"], variance_correction="race").fit_transform(X)
        spread = pd.DataFrame(u).groupby(ROWS["race"]).apply(lambda g: ((g - u.mean(axis=0)) ** 2).mean())
        assert np.allclose(spread, spread.iloc[0], rtol=0.5)

    def test_columns_constant_within_a_group_go_by_name(self):
        women = ROWS["sex"] == "f"
        X = ROWS.assign(births=np.where(women, np.arange(60) % 4, 0), service=np.where(women, 0, np.arange(60) % 2))
        with pytest.warns(DroppedColumnWarning, match='"births", "service"'):
            out = Residualizer(sensitive="sex", variance_correction=True).fit(X)
        assert {name for name, why in out.dropped_.items() if "within a group" in why} == {"births", "service"}
        assert "u(births)" not in out.get_feature_names_out()

    def test_when_every_column_goes_that_is_an_error(self):
        X = {"sex": ["f", "m"] * 10, "a": [0, 1, 0, 2] * 5}
        with refused(TableError, "variance_correction", "constant within a group"):
            Residualizer(sensitive="sex", variance_correction=True).fit(X)

    def test_an_unknown_group_is_not_scaled(self):
        settings = {"sensitive": "sex", "handle_unknown": "mean"}
        out = Residualizer(variance_correction=True, **settings).fit(ROWS)
        stranger = LATER[:3].assign(sex="x")
        assert same(out.transform(stranger), Residualizer(**settings).fit(ROWS).transform(stranger), 1e-13)

    def test_missing_s_is_a_group_of_its_own(self):
        X = ROWS[["sex", *X_NAMES]].assign(sex=[None] * 9 + ROWS["sex"].tolist()[9:])
        u = Residualizer(sensitive="sex", variance_correction=True, handle_missing="category").fit_transform(X)
        plain = Residualizer(sensitive="sex", handle_missing="category").fit_transform(X)
        assert np.allclose(u[:9].std(axis=0), plain.std(axis=0), rtol=1e-12)

    def test_a_group_number_that_is_missing_is_called_missing(self):
        coded = ROWS[X_NAMES].assign(sex=np.where(ROWS["sex"] == "f", 1.0, 2.0))
        gapped = coded.assign(sex=coded["sex"].where(np.arange(60) > 4))
        out = Residualizer(sensitive="sex", variance_correction=True).fit(coded)
        for call in (out.transform, Residualizer(sensitive="sex", variance_correction=True).fit):
            with refused(MissingValueError, '"sex" (5 rows)'):
                call(gapped)

    @pytest.mark.parametrize("answer", [1, None, "hours", ["sex"]])
    def test_another_answer_is_refused(self, answer):
        with refused(ParameterError, "variance_correction"):
            Residualizer(sensitive="sex", variance_correction=answer).fit(ROWS)


class TestWhatIsRefused:
    """Bad settings and bad rows."""

    @pytest.mark.parametrize(
        ("settings", "words"),
        [
            ({"removal": 1.5}, ["removal", "1.5"]),
            ({"explanatory_mode": "raw"}, ["explanatory_mode='raw'", "no effect"]),
            ({"explanatory": "age", "explanatory_mode": "controlled"}, ["explanatory_mode", "'controlled'"]),
            ({"sensitive": (), "removal": 0.5}, ["removal", "no effect"]),
            ({"sensitive": (), "variance_correction": True}, ["variance_correction", "sensitive"]),
            ({"n_jobs": 0}, ["n_jobs"]),
            ({"handle_missing": "drop"}, ["handle_missing"]),
            ({"handle_unknown": "drop"}, ["handle_unknown"]),
            ({"max_levels": 2}, ["max_levels=2", '"race"']),
        ],
    )
    def test_settings(self, settings, words):
        with refused(ParameterError, *words):
            Residualizer(**({"sensitive": "sex"} | settings)).fit(ROWS)

    @pytest.mark.filterwarnings("ignore::RuntimeWarning")
    @pytest.mark.parametrize("value", [np.nan, np.inf])
    def test_missing_and_infinite_numbers_by_name(self, value):
        X = ROWS.assign(hours=[value] * 2 + ROWS["hours"].tolist()[2:])
        out = Residualizer(sensitive="sex").fit(ROWS)
        for call in (out.transform, Residualizer(sensitive="sex").fit):
            with refused(MissingValueError, '"hours" (2 rows)'):
                call(X)

    def test_an_empty_table(self):
        for call in (Residualizer(sensitive="sex").fit, Residualizer(sensitive="sex").fit(ROWS).transform):
            with refused(TableError, "0 sample(s)"):
                call(ROWS[:0])

    def test_columns(self):
        out = Residualizer(sensitive="sex").fit(ROWS)
        with refused(ColumnError, '"age"', "Residualizer"):
            out.transform(ROWS.drop(columns="age"))
        with refused(ColumnError, '"sex"', "Residualizer"):
            out.transform(ROWS.drop(columns="sex"))
        with refused(ColumnError, '"more"', "Residualizer"):
            out.transform(ROWS.assign(more=1))
        assert np.array_equal(out.transform(ROWS[ROWS.columns[::-1]]), out.transform(ROWS))

    def test_names_out_are_checked_against_names_in(self):
        out = Residualizer(sensitive="sex").fit(ROWS)
        assert len(out.get_feature_names_out(ROWS.columns)) == 6
        with pytest.raises(ValueError, match="not equal to feature_names_in_"):
            out.get_feature_names_out(ROWS.columns[::-1])
        bare = Residualizer(sensitive=0).fit(numbers(people()))
        assert bare.get_feature_names_out().tolist() == ["u(x1)", "u(x2)", "u(x3)"]
        with pytest.raises(ValueError, match="4"):
            bare.get_feature_names_out(["a"])

    @pytest.mark.parametrize("weight", [-np.ones(60), np.zeros(60), np.full(60, np.nan), np.ones(3)])
    def test_weights(self, weight):
        with refused(TableError, "sample_weight"):
            Residualizer(sensitive="sex").fit(ROWS, sample_weight=weight)


class TestDegenerate:
    """Little or nothing left: said, not hidden."""

    def test_as_few_rows_as_s_columns(self):
        X = np.random.default_rng(0).normal(size=(3, 7))
        with pytest.warns(DegenerateWarning, match="3 rows"), pytest.warns(DroppedColumnWarning):
            u = Residualizer(sensitive=[0, 1, 2, 3, 4]).fit_transform(X)
        assert np.isfinite(u).all()
        assert not u.size or np.abs(u - u.mean(axis=0)).max() < 1e-12

    def test_all_of_x_determined_by_s_leaves_a_constant_and_not_rounding(self):
        X = {"sex": ["f", "m"] * 30, "code": [0.1, 0.7] * 30}
        with pytest.warns(DegenerateWarning, match="s explains every column"), pytest.warns(DroppedColumnWarning):
            u = Residualizer(sensitive="sex").fit_transform(X)
        assert u.shape == (60, 1)
        assert len(np.unique(u)) == 1

    @pytest.mark.parametrize("rows", [ROWS[:1], ROWS.assign(race="black", age=1, skill=1, hours=1, part_time=True)])
    def test_nothing_but_constants_gives_no_columns(self, rows):
        with pytest.warns(DroppedColumnWarning):
            u = Residualizer(sensitive="sex").fit_transform(rows)
        assert u.shape == (len(rows), 0)


def test_clone_params_and_pickle():
    out = Residualizer(sensitive=["sex", "race"], explanatory="age", removal=0.5, variance_correction="race")
    assert clone(out).get_params() == out.get_params()
    assert out.set_params(removal=1.0).removal == 1.0
    back = pickle.loads(pickle.dumps(out.fit(ROWS)))
    assert np.array_equal(back.transform(LATER), out.transform(LATER))
    assert repr(back) == repr(out)


def test_fit_does_not_touch_its_settings():
    out = Residualizer(sensitive=["sex"], explanatory=("age",), handle_missing="category", handle_unknown="mean")
    before = dict(out.get_params())
    out.fit(ROWS)
    assert out.get_params() == before


def test_the_wrapped_regressor_stands_on_the_same_rows():
    model = TwoStageRegressor(LinearRegression(), sensitive="sex").fit(ROWS, Y)
    by_hand = LinearRegression().fit(Residualizer(sensitive="sex").fit_transform(ROWS), Y)
    assert same(model.predict(LATER), by_hand.predict(Residualizer(sensitive="sex").fit(ROWS).transform(LATER)), 1e-12)
