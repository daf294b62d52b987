"""Compiled loops for the pass over the rows: numba's, where it is installed (the `fast` extra).

Gathering rows by cell and subtracting the centre is one loop here instead of three passes over a buffer, and categories
are counted without indicator columns. The sums of plain numbers are the same bytes with and without; those of categories
agree to a few units in the last place. TWOSDR_KERNELS=on, off or auto (the default) decides: auto uses them where numba is
installed and the table is so large that they repay being loaded.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

import importlib.util
import os
from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np

from twosdr.errors import ParameterError
from twosdr.tables import Array

SETTING = "TWOSDR_KERNELS"
REPAY = 20_000_000  # numbers (rows x columns) whose faster pass is worth half a second of loading compiled code
ABREAST = 8  # columns at a time: eight float64 fill a cache line of the buffer that they are written to


def wanted(numbers: int) -> bool:
    """Whether a pass over so many numbers uses the compiled loops."""
    setting = os.environ.get(SETTING, "auto")
    if setting not in ("auto", "on", "off"):
        raise ParameterError(f"{SETTING} must be auto, on or off. Got {setting!r} instead.")
    if setting == "off" or (setting == "auto" and numbers < REPAY):
        return False
    if importlib.util.find_spec("numba") is not None:
        return True
    if setting == "on":
        raise ParameterError(f"{SETTING}=on needs numba: pip install 'twosdr[fast]'.")
    return False


@cache
def _compiled() -> SimpleNamespace:
    from numba import njit

    def fast(loop: Any) -> Any:
        try:
            return njit(nogil=True, cache=True)(loop)
        except RuntimeError:  # no folder to keep compiled code in: it is compiled anew in every process
            return njit(nogil=True)(loop)

    @fast
    def rows_to(rows: Any, place: Any, centre: Any, out: Any) -> None:  # pragma: no cover - compiled
        for i in range(rows.shape[0]):
            k = place[i]
            for j in range(rows.shape[1]):
                out[k, j] = rows[i, j] - centre[j]

    @fast
    def columns_to(columns: Any, start: int, place: Any, centre: Any, out: Any) -> None:  # pragma: no cover - compiled
        for i in range(len(place)):
            k = place[i]
            for j in range(ABREAST):
                out[k, j] = columns[j][start + i] - centre[j]

    @fast
    def column_to(column: Any, start: int, place: Any, centre: float, out: Any) -> None:  # pragma: no cover - compiled
        for i in range(len(place)):
            out[place[i]] = column[start + i] - centre

    @fast
    def places(cell: Any, cuts: Any, place: Any) -> None:  # pragma: no cover - compiled
        for i in range(len(cell)):
            cuts[cell[i] + 1] += 1
        for k in range(1, len(cuts)):
            cuts[k] += cuts[k - 1]
        next_ = cuts[:-1].copy()
        for i in range(len(cell)):
            place[i] = next_[cell[i]]
            next_[cell[i]] += 1

    @fast
    def crosstabs(
        codes: Any, cell: Any, root: Any, piece: Any, beside: Any, pairs: Any
    ) -> None:  # pragma: no cover - compiled
        m, C = codes.shape
        d = piece.shape[1]
        for i in range(m):
            k = cell[i]
            w = root[i] * root[i]
            for a in range(C):
                level = codes[i, a]
                for j in range(d):
                    beside[k, level, j] += root[i] * piece[i, j]
                for b in range(a):
                    pairs[k, level, codes[i, b]] += w

    return SimpleNamespace(
        rows_to=rows_to, columns_to=columns_to, column_to=column_to, places=places, crosstabs=crosstabs
    )


def rows_to(rows: Array, place: Array, centre: Array, out: Array) -> None:
    """out[place[i]] = rows[i] - centre."""
    _compiled().rows_to(rows, place, centre, out)


def columns_to(columns: list[Array], start: int, place: Array, centre: Array, out: Array) -> None:
    """out[place[i], j] = columns[j][start + i] - centre[j], for float64 columns."""
    loops, whole = _compiled(), len(columns) - len(columns) % ABREAST
    for j in range(0, whole, ABREAST):
        loops.columns_to(tuple(columns[j : j + ABREAST]), start, place, centre[j : j + ABREAST], out[:, j:])
    for j in range(whole, len(columns)):
        loops.column_to(columns[j], start, place, centre[j], out[:, j])


def crosstabs(codes: Array, cell: Array, root: Array, piece: Array, beside: Array, pairs: Array) -> None:
    """Adds to beside (K, L, d) the sums of root * piece by level, and to pairs (K, L, L) root² by two levels."""
    _compiled().crosstabs(codes, cell, root, piece, beside, pairs)


def places(cell: Array, n_cells: int) -> tuple[Array, Array]:
    """Where each row goes when rows are put in the order of their cells, and where each cell begins."""
    cuts, place = np.zeros(n_cells + 1, dtype=np.int64), np.empty(len(cell), dtype=np.int64)
    _compiled().places(cell, cuts, place)
    return place, cuts
