"""Dask: data frames, delayed tables or row groups of Parquet -> values of partitions, added in a tree in their order.

Partitions of a frame have no row numbers, so folds go by `fold_key`. What is lost with a worker is computed again by Dask; values are
pure functions of a partition, so that the result is the same bytes.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

from twosdr.engines import files, kernels
from twosdr.engines.embedded import cut
from twosdr.engines.plan import located, only
from twosdr.engines.sources import Part, Rows, as_arrow, piece_rows, shown
from twosdr.engines.tasks import Ordered, Task
from twosdr.errors import ParameterError, TableError


@dataclass(frozen=True)
class OnDask:
    """Parquet files whose row groups are read and summed by Dask's workers: `fit(OnDask("rows/*.parquet"), y="income")`.

    Unlike the partitions of a data frame they have row numbers, only the needed columns are read, and nothing becomes a pandas frame.
    Workers have to find the files under the same path.
    """

    path: Any


FAN_IN = 8  # values that one task adds up: a thousand partitions meet in four steps


def opened(source: Any) -> Rows:
    """A dask data frame, or delayed tables of the same columns."""
    import pyarrow as pa

    if isinstance(source, OnDask):
        rows = files.opened(source.path)
        return replace(rows, engine="dask", native=_parts(rows))
    if isinstance(source, (list, tuple)):
        schema = as_arrow(source[0].compute()).schema
        return Rows("delayed tables", schema, [], ordered=False, engine="dask", native=list(source))
    if not hasattr(source, "to_delayed") or not hasattr(source, "_meta") or not hasattr(source, "columns"):
        raise TableError(f"Of Dask, data frames and lists of delayed tables can be read. Got {type(source).__name__}.")
    schema = pa.Schema.from_pandas(source._meta, preserve_index=False)
    return Rows("a dask data frame", schema, [], ordered=False, engine="dask", native=source)


def _parts(rows: Rows) -> list[_Part]:
    found, start = [], 0
    for file in rows.files:
        for number, part in enumerate(file.parts):
            if part.rows is None:
                raise ParameterError(
                    "Dask reads Parquet files by row group; a CSV file has none. Use dask.dataframe.read_csv."
                )
            found.append(_Part(part, start, f"{shown(file.name)}, row group {number}"))
            start += part.rows
    return found


@dataclass(frozen=True, eq=False)
class _Part:
    """A row group, the number of its first row, and what an error calls it."""

    part: Part
    start: int
    where: str


def run(source: Rows, task: Task, **_: Any) -> tuple[Any, int]:
    """All values added up, and the number of rows."""
    dask: Any = import_module("dask")

    parts = source.native if isinstance(source.native, list) else source.native[list(task.columns)].to_delayed()
    work, join = dask.delayed(_piece, pure=True), dask.delayed(_join, pure=True)
    # The task is one object of the graph, not a copy in every node of it.
    shared = dask.delayed(task, traverse=False)
    values = [work(shared, part, number, len(parts)) for number, part in enumerate(parts)]
    while len(values) > 1:
        values = [join(values[a : a + FAN_IN]) for a in range(0, len(values), FAN_IN)]
    value, n_rows = dask.compute(values[0])[0] if values else (None, 0)
    return value, n_rows


def _piece(task: Task, part: Any, number: int, of: int) -> tuple[Any, int]:
    width = len(task.columns)
    if isinstance(part, _Part):
        total, n = Ordered(), 0
        with located(part.where):
            for rows in cut(part.part.batches(task.columns), piece_rows(width)):
                total.add(task(rows, part.start + n, kernels.wanted((part.part.rows or 0) * width * of)))
                n += rows.num_rows
        return total.value, n
    with located(f"partition {number}"):
        rows = only(part, task.columns)
        n = len(rows) if hasattr(rows, "__len__") else rows.num_rows
        return (task(rows, 0, kernels.wanted(n * width * of)), n) if n else (None, 0)


def _join(values: list[tuple[Any, int]]) -> tuple[Any, int]:
    total = Ordered()
    for value, _ in values:
        if value is not None:
            total.add(value)
    return total.value, sum(n for _, n in values)
