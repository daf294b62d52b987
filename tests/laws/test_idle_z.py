"""A z without any effect on y restores no disparity in controlled mode, and does in joint."""

import numpy as np
import pytest
from hypothesis import strategies as st

from tests.laws.tools import ZERO, close, cov, law, spread
from twosdr import TwoStageRegressor

SAMPLE = {
    "n": st.integers(60, 300),
    "d_s": st.integers(1, 3),
    "strength": st.floats(0.3, 3.0),
    "seed": st.integers(0, 2**32 - 1),
}


def rows_with_idle_z(n: int, d_s: int, strength: float, seed: int) -> tuple[np.ndarray, ...]:
    """z follows s; y and x follow s. In this very sample, not only on average, z adds nothing to s for either."""
    rng = np.random.default_rng(seed)
    s = rng.normal(size=(n, d_s)) + 3.0
    z = strength * s.sum(axis=1, keepdims=True) + rng.normal(size=(n, 1)) - 7.0
    noise = rng.normal(size=(n, 4))
    known = np.hstack([np.ones((n, 1)), s, z])
    noise -= known @ np.linalg.lstsq(known, noise, rcond=None)[0]
    x = s @ rng.uniform(0.5, 1.5, (d_s, 3)) + noise[:, :3]
    y = s @ rng.uniform(0.5, 1.5, d_s) + x.sum(axis=1) + noise[:, 3]
    return s, x, z, y


def disparity(mode: str, s: np.ndarray, x: np.ndarray, z: np.ndarray, y: np.ndarray, **asked: float) -> np.ndarray:
    X, d_s = np.hstack([s, x, z]), s.shape[1]
    model = TwoStageRegressor(sensitive=range(d_s), explanatory=[d_s + 3], explanatory_mode=mode, **asked).fit(X, y)
    return cov(s, model.predict(X)[:, None])


@law(**SAMPLE)
@pytest.mark.parametrize("alpha", [0.0, 5.0])
def test_in_controlled_mode_an_idle_z_restores_no_disparity(n: int, d_s: int, strength: float, seed: int, alpha: float):
    s, x, z, y = rows_with_idle_z(n, d_s, strength, seed)
    found = disparity("controlled", s, x, z, y, alphas=alpha)
    # z is nearly the sum of the s: its share of their spread is the condition.
    close(found, 0.0 * found, to=ZERO, unit=(1 + strength) ** 2 * spread(s)[:, None] * spread(y[:, None]))


@law(**SAMPLE)
def test_in_joint_mode_an_idle_z_restores_what_it_shares_with_s(n: int, d_s: int, strength: float, seed: int):
    s, x, z, y = rows_with_idle_z(n, d_s, strength, seed)
    found, baseline = disparity("joint", s, x, z, y), cov(s, y[:, None])
    expected = cov(s, z) @ np.linalg.solve(cov(z, z), cov(z, y[:, None]))
    unit = spread(s)[:, None] * spread(y[:, None])
    close(found, expected, to=ZERO, unit=(1 + strength) ** 2 * unit)
    assert (abs(found) > 1e-3 * unit).all()  # it is there
    if d_s == 1:  # the whole disparity of least squares, times the squared correlation of s and z
        shared = cov(s, z) ** 2 / cov(s, s) / cov(z, z)
        close(found, shared * baseline, to=ZERO, unit=(1 + strength) ** 2 * unit)
