"""Sums that do not round, against fractions."""

import math
from fractions import Fraction

import numpy as np
import pytest

from twosdr.metrics import _exact


def sum_of(values):
    return sum((Fraction(float(v)) for v in values), Fraction(0))


@pytest.mark.parametrize("scale", [1.0, 1e-200, 1e150, 1e-310])
def test_a_sum_is_the_fraction(scale):
    chance = np.random.default_rng(0)
    values = chance.normal(size=500) * 10.0 ** chance.integers(-30, 30, 500) * scale
    [total] = _exact.sums(values, None, 1)
    assert _exact.number(total) == sum_of(values)


def test_sums_by_code_cross_the_border_of_a_block(monkeypatch):
    monkeypatch.setattr(_exact, "BLOCK", 7)
    chance = np.random.default_rng(1)
    values, codes = chance.normal(size=50) + 1e9, chance.integers(0, 3, 50)
    for code, total in enumerate(_exact.sums(values, codes, 3)):
        assert _exact.number(total) == sum_of(values[codes == code])


def test_many_equal_large_values_do_not_overflow_a_block():
    values = np.full(2 * _exact.BLOCK, 0.1)
    [total] = _exact.sums(values, None, 1)
    assert _exact.number(total) == Fraction(0.1) * len(values)


def test_a_whole_number_in_units():
    assert _exact.number(_exact.units(3)) == 3


def test_a_product_with_what_rounding_took_off():
    chance = np.random.default_rng(2)
    a, b = chance.normal(size=(2, 200)) * 10.0 ** chance.integers(-60, 60, (2, 200))
    high, low = _exact.product(a, b)
    for x, y, h, rest in zip(a, b, high, low, strict=True):
        assert Fraction(float(h)) + Fraction(float(rest)) == Fraction(float(x)) * Fraction(float(y))


def test_nothing_and_zeros():
    assert _exact.sums(np.zeros(0), None, 1) == [0]
    assert _exact.sums(np.zeros(3), np.array([0, 1, 1]), 2) == [0, 0]


def test_a_constant_has_no_error_however_it_is_weighted():
    from twosdr.metrics._cells import gather
    from twosdr.metrics._reading import everyone

    for value in (0.1, -3.0, 1e9 / 3):
        y, w = np.full(24, value), np.full(24, 0.7)
        [sums] = gather(y, everyone(24), w).cells.values()
        assert sums.mean == value
        assert 0 <= sums.squared_error <= 1e-25 * value**2


def test_full_blocks_of_any_numbers_lose_no_digit():
    values = np.random.default_rng(3).normal(size=2 * _exact.BLOCK + 5) * 1e3
    codes = (np.arange(len(values)) % 2).astype(np.intp)
    whole, halves = _exact.sums(values, None, 1), _exact.sums(values, codes, 2)
    assert whole[0] == sum(halves) == sum(_exact.sums(values[::-1], None, 1))
    assert float(_exact.number(whole[0])) == math.fsum(values)
