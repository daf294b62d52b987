"""Outputs: a file appears whole or not at all; `-` is standard output.

What is being written lies beside its target under a name of its own, and is removed by any error, Ctrl-C included.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

import os
import secrets
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from twosdr.errors import DataNotFound, ParameterError, quoted

STDOUT = "-"


@contextmanager
def opened(path: str) -> Iterator[BinaryIO]:
    """A stream whose bytes become the file when the block ends well."""
    if path == STDOUT:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    target = check(path)
    temporary = target.with_name(f".{secrets.token_hex(8)}.tmp")
    try:
        with open(temporary, "xb") as stream:
            yield stream
        os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def check(path: str) -> Path:
    """The file to be written, links followed; refused before any work where its folder is not there or it is a folder itself."""
    target = Path(os.path.realpath(os.path.expanduser(path)))
    if target.is_dir():
        raise ParameterError(f"{quoted(path)} is a folder. Name a file in it.")
    if not target.parent.is_dir():
        raise DataNotFound(
            f"There is no folder {quoted(Path(path).parent)} to write {quoted(target.name)} to. Make it first."
        )
    if not os.access(target.parent, os.W_OK):
        raise DataNotFound(f"The folder {quoted(Path(path).parent)} cannot be written to. Name another place.")
    return target


def put(path: str, data: bytes | str) -> None:
    """All of it."""
    with opened(path) as stream:
        stream.write(data.encode() if isinstance(data, str) else data)


class Tables:
    """Arrow tables, one after the other, as CSV or Parquet by the name's ending; standard output gets CSV."""

    def __init__(self, stream: BinaryIO, path: str) -> None:
        self._stream = stream
        self._writer: Any = None
        self._parquet = path.lower().endswith((".parquet", ".pq", ".parq"))

    def write(self, table: Any) -> None:
        """More rows."""
        if not self._parquet:
            table = _spelled(table)
        if self._writer is None:
            self._writer = self._start(table.schema)
        self._writer.write_table(table)

    def _start(self, schema: Any) -> Any:
        if self._parquet:
            from pyarrow import parquet

            # Numbers that hardly repeat gain nothing from a dictionary, and it takes as long as predicting them.
            texts = [f.name for f in schema if not str(f.type).startswith(("float", "double", "int", "uint"))]
            return parquet.ParquetWriter(
                self._stream,
                schema,
                compression="snappy",
                use_dictionary=texts,
                version="2.6",
                store_schema=False,
            )
        from pyarrow import csv

        return csv.CSVWriter(self._stream, schema, write_options=csv.WriteOptions(quoting_style="needed"))

    def close(self) -> None:
        """What is still held back is written."""
        if self._writer is not None:
            self._writer.close()


def _spelled(table: Any) -> Any:
    """Codes as the words that they stand for."""
    import pyarrow as pa

    for j, field in enumerate(table.schema):
        if pa.types.is_dictionary(field.type):
            table = table.set_column(j, field.name, table.column(j).cast(field.type.value_type))
    return table


def format_of(path: str) -> None:
    """Refuse a name whose ending says neither CSV nor Parquet."""
    if path != STDOUT and not path.lower().endswith((".csv", ".parquet", ".pq", ".parq")):
        raise ParameterError(f"{quoted(path)} ends in none of .csv, .parquet: is it to be CSV or Parquet?")
