"""The frontier: what every level of removal leaves of the distance and of the accuracy; with points that a slider moves."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from typing import Any

import numpy as np
from markupsafe import Markup

from twosdr.audit.words import number
from twosdr.frontier import FAMILY, Frontier
from twosdr.report import drawing as d
from twosdr.report.wording import label

LEFT, TOP, BOTTOM = 52, 76, 276


def draw(found: Frontier | None) -> tuple[Markup, dict[str, Any]] | None:
    """The picture, and the numbers that the slider shows."""
    if found is None or not found.curves or not found.curves[0].distance:
        return None
    s = next(iter(found.curves[0].distance))
    xs, ys = [v for c in found.curves for v in c.distance[s]], [v for c in found.curves for v in c.r2]
    if not np.isfinite(xs).all() or not np.isfinite(ys).all():
        return None
    across = d.Scale(*d.padded(xs, zero=True), LEFT, d.WIDTH - 14)
    up = d.Scale(*d.padded(ys), BOTTOM, TOP)
    parts = [
        d.below(across, TOP, BOTTOM, f"distance of mean scores by {label(s)}"),
        d.beside(up, LEFT, d.WIDTH - 14, "R² of the score"),
    ]
    x, y = 8.0, 16.0
    curves: list[dict[str, Any]] = []
    for k, c in enumerate(found.curves):
        if x + 28 + 6.6 * len(c.label) > d.WIDTH:
            x, y = 8.0, y + 18
        parts += [
            d.line(x, y - 4, x + 12, y - 4, f"stroke group{k}"),
            d.words(x + 17, y, c.label.replace("_", "-"), "small"),
        ]
        x += 30 + 6.4 * len(c.label)
        dots = [(across(float(a)), up(float(b))) for a, b in zip(c.distance[s], c.r2, strict=True)]
        parts.append(d.path(dots, f"stroke group{k}"))
        rows = [
            {
                "x": d.tenth(px),
                "y": d.tenth(py),
                "removal": f"{100 * r:.0f} %",
                "cells": [
                    *(number(float(v[j])) for v in c.distance.values()),
                    number(float(c.r2[j])),
                    number(float(np.sqrt(max(c.mse[j], 0.0)))),
                ],
            }
            for j, (r, (px, py)) in enumerate(zip(c.removal, dots, strict=True))
        ]
        curves.append({"label": c.label.replace("_", "-"), "ends": list(FAMILY[c.label]), "rows": rows})
    for k, drawn in enumerate(curves):
        last: Any = drawn["rows"][-1]
        parts.append(d.circle(float(last["x"]), float(last["y"]), f"point group{k}", 6, f"point{k}"))
    told = f"On {found.rows_of}, {found.n:,} rows. To the left less distance, further up more accuracy."
    names = [label(n) for n in found.curves[0].distance]
    picture = d.svg(parts, BOTTOM + 40, "R² of the score against distance, a line for each goal", told, "frontier")
    return picture, {"s": names, "curves": curves, "levels": len(curves[0]["rows"])}
