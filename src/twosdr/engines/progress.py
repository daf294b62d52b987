"""A bar with rows, rate and time left, where it is asked for and a terminal shows it."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def bar(what: str, total: int | None, asked: bool) -> Iterator[Callable[[int], None]]:
    """A function to call with the number of rows that are done; it does nothing where nobody looks."""
    if not asked or not sys.stderr.isatty():
        yield lambda n: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed:,.0f} rows, {task.speed:,.0f} rows/s"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        task = shown.add_task(what, total=total)
        shown.update(task, completed=0)
        yield lambda n: shown.advance(task, n)
