"""DATA of a command line as tables: CSV, Parquet and Arrow files, one or several, whole or piece by piece.

Several files are one table: columns go by name, so their order may differ from file to file.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

import queue
import sys
import threading
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from twosdr.cli import csvs, files
from twosdr.errors import ColumnError, KindError, NotReadable, TableError, listing, quoted

HANDOVER = 2e-4  # seconds: a piece that is read waits no longer for its turn than a small part of what reading it took
PIECE_BYTES = 24 * 2**20  # of numbers; what a piece costs whatever its size is then little beside its rows
FEWEST, MOST = 2**14, 2**17  # rows of a piece


@dataclass(frozen=True)
class Data:
    """A table (pyarrow), and the files that it came from."""

    table: Any
    given: tuple[files.Given, ...]
    called: str = ""

    @property
    def title(self) -> str:
        """How it is called in a sentence."""
        if self.called:
            return self.called
        return self.given[0].title if len(self.given) == 1 else f"{len(self.given)} files"

    @property
    def names(self) -> list[str]:
        """The columns."""
        return list(self.table.column_names)


def whole(words: Sequence[str], form: csvs.Form) -> Data:
    """All rows of all files."""
    import pyarrow as pa

    found = files.find(words)
    form = form.checked()
    parts = [(one, _whole(one, form)) for one in found]
    first, table = parts[0]
    for one, part in parts[1:]:
        _refuse_other_columns(table, part, first, one)
        part = part.select(table.column_names)
        try:
            table = pa.concat_tables([table, part], promote_options="permissive")
        except (pa.ArrowInvalid, pa.ArrowTypeError) as trouble:
            changed = [
                f"{quoted(name)} ({table.schema.field(name).type}, now {part.schema.field(name).type})"
                for name in table.column_names
                if table.schema.field(name).type != part.schema.field(name).type
            ]
            raise KindError(
                f"{quoted(one.title)}: columns hold another kind of values than in {quoted(first.title)}: {', '.join(changed)}."
            ) from trouble
    refuse_no_rows(table.num_rows, found)
    return Data(table.combine_chunks(), tuple(found))


def refuse_no_rows(n: int, given: Sequence[files.Given]) -> None:
    """A header is no data."""
    if not n:
        raise TableError(f"{quoted(given[0].title)} has column names and no row below them.")


def _refuse_other_columns(table: Any, part: Any, first: files.Given, one: files.Given) -> None:
    absent = [name for name in table.column_names if name not in part.column_names]
    surplus = [name for name in part.column_names if name not in table.column_names]
    if absent or surplus:
        said = (f" Missing: {listing(absent)}." if absent else "") + (
            f" Only here: {listing(surplus)}." if surplus else ""
        )
        raise ColumnError(f"{quoted(one.title)}: the columns are not those of {quoted(first.title)}.{said}")


def _whole(given: files.Given, form: csvs.Form) -> Any:
    if given.kind == "csv":
        return csvs.whole(given, form)
    import pyarrow as pa
    from pyarrow import feather, parquet

    try:
        with given.open() as stream:
            table = parquet.read_table(stream) if given.kind == "parquet" else feather.read_table(stream)
    except (pa.ArrowInvalid, OSError) as trouble:
        raise _damaged(given, trouble) from None
    csvs.refuse_twins(table.column_names, given)
    return table


def _damaged(given: files.Given, trouble: BaseException) -> NotReadable:
    first = (str(trouble).splitlines() or [type(trouble).__name__])[0]
    return NotReadable(f"{quoted(given.title)} is no whole {given.kind} file: {first:.160}")


def names(given: files.Given, form: csvs.Form) -> list[str]:
    """The columns of a file, from its first bytes."""
    if given.kind == "csv":
        import csv

        mark = csvs.separator(given, form)
        return next(csv.reader(csvs._first_lines(given, form), delimiter=mark))
    return (
        list(_opened(given).schema_arrow.names) if given.kind == "parquet" else list(_whole(given, form).column_names)
    )


def _opened(given: files.Given) -> Any:
    import pyarrow as pa
    from pyarrow import parquet

    try:
        # Small buffers, page by page: the default reads row groups ahead as a whole.
        return parquet.ParquetFile(given.open(), pre_buffer=False, buffer_size=2**16)
    except (pa.ArrowInvalid, OSError) as trouble:
        raise _damaged(given, trouble) from None


def rows_of(given: Sequence[files.Given]) -> int | None:
    """How many rows, where the files say so in their heads."""
    if any(one.kind != "parquet" for one in given):
        return None
    return sum(int(_opened(one).metadata.num_rows) for one in given)


def pieces(given: files.Given, form: csvs.Form, kinds: Mapping[str, Any], columns: list[str]) -> Iterator[Any]:
    """Tables of some rows each, in order, with these columns; `kinds` are types for what a CSV leaves open."""
    import pyarrow as pa

    if given.kind == "csv":
        for batch in csvs.batches(given, form, {n: k for n, k in kinds.items() if n in columns}, columns):
            yield pa.Table.from_batches([batch])
        return
    size = min(MOST, max(FEWEST, PIECE_BYTES // (8 * max(1, len(columns)))))
    if given.kind == "arrow":
        table = _whole(given, form).select(columns)
        for start in range(0, max(table.num_rows, 1), size):
            yield table.slice(start, size)
        return
    opened = _opened(given)
    texts = [f.name for f in opened.schema_arrow if f.name in columns and pa.types.is_string(f.type)]
    opened.close()
    from pyarrow import parquet

    try:
        with parquet.ParquetFile(given.open(), pre_buffer=False, buffer_size=2**16, read_dictionary=texts) as file:
            for batch in file.iter_batches(size, columns=columns, use_threads=False):
                yield pa.Table.from_batches([batch])
    except (pa.ArrowInvalid, OSError) as trouble:
        raise _damaged(given, trouble) from None


def ahead(tables: Iterator[Any], room: int = 2) -> Generator[Any]:
    """The same tables, read by another thread while the last ones are worked on; no more than `room` wait."""
    waiting: queue.Queue[tuple[Any, BaseException | None]] = queue.Queue(room)
    stop = threading.Event()

    def read() -> None:
        trouble: BaseException | None = None
        try:
            for table in tables:
                while not stop.is_set():
                    try:
                        waiting.put((table, None), timeout=0.1)
                        break
                    except queue.Full:
                        continue
                if stop.is_set():
                    return
        except BaseException as error:
            trouble = error
        while not stop.is_set():
            try:
                waiting.put((None, trouble), timeout=0.1)
                return
            except queue.Full:
                continue

    thread = threading.Thread(target=read, name="reading", daemon=True)
    usual = sys.getswitchinterval()
    sys.setswitchinterval(HANDOVER)
    thread.start()
    try:
        while True:
            table, trouble = waiting.get()
            if trouble is not None:
                raise trouble
            if table is None:
                return
            yield table
    finally:
        sys.setswitchinterval(usual)
        stop.set()
        thread.join()  # a thread that still reads while the interpreter ends takes it down
