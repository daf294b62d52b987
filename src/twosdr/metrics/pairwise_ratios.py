"""Every pair of groups: the ratio of their selection rates, with intervals that hold for all pairs at once."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from typing import Any

import numpy as np

from twosdr.metrics import _comparing as comparing
from twosdr.metrics import _intervals as ci
from twosdr.metrics._contrasts import log_ratios, pairs
from twosdr.metrics._words import told
from twosdr.metrics.estimate import Estimate


def pairwise_ratios(
    y_pred: Any,
    *,
    s: Any,
    sample_weight: Any = None,
    cluster: Any = None,
    confidence: float = 0.95,
    pos_label: Any = None,
    min_group_size: int = 1,
) -> dict[tuple[Any, Any], Estimate]:
    """P(ŷ=1 | first) / P(ŷ=1 | second) by pair (first, second), not folded; the lower rate is the first.

    Needs: counts by group. With confidence .95 the chance that any of the intervals misses its ratio is .05 (Sidak).

    >>> {pair: e.value for pair, e in pairwise_ratios([1, 0, 0, 1, 1, 1], s=list("aabbcc")).items()}
    {('a', 'b'): 1.0, ('a', 'c'): 0.5, ('b', 'c'): 0.5}
    """
    tally = comparing.decisions(y_pred, s=s, sample_weight=sample_weight, cluster=cluster, pos_label=pos_label)
    tally, left_out = comparing.large_enough(tally, min_group_size, confidence)
    if len(tally) < 2:
        return {}
    found = pairs(tally)
    each = ci.sidak(confidence, len(found))
    how = "Koopman score interval" if tally.within is None else "normal interval of the log ratio"
    how += f", all {len(found)} at once (Sidak)" if len(found) > 1 else ""
    keys, sums = list(tally.cells), list(tally.cells.values())
    answers = {}
    for (a, b), ratio, low, high in zip(found, *log_ratios(tally, each), strict=True):
        n = sums[a].n + sums[b].n
        if np.isnan(ratio):
            answers[keys[a], keys[b]] = Estimate(
                None, None, n, "nobody in either group was predicted positive: 0 to 0 is no ratio"
            )
            continue
        if ratio > 1:
            with np.errstate(divide="ignore"):
                a, b, ratio, low, high = b, a, 1 / ratio, 1 / high, 1 / low
        estimate = Estimate(float(ratio), (float(low), float(high)), n)
        answers[keys[a], keys[b]] = told(
            estimate, "ratio of selection rates" + left_out, how, confidence, cluster is not None
        )
    return answers
