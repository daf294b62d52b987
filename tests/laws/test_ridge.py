"""The penalty is scikit-learn's: on standardised (u, z), never on s."""

import numpy as np
import pytest
from hypothesis import strategies as st
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from tests.laws.tools import (
    ASKED_WITH_Z,
    Rows,
    close,
    coefficients,
    fitted,
    law,
    predicted,
    reference,
    rows,
    spread,
    words,
)
from twosdr import Residualizer

RIDGE = 1e-8  # the issue's own number for two routes to one fit

ALPHA = st.sampled_from([1e-3, 1.0, 10.0, 1e3]) | st.floats(1e-2, 1e4)
UNWEIGHTED = rows(
    d_s=st.integers(1, 4), d_x=st.integers(1, 5), d_z=st.integers(0, 3), d_y=st.integers(1, 2), weighted=False
)
ANY = rows(d_s=st.integers(1, 4), d_x=st.integers(1, 5), d_z=st.integers(0, 3), d_y=st.integers(1, 2))


def joint(data: Rows) -> dict[str, str]:
    return {"explanatory_mode": "joint"} if data.z.shape[1] else {}


@law(data=ANY, alpha=ALPHA)
def test_the_closed_form_is_residualizer_then_scaler_then_ridge(data: Rows, alpha: float):
    rows_u = Residualizer(**data.roles).fit(data.X, sample_weight=data.weight).transform(data.X)
    scaled = StandardScaler().fit(rows_u, sample_weight=data.weight).transform(rows_u)
    expected = Ridge(alpha=alpha).fit(scaled, data.y, sample_weight=data.weight).predict(scaled).reshape(data.n, -1)
    found = predicted(fitted(data, alphas=alpha, **joint(data)), data)
    close(found, expected, to=RIDGE, unit=spread(data.y, data.weight))


@law(data=UNWEIGHTED, alpha=ALPHA)
def test_the_closed_form_is_the_wrapped_ridge(data: Rows, alpha: float):
    wrapped = fitted(data, estimator=make_pipeline(StandardScaler(), Ridge(alpha=alpha)))
    found = predicted(fitted(data, alphas=alpha, **joint(data)), data)
    close(found, predicted(wrapped, data), to=RIDGE, unit=spread(data.y))


@law(data=ANY, alpha=ALPHA)
@pytest.mark.parametrize("removal", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("asked", ASKED_WITH_Z, ids=words)
def test_every_goal_and_reading_penalises_u_and_z_and_leaves_s_free(
    data: Rows, alpha: float, removal: float, asked: dict
):
    asked = {name: value for name, value in asked.items() if data.z.shape[1] or name != "explanatory_mode"}
    expected = reference(data, alphas=alpha, removal=removal, **asked)
    model = fitted(data, alphas=alpha, removal=removal, **asked)
    close(predicted(model, data), expected.predict(data), to=RIDGE, unit=spread(data.y, data.weight))
    # With more sensitive columns than others nothing is left to predict with; rounding is measured against what was there.
    whole = reference(data, alphas=alpha, removal=0.0, **asked)
    unit = max(abs(block).max() for block in (whole.s, whole.x, whole.z) if block.size)
    for found, block in zip(coefficients(model, data), (expected.s, expected.x, expected.z), strict=True):
        close(found, block, to=RIDGE, unit=unit)


@law(data=rows(d_s=st.integers(1, 3), d_z=st.integers(1, 2)))
def test_controlled_gamma_has_no_penalty(data: Rows):
    heavy, none = fitted(data, alphas=1e12), fitted(data)
    close(heavy.beta_z_, none.beta_z_, to=RIDGE)
    assert (abs(heavy.beta_u_) <= 1e-6 * abs(none.beta_u_).max()).all()


@law(data=rows(d_s=st.integers(1, 3), d_x=st.integers(2, 4)), factor=st.floats(-6, 6), alpha=ALPHA)
def test_units_of_x_do_not_matter_to_the_penalty(data: Rows, factor: float, alpha: float):
    other = Rows(
        data.s, data.x * np.geomspace(1.0, 10.0**factor, data.x.shape[1]), data.z, data.y, data.weight, data.place
    )
    before, after = (predicted(fitted(r, alphas=alpha), r) for r in (data, other))
    close(after, before, to=RIDGE, unit=spread(data.y, data.weight))


@law(data=rows(d_s=st.integers(1, 3), d_x=st.integers(2, 4)), alpha=ALPHA)
def test_an_exact_copy_of_x_shares_its_effect_as_in_scikit_learn(data: Rows, alpha: float):
    x = np.hstack([data.x, data.x[:, :1]])
    twice = Rows(data.s, x, data.z, data.y, None, np.arange(data.s.shape[1] + x.shape[1]))
    rows_u = Residualizer(**twice.roles).fit_transform(twice.X)
    scaled = StandardScaler().fit_transform(rows_u)
    model = fitted(twice, alphas=alpha)
    close(
        predicted(model, twice)[:, 0],
        Ridge(alpha=alpha).fit(scaled, data.y[:, 0]).predict(scaled),
        to=RIDGE,
        unit=spread(data.y),
    )
    close(model.beta_u_[0], model.beta_u_[-1], to=RIDGE, unit=abs(model.beta_u_).max())
