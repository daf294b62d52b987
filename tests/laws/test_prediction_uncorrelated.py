"""Promise 1: goal parity, full removal, no z: on the training rows, Cov(s, y_hat) = 0."""

import numpy as np
import pytest
from hypothesis import strategies as st
from sklearn.linear_model import LinearRegression, Ridge

from tests.laws.tools import (
    ZERO,
    Rows,
    cov,
    expecting,
    fitted,
    law,
    no_covariance,
    predicted,
    rows,
    spread,
    with_copies,
)
from twosdr import TwoStageRegressor
from twosdr.errors import DroppedColumnWarning


def uncorrelated(data: Rows, y_hat: np.ndarray) -> None:
    # In deviations of y: a prediction without s may have no deviation of its own left.
    there = spread(data.s) > 0
    no_covariance(data.s[:, there], y_hat, data.weight, unit=spread(data.y, data.weight))


@law(data=rows(d_x=st.integers(2, 5), d_y=st.integers(1, 3), far=True), alpha=st.sampled_from([0.0, 0.1, 30.0]))
@pytest.mark.parametrize("at_predict", ["with", "without"])
def test_prediction_is_uncorrelated_with_every_sensitive_column(data: Rows, alpha: float, at_predict: str):
    uncorrelated(data, predicted(fitted(data, at_predict=at_predict, alphas=alpha), data))


@law(
    data=rows(d_x=st.integers(4, 6), far=True),
    copies=st.sets(st.sampled_from(["copy", "minus", "twice", "constant"]), min_size=1),
)
@pytest.mark.parametrize("at_predict", ["with", "without"])
def test_prediction_is_uncorrelated_with_repeated_and_constant_sensitive_columns(
    data: Rows, copies: set, at_predict: str
):
    data = with_copies(data, copies)
    with expecting(DroppedColumnWarning):
        model = fitted(data, at_predict=at_predict)
    uncorrelated(data, predicted(model, data))


@law(
    data=rows(d_s=st.just(1), d_x=st.integers(5, 7), far=True), levels=st.integers(2, 5), seed=st.integers(0, 2**32 - 1)
)
@pytest.mark.parametrize("at_predict", ["with", "without"])
def test_prediction_gives_every_level_the_same_average(data: Rows, levels: int, seed: int, at_predict: str):
    codes = np.random.default_rng(seed).permutation(np.arange(data.n) % levels)
    dummies = (codes[:, None] == np.arange(levels)).astype(float)
    x, y = (block + spread(block) * np.cos(codes)[:, None] for block in (data.x, data.y))
    data = Rows(np.hstack([dummies, data.s]), x, data.z, y, data.weight, np.arange(levels + 1 + x.shape[1]))
    with expecting(DroppedColumnWarning):
        uncorrelated(data, predicted(fitted(data, at_predict=at_predict), data))
    table = {
        "group": np.array(list("fmabc"))[codes],
        "s": data.s[:, -1],
        **{f"x{j}": x[:, j] for j in range(x.shape[1])},
    }
    as_text = TwoStageRegressor(sensitive=["group", "s"], at_predict=at_predict)
    as_text.fit(table, data.target, sample_weight=data.weight)
    uncorrelated(data, as_text.predict(table)[:, None])


@law(data=rows(d_s=st.integers(2, 4), d_y=st.just(2)))
@pytest.mark.parametrize("estimator", [LinearRegression(), Ridge(alpha=3.0)])
def test_prediction_of_any_linear_second_stage_is_uncorrelated_with_s(data: Rows, estimator: object):
    if isinstance(estimator, Ridge):
        data = Rows(data.s, data.x, data.z, data.y, None, data.place)
    uncorrelated(data, predicted(fitted(data, estimator=estimator), data))


@law(data=rows(d_s=st.integers(2, 4)))
def test_without_removal_the_covariance_is_there(data: Rows):
    # The laws above would hold for a model that predicts the mean: this one has something to lose.
    y_hat, y = predicted(fitted(data, removal=0.0), data), data.y
    found, whole = (cov(data.s, b, data.weight) for b in (y_hat, y))
    assert (abs(found - whole) <= ZERO * np.outer(spread(data.s, data.weight), spread(y, data.weight))).all()
    assert (spread(predicted(fitted(data), data), data.weight) > 1e-3 * spread(y, data.weight)).all()
