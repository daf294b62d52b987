"""The impact ratio along the cut: what the ratio would be at every share selected."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from markupsafe import Markup

from twosdr.audit.values import AlongCut, Attribute
from twosdr.audit.words import number, percent, short
from twosdr.report import drawing as d
from twosdr.report.wording import label

LEFT, TOP, BOTTOM = 40, 50, 230


def draw(
    ours: Attribute, theirs: Attribute | None, names: tuple[str, str], rule: float | None, confidence: float
) -> Markup | None:
    """Two lines, and the band of ours."""
    if ours.cut is None or not ours.cut.rate:
        return None
    across, up = d.Scale(0.0, 1.0, LEFT, d.WIDTH - 14), d.Scale(0.0, 1.0, BOTTOM, TOP)
    parts = [d.legend(8, 14, [*([("before", names[0])] if theirs and theirs.cut else []), ("after", names[1])])]
    parts += [d.below(across, TOP, BOTTOM, "share selected"), d.beside(up, LEFT, d.WIDTH - 14, "impact ratio")]
    whole = [
        (r, lo, hi)
        for r, lo, hi in zip(ours.cut.rate, ours.cut.low, ours.cut.high, strict=True)
        if lo is not None and hi is not None
    ]
    parts.append(
        d.band(
            [(across(r), up(min(hi, 1.0))) for r, _, hi in whole],
            [(across(r), up(lo)) for r, lo, _ in whole],
            "band after",
        )
    )
    if rule is not None:
        parts += [
            d.line(LEFT, up(rule), d.WIDTH - 14, up(rule), "rule"),
            d.words(d.WIDTH - 18, up(rule) - 5, f"rule {short(rule)}", "tick", "end"),
        ]
    if theirs is not None and theirs.cut is not None:
        parts.append(d.path(_points(theirs.cut, across, up), "stroke before"))
    parts.append(d.path(_points(ours.cut, across, up), "stroke after"))
    least = [(v, r) for r, v in zip(ours.cut.rate, ours.cut.p_rule, strict=True) if v is not None]
    told = f"Band: interval at {percent(confidence)}."
    if least:
        v, r = min(least)
        told += f" Lowest ratio of {names[1]}: {number(v)}, when {percent(round(r, 3))} are selected."
    return d.svg(parts, BOTTOM + 40, f"Impact ratio along the cut, {label(ours.name)}", told)


def _points(cut: AlongCut, across: d.Scale, up: d.Scale) -> list[tuple[float, float] | None]:
    return [None if v is None else (across(r), up(min(v, 1.0))) for r, v in zip(cut.rate, cut.p_rule, strict=True)]
