"""The rows whose s is known, for one s or for several crossed: cut out once, counted once.

A metric is asked through its tally wherever it has one, so that ten metrics of one s cost one count of it.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from twosdr.audit.given import Given, Sensitive, as_table
from twosdr.errors import MetricError, TableError
from twosdr.metrics import Estimate
from twosdr.metrics._cells import Tally, gather
from twosdr.metrics._reading import Groups, cross
from twosdr.tables import Array, Column, Table


@dataclass(frozen=True, eq=False)
class Asked:
    """What every measurement is told."""

    confidence: float
    min_group_size: int
    bins: int


@dataclass(frozen=True, eq=False)
class Part:
    """The rows whose s is known, for one s or for several crossed."""

    given: Given
    by: Groups
    known: Array | None
    table: Table

    def take(self, values: Array | None) -> Any:
        """The rows of an array that are here."""
        return values if values is None or self.known is None else values[self.known]

    @cached_property
    def n(self) -> int:
        return len(self.by.codes)

    @cached_property
    def weight(self) -> Any:
        return self.take(self.given.weight)

    @cached_property
    def cluster(self) -> Any:
        return self.take(self.given.cluster)

    @cached_property
    def decided(self) -> Any:
        return self.take(self.given.decided)

    @cached_property
    def score(self) -> Any:
        return self.take(self.given.score)

    @cached_property
    def y(self) -> Any:
        return self.take(self.given.y)

    @property
    def about(self) -> Any:
        return self.score if self.given.decided is None else self.decided

    def tally(self, values: Array) -> Tally:
        """Sums of values by group."""
        return replace(gather(values, self.by, self.weight, self.cluster), name=self.by.name)

    @cached_property
    def of_decisions(self) -> Tally:
        return self.tally(self.decided)

    @cached_property
    def of_scores(self) -> Tally:
        return self.tally(self.score)

    @cached_property
    def by_truth(self) -> Tally:
        """Decisions by group and true label."""
        cells = cross(self.by, Groups(self.y, (0, 1)))
        return replace(gather(self.decided, cells, self.weight, self.cluster), name=self.by.name)

    @cached_property
    def beside(self) -> dict[str, Any]:
        return {"sample_weight": self.weight, "cluster": self.cluster}


def tried(call: Callable[[], Estimate]) -> Estimate:
    """The answer, or the reason why the metric refuses."""
    try:
        return call()
    except (MetricError, TableError) as refusal:
        return Estimate(None, why=str(refusal).rstrip("."))


def crossed_codes(given: Given, several: list[Sensitive]) -> tuple[Array, Array | None, tuple[tuple[str, ...], ...]]:
    """Codes into the combinations that occur (-1 where an s is unknown), the rows that have one, and the levels of each."""
    known: Array | None = None
    for s in several:
        if s.known is not None:
            known = s.known if known is None else known & s.known
    if known is not None and not known.any():
        return np.full(given.n, -1), known, ()
    by = cross(*(Groups(s.codes if known is None else s.codes[known], s.names, s.name) for s in several))
    codes = by.codes
    if known is not None:
        codes = np.full(given.n, -1, dtype=np.int64)
        codes[known] = by.codes
    return codes, known, by.levels


def part_of(given: Given, name: str, codes: Array, known: Array | None, names: tuple[str, ...]) -> Part:
    """The rows whose group is known."""
    inside = codes if known is None else codes[known]
    column = Column("text", inside, names)
    return Part(given, Groups(inside, names, name), known, as_table({name: column}, len(inside)))


def part_of_number(given: Given, s: Sensitive) -> Part:
    """The rows whose number is known, as one group."""
    values = np.asarray(s.codes if s.known is None else s.codes[s.known], dtype=np.float64)
    one = Groups(np.zeros(len(values), dtype=np.int8), ("all",), s.name)
    return Part(given, one, s.known, as_table({s.name: Column("number", values)}, len(values)))


def joined(levels: tuple[tuple[str, ...], ...]) -> tuple[str, ...]:
    """One name for each combination of levels; levels that hold " x " themselves are quoted."""
    names = tuple(" x ".join(parts) for parts in levels)
    return names if len(set(names)) == len(names) else tuple(" x ".join(map(repr, parts)) for parts in levels)


def taken(table: Table, rows: Array | None) -> Table:
    """Some rows of a table."""
    if rows is None:
        return table
    columns = {}
    for name in table.names:
        found = table.column(name)
        columns[name] = Column(found.kind, found.values[rows], found.levels)
    return as_table(columns, int(np.count_nonzero(rows)))
