"""What to gather from any source: roles, target, weights and folds by column name; one piece of rows -> a memory.Source.

A plan is plain values, so it travels to other processes and machines. An error in a piece says where the piece lies.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from twosdr import folds, tables
from twosdr.engines.memory import Source
from twosdr.errors import ParameterError, TableError, TwosdrError, listing, quoted
from twosdr.roles import Roles
from twosdr.tables import Array, Table

PLAIN = ("double", "float", "int64", "int32", "int16", "int8", "uint64", "uint32", "uint16", "uint8")


@dataclass(frozen=True, eq=False)
class Plan:
    """Columns of the source by what they are for.

    `classes` is None where the target is numbers; `class_weight` multiplies the weights of their rows. Rows fall into
    `n_folds` by the value of `fold_key`, or by their number.
    """

    roles: Roles
    y: tuple[str, ...]
    classes: tuple[Any, ...] | None = None
    weight: str | None = None
    class_weight: dict[Any, float] | None = None
    fold_key: str | None = None
    n_folds: int = 1
    by_class: bool = False
    who: str = "this fit"

    @property
    def n_cells(self) -> int:
        """Cells of moments: folds, and in each the two classes apart where the goal holds the class fixed."""
        return self.n_folds * (2 if self.by_class else 1)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are read, each once."""
        more = (*self.y, *(c for c in (self.weight, self.fold_key if self.n_folds > 1 else None) if c is not None))
        return tuple(dict.fromkeys((*(f.name for f in self.roles.fields), *more)))

    @property
    def y_names(self) -> tuple[str, ...]:
        """Names of the target's moment columns: one for two classes, else one for each."""
        if self.classes is None or len(self.classes) == 2:
            return self.y
        return tuple(f"{self.y[0]}={c}" for c in self.classes)

    def source(self, rows: Any, start: int = 0) -> Source:
        """A piece of the rows, the first of which has this number, ready to be summed."""
        table = read_piece(rows)
        kept = None if self.weight is None else np.flatnonzero(read_weights(table, self.weight) > 0)
        if kept is not None and len(kept) == table.n_rows:
            kept = None
        if kept is not None:  # rows of weight zero are not there, whatever they hold
            rows = taken(rows, kept)
            table = read_piece(rows)
        target, weight = self._target(table, rows)
        beside = (*self.y, *(c for c in (self.weight, self.fold_key) if c is not None))
        matched = self.roles.match(table, needs_s=True, target=beside, who=self.who)
        fold_of: Callable[[int, int], Array] | None = None
        if self.n_folds > 1 and self.fold_key is not None:
            ids = folds.fold_of_keys(table.column(self.fold_key), self.n_folds)
            fold_of = lambda a, b: ids[a:b]  # noqa: E731
        elif self.n_folds > 1:
            fold_of = self._by_number(start, table.n_rows if kept is None else kept)
        cell_of = self._halved(fold_of, target) if self.by_class else fold_of
        return Source(matched, self.roles, target, self.y_names, weight, cell_of, self.n_cells)

    def _by_number(self, start: int, rows: int | Array) -> Callable[[int, int], Array]:
        """Folds by the numbers of the rows; those without weight have numbers too."""
        if isinstance(rows, int):
            return lambda a, b: folds.fold_of_rows(start + a, start + b, self.n_folds)
        numbers = (rows + start).astype(np.uint64)
        return lambda a, b: folds.mix(numbers[a:b].copy()) % np.uint64(self.n_folds)

    def _halved(self, fold_of: Callable[[int, int], Array] | None, target: Array) -> Callable[[int, int], Array]:
        """Cell 2k + 1 for rows of the second class in fold k, 2k for the others."""
        positive = (target[:, 0] > 0).astype(np.int64)

        def cell_of(a: int, b: int) -> Array:
            return positive[a:b] if fold_of is None else np.asarray(fold_of(a, b), dtype=np.int64) * 2 + positive[a:b]

        return cell_of

    def _target(self, table: Table, rows: Any) -> tuple[Array, Array | None]:
        weight = None if self.weight is None else read_weights(table, self.weight)
        if not self.y or not table.n_rows:
            return np.empty((table.n_rows, len(self.y_names))), weight
        if self.classes is None:
            columns = [table.column(name) for name in self.y]
            if all(c.levels is None for c in columns):
                values = np.column_stack([np.asarray(c.values, dtype=np.float64) for c in columns])
                if np.isfinite(values).all():
                    return values, weight
            return tables.target(only(rows, self.y)).values, weight  # which says what is wrong with it
        labels, _ = tables.labels(only(rows, self.y))
        known = np.asarray(self.classes)
        strange = sorted(set(labels[~np.isin(labels, known)].tolist()), key=str)
        counted = strange if weight is None else [v for v in strange if (weight[labels == v] > 0).any()]
        if counted:
            raise ParameterError(
                f"{quoted(self.y[0])} holds {listing(counted)}, which is none of the classes {listing(known)}."
            )
        coded = known[1:] if len(known) == 2 else known
        if self.class_weight is not None:
            factor = np.ones(len(labels))
            for value, by in self.class_weight.items():
                factor[labels == value] = by
            weight = factor if weight is None else factor * weight
        return np.where(labels[:, None] == coded[None, :], 1.0, -1.0), weight

    def labels(self, rows: Any) -> Array:
        """The classes of a piece of rows."""
        return tables.labels(only(rows, self.y))[0]


def read_piece(rows: Any) -> Table:
    """A piece as a table. Plain numbers of Arrow are taken as they lie: looking a column up in a frame costs more than its sums."""
    if not type(rows).__module__.startswith("pyarrow"):
        return tables.read(rows)
    plain = {
        j: tables.Column("number", column.chunk(0).to_numpy())
        for j, column in enumerate(rows.columns)
        if str(column.type) in PLAIN and column.num_chunks == 1 and not column.null_count
    }
    if len(plain) < rows.num_columns:
        table = tables.read(rows)
        table._read.update(plain)
        return table
    return Table(tuple(rows.column_names), rows.num_rows, True, rows, _read=plain)


def only(rows: Any, names: tuple[str, ...]) -> Any:
    """Some columns of a piece of rows, in the library it came in."""
    import narwhals as nw

    missing = [name for name in names if name not in nw.from_native(rows, eager_only=True).columns]
    if missing:
        raise TableError(f"There is no column {listing(missing)}.")
    return nw.from_native(rows, eager_only=True).select(list(names)).to_native()


def taken(rows: Any, kept: Array) -> Any:
    """Some of the rows, in the library they came in."""
    import narwhals as nw

    return nw.from_native(rows, eager_only=True)[kept].to_native()


def read_weights(table: Table, name: str) -> Array:
    """The weights of a piece; a piece may have none above zero."""
    column = table.column(name)
    if column.levels is not None and column.kind != "bool":
        raise TableError(f"The weights {quoted(name)} hold {column.kind}; a weight is a number from 0 up.")
    w = np.where(column.missing(), np.nan, column.values).astype(np.float64)
    if w.any():
        tables.weights(w, len(w))
    return w


@contextmanager
def located(where: str) -> Iterator[None]:
    """Errors of ours say where the rows lie that they speak of."""
    try:
        yield
    except TwosdrError as trouble:
        if str(trouble).startswith("In "):
            raise
        raise type(trouble)(f"In {where}: {trouble}") from trouble
