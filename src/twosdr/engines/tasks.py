"""What is done to a piece of rows, wherever it lies: each task makes a value of the piece, and values of pieces add up.

An engine brings pieces and tasks together and adds the values in order; it knows no more of them than `columns`,
`task(rows, start, fast)` and `+`.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, Self

import numpy as np

from twosdr import tables
from twosdr.engines import memory
from twosdr.engines.plan import Plan, only, read_weights
from twosdr.engines.workers import one_blas_thread
from twosdr.errors import MissingValueError, ParameterError, listing, quoted
from twosdr.errors import rows as count_rows
from twosdr.moments import Moments
from twosdr.roles import Field, Roles
from twosdr.tables import Array

FEW = 2  # different numbers of a column that are remembered: two make groups
FIRST = 65  # numbers after which most columns have shown more


class Value(Protocol):
    """What adds up."""

    def __add__(self, other: Any) -> Any: ...


class Task(Protocol):
    """A piece of rows, whose first has the number `start`, -> a value; read from these columns."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The names."""

    def __call__(self, rows: Any, start: int, fast: bool) -> Any: ...


@dataclass(frozen=True, eq=False)
class Gather:
    """Moments of the piece."""

    plan: Plan

    @property
    def columns(self) -> tuple[str, ...]:
        """What the plan reads."""
        return self.plan.columns

    def __call__(self, rows: Any, start: int, fast: bool = False) -> Moments:
        source = self.plan.source(rows, start)
        sums = memory.Sums(source.names, source.blocks, source.n_cells)
        n = source.table.n_rows
        with one_blas_thread():
            for a in range(0, n, memory.EPOCH_ROWS):
                found = memory.epoch(source, a, min(a + memory.EPOCH_ROWS, n), fast=fast)
                if not np.isfinite(found[1]).all():
                    # Said at once, while the piece that holds them is known.
                    source.roles.refuse_missing_numbers(source.table)
                    raise MissingValueError(
                        "The sums of squares overflow: there are numbers beyond about 1e150. Rescale them."
                    )
                sums.add(*found)
        return sums.freeze()


@dataclass(frozen=True, eq=False)
class Triangle:
    """R of a blockwise QR; two triangles add up to the triangle of both."""

    R: Array

    def __add__(self, other: Triangle) -> Triangle:
        return Triangle(np.asarray(np.linalg.qr(np.vstack([self.R, other.R]), mode="r")))


@dataclass(frozen=True, eq=False)
class Triangulate:
    """The triangle of the piece about the mean of all rows: twice the digits of moments."""

    plan: Plan
    whole: Moments

    @property
    def columns(self) -> tuple[str, ...]:
        """What the plan reads."""
        return self.plan.columns

    def __call__(self, rows: Any, start: int, fast: bool = False) -> Triangle:
        return Triangle(memory.triangle(self.plan.source(rows, start), self.whole))


@dataclass(frozen=True, eq=False)
class Arrays:
    """Numbers of the rows, one array after the other."""

    parts: tuple[Array, ...]

    def __add__(self, other: Arrays) -> Arrays:
        return Arrays(self.parts + other.parts)

    def whole(self) -> Array:
        """All in one."""
        return np.concatenate(self.parts)


@dataclass(frozen=True, eq=False)
class Apply:
    """A function of a piece of rows, such as predict, or the count of its decisions."""

    columns: tuple[str, ...]
    function: Callable[[Any], Any]

    def __call__(self, rows: Any, start: int, fast: bool = False) -> Any:
        return self.function(rows)


@dataclass(frozen=True)
class Total:
    """Sums of anything that NumPy adds."""

    value: Any

    def __add__(self, other: Total) -> Total:
        return Total(self.value + other.value)


@dataclass(frozen=True, eq=False)
class Seen:
    """One column as far as it was read: its kind, weight by level, rows without a value, and the mean of numbers."""

    kind: str
    levels: dict[Any, float]
    gone: int = 0
    weight: float = 0.0
    shift: float = 0.0
    total: float = 0.0  # weighted sum of (value - shift)
    values: frozenset[float] = frozenset()  # the different numbers, as long as they are at most FEW

    def __add__(self, other: Seen) -> Seen:
        if not other.levels and other.kind == "empty":
            return self._and(other, self)
        if not self.levels and self.kind == "empty":
            return self._and(other, other)
        levels = dict(self.levels)
        for level, weight in other.levels.items():
            levels[level] = levels.get(level, 0.0) + weight
        total = self.total + other.total + other.weight * (other.shift - self.shift)
        values = self.values | other.values
        values = values if len(values) <= FEW else frozenset(sorted(values)[: FEW + 1])
        return Seen(self.kind, levels, self.gone + other.gone, self.weight + other.weight, self.shift, total, values)

    def _and(self, other: Seen, full: Seen) -> Seen:
        gone, weight = self.gone + other.gone, self.weight + other.weight
        return Seen(full.kind, full.levels, gone, weight, full.shift, full.total, full.values)

    @property
    def mean(self) -> float:
        """The mean of the numbers that are there."""
        return self.shift + self.total / self.weight if self.weight > 0 else 0.0


