"""a + b is the Moments of a's rows followed by b's: merging is associative, has a zero, and is undone by subtraction."""

from itertools import pairwise

import numpy as np
from hypothesis import strategies as st

from tests.laws.tools import Rows, gathered, law, rows, same_moments
from twosdr.errors import MomentsError
from twosdr.moments import LOST

# Sums of some hundred rounded products, each at most the product of two sums of squares.
ADDED = 1e-13
# Means of the parts lie up to three deviations apart from that of the whole: a few more roundings.
MERGED = 1e-12

TABLES = rows(d_z=st.integers(0, 2), d_y=st.integers(1, 2), far=True)
SEED = st.integers(0, 2**32 - 1)


def parts(data: Rows, seed: int, how_many: int) -> list[Rows]:
    """The rows cut at random places; a part may be a single row, or empty."""
    inner = np.random.default_rng(seed).integers(0, data.n + 1, how_many - 1)
    return [data.take(slice(a, b)) for a, b in pairwise([0, *sorted(inner.tolist()), data.n])]


@law(data=TABLES, seed=SEED, how_many=st.integers(2, 6))
def test_merge_equals_concatenation(data: Rows, seed: int, how_many: int):
    first, *rest = parts(data, seed, how_many)
    merged = gathered(first)
    for part in rest:
        merged = merged + gathered(part)
    same_moments(merged, gathered(data), to=MERGED)


@law(data=TABLES, seed=SEED)
def test_merge_is_associative(data: Rows, seed: int):
    a, b, c = (gathered(part) for part in parts(data, seed, 3))
    same_moments((a + b) + c, a + (b + c), to=MERGED)


@law(data=TABLES, seed=SEED)
def test_merge_is_commutative(data: Rows, seed: int):
    a, b = (gathered(part) for part in parts(data, seed, 2))
    same_moments(a + b, b + a, to=MERGED)


@law(data=TABLES)
def test_no_rows_are_the_zero_of_merging_on_either_side(data: Rows):
    m, nothing = gathered(data), gathered(data.take(slice(0, 0)))
    same_moments(m + nothing, m, to=0.0)
    same_moments(nothing + m, m, to=ADDED)


@law(data=TABLES, seed=SEED)
def test_cells_merge_cell_by_cell_and_add_up_to_the_whole(data: Rows, seed: int):
    cell = np.random.default_rng(seed).integers(0, 4, data.n)  # some may be empty
    half = data.n // 2
    whole = gathered(data, cell, 4)
    in_halves = gathered(data.take(slice(0, half)), cell[:half], 4) + gathered(
        data.take(slice(half, None)), cell[half:], 4
    )
    same_moments(in_halves, whole, to=MERGED)
    same_moments(whole.total(), gathered(data), to=MERGED)
    for k in np.unique(cell):
        same_moments(whole.cell(k), gathered(data.take(cell == k)), to=MERGED, scale=whole)


@law(data=TABLES, share=st.floats(0.1, 0.9))
def test_subtraction_undoes_addition(data: Rows, share: float):
    cut = round(data.n * share)
    a, b = gathered(data.take(slice(0, cut))), gathered(data.take(slice(cut, None)))
    both = a + b
    # Digits are those of the sum: what is taken out has been there.
    same_moments(both.without(b), a, to=MERGED, scale=both)
    for gone, kept in ((a, b), (b, a)):
        try:
            rest = both - gone
        except MomentsError:  # refused only where hardly any spread is left to tell digits by
            before, after = np.diag(both.scatter[0]), np.diag(kept.scatter[0])
            assert (after[before > 0] < 2 * LOST * before[before > 0]).any()
        else:
            same_moments(rest, kept, to=MERGED, scale=both)


@law(data=TABLES)
def test_everything_minus_itself_is_nothing(data: Rows):
    m = gathered(data)
    rest = m - m
    assert rest.count.sum() == 0
    assert (abs(rest.weight) == 0).all()
    assert (abs(rest.scatter) == 0).all()


@law(data=TABLES, seed=SEED)
def test_a_selection_is_the_moments_of_those_columns(data: Rows, seed: int):
    m = gathered(data)
    keep = np.random.default_rng(seed).permutation(len(m.names))[: 1 + len(m.names) // 2]
    found = m.select(keep)
    assert found.names == tuple(m.names[j] for j in keep)
    np.testing.assert_array_equal(found.scatter[0], m.scatter[0][np.ix_(keep, keep)])
    np.testing.assert_array_equal(found.mean[0], m.mean[0][keep])


@law(data=TABLES)
def test_moments_are_those_of_numpy(data: Rows):
    """The one law here with an outside witness: the rest would hold for sums of anything."""
    m = gathered(data)
    everything = np.hstack([data.X, data.y])
    w = np.ones(data.n) if data.weight is None else data.weight
    exact = everything.astype(np.longdouble) - everything[0]
    mean = np.average(exact, axis=0, weights=w)
    scatter = ((exact - mean) * w[:, None]).T @ (exact - mean)
    size = np.sqrt(np.diag(scatter))
    assert (abs(m.scatter[0] - scatter) <= ADDED * np.outer(size, size)).all()
    gap = (m.shift.astype(np.longdouble) - everything[0]) + m.delta[0] - mean
    assert (abs(gap) <= ADDED * size / np.sqrt(w.sum())).all()
    assert abs(m.weight[0] - w.sum()) <= ADDED * w.sum()
    assert m.count[0] == data.n
