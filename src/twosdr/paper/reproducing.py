"""`reproduce`: choose, see that the outputs can be written, run, show each result as it comes, write it, and survive an interruption."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from twosdr.errors import ParameterError, quoted
from twosdr.paper import showing
from twosdr.paper.beyond.contents import ENTRIES as BEYOND
from twosdr.paper.contents import ENTRIES, chosen
from twosdr.paper.page import Run, render
from twosdr.paper.results import Result, put
from twosdr.paper.running import results

OUT = "twosdr-paper"
PIPED = 100  # columns, where nobody says how many there are


def reproduce(
    only: Sequence[str] | None = None,
    quick: bool = False,
    jobs: int = 1,
    beyond: bool = False,
    json: bool = False,
    html: str | os.PathLike[str] | None = None,
    out: str | os.PathLike[str] = OUT,
    *,
    seed: int = 0,
) -> tuple[Result, ...]:
    """Run the paper's tables and figures beside the paper's numbers, and show them.

    Parameters
    ----------
    only : ids of tables and figures ("T3", "F2"), or None for all
    quick : few splits, for a look in less than a minute
    jobs : processes; the numbers do not depend on it
    beyond : the goals that the paper leaves open, with their bars, in the place of the paper's tables
    json : print one JSON object for each cell in the place of tables
    html : a file for the whole as one page
    out : a folder for every finished result: numbers as JSON, figures as SVG and PNG
    seed : of every random split and tie

    Returns
    -------
    The results, also when an interruption left some undone: those are in `out` and on the page, and the interruption goes on.
    """
    from rich.console import Console

    entries = chosen(only, BEYOND if beyond else ENTRIES)
    if isinstance(jobs, bool) or not isinstance(jobs, int) or jobs < 1:
        raise ParameterError(f"jobs must be a whole number from 1 up. Got {jobs!r} instead.")
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise ParameterError(f"seed must be a whole number from 0 up. Got {seed!r} instead.")
    folder, page = _writable_folder(Path(out)), None if html is None else _writable_file(Path(html))
    console, began = Console(), time.monotonic()
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = PIPED
    found: list[Result] = []
    ids = [entry.id for entry in entries]
    progress = _Progress()
    try:
        with _terminated_as_interrupted():
            for result in results(entries, seed=seed, quick=quick, jobs=jobs, say=progress):
                found.append(result)
                with progress.aside():
                    result.write(folder, seed=seed, quick=quick)
                    if json:
                        sys.stdout.writelines(f"{line}\n" for line in showing.lines(result))
                        sys.stdout.flush()
                    else:
                        showing.show(result, console)
    finally:  # an interruption too: what is finished is shown
        progress.close()
        run = Run(seed, quick, jobs, time.monotonic() - began, tuple(ids[len(found) :]))
        if page is not None:
            put(page, render(found, run).encode())
        if not json:
            _conclude(console, found, run, folder, page)
    return tuple(found)


@contextmanager
def _terminated_as_interrupted() -> Iterator[None]:
    """Who is told to end (kill, a scheduler) takes the worker processes along, as with Ctrl-C."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _conclude(console: Any, found: Sequence[Result], run: Run, folder: Path, page: Path | None) -> None:
    console.print()
    if any(r.id in showing.COUNTED for r in found):
        console.print(showing.summary(found), highlight=False)
    if run.unfinished:
        console.print(f"Interrupted. Not finished: {', '.join(run.unfinished)}.", highlight=False)
    where = f"{folder}{os.sep}" + (f" and {page}" if page is not None else "")
    console.print(f"{run.seconds:.0f} seconds. Written to {where}", highlight=False, markup=False, soft_wrap=True)


def _writable_folder(folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _try(folder)
    except OSError as error:
        raise ParameterError(
            f"Results cannot be written to {quoted(folder)}: {error.strerror or error}. Name another folder as out."
        ) from None
    return folder


def _writable_file(path: Path) -> Path:
    if path.is_dir():
        raise ParameterError(f"html must be a file, and {quoted(path)} is a folder. Name a file in it.")
    try:
        _try(path.parent)
    except OSError as error:
        raise ParameterError(
            f"The page cannot be written to {quoted(path)}: {error.strerror or error}. Name another file as html."
        ) from None
    return path


def _try(folder: Path) -> None:
    trial = folder / f".twosdr.{os.getpid()}"
    trial.write_bytes(b"")
    trial.unlink()


class _Progress:
    """A bar on stderr where that is a terminal, else a line for each thing that is waited for, and each tenth of the whole."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

        self._console = Console(stderr=True)
        self._said = ""
        columns = (TextColumn("{task.description:>9}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        self._bar = Progress(
            *columns, console=self._console, transient=True, redirect_stdout=False, redirect_stderr=False
        )
        self._task = self._bar.add_task("", total=None)
        if self._console.is_terminal:
            self._bar.start()

    def __call__(self, done: int, of: int, what: str) -> None:
        if self._console.is_terminal:
            self._bar.update(self._task, completed=done, total=of, description=what)
        elif (said := f"{what} {10 * done // max(of, 1)}") != self._said:
            print(f"{what}: {done} of {of} jobs done", file=sys.stderr, flush=True)
            self._said = said

    def aside(self) -> _Progress:
        """While others write to the same terminal."""
        return self

    def __enter__(self) -> None:
        self._bar.stop()

    def __exit__(self, *trouble: object) -> None:
        if self._console.is_terminal:
            self._bar.start()

    def close(self) -> None:
        """For good."""
        self._bar.stop()
