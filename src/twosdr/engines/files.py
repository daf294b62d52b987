"""Parquet and CSV files: one, several, a folder or a glob; in sorted order, so that row numbers are always the same.

pyarrow's default readers fetch whole row groups ahead; here a column is read through a small buffer, page by page.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from twosdr.engines.sources import File, Part, Rows, is_category, kind_of, piece_rows, same_schema, shown, whole_path
from twosdr.errors import ColumnError, DataNotFound, KindError, NotReadable, TableError, did_you_mean, listing, quoted

PARQUET, CSV = (".parquet", ".pq", ".parq"), (".csv", ".tsv", ".csv.gz", ".tsv.gz")
BUFFER = 2**16  # bytes of a column that are read ahead
CSV_BLOCK = 2**20


def opened(source: Any) -> Rows:
    """The files that a path, a folder, a glob or a list of paths names."""
    paths = _found(source)
    kinds = {_format(path) for path in paths}
    if len(kinds) > 1:
        raise TableError(f"{shown(source)} names Parquet and CSV files at once. Read one kind of file.")
    return _parquet(paths) if kinds == {"parquet"} else _csv(paths)


def _found(source: Any) -> list[str]:
    if isinstance(source, (list, tuple)):
        return [path for one in source for path in _found(one)]
    path = whole_path(source)
    if os.path.isdir(path):
        inside = sorted(
            str(p) for p in Path(path).rglob("*") if p.is_file() and str(p).lower().endswith((*PARQUET, *CSV))
        )
        if not inside:
            raise DataNotFound(f"Folder {shown(path)} holds no Parquet or CSV file.")
        return inside
    if os.path.isfile(path):
        return [path]
    if glob.has_magic(path):
        paths = sorted(p for p in glob.glob(path, recursive=True) if os.path.isfile(p))
        if not paths:
            raise DataNotFound(f"No file matches {shown(path)} (from {shown(os.getcwd())}).")
        return paths
    folder = Path(path).parent
    near = (
        did_you_mean(Path(path).name, os.listdir(folder))
        if folder.is_dir()
        else f" There is no folder {shown(folder)}."
    )
    raise DataNotFound(f"There is no file {shown(path)}.{near}")


def _format(path: str) -> str:
    name = path.lower()
    if name.endswith(PARQUET):
        return "parquet"
    if name.endswith(CSV):
        return "csv"
    raise TableError(f"{shown(path)} ends in none of {', '.join((*PARQUET, *CSV))}: is it Parquet or CSV?")


@contextmanager
def _readable(path: str, kind: str) -> Iterator[None]:
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, OSError, EOFError) as trouble:
        if isinstance(trouble, (FileNotFoundError, PermissionError)):
            raise
        raise NotReadable(
            f"In {shown(path)}: no whole {kind} file can be read from it: {_first_line(trouble)}"
        ) from trouble


def _first_line(trouble: BaseException) -> str:
    return (str(trouble).splitlines() or [type(trouble).__name__])[0]


def _mark(path: str) -> str:
    seen = os.stat(path)
    return f"{seen.st_size} {seen.st_mtime_ns}"


def _parquet(paths: list[str]) -> Rows:
    import pyarrow.parquet as pq

    files, first = [], None
    for path in paths:
        with _readable(path, "Parquet"), pq.ParquetFile(path, pre_buffer=False, buffer_size=BUFFER) as file:
            schema, meta = file.schema_arrow, file.metadata
            counts = [meta.row_group(g).num_rows for g in range(meta.num_row_groups)]
        if first is None:
            first = schema
        else:
            same_schema(first, schema, shown(path), shown(paths[0]))
        texts = tuple(n for n in schema.names if kind_of(schema.field(n).type) == "text")
        parts = tuple(
            Part(partial(_row_group, path, g, texts, False), n, partial(_row_group, path, g, texts, True))
            for g, n in enumerate(counts)
        )
        files.append(File(path, parts, _mark(path)))
    return Rows(shown(paths[0]) if len(paths) == 1 else f"{len(paths)} Parquet files", first, files)


def _row_group(path: str, group: int, texts: tuple[str, ...], abreast: bool, columns: tuple[str, ...]) -> Iterator[Any]:
    """Batches of one row group; text as codes into the file's own dictionaries, so that no string is made twice."""
    import pyarrow.parquet as pq

    with (
        _readable(path, "Parquet"),
        pq.ParquetFile(
            path, pre_buffer=False, buffer_size=BUFFER, read_dictionary=[n for n in texts if n in columns]
        ) as file,
    ):
        yield from file.iter_batches(piece_rows(len(columns)), [group], list(columns), use_threads=abreast)


def _csv(paths: list[str]) -> Rows:
    files, first = [], None
    for path in paths:
        with _readable(path, "CSV"):
            schema = _reader(path, None, None).schema
        if len(set(schema.names)) < len(schema.names):
            twice = sorted({n for n in schema.names if schema.names.count(n) > 1})
            raise ColumnError(f"In {shown(path)}: more than one column is named {listing(twice)}. Rename them.")
        if first is None:
            first = _widened(schema)
        elif set(schema.names) != set(first.names):
            same_schema(first, schema, shown(path), shown(paths[0]))
        files.append(File(path, (Part(partial(_csv_batches, path, first, tuple(schema.names))),), _mark(path)))
    return Rows(shown(paths[0]) if len(paths) == 1 else f"{len(paths)} CSV files", first, files)


def _widened(schema: Any) -> Any:
    """Types for all rows, from the first block: whole numbers may turn out to be fractions, and nothing to be a number."""
    import pyarrow as pa

    def wide(kind: Any) -> Any:
        if kind_of(kind) == "number" or pa.types.is_null(kind):
            return pa.float64()
        return pa.dictionary(pa.int32(), pa.string()) if is_category(kind) else kind

    return pa.schema([pa.field(f.name, wide(f.type)) for f in schema])


def _reader(path: str, schema: Any, columns: tuple[str, ...] | None) -> Any:
    from pyarrow import csv

    convert: dict[str, Any] = {"strings_can_be_null": True, "quoted_strings_can_be_null": False}
    if schema is not None:
        convert["column_types"] = {f.name: f.type for f in schema}
    if columns is not None:
        convert["include_columns"] = list(columns)
    return csv.open_csv(
        path,
        read_options=csv.ReadOptions(use_threads=False, block_size=CSV_BLOCK),
        parse_options=csv.ParseOptions(delimiter="\t" if ".tsv" in path.lower() else ","),
        convert_options=csv.ConvertOptions(**convert),
    )


def _csv_batches(path: str, schema: Any, names: tuple[str, ...], columns: tuple[str, ...]) -> Iterator[Any]:
    import pyarrow as pa

    try:
        reader = _reader(path, schema, columns)
        yield from reader
    except pa.ArrowInvalid as trouble:
        said = _first_line(trouble)
        column = re.search(r"CSV column #(\d+): .*?(invalid value '.*')", said)
        if column is None:
            raise NotReadable(f"In {shown(path)}: no whole CSV file can be read from it: {said}") from trouble
        name = names[int(column[1])]
        raise KindError(
            f"In {shown(path)}: column {quoted(name)} changed its kind of values: it held {kind_of(schema.field(name).type)} in the "
            f"first rows, and now {column[2]}. Convert it first."
        ) from trouble
