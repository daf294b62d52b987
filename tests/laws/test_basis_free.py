"""s is a space, not a list of columns: recoding it by any invertible affine map changes no residual and no prediction."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import strategies as st

from tests.laws.tools import (
    ASKED_WITH_Z,
    Rows,
    centred,
    close,
    fitted,
    law,
    predicted,
    residual,
    rows,
    spread,
    words,
)

# Of condition 1e3 times that of s, the recoded design is held to what is promised up to condition 1e5; s A + b is itself
# rounded when it is made, by eps times that condition and its mean in deviations (10).
RECODED = 1e-8

AT_LEAST_TWO = rows(d_s=st.integers(2, 4), d_z=st.integers(0, 2))
STRETCH = st.floats(0.0, 3.0)
SEED = st.integers(0, 2**32 - 1)


def recoded(data: Rows, stretch: float, seed: int) -> Rows:
    """The same rows with s A + b in the place of s; A has condition 10^stretch."""
    rng = np.random.default_rng(seed)
    d = data.s.shape[1]
    left, right = (np.linalg.qr(rng.normal(size=(d, d)))[0] for _ in "lr")
    A = left * np.geomspace(1.0, 10.0**-stretch, d) @ right * 10.0 ** rng.uniform(-6, 6)
    s = (data.s - data.s.mean(axis=0)) @ A
    return replace(data, s=s + rng.uniform(-10, 10, d) * spread(s))


@law(data=AT_LEAST_TWO, stretch=STRETCH, seed=SEED)
def test_recoding_s_leaves_the_residual_alone(data: Rows, stretch: float, seed: int):
    before, after = (residual(rows_) for rows_ in (data, recoded(data, stretch, seed)))
    close(centred(after, data.weight), centred(before, data.weight), to=RECODED, unit=spread(before, data.weight))


@law(
    data=AT_LEAST_TWO,
    stretch=STRETCH,
    seed=SEED,
    removal=st.sampled_from([0.0, 0.4, 1.0]),
    alpha=st.sampled_from([0.0, 2.0]),
)
@pytest.mark.parametrize("asked", ASKED_WITH_Z, ids=words)
def test_recoding_s_leaves_predictions_alone(
    data: Rows, stretch: float, seed: int, removal: float, alpha: float, asked: dict
):
    if not data.z.shape[1]:
        asked = {name: value for name, value in asked.items() if name != "explanatory_mode"}
    if asked.get("goal") == "discrimination_free":
        removal = 1.0  # keeping a part of s's own coefficients is no different: below 1 they are a part of the same sum
    before, after = (
        predicted(fitted(rows_, removal=removal, alphas=alpha, **asked), rows_)
        for rows_ in (data, recoded(data, stretch, seed))
    )
    close(after, before, to=RECODED, unit=spread(data.y, data.weight))
