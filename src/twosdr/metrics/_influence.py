"""Standard errors from influence: what each row (or cluster) adds to an estimate, squared and summed."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

import math

import numpy as np

from twosdr.metrics import _intervals as ci
from twosdr.metrics._reading import Beside
from twosdr.tables import Array


def error(parts: Array, rows: Beside, lost: int = 1) -> tuple[float, float]:
    """Standard error, and degrees of freedom, of an estimate whose rows add `parts` to it.

    `lost` parameters were fitted. NaN where rows or clusters do not outnumber them.
    """
    if rows.cluster is not None:
        parts = np.bincount(rows.cluster, parts)
        lost = 1
    n = len(parts)
    if n <= lost:
        return math.nan, math.nan
    return math.sqrt(float(parts @ parts) * n / (n - lost)), float(n - lost)


def reach(rows: Beside, df: float, confidence: float | None = None) -> float:
    """How many such errors the interval reaches: Student's quantile for clusters, which are few, else the normal one."""
    wanted = rows.confidence if confidence is None else confidence
    return float(ci.t_quantile(wanted, df)) if rows.cluster is not None else ci.normal_quantile(wanted)


def shares(rows: Beside) -> Array:
    """Each row's share of the weight."""
    return np.full(rows.n, 1 / rows.n) if rows.weight is None else rows.weight / rows.weight.sum()


def centred(values: Array, share: Array) -> tuple[Array, float]:
    """The values without their mean, and their standard deviation: exactly 0 when they are all the same.

    Both in a unit of their own size, a power of two, so that small numbers have squares too.
    """
    around = values - values[0]  # so that a large common offset costs no digits
    around = around - share @ around
    around = np.ldexp(around, -int(np.frexp(np.abs(around).max())[1]))
    spread = math.sqrt(float(share @ (around * around)))
    same = np.ptp(values, axis=0) == 0
    return around, 0.0 if same else spread
