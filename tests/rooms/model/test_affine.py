"""model/affine.py: one affine map, with an origin where columns lie far from zero."""

import numpy as np
import pytest

from tests.rooms.samples import numbers, people
from tests.rooms.test_moments import moments_of
from twosdr.model import FAR, Affine


def map_of(rows, coef):
    return Affine.through_means(moments_of(rows), np.asarray(coef, dtype=float)[:, None])


def test_the_mean_of_the_rows_goes_to_the_mean_of_y():
    rows = numbers(people())
    f = map_of(rows, [1.0, 2.0, 3.0, 4.0])
    assert np.isclose(f(rows).mean(), (2 * rows[:, -1] + 1).mean(), rtol=1e-13)
    assert np.allclose(f(rows), rows @ f.coef + f.intercept, rtol=1e-12)


def test_nothing_is_centred_that_is_near():
    assert not map_of(numbers(people()), np.ones(4)).origin.any()


@pytest.mark.parametrize(("times", "centred"), [(0.5, False), (2.0, True)])
def test_a_column_is_centred_past_a_thousand_deviations(times, centred):
    rows = numbers(people())
    rows[:, 2] += times * FAR * rows[:, 2].std()
    assert bool(map_of(rows, np.ones(4)).origin.any()) == centred


def test_a_mean_of_a_thousand_million_costs_no_digits():
    rows = numbers(people())
    far = rows + np.array([1e9, 1e9, -1e9, 0])  # eighths, so the sums are exact
    near, there = map_of(rows, [1.0, 2.0, 3.0, 4.0])(rows), map_of(far, [1.0, 2.0, 3.0, 4.0])(far)
    assert np.allclose(there - there.mean(), near - near.mean(), rtol=0, atol=1e-12)


def test_whole_numbers_and_short_floats_are_read():
    rows = numbers(people())
    f = map_of(rows, [1.0, 2.0, 3.0, 4.0])
    assert np.allclose(f(rows.astype(np.float32)), f(rows), rtol=1e-12)
    whole = np.round(rows)
    assert np.array_equal(f(whole.astype(int)), f(whole))


def test_one_row_and_no_row():
    rows = numbers(people())
    f = map_of(rows, [1.0, 2.0, 3.0, 4.0])
    assert np.allclose(f(rows[:1]), f(rows)[:1], rtol=1e-14)
    assert f(rows[:0]).shape == (0, 1)


def test_the_rows_are_not_written_to():
    rows = numbers(people())
    rows[:, 1] += 1e9
    before = rows.copy()
    map_of(rows, np.ones(4))(rows)
    assert np.array_equal(rows, before)
