"""What stands beside the table, row by row: the target as numbers, as labels of classes, and the weights."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from twosdr.errors import KindError, MissingValueError, TableError, quoted, warn
from twosdr.errors import rows as count_rows
from twosdr.tables.columns import Array, Column
from twosdr.tables.reading import dimensions, read


@dataclass(frozen=True, eq=False)
class Target:
    """The target as float columns, shape (n, d_y), with names; `flat` says that it came one-dimensional, `named`
    that the names are the visitor's."""

    values: Array
    names: tuple[str, ...]
    flat: bool
    named: bool


def target(y: Any) -> Target:
    """A numeric target of one or several columns."""
    if y is None:
        raise TableError("requires y to be passed, but the target y is None.")
    # One dimension or several is the visitor's choice, and predict answers in kind.
    flat = not hasattr(y, "columns") and not sp.issparse(y) and not isinstance(y, Mapping) and dimensions(y) == 1
    table = read(y, what="y")
    named = table.named
    if not table.names:
        raise TableError(f"The target y has no column: its shape is ({table.n_rows}, 0).")
    if not named:
        table = table.rename(("y",) if len(table.names) == 1 else tuple(f"y{j}" for j in range(len(table.names))))
    names, columns = table.names, []
    for name in table.names:
        column = table.column(name)
        if column.kind == "bool":
            column = Column("number", np.where(column.missing(), np.nan, column.values))
        if column.levels is not None and column.kind != "empty":
            raise KindError(
                f"The target {quoted(name)} holds {column.kind}; a regression needs numbers. "
                "Unknown label type: for classes use a classifier."
            )
        values = np.where(column.missing(), np.nan, column.values).astype(np.float64)
        bad = ~np.isfinite(values)
        if bad.any():
            first = int(np.argmax(bad))
            what = "NaN" if np.isnan(values[first]) else "infinity"
            raise MissingValueError(
                f"Input y contains {what}: the target has {int(bad.sum())} missing or infinite values, the first in "
                f"row {first}. Drop those rows."
            )
        columns.append(values)
    return Target(np.column_stack(columns), names, flat, named)


def labels(y: Any) -> tuple[Array, str | None]:
    """Class labels as a sortable array, and the target's name where it has one."""
    if y is None:
        raise TableError("requires y to be passed, but the target y is None.")
    table = read(y, what="y")
    if not table.n_rows:
        raise TableError("Found array with 0 sample(s): the target y is empty, while a minimum of 1 is required.")
    if isinstance(y, np.ndarray) and y.ndim == 2 and y.shape[1] == 1:
        from sklearn.exceptions import DataConversionWarning  # here, so that metrics do not wait for scikit-learn

        warn(
            "A column-vector y was passed when a 1d array was expected. Please change the shape of y to (n_samples,), for example "
            "using ravel().",
            DataConversionWarning,
        )
    if len(table.names) != 1:
        raise TableError(f"y should be a 1d array, got an array of shape ({table.n_rows}, {len(table.names)}) instead.")
    own = table.names[0] if table.named else None
    if own is None:
        table = table.rename(("y",))
    name = table.names[0]
    column = table.column(name)
    gone = column.missing()
    infinite = np.isinf(column.values) if column.values.dtype.kind == "f" else np.zeros(1, dtype=bool)
    if gone.any() or infinite.any():
        what, where = ("NaN", gone) if gone.any() else ("infinity", infinite)
        raise MissingValueError(
            f"Input y contains {what}: the target has {count_rows(int(where.sum()))} without a class, the first in row "
            f"{int(np.argmax(where))}. Drop those rows."
        )
    if column.levels is not None:
        return np.array(column.levels)[column.values], own
    values = column.values
    if values.dtype.kind == "f" and (values != np.round(values)).any():
        raise KindError(
            "Unknown label type: continuous. The target holds fractions; classes are whole numbers, booleans or text. For numbers "
            "use TwoStageRegressor."
        )
    return values, own


def weights(sample_weight: Any, n_rows: int) -> Array | None:
    """Row weights as floats, or None; negative, infinite and missing ones are refused."""
    if sample_weight is None:
        return None
    try:
        w = np.asarray(sample_weight)
        w = w.astype(np.float64) if w.dtype.kind in "iufbO" else _not_numbers(w)
    except (ValueError, TypeError):
        raise TableError(
            f"sample_weight must hold one number for each row. Got {sample_weight!r:.80} instead."
        ) from None
    if w.ndim == 0:
        w = np.full(n_rows, float(w))
    if w.ndim != 1:
        raise TableError(f"Sample weights must be 1D array or scalar, got {w.ndim}D array of shape {w.shape}.")
    if len(w) != n_rows:
        raise TableError(f"sample_weight.shape == {w.shape}, expected {(n_rows,)}: one weight for each row.")
    if not np.isfinite(w).all():
        raise MissingValueError(f"sample_weight has {int((~np.isfinite(w)).sum())} missing or infinite values.")
    if (w < 0).any():
        raise TableError(
            f"sample_weight has {int((w < 0).sum())} negative values, the first in row {int(np.argmax(w < 0))}. "
            "A row counts zero or more times."
        )
    if not w.any():
        raise TableError("Every sample_weight is zero: no row is left to fit on.")
    return w


def _not_numbers(w: Array) -> Array:
    raise TypeError(str(w.dtype))
