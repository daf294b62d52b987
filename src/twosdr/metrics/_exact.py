"""Sums without rounding: the same number however the rows are ordered, cut into chunks or added up by several machines.

A sum is a Python integer in units of 2^-1074, the smallest float. Streams can promise the one-shot answer to the last
bit because of it, and variances can be taken from plain sums: nothing cancels where nothing was rounded.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from twosdr.tables import Array

UNIT = 1074
# Rows at a time. 2^16 multiples of a unit, each below 2^37 of them, add up to 53 bits: a float holds their sum exactly.
BLOCK, BITS = 2**16, 37


def units(n: int) -> int:
    """A whole number in units."""
    return n << UNIT


def number(total: int) -> Fraction:
    """A sum as a fraction, for arithmetic that still does not round."""
    return Fraction(total, 1 << UNIT)


def sums(values: Array, codes: Array | None, k: int) -> list[int]:
    """The sum of the values of every code 0..k-1 (of all of them for codes None)."""
    total = [0] * k
    for start in range(0, len(values), BLOCK):
        rest = values[start : start + BLOCK].astype(np.float64)
        where = None if codes is None else codes[start : start + BLOCK]
        while (top := float(np.abs(rest).max())) > 0.0:
            # Adding and taking off a large number cuts each value at one place; what is cut off goes into the next turn.
            cut = math.ldexp(1.5, math.frexp(top)[1] + 52 - BITS)
            head = (rest + cut) - cut
            rest -= head
            part = [float(head.sum())] if where is None else np.bincount(where, head, k).tolist()
            for j, value in enumerate(part):
                if value:
                    above, below = value.as_integer_ratio()
                    total[j] += above * ((1 << UNIT) // below)
    return total


def product(a: Array, b: Array) -> tuple[Array, Array]:
    """a b as a rounded product and what rounding took off (Dekker), for numbers below 1e150."""
    high = a * b
    (a1, a2), (b1, b2) = _halves(a), _halves(b)
    return high, ((a1 * b1 - high) + a1 * b2 + a2 * b1) + a2 * b2


def _halves(a: Array) -> tuple[Array, Array]:
    wide = a * 134217729.0  # 2^27 + 1
    upper = wide - (wide - a)
    return upper, a - upper
