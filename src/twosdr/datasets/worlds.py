"""A `World`: a law and a seed, and rows when they are asked for.

Rows are drawn in blocks of a fixed size, each from its own stream of chance, so that any stretch of rows is the same however
it is cut, and a table larger than memory can be read in chunks.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from twosdr.datasets._asking import seed_of, whole
from twosdr.datasets.base import Rows
from twosdr.datasets.recipes import Array
from twosdr.datasets.truth import Cell, Truth, mixture
from twosdr.errors import ParameterError

BLOCK = 4096  # rows drawn together; another number would give other rows


@dataclass(frozen=True, eq=False, repr=False)
class World(Rows):
    """A law, a seed and a number of rows; the rows come when they are asked for.

    `table`, `X` and `y` draw all of them; `rows(start, stop)` any stretch, `chunks(size)` one stretch after the other. The same
    seed gives the same rows, however they are cut, and fewer rows are the first of more.
    """

    name: str
    n: int
    target: str
    sensitive: tuple[str, ...]
    explanatory: tuple[str, ...]
    positive: object
    truth: Truth
    parameters: Mapping[str, Any]
    seed: int
    law: Cells | Spread
    left_out: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def table(self) -> Any:
        """All rows, as a pyarrow table."""
        return self.rows()

    def rows(self, start: int = 0, stop: int | None = None) -> Any:
        """The rows from `start` up to `stop`, as a pyarrow table."""
        start, stop = whole("start", start, 0), self.n if stop is None else whole("stop", stop, 0)
        if not 0 <= start <= stop <= self.n:
            raise ParameterError(f"rows({start}, {stop}): start and stop must be in order, from 0 to n = {self.n}.")
        return self._cut(start, stop, {})

    def chunks(self, size: int = 65_536) -> Iterator[Any]:
        """All rows, `size` at a time, as pyarrow tables; no more than one of them is held."""
        size = whole("size", size, 1)
        held: dict[int, dict[str, Any]] = {}
        return (self._cut(start, min(start + size, self.n), held) for start in range(0, self.n, size))

    def _cut(self, start: int, stop: int, held: dict[int, dict[str, Any]]) -> Any:
        import pyarrow as pa

        pieces = []
        for b in range(start // BLOCK, max(-(-stop // BLOCK), start // BLOCK + 1)):
            if b not in held:  # whole blocks only: chance is drawn row by row, but not column by column
                held.clear()
                held[b] = self.law.draw(np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(b,))))
            inside = slice(max(start - b * BLOCK, 0), max(stop - b * BLOCK, 0))
            pieces.append(pa.table({name: values[inside] for name, values in held[b].items()}))
        return pa.concat_tables(pieces).combine_chunks()

    def __repr__(self) -> str:
        said = ", ".join(f"{k}={v!r}" for k, v in self.parameters.items())
        return f"<World {self.name}: {self.n:,} rows, {said}, random_state={self.seed}>"


@dataclass(frozen=True, eq=False)
class Cells:
    """Draws from a mixture of normal laws. `columns` are the table's, in order; those with labels come from the cell."""

    names: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[Cell, ...]

    def draw(self, chance: np.random.Generator) -> dict[str, Any]:
        e = chance.standard_normal((BLOCK, self.cells[0].root.shape[1]))
        cell = np.searchsorted(np.cumsum([c.share for c in self.cells])[:-1], chance.random(BLOCK), side="right")
        values = np.empty((BLOCK, len(self.names)))
        for k, c in enumerate(self.cells):
            values[cell == k] = c.mean + e[cell == k] @ c.root.T
        found: dict[str, Any] = {}
        for name in self.columns:
            if name in self.cells[0].labels:
                found[name] = np.array([c.labels[name] for c in self.cells])[cell]
            else:
                found[name] = values[:, self.names.index(name)]
        return found


@dataclass(frozen=True, eq=False)
class Spread:
    """Draws x = slope s + exp(spread s / 2) η: the variance of x depends on s, its residual is uncorrelated with s."""

    d_x: int
    slope: float
    spread: float
    beta: float
    effect: float
    sigma: float

    def draw(self, chance: np.random.Generator) -> dict[str, Any]:
        s = chance.standard_normal(BLOCK)
        x = self.slope * s[:, None] + np.exp(self.spread * s / 2)[:, None] * chance.standard_normal((BLOCK, self.d_x))
        y = self.beta * x.sum(axis=1) + self.effect * s + self.sigma * chance.standard_normal(BLOCK)
        return {"s1": s, **{f"x{j + 1}": x[:, j] for j in range(self.d_x)}, "y": y}


def normal_world(
    name: str,
    n: int,
    random_state: Any,
    parameters: Mapping[str, Any],
    *,
    s: Array,
    x: Array,
    z: Array,
    y: Array,
) -> World:
    """A world of numbers: each row of `s`, `x`, `z` and `y` is a column as a combination of independent standard normals."""
    columns = {letter: tuple(f"{letter}{j + 1}" for j in range(len(b))) for letter, b in (("s", s), ("x", x), ("z", z))}
    names = (*columns["s"], *columns["x"], *columns["z"], "y")
    root = np.vstack([s, x, z, y[None, :]])
    cell = Cell({}, 1.0, np.zeros(len(names)), root)
    truth = mixture(names, "s" * len(s) + "x" * len(x) + "z" * len(z) + "y", [cell])
    law = Cells(names, names, (cell,))
    return World(name, n, "y", columns["s"], columns["z"], None, truth, parameters, seed_of(random_state), law)


def mixed_world(
    name: str,
    n: int,
    random_state: Any,
    parameters: Mapping[str, Any],
    truth: Truth,
    groups: tuple[str, ...],
    positive: object = None,
) -> World:
    """A world of groups: the cells of its truth are what its rows are drawn from."""
    columns = (*groups, *(c for c, block in zip(truth.names, truth.blocks, strict=True) if block == "x"), "y")
    law = Cells(truth.names, columns, truth.cells)
    return World(name, n, "y", groups, (), positive, truth, parameters, seed_of(random_state), law)
