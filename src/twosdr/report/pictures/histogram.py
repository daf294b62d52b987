"""The scores of every group, as outlines of histograms: the baseline's above ours, on one scale."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from markupsafe import Markup

from twosdr.audit.values import Attribute, Histogram
from twosdr.report import drawing as d
from twosdr.report.wording import label

MOST = 6  # outlines that can be told apart
LEFT, HIGH, GAP = 40, 110, 44


def draw(ours: Attribute, theirs: Attribute | None, names: tuple[str, str]) -> Markup | None:
    """A panel for each model; the same colour is the same group."""
    panels = [
        (n, a.histogram)
        for n, a in zip(names, (theirs, ours), strict=True)
        if a is not None and a.histogram is not None
    ]
    panels = [(n, h) for n, h in panels if len(h.edges) > 2]
    if not panels:
        return None
    order = [g.name for g in sorted(ours.groups, key=lambda g: -g.n)][:MOST]
    low, high = min(h.edges[0] for _, h in panels), max(h.edges[-1] for _, h in panels)
    # Bins of the two models differ in width: density is what can be compared.
    top = max(
        (share / (h.edges[1] - h.edges[0]) for _, h in panels for row in _rows(h, order).values() for share in row),
        default=1.0,
    )
    across = d.Scale(low, high, LEFT, d.WIDTH - 14)
    parts, y, x = [], 16.0, 8.0
    for k, g in enumerate(order):
        text = label(g, 16)
        if x + 24 + 6.6 * len(text) > d.WIDTH:
            x, y = 8.0, y + 18
        parts += [d.line(x, y - 4, x + 12, y - 4, f"stroke group{k}"), d.words(x + 17, y, text, "small")]
        x += 28 + 6.2 * len(text)
    y += 30
    for n, h in panels:
        up = d.Scale(0.0, top, y + HIGH, y)
        parts.append(d.words(LEFT, y - 6, n, "axis"))
        last = n == panels[-1][0]
        parts.append(d.below(across, y, y + HIGH, "score" if last else ""))
        width = h.edges[1] - h.edges[0]
        for g, row in _rows(h, order).items():
            steps: list[tuple[float, float] | None] = [(across(h.edges[0]), up(0.0))]
            for j, share in enumerate(row):
                steps += [(across(h.edges[j]), up(share / width)), (across(h.edges[j + 1]), up(share / width))]
            steps.append((across(h.edges[-1]), up(0.0)))
            parts.append(d.path(steps, f"stroke group{order.index(g)}"))
        y += HIGH + GAP
    more = f" The {len(order)} largest of {len(ours.groups)} groups." if len(ours.groups) > len(order) else ""
    told = f"The share of each group over the score, {' and '.join(n for n, _ in panels)}.{more}"
    return d.svg(parts, y - 4, f"Scores by {label(ours.name)}", told)


def _rows(h: Histogram, order: list[str]) -> dict[str, tuple[float, ...]]:
    return {g: h.shares[h.groups.index(g)] for g in order if g in h.groups}
