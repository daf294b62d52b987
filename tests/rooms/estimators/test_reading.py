"""estimators/_reading.py: roles as columns or beside X, small checks, and what a fit says that it left out."""

import copy
import os

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.exceptions import NotFittedError

from tests.rooms.samples import CONTAINERS, frame, numbers, people, refused, same, target
from twosdr import GroupRanks, Residualizer, TwoStageRegressor
from twosdr.errors import (
    ColumnError,
    DroppedColumnWarning,
    ParameterError,
    TableError,
    TwosdrError,
    UnknownLevelError,
)
from twosdr.estimators._reading import check_choice, check_jobs, check_removal

ROWS = frame()
Y = target(people())
BARE = ROWS.drop(columns=["sex", "race"])  # x alone, s and z lie beside it


def both_forms(s, z=None, **settings):
    """Predictions with the roles as columns, and with the same columns beside X."""
    z_names = [] if z is None else list(z.columns)
    X = pd.concat([BARE.drop(columns=z_names), s, *([] if z is None else [z])], axis=1)
    named = TwoStageRegressor(sensitive=list(s.columns), explanatory=z_names, **settings).fit(X, Y)
    return named.predict(X)


FORMS = {
    "DataFrame": lambda s: s,
    "polars": pl.from_pandas,
    "arrow": pa.Table.from_pandas,
    "dict": lambda s: {name: s[name].tolist() for name in s},
    "array": lambda s: s.to_numpy(dtype=object),
    "list of rows": lambda s: s.to_numpy(dtype=object).tolist(),
}
FLAT = {
    "Series": lambda s: s.iloc[:, 0],
    "Series without a name": lambda s: pd.Series(s.iloc[:, 0].to_numpy()),
    "Series named by a number": lambda s: pd.Series(s.iloc[:, 0].to_numpy(), name=0),
    "category": lambda s: s.iloc[:, 0].astype("category"),
    "polars Series": lambda s: pl.Series(s.columns[0], s.iloc[:, 0].tolist()),
    "arrow array": lambda s: pa.array(s.iloc[:, 0].tolist()),
    "flat array": lambda s: s.iloc[:, 0].to_numpy(),
    "flat list": lambda s: s.iloc[:, 0].tolist(),
    "tuple": lambda s: tuple(s.iloc[:, 0]),
}


@pytest.mark.parametrize("form", [*FORMS, *FLAT])
def test_every_form_of_one_s_beside_x_equals_the_column(form):
    given = (FORMS | FLAT)[form](ROWS[["sex"]])
    model = TwoStageRegressor().fit(BARE, Y, sensitive_features=given)
    assert same(model.predict(BARE, sensitive_features=given), both_forms(ROWS[["sex"]]), 1e-13)


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_two_s_beside_x_equals_the_columns(form):
    given = FORMS[form](ROWS[["sex", "race"]])
    model = TwoStageRegressor().fit(BARE, Y, sensitive_features=given)
    assert same(model.predict(BARE, sensitive_features=given), both_forms(ROWS[["sex", "race"]]), 1e-13)


@pytest.mark.parametrize("form", [form for form in (*FORMS, *FLAT) if form != "category"])  # hours are numbers
@pytest.mark.parametrize("mode", [None, "joint", "raw"])
def test_explanatory_columns_beside_x_equal_the_columns(form, mode):
    z = (FORMS | FLAT)[form](ROWS[["hours"]])
    X = BARE.drop(columns="hours")
    beside = {"sensitive_features": ROWS["sex"], "explanatory_features": z}
    model = TwoStageRegressor(explanatory_mode=mode).fit(X, Y, **beside)
    expected = both_forms(ROWS[["sex"]], ROWS[["hours"]], explanatory_mode=mode)
    assert same(model.predict(X, **beside), expected, 1e-13)


def test_numbers_beside_an_array_equal_the_column():
    rows = numbers(people())
    beside = {"sensitive_features": rows[:, 0]}
    model = TwoStageRegressor().fit(rows[:, 1:], Y, **beside)
    named = TwoStageRegressor(sensitive=0).fit(rows, Y)
    assert same(model.predict(rows[:, 1:], **beside), named.predict(rows), 1e-13)
    assert model.n_features_in_ == 3


