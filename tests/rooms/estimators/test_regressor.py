"""estimators/regressor.py: y in and out, tables in every container, wrapped estimators, clone and pickle."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.ensemble import GradientBoostingRegressor
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.metrics import r2_score
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from tests.rooms.samples import CONTAINERS, NAMELESS, NUMERIC, answer, frame, numbers, people, refused, same, target
from twosdr import TwoStageRegressor
from twosdr.errors import (
    ColumnError,
    DegenerateWarning,
    DroppedColumnWarning,
    KindError,
    MissingValueError,
    ParameterError,
    RoleError,
    TableError,
    TwosdrError,
    UnknownLevelError,
)

ROWS = frame()
LATER = frame(people(n=40, seed=7))
Y = target(people())
NAMED = pd.Series(Y, name="wage")
WRAPPED = {
    "LinearRegression": LinearRegression(),
    "GradientBoosting": GradientBoostingRegressor(n_estimators=5, random_state=0),
    "Pipeline": make_pipeline(StandardScaler(), Ridge()),
}


def fitted(X=ROWS, y=Y, estimator=None, **settings):
    return TwoStageRegressor(estimator, **({"sensitive": "sex"} | settings)).fit(X, y)


class TestContainers:
    """The same numbers from every container, at fit and at predict."""

    @pytest.mark.parametrize("container", CONTAINERS)
    @pytest.mark.parametrize("estimator", [None, "LinearRegression"])
    def test_named(self, container, estimator):
        expected = fitted().predict(LATER)
        model = fitted(CONTAINERS[container](people()), estimator=WRAPPED.get(estimator))
        assert same(model.predict(CONTAINERS[container](people(n=40, seed=7))), expected)
        assert same(model.predict(LATER), expected)
        assert same(fitted(estimator=WRAPPED.get(estimator)).predict(CONTAINERS[container](people(40, 7))), expected)

    @pytest.mark.parametrize("container", NAMELESS)
    def test_nameless(self, container):
        model = fitted(NAMELESS[container](people()), sensitive=0)
        assert same(model.predict(NAMELESS[container](people(n=40, seed=7))), fitted().predict(LATER))

    @pytest.mark.parametrize("container", NUMERIC)
    @pytest.mark.parametrize("settings", [{}, {"explanatory": 1}, {"alphas": 0.5}, {"at_predict": "without"}], ids=str)
    def test_numbers(self, container, settings):
        X, later = numbers(people()), numbers(people(n=40, seed=7))
        expected = fitted(X, sensitive=0, **settings)
        model = fitted(NUMERIC[container](X), sensitive=0, **settings)
        assert same(model.coef_, expected.coef_)
        assert same(model.predict(NUMERIC[container](later)), expected.predict(later))
        assert same(expected.predict(NUMERIC[container](later)), expected.predict(later))

    @pytest.mark.parametrize("dtype", [bool, np.int8, np.uint16, np.int64, np.float32])
    def test_number_types(self, dtype):
        X = np.random.default_rng(0).integers(0, 2, (60, 4)).astype(dtype)
        expected = fitted(X.astype(float), sensitive=0).predict(X.astype(float))
        assert same(fitted(X, sensitive=0).predict(X), expected)

    def test_a_sparse_table_is_not_made_dense(self, monkeypatch):
        chance = np.random.default_rng(0)
        X = np.where(chance.random((200, 30)) < 0.05, chance.random((200, 30)), 0.0)
        X = sp.csr_array(np.hstack([np.arange(200)[:, None] % 2, X]))
        expected = fitted(X.toarray(), np.arange(200.0), sensitive=0).predict(X.toarray())
        dense = sp.csr_array.toarray

        def guarded(self, *args, **kwargs):
            # p x p products and single columns are small; n x p is the table.
            assert self.shape[0] < 200 or self.shape[1] <= 2, f"made dense: {self.shape}"
            return dense(self, *args, **kwargs)

        monkeypatch.setattr(sp.csr_array, "toarray", guarded)
        assert same(fitted(X, np.arange(200.0), sensitive=0).predict(X), expected)

    def test_s_beside_a_sparse_table(self):
        X = numbers(people())
        model = TwoStageRegressor().fit(sp.csr_array(X[:, 1:]), Y, sensitive_features=ROWS["sex"])
        expected = TwoStageRegressor().fit(X[:, 1:], Y, sensitive_features=ROWS["sex"])
        assert same(
            model.predict(sp.csr_array(X[:, 1:]), sensitive_features=ROWS["sex"]),
            expected.predict(X[:, 1:], sensitive_features=ROWS["sex"]),
        )


class TestTarget:
    """y in any container; what comes back has its form."""

    @pytest.mark.parametrize(
        "form",
        [list, np.asarray, pd.Series, pl.Series, lambda y: np.asarray(y, dtype=object), lambda y: y.astype("f4")],
    )
    @pytest.mark.parametrize("estimator", [None, "LinearRegression"])
    def test_one_flat_target(self, form, estimator):
        model = fitted(y=form(Y), estimator=WRAPPED.get(estimator))
        assert model.predict(LATER).shape == (40,)
        assert same(model.predict(LATER), fitted().predict(LATER), 1e-6)

    def test_columns_in_columns_out(self):
        both = fitted(y=np.column_stack([Y, -2 * Y + 1]))
        assert both.predict(LATER).shape == (40, 2)
        assert both.coef_.shape == (2, len(both.encoded_names_))
        assert both.intercept_.shape == (2,)
        one = fitted().predict(LATER)
        assert same(both.predict(LATER), np.column_stack([one, 1 - 2 * one]))
        assert fitted(y=Y[:, None]).predict(LATER).shape == (40, 1)
        assert np.isclose(both.score(ROWS, np.column_stack([Y, -2 * Y + 1])), fitted().score(ROWS, Y))

    def test_a_boolean_is_zero_and_one(self):
        assert same(fitted(y=Y > 1).predict(LATER), fitted(y=(Y > 1).astype(float)).predict(LATER))

    @pytest.mark.parametrize("name", ["wage", "y"])
    @pytest.mark.parametrize("estimator", [None, "LinearRegression"])
    def test_the_target_among_the_columns_is_refused_at_fit(self, name, estimator):
        with refused(RoleError, f'"{name}"', "target", f'drop=["{name}"]'):
            fitted(ROWS.assign(**{name: Y}), NAMED.rename(name), estimator=WRAPPED.get(estimator))

    def test_it_may_be_left_out_by_name(self):
        model = fitted(ROWS.assign(wage=Y), NAMED, drop="wage")
        assert same(model.predict(LATER), fitted().predict(LATER))

    @pytest.mark.parametrize("name", ["wage", "y"])
    @pytest.mark.parametrize("estimator", [None, "LinearRegression"])
    def test_and_be_there_at_predict(self, name, estimator):
        model = fitted(y=NAMED.rename(name), estimator=WRAPPED.get(estimator))
        assert np.array_equal(model.predict(LATER.assign(**{name: 0.0})), model.predict(LATER))
        assert np.array_equal(model.predict(LATER.assign(**{name: "unknown"})), model.predict(LATER))

    @pytest.mark.parametrize("estimator", [None, "LinearRegression"])
    @pytest.mark.parametrize(
        ("y", "kind", "words"),
        [
            (None, TableError, ["y"]),
            (["a", "b"] * 30, KindError, ["text", "classifier"]),
            ([np.nan, *Y[1:]], MissingValueError, ["y", "NaN", "row 0"]),
            ([*Y[:-1], np.inf], MissingValueError, ["y", "infinity", "row 59"]),
            (Y[:3], TableError, ["60 rows", "3"]),
            (3.0, TableError, ["y"]),
            (np.zeros((60, 0)), TableError, ["y"]),
        ],
        ids=["none", "text", "NaN", "infinity", "short", "number", "no columns"],
    )
    def test_an_odd_target_is_refused(self, y, kind, words, estimator):
        with refused(kind, *words):
            fitted(y=y, estimator=WRAPPED.get(estimator))

    def test_a_constant_target_is_predicted(self):
        model = fitted(y=np.full(60, 2.5))
        assert same(model.predict(LATER), np.full(40, 2.5), 1e-14)
        assert not np.abs(model.coef_).max() > 1e-14

    @pytest.mark.parametrize(
        ("y", "words"),
        [(Y[:3], ["60", "3"]), (["a"] * 60, ["text"]), ([np.nan] * 60, ["NaN"])],
        ids=["short", "text", "NaN"],
    )
    def test_score_refuses_what_fit_refuses(self, y, words):
        with refused(TwosdrError, *words):
            fitted().score(ROWS, y)

    @pytest.mark.parametrize("weight", [["a"] * 60, [-1] * 60, [np.nan] * 60, [1] * 3])
    def test_score_refuses_odd_weights(self, weight):
        with refused(TwosdrError, "sample_weight"):
            fitted().score(ROWS, Y, weight)

    def test_score_is_r2(self):
        model, weight = fitted(), np.arange(60)
        assert np.isclose(model.score(ROWS, Y), r2_score(Y, model.predict(ROWS)))
        assert np.isclose(model.score(ROWS, Y, weight), r2_score(Y, model.predict(ROWS), sample_weight=weight))


class TestColumns:
    """What predict is given."""

    @pytest.mark.parametrize("estimator", [None, "LinearRegression"])
    def test_names_not_places(self, estimator):
        model = fitted(estimator=WRAPPED.get(estimator))
        assert same(model.predict(LATER[LATER.columns[::-1]]), model.predict(LATER), 1e-14)

    @pytest.mark.parametrize("estimator", [None, "LinearRegression"])
    def test_missing_and_extra_columns_are_named(self, estimator):
        model = fitted(estimator=WRAPPED.get(estimator))
        with refused(ColumnError, '"sex"', '"gender"', '"more"', "TwoStageRegressor"):
            model.predict(LATER.rename(columns={"sex": "gender"}).assign(more=1))

    def test_left_out_columns_may_come_or_not(self):
        model = fitted(ROWS.assign(id=range(60), hired=pd.Timestamp("2020-01-01")), drop=["id", "hired"])
        expected = fitted().predict(LATER)
        for X in (LATER, LATER.assign(id="a"), LATER.assign(hired=None, id=range(40))):
            assert same(model.predict(X), expected)

    @pytest.mark.parametrize("settings", [{"at_predict": "without"}, {"goal": "discrimination_free"}], ids=str)
    def test_s_that_is_not_used_may_be_absent_or_anything(self, settings):
        model = fitted(**settings)
        expected = model.predict(LATER)
        for sex in ("x", None, 1, 1.5, True, pd.Timestamp("2020-01-01")):
            assert same(model.predict(LATER.assign(sex=sex)), expected, 1e-14)
        assert same(model.predict(LATER.drop(columns="sex")), expected, 1e-14)

    def test_a_numeric_s_that_is_not_used_may_be_missing(self):
        model = fitted(sensitive="age", at_predict="without")
        assert same(model.predict(LATER.assign(age=np.nan)), model.predict(LATER.drop(columns="age")), 1e-14)

    @pytest.mark.parametrize("estimator", [None, "LinearRegression"])
    def test_strangers_are_listed(self, estimator):
        model = fitted(estimator=WRAPPED.get(estimator))
        X = LATER.assign(sex=["x"] * 3 + ["f"] * 37, race=["green"] + ["white"] * 39)
        with refused(UnknownLevelError, "2 columns", '"sex"', "'x' (3 rows)", '"race"', "'green'"):
            model.predict(X)

    @pytest.mark.parametrize("estimator", [None, "LinearRegression"])
    @pytest.mark.parametrize("name", ["sex", "race"])
    def test_a_stranger_counts_as_the_average_of_training_when_asked(self, name, estimator):
        model = fitted(handle_unknown="mean", estimator=WRAPPED.get(estimator))
        shares = ROWS[name].value_counts(normalize=True)
        known = sum(share * model.predict(LATER.assign(**{name: level})) for level, share in shares.items())
        assert same(model.predict(LATER.assign(**{name: "never seen"})), known, 1e-12)

    @pytest.mark.filterwarnings("ignore::RuntimeWarning")
    @pytest.mark.parametrize("estimator", [None, "LinearRegression"])
    @pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
    @pytest.mark.parametrize("container", ["pandas", "array", "sparse"])
    def test_missing_and_infinite_numbers_are_named(self, container, value, estimator):
        if container == "sparse" and estimator:
            pytest.skip("a wrapped estimator takes no sparse table")
        X, later = numbers(people()), numbers(people(n=40, seed=7))
        bad = later.copy()
        bad[3:5, 2] = value
        make = {"pandas": lambda a: pd.DataFrame(a, columns=list("abcd")), "array": np.asarray, "sparse": sp.csr_array}
        make, name = make[container], "c" if container == "pandas" else "x2"
        model = fitted(make(X), sensitive=0, estimator=WRAPPED.get(estimator))
        with refused(MissingValueError, f'"{name}" (2 rows)'):
            model.predict(make(bad))
        X[3:5, 2] = value
        with refused(MissingValueError, f'"{name}" (2 rows)'):
            fitted(make(X), sensitive=0, estimator=WRAPPED.get(estimator))

    @pytest.mark.parametrize("estimator", [None, "LinearRegression"])
    @pytest.mark.parametrize("nothing", [None, np.nan, pd.NA])
    def test_a_number_that_is_missing_in_every_row_is_no_silent_nan(self, nothing, estimator):
        model = fitted(estimator=WRAPPED.get(estimator))
        with refused(MissingValueError, '"hours" (40 rows)'):
            model.predict(LATER.assign(hours=pd.Series([nothing] * 40, dtype=object)))

    @pytest.mark.parametrize("estimator", [None, "LinearRegression"])
    def test_a_row_with_a_gap_in_a_list_is_no_silent_nan(self, estimator):
        model = fitted(NAMELESS["list of rows"](people()), sensitive=0, estimator=WRAPPED.get(estimator))
        with refused(MissingValueError, '"x3" (1 row'):
            model.predict([["f", "white", 30, None, 0.5, True]])

    @pytest.mark.parametrize("rows", [LATER[:0], np.zeros((0, 6))])
    def test_no_rows_are_refused(self, rows):
        with refused(TableError, "0 sample(s)"):
            fitted().predict(rows)


class TestOddFits:
    """Too few rows, too little spread."""

    @pytest.mark.parametrize("n", [0, 1])
    @pytest.mark.parametrize("estimator", [None, "LinearRegression"])
    def test_no_row_and_one_row_are_refused(self, n, estimator):
        with refused(TableError, f"{n} sample(s)"):
            fitted(ROWS[:n], Y[:n], estimator=WRAPPED.get(estimator))

    @pytest.mark.filterwarnings("ignore::twosdr.errors.TwosdrWarning")
    @pytest.mark.parametrize("n", [2, 3, 4, 5, 6])
    def test_fewer_rows_than_columns_fit_without_a_trace_of_infinity(self, n):
        model = fitted(ROWS[:n], Y[:n], handle_unknown="mean")
        assert np.isfinite(model.predict(LATER)).all()
        assert np.abs(model.predict(ROWS[:n])).max() < 1e3

    def test_as_few_rows_as_s_columns_warns(self):
        X = np.random.default_rng(0).normal(size=(3, 7))
        with pytest.warns(DegenerateWarning, match="x|mean of y"), pytest.warns(DroppedColumnWarning):
            model = fitted(X, [1.0, 2.0, 4.0], sensitive=[0, 1, 2, 3, 4])
        assert same(model.predict(X), np.full(3, 7 / 3), 1e-9)

    def test_nothing_but_constants_predicts_the_mean(self):
        X = {"sex": ["f", "m"] * 5, "one": [1] * 10}
        with (
            pytest.warns(DegenerateWarning, match="mean of y alone"),
            pytest.warns(DroppedColumnWarning, match='"one"'),
        ):
            model = fitted(X, np.arange(10.0))
        assert same(model.predict(X), np.full(10, 4.5), 1e-14)

    @pytest.mark.filterwarnings("ignore::twosdr.errors.TwosdrWarning")
    @pytest.mark.parametrize("settings", [{"alphas": 1.0}, {"alphas": [0.1, 1.0]}, {"at_predict": "without"}], ids=str)
    def test_nothing_but_constants_is_no_trouble_to_any_setting(self, settings):
        X = {"sex": ["f", "m"] * 5, "one": [1] * 10}
        assert same(fitted(X, np.arange(10.0), **settings).predict(X), np.full(10, 4.5), 1e-14)

    @pytest.mark.filterwarnings("ignore::twosdr.errors.TwosdrWarning")
    def test_nothing_but_constants_is_nothing_to_wrap(self):
        X = {"sex": ["f", "m"] * 5, "one": [1] * 10}
        model = answer(lambda: fitted(X, np.arange(10.0), LinearRegression()), TwosdrError, "x")
        assert model is None or same(model.predict(X), np.full(10, 4.5), 1e-14)

    def test_nothing_but_z_predicts_from_z(self):
        X = {"sex": ["f", "m"] * 5, "one": [1] * 10, "tenure": np.arange(10.0) ** 2}
        with pytest.warns(DegenerateWarning, match='"tenure" alone'), pytest.warns(DroppedColumnWarning, match='"one"'):
            fitted(X, np.arange(10.0), explanatory="tenure")

    @pytest.mark.filterwarnings("ignore::RuntimeWarning")
    def test_numbers_too_large_to_square_are_refused(self):
        with refused(MissingValueError, "overflow", "Rescale"):
            fitted(ROWS.assign(hours=ROWS["hours"] * 1e200))

    def test_a_refusal_comes_alone(self):
        # Warnings are errors here, and one of NumPy's would come first.
        for call in (fitted().predict, fitted):
            with refused(MissingValueError, "infinity", '"hours" (60 rows)'):
                call(ROWS.assign(hours=np.inf))
        with refused(MissingValueError, "overflow", "Rescale"):
            fitted(ROWS.assign(hours=ROWS["hours"] * 1e200))

    @pytest.mark.parametrize("scale", [1e-160, 1e-200])
    def test_numbers_too_small_to_square_are_not_called_constant(self, scale):
        X = ROWS.assign(hours=ROWS["hours"] * scale)
        model = answer(lambda: fitted(X), TwosdrError, '"hours"')
        assert model is None or same(model.predict(X), fitted().predict(ROWS), 1e-8)


class TestWeights:
    """A row counts zero or more times."""

    @pytest.mark.parametrize("estimator", [None, "LinearRegression"])
    def test_whole_weights_are_copies(self, estimator):
        weight = np.arange(60) % 3
        rows = np.repeat(np.arange(60), weight)
        model = TwoStageRegressor(WRAPPED.get(estimator), sensitive="sex").fit(ROWS, Y, weight)
        copies = fitted(ROWS.loc[rows], Y[rows], estimator=WRAPPED.get(estimator))
        assert same(model.predict(LATER), copies.predict(LATER), 1e-10)

    @pytest.mark.parametrize("form", [list, pd.Series, pl.Series, lambda w: w.astype(int), lambda w: w.astype("f4")])
    def test_in_any_form(self, form):
        weight = np.arange(60.0) % 3
        expected = TwoStageRegressor(sensitive="sex").fit(ROWS, Y, weight).predict(LATER)
        assert same(TwoStageRegressor(sensitive="sex").fit(ROWS, Y, form(weight)).predict(LATER), expected)

    @pytest.mark.parametrize("scale", [1e-6, 1e6, 1e-300, 1e300])
    def test_the_unit_of_weights_does_not_matter(self, scale):
        weight = np.arange(60) % 3 + 1.0
        one, other = (
            TwoStageRegressor(sensitive="sex").fit(ROWS, Y, w).predict(LATER) for w in (weight, scale * weight)
        )
        assert same(one, other, 1e-9)

    @pytest.mark.parametrize("estimator", [None, "LinearRegression"])
    @pytest.mark.parametrize(
        "weight", [-np.ones(60), np.zeros(60), np.full(60, np.nan), np.ones(3), ["a"] * 60, "balanced"]
    )
    def test_odd_ones_are_refused(self, weight, estimator):
        with refused(TwosdrError, "ample"):
            TwoStageRegressor(WRAPPED.get(estimator), sensitive="sex").fit(ROWS, Y, weight)

    @pytest.mark.filterwarnings("ignore::twosdr.errors.TwosdrWarning")
    def test_a_single_row_with_weight_is_one_row(self):
        with refused(TableError, "1"):
            TwoStageRegressor(sensitive="age").fit(ROWS[["age", "skill"]], Y, np.eye(60)[0])

    def test_levels_that_only_weightless_rows_have_are_unknown(self):
        weight = (ROWS["race"] != "white").astype(float)
        model = TwoStageRegressor(sensitive="sex").fit(ROWS, Y, weight)
        with refused(UnknownLevelError, "'white'"):
            model.predict(ROWS)


class TestWrapped:
    """Any scikit-learn regressor on the rows (u, z)."""

    @pytest.mark.parametrize("name", WRAPPED)
    def test_fits_predicts_scores_clones_and_travels(self, name):
        model = fitted(estimator=WRAPPED[name])
        assert model.predict(LATER).shape == (40,)
        assert model.score(ROWS, Y) <= 1
        assert np.array_equal(clone(model).fit(ROWS, Y).predict(LATER), model.predict(LATER))
        assert np.array_equal(pickle.loads(pickle.dumps(model)).predict(LATER), model.predict(LATER))
        assert not hasattr(WRAPPED[name], "n_features_in_")

    def test_least_squares_is_the_closed_form(self):
        assert same(fitted(estimator=LinearRegression()).predict(LATER), fitted().predict(LATER))
        joint = {"explanatory": "hours", "explanatory_mode": "joint"}
        one, other = fitted(estimator=LinearRegression(), **joint), fitted(**joint)
        assert same(one.predict(LATER), other.predict(LATER))

    @pytest.mark.parametrize("name", ["LinearRegression", "Pipeline"])
    def test_several_targets(self, name):
        both = fitted(y=np.column_stack([Y, -2 * Y]), estimator=WRAPPED[name]).predict(LATER)
        one = fitted(estimator=WRAPPED[name]).predict(LATER)
        assert same(both, np.column_stack([one, -2 * one]))

    def test_weights_reach_both_stages(self):
        weight = np.arange(60) % 3
        model = TwoStageRegressor(GradientBoostingRegressor(n_estimators=5, random_state=0), sensitive="sex")
        copies = np.repeat(np.arange(60), weight)
        expected = fitted(ROWS.loc[copies], Y[copies], estimator=model.estimator).residualizer_
        assert same(model.fit(ROWS, Y, weight).residualizer_.transform(LATER), expected.transform(LATER))
        assert not same(model.predict(LATER), fitted(estimator=model.estimator).predict(LATER), 1e-3)

    @pytest.mark.parametrize(
        "estimator", [make_pipeline(StandardScaler(), Ridge()), KNeighborsRegressor()], ids=["Pipeline", "KNN"]
    )
    def test_an_estimator_without_weights_is_told_by_name(self, estimator):
        with refused(ParameterError, type(estimator).__name__, "sample_weight"):
            TwoStageRegressor(estimator, sensitive="sex").fit(ROWS, Y, np.ones(60))

    @pytest.mark.parametrize(
        "thing", ["ridge", LinearRegression, 3, object()], ids=["word", "class", "number", "object"]
    )
    def test_what_is_no_estimator_is_refused(self, thing):
        with refused(ParameterError, "estimator"):
            fitted(estimator=thing)

    def test_a_sparse_table_is_refused(self):
        with refused(KindError, "sparse", "toarray"):
            fitted(sp.csr_array(numbers(people())), sensitive=0, estimator=LinearRegression())

    def test_the_sparse_refusal_does_not_advise_what_was_done(self):
        with pytest.raises(KindError) as caught:
            fitted(sp.csr_array(numbers(people())), sensitive=0, estimator=LinearRegression())
        assert "fit TwoStageRegressor, which" not in str(caught.value)

    @pytest.mark.parametrize("y", [{"wage": Y}, pl.DataFrame({"wage": Y}), pd.DataFrame({"wage": Y})])
    def test_y_may_come_in_a_table(self, y):
        assert fitted(y=y, estimator=LinearRegression()).predict(LATER).shape == (40, 1)


class TestInScikitLearn:
    """Clone, pickle, search, cross-validation."""

    SETTINGS = (
        {},
        {"explanatory": "hours", "explanatory_mode": "joint"},
        {"handle_missing": "category", "handle_unknown": "mean"},
        {"goal": "discrimination_free", "removal": 0.5},
        {"alphas": [0.01, 1.0, 100.0, 1e4], "cv": 3},
    )

    @pytest.mark.filterwarnings("ignore::twosdr.errors.ChoiceWarning")
    @pytest.mark.parametrize("settings", SETTINGS, ids=str)
    def test_clone_and_pickle(self, settings):
        model = fitted(**settings)
        copy = clone(model)
        assert copy.get_params() == model.get_params()
        assert not hasattr(copy, "coef_")
        assert np.array_equal(copy.fit(ROWS, Y).predict(LATER), model.predict(LATER))
        assert np.array_equal(pickle.loads(pickle.dumps(model)).predict(LATER), model.predict(LATER))
        assert "TwoStageRegressor" in repr(model)

    def test_fit_does_not_touch_its_settings(self):
        spec, alphas = ["sex"], [0.1, 1.0]
        model = TwoStageRegressor(sensitive=spec, alphas=alphas, handle_missing="category")
        before = dict(model.get_params())
        with pytest.warns(UserWarning, match="edge"):
            model.fit(ROWS, Y)
        assert model.get_params() == before
        assert (spec, alphas) == (["sex"], [0.1, 1.0])

    def test_a_second_fit_forgets_the_first(self):
        model = fitted(estimator=LinearRegression()).set_params(estimator=None, alphas=1.0).fit(ROWS, Y)
        assert same(model.predict(LATER), fitted(alphas=1.0).predict(LATER), 1e-14)
        for learned in ("estimator_", "residualizer_"):
            assert not hasattr(model, learned)

    def test_cross_validation_and_search_with_errors_raised(self):
        scores = cross_val_score(TwoStageRegressor(sensitive="sex"), ROWS, Y, error_score="raise")
        assert np.isfinite(scores).all()
        search = GridSearchCV(TwoStageRegressor(sensitive="sex"), {"removal": [0.0, 1.0]}, error_score="raise", cv=3)
        assert np.isfinite(search.fit(ROWS, Y).cv_results_["mean_test_score"]).all()

    def test_where_scorers_cannot_pass_s_the_error_shows_the_way(self):
        X = ROWS.drop(columns="sex")
        with refused(ParameterError, "sensitive_features=", "scorers", "sensitive=["):
            cross_val_score(
                TwoStageRegressor(), X, Y, params={"sensitive_features": ROWS["sex"]}, cv=3, error_score="raise"
            )

    def test_at_the_end_of_a_pipeline(self):
        line = make_pipeline(StandardScaler(), TwoStageRegressor(sensitive=0))
        X = numbers(people())
        assert same(line.fit(X, Y).predict(X), fitted(X, sensitive=0).predict(X))


def test_coefficients_write_the_prediction_out():
    model = fitted(explanatory="hours")
    encoded = np.column_stack(
        [
            LATER[n] if n in LATER else LATER[n.split("=")[0]].astype(str) == n.split("=")[1]
            for n in model.encoded_names_
        ]
    ).astype(float)
    assert same(encoded @ model.coef_ + model.intercept_, model.predict(LATER), 1e-13)
