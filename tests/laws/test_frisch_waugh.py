"""Frisch-Waugh: the effects of u are the x part of least squares on everything. statsmodels shares no code with us."""

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import strategies as st

from tests.laws.tools import SAME, Rows, close, fitted, law, residual, rows


def ols(y: np.ndarray, weight: np.ndarray | None, *blocks: np.ndarray) -> list[np.ndarray]:
    """Coefficients by block of least squares with a constant."""
    w = np.ones(len(y)) if weight is None else weight
    beta = sm.WLS(y, sm.add_constant(np.hstack(blocks), has_constant="add"), weights=w).fit().params[1:]
    return np.split(beta, np.cumsum([b.shape[1] for b in blocks])[:-1])


def by_block(effects: np.ndarray, at: np.ndarray) -> np.ndarray:
    """beta_u_ or beta_z_, which stand in the order of the table, in the order of the block."""
    return effects[..., np.argsort(np.argsort(at))]


@law(data=rows(d_s=st.integers(1, 4)))
def test_beta_of_u_is_the_x_part_of_least_squares_on_s_and_x(data: Rows):
    _, beta = ols(data.y[:, 0], data.weight, data.s, data.x)
    close(by_block(fitted(data).beta_u_, data.at("x")), beta, to=SAME)


@law(data=rows(d_s=st.integers(1, 4)))
def test_least_squares_of_statsmodels_on_our_residuals_finds_the_same_beta(data: Rows):
    _, beta = ols(data.y[:, 0], data.weight, data.s, data.x)
    (of_u,) = ols(data.y[:, 0], data.weight, residual(data))
    close(of_u, beta, to=SAME)


@law(data=rows(d_s=st.integers(1, 4), d_z=st.integers(1, 3)))
@pytest.mark.parametrize("mode", ["controlled", "joint"])
def test_with_z_beta_is_the_x_part_of_least_squares_on_s_z_and_x(data: Rows, mode: str):
    _, _, beta = ols(data.y[:, 0], data.weight, data.s, data.z, data.x)
    close(by_block(fitted(data, explanatory_mode=mode).beta_u_, data.at("x")), beta, to=SAME)


@law(data=rows(d_s=st.integers(1, 4), d_z=st.integers(1, 3)))
def test_controlled_gamma_is_the_z_part_of_least_squares_on_s_and_z(data: Rows):
    _, gamma = ols(data.y[:, 0], data.weight, data.s, data.z)
    close(by_block(fitted(data).beta_z_, data.at("z")), gamma, to=SAME)


@law(data=rows(d_s=st.integers(1, 4), d_z=st.integers(1, 3)))
def test_joint_gamma_is_the_z_part_of_least_squares_on_u_and_z(data: Rows):
    _, gamma = ols(data.y[:, 0], data.weight, residual(data), data.z)
    close(by_block(fitted(data, explanatory_mode="joint").beta_z_, data.at("z")), gamma, to=SAME)


@law(data=rows(d_s=st.integers(1, 4), d_y=st.just(3)))
def test_several_targets_are_each_fitted_as_if_alone(data: Rows):
    model = fitted(data)
    for j in range(3):
        _, beta = ols(data.y[:, j], data.weight, data.s, data.x)
        close(by_block(model.beta_u_, data.at("x"))[j], beta, to=SAME)
