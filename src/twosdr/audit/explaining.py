"""What z explains of the disparity by each s: the metrics' decomposition, as the audit's record."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from typing import Any

import numpy as np

from twosdr import metrics
from twosdr.audit.given import Given, as_table
from twosdr.audit.parts import Asked, Part, part_of, part_of_number, taken, tried
from twosdr.audit.shapes import MOST_PASSES
from twosdr.audit.values import Attribute, Explanation, Measures
from twosdr.audit.words import MAY_BE_A_PRODUCT
from twosdr.errors import MetricError
from twosdr.metrics import Estimate
from twosdr.metrics._reading import Groups
from twosdr.tables import Column, Table

FEW = 50  # values of a z that is looked at stratum by stratum


def of_attribute(given: Given, a: Attribute, asked: Asked) -> tuple[Explanation, ...]:
    """One for a number or two groups; of more groups one for each that is large enough, against all others."""
    if a.kind == "crossed" or given.z is None:
        return ()
    [s] = (s for s in given.sensitive if s.name == a.name)
    if a.kind == "number":
        return (_explained(part_of_number(given, s), "", asked),)
    part = part_of(given, a.name, s.codes, s.known, s.names)
    if len(a.groups) < 2:
        return ()
    if len(a.groups) == 2:
        return (_explained(part, "", asked),)
    large = sorted((g for g in a.groups if g.counted), key=lambda g: -g.n)[:MOST_PASSES]
    return tuple(_explained(_against_rest(part, g.name), g.name, asked) for g in a.groups if g in large)


def _against_rest(part: Part, name: str) -> Part:
    """A group and everybody else, as two groups."""
    j = part.by.levels.index(name)
    codes = (part.by.codes == j).astype(np.int8)
    levels = (f"not {name}", name)
    by = Groups(codes, levels, part.by.name)
    return Part(part.given, by, part.known, as_table({part.by.name: Column("text", codes, levels)}, len(codes)))


def _explained(part: Part, group: str, asked: Asked) -> Explanation:
    assert part.given.z is not None
    z = taken(part.given.z, part.known)
    about = part.score if part.decided is None else part.decided
    how: dict[str, Any] = {"s": part.table, "z": z, "confidence": asked.confidence, **part.beside}
    more = {"partial_correlation": tried(lambda: metrics.partial_correlation(about, **how))}
    if part.decided is not None and len(part.by) == 2 and _few(z):
        more["conditional_disparity"] = tried(lambda: metrics.conditional_disparity(part.decided, **how))
    try:
        found = metrics.explained_disparity(about, y_true=part.y, **how)
    except MetricError as refusal:
        nothing = Estimate(None, why=str(refusal).rstrip("."))
        found = metrics.Explained(nothing, nothing, nothing, nothing, nothing, {}, {})
    return Explanation(
        group=group,
        between=tuple(map(str, found.between)),
        z=z.names,
        total=found.total,
        unexplained=found.unexplained,
        explained=found.explained,
        excess=found.excess,
        cells=found.cells,
        without=Measures(tuple(found.without.items())),
        gaps=Measures(tuple(found.gaps.items())),
        more=Measures(tuple(more.items())),
        note=MAY_BE_A_PRODUCT,
    )


def _few(z: Table) -> bool:
    """Whether z makes strata that rows share."""
    columns = [z.column(name) for name in z.names]
    return all(len(c.levels if c.levels is not None else np.unique(c.values)) <= FEW for c in columns)
