"""Which columns carry s: what each adds to the gap, before and after."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from markupsafe import Markup

from twosdr.carriers import Carriers
from twosdr.report import drawing as d
from twosdr.report.wording import label

MOST = 14
LEFT, TOP, ROW = 150, 34, 26


def draw(found: Carriers | None, names: tuple[str, str]) -> Markup | None:
    """Two bars for each column, in percent of what s explains of the baseline's score."""
    if found is None or not found.columns:
        return None
    shown = found.columns[:MOST]
    low, high = d.padded([100 * v for c in shown for v in (c.part_before, c.part_after)], zero=True)
    bottom = TOP + ROW * len(shown)
    across = d.Scale(low, high, LEFT, d.WIDTH - 14)
    parts = [
        d.legend(8, 16, [("before", names[0]), ("after", names[1])]),
        d.below(across, TOP - 4, bottom, "% of the baseline's gap"),
    ]
    for j, c in enumerate(shown):
        y = TOP + ROW * j
        parts.append(d.words(LEFT - 8, y + 15, label(c.column, 20), "name", "end"))
        for value, at, kind in ((c.part_before, y + 3, "before"), (c.part_after, y + 13, "after")):
            a, b = sorted((across(0.0), across(100 * value)))
            parts.append(d.rect(a, at, max(b - a, 0.8), 9, f"fill {kind}"))
    parts.append(d.line(across(0.0), TOP - 4, across(0.0), bottom, "zero"))
    said = "; ".join(
        f"{label(c.column)} {100 * c.part_before:.0f} %, after {100 * c.part_after:.0f} %" for c in shown[:5]
    )
    return d.svg(parts, bottom + 40, "What each column adds to the gap, before and after", f"{said}.")
