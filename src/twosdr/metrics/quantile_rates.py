"""Selection rates over quantile bins of a numeric s: the smallest over the largest."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from typing import Any

import numpy as np

from twosdr.errors import MetricError, ParameterError
from twosdr.metrics import _reading as reading
from twosdr.metrics._cells import gather
from twosdr.metrics._influence import shares
from twosdr.metrics._reading import Beside, Groups
from twosdr.metrics.estimate import Estimate
from twosdr.metrics.p_rule import answer
from twosdr.tables import Array


def quantile_rates(
    y_pred: Any,
    *,
    s: Any,
    bins: int = 10,
    sample_weight: Any = None,
    cluster: Any = None,
    confidence: float = 0.95,
    pos_label: Any = None,
    zero_division: float | None = None,
    min_group_size: int = 1,
) -> Estimate:
    """The P%-rule over bins of s that hold equal shares of the rows: sees what a correlation of 0 hides.

    Needs: ranks of s. Rows of one value share a bin, so that there can be fewer bins than asked for.

    >>> quantile_rates([1, 1, 0, 0, 0, 0, 1, 1], s=[1, 2, 3, 4, 5, 6, 7, 8], bins=4).value
    0.0
    """
    y = reading.decisions(y_pred, pos_label)
    rows = reading.beside(len(y), sample_weight, cluster, confidence)
    by = binned(rows.take(reading.number(s, len(y))), bins, rows)
    tally = gather(rows.take(y), by, rows.weight, rows.cluster)
    return answer(tally, confidence=confidence, zero_division=zero_division, min_group_size=min_group_size)


def binned(values: Array, bins: int, rows: Beside) -> Groups:
    """Rows by quantile bin, named by the bin's smallest and largest value."""
    whole = isinstance(bins, (int, np.integer)) and not isinstance(bins, bool)
    if not whole or bins < 2:
        raise ParameterError(f"bins must be a whole number, 2 or more. Got {bins!r} instead.")
    distinct, codes = np.unique(values, return_inverse=True)
    if len(distinct) == 1:
        raise MetricError(
            f"s is constant: all {len(values)} rows hold {distinct[0]:g}. There is no other bin to compare with."
        )
    share = np.bincount(codes, shares(rows))
    # A value belongs where the middle of its rows lies; 1e-12, so that rounded shares do not decide.
    middle = np.cumsum(share) - share / 2
    of_value = np.minimum(((middle + 1e-12) * bins).astype(int), bins - 1)
    _, of_value = np.unique(of_value, return_inverse=True)
    first = np.flatnonzero(np.concatenate([[True], of_value[1:] != of_value[:-1]]))
    last = np.append(first[1:], len(distinct)) - 1
    names = tuple(f"{a:g} to {b:g}" for a, b in zip(distinct[first], distinct[last], strict=True))
    return Groups(
        of_value[codes], names if len(set(names)) == len(names) else tuple(range(len(names))), "quantile bins of s"
    )
