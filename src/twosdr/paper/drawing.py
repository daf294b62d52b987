"""One way to draw: the same colours, sizes and bytes for every figure."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from typing import Any

from twosdr.paper.results import Drawing

# Two colours that differ in lightness too, for those who see no red and green, and for print.
FIRST, SECOND, QUIET = "#b5482a", "#1f5c99", "#777777"
STYLE: dict[Any, Any] = {
    "font.size": 8.0,
    "axes.titlesize": 8.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
    "svg.fonttype": "path",
    "figure.dpi": 150.0,
}


def draw(
    name: str,
    caption: str,
    shape: tuple[int, int],
    size: tuple[float, float],
    fill: Callable[[Any], None],
    **numbers: Any,
) -> Drawing:
    """Let `fill` draw on a grid of axes of this shape; the same numbers give the same bytes."""
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    # The salt makes the ids inside the SVG a function of the name: unequal on one page, equal in two runs.
    with matplotlib.rc_context({**STYLE, "svg.hashsalt": name}):
        figure = Figure(figsize=size, layout="constrained")
        FigureCanvasAgg(figure)
        fill(figure.subplots(*shape, squeeze=False))
        text, picture = io.StringIO(), io.BytesIO()
        figure.savefig(text, format="svg", metadata={"Date": None, "Creator": "twosdr"})
        figure.savefig(picture, format="png", metadata={"Software": "twosdr"})
    svg = text.getvalue()
    return Drawing(name, caption, svg[svg.index("<svg") :], picture.getvalue(), _plain(numbers))


def _plain(numbers: Mapping[str, Any]) -> dict[str, Any]:
    return {name: values.tolist() if hasattr(values, "tolist") else values for name, values in numbers.items()}
