"""What the metrics that compare groups have in common: their tally, and which groups take part."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from twosdr.errors import ParameterError, listing
from twosdr.metrics import _reading as reading
from twosdr.metrics._cells import Tally, gather
from twosdr.metrics._contrasts import largest_difference, pairs
from twosdr.metrics._words import told
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


def decisions_by_truth(
    y_pred: Any,
    *,
    s: Any,
    y_true: Any,
    sample_weight: Any = None,
    cluster: Any = None,
    pos_label: Any = None,
    whole: bool = True,
) -> Tally:
    """Decisions by group and true label: the cells are pairs of a level and 0 or 1."""
    y = reading.decisions(y_pred, pos_label, whole=whole)
    truth = reading.decisions(y_true, pos_label, "y_true", len(y), whole=whole)
    by = reading.groups(s, len(y))
    rows = reading.beside(len(y), sample_weight, cluster)
    cells = reading.cross(rows.take(by), reading.Groups(rows.take(truth), (0, 1)))
    return replace(gather(rows.take(y), cells, rows.weight, rows.cluster), name=by.name, numeric=by.numeric)


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
    rest = tally.only(lambda key: key not in small) if small else tally
    return rest, left_out_words(small, min_group_size)


def rates_apart(tally: Tally, what: str, confidence: float) -> Estimate:
    """The largest difference of two rates."""
    many, how = len(pairs(tally)), "Newcombe interval" if tally.within is None else "Student's interval"
    if many > 1:
        what, how = f"{what}; largest of {many} pairs", f"{how} of all pairs at once (Sidak over {many})"
    return told(largest_difference(tally, confidence, rates=True), what, how, confidence, tally.within is not None)


def rate_gap(
    tally: Tally, truth: int, what: str, *, confidence: float, zero_division: float | None, min_group_size: int
) -> Estimate:
    """The largest difference of rates among the rows of one true label."""
    reading.beside(1, confidence=confidence)
    check_size(min_group_size)
    everybody = list(dict.fromkeys(level for level, _ in tally.cells))
    reading.check_groups(everybody, tally.n, tally.name, tally.numeric)
    found = tally.only(lambda key: key[1] == truth).renamed(lambda key: key[0])
    absent = [level for level in everybody if level not in found.cells]
    if absent and min_group_size == 1:
        why = f"nobody in {listing(map(name_of, absent))} has y_true={truth}: there is no rate to compare"
        return Estimate(None if zero_division is None else float(zero_division), None, found.n, why)
    small = [key for key in everybody if key in absent or found.cells[key].n < min_group_size]
    found = found.only(lambda key: key not in small)
    left_out = left_out_words(small, min_group_size)
    if len(found) < 2:
        return too_few(found, left_out, min_group_size)
    return rates_apart(found, what + left_out, confidence)


def left_out_words(small: list[Any], min_group_size: int) -> str:
    """Which groups are left out, for `method`."""
    return f" (left out for fewer than {min_group_size} rows: {listing(map(name_of, small))})" if small else ""


def check_size(min_group_size: Any) -> None:
    """Refuse a least size that is no number of rows."""
    whole = isinstance(min_group_size, (int, np.integer)) and not isinstance(min_group_size, bool)
    if not whole or min_group_size < 1:
        raise ParameterError(
            f"min_group_size must be a whole number of rows, 1 or more. Got {min_group_size!r} instead."
        )


def name_of(key: Any) -> str:
    """A group in words: the levels of several columns joined."""
    return " x ".join(map(str, key)) if isinstance(key, tuple) else str(key)


def too_few(tally: Tally, left_out: str, min_group_size: int) -> Estimate:
    """No number: all groups but one are small."""
    many = "no group has" if not len(tally) else f"only {listing(map(name_of, tally.cells))} has"
    return Estimate(None, None, tally.n, f"{many} at least min_group_size={min_group_size} rows{left_out}")
