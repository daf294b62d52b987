"""coef_ means what it says in the visitor's own columns, and a row's prediction is its own affair."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import strategies as st

from tests.laws.tools import ASKED_WITH_Z, EPS, Rows, fitted, law, predicted, rows, words
from twosdr import Residualizer, TwoStageRegressor

# In units of the sum of |x_j coef_j|, the intercept being the coefficient of a column of ones.
PRODUCT = 64 * EPS

TABLES = rows(d_s=st.integers(2, 4), d_z=st.integers(1, 2), d_y=st.integers(1, 3), far=True)


def terms(encoded: np.ndarray, model: TwoStageRegressor) -> np.ndarray:
    """The sum of |x_j coef_j|, (n, d_y)."""
    return abs(encoded) @ abs(np.atleast_2d(model.coef_)).T + abs(np.atleast_1d(model.intercept_))


@law(data=TABLES, alpha=st.sampled_from([0.0, 3.0]), removal=st.sampled_from([1.0, 0.4, 0.0]))
@pytest.mark.parametrize("asked", ASKED_WITH_Z, ids=words)
def test_coef_and_intercept_reproduce_predict(data: Rows, alpha: float, removal: float, asked: dict):
    model = fitted(data, alphas=alpha, removal=removal, **asked)
    product = data.X @ np.atleast_2d(model.coef_).T + model.intercept_
    assert (abs(product - predicted(model, data)) <= PRODUCT * terms(data.X, model)).all()


@law(data=TABLES)
@pytest.mark.parametrize("asked", ASKED_WITH_Z, ids=words)
def test_one_row_predicted_alone_equals_the_row_in_a_batch(data: Rows, asked: dict):
    model = fitted(data, **asked)
    batch, room = predicted(model, data), PRODUCT * terms(data.X, model)
    for i in (0, data.n // 2, data.n - 1):
        assert (abs(predicted(model, data.take(slice(i, i + 1))) - batch[i]) <= room[i]).all()


@law(data=TABLES)
@pytest.mark.parametrize("mode", ["joint", "raw"])
def test_one_row_transformed_alone_equals_the_row_in_a_batch(data: Rows, mode: str):
    transformer = Residualizer(**data.roles, explanatory_mode=mode).fit(data.X, sample_weight=data.weight)
    batch = transformer.transform(data.X)
    at_v = [*sorted(data.at("s")), *sorted(data.at("z"))]  # the rows of B_
    # u_j = x_j - sum of (v - mean) B: each of those terms, and the centring of each v, may round.
    size = abs(data.X[:, at_v] - data.X[:, at_v].mean(axis=0)) @ abs(transformer.B_)
    room = PRODUCT * (abs(data.X[:, sorted(data.at("x"))]) + size)
    for i in (0, data.n // 2, data.n - 1):
        alone = transformer.transform(data.X[i : i + 1])
        assert (abs(alone - batch[i])[0, : room.shape[1]] <= room[i]).all()
        np.testing.assert_array_equal(alone[0, room.shape[1] :], batch[i, room.shape[1] :])


@law(data=TABLES)
def test_other_rows_of_a_batch_have_no_say(data: Rows):
    model = fitted(data)
    room = PRODUCT * terms(data.X, model)
    batch = predicted(model, data)
    crowd = data.X.copy()
    crowd[1:] = 1e12 * (crowd[1:] - crowd[0]) - 3.0
    assert (abs(model.predict(crowd).reshape(data.n, -1)[0] - batch[0]) <= room[0]).all()


@st.composite
def frames(draw: st.DrawFn) -> tuple[pd.DataFrame, np.ndarray]:
    """A data frame of every kind of column, and y."""
    n, rng = draw(st.integers(30, 90)), np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    frame = pd.DataFrame(
        {
            "sex": np.array(["f", "m"])[(np.arange(n) + rng.integers(0, 2, n) * (np.arange(n) > 1)) % 2],
            "region": pd.Categorical(
                rng.choice(["east", "north", "west"], n), categories=["west", "north", "east", "moon"]
            ),
            "member": rng.integers(0, 2, n).astype(bool),
            "age": rng.integers(18, 80, n),
            "pay": rng.normal(3e6, 2.0, n),
            "skill": rng.normal(0, 1, n).astype(np.float32),
        }
    )
    y = frame["age"] / 20 + frame["skill"] + 2.0 * (frame["sex"] == "m") + frame["member"] + rng.normal(0, 1, n)
    return frame, y.to_numpy()


def encoded(frame: pd.DataFrame, names: np.ndarray) -> np.ndarray:
    """The columns that the names speak of: `region=north` is 1 where region is north."""
    found = []
    for name in names:
        column, _, level = name.partition("=")
        found.append((frame[column].astype(str) == level).astype(float) if level else frame[column].astype(float))
    return np.column_stack(found)


@law(table=frames())
@pytest.mark.parametrize("sensitive", [["sex", "age"], ["region", "pay"], ["member"]])
def test_coef_speaks_of_levels_by_name(table: tuple, sensitive: list[str]):
    frame, y = table
    model = TwoStageRegressor(sensitive=sensitive).fit(frame, y)
    columns = encoded(frame, model.encoded_names_)
    product = columns @ model.coef_ + model.intercept_
    assert (abs(product - model.predict(frame)) <= PRODUCT * terms(columns, model)[:, 0]).all()
    for i in (0, len(frame) - 1):
        alone = model.predict(frame.iloc[i : i + 1])
        assert abs(alone - model.predict(frame)[i])[0] <= PRODUCT * terms(columns[i : i + 1], model)[0, 0]
