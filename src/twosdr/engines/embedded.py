"""The engine of one machine: files, parts and batches in order, our own worker threads, bounded memory.

A part whose first row's number is known (a Parquet row group) is read and summed by one worker. Anything else is read by
the calling thread and summed by the workers. Either way pieces are cut at the same rows and their sums added in the same
order (pieces to parts, parts to files, files to all), so that neither threads nor an interruption change a byte.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from twosdr.engines import kernels
from twosdr.engines.memory import EPOCH_ROWS
from twosdr.engines.plan import located
from twosdr.engines.sources import File, Part, Rows, shown
from twosdr.engines.tasks import Ordered, Task
from twosdr.engines.workers import in_order, one_blas_thread


@dataclass(frozen=True, eq=False)
class Piece:
    """Rows in memory, or a part still to be read, with the file and part that they are of."""

    file: int
    part: int
    start: int
    rows: Any  # an Arrow table, or None: the part is read by the worker
    seen: int = 0  # rows of the file before these


@dataclass(frozen=True, eq=False)
class Done:
    """The value of a piece, and how many rows it had."""

    piece: Piece
    value: Any
    n_rows: int


def each(
    source: Rows,
    task: Task,
    *,
    n_jobs: int = 1,
    start: int = 0,
    skip: dict[int, int] | None = None,
    whole_parts: bool = True,
) -> Iterator[Done]:
    """The values of all pieces, in order. `skip` holds files that are done already, with their numbers of rows.

    With `whole_parts` a worker adds up a part; without it every batch comes out by itself.
    """
    skip = skip or {}
    width, total = len(task.columns), source.n_rows
    apart = whole_parts and n_jobs > 1 and total is not None and sum(len(file.parts) for file in source.files) >= n_jobs

    def fast(first: int) -> bool:
        # Where the number of rows is not known, the compiled loops come in when so many have been read that they repay.
        return kernels.wanted((total if total is not None else first) * width)

    def work(piece: Piece) -> Done:
        file = source.files[piece.file]
        if piece.rows is not None:
            return _one(task, piece, file, piece.rows, piece.start, piece.seen, fast(piece.start))
        sums, n = Ordered(), 0
        for rows in cut(file.parts[piece.part].batches(task.columns)):
            done = _one(task, piece, file, rows, piece.start + n, piece.seen + n, fast(piece.start))
            sums.add(done.value)
            n += done.n_rows
        return Done(piece, sums.value, n)

    pieces = _apart(source.files, start, skip) if apart else _one_by_one(source.files, task, start, skip)
    with one_blas_thread():
        yield from in_order(work, pieces, n_jobs)


def _one(task: Task, piece: Piece, file: File, rows: Any, start: int, seen: int, fast: bool) -> Done:
    with located(f"{shown(file.name)}, rows {seen} to {seen + rows.num_rows - 1}"), one_blas_thread():
        return Done(piece, task(rows, start, fast), rows.num_rows)


def _apart(files: Any, start: int, skip: dict[int, int]) -> Iterator[Piece]:
    for f, file in enumerate(files):
        if f in skip:
            start += skip[f]
            continue
        seen = 0
        for k, part in enumerate(file.parts):
            yield Piece(f, k, start + seen, None, seen)
            seen += part.rows or 0
        start += seen


def _one_by_one(files: Any, task: Task, start: int, skip: dict[int, int]) -> Iterator[Piece]:
    for f, file in enumerate(files):
        if f in skip:
            start += skip[f]
            continue
        seen = 0
        for k, part in enumerate(file.parts):
            for rows in cut(part.batches(task.columns)):
                yield Piece(f, k, start + seen, rows, seen)
                seen += rows.num_rows
        start += seen


def cut(batches: Iterator[Any], size: int | None = None) -> Iterator[Any]:
    """Arrow tables of exactly `size` rows (the last one fewer), whatever the batches' own lengths are."""
    import pyarrow as pa

    size = size or EPOCH_ROWS
    held: list[Any] = []
    n = 0
    for batch in batches:
        whole = pa.Table.from_batches([batch]) if isinstance(batch, pa.RecordBatch) else batch
        while whole.num_rows:
            taken = whole.slice(0, size - n)
            whole = whole.slice(taken.num_rows)
            held.append(taken)
            n += taken.num_rows
            if n == size:
                yield _joined(held)
                held, n = [], 0
    if held:
        yield _joined(held)


def _joined(held: list[Any]) -> Any:
    import pyarrow as pa

    return held[0] if len(held) == 1 else pa.concat_tables(held, promote_options="permissive")


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
        if done.piece.file != place[0]:
            close_files(done.piece.file)
        elif done.piece.part != place[1]:
            close_part()
        place = (done.piece.file, done.piece.part)
        if done.value is not None:
            part.add(done.value)
        rows_of_file += done.n_rows
        n_rows += done.n_rows
        if advance is not None:
            advance(done.n_rows)
    close_files(len(source.files))
    return total.value, n_rows + sum(skip.values())


__all__ = ["Part", "cut", "each", "run"]
