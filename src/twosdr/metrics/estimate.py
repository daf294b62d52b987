"""Estimate: a number with its interval, or the reason why there is none.

Every metric answers with one. It is never NaN: what cannot be estimated has no value, and says why.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from dataclasses import dataclass

from twosdr.errors import MetricError


@dataclass(frozen=True)
class Estimate:
    """A value, its interval, the rows that it rests on, and how it was made.

    Attributes
    ----------
    value : the number, or None where there is none
    interval : (low, high) at the confidence that `method` names, or None
    n : rows that were counted
    why : the reason for what is missing (the value, or the interval alone); "" where nothing is
    method : what the number is and how its interval was made, in words for a report

    Examples
    --------
    >>> float(Estimate(0.5, (0.25, 0.75), n=10))
    0.5
    >>> Estimate(None, why="nobody was predicted positive in either group: 0 to 0 is no ratio")
    Estimate(value=None, interval=None, n=0, why='nobody was predicted positive in either group: 0 to 0 is no ratio', method='')
    """

    value: float | None
    interval: tuple[float, float] | None = None
    n: int = 0
    why: str = ""
    method: str = ""

    def __post_init__(self) -> None:
        # NumPy's floats are floats with another name; an answer prints the same whatever made it.
        if self.value is not None:
            object.__setattr__(self, "value", float(self.value))
        if self.interval is not None:
            low, high = self.interval
            object.__setattr__(self, "interval", (float(low), float(high)))

    def __float__(self) -> float:
        if self.value is None:
            raise MetricError(f"There is no number here: {self.why}.")
        return float(self.value)

    def __bool__(self) -> bool:
        """Whether there is a number: an estimate of zero is one."""
        return self.value is not None
