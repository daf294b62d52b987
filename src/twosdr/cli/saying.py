"""What is printed and where: results on standard output, everything for the person beside it on standard error.

With --json standard output holds JSON and nothing else. All text passes `clean`: column names are untrusted, and a terminal obeys
control characters.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

import json
import shutil
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

WIDTH = 100  # of text that goes to no terminal


def clean(text: str) -> str:
    """The text without control characters but line breaks and tabs; half characters become question marks."""
    kept = "".join(c if c in "\n\t" or not (ord(c) < 32 or 127 <= ord(c) < 160) else "\ufffd" for c in text)
    return kept.encode("utf-8", "replace").decode("utf-8")


def width() -> int:
    """Columns of text: those of the terminal, but no more than can be read in a line."""
    return min(shutil.get_terminal_size((WIDTH, 24)).columns, 120) if sys.stdout.isatty() else WIDTH


def out(text: str = "") -> None:
    """A result, on standard output."""
    print(clean(text))


def note(text: str) -> None:
    """Something for the person, on standard error."""
    print(clean(text), file=sys.stderr)


def put_json(value: Any) -> None:
    """JSON on standard output."""
    print(json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False))


def paragraph(text: str, indent: int = 0) -> str:
    """Wrapped to the width."""
    pad = " " * indent
    return textwrap.fill(clean(text), width(), initial_indent=pad, subsequent_indent=pad, break_on_hyphens=False)


def heading(text: str) -> str:
    """A line that stands out: bold on a terminal that has colours."""
    import os

    plain = not sys.stdout.isatty() or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return clean(text) if plain else f"\x1b[1m{clean(text)}\x1b[0m"


def out_heading(text: str) -> None:
    """A heading on standard output; its escape sequences are ours."""
    print(heading(text))


@contextmanager
def waiting(what: str) -> Iterator[None]:
    """A spinner on standard error while something runs; nothing where that is no terminal."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console
    from rich.markup import escape

    with Console(stderr=True).status(escape(clean(what))):
        yield


class Rows:
    """A progress bar over rows on standard error; nothing where that is no terminal, and gone when it is done."""

    def __init__(self, what: str, total: int | None) -> None:
        self._bar: Any = None
        if not sys.stderr.isatty():
            return
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.completed:,.0f} rows"),
            TimeRemainingColumn(),
        )
        self._bar = Progress(*columns, console=Console(stderr=True), transient=True)
        self._task = self._bar.add_task(clean(what), total=total)

    def __enter__(self) -> Rows:
        if self._bar is not None:
            self._bar.start()
        return self

    def add(self, n: int) -> None:
        """So many rows more are done."""
        if self._bar is not None:
            self._bar.advance(self._task, n)

    def __exit__(self, *trouble: object) -> None:
        if self._bar is not None:
            self._bar.stop()
