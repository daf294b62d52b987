"""Any metric by group: each group's number with its n and its interval."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from twosdr.errors import TwosdrError
from twosdr.metrics import _comparing as comparing
from twosdr.metrics import _reading as reading
from twosdr.metrics import _rows
from twosdr.metrics._contrasts import share_of
from twosdr.metrics._words import told
from twosdr.metrics.estimate import Estimate
from twosdr.metrics.selection_rate import selection_rate


def by_group(
    metric: str | Callable[..., Estimate],
    y_pred: Any,
    *,
    s: Any,
    min_group_size: int = 1,
    confidence: float = 0.95,
    **arguments: Any,
) -> dict[Any, Estimate]:
    """{level: the metric on the rows of that group}; intervals hold one by one.

    `metric` is a name or a function that takes no s, such as "selection_rate", "true_positive_rate" or "rmse"; its other arguments
    follow by name. A group with fewer than `min_group_size` rows, or on which the metric has no number, says so in its `why`.

    >>> {level: e.value for level, e in by_group("selection_rate", [1, 0, 1, 1], s=["f", "f", "m", "m"]).items()}
    {'f': 0.5, 'm': 1.0}
    """
    from twosdr.metrics.registry import find

    comparing.check_size(min_group_size)
    function = find(metric)
    if function is selection_rate:
        tally = comparing.decisions(y_pred, s=s, **arguments)
        reading.beside(1, confidence=confidence)
        clustered, what = tally.within is not None, "share of positive decisions"
        found = {
            level: (
                sums.n,
                told(share_of(tally, level, confidence), what, "Wilson score interval", confidence, clustered),
            )
            for level, sums in tally.cells.items()
        }
    else:
        found = _by_rows(function, y_pred, s, {"confidence": confidence, **arguments})
    few = f"fewer than min_group_size={min_group_size} rows"
    return {level: e if n >= min_group_size else Estimate(None, None, n, few) for level, (n, e) in found.items()}


def _by_rows(
    function: Callable[..., Estimate], y_pred: Any, s: Any, arguments: dict[str, Any]
) -> dict[Any, tuple[int, Estimate]]:
    y = _rows.as_table(y_pred, "y_pred")
    given = _rows.read(arguments, y.n_rows)
    by = reading.groups(s, y.n_rows)
    # Through the whole first: what it refuses for all rows is no matter of one group.
    function(y, **given)
    found = {}
    for code, level in enumerate(by.levels):
        at = np.flatnonzero(by.codes == code)
        try:
            found[level] = len(at), function(_rows.some(y, at), **_rows.take(given, at))
        except TwosdrError as trouble:  # weights all zero, one cluster: a matter of this group alone
            found[level] = len(at), Estimate(None, None, len(at), str(trouble))
    return found
