"""Dask: data frames, or a list of delayed tables -> values of partitions, added in a tree in their order.

Partitions have no row numbers, so folds go by `fold_key`. What is lost with a worker is computed again by Dask; values are
pure functions of a partition, so that the result is the same bytes.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from importlib import import_module
from typing import Any

from twosdr.engines import kernels
from twosdr.engines.plan import located, only
from twosdr.engines.sources import Rows, as_arrow
from twosdr.engines.tasks import Task
from twosdr.errors import TableError

FAN_IN = 8  # values that one task adds up: a thousand partitions meet in four steps


def opened(source: Any) -> Rows:
    """A dask data frame, or delayed tables of the same columns."""
    import pyarrow as pa

    if isinstance(source, (list, tuple)):
        schema = as_arrow(source[0].compute()).schema
        return Rows("delayed tables", schema, [], ordered=False, engine="dask", native=list(source))
    if not hasattr(source, "to_delayed") or not hasattr(source, "_meta") or not hasattr(source, "columns"):
        raise TableError(f"Of Dask, data frames and lists of delayed tables can be read. Got {type(source).__name__}.")
    schema = pa.Schema.from_pandas(source._meta, preserve_index=False)
    return Rows("a dask data frame", schema, [], ordered=False, engine="dask", native=source)


def run(source: Rows, task: Task, **_: Any) -> tuple[Any, int]:
    """All values added up, and the number of rows."""
    dask: Any = import_module("dask")

    parts = source.native if isinstance(source.native, list) else source.native[list(task.columns)].to_delayed()
    work, join = dask.delayed(_piece, pure=True), dask.delayed(_join, pure=True)
    # The task is one object of the graph, not a copy in every node of it.
    shared = dask.delayed(task, traverse=False)
    values = [work(shared, part, number) for number, part in enumerate(parts)]
    while len(values) > 1:
        values = [join(values[a : a + FAN_IN]) for a in range(0, len(values), FAN_IN)]
    value, n_rows = dask.compute(values[0])[0] if values else (None, 0)
    return value, n_rows


def _piece(task: Task, part: Any, number: int) -> tuple[Any, int]:
    with located(f"partition {number}"):
        rows = only(part, task.columns)
        n = len(rows) if hasattr(rows, "__len__") else rows.num_rows
        return (task(rows, 0, kernels.wanted(n * len(task.columns))), n) if n else (None, 0)


def _join(values: list[tuple[Any, int]]) -> tuple[Any, int]:
    total = None
    for value, _ in values:
        if value is not None:
            total = value if total is None else total + value
    return total, sum(n for _, n in values)
