"""A sparse table is the dense table of the same numbers."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import strategies as st

from tests.laws.tools import (
    ASKED_WITH_Z,
    Rows,
    close,
    expecting,
    fitted,
    gathered,
    law,
    predicted,
    rows,
    same_moments,
    source,
    spread,
    words,
)
from twosdr import TwoStageRegressor
from twosdr.engines import memory
from twosdr.errors import ChoiceWarning

# Means of thin columns are corrected after the products are summed. A thin column is zero in half of its rows at least, so its
# mean is at most its deviation, and the correction cancels one digit.
SUMS = 1e-12
REFITTED = 1e-9  # rounding times the condition (below 1e3) squared

FORMATS = st.sampled_from([sp.csr_array, sp.csc_array, sp.coo_array, sp.csr_matrix, sp.csc_matrix])
SEED = st.integers(0, 2**32 - 1)


@st.composite
def thinned(draw: st.DrawFn, far: bool = False) -> Rows:
    """Rows with zeros in most columns: from all stored to nearly none, in s and z as well."""
    data = draw(
        rows(d_s=st.integers(2, 3), d_x=st.integers(3, 6), d_z=st.integers(1, 2), d_y=st.integers(1, 2), far=far)
    )
    rng = np.random.default_rng(draw(SEED))
    stored = {name: rng.choice([1.0, 0.7, 0.5, 0.3, 0.15], getattr(data, name).shape[1]) for name in ("s", "x", "z")}
    stored["x"][:2] = 1.0, 0.2  # at least one of either kind
    return replace(
        data, **{k: np.where(rng.random((data.n, len(v))) < v, getattr(data, k), 0.0) for k, v in stored.items()}
    )


@law(data=thinned(far=True), kind=FORMATS, seed=SEED)
def test_sparse_moments_are_dense_moments(data: Rows, kind: type, seed: int):
    cell = np.random.default_rng(seed).integers(0, 3, data.n)
    thin = memory.moments(source(data, cell, 3, X=kind(data.X)))
    thick = gathered(data, cell, 3)
    same_moments(thin, thick, to=SUMS)


@law(data=thinned(), kind=FORMATS, alpha=st.sampled_from([0.0, 2.0]))
@pytest.mark.parametrize("asked", ASKED_WITH_Z, ids=words)
def test_a_sparse_fit_is_the_dense_fit(data: Rows, kind: type, alpha: float, asked: dict):
    dense = fitted(data, alphas=alpha, **asked)
    sparse = TwoStageRegressor(**data.roles, alphas=alpha, **asked)
    sparse.fit(kind(data.X), data.target, sample_weight=data.weight)
    close(sparse.coef_, dense.coef_, to=REFITTED)
    for model in (dense, sparse):
        for X in (data.X, kind(data.X)):
            close(model.predict(X).reshape(data.n, -1), predicted(dense, data), to=REFITTED, unit=spread(data.y))


@law(data=rows(d_s=st.just(2), d_x=st.integers(3, 5), far=True), kind=FORMATS)
def test_columns_far_from_zero_keep_their_digits_in_a_sparse_table(data: Rows, kind: type):
    dense = fitted(data)
    sparse = TwoStageRegressor(**data.roles).fit(kind(data.X), data.target, sample_weight=data.weight)
    room = REFITTED * spread(data.y) + 4 * np.finfo(float).eps * abs(data.y).max()
    close(sparse.predict(kind(data.X)).reshape(data.n, -1), predicted(dense, data), to=1.0, unit=room)


@law(data=thinned(), kind=FORMATS)
def test_cross_validation_is_the_same_too(data: Rows, kind: type):
    alphas = [0.01, 1.0, 100.0]
    with expecting(ChoiceWarning):
        dense, sparse = (
            TwoStageRegressor(**data.roles, alphas=alphas, cv=4).fit(X, data.target, sample_weight=data.weight)
            for X in (data.X, kind(data.X))
        )
    close(sparse.cv_results_["mse"], dense.cv_results_["mse"], to=REFITTED)


@law(data=thinned(), kind=FORMATS)
def test_s_beside_a_sparse_table_is_s_within(data: Rows, kind: type):
    within = TwoStageRegressor(sensitive=range(data.s.shape[1]))
    X = np.hstack([data.s, data.x])
    beside = TwoStageRegressor().fit(kind(data.x), data.target, sample_weight=data.weight, sensitive_features=data.s)
    expected = within.fit(kind(X), data.target, sample_weight=data.weight).predict(X)
    close(beside.predict(kind(data.x), sensitive_features=data.s), expected, to=REFITTED, unit=spread(data.y).max())
