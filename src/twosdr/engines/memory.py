"""Rows in memory -> Moments: one pass, small buffers, worker threads of our own.

The table is cut into epochs of a fixed number of rows. An epoch centres its rows on a median of a few of
them (|mean - median| is at most one deviation, so no digits cancel), sums products fold by fold in a
buffer that stays in the processor's cache, and is merged in epoch order: the bytes do not depend on the
number of threads. Peak memory has no term in the number of rows.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from typing import TypeVar

import numpy as np
import scipy.sparse as sp
from threadpoolctl import ThreadpoolController

from twosdr.moments import Cells, Moments
from twosdr.roles import Roles
from twosdr.tables import Array, Table

Task = TypeVar("Task")
Done = TypeVar("Done")

EPOCH_ROWS = 65_536
BUFFER_BYTES = 2**20  # small enough to stay in the second-level cache between reading and multiplying
SYRK_ROWS = 512  # rows of a fold at a time from which adding the product costs little beside making it
LONG = (
    1024  # numbers; NumPy finds the start of each row it subtracts from, so short rows are subtracted several at once
)
PIECE_BYTES = 2**22  # rows at a time for the QR
SAMPLE = 65  # odd, so that the median is a value that occurs and a constant column is exactly constant
DENSE_SHARE = 0.5  # a sparse column with more stored entries than this is treated as the dense column it is


@dataclass(frozen=True, eq=False)
class Source:
    """A table with its roles, target columns, weights, and the cell (fold or group) of each row.

    `cell_of(start, stop)` gives the cells of rows start..stop as small integers below `n_cells`.
    """

    table: Table
    roles: Roles
    y: Array
    y_names: tuple[str, ...]
    weight: Array | None = None
    cell_of: Callable[[int, int], Array] | None = None
    n_cells: int = 1

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the moment columns: the encoded table, then the target."""
        taken, found = set(self.roles.names), []
        for name in self.y_names:
            while name in taken:
                name = f"target {name}"
            taken.add(name)
            found.append(name)
        return (*self.roles.names, *found)

    @property
    def blocks(self) -> tuple[str, ...]:
        """The role letter of every moment column."""
        return (*self.roles.blocks, *("y" for _ in self.y_names))

    def rows(self, rows: slice | Array) -> Array:
        """Encoded rows without the target."""
        return self.roles.encode(self.table, rows)


def moments(source: Source, *, n_jobs: int = 1, epoch_rows: int = EPOCH_ROWS) -> Moments:
    """The moments of all rows, cell by cell; rows of weight zero are not there."""
    if source.table.sparse is not None:
        return _sparse_moments(source)
    epochs = [(a, min(a + epoch_rows, source.table.n_rows)) for a in range(0, source.table.n_rows, epoch_rows)]
    cells: Cells | None = None
    # What is not finite shows in the sums, and is named by whoever asked; NumPy's own warnings would come first.
    with _blas().limit(limits=1, user_api="blas"), np.errstate(all="ignore"):
        for centre, sums, counts in _in_order(lambda e: _epoch(source, *e), epochs, n_jobs):
            if cells is None and not counts.any():
                continue
            if cells is None:  # the first rows that count say where the data lie
                cells = Cells(source.names, source.blocks, source.n_cells, centre)
            for k in range(source.n_cells):
                cells.merge_sums(k, centre, sums[k], int(counts[k]))
    if cells is None:
        cells = Cells(source.names, source.blocks, source.n_cells, np.zeros(len(source.names)))
    return cells.freeze()


@cache
def _blas() -> ThreadpoolController:
    # BLAS threads would compete with ours, and would make the bytes depend on their number. Finding the libraries takes
    # milliseconds, so it is done once.
    return ThreadpoolController()


