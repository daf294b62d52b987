"""One column of any library and dtype: numbers, or codes into levels.

What has no use as a number or a category (dates, complex numbers, mixed kinds) is refused here, by name.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import date, time, timedelta
from decimal import Decimal
from numbers import Real
from typing import Any

import narwhals as nw
import numpy as np
import numpy.typing as npt

from twosdr.errors import KindError, quoted

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


def of_series(series: Any, name: str) -> Column:
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
    gaps = coded.indices.null_count > 0
    codes = (pc.fill_null(coded.indices.cast(pa.int64()), -1) if gaps else coded.indices).to_numpy(zero_copy_only=False)
    if codes.dtype == np.uint64:  # which NumPy takes for no index
        codes = codes.astype(np.int64)
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
    there = codes[codes >= 0] if gaps else codes
    occurs = np.bincount(there, minlength=len(known)) > 0 if len(known) else np.zeros(0, dtype=bool)
    keep = sorted((j for j in range(len(known)) if occurs[j] and known[j] is not None), key=lambda j: known[j])
    place = np.full(len(known) + 1, -1, dtype=np.int16 if len(keep) < 2**15 else np.int32)
    place[keep] = np.arange(len(keep))
    kind = next(iter(kinds)) if keep else "empty"
    # The gap, -1, is the last place. take is several times as fast as place[codes] where codes are of fewer bytes than an index.
    return Column(kind, np.take(place, codes, mode="wrap"), tuple(known[j] for j in keep))


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
