"""Means of cells (a group, or a group's rows of one class) with their errors, from sums that add up without rounding.

`gather` turns rows into a `Tally`; tallies add; a metric turns a tally into an answer. Clusters need their rows together,
so they come as an array beside the sums and do not stream.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from twosdr.metrics import _exact
from twosdr.metrics._reading import Groups
from twosdr.tables import Array


@dataclass(frozen=True)
class Sums:
    """Rows of a cell, and sums over them in units of `_exact`: w, w y, w y², w², w² y, w² y²."""

    n: int
    w: int
    wy: int
    wyy: int
    w2: int
    w2y: int
    w2yy: int

    def __add__(self, other: Sums) -> Sums:
        return Sums(*(a + b for a, b in zip(_fields(self), _fields(other), strict=True)))

    @cached_property
    def mean(self) -> float:
        """Σwy / Σw."""
        return float(_exact.number(self.wy) / _exact.number(self.w))

    @cached_property
    def weight(self) -> float:
        return float(_exact.number(self.w))

    @cached_property
    def variance(self) -> float:
        """Σw (y - mean)² / Σw."""
        w, wy, wyy = (_exact.number(a) for a in (self.w, self.wy, self.wyy))
        return max(float((wyy - wy * wy / w) / w), 0.0)

    @cached_property
    def squared_error(self) -> float:
        """The variance of the mean, whatever the weights mean: Σw² (y - mean)² / (Σw)², times n / (n - 1)."""
        if self.n < 2:
            return float("nan")
        w, wy, w2, w2y, w2yy = (_exact.number(a) for a in (self.w, self.wy, self.w2, self.w2y, self.w2yy))
        m = wy / w
        # Weighted squares are known to 30 digits and no more: where y is constant they may fall below zero.
        return max(float((w2yy - 2 * m * w2y + m * m * w2) / (w * w) * self.n / (self.n - 1)), 0.0)

    @cached_property
    def size(self) -> float:
        """How many unweighted rows the mean of a 0/1 column is worth; n without weights."""
        w, wy, w2, w2y, w2yy = (_exact.number(a) for a in (self.w, self.wy, self.w2, self.w2y, self.w2yy))
        m = wy / w
        noise = w2yy - 2 * m * w2y + m * m * w2
        return float(m * (1 - m) * w * w / noise) if 0 < m < 1 and noise > 0 else float(w * w / w2)


def quotient(one: Sums, other: Sums) -> float:
    """Mean of one over mean of the other, rounded once: 20 of 30 against 25 of 30 is .8, and no bit less. NaN for 0 to 0."""
    top, bottom = one.wy * other.w, one.w * other.wy
    if bottom == 0:
        return float("nan") if top == 0 else float("inf")
    return top / bottom


def _fields(sums: Sums) -> tuple[int, ...]:
    return (sums.n, sums.w, sums.wy, sums.wyy, sums.w2, sums.w2y, sums.w2yy)


@dataclass(frozen=True)
class Tally:
    """Sums by cell, and what is known of the column that tells them apart.

    `within` holds, where rows are clustered, each cluster's part of each cell's mean, shape (clusters, cells); NaN where it has no
    row there.
    """

    cells: Mapping[Any, Sums] = field(default_factory=dict)
    within: Array | None = None
    name: str = "s"
    numeric: bool = False  # the cells are values of a number, so that more than two of them are no groups

    def __add__(self, other: Tally) -> Tally:
        cells = dict(self.cells)
        for key, sums in other.cells.items():
            cells[key] = cells[key] + sums if key in cells else sums
        ordered = dict(sorted(cells.items(), key=lambda item: _order(item[0])))
        return Tally(ordered, None, self.name if self.cells else other.name, self.numeric or other.numeric)

    def __len__(self) -> int:
        return len(self.cells)

    @property
    def n(self) -> int:
        return sum(sums.n for sums in self.cells.values())

    def only(self, wanted: Any) -> Tally:
        """The cells whose key `wanted` admits."""
        keys = [key for key in self.cells if wanted(key)]
        at = [j for j, key in enumerate(self.cells) if wanted(key)]
        within = None if self.within is None else self.within[:, at]
        return replace(self, cells={key: self.cells[key] for key in keys}, within=within)

    def renamed(self, name: Any) -> Tally:
        """The same cells under other keys."""
        return replace(self, cells={name(key): sums for key, sums in self.cells.items()})


def _order(key: Any) -> tuple[Any, ...]:
    return tuple((isinstance(v, str), v) for v in (key if isinstance(key, tuple) else (key,)))


def gather(y: Array, by: Groups, weight: Array | None = None, cluster: Array | None = None) -> Tally:
    """The tally of y by group; int8 is decisions of 0 and 1."""
    k = len(by)
    if weight is None and y.dtype == np.float64 and _are_decisions(y):
        y = y.astype(np.int8)  # counting is the same sums, sooner
    sums = _counts(y, by.codes, k) if y.dtype == np.int8 and weight is None else _sums(y, by.codes, k, weight)
    cells = dict(zip(by.levels, sums, strict=True))
    within = None if cluster is None else _within(y, by, list(cells.values()), weight, cluster)
    return Tally(cells, within, by.name, by.numeric)


def _are_decisions(y: Array) -> bool:
    """Whether numbers are all 0 or 1; a few of them mostly tell."""
    return all(bool(((part == 0) | (part == 1)).all()) for part in (y[:64], y))


def _counts(y: Array, codes: Array, k: int) -> list[Sums]:
    if 2 * k <= 32:  # comparing bytes beats counting words as long as there are few cells
        cell = codes.astype(np.int8) if k > 1 else np.zeros(1, dtype=np.int8)
        cell = (cell + cell) + y
        counted = np.array([np.count_nonzero(cell == j) for j in range(2 * k)])
    else:
        counted = np.bincount(codes.astype(np.intp) * 2 + y, minlength=2 * k)
    found = []
    for none, some in counted.reshape(k, 2).tolist():
        n, positive = _exact.units(none + some), _exact.units(some)
        found.append(Sums(none + some, n, positive, positive, n, positive, positive))
    return found


def _sums(y: Array, codes: Array, k: int, weight: Array | None) -> list[Sums]:
    y = y.astype(np.float64)
    where = None if k == 1 else codes.astype(np.intp)
    n = [len(y)] if where is None else np.bincount(where, minlength=k).tolist()

    def total(*parts: Array) -> list[int]:
        each = [_exact.sums(part, where, k) for part in parts]
        return [sum(column) for column in zip(*each, strict=True)]

    if weight is None:
        ones, of_y, of_yy = [_exact.units(m) for m in n], total(y), total(*_exact.product(y, y))
        return [Sums(*row) for row in zip(n, ones, of_y, of_yy, ones, of_y, of_yy, strict=True)]
    w = weight
    wy, wy_low = _exact.product(w, y)
    wwy, wwy_low = _exact.product(w, wy)
    wyy, wyy_low = _exact.product(wy, y)
    wwyy, wwyy_low = _exact.product(wy, wy)
    columns = [
        total(w),
        total(wy, wy_low),
        total(wyy, wyy_low + wy_low * y),
        total(*_exact.product(w, w)),
        total(wwy, wwy_low + w * wy_low),
        total(wwyy, wwyy_low + 2 * wy * wy_low),
    ]
    return [Sums(*row) for row in zip(n, *columns, strict=True)]


def _within(y: Array, by: Groups, sums: list[Sums], weight: Array | None, cluster: Array) -> Array:
    k, many = len(by), int(cluster.max()) + 1
    mean, total = np.array([s.mean for s in sums]), np.array([s.weight for s in sums])
    parts = (y - mean[by.codes]) / total[by.codes]
    if weight is not None:
        parts = parts * weight
    cell = cluster.astype(np.intp) * k + by.codes
    found = np.bincount(cell, parts, minlength=many * k).reshape(many, k)
    # A cell's own number of clusters, not that of all rows, is what its error rests on.
    there = np.bincount(cell, minlength=many * k).reshape(many, k) > 0
    inside = there.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(there, found * np.sqrt(np.where(inside > 1, inside / (inside - 1), np.nan)), np.nan)
