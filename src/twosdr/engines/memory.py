"""Rows in memory -> Moments: one pass, small buffers, worker threads of our own.

The table is cut into epochs of a fixed number of rows. An epoch centres its rows on a median of a few of
them (|mean - median| is at most one deviation, so no digits cancel), sums products fold by fold in a
buffer that stays in the processor's cache, and is merged in epoch order: the bytes do not depend on the
number of threads. Peak memory has no term in the number of rows.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from threading import local

import numpy as np

from twosdr.engines import crosstabs, kernels, sparse
from twosdr.engines.workers import in_order, one_blas_thread
from twosdr.moments import Cells, Moments
from twosdr.roles import Roles
from twosdr.tables import Array, Table

EPOCH_ROWS = 65_536
BUFFER_BYTES = 2**20  # small enough to stay in the second-level cache between reading and multiplying
SYRK_ROWS = 512  # rows of a fold at a time from which adding the product costs little beside making it
LONG = (
    1024  # numbers; NumPy finds the start of each row it subtracts from, so short rows are subtracted several at once
)
PIECE_BYTES = 2**22  # rows at a time for the QR
_own = local()
KEPT = 2**19  # numbers in a buffer that a thread keeps between epochs; more is given back
SAMPLE = 65  # odd, so that the median is a value that occurs and a constant column is exactly constant


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

    @cached_property
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

    def counted(self, start: int, stop: int) -> Array | None:
        """Positions, from start, of the rows with a weight above zero; None where that is all of them."""
        if self.weight is None or (self.weight[start:stop] > 0).all():
            return None
        return np.flatnonzero(self.weight[start:stop] > 0)

    def triangle(self, gathered: Moments) -> Array:
        """R with R'R = scatter of all rows about their mean, from a second pass over them."""
        return triangle(self, gathered)


def moments(source: Source, *, n_jobs: int = 1, epoch_rows: int = EPOCH_ROWS) -> Moments:
    """The moments of all rows, cell by cell; rows of weight zero are not there."""
    if source.table.sparse is not None:
        return sparse.moments(source, SAMPLE)
    n = source.table.n_rows
    fast = kernels.wanted(n * len(source.names))
    epochs = [(a, min(a + epoch_rows, n)) for a in range(0, n, epoch_rows)]
    sums = Sums(source.names, source.blocks, source.n_cells)
    with one_blas_thread():
        for found in in_order(lambda e: epoch(source, *e, fast=fast), epochs, n_jobs):
            sums.add(*found)
    return sums.freeze()


class Sums:
    """Epochs merged in their order."""

    def __init__(self, names: tuple[str, ...], blocks: tuple[str, ...], n_cells: int) -> None:
        self.names, self.blocks, self.n_cells = names, blocks, n_cells
        self.cells: Cells | None = None

    def add(self, centre: Array, sums: Array, counts: Array) -> None:
        """One epoch's sums, as `epoch` returns them."""
        if self.cells is None and not counts.any():
            return
        if self.cells is None:  # the first rows that count say where the data lie
            self.cells = Cells(self.names, self.blocks, self.n_cells, centre)
        for k in range(self.n_cells):
            self.cells.merge_sums(k, centre, sums[k], int(counts[k]))

    def freeze(self) -> Moments:
        """The moments of all that was added."""
        none = Cells(self.names, self.blocks, self.n_cells, np.zeros(len(self.names)))
        return (none if self.cells is None else self.cells).freeze()


def epoch(source: Source, start: int, stop: int, *, fast: bool = False) -> tuple[Array, Array, Array]:
    """Centre, sums of products about it by cell, shape (K, p + 1, p + 1), and rows by cell."""
    plain, tabs = crosstabs.divide(source)
    if tabs is None:
        return _epoch(source, start, stop, fast, None, None)
    codes = tabs.codes(source, slice(start, stop))
    if codes is None:  # a value that counts as an average has no code
        return _epoch(source, start, stop, fast, None, None)
    beside = crosstabs.Sums(tabs, source.n_cells, len(plain.names) + 1, fast)
    centre, sums, counts = _epoch(plain, start, stop, fast, beside, codes)
    return *beside.join(centre, sums), counts


