"""The family in one line: OLS, discrimination-free and 2SDR share beta; the coefficient of s is OLS's, 0, -B beta."""

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import strategies as st

from tests.laws.tools import (
    ASKED_WITH_Z,
    SAME,
    Rows,
    close,
    coefficients,
    fitted,
    law,
    least_squares,
    predicted,
    reference,
    rows,
    spread,
    words,
)
from twosdr import TwoStageRegressor

PLAIN = rows(d_s=st.integers(1, 4), d_y=st.integers(1, 2))
WITH_Z = rows(d_s=st.integers(1, 4), d_z=st.integers(1, 3), d_y=st.integers(1, 2))


def least_squares_on_all(data: Rows) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Coefficients of s, x and z by statsmodels."""
    w = np.ones(data.n) if data.weight is None else data.weight
    everything = sm.add_constant(np.hstack([data.s, data.x, data.z]), has_constant="add")
    coef = np.column_stack([sm.WLS(y, everything, weights=w).fit().params[1:] for y in data.y.T])
    d_s, d_x = data.s.shape[1], data.x.shape[1]
    return coef[:d_s], coef[d_s : d_s + d_x], coef[d_s + d_x :]


@law(data=PLAIN)
def test_the_three_share_beta_and_differ_in_the_coefficient_of_s(data: Rows):
    of_s, beta, _ = least_squares_on_all(data)
    w = np.ones(data.n) if data.weight is None else data.weight
    s, x = ((b - np.average(b, axis=0, weights=w)) * np.sqrt(w)[:, None] for b in (data.s, data.x))
    B = least_squares(s, x)
    unit = max(abs(of_s).max(), abs(B @ beta).max())
    for asked, expected in (
        ({"removal": 0.0}, of_s),
        ({"goal": "discrimination_free"}, 0.0 * of_s),
        ({}, -B @ beta),
    ):
        found_s, found_x, _ = coefficients(fitted(data, **asked), data)
        close(found_x, beta, to=SAME)
        close(found_s, expected, to=SAME, unit=unit)


@law(data=PLAIN)
def test_the_stored_B_and_beta_make_up_the_coefficients(data: Rows):
    model = fitted(data)
    beta = np.atleast_2d(model.beta_u_).T  # in the order of the table, as B_ is
    close(np.atleast_2d(model.coef_).T[data.roles["sensitive"]], -model.B_ @ beta, to=SAME)


@law(data=WITH_Z)
@pytest.mark.parametrize("asked", ASKED_WITH_Z, ids=words)
def test_with_nothing_removed_every_reading_is_least_squares(data: Rows, asked: dict):
    of_s, of_x, of_z = least_squares_on_all(data)
    if asked.get("at_predict") == "without":
        alone = Rows(
            data.z, data.x, np.empty((data.n, 0)), data.y, data.weight, np.arange(data.z.shape[1] + data.x.shape[1])
        )
        (of_z, of_x, _), of_s = least_squares_on_all(alone), 0.0 * of_s
    found = coefficients(fitted(data, removal=0.0, **asked), data)
    for here, expected in zip(found, (of_s, of_x, of_z), strict=True):
        close(here, expected, to=SAME, unit=max(abs(of_x).max(), abs(of_z).max(), abs(of_s).max()))


@law(data=WITH_Z)
def test_without_sensitive_columns_it_is_least_squares(data: Rows):
    of_s, of_x, of_z = least_squares_on_all(data)
    model = TwoStageRegressor().fit(data.X, data.target, sample_weight=data.weight)
    for here, expected in zip(coefficients(model, data), (of_s, of_x, of_z), strict=True):
        close(here, expected, to=SAME, unit=max(abs(of_x).max(), abs(of_z).max(), abs(of_s).max()))


@law(data=WITH_Z)
def test_discrimination_free_sets_the_coefficient_of_s_to_zero_and_keeps_the_others(data: Rows):
    _, of_x, of_z = least_squares_on_all(data)
    found_s, found_x, found_z = coefficients(fitted(data, goal="discrimination_free"), data)
    np.testing.assert_array_equal(found_s, 0.0)
    close(found_x, of_x, to=SAME, unit=max(abs(of_x).max(), abs(of_z).max()))
    close(found_z, of_z, to=SAME, unit=max(abs(of_x).max(), abs(of_z).max()))


@law(data=WITH_Z)
@pytest.mark.parametrize("goal", ["parity", "discrimination_free"])
def test_a_model_that_does_not_use_s_predicts_without_its_columns(data: Rows, goal: str):
    at_predict = "without" if goal == "parity" else "with"
    names = [f"c{j}" for j in range(data.X.shape[1])]
    full = dict(zip(names, data.X.T, strict=True))
    roles = {role: [names[j] for j in at] for role, at in data.roles.items()}
    model = TwoStageRegressor(**roles, goal=goal, at_predict=at_predict).fit(
        full, data.target, sample_weight=data.weight
    )
    np.testing.assert_array_equal(np.atleast_2d(model.coef_)[:, data.roles["sensitive"]], 0.0)
    blind = {name: column for name, column in full.items() if name not in roles["sensitive"]}
    np.testing.assert_array_equal(model.predict(blind), model.predict(full))


@law(data=WITH_Z)
@pytest.mark.parametrize("asked", ASKED_WITH_Z, ids=words)
@pytest.mark.parametrize("removal", [0.0, 0.5, 1.0])
def test_predictions_are_those_of_two_least_squares_on_rows(data: Rows, asked: dict, removal: float):
    expected = reference(data, removal=removal, **asked).predict(data)
    close(predicted(fitted(data, removal=removal, **asked), data), expected, to=SAME, unit=spread(data.y, data.weight))
