"""Some rows of what metrics are given: read once, then as many selections of rows as are wanted."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from twosdr.metrics import _reading as reading
from twosdr.tables import Array, Column, Table

PER_ROW = ("s", "z", "y_true", "sample_weight", "cluster")


def read(arguments: Mapping[str, Any], n: int) -> dict[str, Any]:
    """The arguments with a value for each row as tables whose columns are read; the others as they are."""
    return {
        name: as_table(value, name, n) if name in PER_ROW and value is not None else value
        for name, value in arguments.items()
    }


def as_table(values: Any, what: str, n: int | None = None) -> Table:
    """One or several columns, read and checked."""
    found = reading.columns(values, what, n)
    return _table(found)


def take(arguments: Mapping[str, Any], at: Array) -> dict[str, Any]:
    """The rows at these positions, or under a mask."""
    return {name: some(value, at) if isinstance(value, Table) else value for name, value in arguments.items()}


def some(table: Table, at: Array) -> Table:
    """The rows of a table; its categories keep their kind."""
    columns = {name: table.column(name) for name in table.names}
    return _table({name: _some(column, at) for name, column in columns.items()})


def _some(column: Column, at: Array) -> Column:
    values = column.values[at]
    if column.levels is None:
        return Column(column.kind, values)
    by = reading.Groups(values, column.levels).occurring()
    return Column(column.kind, by.codes, by.levels)


def _table(columns: Mapping[str, Column]) -> Table:
    n = len(next(iter(columns.values())).values)
    return Table(tuple(columns), n, True, None, _read=dict(enumerate(columns.values())))
