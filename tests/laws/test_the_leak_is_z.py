"""With explanatory columns, what remains is exactly theirs: Cov(s, y_hat) = Cov(s, z) gamma."""

import numpy as np
import pytest
from hypothesis import strategies as st
from sklearn.linear_model import LinearRegression

from tests.laws.tools import EPS, SAME, ZERO, Rows, close, cov, fitted, law, predicted, reference, rows, spread

WITH_Z = rows(d_s=st.integers(1, 4), d_z=st.integers(1, 3), d_y=st.integers(1, 2))
FAR_WITH_Z = rows(d_s=st.integers(1, 4), d_z=st.integers(1, 3), d_y=st.integers(1, 2), far=True)


def leaks_through(gamma: np.ndarray, data: Rows, y_hat: np.ndarray) -> None:
    unit = np.outer(spread(data.s, data.weight), spread(data.y, data.weight))
    rounding = spread(data.s, data.weight)[:, None] * abs(y_hat).max(axis=0) * EPS
    close(
        cov(data.s, y_hat, data.weight), cov(data.s, data.z, data.weight) @ gamma, to=1.0, unit=ZERO * unit + rounding
    )


@law(data=FAR_WITH_Z, alpha=st.sampled_from([0.0, 0.3, 50.0]))
@pytest.mark.parametrize("mode", ["controlled", "joint", "raw"])
def test_what_remains_is_the_covariance_with_z_times_its_coefficients(data: Rows, alpha: float, mode: str):
    model = fitted(data, explanatory_mode=mode, alphas=alpha)
    gamma = np.atleast_2d(model.beta_z_).T[np.argsort(np.argsort(data.at("z")))]
    leaks_through(gamma, data, predicted(model, data))


@law(data=WITH_Z, alpha=st.sampled_from([0.0, 0.3, 50.0]))
@pytest.mark.parametrize("mode", ["controlled", "joint", "raw"])
def test_those_coefficients_are_what_the_reading_says(data: Rows, alpha: float, mode: str):
    expected = reference(data, explanatory_mode=mode, alphas=alpha)
    model = fitted(data, explanatory_mode=mode, alphas=alpha)
    gamma = np.atleast_2d(model.beta_z_).T[np.argsort(np.argsort(data.at("z")))]
    close(gamma, expected.gamma, to=SAME)
    leaks_through(expected.gamma, data, predicted(model, data))


@law(data=WITH_Z)
@pytest.mark.parametrize("mode", ["joint", "raw"])
def test_a_wrapped_least_squares_leaks_through_z_alone(data: Rows, mode: str):
    model = fitted(data, explanatory_mode=mode, estimator=LinearRegression())
    leaks_through(reference(data, explanatory_mode=mode).gamma, data, predicted(model, data))


@law(data=FAR_WITH_Z, alpha=st.sampled_from([0.0, 0.3, 50.0]))
def test_without_s_at_prediction_what_z_does_not_explain_of_s_is_uncorrelated_with_the_prediction(
    data: Rows, alpha: float
):
    y_hat = predicted(fitted(data, at_predict="without", alphas=alpha), data)
    w = data.weight
    z = spread(data.z, w)
    # In deviations of z, so that its units have no say; not z / deviation, which would round a z that is far from zero.
    through = np.linalg.solve(cov(data.z, data.z, w) / np.outer(z, z), cov(data.z, y_hat, w) / z[:, None])
    left = cov(data.s, y_hat, w) - (cov(data.s, data.z, w) / z) @ through  # Cov(s - E[s | z], y_hat)
    s, y = spread(data.s, w)[:, None], spread(data.y, w)
    rounding = EPS * abs(y_hat).max(axis=0) * 2  # in either of the two covariances
    close(left, 0.0 * left, to=1.0, unit=s * (ZERO * y + rounding))
