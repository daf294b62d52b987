"""Markdown from untrusted text: names, levels and messages that come out as they are, and do nothing.

Everything that is not our own words goes through `plain`.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any

LONGEST = 200
# Marks of Markdown, tables, mathematics, mentions and addresses, anywhere; of lists, headings and rules, where a line begins. A
# backslash before punctuation is the mark itself.
_MARKS = re.compile(r"([\\`*_{}\[\]|~$@^#]|:(?=//)|(?<=www)\.|^[-+=!]|(?<=^[0-9])[.)])", re.IGNORECASE)
_TURNS = {
    *range(0x202A, 0x202F),
    *range(0x2066, 0x206A),
    0x200E,
    0x200F,
    0x061C,
}  # they reorder what stands around them


def plain(value: Any, longest: int = LONGEST) -> str:
    """Text that any Markdown reader shows as it is, on one line.

    >>> plain("a_b <b>|x</b>")
    'a\\\\_b &lt;b&gt;\\\\|x&lt;/b&gt;'
    """
    text = "".join(" " if _unseen(c) else c for c in str(value))
    text = " ".join(text.split()) or "(empty)"
    text = text if len(text) <= longest else text[:longest] + "…"
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _MARKS.sub(r"\\\1", text)


def _unseen(c: str) -> bool:
    return ord(c) in _TURNS or unicodedata.category(c) in ("Cc", "Zl", "Zp", "Cs")


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Lines of a table; cells are Markdown already."""
    lines = [list(head), ["---"] * len(head), *map(list, rows)]
    return ["| " + " | ".join(line) + " |" for line in lines]


def number(value: float) -> str:
    """Four digits."""
    return f"{value:.4g}"


def share(value: float) -> str:
    """A percentage."""
    return f"{100 * value:.1f} %"
