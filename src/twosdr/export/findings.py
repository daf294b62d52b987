"""The section of a model card that an audit fills."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from twosdr.export.markdown import plain, table

MOST_GROUPS = 60


def audited(audit: Any) -> Iterator[str]:
    """What an audit found; without one, how to make it."""
    yield "## 8. Audit on rows that the model was not fitted on"
    yield "*Annex IV, 2(g), 3 and 4: accuracy, discriminatory impacts, groups; SR 11-7: outcomes analysis*"
    yield ""
    if audit is None:
        yield "No audit was given. **To be filled in by whoever holds rows with s**: `twosdr audit`, and this card again with `--audit`."
        return
    from twosdr.audit import Audit
    from twosdr.audit.text import headline

    found = audit if isinstance(audit, Audit) else Audit.from_dict(audit)
    yield f"{plain(headline(found), 2000)}."
    yield ""
    yield from _measures(found.overall)
    yield from _listed("To look at first", [f.text for f in found.findings])
    for attribute in found.attributes:
        yield from _attribute(attribute)
    if found.together:
        yield "### All sensitive columns together"
        yield ""
        yield from _measures(found.together)
    gaps = [f"{g.about or 'all rows'}, {_title(g.measure)}: {g.why}" for g in found.not_estimated]
    yield from _listed("Not estimated, and why", gaps)
    yield from _listed("What holds for every number here", found.notes)


def _attribute(attribute: Any) -> Iterator[str]:
    yield f"### By {plain(attribute.name)}"
    yield ""
    if attribute.verdict is not None:
        yield f"**{plain(attribute.verdict.text, 2000)}**"
        yield ""
    yield from _measures(attribute.measures)
    groups = attribute.groups[:MOST_GROUPS]
    names = list(dict.fromkeys(name for group in groups for name in group.measures))
    if groups:
        rows = [
            [plain(g.name), f"{g.n:,}", *(_said(g.measures[name]) if name in g.measures else "-" for name in names)]
            for g in groups
        ]
        yield from table(["group", "rows", *map(_title, names)], rows)
        yield ""
    if len(attribute.groups) > MOST_GROUPS:
        yield f"And {len(attribute.groups) - MOST_GROUPS} groups more, which the audit lists."
        yield ""
    if attribute.unknown:
        yield f"{attribute.unknown:,} rows have no known value."
        yield ""


def _measures(measures: Any) -> Iterator[str]:
    if measures:
        yield from table(
            ["measure", "value and interval", "rows"], [[_title(n), _said(e), f"{e.n:,}"] for n, e in measures.items()]
        )
        yield ""


def _said(found: Any) -> str:
    from twosdr.audit.words import estimate

    return plain(estimate(found) if found else f"no number: {found.why}", 400)


def _title(measure: str) -> str:
    from twosdr.audit.text import title

    return plain(title(measure))


def _listed(head: str, texts: Any) -> Iterator[str]:
    found = list(texts)
    if found:
        yield f"### {head}"
        yield ""
        yield from (f"- {plain(text, 2000)}" for text in found)
        yield ""