def test_one_role_may_be_a_column_and_the_other_beside_x():
    X = ROWS.drop(columns=["sex", "race"])
    model = TwoStageRegressor(explanatory="hours").fit(X, Y, sensitive_features=ROWS["sex"])
    expected = both_forms(ROWS[["sex"]], ROWS[["hours"]])
    assert same(model.predict(X, sensitive_features=ROWS["sex"]), expected, 1e-13)


def test_columns_beside_x_are_matched_by_name_too():
    s = ROWS[["sex", "race"]]
    model = TwoStageRegressor().fit(BARE, Y, sensitive_features=s)
    swapped = model.predict(BARE[BARE.columns[::-1]], sensitive_features=s[["race", "sex"]])
    assert np.array_equal(swapped, model.predict(BARE, sensitive_features=s))


def test_the_model_may_be_given_another_container_later():
    model = TwoStageRegressor().fit(BARE, Y, sensitive_features=ROWS["sex"])
    expected = model.predict(BARE, sensitive_features=ROWS["sex"])
    later = model.predict(pl.from_pandas(BARE), sensitive_features=ROWS["sex"].tolist())
    assert np.array_equal(later, expected)


@pytest.mark.parametrize("role", ["sensitive", "explanatory"])
def test_both_forms_at_once_are_refused(role):
    with refused(ParameterError, f"{role}='sex'", f"{role}_features=", "one form"):
        TwoStageRegressor(**{role: "sex"}).fit(ROWS, Y, **{f"{role}_features": ROWS["race"]})


def test_a_column_that_is_in_x_and_beside_it_is_refused():
    with refused(ParameterError, "sensitive_features", '"sex"', "sensitive=['sex']"):
        TwoStageRegressor().fit(ROWS, Y, sensitive_features=ROWS["sex"])


@pytest.mark.parametrize("role", ["sensitive", "explanatory"])
def test_what_fit_was_given_predict_needs_and_the_error_shows_the_way(role):
    model = TwoStageRegressor().fit(BARE, Y, **{f"{role}_features": ROWS["sex"]})
    with refused(ParameterError, "TwoStageRegressor", f"{role}_features=", f"{role}=[", "columns in X"):
        model.predict(BARE)


def test_what_fit_was_not_given_predict_refuses():
    model = TwoStageRegressor(sensitive="sex").fit(ROWS, Y)
    with refused(ParameterError, "sensitive_features=", "fitted without it"):
        model.predict(ROWS, sensitive_features=ROWS["sex"])


def test_s_beside_x_is_not_needed_where_it_is_not_used():
    model = TwoStageRegressor(at_predict="without").fit(BARE, Y, sensitive_features=ROWS["sex"])
    assert np.array_equal(model.predict(BARE), model.predict(BARE, sensitive_features=ROWS["sex"]))


def test_lengths_beside_x_are_compared_at_fit_and_at_predict():
    with refused(TableError, "60 rows", '"sex"', "3"):
        TwoStageRegressor().fit(BARE, Y, sensitive_features=ROWS["sex"][:3])
    model = TwoStageRegressor().fit(BARE, Y, sensitive_features=ROWS["sex"])
    with refused(TableError, "60 rows", '"sex"', "3"):
        model.predict(BARE, sensitive_features=ROWS["sex"][:3])


def test_the_width_beside_x_is_compared():
    model = TwoStageRegressor().fit(BARE, Y, sensitive_features=ROWS["sex"])
    with refused(TwosdrError, "2 columns", "1", '"sex"'):
        model.predict(BARE, sensitive_features=ROWS[["sex", "race"]])


@pytest.mark.parametrize("names", ["sex", ["sex"], ["sex", "race"]])
def test_names_where_arrays_belong_are_told_where_they_go(names):
    with refused(TwosdrError, "sensitive_features", "sensitive="):
        TwoStageRegressor().fit(ROWS, Y, sensitive_features=names)


def test_a_name_that_both_beside_tables_hold_is_not_said_to_be_in_x():
    with pytest.raises(TwosdrError, match='"sex"') as caught:
        TwoStageRegressor().fit(BARE, Y, sensitive_features=ROWS["sex"], explanatory_features=ROWS["sex"])
    assert "which X has" not in str(caught.value)


def test_an_unknown_level_beside_x_is_named():
    model = TwoStageRegressor().fit(BARE, Y, sensitive_features=ROWS["sex"])
    with refused(UnknownLevelError, '"sex"', "'x' (60 rows)"):
        model.predict(BARE, sensitive_features=["x"] * 60)


