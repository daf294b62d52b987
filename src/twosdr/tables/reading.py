"""Containers: any table as a `Table` of named columns.

A table is a NumPy array, a list of rows, a dict of columns, a scipy sparse matrix, or any data frame that
narwhals can read.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import narwhals as nw
import numpy as np
import scipy.sparse as sp

from twosdr.errors import ColumnError, KindError, TableError, listing, quoted
from twosdr.tables.columns import Array, Column, of_series, of_values


@dataclass(frozen=True, eq=False)
class Table:
    """Named columns of equal length, read when asked for.

    `named` says whether the names are the visitor's own (an array's columns are called x0, x1, ...).
    `matrix` is the whole table as one dense numeric array, where it is one; `sparse` likewise.
    `native` is what the visitor passed, for column selectors.
    """

    names: tuple[str, ...]
    n_rows: int
    named: bool
    native: Any
    matrix: Array | None = None
    sparse: Any = None
    _frame: Any = None
    _more: tuple[Table, ...] = ()
    # Columns as they were read, by position: an engine asks for them block by block, and finding the levels of a category
    # takes a pass over all of its rows.
    _read: dict[int, Column] = field(default_factory=dict)

    @cached_property
    def _place(self) -> dict[str, int]:
        return {name: j for j, name in enumerate(self.names)}

    def column(self, name: str) -> Column:
        """The column of that name; looked at once, however often it is asked for."""
        j = self._place[name]
        if j not in self._read:
            self._read[j] = self._column(j, name)
        return self._read[j]

    def _column(self, j: int, name: str) -> Column:
        start = len(self.names) - sum(len(part.names) for part in self._more)
        if j >= start:
            for part in self._more:
                if j < start + len(part.names):
                    return part.column(part.names[j - start])
                start += len(part.names)
        if self._frame is not None:
            return of_series(self._frame[self._frame.columns[j]], name)
        if self.sparse is not None:
            return Column("number", self.sparse[:, [j]].toarray().ravel())
        assert self.matrix is not None
        return of_values(self.matrix[:, j], name)

    @property
    def sparse_names(self) -> tuple[str, ...]:
        """The columns that lie in the sparse matrix."""
        return () if self.sparse is None else self.names[: self.sparse.shape[1]]

    @property
    def labelled(self) -> bool:
        """Whether the columns are labelled by whole numbers other than their places, as a data frame's may be."""
        own = self.names[: len(self.names) - sum(len(part.names) for part in self._more)]
        return not self.named and own != tuple(f"x{j}" for j in range(len(own)))

    def numeric(self) -> bool:
        """Whether the table is one dense array of numbers, with no column beside it."""
        return self.matrix is not None and self.matrix.dtype.kind in "iuf" and not self._more

    def join(self, other: Table) -> Table:
        """This table with the other's columns behind its own."""
        if self.n_rows != other.n_rows:
            raise TableError(f"X has {self.n_rows} rows, but {listing(other.names)} beside it has {other.n_rows}.")
        return Table(
            self.names + other.names,
            self.n_rows,
            self.named,
            self.native,
            matrix=self.matrix,
            sparse=self.sparse,
            _frame=self._frame,
            _more=(*self._more, other),
        )

    def without(self, names: tuple[str, ...]) -> Table:
        """The same table with these columns hidden; their places stay."""
        return replace(self, names=tuple(f"{n} (hidden)" if n in names else n for n in self.names))

    def rename(self, names: tuple[str, ...]) -> Table:
        """The same columns under other names (for arrays that stand in for named columns)."""
        return replace(self, names=names, named=True)


def read(X: Any, *, what: str = "X") -> Table:
    """The visitor's table as a `Table`; raises a `TableError` that says what was seen."""
    if isinstance(X, Table):
        return X
    if sp.issparse(X):
        return _of_sparse(X, what)
    if isinstance(X, Mapping):
        X = _of_mapping(X, what)
    if type(X).__name__ == "RecordBatch":
        X = _as_arrow_table(X)
    _refuse_twins(X, what)
    frame = nw.from_native(X, pass_through=True, allow_series=True)
    if isinstance(frame, nw.LazyFrame):
        raise TableError(f"{what} is a lazy frame: its rows do not exist yet. Call .collect() on it first.")
    if isinstance(frame, nw.Series):
        if what == "X":
            _refuse_1d(frame.shape, what)
        named = isinstance(frame.name, str) and frame.name != ""
        frame = (frame if named else frame.alias(what)).to_frame()
        return replace(_of_frame(frame, frame.to_native(), what), named=named)
    if isinstance(frame, nw.DataFrame):
        return _of_frame(frame, X, what)
    return _of_array(X, what)


def _as_arrow_table(batch: Any) -> Any:
    import pyarrow as pa

    return pa.Table.from_batches([batch])


def _refuse_twins(X: Any, what: str) -> None:
    # Before narwhals sees them: it refuses twins too, with a message that does not say what to do here.
    if not hasattr(X, "shape") or isinstance(X, np.ndarray):
        return
    names = getattr(X, "column_names", None) if hasattr(X, "column_names") else getattr(X, "columns", None)
    if names is None or callable(names) or not all(isinstance(n, (str, int)) for n in names):
        return
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise ColumnError(f"{what} has more than one column named {listing(twice)}. Rename them: roles go by name.")


