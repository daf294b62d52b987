"""The failures that the study of peers found, each with the one good answer that it gets here.

Each row of that table which concerns the transformers and the regressor is one case; the rows about rates, decisions
and data sets belong to other rooms.
"""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression

from tests.rooms.samples import answer, frame, numbers, people, refused, same, target
from twosdr import Residualizer, TwoStageRegressor
from twosdr.errors import DegenerateWarning, DroppedColumnWarning, KindError, MissingValueError, UnknownLevelError

ROWS = numbers(people())  # sex (1 and 2), age, skill, hours
Y = target(people())
ROUNDING = 1e-10


def left(X, sensitive):
    """The largest correlation of a sensitive column with what the residualizer leaves, and with the predictions."""
    X = np.asarray(X, dtype=float)
    u = Residualizer(sensitive=sensitive).fit_transform(X)
    fitted = TwoStageRegressor(sensitive=sensitive).fit(X, Y).predict(X)
    wide = TwoStageRegressor(LinearRegression(), sensitive=sensitive).fit(X, Y).predict(X)
    found = []
    for column in np.column_stack([u, fitted, wide]).T:
        for s in X[:, sensitive].T:
            if s.std() > 0 and column.std() > 1e-12 * (1 + np.abs(column).max()):
                found.append(abs(np.corrcoef(s, column)[0, 1]))
    assert found
    return max(found)


def two_s_on_different_scales():
    assert left(ROWS * [1, 1e6, 1, 1], [0, 1]) < ROUNDING


def common_offset_of_a_thousand_million():
    assert left(ROWS + 1e9, [0]) < 1e-6
    assert left(ROWS + 1e9, [0, 1]) < 1e-6


def s_that_is_not_centred():
    assert left(ROWS + np.array([100, 50, 0, 0]), [0, 1]) < ROUNDING


def duplicate_s():
    X = np.column_stack([ROWS, ROWS[:, 0]])
    with pytest.warns(DroppedColumnWarning, match='"x4"'):
        assert left(X, [0, 4]) < ROUNDING
    with pytest.warns(DroppedColumnWarning):
        assert np.isfinite(TwoStageRegressor(sensitive=[0, 4]).fit(X, Y).predict(X)).all()


def all_zero_s():
    X = np.column_stack([ROWS, np.zeros(60)])
    with pytest.warns(DroppedColumnWarning, match='"x4"'):
        assert left(X, [0, 4]) < ROUNDING


def full_dummies():
    dummies = np.column_stack([ROWS[:, 0] == 1, ROWS[:, 0] == 2, ROWS])
    with pytest.warns(DroppedColumnWarning, match='"x1"'):
        assert left(dummies[:, [0, 1, 3, 4, 5]], [0, 1]) < ROUNDING


def constant_s():
    X = ROWS.copy()
    X[:, 0] = 7.0
    with pytest.warns(DroppedColumnWarning, match='"x0"'):
        fitted = TwoStageRegressor(sensitive=0).fit(X, Y).predict(X)
    assert same(fitted, LinearRegression().fit(X[:, 1:], Y).predict(X[:, 1:]))


def rescaled_s():
    for scale in (0.01, 1e-6, 1e6):
        X = ROWS * [scale, 1, 1, 1]
        assert left(X, [0]) < ROUNDING
        assert same(Residualizer(sensitive=0).fit_transform(X), Residualizer(sensitive=0).fit_transform(ROWS), 1e-12)


def a_batch_of_one_group():
    X = frame()
    women = (X["sex"] == "f").to_numpy()
    for model in (TwoStageRegressor(sensitive="sex"), TwoStageRegressor(LinearRegression(), sensitive="sex")):
        model.fit(X, Y.round().astype(int))
        assert same(model.predict(X[women]), model.predict(X)[women], 1e-13)
        assert np.array_equal(model.predict(X[women]), model.predict(X[women]))


def unseen_category():
    model = TwoStageRegressor(sensitive="sex").fit(frame(), Y)
    with refused(UnknownLevelError, '"sex"', "'x' (60 rows)", "'f', 'm'"):
        model.predict(frame(sex="x"))


