"""Strokes: SVG as text, sized for a phone, coloured by the page's own style sheet, readable by a screen reader.

Coordinates are rounded to a tenth, so that the bytes of a picture do not depend on the last digit of a float.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

WIDTH = 440  # of every picture; 350 dots of a phone make its 12-point text 10 points
TICKS = 5


def tenth(value: float) -> str:
    """A coordinate."""
    return f"{value:.1f}".rstrip("0").rstrip(".") if value != 0 else "0"


def svg(inside: Iterable[Markup], height: float, title: str, described: str, id: str = "") -> Markup:
    """A picture with its title above it, and its words for those who do not see it."""
    body = Markup("").join(inside)
    named = Markup(' id="{}"').format(id) if id else Markup("")
    drawn = Markup(
        '<svg{} class="picture" viewBox="0 0 {} {}" role="img" aria-label="{}"><title>{}</title><desc>{}</desc>{}</svg>'
    ).format(named, WIDTH, tenth(height), f"{title}. {described}", title, described, body)
    return Markup("<figure><figcaption><strong>{}</strong></figcaption>{}</figure>").format(title, drawn)


def line(x1: float, y1: float, x2: float, y2: float, kind: str) -> Markup:
    return Markup('<line class="{}" x1="{}" y1="{}" x2="{}" y2="{}"/>').format(
        kind, tenth(x1), tenth(y1), tenth(x2), tenth(y2)
    )


def circle(x: float, y: float, kind: str, r: float = 4.5, id: str = "") -> Markup:
    named = Markup(' id="{}"').format(id) if id else Markup("")
    return Markup('<circle{} class="{}" cx="{}" cy="{}" r="{}"/>').format(named, kind, tenth(x), tenth(y), tenth(r))


def rect(x: float, y: float, width: float, height: float, kind: str) -> Markup:
    return Markup('<rect class="{}" x="{}" y="{}" width="{}" height="{}"/>').format(
        kind, tenth(x), tenth(y), tenth(max(width, 0)), tenth(max(height, 0))
    )


def words(x: float, y: float, text: object, kind: str = "", anchor: str = "start") -> Markup:
    return Markup('<text class="{}" x="{}" y="{}" text-anchor="{}">{}</text>').format(
        kind, tenth(x), tenth(y), anchor, text
    )


def path(points: Sequence[tuple[float, float] | None], kind: str) -> Markup:
    """A line through the points; None lifts the pen."""
    said, down = [], False
    for point in points:
        if point is None:
            down = False
            continue
        said.append(f"{'L' if down else 'M'}{tenth(point[0])} {tenth(point[1])}")
        down = True
    return Markup('<path class="{}" d="{}"/>').format(kind, "".join(said))


def band(upper: Sequence[tuple[float, float]], lower: Sequence[tuple[float, float]], kind: str) -> Markup:
    """The area between two lines."""
    around = [*upper, *reversed(lower)]
    said = "".join(f"{'L' if j else 'M'}{tenth(x)} {tenth(y)}" for j, (x, y) in enumerate(around))
    return Markup('<path class="{}" d="{}Z"/>').format(kind, said)


def legend(x: float, y: float, entries: Sequence[tuple[str, object]]) -> Markup:
    """Marks with their words, side by side."""
    parts = []
    for kind, text in entries:
        parts.append(circle(x + 5, y - 4, kind))
        parts.append(words(x + 14, y, text, "small"))
        x += 24 + 6.6 * len(str(text))
    return Markup("").join(parts)


@dataclass(frozen=True)
class Scale:
    """Numbers low..high to dots start..stop."""

    low: float
    high: float
    start: float
    stop: float

    def __call__(self, value: float) -> float:
        span = self.high - self.low
        return self.start + (self.stop - self.start) * ((value - self.low) / span if span else 0.5)

    def ticks(self, most: int = TICKS) -> list[float]:
        """Round numbers inside, five at most."""
        span = self.high - self.low
        if not span > 0 or not math.isfinite(span):
            return [self.low]
        rough = span / most
        unit = 10.0 ** math.floor(math.log10(rough))
        step = next(unit * k for k in (1, 2, 2.5, 5, 10) if unit * k >= rough * 0.999)
        first = math.ceil(self.low / step - 1e-9)
        return [round(k * step, 12) for k in range(first, math.floor(self.high / step + 1e-9) + 1)]


def written(value: float) -> str:
    """A number on an axis."""
    return f"{value:.4g}" if abs(value) < 10000 else f"{value:,.0f}"


def below(scale: Scale, top: float, bottom: float, title: object) -> Markup:
    """A horizontal axis at `bottom` with lines up to `top`."""
    parts = []
    for tick in scale.ticks():
        parts.append(line(scale(tick), top, scale(tick), bottom, "grid"))
        parts.append(words(scale(tick), bottom + 15, written(tick), "tick", "middle"))
    parts.append(words((scale.start + scale.stop) / 2, bottom + 32, title, "axis", "middle"))
    return Markup("").join(parts)


def beside(scale: Scale, left: float, right: float, title: object) -> Markup:
    """A vertical axis at `left`, its title above it."""
    parts = []
    for tick in scale.ticks():
        parts.append(line(left, scale(tick), right, scale(tick), "grid"))
        parts.append(words(left - 6, scale(tick) + 4, written(tick), "tick", "end"))
    parts.append(words(4, min(scale.start, scale.stop) - 10, title, "axis"))
    return Markup("").join(parts)


def padded(values: Iterable[float], zero: bool = False, share: float = 0.05) -> tuple[float, float]:
    """The least and the greatest with some air; from zero where that is asked for."""
    found = [v for v in values if math.isfinite(v)] or [0.0, 1.0]
    low, high = min(found), max(found)
    if zero:
        low, high = min(0.0, low), max(0.0, high)
    air = share * ((high - low) or abs(high) or 1.0)
    return (low if zero and low == 0.0 else low - air), (high if zero and high == 0.0 else high + air)


__all__ = [
    *(
        "Scale",
        "band",
        "below",
        "beside",
        "circle",
        "escape",
        "legend",
        "line",
        "padded",
        "path",
        "rect",
        "svg",
        "tenth",
        "words",
        "written",
    ),
]
