"""Contents as one HTML page. The template escapes every text; only our own SVG, style and script are written as they are."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

import base64
import hashlib
from pathlib import Path
from typing import Any

from twosdr.audit.text import between, headline, title
from twosdr.audit.values import Attribute, Group
from twosdr.audit.words import number, percent, short
from twosdr.metrics import Estimate
from twosdr.report import wording
from twosdr.report.contents import Contents
from twosdr.report.limits import limits
from twosdr.report.pictures import carrying, curve, cut, histogram, levels, rates
from twosdr.report.tables import coefficients, measures

HERE = Path(__file__).parent
GROUPS = 100  # rows of a table; a page is for people
STATUS = {"below": "below", "above": "above", "cannot tell": "cannot", "no number": "cannot"}


def render(contents: Contents) -> str:
    """The page; the same bytes for the same contents."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=FileSystemLoader(HERE), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= {
        "name": wording.name,
        "clean": wording.clean,
        "number": number,
        "interval": _interval,
        "percent": percent,
        "short": short,
        "title": title,
        "between": between,
        "sentence": lambda text: text[:1].upper() + text[1:],
        "hundredths": _hundredths,
    }
    style, script = (Markup((HERE / file).read_text(encoding="utf-8")) for file in ("style.css", "slider.js"))
    frontier = levels.draw(contents.frontier)
    return environment.get_template("page.html.jinja").render(
        c=contents,
        headline=headline(contents.audit),
        attributes=[_attribute(contents, a) for a in contents.audit.attributes],
        measures=measures(contents),
        verdicts=[(a, STATUS[a.verdict.status]) for a in contents.audit.attributes if a.verdict is not None],
        carrying=carrying.draw(contents.carriers, contents.names),
        frontier=frontier,
        coefficients=coefficients(contents.model),
        limits=limits(contents),
        style=style,
        script=script,
        script_hash=_hash(str(script)),
        many=GROUPS,
    )


def _interval(found: Estimate) -> str:
    """`.733 to .863`, or nothing where there is none."""
    return "" if found.interval is None else f"[{number(found.interval[0])}, {number(found.interval[1])}]"


def _hundredths(share: float) -> str:
    """`31.1 %`; what rounds to nothing has no sign."""
    return f"{100 * share:.1f} %".replace("-0.0 %", "0.0 %")


def _hash(script: str) -> str:
    """What the page's own policy lets run: this script and no other."""
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def _attribute(contents: Contents, a: Attribute) -> dict[str, Any]:
    audit, baseline = contents.audit, contents.baseline
    theirs = next((b for b in baseline.attributes if b.name == a.name), None) if baseline is not None else None
    confidence, rule = audit.settings.confidence, audit.settings.rule
    decisions = audit.kind == "decisions"
    pictures = [
        rates.draw(a, theirs, contents.names, rule, confidence),
        curve.draw(a, theirs, contents.names, decisions, confidence),
        histogram.draw(a, theirs, contents.names),
        cut.draw(a, theirs, contents.names, rule, confidence),
    ]
    if a.kind == "crossed":
        pictures = pictures[:1]
    groups = [*a.groups[:GROUPS], *([a.missing_rows] if a.missing_rows else [])]
    return {
        "a": a,
        "theirs": theirs,
        "pictures": [p for p in pictures if p is not None],
        "columns": _columns(groups),
        "groups": groups,
        "hidden": max(0, len(a.groups) - GROUPS),
        "before": {} if theirs is None else {g.name: g for g in theirs.groups},
    }


def _columns(groups: list[Group]) -> list[str]:
    """The measures that groups have, but those that only programs want."""
    found = dict.fromkeys(name for g in groups for name in g.measures)
    return [name for name in found if name not in ("to_best",)]
