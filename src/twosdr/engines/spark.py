"""Spark: mapInArrow turns every partition into one value; they come back to the driver and are added there.

Rows of Spark have no order, so folds go by `fold_key`. twosdr has to be installed where the executors run.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

import copy
import pickle
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import numpy as np

from twosdr.engines import kernels
from twosdr.engines.embedded import cut
from twosdr.engines.plan import located
from twosdr.engines.sources import Rows, piece_rows
from twosdr.engines.tasks import Task
from twosdr.errors import TableError, TwosdrError

HEAVY = ("moments_", "_baseline", "cv_results_")  # what a model learned that predicting does not need


def opened(source: Any) -> Rows:
    """A Spark data frame."""
    if not hasattr(source, "mapInArrow"):
        raise TableError(f"Of Spark, data frames can be read. Got {type(source).__name__}.")
    from pyspark.sql.pandas.types import to_arrow_schema

    schema = to_arrow_schema(source.schema)
    return Rows("a Spark data frame", schema, [], ordered=False, engine="spark", native=source)


def run(source: Rows, task: Task, **_: Any) -> tuple[Any, int]:
    """All values added up in the order of the partitions, and the number of rows."""
    some = source.native.select(*[_quoted(name) for name in task.columns])
    found = some.mapInArrow(_pieces(task), "part int, n_rows long, value binary").collect()
    total, n_rows = None, 0
    for row in sorted(found, key=lambda row: row["part"]):
        value = pickle.loads(bytes(row["value"]))  # what our own executors pickled, as Spark does with every function
        if isinstance(value, TwosdrError):
            raise value
        if value is not None:
            total = value if total is None else total + value
        n_rows += row["n_rows"]
    return total, n_rows


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _pieces(task: Task) -> Any:
    def pieces(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa
        from pyspark import TaskContext

        context = TaskContext.get()
        number = 0 if context is None else context.partitionId()
        total: Any = None
        n = 0
        try:
            for rows in cut(batches, piece_rows(len(task.columns))):
                with located(f"partition {number}, rows {n} to {n + rows.num_rows - 1}"):
                    value = task(rows, 0, kernels.wanted(rows.num_rows * len(task.columns)))
                total = value if total is None else total + value
                n += rows.num_rows
        except TwosdrError as trouble:
            total = trouble  # raised on the driver, where a visitor reads it without Java's traces around it
        yield pa.RecordBatch.from_pydict(
            {
                "part": pa.array([number], pa.int32()),
                "n_rows": pa.array([n], pa.int64()),
                "value": pa.array([pickle.dumps(total)], pa.binary()),
            }
        )

    return pieces


def column(model: Any, frame: Any) -> Any:
    """The model's predictions as a column of the frame: `frame.withColumn("score", column(model, frame))`.

    The columns that the model knows are read from the frame; what predicting does not need (moments) stays on the driver.
    """
    functions: Any = import_module("pyspark.sql.functions")

    light = copy.copy(model)
    for name in HEAVY:
        light.__dict__.pop(name, None)
    names = [name for name in model.feature_names_in_ if name in frame.columns]
    known = getattr(model, "classes_", None)
    kind = "double"
    if known is not None:
        kind = {"U": "string", "O": "string", "b": "boolean", "i": "long", "u": "long"}.get(
            np.asarray(known).dtype.kind, "double"
        )

    import pandas as pd

    def predict(rows: Any) -> Any:
        return pd.Series(light.predict(rows).tolist())

    predict.__annotations__ = {"rows": pd.DataFrame, "return": pd.Series}  # Spark reads the kind of function from them
    return functions.pandas_udf(predict, kind)(functions.struct(*[_quoted(name) for name in names]))
