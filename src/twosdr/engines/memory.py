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

import numpy as np

from twosdr.engines import crosstabs, kernels, sparse
from twosdr.engines.buffers import Buffers, counted, float_columns
from twosdr.engines.workers import in_order, one_blas_thread
from twosdr.moments import Cells, Moments
from twosdr.roles import Roles
from twosdr.tables import Array, Table

EPOCH_ROWS = 65_536
BUFFER_BYTES = 2**21  # small enough to stay in the second-level cache between reading and multiplying
SYRK_ROWS = 512  # rows of a fold at a time from which adding the product costs little beside making it
PIECE_BYTES = 2**22  # rows at a time for the QR
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
    buffers = Buffers(source, centre, (start, stop), min(step, stop - start), fast, beside is not None)
    product = np.empty((p + 1, p + 1))
    for a in range(start, stop, step):
        here, cuts, order = buffers.fill(a, min(a + step, stop))
        if beside is not None and codes is not None:
            cell = np.repeat(np.arange(K), np.diff(cuts))
            own = codes[a - start : a - start + len(here)] if order is None else codes[a - start + order]
            beside.add(own, here, cell)
        for k in range(K):
            part = here[cuts[k] : cuts[k + 1]]
            if len(part):
                counts[k] += len(part)
                sums[k] += np.matmul(part.T, part, out=product)
    return centre, sums, counts


def _centre(source: Source, start: int, stop: int) -> Array:
    """The median of a few rows spread over the epoch, by column; rows of weight zero have no say."""
    here = np.arange(start, stop)
    if source.weight is not None:
        here = here[source.weight[start:stop] > 0]
    if not len(here):
        return np.zeros(len(source.names))
    some = here[np.linspace(0, len(here) - 1, min(SAMPLE, len(here) - 1 + len(here) % 2)).astype(int)]
    columns = float_columns(source)
    rows = source.rows(some).astype(np.float64) if not columns else np.column_stack([c[some] for c in columns])
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
        kept = source.counted(a, b)
        rows, y = counted(source.rows(slice(a, b)), kept), counted(source.y[a:b], kept)
        w = None if source.weight is None else counted(source.weight[a:b], kept)
        # Shift first, then the rest of the mean: the first difference is exact, and keeps the digits of the second.
        block = (np.column_stack([rows, y]) - whole.shift) - whole.delta[0]
        if w is not None:
            block *= np.sqrt(w)[:, None]
        state = np.asarray(np.linalg.qr(np.vstack([state, block]), mode="r"))
    return state
