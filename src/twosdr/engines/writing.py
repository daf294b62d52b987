"""Predictions to a file, batch by batch: Parquet or CSV, under a temporary name until the last byte is on the disk."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from twosdr.errors import ParameterError, TableError, quoted

FORMATS = (".parquet", ".csv")


def check_path(path: str | os.PathLike[str]) -> Path:
    """Where to write to, or an error before anything is read."""
    target = Path(path).expanduser()
    if target.suffix.lower() not in FORMATS:
        raise ParameterError(
            f"{quoted(target.name)} ends in neither {' nor '.join(FORMATS)}: the ending says the format."
        )
    if not target.parent.is_dir():
        raise ParameterError(f"There is no folder {quoted(target.parent)} to write {quoted(target.name)} into.")
    return target


def write(batches: Iterator[Any], path: str | os.PathLike[str]) -> int:
    """Arrow tables of one schema into the file, which appears whole or not at all; returns the number of rows."""
    target = check_path(path)
    # Beside the target, for a rename is atomic only within one file system.
    temporary = target.with_name(f".{target.name}.{os.getpid()}.{threading.get_ident()}.part")
    try:
        with temporary.open("wb") as stream:
            n_rows = _into(batches, stream, target.suffix.lower())
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    return n_rows


def _into(batches: Iterator[Any], stream: Any, suffix: str) -> int:
    import pyarrow.parquet as pq
    from pyarrow import csv

    writer, n_rows = None, 0
    try:
        for table in batches:
            if writer is None:
                writer = (
                    pq.ParquetWriter(stream, table.schema)
                    if suffix == ".parquet"
                    else csv.CSVWriter(stream, table.schema)
                )
            writer.write_table(table)
            n_rows += table.num_rows
    except BaseException:
        # What went wrong is said already; closing would write, and fail, once more.
        with contextlib.suppress(Exception):
            if writer is not None:
                writer.close()
        raise
    if writer is None:
        raise TableError(
            "Found array with 0 sample(s): the source holds no row to predict, while a minimum of 1 is required."
        )
    writer.close()
    return n_rows
