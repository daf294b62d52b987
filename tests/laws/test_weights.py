"""A weight counts rows: k is k copies, zero is no row, and all of them times a number are the same fit."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import strategies as st

from tests.laws.tools import (
    ASKED_WITH_Z,
    Rows,
    close,
    fitted,
    gathered,
    law,
    predicted,
    residual,
    rows,
    same_moments,
    spread,
    words,
)
from twosdr import Residualizer, TwoStageRegressor

COPIES = 1e-12  # the same products, added up in another order
REFITTED = 1e-9  # rounding times the condition (below 1e3) squared

UNWEIGHTED = rows(d_s=st.integers(2, 3), d_z=st.integers(1, 2), d_y=st.integers(1, 2), weighted=False)
FAR = rows(d_s=st.integers(2, 3), d_z=st.integers(1, 2), d_y=st.integers(1, 2), weighted=False, far=True)
SEED = st.integers(0, 2**32 - 1)
GARBAGE = st.sampled_from([0.0, 1e9, -1e100, 1e200, np.nan, np.inf])


def counts(data: Rows, seed: int, least: int) -> np.ndarray:
    found = np.random.default_rng(seed).integers(least, 4, data.n)
    found[: data.n // 2] = np.maximum(found[: data.n // 2], 1)
    return found


@law(data=FAR, seed=SEED)
def test_moments_of_weight_k_are_those_of_k_copies(data: Rows, seed: int):
    k = counts(data, seed, 1)
    weighted = gathered(replace(data, weight=k.astype(float)))
    copies = gathered(data.take(np.repeat(np.arange(data.n), k)))
    same_moments(replace(weighted, count=copies.count.copy()), copies, to=COPIES)


@law(data=UNWEIGHTED, seed=SEED, alpha=st.sampled_from([0.0, 2.0]), removal=st.sampled_from([1.0, 0.3]))
@pytest.mark.parametrize("asked", ASKED_WITH_Z, ids=words)
def test_a_fit_with_weight_k_is_a_fit_on_k_copies(data: Rows, seed: int, alpha: float, removal: float, asked: dict):
    k = counts(data, seed, 0)
    weighted = fitted(replace(data, weight=k.astype(float)), alphas=alpha, removal=removal, **asked)
    copies = fitted(data.take(np.repeat(np.arange(data.n), k)), alphas=alpha, removal=removal, **asked)
    close(predicted(weighted, data), predicted(copies, data), to=REFITTED, unit=spread(data.y))
    close(weighted.cost_, copies.cost_, to=REFITTED, unit=spread(data.y).max() ** 2)


@law(data=UNWEIGHTED, seed=SEED)
@pytest.mark.parametrize("mode", ["joint", "raw"])
def test_residuals_with_weight_k_are_those_of_k_copies(data: Rows, seed: int, mode: str):
    k = counts(data, seed, 0)
    repeated = np.repeat(np.arange(data.n), k)
    weighted = residual(replace(data, weight=k.astype(float)), explanatory_mode=mode)[repeated]
    close(weighted, residual(data.take(repeated), explanatory_mode=mode), to=REFITTED, unit=spread(data.x))


def with_absent(data: Rows, seed: int, garbage: float) -> tuple[Rows, np.ndarray]:
    """Rows of which some count zero times and hold nonsense, and a mask of the others."""
    here = counts(data, seed, 0) > 0
    here[0] = False  # the first row is where a careless engine looks for a shift
    blocks = {name: np.where(here[:, None], getattr(data, name), garbage) for name in ("s", "x", "z")}
    return replace(data, **blocks, weight=here.astype(float) * 1.7), here


@law(data=FAR, seed=SEED, garbage=GARBAGE, epoch_rows=st.sampled_from([1, 5, 65_536]))
def test_moments_do_not_see_rows_of_weight_zero(data: Rows, seed: int, garbage: float, epoch_rows: int):
    nonsense, here = with_absent(data, seed, garbage)
    same_moments(gathered(nonsense, epoch_rows=epoch_rows), gathered(nonsense.take(here)), to=COPIES)


@law(data=UNWEIGHTED, seed=SEED, garbage=GARBAGE)
@pytest.mark.parametrize("asked", ASKED_WITH_Z, ids=words)
def test_a_fit_does_not_see_rows_of_weight_zero(data: Rows, seed: int, garbage: float, asked: dict):
    nonsense, here = with_absent(data, seed, garbage)
    with_them, without = fitted(nonsense, **asked), fitted(nonsense.take(here), **asked)
    close(predicted(with_them, data), predicted(without, data), to=REFITTED, unit=spread(data.y))
    transformed = [
        Residualizer(**data.roles).fit(r.X, sample_weight=r.weight).transform(data.X)
        for r in (nonsense, nonsense.take(here))
    ]
    close(*transformed, to=REFITTED, unit=abs(transformed[0]).max())


@law(data=UNWEIGHTED, seed=SEED, garbage=GARBAGE)
def test_a_fit_that_reads_rows_twice_does_not_see_rows_of_weight_zero_either(data: Rows, seed: int, garbage: float):
    # A near-copy: the moments do not have the digits, so the rows are read again.
    near = data.x[:, :1] + 1e-6 * spread(data.x[:, :1]) * np.random.default_rng(seed).normal(size=(data.n, 1))
    x = np.hstack([data.x, near])
    data = replace(data, x=x, place=np.arange(data.s.shape[1] + x.shape[1] + data.z.shape[1]))
    nonsense, here = with_absent(data, seed, garbage)
    with_them, without = fitted(nonsense), fitted(nonsense.take(here))
    close(predicted(with_them, data), predicted(without, data), to=REFITTED, unit=spread(data.y))


@law(data=UNWEIGHTED, seed=SEED)
def test_a_level_of_weight_zero_is_no_level(data: Rows, seed: int):
    rng = np.random.default_rng(seed)
    weight = rng.integers(0, 3, data.n).astype(float)
    weight[:6] = 1.0
    group = np.where(weight > 0, rng.choice(["f", "m"], data.n), "only where nobody counts")
    group[:2] = "f", "m"
    frame = pd.DataFrame(data.X).rename(columns=str).assign(group=group)
    here = weight > 0
    models = [
        TwoStageRegressor(sensitive=["group"]).fit(frame[keep], data.target[keep], sample_weight=weight[keep])
        for keep in (np.ones(data.n, dtype=bool), here)
    ]
    assert list(models[0].encoded_names_) == list(models[1].encoded_names_)
    close(*(m.predict(frame[here]) for m in models), to=REFITTED, unit=spread(data.y).max())


@law(data=UNWEIGHTED, seed=SEED, factor=st.sampled_from([1e-9, 0.1, 3.0, 1e9]))
@pytest.mark.parametrize("asked", ASKED_WITH_Z, ids=words)
def test_without_a_penalty_the_unit_of_weights_does_not_matter(data: Rows, seed: int, factor: float, asked: dict):
    weight = np.random.default_rng(seed).uniform(0.1, 2.0, data.n)
    before, after = (predicted(fitted(replace(data, weight=w), **asked), data) for w in (weight, factor * weight))
    close(after, before, to=REFITTED, unit=spread(data.y))
