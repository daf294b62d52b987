"""Theorem 2, first half: on the training rows, Cov(s, u) = 0, whatever s looks like."""

import numpy as np
import pytest
from hypothesis import strategies as st

from tests.laws.tools import (
    ZERO,
    Rows,
    close,
    columns,
    cov,
    expecting,
    gathered,
    law,
    no_covariance,
    residual,
    rows,
    spread,
    with_copies,
)
from twosdr import Residualizer
from twosdr.errors import DroppedColumnWarning
from twosdr.solve import first_stage, residual_moments, rows_of


@law(data=rows(far=True))
def test_residual_is_uncorrelated_with_every_sensitive_column(data: Rows):
    no_covariance(data.s, residual(data), data.weight)


@law(data=rows(far=True), copies=st.sets(st.sampled_from(["copy", "minus", "twice", "constant"]), min_size=1))
def test_residual_is_uncorrelated_with_repeated_and_constant_sensitive_columns(data: Rows, copies: set[str]):
    data = with_copies(data, copies)
    with expecting(DroppedColumnWarning):
        u = residual(data)
    no_covariance(data.s[:, spread(data.s) > 0], u, data.weight)


@law(data=rows(d_s=st.integers(2, 4)))
def test_residual_is_uncorrelated_with_sensitive_columns_that_add_up(data: Rows):
    data = with_copies(data, {"sum"})
    with expecting(DroppedColumnWarning):
        u = residual(data)
    no_covariance(data.s, u, data.weight)


@law(data=rows(d_s=st.just(1), far=True), levels=st.integers(2, 6), seed=st.integers(0, 2**32 - 1))
def test_residual_is_uncorrelated_with_every_level_as_numbers_and_as_text(data: Rows, levels: int, seed: int):
    codes = np.random.default_rng(seed).permutation(np.arange(data.n) % levels)
    dummies = (codes[:, None] == np.arange(levels)).astype(float)
    x = data.x + spread(data.x) * np.cos(codes)[:, None]  # so that the levels matter
    everything = np.hstack([dummies, data.s])
    with expecting(DroppedColumnWarning):
        as_numbers = Residualizer(sensitive=range(levels + 1)).fit_transform(np.hstack([everything, x]))
    table = {
        "group": np.array(list("fmabcd"))[codes],
        "s": data.s[:, 0],
        **{f"x{j}": x[:, j] for j in range(x.shape[1])},
    }
    as_text = Residualizer(sensitive=["group", "s"]).fit_transform(table)
    for u in (as_numbers, as_text):
        no_covariance(everything, u)


@law(data=rows(d_s=st.integers(2, 4), d_z=st.integers(1, 3), far=True))
@pytest.mark.parametrize("mode", ["joint", "raw"])
def test_residual_is_uncorrelated_with_s_in_both_readings_and_with_z_in_one(data: Rows, mode: str):
    u = residual(data, explanatory_mode=mode)
    no_covariance(data.s, u, data.weight)
    if mode == "joint":
        no_covariance(data.z, u, data.weight)


@law(data=rows(d_s=st.integers(2, 4)), removal=st.floats(0.0, 1.0))
def test_removal_takes_off_its_share_of_the_covariance(data: Rows, removal: float):
    found, whole = cov(data.s, residual(data, removal=removal), data.weight), cov(data.s, data.x, data.weight)
    close(
        found, (1.0 - removal) * whole, to=ZERO, unit=np.outer(spread(data.s, data.weight), spread(data.x, data.weight))
    )


@law(data=rows(far=True))
def test_residual_moments_hold_no_covariance_with_s_either(data: Rows):
    m = gathered(data)
    c = columns(m)
    B = first_stage(rows_of(m.scatter[0], c.s), c.s, c.x)
    found = residual_moments(m, c.s, c.x, B).cov("s", "x")
    close(found, 0.0 * found, to=ZERO, unit=np.sqrt(np.outer(np.diag(m.cov("s", "s")), np.diag(m.cov("x", "x")))))
