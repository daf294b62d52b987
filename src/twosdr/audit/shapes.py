"""The pictures of an audit as numbers: scores by group in bins, the ratio along the cut, means along a numeric s.

A description, never a verdict: bins are of our choosing, and every shape says where its bins end.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from typing import Any

import numpy as np

from twosdr import metrics
from twosdr.audit.given import as_table
from twosdr.audit.parts import Asked, Part
from twosdr.audit.values import AlongCut, Curve, Histogram, Numbers
from twosdr.metrics import _reading as reading
from twosdr.metrics.mean_score import answer as mean_of
from twosdr.metrics.quantile_rates import binned
from twosdr.metrics.selection_rate import answer as selection_rate_of
from twosdr.tables import Array, Column

BINS = 20  # of a histogram
MOST_PASSES = 12  # groups, where each of them is a pass over the rows


def histogram(part: Part, bins: int = BINS) -> Histogram | None:
    """Each group's share of weight in equal bins between the least and the greatest score."""
    if part.score is None:
        return None
    score, names = part.score, part.by.levels
    low, high = float(score.min()), float(score.max())
    edges = np.linspace(low, high, bins + 1) if high > low else np.array([low, low])
    many = len(edges) - 1
    # The bin by one multiplication; the greatest score belongs to the last bin.
    scale = many / (high - low) if high > low else 0.0
    at = np.minimum(((score - low) * scale).astype(np.intp), many - 1)
    found = np.bincount(part.by.codes.astype(np.intp) * many + at, part.weight, minlength=len(names) * many).reshape(
        len(names), many
    )
    total = found.sum(axis=1, keepdims=True)
    shares = found / np.where(total > 0, total, 1.0)
    return Histogram(_floats(edges), tuple(names), tuple(_floats(row) for row in shares))


def median(score: Array, weight: Array | None) -> float:
    """The median; with weights the least score that has half of the weight at or below it."""
    if weight is None:
        return float(np.median(score))
    order = np.argsort(score)
    total = np.cumsum(weight[order])
    return float(score[order[np.searchsorted(total, total[-1] / 2)]])


def along_cut(part: Part, asked: Asked) -> AlongCut | None:
    """The ratio along the cut, for the groups that are large enough."""
    if part.score is None:
        return None
    large = np.bincount(part.by.codes, minlength=len(part.by)) >= asked.min_group_size
    if not 2 <= large.sum() <= MOST_PASSES:
        return None
    score, table, weight = part.score, part.table, part.weight
    if not large.all():
        rows = large[part.by.codes]
        by = part.by.take(rows)
        score, table = score[rows], as_table({by.name: Column("text", by.codes, by.levels)}, len(by.codes))
        weight = None if weight is None else weight[rows]
    found = metrics.ratio_along_cut(score, s=table, sample_weight=weight, confidence=asked.confidence)
    ratio, low, high, threshold = (holes(v) for v in (found.p_rule, found.low, found.high, found.threshold))
    return AlongCut(
        rate=_floats(found.rate),
        p_rule=ratio,
        low=low,
        high=high,
        threshold=threshold,
        groups=tuple(map(str, found.groups)),
        by_group=tuple(_floats(row) for row in found.by_group),
    )


def curve(part: Part, asked: Asked) -> Curve | None:
    """Mean predictions (rates, for decisions) by bins of a numeric s, with intervals."""
    [name] = part.table.names
    values = part.table.column(name).values
    if np.ptp(values) == 0:
        return None
    by = binned(values, asked.bins, reading.beside(part.n, part.weight))
    k = len(by)
    low, high = np.full(k, np.inf), np.full(k, -np.inf)
    np.minimum.at(low, by.codes, values)
    np.maximum.at(high, by.codes, values)
    bins = Part(part.given, by, part.known, part.table)
    tally, answer = (bins.of_scores, mean_of) if part.decided is None else (bins.of_decisions, selection_rate_of)
    means = [
        answer(tally.only(lambda key, level=level: key == level), confidence=asked.confidence) for level in by.levels
    ]
    n = np.bincount(by.codes, minlength=k)
    between = [found.interval or (None, None) for found in means]
    return Curve(
        of="mean" if part.decided is None else "selection_rate",
        low=_floats(low),
        high=_floats(high),
        middle=_floats(np.bincount(by.codes, values, minlength=k) / n),
        n=tuple(n.tolist()),
        mean=tuple(found.value for found in means),
        mean_low=tuple(a for a, _ in between),
        mean_high=tuple(b for _, b in between),
    )


def holes(values: Any) -> tuple[float | None, ...]:
    """Numbers as a tuple, None where one is not finite."""
    return tuple(float(v) if np.isfinite(v) else None for v in np.asarray(values, dtype=float).ravel())


def _floats(values: Any) -> Numbers:
    return tuple(np.asarray(values, dtype=float).tolist())
