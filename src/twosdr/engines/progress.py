"""A bar with rows, rate and time left, where it is asked for and a terminal shows it."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

import sys
import time
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
        TextColumn("{task.completed:,.0f} rows{task.fields[rate]}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        task = shown.add_task(what, total=total, rate="")
        begun, done = time.monotonic(), 0

        def advance(n: int) -> None:
            nonlocal done
            done += n
            rate = done / max(time.monotonic() - begun, 1e-9)
            shown.update(task, advance=n, rate=f", {rate:,.0f} rows/s")

        yield advance
