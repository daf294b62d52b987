"""The mean prediction along a numeric s, in bins that hold equally many rows."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from markupsafe import Markup

from twosdr.audit.values import Attribute, Curve
from twosdr.audit.words import percent
from twosdr.report import drawing as d
from twosdr.report.wording import label

LEFT, TOP, BOTTOM = 56, 50, 230


def draw(
    ours: Attribute, theirs: Attribute | None, names: tuple[str, str], decisions: bool, confidence: float
) -> Markup | None:
    """Dots with intervals, ours and the baseline's."""
    if ours.curve is None or not ours.curve.middle:
        return None
    before = theirs.curve if theirs is not None else None
    both = [c for c in (ours.curve, before) if c is not None]
    low, high = d.padded([v for c in both for part in (c.mean, c.mean_low, c.mean_high) for v in part if v is not None])
    across = d.Scale(*d.padded(ours.curve.middle, share=0.03), LEFT, d.WIDTH - 14)
    up = d.Scale(low, high, BOTTOM, TOP)
    what = "selection rate" if decisions else "mean prediction"
    parts = [d.legend(8, 14, [*([("before", names[0])] if before else []), ("after", names[1])])]
    parts += [d.below(across, TOP, BOTTOM, label(ours.name, 40)), d.beside(up, LEFT, d.WIDTH - 14, what)]
    for c, kind in ((before, "before"), (ours.curve, "after")):
        if c is not None:
            parts += _line(c, across, up, kind)
    told = f"{len(ours.curve.n)} bins of equal size, intervals at {percent(confidence)}."
    return d.svg(parts, BOTTOM + 40, f"{what.capitalize()} along {label(ours.name)}", told)


def _line(c: Curve, across: d.Scale, up: d.Scale, kind: str) -> list[Markup]:
    points = [None if m is None else (across(x), up(m)) for x, m in zip(c.middle, c.mean, strict=True)]
    bars = [
        d.line(across(x), up(a), across(x), up(b), f"bar {kind}")
        for x, a, b in zip(c.middle, c.mean_low, c.mean_high, strict=True)
        if a is not None and b is not None
    ]
    return [*bars, d.path(points, f"stroke {kind} thin"), *(d.circle(*p, kind, 3.5) for p in points if p is not None)]
