"""Rates (or means) of the groups with their intervals, the baseline's beside ours."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from markupsafe import Markup

from twosdr.audit.text import title
from twosdr.audit.values import Attribute, Group
from twosdr.audit.words import number, percent, short
from twosdr.metrics import Estimate
from twosdr.report import drawing as d
from twosdr.report.wording import label

MOST = 16  # groups in a picture; the table has them all
LEFT, TOP, ROW = 150, 34, 34


def draw(
    ours: Attribute, theirs: Attribute | None, names: tuple[str, str], rule: float | None, confidence: float
) -> Markup | None:
    """One row for each group, the largest first."""
    measure = next((m for m in ("selection_rate", "mean") if any(m in g.measures for g in ours.groups)), None)
    if measure is None:
        return None
    shown = [g for g in sorted(ours.groups, key=lambda g: -g.n) if _there(g, measure)][:MOST]
    if not shown:
        return None
    before = {g.name: g.measures[measure] for g in theirs.groups if _there(g, measure)} if theirs else {}
    every = [e for g in shown for e in (g.measures[measure], before.get(g.name)) if e is not None]
    low, high = d.padded(
        [v for e in every for v in (e.value, *(e.interval or ())) if v is not None], zero=measure == "selection_rate"
    )
    bottom = TOP + ROW * len(shown)
    across = d.Scale(low, high, LEFT, d.WIDTH - 14)
    parts = [d.legend(8, 16, [*([("before", names[0])] if before else []), ("after", names[1])])]
    parts.append(d.below(across, TOP - 4, bottom, title(measure)))
    best = next((g for g in shown if g.name == ours.best), None)
    if rule is not None and best is not None and best.measures[measure].value and measure == "selection_rate":
        at = across(rule * float(best.measures[measure]))
        parts += [
            d.line(at, TOP - 4, at, bottom, "rule"),
            d.words(at, TOP - 8, f"{short(rule)} of the highest", "tick", "middle"),
        ]
    for j, g in enumerate(shown):
        y = TOP + ROW * (j + 0.5)
        parts += [
            d.words(LEFT - 8, y, label(g.name, 20), "name", "end"),
            d.words(LEFT - 8, y + 12, f"n = {g.n:,}", "tick", "end"),
        ]
        if g.name in before:
            parts += _dot(across, y - 6, before[g.name], "before")
        parts += _dot(across, y + 5 if before else y, g.measures[measure], "after")
    said = "; ".join(f"{label(g.name)}: {number(g.measures[measure].value)}" for g in shown[:6])
    more = (
        f" The {len(ours.groups) - len(shown)} smaller groups are in the table."
        if len(ours.groups) > len(shown)
        else ""
    )
    told = f"With intervals at {percent(confidence)}. {names[1]}: {said}.{more}"
    return d.svg(parts, bottom + 40, f"{title(measure).capitalize()} by {label(ours.name)}", told)


def _there(g: Group, measure: str) -> bool:
    return measure in g.measures and g.measures[measure].value is not None


def _dot(across: d.Scale, y: float, found: Estimate, kind: str) -> list[Markup]:
    bar = (
        []
        if found.interval is None
        else [d.line(across(found.interval[0]), y, across(found.interval[1]), y, f"bar {kind}")]
    )
    return [*bar, d.circle(across(float(found)), y, kind)]
