"""Audit: the frozen answer of an audit. It holds records (values.py) and knows how to show itself; it computes nothing.

The dict of `to_dict` is what reports are made from: it carries everything that is drawn or printed, under a schema version.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from twosdr.audit.offices import table as form
from twosdr.audit.page import of_audit as as_page
from twosdr.audit.plain import from_plain, to_plain
from twosdr.audit.plotting import of_audit as as_figure
from twosdr.audit.sheet import Sheet
from twosdr.audit.text import every_number
from twosdr.audit.text import of_audit as as_text
from twosdr.audit.values import Attribute, Finding, Gap, Measures, Settings
from twosdr.errors import NotReadable, did_you_mean, quoted

TYPE = "twosdr.audit"
SCHEMA = 1  # rises when a reader of the dict has to change


@dataclass(frozen=True, repr=False)
class Audit:
    """What was found about predictions: rates, ratios and distances with intervals, and what has none, with the reason.

    Attributes
    ----------
    kind : "decisions", "scores" (numbers beside a two-valued y, or without one when passed as `scores=`) or "numbers"
    n, weight : rows counted, and the sum of their weights
    settings : how it was asked for
    overall : Measures over all rows, such as accuracy
    attributes : an `Attribute` for each s; the last one, of kind "crossed", for their levels together
    together : Measures of all s at once
    findings : what to look at first
    not_estimated : what has no number or no interval, and why
    notes : what holds for every number here

    Examples
    --------
    >>> from twosdr.audit import audit
    >>> found = audit([1, 0, 1, 1, 0, 1], sensitive_features=["f", "f", "f", "m", "m", "m"], min_group_size=1)
    >>> found["s"].measures["p_rule"].value
    1.0
    """

    kind: str
    n: int
    weight: float
    settings: Settings
    overall: Measures
    attributes: tuple[Attribute, ...]
    together: Measures
    findings: tuple[Finding, ...]
    not_estimated: tuple[Gap, ...]
    notes: tuple[str, ...]

    def __getitem__(self, name: str) -> Attribute:
        """What was found about the s of that name, or about their crossing ("sex x race")."""
        for found in self.attributes:
            if found.name == name:
                return found
        names = [a.name for a in self.attributes]
        raise KeyError(f"no s is called {quoted(name)}; there is {', '.join(names)}.{did_you_mean(name, names)}")

    def __repr__(self) -> str:
        return as_text(self)

    def _repr_html_(self) -> str:
        return as_page(self)

    def table(self) -> Sheet:
        """Every number as one row: whose it is, what it is, its value and interval, n, and why something is missing."""
        return every_number(self)

    def as_table(self, office: str, **settings: Any) -> Sheet:
        """The same findings as an office asks for them: "ll144", "ugesp" or "lending" (docs/audit.md). None is an independent audit."""
        return form(self, office, **settings)

    def plot(self) -> Any:
        """A matplotlib figure: rates or means by group with intervals, scores by group, the ratio along the cut, curves of a numeric s."""
        return as_figure(self)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data, with the schema version in front."""
        return {"type": TYPE, "schema": SCHEMA, **to_plain(self)}

    def to_json(self, *, indent: int | None = None) -> str:
        """`to_dict()` as JSON text."""
        return json.dumps(self.to_dict(), indent=indent, allow_nan=False)

    @classmethod
    def from_dict(cls, data: Any) -> Audit:
        """The audit that `to_dict` wrote; `from_dict(json.loads(text))` for JSON."""
        if not isinstance(data, dict) or data.get("type") != TYPE:
            raise NotReadable(f'This is no audit: "type" should be {TYPE!r}. Write one with Audit.to_dict().')
        if data.get("schema") != SCHEMA:
            raise NotReadable(
                f"The audit has schema {data.get('schema')!r}; this version of twosdr reads {SCHEMA}. Use the version that wrote it"
                f"{_writer(data)}."
            )
        found: Audit = from_plain(cls, {k: v for k, v in data.items() if k not in ("type", "schema")})
        return found


def _writer(data: dict[str, Any]) -> str:
    settings = data.get("settings")
    version = settings.get("twosdr") if isinstance(settings, dict) else None
    return f", {quoted(version)}" if version else ""