@dataclass(frozen=True, eq=False)
class Look:
    """What the first, light pass found: columns as seen, the number of rows, and of each class the rows that count and all."""

    columns: dict[str, Seen]
    n_rows: int
    classes: dict[Any, tuple[int, int]]

    def __add__(self, other: Look) -> Look:
        classes = dict(self.classes)
        for value, (counted, every) in other.classes.items():
            before = classes.get(value, (0, 0))
            classes[value] = (before[0] + counted, before[1] + every)
        return Look(
            {name: self.columns[name] + other.columns[name] for name in self.columns},
            self.n_rows + other.n_rows,
            classes,
        )


@dataclass(frozen=True)
class LookAt:
    """Levels of these columns (and means of `numbers`), and the classes of `y`; rows of weight zero are not there."""

    names: tuple[str, ...]
    max_levels: int
    numbers: tuple[str, ...] = ()
    y: str | None = None
    weight: str | None = None
    roles: tuple[tuple[str, str], ...] = ()  # of those columns that must have a value in every row

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are read."""
        more = tuple(c for c in (self.y, self.weight) if c is not None)
        return tuple(dict.fromkeys((*self.names, *self.numbers, *more)))

    def __call__(self, rows: Any, start: int, fast: bool = False) -> Look:
        table = tables.read(rows)
        w = np.ones(table.n_rows) if self.weight is None else read_weights(table, self.weight)
        gone = {
            Field(name, role, "text"): n
            for name, role in self.roles
            if (n := int((table.column(name).missing() & (w > 0)).sum()))
        }
        if gone:
            raise Roles(()).missing(gone)
        found = {name: self._seen(table.column(name), name, w) for name in (*self.names, *self.numbers)}
        classes: dict[Any, tuple[int, int]] = {}
        if self.y is not None and table.n_rows:
            labels = tables.labels(only(rows, (self.y,)))[0]
            for value in np.unique(labels):
                here = labels == value
                classes[value.item()] = (int((here & (w > 0)).sum()), int(here.sum()))
        return Look(found, table.n_rows, classes)

    def _seen(self, column: tables.Column, name: str, w: Array) -> Seen:
        missing = column.missing() & (w > 0)
        there = ~column.missing() & (w > 0)
        if column.levels is not None:
            weight = np.bincount(column.values[there], weights=w[there], minlength=len(column.levels))
            counted = np.bincount(column.values[there], minlength=len(column.levels)) > 0
            levels = {
                level: float(weight[j]) for j, level in enumerate(column.levels) if counted[j] or column.kind == "bool"
            }
            if len(levels) > self.max_levels:
                raise ParameterError(
                    f"Column {quoted(name)} has {len(levels)} levels in {count_rows(len(w))}, more than max_levels={self.max_levels}: "
                    f"an identifier? Leave it out with drop=[{quoted(name)}], group its levels, or raise max_levels."
                )
            return Seen(column.kind, levels, int(missing.sum()), float(w[there].sum()))
        values = np.asarray(column.values, dtype=np.float64)
        there &= np.isfinite(values)
        shift = float(values[there][0]) if there.any() else 0.0
        total = float((w[there] * (values[there] - shift)).sum())
        some = values[~np.isnan(values)]
        few = np.unique(some[:FIRST])
        few = np.unique(some)[: FEW + 1] if len(few) <= FEW else few[: FEW + 1]
        return Seen("number", {}, int(missing.sum()), float(w[there].sum()), shift, total, frozenset(few.tolist()))


def check_levels(look: Look, max_levels: int) -> None:
    """Refuse a category of all pieces together that looks like an identifier."""
    many = {name: seen for name, seen in look.columns.items() if len(seen.levels) > max_levels}
    if many:
        raise ParameterError(
            f"{listing(many)}: {max(len(s.levels) for s in many.values())} levels in {count_rows(look.n_rows)}, more than "
            f"max_levels={max_levels}: an identifier? Leave it out with drop=[...], group its levels, or raise max_levels."
        )


class Ordered:
    """Values added in the order of their pieces."""

    def __init__(self) -> None:
        self.value: Any = None

    def add(self, value: Any) -> Self:
        """One more."""
        self.value = value if self.value is None else self.value + value
        return self
