"""AUC between predictions and s: how well the score tells the two groups apart."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

import math
from typing import Any

import numpy as np

from twosdr.errors import MetricError, ParameterError, listing
from twosdr.metrics import _influence as influence
from twosdr.metrics import _intervals as ci
from twosdr.metrics import _reading as reading
from twosdr.metrics._comparing import name_of
from twosdr.metrics._reading import Beside
from twosdr.metrics._words import told
from twosdr.metrics.estimate import Estimate
from twosdr.tables import Array

TIES = ("half", "zero")


def auc(
    y_pred: Any,
    *,
    s: Any,
    sample_weight: Any = None,
    cluster: Any = None,
    confidence: float | None = 0.95,
    level: Any = None,
    ties: str = "half",
) -> Estimate:
    """P(ŷ of a row with s=1 > ŷ of a row with s=0), not folded: .5 when the score tells nothing about s.

    Needs: ranks. s=1 is the larger number or the later level in sorted order, or `level`. A tie counts a half, or 0 with
    ties="zero" (the paper's formula). DeLong's error on the logit scale; confidence=None leaves it out.

    >>> auc([0.1, 0.4, 0.35, 0.8], s=[0, 0, 1, 1]).value
    0.75
    """
    if ties not in TIES:
        raise ParameterError(f"ties must be one of {TIES}. Got {ties!r} instead.")
    y_hat = reading.scores(y_pred)
    by = reading.groups(s, len(y_hat))
    rows = reading.beside(len(y_hat), sample_weight, cluster, 0.95 if confidence is None else confidence)
    by = rows.take(by)
    member = one_of_two(by, rows.n, level)
    return of_scores(rows.take(y_hat), member, rows, ties, confidence is not None, _sides(by, level))


def one_of_two(by: reading.Groups, n: int, level: Any) -> Array:
    """Who belongs to the group that counts as s=1."""
    reading.check_groups(by.levels, n, by.name, by.numeric)
    if level is not None and level not in by.levels:
        raise MetricError(f"level={level!r} does not occur in s, which holds {listing(by.levels)}.")
    if level is None and len(by) > 2:
        raise MetricError(
            f"s has {len(by)} groups ({listing(by.levels, 4)}); this metric compares two. Name one with level= to compare it with the "
            "rest."
        )
    return np.asarray(by.codes == (len(by) - 1 if level is None else by.levels.index(level)))


def _sides(by: reading.Groups, level: Any) -> str:
    """Who counts as s=1, for `method`: the area is not folded, so its direction has to be told."""
    one = by.levels[-1] if level is None else level
    others = [other for other in by.levels if other != one]
    return f" ({name_of(one)} over {name_of(others[0]) if len(others) == 1 else 'the rest'})"


def of_scores(
    y_hat: Array, member: Array, rows: Beside, ties: str = "half", wanted: bool = True, sides: str = ""
) -> Estimate:
    """The area for the rows of a group against the others."""
    n1 = int(np.count_nonzero(member))
    n0 = rows.n - n1
    what = f"AUC of the score for s{sides}" + (", ties count 0" if ties == "zero" else "")
    if rows.weight is None and rows.cluster is None:
        area, variance = _sorted(y_hat[member], y_hat[~member], ties, wanted)
        error, df = math.sqrt(variance) if min(n1, n0) > 1 else math.nan, math.inf
    else:
        area, parts = placements(y_hat, member, rows, ties)
        error, df = _error(parts, member, rows)
    if not wanted:
        return Estimate(area, None, rows.n, "no interval was asked for", what)
    if math.isnan(error):
        few = "clusters" if rows.cluster is not None else "rows"
        return told(Estimate(area, None, rows.n, f"no interval: each group needs 2 {few}"), what, "", rows.confidence)
    if error == 0.0 or not 0.0 < area < 1.0:
        # No pair is out of order, so the placements show no spread: what the smaller group can tell of a share of 0 or 1.
        fewest = min(n1, n0) if rows.cluster is None else _clusters(member, rows)
        low, high = ci.wilson(area, fewest, rows.confidence)
        return told(
            Estimate(area, (float(low), float(high)), rows.n),
            what,
            "Wilson interval on the smaller group",
            rows.confidence,
        )
    interval = ci.on_logit_scale(area, error, influence.reach(rows, df))
    how = "DeLong interval on the logit scale"
    return told(Estimate(area, interval, rows.n), what, how, rows.confidence, rows.cluster is not None)


def _sorted(high: Array, low: Array, ties: str, wanted: bool) -> tuple[float, float]:
    """The area and DeLong's variance of it, by sorting each group once."""
    n1, n0 = len(high), len(low)
    high.sort()  # copies of our own, made by a mask
    low.sort()
    below = np.searchsorted(low, high, "left")
    upto = below if ties == "zero" else np.searchsorted(low, high, "right")
    area = (int(below.sum()) + int(upto.sum())) / (2 * n1 * n0)
    if not wanted or min(n1, n0) < 2:
        return area, math.nan
    # The placements of the other group, from the same counts: the j-th lowest of `low` exceeds as many of `high` as
    # have at most j of `low` below them.
    over = np.cumsum(np.bincount(below, minlength=n0 + 1)[:n0])
    if upto is not below:
        over = over + np.cumsum(np.bincount(upto, minlength=n0 + 1)[:n0])
        below = below + upto
    half = 1 if ties == "zero" else 2
    return area, float(below.var(ddof=1)) / (half * n0) ** 2 / n1 + float(over.var(ddof=1)) / (half * n1) ** 2 / n0


def placements(y_hat: Array, member: Array, rows: Beside, ties: str) -> tuple[float, Array]:
    """The area, and what each row adds to it, with weights."""
    weight = np.ones(rows.n) if rows.weight is None else rows.weight
    order = np.argsort(y_hat, kind="stable")
    value = y_hat[order]
    first = np.flatnonzero(np.concatenate([[True], value[1:] != value[:-1]]))
    last = np.append(first[1:], rows.n)
    tied = np.cumsum(np.concatenate([[True], value[1:] != value[:-1]])) - 1
    placed = np.empty(rows.n)
    for mine in (True, False):
        other = np.concatenate([[0.0], np.cumsum(np.where(member[order] != mine, weight[order], 0.0))])
        below, upto = other[first], other[last]
        if ties == "zero":  # a tie is no win for s=1, from either side
            here = below if mine else upto
        else:
            here = (below + upto) / 2
        share = (here / other[-1])[tied]
        own = member[order] == mine
        placed[order[own]] = share[own] if mine else 1 - share[own]
    part = weight / np.where(member, weight[member].sum(), weight[~member].sum())
    area = float(part[member] @ placed[member])
    return area, part * (placed - area)


def _error(parts: Array, member: Array, rows: Beside) -> tuple[float, float]:
    variances, df, total = [], [], np.zeros(1)
    for mine in (True, False):
        units = np.where(member == mine, parts, 0.0)
        if rows.cluster is None:
            n, scaled = int((member == mine).sum()), units
        else:
            n, scaled = len(np.unique(rows.cluster[member == mine])), np.bincount(rows.cluster, units)
        if n < 2:
            return math.nan, math.nan
        scaled = scaled * math.sqrt(n / (n - 1))
        total = total + scaled
        variances.append(float(scaled @ scaled))
        df.append(n - 1)
    return float(np.linalg.norm(total)), float(ci.satterthwaite(variances, df))


def _clusters(member: Array, rows: Beside) -> int:
    assert rows.cluster is not None
    return min(len(np.unique(rows.cluster[member == mine])) for mine in (True, False))
