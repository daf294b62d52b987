"""engines/memory.py: the edges of blocks, cells, weights and sparse columns; nothing is written to."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from tests.rooms.samples import NUMERIC, numbers, people, same
from twosdr import tables
from twosdr.engines import memory
from twosdr.roles import resolve


def source_of(X, *, weight=None, cells=1, codes=None, y=None):
    table = tables.read(X)
    n = table.n_rows
    codes = np.arange(n) % cells if codes is None else codes
    target = np.linspace(-1, 3, n)[:, None] if y is None else y
    return memory.Source(
        table, resolve(table, sensitive=0), target, ("y",), weight, cell_of=lambda a, b: codes[a:b], n_cells=cells
    )


def equal(a, b, tolerance=1e-12):
    scale = np.sqrt(np.einsum("kjj->kj", np.abs(b.scatter)).max(axis=0))
    scale = np.where(scale > 0, scale, 1.0)
    assert (a.names, a.blocks) == (b.names, b.blocks)
    assert np.array_equal(a.count, b.count)
    assert np.allclose(a.weight, b.weight, rtol=1e-13)
    assert same(a.mean[b.count > 0], b.mean[b.count > 0], tolerance)
    assert np.abs((a.scatter - b.scatter) / np.outer(scale, scale)).max() < tolerance
    return True


@pytest.mark.parametrize("container", NUMERIC)
def test_every_container_gives_the_same_moments(container):
    rows = numbers(people())
    assert equal(memory.moments(source_of(NUMERIC[container](rows), cells=3)), memory.moments(source_of(rows, cells=3)))


@pytest.mark.parametrize("epoch_rows", [1, 2, 7, 59, 60, 61])
@pytest.mark.parametrize("n_jobs", [1, 3])
def test_epochs_of_any_length_and_any_threads(epoch_rows, n_jobs):
    rows = numbers(people())
    found = memory.moments(source_of(rows, cells=3), epoch_rows=epoch_rows, n_jobs=n_jobs)
    assert equal(found, memory.moments(source_of(rows, cells=3)))


def test_the_number_of_threads_does_not_change_a_bit():
    rows = numbers(people())
    one, three = (memory.moments(source_of(rows, cells=3), epoch_rows=7, n_jobs=n) for n in (1, 3))
    assert one.scatter.tobytes() == three.scatter.tobytes()
    assert one.delta.tobytes() == three.delta.tobytes()


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_rows_of_weight_zero_are_not_there(kind):
    rows, y = numbers(people()), np.linspace(-1, 3, 60)[:, None]
    weight = (np.arange(60) % 4 > 0).astype(float)
    gone = weight == 0
    spoilt = rows.copy()
    spoilt[gone] = np.nan
    codes = np.arange(60) % 3
    found = memory.moments(source_of(kind(spoilt), weight=weight, cells=3))
    expected = memory.moments(source_of(kind(rows[~gone]), codes=codes[~gone], cells=3, y=y[~gone]))
    assert equal(found, expected)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_cells_without_rows_are_empty(kind):
    found = memory.moments(source_of(kind(numbers(people())), cells=4, codes=np.full(60, 2)))
    assert found.count.tolist() == [0, 0, 60, 0]
    assert not found.scatter[[0, 1, 3]].any()


@pytest.mark.parametrize("cells", [300, 60])
def test_more_cells_than_rows_fit_in_a_byte(cells):
    rows = numbers(people(n=60))
    found = memory.moments(source_of(rows, cells=cells))
    assert found.count.sum() == 60
    assert not np.abs(found.scatter).max() > 1e-18


def test_one_row():
    found = memory.moments(source_of(numbers(people())[:1]))
    assert found.count.tolist() == [1]
    assert not found.scatter.any()


def test_no_rows():
    found = memory.moments(source_of(numbers(people())[:0], y=np.zeros((0, 1))))
    assert found.count.tolist() == [0]


@pytest.mark.parametrize("share", [0.0, 0.01, 0.3, 0.6, 1.0])
def test_sparse_columns_of_any_fill(share):
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(200, 5)) * (rng.random((200, 5)) < share)
    rows[:, 0] = np.arange(200) % 2
    weight = rng.integers(0, 3, 200).astype(float)
    found = memory.moments(source_of(sp.csr_array(rows), weight=weight, cells=3))
    assert equal(found, memory.moments(source_of(rows, weight=weight, cells=3)))


def test_stored_zeros_and_repeated_entries_of_a_sparse_table():
    rows = sp.coo_array(([1.0, 2.0, 0.0, 4.0], ([0, 0, 1, 2], [1, 1, 1, 2])), shape=(3, 3))
    assert equal(memory.moments(source_of(rows)), memory.moments(source_of(rows.toarray())))


def test_nothing_is_written_to():
    rows = numbers(people())
    before = rows.copy()
    memory.moments(source_of(rows, weight=np.arange(60.0), cells=3))
    assert np.array_equal(rows, before)
    stored = sp.csr_array(rows)
    memory.moments(source_of(stored, weight=np.arange(60.0), cells=3))
    assert np.array_equal(stored.toarray(), before)


def test_a_target_named_like_a_column_is_renamed():
    rows = numbers(people())
    table = tables.read(rows)
    source = memory.Source(table, resolve(table, sensitive=0), rows[:, :1], ("x1",))
    assert source.names == ("x0", "x1", "x2", "x3", "target x1")
    assert len(set(source.names)) == 5


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_the_triangle_squares_to_the_scatter(kind):
    rows = numbers(people())
    source = source_of(kind(rows), weight=np.arange(60.0))
    m = memory.moments(source)
    R = memory.triangle(source, m)
    scale = np.sqrt(np.diag(m.scatter[0]))
    assert np.abs((R.T @ R - m.scatter[0]) / np.outer(scale, scale)).max() < 1e-12


@pytest.mark.parametrize("policy", ["error", "mean", "category"])
def test_a_table_of_categories_alone_is_counted_like_any_other(policy):
    """Numbers that are categories: nothing is left for the part that multiplies."""
    columns = {
        "s": [0] * 11 + [1],
        "x": [0, 0, 0, 0, 1, -1, 2, -2, 3, -3, 4, -4],
        "z": [0, 0, 1, -1, 2, -2, 3, -3, 4, -4, 5, -5],
    }
    table = tables.read(pd.DataFrame(columns).astype("category"))
    roles = resolve(table, handle_missing=policy)
    y = np.arange(12.0)[:, None]
    found = memory.moments(memory.Source(table, roles, y, ("y",)))
    rows = np.column_stack([roles.encode(table, slice(0, 12)), y])
    assert np.allclose(found.mean[0], rows.mean(axis=0), atol=1e-12)
    assert np.allclose(found.scatter[0], np.cov(rows.T, bias=True) * 12, atol=1e-12)