def s_of_0_and_1_and_later_their_text():
    coded = ROWS[:, 0].astype(int) - 1
    model = TwoStageRegressor(sensitive="sex").fit(frame(sex=coded), Y)
    with refused(KindError, '"sex"', "numbers", "text"):
        model.predict(frame(sex=coded.astype(str)))


def s_of_1_and_2_and_later_categories():
    coded = ROWS[:, 0].astype(int)
    model = TwoStageRegressor(sensitive="sex").fit(frame(sex=coded), Y)
    later = answer(lambda: model.predict(frame(sex=pd.Categorical(coded))), KindError, '"sex"')
    assert later is None or np.array_equal(later, model.predict(frame(sex=coded)))


def column_order_swapped():
    X = frame()
    for model in (TwoStageRegressor(sensitive="sex").fit(X, Y), Residualizer(sensitive="sex").fit(X)):
        method = getattr(model, "predict", None) or model.transform
        assert same(method(X[X.columns[::-1]]), method(X), 1e-13)


def nan_in_x():
    with refused(MissingValueError, '"hours" (1 row'):
        TwoStageRegressor(sensitive="sex").fit(frame(hours=[np.nan, *people()["hours"][1:]]), Y)


def nan_in_s():
    with refused(MissingValueError, '"sex" (1 row', 'handle_missing="category"'):
        TwoStageRegressor(sensitive="sex").fit(frame(sex=[None, *people()["sex"][1:]]), Y)
    with refused(MissingValueError, '"age" (1 row'):
        TwoStageRegressor(sensitive="age").fit(frame(age=[np.nan, *people()["age"][1:]]), Y)


def whole_numbers():
    X = np.round(ROWS).astype(int)
    assert same(
        TwoStageRegressor(sensitive=0).fit(X, Y.round().astype(int)).predict(X),
        TwoStageRegressor(sensitive=0).fit(X.astype(float), Y.round()).predict(X.astype(float)),
    )


def three_rows_and_five_s():
    X = np.random.default_rng(0).normal(size=(3, 7))
    with pytest.warns(DegenerateWarning), pytest.warns(DroppedColumnWarning):
        u = Residualizer(sensitive=[0, 1, 2, 3, 4]).fit_transform(X)
    with pytest.warns(DegenerateWarning), pytest.warns(DroppedColumnWarning):
        fitted = TwoStageRegressor(sensitive=[0, 1, 2, 3, 4]).fit(X, [1.0, 2.0, 4.0]).predict(X)
    assert np.isfinite(u).all()
    assert same(fitted, np.full(3, 7 / 3), 1e-9)


def one_row_to_transform():
    X = frame()
    out = Residualizer(sensitive=["sex", "age"]).fit(X)
    assert same(out.transform(X[7:8]), out.transform(X)[7:8], 1e-14)


def boolean_column():
    X = frame()
    coded = frame(part_time=X["part_time"].astype(int))
    one, other = (TwoStageRegressor(sensitive="part_time").fit(t, Y).predict(t) for t in (X, coded))
    assert same(one, other)


def no_x_columns_left():
    X = {"sex": ["f", "m"] * 30, "one": [1.0] * 60}
    with pytest.warns(DroppedColumnWarning, match='"one"'):
        assert Residualizer(sensitive="sex").fit_transform(X).shape == (60, 0)


CASES = (
    two_s_on_different_scales,
    common_offset_of_a_thousand_million,
    s_that_is_not_centred,
    duplicate_s,
    all_zero_s,
    full_dummies,
    constant_s,
    rescaled_s,
    a_batch_of_one_group,
    unseen_category,
    s_of_0_and_1_and_later_their_text,
    s_of_1_and_2_and_later_categories,
    column_order_swapped,
    nan_in_x,
    nan_in_s,
    whole_numbers,
    three_rows_and_five_s,
    one_row_to_transform,
    boolean_column,
    no_x_columns_left,
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_has_one_good_answer(case):
    case()
