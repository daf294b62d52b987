"""The true positive rate: the share of positive decisions among the rows whose true label is positive."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from typing import Any

from twosdr.metrics import _reading as reading
from twosdr.metrics._cells import Tally, gather
from twosdr.metrics._contrasts import share_of
from twosdr.metrics._words import told
from twosdr.metrics.estimate import Estimate

TRUTH = 1


def true_positive_rate(
    y_pred: Any,
    *,
    y_true: Any,
    sample_weight: Any = None,
    cluster: Any = None,
    confidence: float = 0.95,
    pos_label: Any = None,
    zero_division: float | None = None,
) -> Estimate:
    """P(ŷ=1 | y=1) (TPR, recall).

    Needs: counts by true label. Where no row has y=1 it is no number, or `zero_division`.

    >>> true_positive_rate([1, 0, 0, 1], y_true=[1, 1, 0, 0]).value
    0.5
    """
    found = tally(y_pred, y_true=y_true, sample_weight=sample_weight, cluster=cluster, pos_label=pos_label)
    return answer(found, confidence=confidence, zero_division=zero_division)


def tally(
    y_pred: Any,
    *,
    y_true: Any,
    sample_weight: Any = None,
    cluster: Any = None,
    pos_label: Any = None,
    whole: bool = True,
) -> Tally:
    """Decisions by true label."""
    y = reading.decisions(y_pred, pos_label, whole=whole)
    truth = reading.decisions(y_true, pos_label, "y_true", len(y), whole=whole)
    rows = reading.beside(len(y), sample_weight, cluster)
    by = rows.take(reading.Groups(truth, (0, 1), "y_true").occurring())
    return gather(rows.take(y), by, rows.weight, rows.cluster)


def answer(tally: Tally, *, confidence: float = 0.95, zero_division: float | None = None) -> Estimate:
    """The share from the counts of a tally."""
    reading.beside(1, confidence=confidence)
    if TRUTH not in tally.cells:
        why = "no row has y=1: 0 to 0 is no rate"
        return Estimate(None if zero_division is None else float(zero_division), None, 0, why)
    found = share_of(tally, TRUTH, confidence)
    how = "Wilson score interval"
    return told(found, "share of positive decisions where y=1", how, confidence, tally.within is not None)
