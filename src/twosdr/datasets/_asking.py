"""What a generator may be asked for: numbers checked, and whatever is random made one seed."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from twosdr.errors import ParameterError


def seed_of(random_state: Any) -> int:
    """One whole number from None, a whole number, a Generator or a RandomState; kept, so that every pass sees the same rows."""
    if random_state is None:
        return int(np.random.SeedSequence().generate_state(1, np.uint64)[0])
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**63))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    return whole("random_state", random_state, 0)


def whole(name: str, value: Any, least: int) -> int:
    try:
        found = operator.index(value)
    except TypeError:
        found = least - 1
    if found < least or isinstance(value, bool):
        raise ParameterError(f"{name} must be a whole number, {least} or more. Got {value!r} instead.")
    return found


def above_zero(name: str, value: float, or_zero: bool = False) -> None:
    finite(**{name: value})
    if not (value > 0 or (or_zero and value == 0)):
        raise ParameterError(f"{name} must be above 0{' or 0' * or_zero}. Got {value} instead.")


def numbers(name: str, values: Any) -> tuple[float, ...]:
    try:
        return tuple(float(value) for value in values)
    except (TypeError, ValueError):
        raise ParameterError(f"{name} must be a list of numbers. Got {values!r} instead.") from None


def between(name: str, value: float, low: float, high: float) -> None:
    finite(**{name: value})
    if not low < value < high:
        raise ParameterError(f"{name} must be between {low} and {high}. Got {value} instead.")


def finite(**values: Any) -> None:
    for name, value in values.items():
        try:
            fine = math.isfinite(value)
        except (TypeError, OverflowError):
            fine = False
        if not fine:
            raise ParameterError(f"{name} must be a finite number. Got {value!r} instead.")
