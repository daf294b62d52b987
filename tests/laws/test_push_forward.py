"""Push-forward: the moments of residual rows are `residual_moments` of the moments. All after it is linear algebra."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import strategies as st

from tests.laws.tools import Rows, columns, gathered, law, residual, rows, same_moments
from twosdr.solve import first_stage, residual_moments, residual_scatter, rows_of

# Rows u = x - (v - mean)B are rounded at the size of x, and B carries rounding times the condition (below 1e3).
PUSHED = 1e-11

TABLES = rows(d_s=st.integers(2, 4), d_z=st.integers(0, 2), d_y=st.integers(1, 2))
FAR = rows(d_s=st.integers(2, 4), d_z=st.integers(0, 2), d_y=st.integers(1, 2), far=True)
SEED = st.integers(0, 2**32 - 1)


@law(data=TABLES, seed=SEED)
@pytest.mark.parametrize("mode", ["joint", "raw"])
def test_moments_of_residual_rows_are_residual_moments(data: Rows, mode: str, seed: int):
    cell = np.random.default_rng(seed).integers(0, 3, data.n)
    m = gathered(data, cell, 3)
    c = columns(m)
    v = c.s if mode == "raw" else c.v
    B = first_stage(rows_of(m.total().scatter[0], v), v, c.x)
    u = residual(data, **({"explanatory_mode": mode} if data.z.shape[1] else {}))
    same_moments(residual_moments(m, v, c.x, B), gathered(replace(data, x=u), cell, 3), to=PUSHED, scale=m)


@law(data=FAR)
def test_however_far_from_zero_the_rows_are(data: Rows):
    m = gathered(data)
    c = columns(m)
    B = first_stage(rows_of(m.scatter[0], c.v), c.v, c.x)
    pushed = residual_moments(m, c.v, c.x, B)
    # u about its own mean, so that the rows are not rounded at the size of a mean that covariances do not know.
    u = (data.X[:, c.x] - m.shift[c.x] - m.delta[0, c.x]) - ((data.X[:, c.v] - m.shift[c.v]) - m.delta[0, c.v]) @ B
    order = np.argsort(np.argsort(data.at("x")))
    same = gathered(replace(data, x=u[:, order]))
    size = np.sqrt(np.diag(m.scatter[0]))
    assert (abs(pushed.scatter - same.scatter) <= PUSHED * np.outer(size, size)).all()
    # The mean of u is that of x: stage 1 is centred.
    gap = (pushed.shift - m.shift) + (pushed.delta[0] - m.delta[0])
    assert (abs(gap) <= PUSHED * size / np.sqrt(m.weight[0])).all()


@law(data=FAR, seed=SEED)
def test_any_B_is_pushed_forward_not_only_the_best(data: Rows, seed: int):
    m = gathered(data)
    c = columns(m)
    spread = np.sqrt(np.diag(m.scatter[0]) / m.weight[0])
    B = np.random.default_rng(seed).normal(size=(len(c.v), len(c.x))) * spread[c.x] / spread[c.v][:, None]
    u = (data.X[:, c.x] - m.shift[c.x]) - (data.X[:, c.v] - m.shift[c.v]) @ B
    order = np.argsort(np.argsort(data.at("x")))
    expected = gathered(replace(data, x=u[:, order])).scatter[0]
    size = np.sqrt(np.diag(m.scatter[0]))
    assert (abs(residual_scatter(m.scatter[0], c.v, c.x, B) - expected) <= PUSHED * np.outer(size, size)).all()


@law(data=TABLES)
def test_a_fit_on_residual_rows_finds_the_same_effects(data: Rows):
    """Stage 2 reads moments of u that nobody gathered: here they are gathered, and say the same."""
    m = gathered(data)
    c = columns(m)
    B = first_stage(rows_of(m.scatter[0], c.v), c.v, c.x)
    pushed, direct = residual_moments(m, c.v, c.x, B), gathered(replace(data, x=residual(data)))
    size = np.sqrt(np.diag(m.scatter[0])) / np.sqrt(m.weight[0])
    for block in ("s", "z", "x"):
        found, expected = pushed.cov(block, "y"), direct.cov(block, "y")
        unit = np.outer(size[m.index(block)], size[m.index("y")])
        assert (abs(found - expected) <= PUSHED * unit).all()
