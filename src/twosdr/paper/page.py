"""One self-contained HTML page: tables, figures, the protocol of each, what is inferred, and what does not come out."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

import platform
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from twosdr.paper.results import Result
from twosdr.paper.showing import COUNTED, figure, printed, small, summary

LIBRARIES = ("twosdr", "numpy", "scipy", "scikit-learn")


@dataclass(frozen=True)
class Run:
    """How the results came about."""

    seed: int
    quick: bool
    jobs: int
    seconds: float
    unfinished: tuple[str, ...] = ()


def render(results: Sequence[Result], run: Run) -> str:
    """The page. Every text is escaped; the SVG is our own drawing."""
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup, escape

    def words(text: str) -> Markup:
        return Markup(str(escape(text)).replace("*inferred*", "<em>inferred</em>"))

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters |= {
        "figure": figure,
        "words": words,
        "svg": Markup,
        "small": small,
        "middle": lambda v: sorted(v)[len(v) // 2],
    }
    environment.globals |= {"printed": printed}
    template = environment.from_string((Path(__file__).parent / "page.html.jinja").read_text(encoding="utf-8"))
    versions = [f"{name} {metadata.version(name)}" for name in LIBRARIES]
    return template.render(
        results=results,
        run=run,
        summary=summary(results) if any(r.id in COUNTED for r in results) else "",
        versions=", ".join([f"Python {platform.python_version()}", *versions]),
    )
