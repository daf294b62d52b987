"""Sheet: a small table of findings for people, as text of 100 columns, as HTML, or as a data frame.

It holds what is to be shown and knows nothing of audits. All text is escaped in HTML: names of columns and groups are the visitor's.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, replace
from html import escape
from typing import Any

from twosdr.audit.words import estimate, number, printable
from twosdr.metrics import Estimate

WIDTH = 100  # columns of a terminal
NARROWEST = 8  # a column of text is not cut further than this
HEADING = 30

Cell = str | int | float | None | Estimate


@dataclass(frozen=True)
class Sheet:
    """Rows under named columns, with a title and notes. A cell is text, a number, None, or an Estimate (shown with its interval)."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[dict[str, Cell]]:
        return (dict(zip(self.columns, row, strict=True)) for row in self.rows)

    def __repr__(self) -> str:
        return self.text()

    def text(self, width: int = WIDTH) -> str:
        """The sheet in `width` columns: numbers to the right, long words cut, notes below."""
        head = [self.title, "=" * min(width, len(self.title))] if self.title else []
        return "\n".join([*wrapped(self.title, width), *head[1:], *self.lines(width), *self.below(width)])

    def lines(self, width: int = WIDTH, indent: int = 0) -> list[str]:
        """The rows alone, under their headings."""
        shown = [[_shown(cell) for cell in row] for row in self.rows]
        right = [self._numeric(j) or all(row[j] is None for row in self.rows) for j in range(len(self.columns))]
        head = [_cut(printable(name), HEADING) for name in self.columns]
        widths = [max(len(row[j]) for row in [head, *shown]) for j in range(len(head))]
        widths = _fitted(widths, right, width - indent)
        out = []
        for row in [head, *shown]:
            cells = [
                _cut(cell, w).rjust(w) if to_right else _cut(cell, w).ljust(w)
                for cell, w, to_right in zip(row, widths, right, strict=True)
            ]
            out.append((" " * indent + "  ".join(cells)).rstrip())
        return out

    def below(self, width: int = WIDTH, indent: int = 0) -> list[str]:
        """The notes, wrapped."""
        return [line for note in self.notes for line in wrapped(note, width, indent)]

    def _repr_html_(self) -> str:
        words = [any(isinstance(row[j], str) for row in self.rows) for j in range(len(self.columns))]
        sides = ["left" if j == 0 or (word and not self._numeric(j)) else "right" for j, word in enumerate(words)]
        head = "".join(
            f'<th style="text-align:{side}">{escape(name)}</th>' for name, side in zip(self.columns, sides, strict=True)
        )
        body = "".join(
            "<tr>"
            + "".join(
                f'<td style="text-align:{side}">{escape(_shown(cell))}</td>'
                for cell, side in zip(row, sides, strict=True)
            )
            + "</tr>"
            for row in self.rows
        )
        notes = "".join(f"<p><small>{escape(note)}</small></p>" for note in self.notes)
        title = f"<p><strong>{escape(self.title)}</strong></p>" if self.title else ""
        return f"<div>{title}<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{notes}</div>"

    def _numeric(self, j: int) -> bool:
        """Whether a column holds numbers; a word among estimates ("the highest") does not make it one of words."""
        return any(isinstance(row[j], (int, float, Estimate)) for row in self.rows)

    def to_dict(self) -> dict[str, Any]:
        """Plain data: title, columns, rows (one dict each; an estimate as its value, low, high, n, why and how) and notes."""
        rows = [{name: _flat(cell) for name, cell in row.items()} for row in self]
        return {"title": self.title, "columns": list(self.columns), "rows": rows, "notes": list(self.notes)}

    def to_arrow(self) -> Any:
        """A pyarrow table. An estimate becomes five columns: its value, `low`, `high`, `why` and `how`."""
        import pyarrow as pa

        columns: dict[str, list[Any]] = {}
        for j, name in enumerate(self.columns):
            cells = [row[j] for row in self.rows]
            if any(isinstance(cell, Estimate) for cell in cells):
                # A cell beside estimates may be a word ("the highest"): then it holds no number.
                found = [c if isinstance(c, Estimate) else Estimate(None) for c in cells]
                columns[name] = [f.value for f in found]
                columns[f"{name} low"] = [f.interval[0] if f.interval else None for f in found]
                columns[f"{name} high"] = [f.interval[1] if f.interval else None for f in found]
                columns[f"{name} why"] = [f.why for f in found]
                columns[f"{name} how"] = [f.method for f in found]
            elif any(isinstance(cell, str) for cell in cells):
                columns[name] = [None if cell is None else str(cell) for cell in cells]
            else:
                columns[name] = cells
        return pa.table(columns)

    def to_pandas(self) -> Any:
        """A pandas data frame, where pandas is installed; columns as in `to_arrow`."""
        return self.to_arrow().to_pandas()

    def to_polars(self) -> Any:
        """A polars data frame, where polars is installed; columns as in `to_arrow`."""
        import polars as pl

        return pl.from_arrow(self.to_arrow())

    def titled(self, title: str) -> Sheet:
        """The same sheet under another title."""
        return replace(self, title=title)


def wrapped(text: str, width: int = WIDTH, indent: int = 0) -> list[str]:
    """A paragraph in lines of at most `width`."""
    return textwrap.wrap(printable(text), width, initial_indent=" " * indent, subsequent_indent=" " * indent)


def _shown(cell: Cell) -> str:
    match cell:
        case None:
            return "-"
        case Estimate():
            return estimate(cell)
        case str():
            return printable(cell)
        case int():
            return f"{cell:,}"
        case _:
            return number(cell)


def _flat(cell: Cell) -> Any:
    if not isinstance(cell, Estimate):
        return cell
    low, high = cell.interval or (None, None)
    return {"value": cell.value, "low": low, "high": high, "n": cell.n, "why": cell.why, "how": cell.method}


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"


def _fitted(widths: list[int], right: list[bool], room: int) -> list[int]:
    """Cut the widest column of text, again and again, until the rows fit; numbers are never cut."""
    widths = list(widths)
    while sum(widths) + 2 * (len(widths) - 1) > room:
        words = [j for j in range(len(widths)) if not right[j] and widths[j] > NARROWEST]
        if not words:
            break
        widths[max(words, key=lambda j: widths[j])] -= 1
    return widths
