"""The same numbers however the rows are cut, ordered or shared among threads."""

import numpy as np
import pytest
from hypothesis import strategies as st

from tests.laws.tools import (
    ASKED_WITH_Z,
    Rows,
    close,
    coefficients,
    expecting,
    fitted,
    gathered,
    law,
    rows,
    same_moments,
    source,
    spread,
    words,
)
from twosdr import Residualizer
from twosdr.engines import memory
from twosdr.errors import ChoiceWarning

# Another order of the same few hundred products.
REORDERED = 1e-12
# A fit on them: rounding times the condition (below 1e3) squared.
REFITTED = 1e-9

TABLES = rows(d_z=st.integers(0, 2), d_y=st.integers(1, 2), far=True)
SEED = st.integers(0, 2**32 - 1)


@law(
    data=TABLES,
    epoch_rows=st.sampled_from([1, 2, 7, 31, 64]),
    buffer=st.sampled_from([1, 400, 2**20]),
    folds=st.sampled_from([1, 3]),
)
def test_any_chunking_gives_the_same_moments(data: Rows, epoch_rows: int, buffer: int, folds: int):
    cell = np.arange(data.n) % folds
    at_once = gathered(data, cell, folds)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(memory, "BUFFER_BYTES", buffer)  # 1: as few rows at a time as there can be
        patched.setattr(memory, "SYRK_ROWS", 1 + buffer % 5)
        in_pieces = gathered(data, cell, folds, epoch_rows=epoch_rows)
    same_moments(in_pieces, at_once, to=REORDERED)


@law(data=TABLES, epoch_rows=st.sampled_from([1, 3, 16]), n_jobs=st.integers(2, 5))
def test_any_number_of_threads_gives_the_same_bytes(data: Rows, epoch_rows: int, n_jobs: int):
    alone, together = (gathered(data, epoch_rows=epoch_rows, n_jobs=jobs) for jobs in (1, n_jobs))
    for name in ("shift", "weight", "count", "delta", "scatter"):
        assert getattr(alone, name).tobytes() == getattr(together, name).tobytes(), name


@law(data=TABLES, seed=SEED)
def test_any_order_gives_the_same_moments(data: Rows, seed: int):
    order = np.random.default_rng(seed).permutation(data.n)
    same_moments(gathered(data.take(order)), gathered(data), to=REORDERED)


@law(
    data=rows(d_s=st.just(2), d_z=st.integers(1, 2), d_y=st.integers(1, 2)),
    seed=SEED,
    alpha=st.sampled_from([0.0, 2.0]),
)
@pytest.mark.parametrize("asked", ASKED_WITH_Z, ids=words)
def test_any_order_gives_the_same_model(data: Rows, seed: int, alpha: float, asked: dict):
    shuffled = data.take(np.random.default_rng(seed).permutation(data.n))
    before, after = (fitted(rows_, alphas=alpha, **asked) for rows_ in (data, shuffled))
    for a, b in zip(coefficients(after, data), coefficients(before, data), strict=True):
        close(a, b, to=REFITTED, unit=abs(before.coef_).max())
    close(
        after.intercept_,
        before.intercept_,
        to=REFITTED,
        unit=abs(data.y).max() + abs(before.coef_).max() * abs(data.X).max(),
    )


@law(
    data=rows(d_s=st.just(2), d_x=st.integers(2, 4)),
    n_jobs=st.integers(2, 4),
    alphas=st.sampled_from([0.0, (0.1, 1.0, 1e3)]),
)
def test_any_number_of_threads_gives_the_same_model(data: Rows, n_jobs: int, alphas: object):
    with pytest.MonkeyPatch.context() as patched, expecting(ChoiceWarning):
        cut = memory.moments.__kwdefaults__ | {"epoch_rows": 8}  # several epochs also for tables of this size
        patched.setattr(memory.moments, "__kwdefaults__", cut)
        alone, together = (fitted(data, alphas=alphas, n_jobs=jobs) for jobs in (None, n_jobs))
        assert alone.coef_.tobytes() == together.coef_.tobytes()
        transformed = [Residualizer(**data.roles, n_jobs=jobs).fit(data.X).B_.tobytes() for jobs in (1, n_jobs)]
        assert transformed[0] == transformed[1]


@law(data=TABLES, piece=st.sampled_from([1, 3000, 2**22]))
def test_the_triangle_has_the_same_products_in_any_cutting(data: Rows, piece: int):
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(memory, "PIECE_BYTES", piece)
        R = memory.triangle(source(data), gathered(data))
    scatter = gathered(data).scatter[0]
    size = np.sqrt(np.diag(scatter))
    close(R.T @ R, scatter, to=REORDERED, unit=np.outer(size, size))


@law(data=rows(d_s=st.integers(2, 3), far=True), seed=SEED)
def test_the_order_of_columns_does_not_matter(data: Rows, seed: int):
    names = np.array([f"c{j}" for j in range(data.X.shape[1])])
    order = np.random.default_rng(seed).permutation(len(names))
    sensitive = names[data.roles["sensitive"]].tolist()
    tables = [dict(zip(names[k], data.X.T[k], strict=True)) for k in (np.arange(len(names)), order)]
    residuals = []
    for table in tables:
        transformer = Residualizer(sensitive=sensitive).fit(table, sample_weight=data.weight)
        found = dict(zip(transformer.get_feature_names_out(), transformer.transform(table).T, strict=True))
        residuals.append(np.column_stack([found[name] for name in sorted(found)]))
        # The other table, its columns in another order: matched by name.
        np.testing.assert_array_equal(transformer.transform(tables[0]), transformer.transform(tables[1]))
    room = REFITTED * spread(residuals[0], data.weight) + np.finfo(float).eps * abs(residuals[0]).max(axis=0)
    close(residuals[1], residuals[0], to=1.0, unit=room)
