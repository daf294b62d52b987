"""2SDR is least squares under a moment constraint: the formula of the design equals the two stages, and its price is known."""

import numpy as np
import pytest
from hypothesis import strategies as st
from sklearn.linear_model import LinearRegression

from tests.laws.tools import (
    ASKED_WITH_Z,
    Rows,
    close,
    coefficients,
    cov,
    fitted,
    law,
    predicted,
    rows,
    spread,
    words,
)
from twosdr.solve import constrained

STAGES = 1e-8  # the solver against the two stages (issue's own number)
EXACT = 1e-10  # cost identity and scaling with removal (likewise)

PLAIN = rows(d_s=st.integers(1, 4), d_x=st.integers(2, 5), d_y=st.integers(1, 2))
WITH_Z = rows(d_s=st.integers(1, 4), d_z=st.integers(1, 3), d_x=st.integers(2, 5), d_y=st.integers(1, 2))
REMOVAL = st.sampled_from([0.0, 0.25, 0.5, 1.0]) | st.floats(0.0, 1.0)


def by_formula(data: Rows, removal: float, at_predict: str) -> np.ndarray:
    """b_t of the design's page, from covariances alone; predictions about their mean."""
    w = data.weight
    features = np.hstack([*([data.s] if at_predict == "with" else []), data.x, data.z])
    h = data.s
    if data.z.shape[1]:
        h = data.s - data.z @ np.linalg.solve(cov(data.z, data.z, w), cov(data.z, data.s, w))
    G, c, C = cov(features, features, w), cov(features, data.y, w), cov(features, h, w)
    C = C / spread(h, w)
    b_u = np.linalg.solve(G, c)
    inner = C.T @ np.linalg.solve(G, C)
    b_0 = b_u - np.linalg.solve(G, C) @ (np.linalg.pinv(inner, hermitian=True, rcond=1e-12) @ (C.T @ b_u))
    b = b_0 + (1.0 - removal) * (b_u - b_0)
    weights = np.ones(data.n) if w is None else w
    return (features - np.average(features, axis=0, weights=weights)) @ b + np.average(data.y, axis=0, weights=weights)


@law(data=WITH_Z | PLAIN, removal=REMOVAL)
@pytest.mark.parametrize("at_predict", ["with", "without"])
def test_the_constrained_formula_equals_the_regressor(data: Rows, removal: float, at_predict: str):
    asked = {"at_predict": at_predict}
    if data.z.shape[1] and at_predict == "with":
        asked["explanatory_mode"] = "joint"
    found = predicted(fitted(data, removal=removal, **asked), data)
    close(found, by_formula(data, removal, at_predict), to=STAGES, unit=spread(data.y, data.weight))


@law(data=WITH_Z | PLAIN)
@pytest.mark.parametrize("mode", ["joint", "raw"])
def test_the_closed_form_equals_the_two_stages_on_rows(data: Rows, mode: str):
    asked = {"explanatory_mode": mode} if data.z.shape[1] else {}
    in_rows = predicted(fitted(data, estimator=LinearRegression(), **asked), data)
    close(predicted(fitted(data, **asked), data), in_rows, to=STAGES, unit=spread(data.y, data.weight))


@law(data=PLAIN, alpha=st.sampled_from([0.0, 0.5, 20.0]), seed=st.integers(0, 2**32 - 1))
def test_the_solver_is_the_formula_with_a_penalty_too(data: Rows, alpha: float, seed: int):
    rng = np.random.default_rng(seed)
    features, y = np.hstack([data.s, data.x]), data.y
    features, y = features - features.mean(axis=0), y - y.mean(axis=0)
    penalty = alpha * rng.uniform(0.5, 2.0, features.shape[1])
    penalty[0] = 0.0
    C = features.T @ (data.s - data.s.mean(axis=0))
    G, c = features.T @ features + np.diag(penalty), features.T @ y
    expected_u = np.linalg.solve(G, c)
    pull = np.linalg.solve(G, C)
    inner = np.linalg.pinv(C.T @ pull, hermitian=True, rcond=1e-12)
    b_u, b_0, lost = constrained(features, y, C, penalty)
    close(b_u, expected_u, to=STAGES)
    close(b_0, expected_u - pull @ inner @ C.T @ expected_u, to=STAGES)
    close(lost, np.diag(expected_u.T @ C @ inner @ C.T @ expected_u), to=STAGES)
    close(C.T @ b_0, 0.0 * (C.T @ b_0), to=EXACT, unit=np.linalg.norm(C, axis=0)[:, None] * abs(expected_u).max())


def mean_squared_error(data: Rows, y_hat: np.ndarray) -> np.ndarray:
    return np.average((data.y - y_hat) ** 2, axis=0, weights=data.weight)


@law(data=WITH_Z | PLAIN, removal=REMOVAL)
@pytest.mark.parametrize("asked", ASKED_WITH_Z, ids=words)
def test_cost_is_the_rise_of_the_error_and_a_square_of_removal(data: Rows, removal: float, asked: dict):
    asked = {name: value for name, value in asked.items() if data.z.shape[1] or name != "explanatory_mode"}
    whole, part, none = (fitted(data, removal=r, **asked) for r in (1.0, removal, 0.0))
    variance = spread(data.y, data.weight) ** 2
    base = mean_squared_error(data, predicted(none, data))
    for model in (whole, part, none):
        risen = mean_squared_error(data, predicted(model, data)) - base
        close(np.atleast_1d(model.cost_), risen, to=EXACT, unit=variance)
    close(np.atleast_1d(part.cost_), removal**2 * np.atleast_1d(whole.cost_), to=EXACT, unit=variance)


@law(data=WITH_Z | PLAIN, removal=REMOVAL)
@pytest.mark.parametrize("asked", ASKED_WITH_Z, ids=words)
def test_everything_is_linear_in_removal(data: Rows, removal: float, asked: dict):
    asked = {name: value for name, value in asked.items() if data.z.shape[1] or name != "explanatory_mode"}
    whole, part, none = (predicted(fitted(data, removal=r, **asked), data) for r in (1.0, removal, 0.0))
    close(part, whole + (1.0 - removal) * (none - whole), to=EXACT, unit=spread(data.y, data.weight))


@law(data=PLAIN, removal=REMOVAL)
@pytest.mark.parametrize("at_predict", ["with", "without"])
def test_removal_scales_the_covariance_with_s_exactly(data: Rows, removal: float, at_predict: str):
    part, none = (predicted(fitted(data, removal=r, at_predict=at_predict), data) for r in (removal, 0.0))
    unit = np.outer(spread(data.s, data.weight), spread(data.y, data.weight))
    close(cov(data.s, part, data.weight), (1.0 - removal) * cov(data.s, none, data.weight), to=EXACT, unit=unit)


@law(data=PLAIN)
def test_without_s_nothing_uncorrelated_predicts_better(data: Rows):
    """The optimum is where no step that keeps the constraint lowers the error: its gradient lies in the span of C."""
    model = fitted(data, at_predict="without")
    of_s, of_x, _ = coefficients(model, data)
    np.testing.assert_array_equal(of_s, 0.0)
    C = cov(data.x, data.s, data.weight)
    gradient = cov(data.x, data.y - data.x @ of_x, data.weight)
    unexplained = gradient - C @ np.linalg.lstsq(C, gradient, rcond=None)[0]
    unit = np.outer(spread(data.x, data.weight), spread(data.y, data.weight))
    close(unexplained, 0.0 * unexplained, to=STAGES, unit=unit)
