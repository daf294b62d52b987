"""What the metrics that compare groups have in common: their tally, and which groups take part."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from typing import Any

import numpy as np

from twosdr.errors import ParameterError, listing
from twosdr.metrics import _reading as reading
from twosdr.metrics._cells import Tally, gather
from twosdr.metrics.estimate import Estimate


def decisions(
    y_pred: Any, *, s: Any, sample_weight: Any = None, cluster: Any = None, pos_label: Any = None, whole: bool = True
) -> Tally:
    """Decisions by group."""
    y = reading.decisions(y_pred, pos_label, whole=whole)
    return _by_group(y, s, sample_weight, cluster)


def scores(y_pred: Any, *, s: Any, sample_weight: Any = None, cluster: Any = None) -> Tally:
    """Scores by group."""
    return _by_group(reading.scores(y_pred), s, sample_weight, cluster)


def decisions_given(truth: int) -> Any:
    """A tally of the decisions about rows whose true label is positive (1) or not (0), by group."""

    def tally(
        y_pred: Any,
        *,
        s: Any,
        y_true: Any,
        sample_weight: Any = None,
        cluster: Any = None,
        pos_label: Any = None,
        whole: bool = True,
    ) -> Tally:
        y = reading.decisions(y_pred, pos_label, whole=whole)
        of_truth = reading.decisions(y_true, pos_label, "y_true", len(y), whole=whole)
        by = reading.groups(s, len(y))
        rows = reading.beside(len(y), sample_weight, cluster)
        cells = reading.cross(rows.take(by), reading.Groups(rows.take(of_truth), (0, 1)))
        found = gather(rows.take(y), cells, rows.weight, rows.cluster)
        return Tally(found.cells, found.within, by.name, by.numeric)

    return tally


def _by_group(y: Any, s: Any, sample_weight: Any, cluster: Any) -> Tally:
    by = reading.groups(s, len(y))
    rows = reading.beside(len(y), sample_weight, cluster)
    return gather(rows.take(y), rows.take(by), rows.weight, rows.cluster)


def large_enough(tally: Tally, min_group_size: int, confidence: float) -> tuple[Tally, str]:
    """The groups that take part, and words on those that do not."""
    reading.beside(1, confidence=confidence)
    reading.check_groups(tally.cells, tally.n, tally.name, tally.numeric)
    whole = isinstance(min_group_size, (int, np.integer)) and not isinstance(min_group_size, bool)
    if not whole or min_group_size < 1:
        raise ParameterError(
            f"min_group_size must be a whole number of rows, 1 or more. Got {min_group_size!r} instead."
        )
    small = [key for key, sums in tally.cells.items() if sums.n < min_group_size]
    if not small:
        return tally, ""
    rest = tally.only(lambda key: key not in small)
    return rest, f" (left out for fewer than {min_group_size} rows: {listing(map(name_of, small))})"


def name_of(key: Any) -> str:
    """A group in words: the levels of several columns joined."""
    return " x ".join(map(str, key)) if isinstance(key, tuple) else str(key)


def too_few(tally: Tally, left_out: str, min_group_size: int) -> Estimate:
    """No number: all groups but one are small."""
    many = "no group has" if not len(tally) else f"only {listing(map(name_of, tally.cells))} has"
    return Estimate(None, None, tally.n, f"{many} at least min_group_size={min_group_size} rows{left_out}")