@pytest.mark.parametrize("estimator", [Residualizer, GroupRanks])
def test_the_transformers_take_s_beside_x_as_well(estimator):
    X = ROWS[["age", "skill", "hours"]]
    one = estimator().fit(X, sensitive_features=ROWS["sex"])
    other = estimator(sensitive="sex").fit(ROWS[["age", "skill", "hours", "sex"]])
    mine = one.transform(X, sensitive_features=ROWS["sex"])
    theirs = other.transform(ROWS[["age", "skill", "hours", "sex"]])[:, :3]
    assert same(mine, theirs.astype(float), 1e-13)
    with refused(ParameterError, estimator.__name__, "sensitive_features=", "sensitive=["):
        one.transform(X)
    again = estimator().fit_transform(X, sensitive_features=ROWS["sex"])
    assert np.array_equal(again, mine)


class TestWhatIsKept:
    """The attributes that scikit-learn's users look for."""

    def test_names_are_kept_where_there_are_any(self):
        model = TwoStageRegressor(sensitive="sex").fit(ROWS, Y)
        assert model.feature_names_in_.tolist() == list(ROWS.columns)
        assert model.n_features_in_ == 6
        array = TwoStageRegressor(sensitive=0).fit(numbers(people()), Y)
        assert not hasattr(array, "feature_names_in_")

    def test_names_go_when_the_next_fit_has_none(self):
        model = TwoStageRegressor(sensitive=0).fit(ROWS, Y).fit(numbers(people()), Y)
        assert not hasattr(model, "feature_names_in_")

    def test_a_change_of_names_warns_as_scikit_learn_does(self):
        X = pd.DataFrame(numbers(people()), columns=list("abcd"))
        named, bare = TwoStageRegressor(sensitive=0).fit(X, Y), TwoStageRegressor(sensitive=0).fit(X.to_numpy(), Y)
        with pytest.warns(UserWarning, match="does not have valid feature names, but TwoStageRegressor"):
            one = named.predict(X.to_numpy())
        with pytest.warns(UserWarning, match="X has feature names, but TwoStageRegressor"):
            other = bare.predict(X)
        assert same(one, other, 1e-13)


@pytest.mark.parametrize(
    "call",
    [
        lambda: TwoStageRegressor(sensitive="sex").predict(ROWS),
        lambda: TwoStageRegressor(sensitive="sex").score(ROWS, Y),
        lambda: Residualizer(sensitive="sex").transform(ROWS),
        lambda: Residualizer(sensitive="sex").inverse_transform(ROWS, sensitive_features=ROWS["sex"]),
        lambda: Residualizer(sensitive="sex").get_feature_names_out(),
        lambda: GroupRanks(sensitive="sex").transform(ROWS),
        lambda: GroupRanks(sensitive="sex").get_feature_names_out(),
    ],
)
def test_before_fit_everything_is_scikit_learns_own_error(call):
    with pytest.raises(NotFittedError, match="not fitted yet"):
        call()


