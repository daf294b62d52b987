"""Products of categories without indicator columns: two categories make a table of counts, a category and a number sums by level.

A category of L levels would be L columns of zeros and ones in the buffer, and L more rows of every product. Here it is one
code. Counts of unweighted rows are whole numbers, so centring them afterwards loses nothing.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from twosdr.engines import kernels
from twosdr.roles import Field
from twosdr.tables import Array

if TYPE_CHECKING:
    from twosdr.engines.memory import Source

# Nanoseconds a row, measured with one thread (benchmarks/streams.py): of a product of two columns, of moving a number into
# the buffer, of counting a pair of codes, of adding a number to its level's sum, and of a code's own handling.
PRODUCT, MOVE, PAIR, BESIDE, CODE = 0.05, 3.0, 5.0, 1.0, 20.0
LARGEST = 2**18  # numbers in a table of two categories by cell; a larger one is mostly zeros, and is counted sparsely


@dataclass(frozen=True, eq=False)
class Tabs:
    """The categories that are counted by code, and where their levels and all other columns stand among the moments."""

    fields: tuple[tuple[Field, slice], ...]
    levels_at: Array
    others_at: Array

    def codes(self, source: Source, rows: slice | Array) -> Array | None:
        """Codes into all levels, shape (rows, categories); None where a value has no level of its own."""
        out, start = None, 0
        for c, (field, span) in enumerate(self.fields):
            column = source.table.column(field.name)
            values = column.values[rows]
            # From the column's codes straight to places among all levels; missing values stand at the end, at index -1.
            place = field.translate(column, source.roles.absent)
            if field.gaps:
                place[-1] = span.stop - span.start - 1
            place = np.where(place >= 0, place + start, -1)
            if out is None:
                out = np.empty((len(values), len(self.fields)), dtype=np.int64)
            out[:, c] = place[-1] if column.kind == "empty" else place[values]
            start += span.stop - span.start
        return None if out is None or (out.size and out.min() < 0) else out


def divide(source: Source) -> tuple[Source, Tabs | None]:
    """The source without its categories, and those as tabs; the source as it is where that would not be faster."""
    spans = source.roles.spans()
    categories = [(f, span) for f, span in spans if f.levels is not None and len(f.encoded) > 1]
    p = len(source.names)
    inside = sum(span.stop - span.start for _, span in categories)
    C, d = len(categories), p - inside
    whole = PRODUCT * p**2 / 2 + MOVE * p
    parted = PRODUCT * d**2 / 2 + MOVE * d + PAIR * C * (C - 1) / 2 + BESIDE * C * d + CODE * C
    if not C or parted >= whole or source.table.sparse is not None:
        return source, None
    counted = {f.name for f, _ in categories}
    levels_at = np.concatenate([np.arange(span.start, span.stop) for _, span in categories])
    others_at = np.setdiff1d(np.arange(p), levels_at)
    fill = None
    if source.roles.fill is not None:
        fill = tuple(np.asarray(source.roles.fill)[others_at[others_at < len(source.roles.names)]].tolist())
    rest = replace(source.roles, fields=tuple(f for f, _ in spans if f.name not in counted), fill=fill)
    return replace(source, roles=rest), Tabs(tuple(categories), levels_at, others_at)


class Sums:
    """Sums by level beside the numbers, and by pairs of levels, while an epoch is read."""

    def __init__(self, tabs: Tabs, n_cells: int, width: int, fast: bool) -> None:
        self.tabs, self.K, self.fast = tabs, n_cells, fast
        self.sizes = [span.stop - span.start for _, span in tabs.fields]
        L = len(tabs.levels_at)
        self.beside, self.pairs = np.zeros((n_cells, L, width)), np.zeros((n_cells, L, L))

    def add(self, codes: Array, piece: Array, cell: Array | None) -> None:
        """Rows whose numbers are in `piece`, the last column the root of the weight."""
        root = piece[:, -1]
        cell = np.zeros(len(codes), dtype=np.int64) if cell is None else cell.astype(np.int64)
        if self.fast:
            kernels.crosstabs(codes, cell, root, piece, self.beside, self.pairs)
            return
        m, C = codes.shape
        L = len(self.tabs.levels_at)
        at = (codes + (cell * L)[:, None]).ravel()
        indicator = sp.csr_array(
            (np.repeat(root, C), at, np.arange(0, m * C + 1, C, dtype=at.dtype)), shape=(m, self.K * L)
        )
        self.beside += (indicator.T @ piece).reshape(self.beside.shape)
        weight = None if (root == 1.0).all() else root * root
        starts = np.concatenate([[0], np.cumsum(self.sizes)])
        for a in range(C):
            for b in range(a):
                size_a, size_b = self.sizes[a], self.sizes[b]
                joint = (cell * size_a + (codes[:, a] - starts[a])) * size_b + (codes[:, b] - starts[b])
                table = _counts(joint, weight, self.K * size_a * size_b).reshape(self.K, size_a, size_b)
                self.pairs[:, starts[a] : starts[a + 1], starts[b] : starts[b + 1]] += table

    def join(self, centre: Array, plain: Array) -> tuple[Array, Array]:
        """Centre and sums of all columns, (K, p + 1, p + 1), from those of the numbers; levels are centred on 0 or 1."""
        here, others = self.tabs.levels_at, self.tabs.others_at
        p = len(here) + len(others)
        rest = np.append(others, p)
        sums = np.zeros((self.K, p + 1, p + 1))
        sums[:, rest[:, None], rest[None, :]] = plain
        sums[:, here[:, None], rest[None, :]] = self.beside
        sums[:, rest[:, None], here[None, :]] = self.beside.transpose(0, 2, 1)
        both = self.pairs + self.pairs.transpose(0, 2, 1)
        every = np.arange(len(here))
        both[:, every, every] = self.beside[:, :, -1]
        sums[:, here[:, None], here[None, :]] = both
        middle = np.zeros(p)
        middle[others] = centre
        # A level that most rows have is centred on 1: minus the sum of its category's other levels, so that what the few rows
        # differ by is summed, and not what is left of a difference.
        total, start = sums[:, p, p].sum(), 0
        for size in self.sizes:
            span = here[start : start + size]
            start += size
            shares = sums[:, span, p].sum(axis=0)
            if shares.max() <= total / 2:
                continue
            j, others_of = span[int(np.argmax(shares))], np.delete(span, int(np.argmax(shares)))
            middle[j] = 1.0
            sums[:, j, :] = -sums[:, others_of, :].sum(axis=1)
            sums[:, :, j] = -sums[:, :, others_of].sum(axis=2)
        return middle, sums


def _counts(joint: Array, weight: Array | None, size: int) -> Array:
    if size <= LARGEST:
        return np.bincount(joint, weights=weight, minlength=size)
    seen, place = np.unique(joint, return_inverse=True)
    out = np.zeros(size)
    out[seen] = np.bincount(place, weights=weight, minlength=len(seen))
    return out