def _in_order(work: Callable[[Task], Done], tasks: list[Task], n_jobs: int) -> Iterator[Done]:
    """Results in task order; no more than n_jobs of them exist at a time."""
    if n_jobs <= 1 or len(tasks) <= 1:
        yield from map(work, tasks)
        return
    with ThreadPoolExecutor(n_jobs) as pool:
        waiting: deque[Future[Done]] = deque()
        for task in tasks:
            waiting.append(pool.submit(work, task))
            if len(waiting) >= n_jobs:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def _epoch(source: Source, start: int, stop: int) -> tuple[Array, Array, Array]:
    """Centre, sums of products about it by cell, shape (K, p + 1, p + 1), and rows by cell."""
    d_x = len(source.roles.names)
    p, K = len(source.names), source.n_cells
    sums, counts = np.zeros((K, p + 1, p + 1)), np.zeros(K, dtype=np.int64)
    centre = _centre(source, start, stop)
    step = max(BUFFER_BYTES // (8 * (p + 1)), K * min(p, SYRK_ROWS), 16)
    piece, other, product = np.empty((step, p + 1)), np.empty((step, p + 1)), np.empty((p + 1, p + 1))
    piece[:, p] = 1.0
    wide = np.tile(centre[:d_x], max(1, LONG // max(1, d_x)))
    for a in range(start, stop, step):
        rows, y, w, cell = _counted(source, a, min(a + step, stop))
        m = len(rows)
        # Centred while it is read in order, so that the gather by cell below finds it in the cache.
        _subtract(rows, centre[:d_x], wide, out=piece[:m, :d_x], scratch=other)
        for j in range(
            y.shape[1]
        ):  # one column at a time: NumPy takes each row of a narrow block for a loop of its own
            np.subtract(y[:, j], centre[d_x + j], out=piece[:m, d_x + j])
        if w is not None:
            piece[:m, p] = 1.0
            piece[:m] *= np.sqrt(w)[:, None]
        here, cuts = piece[:m], np.array([0, m])
        if cell is not None:
            order = np.argsort(cell, kind="stable")
            cuts = np.searchsorted(cell[order], np.arange(K + 1))
            # mode="clip" lets take write straight into the buffer; the indices are ours and in range.
            here = np.take(piece, order, axis=0, out=other[:m], mode="clip")
        for k in range(K):
            part = here[cuts[k] : cuts[k + 1]]
            if len(part):
                counts[k] += len(part)
                sums[k] += np.matmul(part.T, part, out=product)
    return centre, sums, counts


def _subtract(rows: Array, centre: Array, wide: Array, *, out: Array, scratch: Array) -> None:
    """rows - centre into `out`; `wide` is the centre several times over, as long as rows that NumPy subtracts fast."""
    several, rest = divmod(len(rows), len(wide) // max(1, len(centre)))
    if len(wide) == len(centre) or not several or not rows.flags.c_contiguous:
        np.subtract(rows, centre, out=out)
        return
    head = len(rows) - rest
    plain = scratch.reshape(-1)[: rows.size].reshape(rows.shape)
    np.subtract(rows[:head].reshape(several, -1), wide, out=plain[:head].reshape(several, -1))
    np.subtract(rows[head:], centre, out=plain[head:])
    out[:] = plain


def _counted(source: Source, start: int, stop: int) -> tuple[Array, Array, Array | None, Array | None]:
    """Encoded rows, targets, weights and cells of the rows that count: those with a weight above zero."""
    rows, y = source.rows(slice(start, stop)), source.y[start:stop]
    w = None if source.weight is None else source.weight[start:stop]
    cell = None
    if source.n_cells > 1 and source.cell_of is not None:
        # Bytes sort by counting, which is several times faster.
        cell = source.cell_of(start, stop).astype(np.uint8 if source.n_cells <= 256 else np.int64)
    if w is None or (w > 0).all():
        return rows, y, w, cell
    counted = w > 0
    return rows[counted], y[counted], w[counted], None if cell is None else cell[counted]


def _centre(source: Source, start: int, stop: int) -> Array:
    """The median of a few rows spread over the epoch, by column; rows of weight zero have no say."""
    here = np.arange(start, stop)
    if source.weight is not None:
        here = here[source.weight[start:stop] > 0]
    if not len(here):
        return np.zeros(len(source.names))
    some = here[np.linspace(0, len(here) - 1, min(SAMPLE, len(here) - 1 + len(here) % 2)).astype(int)]
    block = np.column_stack([source.rows(some).astype(np.float64), source.y[some]])
    centre = np.median(block, axis=0)
    return np.where(np.isfinite(centre), centre, 0.0)  # the sums will show what is not finite


def _sparse_moments(source: Source) -> Moments:
    """Moments of a sparse table: products of the sparse block as it is, means corrected afterwards."""
    table, n = source.table, source.table.n_rows
    stored = dict(
        zip(
            table.sparse_names,
            np.bincount(table.sparse.indices, minlength=table.sparse.shape[1]),
            strict=True,
        )
    )
    # A column that is mostly stored, or that stage 1 regresses on, is dense: it can be centred before it is squared.
    thin = [f for f in source.roles.fields if f.role == "x" and stored.get(f.name, n) <= DENSE_SHARE * n]
    thick = Roles(tuple(f for f in source.roles.fields if f not in thin), handle_unknown=source.roles.handle_unknown)
    place = {name: j for j, name in enumerate(source.names)}
    thin_at = [place[f.name] for f in thin]
    thick_at = [place[name] for name in (*thick.names, *source.names[len(source.roles.names) :])]
    dense = np.column_stack([thick.encode(table, slice(0, n)), source.y])
    sparse = sp.csr_array(table.sparse[:, [table.names.index(f.name) for f in thin]], dtype=np.float64)
    w = np.ones(n) if source.weight is None else source.weight
    cell = np.zeros(n, dtype=int) if source.cell_of is None else source.cell_of(0, n).astype(int)
    shift = np.zeros(len(source.names))
    some = np.flatnonzero(w > 0)[:SAMPLE]
    shift[thick_at] = np.median(dense[some[: len(some) - 1 + len(some) % 2]], axis=0)
    shift = np.where(np.isfinite(shift), shift, 0.0)
    cells = Cells(source.names, source.blocks, source.n_cells, shift)
    at = np.array([*thin_at, *thick_at, len(source.names)])
    for k in range(source.n_cells):
        here = np.flatnonzero((cell == k) & (w > 0))
        root = np.sqrt(w[here])[:, None]
        thin_rows = sparse[here].multiply(root).tocsr()
        thick_rows = np.column_stack([dense[here] - shift[thick_at], np.ones(len(here))]) * root
        cross = thin_rows.T @ thick_rows
        sums = np.empty((len(at), len(at)))
        sums[np.ix_(at, at)] = np.block(
            [[(thin_rows.T @ thin_rows).toarray(), cross], [cross.T, thick_rows.T @ thick_rows]]
        )
        cells.merge_sums(k, shift, sums, len(here))
    return cells.freeze()


def triangle(source: Source, gathered: Moments) -> Array:
    """R with R'R = scatter of all rows about their mean, by blockwise QR: twice the digits of the moments.

    The state is one p x p triangle. Used where the moments say that their own digits do not suffice.
    """
    whole = gathered.total()
    p = len(whole.names)
    state = np.zeros((0, p))
    step = max(2 * p, PIECE_BYTES // (8 * p))
    for a in range(0, source.table.n_rows, step):
        b = min(a + step, source.table.n_rows)
        rows, y, w, _ = _counted(source, a, b)
        # Shift first, then the rest of the mean: the first difference is exact, and keeps the digits of the second.
        block = (np.column_stack([rows, y]) - whole.shift) - whole.delta[0]
        if w is not None:
            block *= np.sqrt(w)[:, None]
        state = np.asarray(np.linalg.qr(np.vstack([state, block]), mode="r"))
    return state
