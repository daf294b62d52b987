"""Untrusted text on a page: column names and values may hold markup, control characters, right-to-left letters, 10,000 characters.

Escaping is the template's (autoescape) and the pictures' (markupsafe); here text is cut to length and cleared of what no page may hold.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

import unicodedata

LONGEST = 120  # characters of a name on the page; the rest is told as a number
IN_PICTURE = 26
# First strong isolate and its end: letters that run from right to left do not turn what stands beside them.
ISOLATE, END = "\u2068", "\u2069"
TURNS = dict.fromkeys(map(ord, "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f"))


def clean(text: object) -> str:
    """The text without control characters, marks that turn the direction of others, and half characters."""
    kept = "".join(c if c in "\n\t" or unicodedata.category(c) not in ("Cc", "Cs") else "\ufffd" for c in str(text))
    return kept.translate(TURNS)


def name(text: object, most: int = LONGEST) -> str:
    """A name in a line of its own, cut where it is endless."""
    said = " ".join(clean(text).split())
    if len(said) <= most:
        return said or "(no name)"
    return f"{said[:most]}… ({len(said):,} characters)"


def label(text: object, most: int = IN_PICTURE) -> str:
    """A name in a picture."""
    said = " ".join(clean(text).split())
    return ISOLATE + (said if len(said) <= most else said[: most - 1] + "…") + END
