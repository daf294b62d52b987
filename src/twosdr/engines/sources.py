"""Sources: files, datasets, streams, databases and iterators, as named columns in files, parts and batches of Arrow.

A source says its schema, whether it can be read again, and its files in order; a file has parts (row groups) that can be
read apart, or one that has to be read from the beginning.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import narwhals as nw

from twosdr.errors import KindError, TableError, listing, quoted

PIECE_BYTES, FEWEST, MOST = 2**23, 4_096, 65_536  # rows that are decoded, summed and let go together
Batches = Callable[[tuple[str, ...]], Iterator[Any]]


@dataclass(frozen=True, eq=False)
class Part:
    """Rows that can be read on their own: `batches(columns)` yields Arrow batches; `rows` where it is known.

    `abreast` yields the same, columns decoded side by side by Arrow's threads.
    """

    batches: Batches
    rows: int | None = None
    abreast: Batches | None = None


@dataclass(frozen=True, eq=False)
class File:
    """Parts under one name; `mark` tells the file from a later one of that name, for a fit that is resumed."""

    name: str
    parts: tuple[Part, ...]
    mark: str = ""

    @property
    def rows(self) -> int | None:
        """How many rows, where every part knows."""
        counts = [part.rows for part in self.parts]
        return None if any(n is None for n in counts) else sum(n for n in counts if n is not None)


@dataclass(frozen=True, eq=False)
class Rows:
    """A source: what errors call it, its schema, its files in order, and whether they can be read again."""

    what: str
    schema: Any
    files: Sequence[File]
    again: bool = True
    ordered: bool = True
    engine: str = "embedded"
    native: Any = None
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns."""
        return tuple(self.schema.names)

    @property
    def n_rows(self) -> int | None:
        """How many rows, where it is known without reading them."""
        counts = [file.rows for file in self.files]
        return None if any(n is None for n in counts) else sum(n for n in counts if n is not None)


def is_source(X: Any) -> bool:
    """Whether X is read piece by piece: a path, a dataset, a stream, a query, an iterator; a table at hand is not."""
    from twosdr.engines.databases import Query

    if isinstance(X, (str, os.PathLike, Query)) or _paths(X) or type(X).__name__ == "OnDask":
        return True
    home = type(X).__module__.split(".")[0]
    if home in ("dask", "dask_expr", "duckdb", "_duckdb", "pyspark"):
        return True
    if home == "pyarrow":
        return (hasattr(X, "to_batches") and hasattr(X, "get_fragments")) or type(X).__name__ == "RecordBatchReader"
    if home == "polars":
        return type(X).__name__ == "LazyFrame"
    if _is_delayed(X) or isinstance(X, Iterator):
        return True
    if inspect.isgeneratorfunction(X) or (inspect.isfunction(X) or inspect.ismethod(X)):
        return True
    # An object of which nothing is known but that Arrow can read it; a data frame is a table at hand.
    return hasattr(X, "__arrow_c_stream__") and not hasattr(X, "shape") and not hasattr(X, "columns")


def _paths(X: Any) -> bool:
    return isinstance(X, (list, tuple)) and bool(X) and all(isinstance(x, os.PathLike) for x in X)


def _is_delayed(X: Any) -> bool:
    return isinstance(X, (list, tuple)) and bool(X) and all(type(x).__module__.startswith("dask") for x in X)


def kind_of(kind: Any) -> str:
    """What dtypes are compared by: "number", "bool", "text", "empty" or the dtype's own name."""
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        return kind_of(kind.value_type)
    if pa.types.is_null(kind):
        return "empty"
    if pa.types.is_boolean(kind):
        return "bool"
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return "number"
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or str(kind) == "string_view":
        return "text"
    return str(kind)


def is_category(kind: Any) -> bool:
    """Whether a column of this type has levels that only its rows know."""
    import pyarrow as pa

    return pa.types.is_dictionary(kind) or kind_of(kind) in ("text", "empty")


def same_schema(first: Any, other: Any, file: str, first_file: str, columns: Iterable[str] | None = None) -> None:
    """Refuse a later file with other columns, or another kind of values in one."""
    from twosdr.errors import ColumnError

    wanted = list(first.names if columns is None else columns)
    absent = [name for name in wanted if name not in other.names]
    surplus = [name for name in other.names if name not in first.names]
    if absent or surplus:
        said = (f" Missing: {listing(absent)}." if absent else "") + (
            f" Only here: {listing(surplus)}." if surplus else ""
        )
        raise ColumnError(
            f"In {file}: the columns are not those of {first_file}.{said} Every file needs the same columns."
        )
    changed = [
        f"{quoted(name)} holds {kind_of(other.field(name).type)} ({other.field(name).type}) here and "
        f"{kind_of(first.field(name).type)} ({first.field(name).type}) in {first_file}"
        for name in wanted
        if kind_of(other.field(name).type) != kind_of(first.field(name).type)
        and "empty" not in (kind_of(other.field(name).type), kind_of(first.field(name).type))
    ]
    if changed:
        raise KindError(f"In {file}: columns changed their kind of values: {'; '.join(changed)}. Convert them first.")


def open_source(X: Any) -> Rows:
    """Any source as `Rows`; raises what is wrong with it before a row is read."""
    from twosdr.engines import databases, files, streams

    if isinstance(X, Rows):
        return X
    home = type(X).__module__.split(".")[0]
    if isinstance(X, (str, os.PathLike)) or _paths(X):
        return files.opened(X)
    if isinstance(X, databases.Query):
        return databases.opened(X)
    if home in ("dask", "dask_expr") or _is_delayed(X) or type(X).__name__ == "OnDask":
        from twosdr.engines import dask

        return dask.opened(X)
    if home == "pyspark":
        from twosdr.engines import spark

        return spark.opened(X)
    return streams.opened(X)


def piece_rows(width: int) -> int:
    """Rows of a piece with so many columns: some megabytes, a few of which exist at a time.

    A power of two, so that batches of a larger one are cut without copying.
    """
    rows = PIECE_BYTES // (8 * max(1, width))
    return max(FEWEST, min(MOST, 1 << max(0, rows.bit_length() - 1)))


def as_arrow(batch: Any) -> Any:
    """A batch of an iterator as an Arrow table: Arrow's own, a data frame of any library, or a dict of columns."""
    import pyarrow as pa

    if isinstance(batch, pa.RecordBatch):
        return pa.Table.from_batches([batch])
    if isinstance(batch, pa.Table):
        return batch
    if isinstance(batch, Mapping):
        return pa.table({name: values for name, values in batch.items()})
    frame = nw.from_native(batch, pass_through=True, eager_only=True)
    if isinstance(frame, nw.DataFrame):
        return frame.to_arrow().select(frame.columns)  # without the index of pandas
    raise TableError(
        f"A batch is {type(batch).__name__}; it must be an Arrow batch or table, a data frame or a dict of named columns."
    )


def shown(path: str | os.PathLike[str], width: int = 60) -> str:
    """A path in double quotes for a message; of a long one the end, which is what tells files apart."""
    text = str(path)
    return f'"{text}"' if len(text) <= width else f'"…{text[-width:]}"'


def whole_path(path: str | os.PathLike[str]) -> str:
    """A path as text, ~ opened."""
    return str(Path(path).expanduser())
