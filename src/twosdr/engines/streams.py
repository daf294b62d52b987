"""Datasets, Arrow streams (Polars, DuckDB, anything with the C stream interface) and iterators of batches."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any

from twosdr.engines.sources import MOST, File, Part, Rows, as_arrow, piece_rows, same_schema
from twosdr.errors import TableError


def opened(source: Any) -> Rows:
    """The source as one file of one part, or the files of a plain dataset of Parquet."""
    home, kind = type(source).__module__.split(".")[0], type(source).__name__
    if home == "polars" and kind == "LazyFrame":
        return _again(
            source.limit(0).collect().to_arrow().schema, lambda columns: _lazy(source, columns), "a lazy frame"
        )
    if home in ("duckdb", "_duckdb"):
        schema = source.limit(0).to_arrow_table().schema
        return _again(schema, lambda columns: _relation(source, columns), "a DuckDB relation")
    if hasattr(source, "get_fragments"):
        return _dataset(source)
    if kind == "RecordBatchReader":
        return _once(source, source.schema, "a RecordBatchReader")
    if isinstance(source, Iterator):
        return _iterator(source)
    if callable(source) and not hasattr(source, "__arrow_c_stream__"):
        return _function(source)
    return _stream(source)


def _again(
    schema: Any, batches: Callable[[tuple[str, ...]], Iterator[Any]], what: str, rows: int | None = None
) -> Rows:
    return Rows(what, schema, [File(what, (Part(batches, rows),))])


def _lazy(frame: Any, columns: tuple[str, ...]) -> Iterator[Any]:
    some = frame.select(list(columns))
    if hasattr(some, "collect_batches"):
        return (
            batch.to_arrow() for batch in some.collect_batches(chunk_size=piece_rows(len(columns)), maintain_order=True)
        )
    return iter([some.collect().to_arrow()])  # an older Polars streams only into files


def _relation(relation: Any, columns: tuple[str, ...]) -> Iterator[Any]:
    some = relation.project(", ".join('"' + name.replace('"', '""') + '"' for name in columns))
    size = MOST  # smaller batches cost DuckDB half as much again
    return iter(some.to_arrow_reader(size) if hasattr(some, "to_arrow_reader") else some.fetch_arrow_reader(size))


def _dataset(source: Any) -> Rows:
    import pyarrow.dataset as ds

    from twosdr.engines import files

    form = getattr(source, "format", None)
    plain = isinstance(source, ds.FileSystemDataset) and isinstance(form, ds.ParquetFileFormat)
    local = plain and type(source.filesystem).__name__ == "LocalFileSystem"
    if local and not getattr(source, "_scan_options", None) and source.files:
        rows = files.opened([_Path(path) for path in source.files])
        if rows.names == tuple(source.schema.names):  # else folders hold columns too
            return rows

    def batches(columns: tuple[str, ...]) -> Iterator[Any]:
        options = ds.ParquetFragmentScanOptions(pre_buffer=False, use_buffered_stream=True, buffer_size=files.BUFFER)
        keep = {"fragment_scan_options": options} if isinstance(form, ds.ParquetFileFormat) else {}
        return iter(
            source.to_batches(
                columns=list(columns),
                batch_size=piece_rows(len(columns)),
                batch_readahead=1,
                fragment_readahead=1,
                use_threads=False,
                **keep,
            )
        )

    return _again(source.schema, batches, "a dataset")


class _Path(str):
    """A file of a dataset, which is none of the patterns that a visitor writes."""

    def __fspath__(self) -> str:
        return str(self)


def _stream(source: Any) -> Rows:
    import pyarrow as pa

    if not hasattr(source, "__arrow_c_stream__"):
        raise TableError(
            f"{type(source).__name__} is no source of rows. Pass a table, a path or glob of Parquet or CSV files, a dataset, a query, or "
            "anything that Arrow can read (__arrow_c_stream__)."
        )
    first = pa.RecordBatchReader.from_stream(source)
    schema = first.schema
    first.close()

    def batches(columns: tuple[str, ...]) -> Iterator[Any]:
        for batch in pa.RecordBatchReader.from_stream(source):
            yield batch.select(list(columns))

    return _again(schema, batches, f"a stream ({type(source).__name__})")


def _once(source: Any, schema: Any, what: str) -> Rows:
    used: list[bool] = []

    def batches(columns: tuple[str, ...]) -> Iterator[Any]:
        if used:
            raise TableError(f"The rows of {what} have been read, and can be read only once.")
        used.append(True)
        for number, batch in enumerate(source):
            table = as_arrow(batch)
            same_schema(schema, table.schema, f"batch {number}", "the first batch", columns)
            yield table.select(list(columns))

    return Rows(what, schema, [File(what, (Part(batches),))], again=False)


def _iterator(source: Iterator[Any]) -> Rows:
    try:
        first = as_arrow(next(source))
    except StopIteration:
        raise TableError("The iterator yields nothing: there is no batch to fit on.") from None
    return _once(chain([first], source), first.schema, "an iterator")


def _function(source: Callable[[], Any]) -> Rows:
    """A function that returns a new iterator of batches at each call: rows that can be read again."""
    rows = _iterator(iter(source()))

    def batches(columns: tuple[str, ...]) -> Iterator[Any]:
        for number, batch in enumerate(source()):
            table = as_arrow(batch)
            same_schema(rows.schema, table.schema, f"batch {number}", "the first batch", columns)
            yield table.select(list(columns))

    return _again(rows.schema, batches, "a function of batches")
