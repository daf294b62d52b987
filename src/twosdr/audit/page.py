"""An audit as HTML for a notebook. Every name and level is the visitor's, so every piece of text is escaped, without exception."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from twosdr.audit import text
from twosdr.audit.sheet import Sheet
from twosdr.audit.values import Attribute, Measures
from twosdr.audit.words import count, estimate

if TYPE_CHECKING:
    from twosdr.audit.result import Audit

# Colours are inherited: a dark notebook stays dark. Scoped to our own class, so that nothing else on the page changes.
STYLE = """
.twosdr-audit{font-size:.95em;max-width:68em;line-height:1.45}
.twosdr-audit table{border-collapse:collapse;margin:.4em 0}
.twosdr-audit th,.twosdr-audit td{padding:.15em .7em;border-bottom:1px solid rgba(128,128,128,.35);white-space:nowrap}
.twosdr-audit th{font-weight:600}
.twosdr-audit .scroll{overflow-x:auto}
.twosdr-audit h4{margin:1.2em 0 .2em}
.twosdr-audit p{margin:.4em 0}
.twosdr-audit .measure{white-space:nowrap;margin-right:1.4em}
.twosdr-audit .rule{border-left:4px solid rgba(128,128,128,.6);padding-left:.8em}
"""


def of_audit(audit: Audit) -> str:
    """The whole audit, as one element."""
    parts = [f"<p><strong>{escape(text.headline(audit))}</strong></p>", _measures(audit.overall)]
    if audit.findings:
        parts += ["<h4>To look at first</h4>", _items([f.text for f in audit.findings])]
    parts += [_attribute(a) for a in audit.attributes]
    if audit.together:
        parts += ["<h4>All s together</h4>", _measures(audit.together)]
    if audit.not_estimated:
        parts += ["<h4>Not estimated</h4>", _items([text.missing(g) for g in audit.not_estimated])]
    parts += [f"<p><small>{escape(note)}</small></p>" for note in audit.notes]
    return f'<div class="twosdr-audit"><style>{STYLE}</style>{"".join(parts)}</div>'


def _items(said: list[str]) -> str:
    return f"<ul>{''.join(f'<li>{escape(line)}</li>' for line in said)}</ul>"


def _attribute(a: Attribute) -> str:
    kind = "a number" if a.kind == "number" else count(len(a.groups), "group")
    unknown = f", {a.unknown:,} unknown" if a.unknown else ""
    parts = [f"<h4>{escape(a.name)} <small>({kind}, {count(a.n)}{unknown})</small></h4>"]
    if a.verdict is not None:
        parts.append(f'<p class="rule">{escape(a.verdict.text)}</p>')
    parts += [_scrolled(sheet) for sheet in text.tables(a, width=None)]
    parts.append(_measures(a.measures))
    if a.explained:
        parts.append(_scrolled(text.explained(a)))
    return "".join(parts)


def _scrolled(sheet: Sheet) -> str:
    return f'<div class="scroll">{sheet._repr_html_()}</div>'


def _measures(measures: Measures) -> str:
    """Measures side by side in words; the method is what a pointer over the number shows."""
    if not measures:
        return ""
    said = []
    for name, found in measures.items():
        value, _, between = estimate(found).partition(" ")
        hint = escape(found.why or found.method, quote=True)
        said.append(f'<span class="measure" title="{hint}">{escape(text.title(name))} <b>{value}</b> {between}</span>')
    return f"<p>{' '.join(said)}</p>"
