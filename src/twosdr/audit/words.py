"""Numbers as words: how an audit writes a number, an interval and a count, wherever it writes one."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

import math

from twosdr.metrics import Estimate

NOT_INDEPENDENT = "Made by the people who made the model, or for them: this is not an independent audit."
MODEL_AS_GIVEN = (
    "Intervals are for the model as given, on rows it was not chosen on. They say nothing of a model refitted on other rows, "
    "of how y was recorded, or of rows that the model or its threshold was chosen on."
)
MAY_BE_A_PRODUCT = (
    "z may itself be a product of discrimination; whether it justifies a difference is a judgement, not a measurement."
)
WEIGHTED = (
    "Rates, means and shares are weighted; n and the number selected count rows, so one over the other is not the rate."
)
ONE_CUT = "One cut is no verdict: the ratio depends on the share that is selected."

SMALLEST = 0.02  # where three decimals begin to say little


def number(value: float | None, digits: int = 3) -> str:
    """`.795`, `12.3`, `48,213`: three decimals below one, else about four significant digits.

    >>> [number(v) for v in (0.7951, -0.02, 12.345, 48213.4, 0.0, 1.0, 1e9, None)]
    ['.795', '-.020', '12.35', '48,213', '.000', '1.000', '1,000,000,000', '-']
    """
    if value is None:
        return "-"
    if not math.isfinite(value):
        return str(value)
    size = abs(value)
    if 0 < size < 10**-digits / 2:
        return f"{value:.1e}"
    whole = len(f"{int(size)}")
    text = f"{value:,.{digits if size < 10 else max(0, digits + 1 - whole)}f}"
    return text.replace("0.", ".", 1) if text.lstrip("-").startswith("0.") else text


def short(value: float) -> str:
    """A number that was given, such as a rule: as few digits as it takes.

    >>> short(0.8), short(0.95), short(1.0)
    ('.8', '.95', '1')
    """
    text = f"{value:g}"
    return text[1:] if text.startswith("0.") else text


def percent(share: float) -> str:
    """
    >>> percent(0.95), percent(0.999)
    ('95 %', '99.9 %')
    """
    return f"{100 * share:g} %"


def nearly(share: float, decimals: int = 0) -> str:
    """A share to so many decimals of a per cent, and to more where it would read as none or all of them and is not.

    >>> nearly(0.4567), nearly(0.4567, 1), nearly(0.99995), nearly(0.00016), nearly(1.0)
    ('46 %', '45.7 %', '99.995 %', '0.02 %', '100 %')
    """
    while decimals < 9 and round(100 * share, decimals) in (0, 100) and share not in (0, 1):
        decimals += 1
    return f"{100 * share:.{decimals}f}".removesuffix(".0") + " %"


def estimate(found: Estimate, beside: float | None = None) -> str:
    """A value with its interval, to as many decimals as the largest of the three needs; `-` where there is no number.

    `beside` is a line that they are held against: decimals are added until none that differs from it reads as the line itself.

    >>> estimate(Estimate(0.79512, (0.7331, 0.8629))), estimate(Estimate(0.00032, (0.00024, 0.00041)))
    ('.795 [.733, .863]', '.00032 [.00024, .00041]')
    >>> estimate(Estimate(0.7996, (0.75, 0.85)), beside=0.8)
    '.7996 [.7500, .8500]'
    """
    if found.value is None:
        return "-"
    if found.interval is None and beside is None:
        return number(found.value)
    three = (found.value, *(found.interval or ()))
    digits = 3
    size = max((abs(v) for v in three if math.isfinite(v)), default=0.0)
    if 0 < size < SMALLEST:
        digits = min(9, 1 - math.floor(math.log10(size)))
    while (
        beside is not None
        and digits < 9
        and any(v != beside and _fixed(v, digits) == _fixed(beside, digits) for v in three)
    ):
        digits += 1
    value, *ends = (_fixed(v, digits) for v in three)
    return f"{value} [{', '.join(ends)}]" if ends else value


def _fixed(value: float, digits: int) -> str:
    """As `number`, but what is too small for the digits is 0: its neighbours say how small."""
    return number(0.0 if math.isfinite(value) and abs(value) < 0.5 * 10**-digits else value, digits)


def bare(value: float) -> str:
    """The end of a bin: no more digits than it has.

    >>> bare(17.0), bare(0.123456), bare(123456.0)
    ('17', '0.1235', '123,456')
    """
    return f"{value:,.0f}" if value == round(value) and abs(value) < 1e15 else f"{value:.4g}"


def printable(text: str) -> str:
    """Text on one line without control characters: names of columns and levels are the visitor's.

    >>> printable("one\\n two\\x1b[31m")
    'one two [31m'
    """
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def count(n: int, thing: str = "row") -> str:
    """`1,234 rows`, `1 row`, `2 groups`."""
    return f"{n:,} {thing}" if n == 1 else f"{n:,} {thing}s"
