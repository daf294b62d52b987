"""The engine of one machine: files, parts and pieces in order, our own worker threads, bounded memory.

The calling thread reads (Arrow's threads decode the columns of a Parquet file side by side: one reader's pages in memory, not
one for each worker) and the workers sum. Pieces are cut at the same rows and their sums added in the same order (pieces to
parts, parts to files, files to all), whatever the number of threads and wherever an interrupted fit goes on: not a byte changes.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from twosdr.engines import kernels
from twosdr.engines.plan import located
from twosdr.engines.sources import File, Rows, piece_rows, shown
from twosdr.engines.tasks import Ordered, Task
from twosdr.engines.workers import in_order, one_blas_thread


@dataclass(frozen=True, eq=False)
class Piece:
    """Rows in memory, with the file and part that they are of, the number of the first, and that within the file."""

    file: int
    part: int
    start: int
    seen: int
    rows: Any


@dataclass(frozen=True, eq=False)
class Done:
    """The value of a piece, and how many rows it had."""

    file: int
    part: int
    value: Any
    n_rows: int


def each(
    source: Rows, task: Task, *, n_jobs: int = 1, start: int = 0, skip: dict[int, int] | None = None
) -> Iterator[Done]:
    """The values of all pieces, in order. `skip` holds files that are done already, with their numbers of rows."""
    width, total = len(task.columns), source.n_rows

    def work(piece: Piece) -> Done:
        n = piece.rows.num_rows
        # Where the number of rows is not known, the compiled loops come in when so many have been read that they repay.
        fast = kernels.wanted((piece.start if total is None else total) * width)
        where = f"{shown(source.files[piece.file].name)}, rows {piece.seen} to {piece.seen + n - 1}"
        with located(where), one_blas_thread():
            return Done(piece.file, piece.part, task(piece.rows, piece.start, fast), n)

    with one_blas_thread():
        yield from in_order(work, _pieces(source.files, task, n_jobs > 1, start, skip or {}), n_jobs)


def _pieces(files: Sequence[File], task: Task, abreast: bool, start: int, skip: dict[int, int]) -> Iterator[Piece]:
    for f, file in enumerate(files):
        if f in skip:
            start += skip[f]
            continue
        seen = 0
        for k, part in enumerate(file.parts):
            batches = part.abreast if abreast and part.abreast is not None else part.batches
            for rows in cut(batches(task.columns), piece_rows(len(task.columns))):
                yield Piece(f, k, start + seen, seen, rows)
                seen += rows.num_rows
        start += seen


def cut(batches: Iterator[Any], size: int) -> Iterator[Any]:
    """Arrow tables of exactly `size` rows (the last one fewer), whatever the batches' own lengths are."""
    import pyarrow as pa

    held: list[Any] = []
    n = 0
    for batch in batches:
        whole = pa.Table.from_batches([batch]) if isinstance(batch, pa.RecordBatch) else batch
        while whole.num_rows:
            held.append(whole.slice(0, size - n))
            n += held[-1].num_rows
            whole = whole.slice(held[-1].num_rows)
            if n == size:
                done, held, n = _joined(held), [], 0
                yield done
    if held:
        yield _joined(held)


def _joined(held: list[Any]) -> Any:
    import pyarrow as pa

    # One piece of memory for each column: columns in several pieces are looked up the slow way.
    return held[0] if len(held) == 1 else pa.concat_tables(held, promote_options="permissive").combine_chunks()


def run(
    source: Rows,
    task: Task,
    *,
    n_jobs: int = 1,
    start: int = 0,
    advance: Callable[[int], None] | None = None,
    state: Any = None,
) -> tuple[Any, int]:
    """All values added up, and the number of rows; None where there is no row. A `state` keeps the values of finished files."""
    kept = {} if state is None else state.finished(source.files)
    skip = {f: n for f, (_, n) in kept.items()}
    total, n_rows = Ordered(), 0
    file, part = Ordered(), Ordered()
    rows_of_file, place = 0, (0, 0)

    def close_part() -> None:
        nonlocal part
        if part.value is not None:
            file.add(part.value)
        part = Ordered()

    def close_files(until: int) -> None:
        """Everything before file `until` is complete."""
        nonlocal file, rows_of_file
        close_part()
        for f in range(place[0], until):
            if f in kept:
                total.add(kept[f][0])
            elif f == place[0] and file.value is not None:
                if state is not None:
                    state.keep(source.files[f], file.value, rows_of_file)
                total.add(file.value)
        file, rows_of_file = Ordered(), 0

    for done in each(source, task, n_jobs=n_jobs, start=start, skip=skip):
        if done.file != place[0]:
            close_files(done.file)
        elif done.part != place[1]:
            close_part()
        place = (done.file, done.part)
        if done.value is not None:
            part.add(done.value)
        rows_of_file += done.n_rows
        n_rows += done.n_rows
        if advance is not None:
            advance(done.n_rows)
    close_files(len(source.files))
    return total.value, n_rows + sum(skip.values())