class TestWhatIsLeftOut:
    """Columns that a fit leaves out are named, in the visitor's words."""

    @pytest.mark.parametrize("make", [TwoStageRegressor, Residualizer])
    def test_constant_columns_are_named_whatever_they_hold(self, make):
        X = ROWS.assign(one=1, word="yes", flag=True, nearly=1e9)
        with pytest.warns(DroppedColumnWarning, match=r'constant in training: "one", "word", "flag", "nearly"'):
            model = make(sensitive="sex").fit(X, Y)
        assert {"one", "word=yes", "flag=True", "nearly"} <= set(model.dropped_)
        assert set(model.dropped_.values()) == {"constant", "reference"}

    def test_references_are_not_worth_a_warning_and_are_kept_on_record(self):
        model = TwoStageRegressor(sensitive="sex").fit(ROWS, Y)
        assert model.dropped_ == {"sex=f": "reference", "race=black": "reference", "part_time=False": "reference"}

    @pytest.mark.parametrize("make", [TwoStageRegressor, Residualizer])
    def test_a_constant_s_is_named_and_the_rest_is_fitted(self, make):
        with pytest.warns(DroppedColumnWarning, match='constant in training: "sex"'):
            model = make(sensitive="sex").fit(ROWS.assign(sex="f"), Y)
        assert "sex=f" in model.dropped_

    @pytest.mark.parametrize("make", [TwoStageRegressor, Residualizer])
    def test_what_s_determines_is_named(self, make):
        X = ROWS.assign(title=np.where(ROWS["sex"] == "f", "Ms", "Mr"), code=np.where(ROWS["sex"] == "f", 3.0, -7.5))
        with pytest.warns(DroppedColumnWarning, match="determined by the sensitive columns"):
            model = make(sensitive="sex").fit(X, Y)
        assert model.dropped_["code"] == "explained by s"
        assert model.dropped_["title=Ms"] == "explained by s"

    def test_copies_are_named_and_the_first_stays(self):
        X = ROWS.assign(again=2 * ROWS["age"] - 1)
        with pytest.warns(DroppedColumnWarning, match='an exact linear function of earlier columns: "again"'):
            model = TwoStageRegressor(sensitive="sex").fit(X, Y)
        assert same(model.predict(X), TwoStageRegressor(sensitive="sex").fit(ROWS, Y).predict(ROWS), 1e-9)

    def test_all_of_it_comes_in_one_warning(self):
        X = ROWS.assign(one=1, again=ROWS["age"], code=(ROWS["sex"] == "f") * 2.0)
        with pytest.warns(DroppedColumnWarning) as caught:
            TwoStageRegressor(sensitive="sex").fit(X, Y)
        assert len(caught) == 1
        assert all(f'"{name}"' in str(caught[0].message) for name in ("one", "again", "code"))

    @pytest.mark.parametrize("make", [TwoStageRegressor, Residualizer])
    def test_the_warning_points_at_the_visitors_line(self, make):
        with pytest.warns(DroppedColumnWarning) as caught:
            make(sensitive="sex").fit(ROWS.assign(one=1), Y)
        assert os.path.basename(caught[0].filename) == os.path.basename(__file__)

    def test_a_constant_may_change_later_without_effect(self):
        with pytest.warns(DroppedColumnWarning):
            model = TwoStageRegressor(sensitive="sex").fit(ROWS.assign(one=1), Y)
        assert np.array_equal(model.predict(ROWS.assign(one=1)), model.predict(ROWS.assign(one=5)))

    def test_a_constant_is_still_a_column_of_the_table(self):
        with pytest.warns(DroppedColumnWarning):
            model = TwoStageRegressor(sensitive="sex").fit(ROWS.assign(one=1), Y)
        with refused(ColumnError, '"one"'):
            model.predict(ROWS)


def rows_of(X):
    """All that a table holds, as plain lists."""
    columns = (
        X.to_pydict()
        if isinstance(X, pa.Table)
        else {name: X[name] for name in (X if isinstance(X, dict) else X.columns)}
    )
    return {name: list(values) for name, values in columns.items()}


@pytest.mark.parametrize("container", CONTAINERS)
def test_what_is_given_is_not_written_to(container):
    X = CONTAINERS[container](people())
    before = copy.deepcopy(X)
    model = TwoStageRegressor(sensitive="sex", handle_missing="category", handle_unknown="mean").fit(X, Y)
    model.predict(X)
    Residualizer(sensitive="sex", variance_correction=True).fit_transform(X)
    GroupRanks(sensitive="sex").fit_transform(X)
    assert rows_of(X) == rows_of(before) == rows_of(CONTAINERS[container](people()))


@pytest.mark.parametrize("removal", [0, 1, 0.5, np.float32(0.25), np.float64(1.0)])
def test_removal_is_a_number_from_0_to_1(removal):
    assert check_removal(removal) == float(removal)


@pytest.mark.parametrize("removal", [-0.1, 1.1, np.nan, np.inf, "all", None, True, [0.5], {"md": 0.1}, 1j])
def test_other_removals_are_refused(removal):
    with refused(ParameterError, "removal", "0", "1", repr(removal)):
        check_removal(removal)


def test_jobs():
    assert check_jobs(None) == 1
    assert check_jobs(3) == 3
    assert check_jobs(-1) == os.cpu_count()
    assert check_jobs(-10_000) == 1


@pytest.mark.parametrize("jobs", [0, 1.5, "2", True, [1]])
def test_other_jobs_are_refused(jobs):
    with refused(ParameterError, "n_jobs", repr(jobs)):
        check_jobs(jobs)


@pytest.mark.parametrize("value", ["c", None, 1, ["a"], np.array(["a", "b"])])
def test_a_choice_is_one_of_those_offered(value):
    check_choice("letter", "a", ("a", "b"))
    with refused(ParameterError, "letter must be one of ('a', 'b')", "instead"):
        check_choice("letter", value, ("a", "b"))
