"""Any table becomes named columns here; nothing below this file knows pandas from polars.

A table is a NumPy array, a list of rows, a dict of columns, a scipy sparse matrix, or any data
frame that narwhals can read. A column is numbers (missing values are NaN) or codes into levels (missing is -1).
Numeric columns are views of the visitor's memory wherever their dtype allows; nothing is written to.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, time, timedelta
from decimal import Decimal
from functools import cached_property
from numbers import Real
from typing import Any

import narwhals as nw
import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.exceptions import DataConversionWarning

from twosdr.errors import ColumnError, KindError, MissingValueError, TableError, listing, quoted, warn
from twosdr.errors import rows as count_rows

Array = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class Column:
    """One column: `values` holds numbers, or codes when `levels` is given (-1: missing).

    `kind` is what dtypes are compared by: "number", "bool", "text", or "empty" when every value is missing.
    """

    kind: str
    values: Array
    levels: tuple[Any, ...] | None = None

    def missing(self) -> Array:
        """A mask of the rows without a value."""
        if self.levels is not None:
            return np.asarray(self.values < 0)
        if self.values.dtype.kind == "f":
            return np.isnan(self.values)
        return np.zeros(len(self.values), dtype=bool)


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

    @cached_property
    def _place(self) -> dict[str, int]:
        return {name: j for j, name in enumerate(self.names)}

    def column(self, name: str) -> Column:
        """The column of that name."""
        j = self._place[name]
        start = len(self.names) - sum(len(part.names) for part in self._more)
        if j >= start:
            for part in self._more:
                if j < start + len(part.names):
                    return part.column(part.names[j - start])
                start += len(part.names)
        if self._frame is not None:
            return _of_series(self._frame[self._frame.columns[j]], name)
        if self.sparse is not None:
            return Column("number", self.sparse[:, [j]].toarray().ravel())
        assert self.matrix is not None
        return of_values(self.matrix[:, j], name)

    @property
    def sparse_names(self) -> tuple[str, ...]:
        """The columns that lie in the sparse matrix."""
        return () if self.sparse is None else self.names[: self.sparse.shape[1]]

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
        plain = [f"x{j}" for j in range(len(names))]
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
            f"Column {quoted(name)} of {what} is no plain list of values: one value for each row is needed."
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
    if isinstance(X, (str, bytes)) or X is None or _dimensions(X) == 0:
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


def _of_series(series: Any, name: str) -> Column:
    dtype = series.dtype
    if dtype.is_temporal():
        raise _no_dates(name, str(dtype))
    if dtype in (nw.String, nw.Categorical, nw.Enum):
        return _of_arrow(_to_arrow(series, name), name)
    if dtype == nw.Object:
        return of_values(series.to_numpy(), name)
    if dtype == nw.Boolean or dtype.is_numeric():
        if "128" in str(dtype):  # wider than NumPy or Arrow can hold
            series = series.cast(nw.Float64)
        values = series.to_numpy()
        if values.dtype.kind in "iufb":
            return of_values(values, name)
        return _of_arrow(_to_arrow(series, name), name)  # decimals, and nullable integers or booleans with gaps
    if dtype == nw.Unknown:
        kind = str(getattr(series.to_native(), "dtype", "null"))
        if kind == "null":
            return Column("empty", np.full(len(series), -1, dtype=np.int8), ())
        if "period" in kind:
            raise _no_dates(name, kind)
        return of_values(np.asarray(series.to_numpy()), name)
    raise _no_use(name, str(dtype))


def _to_arrow(series: Any, name: str) -> Any:
    import pyarrow as pa

    native = series.to_native()
    levels = getattr(getattr(native, "cat", None), "categories", None)
    if levels is not None and getattr(levels, "dtype", None) == np.dtype(object):  # pandas: categories of any kind
        seen = Counter("text" if isinstance(v, str) else type(v).__name__ for v in levels)
        if len(seen) > 1:
            raise KindError(
                f"Column {quoted(name)} has categories of several kinds: {_counted(seen)}. Make them one kind, for example with "
                ".astype(str)."
            )
    try:
        return series.to_arrow()
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, TypeError):
        raise _no_use(name, str(series.dtype)) from None


def _counted(seen: Counter[str]) -> str:
    return ", ".join(f"{kind} ({count})" for kind, count in seen.most_common(6))


def of_values(values: Array, name: str) -> Column:
    """A column from a one-dimensional NumPy array of any dtype."""
    kind = values.dtype.kind
    if kind in "iuf":
        odd = values.dtype in (np.longdouble, np.float16) and values.dtype != np.float64
        return Column("number", values.astype(float) if odd else values)
    if kind == "b":
        return Column("bool", values.astype(np.int8), (False, True))
    if kind in "mM":
        raise _no_dates(name, str(values.dtype))
    if kind == "c":
        raise KindError(f"Complex data not supported: column {quoted(name)} holds complex numbers.")
    return _of_objects(values, name)


def _of_objects(values: Array, name: str) -> Column:
    import pyarrow as pa

    if values.dtype.kind in "US":
        values = values.astype(str).astype(object)
    try:
        return _of_arrow(pa.array(values, from_pandas=True), name)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, OverflowError):
        pass
    seen = Counter(type(v).__name__ for v in values if not _is_missing(v))
    if all(_is_missing(v) or isinstance(v, (Real, Decimal)) for v in values):
        return Column("number", np.array([np.nan if _is_missing(v) else float(v) for v in values]))
    raise KindError(
        f"Column {quoted(name)} mixes kinds of values: {_counted(seen)}. Every argument must be a string or a number: "
        "make it one kind, for example with .astype(str) or .astype(float)."
    )


def _is_missing(value: Any) -> bool:
    # NaN is the one value that differs from itself; pandas' NA refuses to be compared at all.
    try:
        return value is None or bool(value != value)
    except (TypeError, ValueError):
        return type(value).__name__ == "NAType"


def _of_arrow(array: Any, name: str) -> Column:
    import pyarrow as pa
    import pyarrow.compute as pc

    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
        if isinstance(array, pa.ChunkedArray):
            array = pa.concat_arrays(array.chunks) if array.num_chunks else pa.array([], type=array.type)
    kind = array.type
    if pa.types.is_null(kind):
        return Column("empty", np.full(len(array), -1, dtype=np.int8), ())
    if pa.types.is_boolean(kind):
        codes = pc.fill_null(array.cast(pa.int8()), -1).to_numpy(zero_copy_only=False)
        return Column("bool", codes, (False, True))
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return Column("number", array.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False))
    if pa.types.is_temporal(kind):
        raise _no_dates(name, str(kind))
    if (
        pa.types.is_dictionary(kind)
        or pa.types.is_string(kind)
        or pa.types.is_large_string(kind)
        or str(kind) == "string_view"
    ):
        return _coded(array, name)
    raise _no_use(name, str(kind))


def _coded(array: Any, name: str) -> Column:
    import pyarrow as pa
    import pyarrow.compute as pc

    if str(array.type) == "string_view":
        array = array.cast(pa.large_string())
    coded = array if pa.types.is_dictionary(array.type) else array.dictionary_encode()
    known = coded.dictionary.to_pylist()
    codes = pc.fill_null(coded.indices.cast(pa.int64()), -1).to_numpy(zero_copy_only=False)
    some = [v for v in known if v is not None]
    if some and all(isinstance(v, (date, timedelta, time)) for v in some):
        raise _no_dates(name, str(array.type))
    kinds = {"bool" if isinstance(v, bool) else "number" if isinstance(v, (int, float)) else "text" for v in some}
    if len(kinds) > 1 or (kinds == {"text"} and not all(isinstance(v, str) for v in some)):
        seen = Counter(type(v).__name__ for v in some)
        raise KindError(
            f"Column {quoted(name)} has categories that are neither all text nor all numbers: {_counted(seen)}. Make them one "
            "kind, for example with .astype(str)."
        )
    # Only levels that occur, in sorted order: the same rows in another order are the same column.
    occurs = np.bincount(codes[codes >= 0], minlength=len(known)) > 0 if len(known) else np.zeros(0, dtype=bool)
    keep = sorted((j for j in range(len(known)) if occurs[j] and known[j] is not None), key=lambda j: known[j])
    place = np.full(len(known) + 1, -1, dtype=np.int16 if len(keep) < 2**15 else np.int32)
    place[keep] = np.arange(len(keep))
    kind = next(iter(kinds)) if keep else "empty"
    return Column(kind, place[codes], tuple(known[j] for j in keep))


def _no_use(name: str, dtype: str) -> KindError:
    return KindError(
        f"Column {quoted(name)} has dtype {dtype}; a column must hold numbers, booleans or text. Convert it, for example with "
        ".astype(str), or leave it out with drop=[...]."
    )


def _no_dates(name: str, dtype: str) -> KindError:
    return KindError(
        f"Column {quoted(name)} holds dates or times ({dtype}). Make a number of them first, for example days since a "
        "fixed day: (t - t.min()).dt.total_seconds() / 86400; or leave the column out with drop=[...]."
    )


def _not_numbers(w: Array) -> Array:
    raise TypeError(str(w.dtype))


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
    flat = not hasattr(y, "columns") and not sp.issparse(y) and not isinstance(y, Mapping) and _dimensions(y) == 1
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
        warn(
            "A column-vector y was passed when a 1d array was expected. Please change the shape of y to (n_samples,), for example "
            "using ravel().",
            DataConversionWarning,
        )
    if len(table.names) != 1:
        raise TableError(f"y should be a 1d array, got an array of shape ({table.n_rows}, {len(table.names)}) instead.")
    if not table.named:
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
        return np.array(column.levels)[column.values], name if table.named and name != "y" else None
    values = column.values
    if values.dtype.kind == "f" and (values != np.round(values)).any():
        raise KindError(
            "Unknown label type: continuous. The target holds fractions; classes are whole numbers, booleans or text. For numbers "
            "use TwoStageRegressor."
        )
    return values, name if table.named and name != "y" else None


def _dimensions(y: Any) -> int:
    try:
        return np.asarray(y).ndim
    except ValueError:  # rows of unequal length; `read` says so
        return 2


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