def _epoch(
    source: Source, start: int, stop: int, fast: bool, beside: crosstabs.Sums | None, codes: Array | None
) -> tuple[Array, Array, Array]:
    p, K = len(source.names), source.n_cells
    sums, counts = np.zeros((K, p + 1, p + 1)), np.zeros(K, dtype=np.int64)
    centre = _centre(source, start, stop)
    step = max(BUFFER_BYTES // (8 * (p + 1)), K * min(p, SYRK_ROWS), 16)
    buffers = _Buffers(source, centre, min(step, stop - start), fast)
    product = np.empty((p + 1, p + 1))
    for a in range(start, stop, step):
        here, cuts, order = buffers.fill(a, min(a + step, stop))
        if beside is not None and codes is not None:
            cell = np.repeat(np.arange(K), np.diff(cuts))
            beside.add(codes[a - start + (np.arange(len(here)) if order is None else order)], here, cell)
        for k in range(K):
            part = here[cuts[k] : cuts[k + 1]]
            if len(part):
                counts[k] += len(part)
                sums[k] += np.matmul(part.T, part, out=product)
    return centre, sums, counts


class _Buffers:
    """Rows minus the centre, the last column the root of their weight: as they come, and in the order of their cells."""

    def __init__(self, source: Source, centre: Array, rows: int, fast: bool) -> None:
        self.source, self.centre, self.fast = source, centre, fast
        self.d_x, self.p = len(source.roles.names), len(source.names)
        self.piece, self.other = _scratch(rows, self.p + 1)
        self.piece[:, self.p] = self.other[:, self.p] = 1.0
        self.wide = np.tile(centre[: self.d_x], max(1, LONG // max(1, self.d_x)))
        self.columns = _float_columns(source)

    def fill(self, start: int, stop: int) -> tuple[Array, Array, Array | None]:
        """Rows start..stop in the order of their cells, where each cell begins, and that order (None: as they came)."""
        kept = self.source.counted(start, stop)
        whole = kept is None and self.columns is not None
        rows, y, w, cell = _counted(self.source, start, stop, kept, encode=not whole)
        m = len(y)
        order, cuts = None, np.array([0, m])
        if cell is not None:
            order = np.argsort(cell, kind="stable")
            cuts = np.searchsorted(cell[order], np.arange(self.source.n_cells + 1))
        if self.fast:
            here = self._fused(rows, y, start, order, m)
        else:
            here = self._subtracted(rows, y, start, m)
        if w is not None:
            here[:, self.p] = 1.0
            here *= np.sqrt(w if order is None or not self.fast else w[order])[:, None]
        if order is not None and not self.fast:
            # mode="clip" lets take write straight into the buffer; the indices are ours and in range.
            here = np.take(self.piece, order, axis=0, out=self.other[:m], mode="clip")
        if kept is not None:
            order = kept if order is None else kept[order]
        return here, cuts, order

    def _subtracted(self, rows: Array, y: Array, start: int, m: int) -> Array:
        # Centred while it is read in order, so that the gather by cell finds it in the cache.
        if self.columns is not None and not len(rows):
            for j, column in enumerate(self.columns):
                np.subtract(column[start : start + m], self.centre[j], out=self.piece[:m, j])
        else:
            _subtract(rows, self.centre[: self.d_x], self.wide, out=self.piece[:m, : self.d_x], scratch=self.other)
        for j in range(
            y.shape[1]
        ):  # one column at a time: NumPy takes each row of a narrow block for a loop of its own
            np.subtract(y[:, j], self.centre[self.d_x + j], out=self.piece[:m, self.d_x + j])
        return self.piece[:m]

    def _fused(self, rows: Array, y: Array, start: int, order: Array | None, m: int) -> Array:
        place = np.arange(m) if order is None else kernels.place_of(order)
        if self.columns is not None and not len(rows):
            kernels.columns_to(self.columns, start, place, self.centre[: self.d_x], self.piece)
        else:
            kernels.rows_to(rows, place, self.centre[: self.d_x], self.piece)
        for j in range(y.shape[1]):
            kernels.columns_to([y[:, j]], 0, place, self.centre[self.d_x + j :], self.piece[:, self.d_x + j :])
        return self.piece[:m]


def _scratch(rows: int, width: int) -> tuple[Array, Array]:
    """Two buffers of this thread's own, kept for its next epoch: fresh memory costs more than what is done in it."""
    kept: tuple[Array, Array] | None = getattr(_own, "buffers", None)
    if kept is None or kept[0].size < rows * width:
        kept = np.empty(rows * width), np.empty(rows * width)
        if rows * width <= KEPT:
            _own.buffers = kept
    return kept[0][: rows * width].reshape(rows, width), kept[1][: rows * width].reshape(rows, width)


def _float_columns(source: Source) -> list[Array] | None:
    """The table's columns where each is a plain float64 array that is encoded as it stands; None where one is not."""
    roles = source.roles
    if (
        source.table.matrix is not None
        or roles.handle_missing != "error"
        or any(f.levels is not None for f in roles.fields)
    ):
        return None
    if not all(f.name in source.table.names for f in roles.fields):
        return None
    found = [source.table.column(f.name) for f in roles.fields]
    plain = all(c.levels is None and c.values.dtype == np.float64 for c in found)
    return [c.values for c in found] if plain else None


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


def _counted(
    source: Source, start: int, stop: int, kept: Array | None, *, encode: bool = True
) -> tuple[Array, Array, Array | None, Array | None]:
    """Encoded rows, targets, weights and cells of the rows that count: those `kept`, with a weight above zero."""
    rows = source.rows(slice(start, stop)) if encode else np.empty((0, len(source.roles.names)))
    y, w = source.y[start:stop], None if source.weight is None else source.weight[start:stop]
    cell = None
    if source.n_cells > 1 and source.cell_of is not None:
        # Bytes sort by counting, which is several times faster.
        cell = source.cell_of(start, stop).astype(np.uint8 if source.n_cells <= 256 else np.int64)
    if kept is None:
        return rows, y, w, cell
    return rows[kept], y[kept], None if w is None else w[kept], None if cell is None else cell[kept]


def _centre(source: Source, start: int, stop: int) -> Array:
    """The median of a few rows spread over the epoch, by column; rows of weight zero have no say."""
    here = np.arange(start, stop)
    if source.weight is not None:
        here = here[source.weight[start:stop] > 0]
    if not len(here):
        return np.zeros(len(source.names))
    some = here[np.linspace(0, len(here) - 1, min(SAMPLE, len(here) - 1 + len(here) % 2)).astype(int)]
    columns = _float_columns(source)
    rows = source.rows(some).astype(np.float64) if columns is None else np.column_stack([c[some] for c in columns])
    block = np.column_stack([rows, source.y[some]])
    centre = np.median(block, axis=0)
    return np.where(np.isfinite(centre), centre, 0.0)  # the sums will show what is not finite


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
        rows, y, w, _ = _counted(source, a, b, source.counted(a, b))
        # Shift first, then the rest of the mean: the first difference is exact, and keeps the digits of the second.
        block = (np.column_stack([rows, y]) - whole.shift) - whole.delta[0]
        if w is not None:
            block *= np.sqrt(w)[:, None]
        state = np.asarray(np.linalg.qr(np.vstack([state, block]), mode="r"))
    return state
