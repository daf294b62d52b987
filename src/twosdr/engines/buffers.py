"""The buffers of an epoch: rows minus the centre, in the order of their cells, small enough to stay in the processor's cache."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from threading import local
from typing import TYPE_CHECKING

import numpy as np

from twosdr.engines import kernels
from twosdr.tables import Array

if TYPE_CHECKING:
    from twosdr.engines.memory import Source

LONG = (
    1024  # numbers; NumPy finds the start of each row it subtracts from, so short rows are subtracted several at once
)
_own = local()
KEPT = 2**19  # numbers in a buffer that a thread keeps between epochs; more is given back


class Buffers:
    """Rows minus the centre, the last column the root of their weight: as they come, and in the order of their cells."""

    def __init__(
        self, source: Source, centre: Array, span: tuple[int, int], rows: int, fast: bool, ordered: bool
    ) -> None:
        self.source, self.centre, self.fast, self.ordered = source, centre, fast, ordered
        self.d_x, self.p = len(source.roles.names), len(source.names)
        self.piece, self.other = _scratch(rows, self.p + 1)
        self.piece[:, self.p] = self.other[:, self.p] = 1.0
        self.wide = np.tile(centre[: self.d_x], max(1, LONG // max(1, self.d_x)))
        self.columns, self.matrix = float_columns(source), _plain_matrix(source)
        self.first, self.cell = span[0], _cells(source, *span)

    def fill(self, start: int, stop: int) -> tuple[Array, Array, Array | None]:
        """Rows start..stop in the order of their cells, where each cell begins, and that order (None: as they came, or not asked for)."""
        kept = self.source.counted(start, stop)
        if kept is None and self.columns is not None:
            rows = np.empty((0, self.d_x))
        elif self.matrix is not None:
            rows = self.matrix[start:stop] if kept is None else self.matrix[start:stop][kept]
        else:
            rows = counted(self.source.rows(slice(start, stop)), kept)
        y = counted(self.source.y[start:stop], kept)
        w = None if self.source.weight is None else counted(self.source.weight[start:stop], kept)
        cell = None if self.cell is None else counted(self.cell[start - self.first : stop - self.first], kept)
        m = len(y)
        if self.fast:
            place, cuts = (
                (np.arange(m), np.array([0, m])) if cell is None else kernels.places(cell, self.source.n_cells)
            )
            here, order = self._fused(rows, y, start, place), None
            if cell is not None and (self.ordered or w is not None):
                order = np.empty(m, dtype=np.int64)
                order[place] = np.arange(m)
        else:
            here, order, cuts = self._subtracted(rows, y, start, m), None, np.array([0, m])
            if cell is not None:
                order = np.argsort(cell, kind="stable")
                cuts = np.searchsorted(cell[order], np.arange(self.source.n_cells + 1))
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

    def _fused(self, rows: Array, y: Array, start: int, place: Array) -> Array:
        if self.columns is not None and not len(rows):
            kernels.columns_to(self.columns, start, place, self.centre[: self.d_x], self.piece)
        else:
            kernels.rows_to(rows, place, self.centre[: self.d_x], self.piece)
        for j in range(y.shape[1]):
            kernels.columns_to([y[:, j]], 0, place, self.centre[self.d_x + j :], self.piece[:, self.d_x + j :])
        return self.piece[: len(place)]


def _scratch(rows: int, width: int) -> tuple[Array, Array]:
    """Two buffers of this thread's own, kept for its next epoch: fresh memory costs more than what is done in it."""
    kept: tuple[Array, Array] | None = getattr(_own, "buffers", None)
    if kept is None or kept[0].size < rows * width:
        kept = np.empty(rows * width), np.empty(rows * width)
        if rows * width <= KEPT:
            _own.buffers = kept
    return kept[0][: rows * width].reshape(rows, width), kept[1][: rows * width].reshape(rows, width)


def float_columns(source: Source) -> list[Array] | None:
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
    if not len(centre):  # every column is a category, and those are counted elsewhere
        return
    several, rest = divmod(len(rows), len(wide) // len(centre))
    if len(wide) == len(centre) or not several or not rows.flags.c_contiguous:
        np.subtract(rows, centre, out=out)
        return
    head = len(rows) - rest
    plain = scratch.reshape(-1)[: rows.size].reshape(rows.shape)
    np.subtract(rows[:head].reshape(several, -1), wide, out=plain[:head].reshape(several, -1))
    np.subtract(rows[head:], centre, out=plain[head:])
    out[:] = plain


def _plain_matrix(source: Source) -> Array | None:
    """The table as one array that is encoded as it stands, or None."""
    table, roles = source.table, source.roles
    plain = table.numeric() and roles.handle_missing == "error" and table.names == tuple(f.name for f in roles.fields)
    return table.matrix if plain else None


def _cells(source: Source, start: int, stop: int) -> Array | None:
    """The cell of every row; None where all are in one."""
    if source.n_cells == 1 or source.cell_of is None:
        return None
    # Bytes sort by counting, which is several times faster.
    return source.cell_of(start, stop).astype(np.uint8 if source.n_cells <= 256 else np.int64)


def counted(values: Array, kept: Array | None) -> Array:
    """The rows that count: those `kept`, with a weight above zero."""
    return values if kept is None else values[kept]
