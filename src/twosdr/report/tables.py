"""Tables of the page: measures beside the baseline's, and coefficients in the columns of the visitor's own table."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from dataclasses import dataclass

from twosdr.audit import Comparison
from twosdr.metrics import Estimate
from twosdr.model import Model
from twosdr.report.contents import Contents

MOST = 400  # coefficients on a page; the model's file has them all


@dataclass(frozen=True)
class Line:
    """A measure of all rows (about "") or of one s."""

    about: str
    measure: str
    before: Estimate | None
    after: Estimate
    difference: Estimate | None


def measures(contents: Contents) -> list[Line]:
    """Every measure of the audit, in its order."""
    found, audit, baseline = contents.found, contents.audit, contents.baseline
    differences = {}
    if isinstance(found, Comparison):
        differences = {(d.about, d.measure): d.estimate for d in found.differences if d.model == found.names[-1]}
    lines = []
    for about, ours in [("", audit.overall), *((a.name, a.measures) for a in audit.attributes)]:
        theirs = None
        if baseline is not None:
            theirs = (
                baseline.overall
                if about == ""
                else next((b.measures for b in baseline.attributes if b.name == about), None)
            )
        for measure, after in ours.items():
            before = theirs.get(measure) if theirs is not None else None
            lines.append(Line(about, measure, before, after, differences.get((about, measure))))
    return lines


@dataclass(frozen=True)
class Term:
    """One encoded column of the model: how the score moves with it."""

    column: str
    level: str
    role: str
    values: tuple[float, ...]
    mean: float
    deviation: float
    note: str


@dataclass(frozen=True)
class Terms:
    """All of them, with the intercept; `outputs` names the columns of numbers."""

    outputs: tuple[str, ...]
    intercept: tuple[float, ...]
    terms: tuple[Term, ...]
    hidden: int


ROLES = {"s": "sensitive", "x": "ordinary", "z": "explanatory"}
NOTES = {
    "reference": "reference level",
    "constant": "constant in training: left out",
    "dependent": "a linear function of earlier columns: left out",
    "explained by s": "determined by the sensitive columns: left out",
}


def coefficients(model: Model | None) -> Terms | None:
    """The model's affine map, by the visitor's columns and levels."""
    if model is None:
        return None
    found = []
    for field, span in model.roles.spans():
        for j in range(span.start, span.stop):
            encoded = model.roles.names[j]
            level = encoded[len(field.name) :].removeprefix("=").strip() if encoded != field.name else ""
            reason = model.facts.dropped.get(encoded, "")
            found.append(
                Term(
                    field.name,
                    level,
                    ROLES[field.role],
                    tuple(float(v) for v in model.affine.coef[j]),
                    float(model.facts.mean[j]),
                    float(model.facts.deviation[j]),
                    NOTES.get(reason, reason),
                )
            )
    outputs = model.output_names()
    return Terms(
        outputs, tuple(float(v) for v in model.affine.intercept), tuple(found[:MOST]), max(0, len(found) - MOST)
    )