def _of_frame(frame: Any, native: Any, what: str) -> Table:
    names = list(native.columns) if hasattr(native, "columns") and hasattr(native.columns, "tolist") else frame.columns
    kinds = {type(name).__name__ for name in names}
    if kinds and kinds != {"str"}:
        if "str" in kinds:
            # The wording that scikit-learn's users know, and its checks look for.
            raise KindError(
                "Feature names are only supported if all input features have string names, but your input has "
                f"{sorted(kinds)} as feature name / column name types. If you want feature names to be stored and "
                "validated, you must convert them all to strings, by using X.columns = X.columns.astype(str)."
            )
        # A column labelled 7 is called x7 wherever it stands, so that roles and later tables find it by its label.
        plain = [f"x{label}" if kinds <= {"int", "int64"} else f"x{j}" for j, label in enumerate(names)]
        renamed = native.copy(deep=False)
        renamed.columns = plain
        return Table(tuple(plain), len(frame), False, native, _frame=nw.from_native(renamed, eager_only=True))
    return Table(tuple(names), len(frame), True, native, _frame=frame)


def _one_column(values: Any, name: str, what: str) -> Array:
    if hasattr(values, "to_numpy"):
        values = values.to_numpy()
    try:
        found = np.asarray(values)
        if found.dtype.kind in "US" and not isinstance(values, np.ndarray):
            found = np.array(values, dtype=object)  # a list of mixed values: NumPy would turn its numbers into text
    except ValueError:
        found = np.zeros((0, 0))
    if found.ndim != 1:
        raise TableError(
            f"Column {quoted(name)} of {what} is no plain list of values: one value for each row is needed, for one row a list of one."
        )
    return found


def _of_mapping(X: Mapping[Any, Any], what: str) -> Any:
    import pyarrow as pa

    arrays = {}
    for name, values in X.items():
        column = of_values(_one_column(values, str(name), what), str(name))
        if column.kind == "empty":
            arrays[str(name)] = pa.nulls(len(column.values))
        elif column.levels is None:
            arrays[str(name)] = pa.array(column.values, from_pandas=True)
        else:
            arrays[str(name)] = pa.DictionaryArray.from_arrays(
                pa.array(column.values, mask=column.values < 0), pa.array(list(column.levels))
            ).cast(pa.array(list(column.levels)).type)
    if len({len(a) for a in arrays.values()}) > 1:
        lengths = ", ".join(f"{quoted(k)}: {len(v)}" for k, v in arrays.items())
        raise TableError(f"{what} has columns of different lengths: {lengths}.")
    return pa.table(arrays)


def _of_sparse(X: Any, what: str) -> Table:
    if X.ndim != 2:
        _refuse_1d(X.shape, what)
    if X.dtype.kind == "c":
        raise KindError(f"Complex data not supported: {what} holds complex numbers.")
    if X.dtype.kind not in "iufb":
        raise KindError(f"{what} is a sparse matrix of dtype {X.dtype}; it must hold numbers.")
    names = tuple(f"x{j}" for j in range(X.shape[1]))
    return Table(names, X.shape[0], False, X, sparse=sp.csr_array(X))


def _of_array(X: Any, what: str) -> Table:
    if isinstance(X, (str, bytes)) or X is None or dimensions(X) == 0:
        raise TableError(
            f"Expected 2D array, got scalar array instead: {what} is {type(X).__name__}. Pass a data frame, a 2-D array, "
            "a dict of columns or a scipy sparse matrix."
        )
    try:
        values = np.asarray(X)
    except ValueError as trouble:
        raise TableError(
            f"{what} is no rectangle of rows and columns: {trouble}. Give every row as many values."
        ) from None
    if isinstance(X, np.ma.MaskedArray) and np.ma.is_masked(X):
        values = np.ma.filled(X.astype(float), np.nan)  # what is hidden is missing
    if values.dtype.kind in "USO" and not isinstance(X, np.ndarray):
        values = np.array(X, dtype=object)  # a list of mixed rows: NumPy would turn its numbers into text
    if values.dtype.kind == "c":
        raise KindError(f"Complex data not supported: {what} holds complex numbers.")
    if values.ndim == 1 and what != "X":
        values = values[:, None]
    if values.ndim != 2:
        _refuse_1d(values.shape, what)
    if values.dtype == np.longdouble or values.dtype == np.float16:
        values = values.astype(float)
    return Table(tuple(f"x{j}" for j in range(values.shape[1])), values.shape[0], False, X, matrix=values)


def _refuse_1d(shape: tuple[int, ...], what: str) -> Table:
    raise TableError(
        f"Expected 2D array, got {len(shape)}D array instead: {what} has shape {tuple(shape)}. "
        "Reshape your data: rows by columns, X.reshape(-1, 1) for one column and X.reshape(1, -1) for one row."
    )


def dimensions(y: Any) -> int:
    """How many axes it has as an array; 2 for rows of unequal length."""
    shape = getattr(y, "shape", None)
    if isinstance(shape, tuple):
        return len(shape)
    try:
        return np.asarray(y).ndim
    except ValueError:  # rows of unequal length (`read` says so)
        return 2
