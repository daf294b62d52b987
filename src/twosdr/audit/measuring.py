"""From rows to records: every s is handed to the metrics that fit it. No formula lives here.

A metric that does not fit, or finds no number, answers with its reason; the audit goes on and lists it.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from twosdr import metrics
from twosdr.audit import groups, others, shapes
from twosdr.audit.features import read_from
from twosdr.audit.given import Given, Sensitive, as_table
from twosdr.audit.parts import Asked, Part, crossed_codes, joined, part_of, part_of_number, taken, tried
from twosdr.audit.values import Attribute, Measures
from twosdr.metrics import Estimate, noise_ceiling
from twosdr.metrics._cells import Tally
from twosdr.metrics.fpr_gap import answer as fpr_gap_of
from twosdr.metrics.homogeneity import of_tally as homogeneity_of
from twosdr.metrics.mean_distance import answer as mean_distance_of
from twosdr.metrics.p_rule import answer as p_rule_of
from twosdr.metrics.parity_difference import answer as parity_difference_of
from twosdr.metrics.tpr_gap import answer as tpr_gap_of

MOST_GROUPS = 200  # crossed; pairs of them grow with the square


def overall(given: Given, asked: Asked) -> Measures:
    """Measures of all rows, whoever they are."""
    how: dict[str, Any] = {"sample_weight": given.weight, "cluster": given.cluster, "confidence": asked.confidence}
    found: dict[str, Estimate] = {}
    if given.decided is not None:
        found["selection_rate"] = tried(lambda: metrics.selection_rate(given.decided, **how))
        if given.y is not None:
            found["base_rate"] = tried(lambda: metrics.selection_rate(given.y, **how))
            # As booleans they need no look at which labels there are.
            decided, y = given.decided.view(np.bool_), given.y.view(np.bool_)
            a, b = given.labels or (decided, y)
            found["accuracy"] = tried(lambda: metrics.accuracy(a, y_true=b, **how))
            found["balanced_accuracy"] = tried(lambda: metrics.balanced_accuracy(decided, y_true=y, **how))
    elif given.kind == "numbers" and given.y is not None:
        found["rmse"] = tried(lambda: metrics.rmse(given.score, y_true=given.y, **how))
        found["r2"] = tried(lambda: metrics.r2(given.score, y_true=given.y, **how))
    elif given.y is not None:
        found["base_rate"] = tried(lambda: metrics.selection_rate(given.y, **how))
    if given.score is not None and given.binary_y:
        found["auc_y"] = tried(lambda: metrics.auc(given.score, s=given.y, **how))
    return Measures(tuple(found.items()))


def attribute(given: Given, s: Sensitive, asked: Asked) -> Attribute:
    """Everything about one s, but for verdicts and explanations."""
    if s.is_number:
        return _of_number(given, s, asked)
    part = part_of(given, s.name, s.codes, s.known, s.names)
    found = _of_groups(part, (s.name,), tuple((name,) for name in s.names), asked, "groups")
    if given.features is None:
        return found
    return replace(found, measures=Measures((*found.measures.pairs, ("read_from_features", read_from(given, s)))))


def crossed(given: Given, several: list[Sensitive], asked: Asked) -> Attribute | None:
    """The levels of several s together; None when they are too many to compare, or no row has them all."""
    codes, known, levels = crossed_codes(given, several)
    if not levels or len(levels) > MOST_GROUPS:
        return None
    columns = tuple(s.name for s in several)
    part = part_of(given, " x ".join(columns), codes, known, joined(levels))
    return _of_groups(part, columns, levels, asked, "crossed")


def _of_groups(
    part: Part, columns: tuple[str, ...], levels: tuple[tuple[str, ...], ...], asked: Asked, kind: str
) -> Attribute:
    found, best = groups.of_part(part, levels, asked)
    return Attribute(
        name=part.by.name,
        columns=columns,
        kind=kind,
        n=part.n,
        unknown=part.given.n - part.n,
        best=best,
        groups=found,
        measures=Measures(tuple(_measures(part, asked).items())),
        missing_rows=groups.unknown(part.given, part.known, asked),
        cut=shapes.along_cut(part, asked),
        histogram=shapes.histogram(part),
    )


def _measures(part: Part, asked: Asked) -> dict[str, Estimate]:
    """What compares the groups."""
    found: dict[str, Estimate] = {}
    sized: dict[str, Any] = {"confidence": asked.confidence, "min_group_size": asked.min_group_size}
    rows: dict[str, Any] = {"s": part.table, "confidence": asked.confidence, **part.beside}
    if part.decided is not None:
        tally = part.of_decisions
        found["p_rule"] = tried(lambda: p_rule_of(tally, **sized))
        found["parity_difference"] = tried(lambda: parity_difference_of(tally, **sized))
        found["noise_ceiling"] = tried(lambda: _ceiling(tally, asked))
        if len(part.by) > 2:
            found["homogeneity"] = _homogeneity(tally, asked)
        if part.given.binary_y:
            found["tpr_gap"] = tried(lambda: tpr_gap_of(part.by_truth, **sized))
            found["fpr_gap"] = tried(lambda: fpr_gap_of(part.by_truth, **sized))
    if part.score is not None:
        tally_of_scores = part.of_scores
        found["mean_distance"] = tried(lambda: mean_distance_of(tally_of_scores, **sized))
        if len(part.by) == 2:
            both: dict[str, Any] = {"min_group_size": asked.min_group_size, **rows}
            found["standardised_difference"] = tried(lambda: metrics.standardised_difference(part.score, **both))
            found["auc"] = tried(lambda: metrics.auc(part.score, **rows))
            found["correlation"] = tried(lambda: metrics.correlation(part.score, **rows))
    return found | others.about(part, asked)


def _homogeneity(tally: Tally, asked: Asked) -> Estimate:
    """How likely rates at least as unequal are when all groups have one rate."""
    large = tally.only(lambda key: tally.cells[key].n >= asked.min_group_size)
    found = homogeneity_of(large) if len(large) > 1 else None
    if found is None:
        return Estimate(None, n=large.n, why="all or none of the rows are selected, or too few groups are large enough")
    method = f"p-value of the chi-squared test that {len(large)} groups have one rate, {found.df} degrees of freedom"
    return Estimate(found.p_value, n=large.n, method=method)


def _ceiling(tally: Tally, asked: Asked) -> Estimate:
    cells = [c for c in tally.cells.values() if c.n >= asked.min_group_size]
    rate = sum(c.mean * c.weight for c in cells) / sum(c.weight for c in cells) if cells else 0.0
    n = sum(c.n for c in cells)
    if len(cells) < 2:
        return Estimate(None, n=n, why=f"fewer than two groups have at least {asked.min_group_size} rows")
    if rate == 0:
        return Estimate(None, n=n, why="nobody is selected, so there is no rate that all groups might share")
    value = noise_ceiling([c.size for c in cells], rate)
    method = "average impact ratio of groups of these sizes whose true rates are equal; nothing above it can be shown"
    return Estimate(value, n=n, method=method)


def _of_number(given: Given, s: Sensitive, asked: Asked) -> Attribute:
    """A numeric s: how predictions move with it."""
    part = part_of_number(given, s)
    rows: dict[str, Any] = {"s": part.table, "confidence": asked.confidence, **part.beside}
    found: dict[str, Estimate] = {}
    numbers = part.score if part.score is not None else part.decided
    found["correlation"] = tried(lambda: metrics.correlation(numbers, **rows))
    found["distance_correlation"] = tried(lambda: metrics.distance_correlation(numbers, random_state=0, **rows))
    if part.decided is not None:
        found["quantile_rates"] = tried(lambda: metrics.quantile_rates(part.decided, bins=asked.bins, **rows))
        if part.score is not None:
            found["decision_correlation"] = tried(lambda: metrics.correlation(part.decided, **rows))
    found |= others.about(part, asked)
    if given.features is not None:
        found["read_from_features"] = read_from(given, s)
    return Attribute(
        name=s.name,
        columns=(s.name,),
        kind="number",
        n=part.n,
        unknown=given.n - part.n,
        best=None,
        groups=(),
        measures=Measures(tuple(found.items())),
        missing_rows=groups.unknown(given, s.known, asked),
        curve=shapes.curve(part, asked),
    )


def together(given: Given, asked: Asked) -> Measures:
    """What all s explain of the predictions, on the rows that have them all."""
    if len(given.sensitive) < 2:
        return Measures()
    known: Any = None
    for s in given.sensitive:
        if s.known is not None:
            known = s.known if known is None else known & s.known
    every = as_table({s.name: s.column for s in given.sensitive}, given.n)
    numbers = given.decided if given.score is None else given.score
    assert numbers is not None
    weight, cluster, numbers = (
        v if v is None or known is None else v[known] for v in (given.weight, given.cluster, numbers)
    )
    how: dict[str, Any] = {"sample_weight": weight, "cluster": cluster, "confidence": asked.confidence}
    found = tried(lambda: metrics.multiple_r2(numbers, s=taken(every, known), **how))
    return Measures((("multiple_r2", found),))
