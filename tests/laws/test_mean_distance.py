"""For binary s the mean distance is the covariance in disguise: MD = |Cov(s, y_hat)| / (p (1 - p))."""

import numpy as np
import pytest
from hypothesis import strategies as st

from tests.laws.tools import SAME, Rows, close, coefficients, fitted, law, predicted, rows, spread


@st.composite
def two_groups(draw: st.DrawFn) -> Rows:
    """Rows with one sensitive column of two values, which need not be 0 and 1, and explanatory ones at times."""
    data = draw(rows(d_s=st.just(1), d_x=st.integers(2, 5), d_z=st.integers(0, 2)))
    low, gap = draw(st.sampled_from([(0.0, 1.0), (1.0, 1.0), (-3.0, 7.5), (1e6, 2.0)]))
    member = data.s > np.quantile(data.s, draw(st.floats(0.1, 0.9)), method="lower")
    if member.all() or not member.any():
        member = data.s >= data.s.max()
    return Rows(low + gap * member, data.x, data.z, data.y, data.weight, data.place)


@law(data=two_groups())
@pytest.mark.parametrize("removal", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("at_predict", ["with", "without"])
def test_mean_distance_is_the_covariance_over_p_times_one_minus_p(data: Rows, removal: float, at_predict: str):
    model = fitted(data, removal=removal, at_predict=at_predict)
    y_hat, m = predicted(model, data)[:, 0], model.moments_
    upper, gap = data.s[:, 0] == data.s.max(), np.ptp(data.s)
    w = np.ones(data.n) if data.weight is None else data.weight
    p = w[upper].sum() / w.sum()
    distance = abs(np.average(y_hat[upper], weights=w[upper]) - np.average(y_hat[~upper], weights=w[~upper]))
    # Cov(s, y_hat) from the model alone: moments times coefficients; no row is read.
    covariance = sum(
        (m.cov("s", block) @ model.coef_[sorted(data.at(block))]).item()
        for block in ("s", "x", "z")
        if len(data.at(block))
    )
    close(distance, abs(covariance) / gap / (p * (1 - p)), to=SAME, unit=spread(data.y)[0] / (p * (1 - p)))
    if removal == 1.0 and not data.z.shape[1]:
        assert abs(distance) <= SAME * spread(data.y)[0] / (p * (1 - p))
    if removal == 0.0 and at_predict == "with":
        of_y = abs(np.average(data.y[upper, 0], weights=w[upper]) - np.average(data.y[~upper, 0], weights=w[~upper]))
        close(distance, of_y, to=SAME, unit=spread(data.y)[0] / (p * (1 - p)))  # least squares keeps group means
    assert np.isfinite(coefficients(model, data)[1]).all()
