"""One row of the table for each group of an s: its rows, its rates or means, and what came true of them."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from twosdr.audit import shapes
from twosdr.audit.given import Given
from twosdr.audit.parts import Asked, Part
from twosdr.audit.values import Group, Measures
from twosdr.metrics import Estimate, _exact
from twosdr.metrics._cells import Sums, Tally, gather, quotient
from twosdr.metrics._contrasts import log_ratios
from twosdr.metrics._reading import Groups
from twosdr.metrics.accuracy import answer as accuracy_of
from twosdr.metrics.false_positive_rate import answer as fpr_of
from twosdr.metrics.mean_score import answer as mean_of
from twosdr.metrics.rmse import answer as rmse_of
from twosdr.metrics.selection_rate import answer as selection_rate_of
from twosdr.metrics.true_positive_rate import answer as tpr_of
from twosdr.tables import Array


def of_part(part: Part, levels: tuple[tuple[str, ...], ...], asked: Asked) -> tuple[tuple[Group, ...], str | None]:
    """The groups, and the name of the best of those that are large enough to be compared with."""
    given, names = part.given, part.by.levels
    n = np.bincount(part.by.codes, minlength=len(names))
    measures = _group_measures(part, asked)
    best = _best(part, n, measures, asked)
    if given.decided is not None and best is not None:
        _add_ratios(part.of_decisions, measures, names[best], asked)
    weight = np.bincount(part.by.codes, part.weight, minlength=len(names)) / given.total
    selected = None if part.decided is None else np.bincount(part.by.codes, part.decided, minlength=len(names))
    spread = _spreads(part)
    found = tuple(
        Group(
            name=name,
            levels=levels[j],
            n=int(n[j]),
            share=float(weight[j]),
            selected=None if selected is None else int(selected[j]),
            counted=bool(n[j] >= asked.min_group_size),
            measures=Measures(tuple(measures[name].items())),
            spread=spread[name],
        )
        for j, name in enumerate(names)
    )
    return found, None if best is None else names[best]


def _group_measures(part: Part, asked: Asked) -> dict[str, dict[str, Estimate]]:
    """By group: rates or means, and what y says of them."""
    found: dict[str, dict[str, Estimate]] = {name: {} for name in part.by.levels}

    def each(measure: str, tally: Tally, answer: Callable[..., Estimate]) -> None:
        for name in part.by.levels:
            mine = tally.only(lambda key, name=name: key == name)
            found[name][measure] = answer(mine, confidence=asked.confidence)

    given = part.given
    if part.decided is not None:
        each("selection_rate", part.of_decisions, selection_rate_of)
    if part.score is not None:
        each("mean", part.of_scores, mean_of)
    if part.decided is None:
        middle = shapes.median(given.score, given.weight)  # type: ignore[arg-type]
        each("scoring_rate", part.tally((part.score > middle).astype(np.int8)), selection_rate_of)
    if given.binary_y:
        each("base_rate", part.tally(part.y), selection_rate_of)
    if given.binary_y and part.decided is not None:
        each("accuracy", part.tally((part.decided == part.y).astype(np.int8)), accuracy_of)
        for name in part.by.levels:
            mine = part.by_truth.only(lambda key, name=name: key[0] == name).renamed(lambda key: key[1])
            found[name]["tpr"] = tpr_of(mine, confidence=asked.confidence)
            found[name]["fpr"] = fpr_of(mine, confidence=asked.confidence)
    if given.kind == "numbers" and given.y is not None:
        each("mean_y", part.tally(part.y), mean_of)
        each("rmse", part.tally((part.score - part.y) ** 2), rmse_of)
    return found


def _best(part: Part, n: Array, measures: dict[str, dict[str, Estimate]], asked: Asked) -> int | None:
    """The group of the highest rate (mean, without decisions) among those large enough to be compared with."""
    measure = "selection_rate" if part.decided is not None else "mean"
    able = [j for j, name in enumerate(part.by.levels) if n[j] >= asked.min_group_size and measures[name][measure]]
    return max(able, key=lambda j: float(measures[part.by.levels[j]][measure]), default=None)


def _add_ratios(tally: Tally, measures: dict[str, dict[str, Estimate]], best: str, asked: Asked) -> None:
    """Each group's rate over that of the best, the interval for this pair alone."""
    method = f"rate over that of {best}, which has the highest; the interval is for this pair alone"
    top = measures[best]["selection_rate"].value
    for name in tally.cells:
        if name == best:
            measures[name]["impact_ratio"] = Estimate(
                1.0 if top else None,
                n=tally.cells[name].n,
                why="" if top else "0 to 0 is no ratio",
                method="the highest rate",
            )
            continue
        if tally.cells[name].n < asked.min_group_size:
            few = f"fewer than {asked.min_group_size} rows"
            measures[name]["impact_ratio"] = Estimate(None, n=tally.cells[name].n, why=few)
            continue
        two = tally.only(lambda key, name=name: key in (name, best))
        _, [low], [high] = log_ratios(two, asked.confidence)
        if next(iter(two.cells)) == best:
            with np.errstate(divide="ignore"):
                low, high = 1 / high, 1 / low
        ratio = quotient(tally.cells[name], tally.cells[best])
        if not top:
            measures[name]["impact_ratio"] = Estimate(
                None, n=two.n, why="nobody is selected in either group: 0 to 0 is no ratio"
            )
        else:
            ends = (float(low), float(high)) if np.isfinite(high) else None
            why = "" if ends else "no interval: a group without anyone selected leaves it open"
            measures[name]["impact_ratio"] = Estimate(float(ratio), ends, two.n, why, method)


def _spreads(part: Part) -> dict[str, float | None]:
    tally = part.of_scores if part.score is not None else part.of_decisions
    return {name: _deviation(sums) for name, sums in tally.cells.items()}


def _deviation(sums: Sums) -> float | None:
    """The standard deviation, unbiased for weights that only scale: 1 / (1 - Σw²) is n / (n - 1) when they are equal."""
    w, w2 = _exact.number(sums.w), _exact.number(sums.w2)
    left = float(1 - w2 / w**2)
    return math.sqrt(max(sums.variance, 0.0) / left) if sums.n > 1 and left > 0 else None


def unknown(given: Given, known: Array | None, asked: Asked) -> Group | None:
    """The rows whose s is unknown, as a group beside the others."""
    if known is None:
        return None
    rows = ~known
    weight = None if given.weight is None else given.weight[rows]
    cluster = None if given.cluster is None else given.cluster[rows]
    n = int(rows.sum())
    one = Groups(np.zeros(n, dtype=np.int8), ("unknown",), "unknown")
    found: dict[str, Estimate] = {}
    if given.decided is not None:
        tally = gather(given.decided[rows], one, weight, cluster)
        found["selection_rate"] = selection_rate_of(tally, confidence=asked.confidence)
    else:
        assert given.score is not None
        found["mean"] = mean_of(gather(given.score[rows], one, weight, cluster), confidence=asked.confidence)
    share = (n if weight is None else float(weight.sum())) / given.total
    selected = None if given.decided is None else int(given.decided[rows].sum())
    return Group("unknown", (), n, share, selected, False, Measures(tuple(found.items())))
