"""CSV as people have it: the separator, the encoding and the ragged line, each with one answer that names the next step.

Nothing is guessed in silence. A comma and UTF-8 (with or without its mark) are what is expected; where the file looks like something
else, the error names the option that says so.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

import codecs
import csv
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from twosdr.cli.files import Given, peek
from twosdr.errors import ColumnError, KindError, NotReadable, ParameterError, listing, quoted

SEPARATORS = {",": "a comma", ";": "a semicolon", "\t": "a tab", "|": "a bar"}
WRITTEN = {"\\t": "\t", "tab": "\t", "comma": ",", "semicolon": ";", "bar": "|", "pipe": "|"}
BLOCK = 2**20
PACKED = 30  # times that a packed file may grow: types are found out from one block, which is to be all of it
LINES = 20  # of the file that are looked at to tell the separator


@dataclass(frozen=True)
class Form:
    """How CSV is to be read: `delimiter` None for what the name says, `encoding`, further words for a missing value."""

    delimiter: str | None = None
    encoding: str = "utf-8"
    missing: tuple[str, ...] = ()

    def checked(self) -> Form:
        """The same, or the error that says what is wrong with it."""
        delimiter = None if self.delimiter is None else WRITTEN.get(self.delimiter.lower(), self.delimiter)
        if delimiter is not None and len(delimiter.encode()) != 1:
            raise ParameterError(f"--delimiter takes one character, or tab. Got {quoted(self.delimiter)} instead.")
        try:
            name = codecs.lookup(self.encoding).name
        except LookupError:
            raise ParameterError(
                f"--encoding {self.encoding!r:.40} is no encoding. Common ones: utf-8, latin-1, cp1252, utf-16."
            ) from None
        return Form(delimiter, name, self.missing)


def separator(given: Given, form: Form) -> str:
    """What separates the values; an error where the file looks separated by something else."""
    expected = form.delimiter or ("\t" if ".tsv" in given.path.lower() else ",")
    lines = _first_lines(given, form)
    if not lines or not "".join(lines).strip():
        raise NotReadable(f"{quoted(given.title)} is empty: there is not even a line of column names.")
    counts = {mark: _columns(lines, mark) for mark in {**SEPARATORS, expected: ""}}
    if counts[expected] > 1:
        return expected
    likely = max(counts, key=lambda mark: counts[mark])
    if counts[likely] > 1:
        said = SEPARATORS.get(likely, repr(likely))
        option = {"\t": "tab"}.get(likely, f"'{likely}'")
        raise NotReadable(
            f"{quoted(given.title)} has one column, {quoted(lines[0].strip())}, when read with {SEPARATORS.get(expected, repr(expected))} "
            f"between values. They look separated by {said}: say --delimiter {option}."
        )
    return expected


def _columns(lines: list[str], mark: str) -> int:
    """How many columns every line has with this separator; 1 where they disagree with the first."""
    try:
        counts = [len(row) for row in csv.reader(lines, delimiter=mark) if row]
    except csv.Error:
        return 1
    agree = sum(count == counts[0] for count in counts) if counts else 0
    return counts[0] if counts and agree >= 0.8 * len(counts) else 1


def _first_lines(given: Given, form: Form) -> list[str]:
    head = peek(given)
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) and not form.encoding.startswith("utf-16"):
        raise NotReadable(f"{quoted(given.title)} is UTF-16, as some spreadsheets write it: say --encoding utf-16.")
    text = codecs.getincrementaldecoder(_python_name(form))(errors="replace").decode(head)
    lines = text.splitlines(keepends=True)
    return lines[: min(LINES, max(1, len(lines) - 1))]


def _python_name(form: Form) -> str:
    return "utf-8-sig" if form.encoding == "utf-8" else form.encoding


def batches(
    given: Given, form: Form, kinds: Mapping[str, Any] | None = None, columns: list[str] | None = None
) -> Iterator[Any]:
    """Record batches of the file, in order; `kinds` fixes the types of some columns, `columns` leaves the others unread."""
    import pyarrow as pa
    from pyarrow import csv as pacsv

    mark = separator(given, form)
    convert: dict[str, Any] = {"strings_can_be_null": True, "quoted_strings_can_be_null": False}
    if form.missing:
        convert["null_values"] = [*pacsv.ConvertOptions().null_values, *form.missing]
    if kinds:
        convert["column_types"] = dict(kinds)
    if columns is not None:
        convert["include_columns"] = columns
    names: list[str] = []
    try:
        with given.open() as stream:
            reader = pacsv.open_csv(
                stream,
                # One block where types are found out: of a whole file, as of its first rows, they would differ.
                read_options=pacsv.ReadOptions(use_threads=False, block_size=BLOCK, encoding=form.encoding),
                parse_options=pacsv.ParseOptions(delimiter=mark, newlines_in_values=True),
                convert_options=pacsv.ConvertOptions(**convert),
            )
            names = reader.schema.names
            refuse_twins(names, given)
            yield from reader
    except pa.ArrowInvalid as trouble:
        raise _told(str(trouble), given, form, names) from None


def whole(given: Given, form: Form) -> Any:
    """The file as one table; a column's type is what all of its rows allow."""
    import pyarrow as pa
    from pyarrow import csv as pacsv

    mark = separator(given, form)
    convert: dict[str, Any] = {"strings_can_be_null": True, "quoted_strings_can_be_null": False}
    if form.missing:
        convert["null_values"] = [*pacsv.ConvertOptions().null_values, *form.missing]
    try:
        with given.open() as stream:
            table = pacsv.read_csv(
                stream,
                read_options=pacsv.ReadOptions(
                    encoding=form.encoding,
                    block_size=max(BLOCK, min(given.size * (PACKED if given.packed else 1) + 1, 2**31 - 1)),
                ),
                parse_options=pacsv.ParseOptions(delimiter=mark, newlines_in_values=True),
                convert_options=pacsv.ConvertOptions(**convert),
            )
    except pa.ArrowInvalid as trouble:
        raise _told(str(trouble), given, form, []) from None
    except UnicodeDecodeError as trouble:
        raise NotReadable(
            f"{quoted(given.title)} is not {form.encoding}: {trouble.reason}. Say another --encoding."
        ) from None
    refuse_twins(table.column_names, given)
    if any(pa.types.is_binary(kind) for kind in table.schema.types):  # what pyarrow makes of bytes that are no text
        raise _encoding(given)
    return table


def refuse_twins(names: list[str], given: Given) -> None:
    """Two columns of one name cannot be told apart."""
    if len(set(names)) < len(names):
        twice = sorted({name for name in names if names.count(name) > 1})
        raise ColumnError(
            f"{quoted(given.title)} has more than one column named {listing(twice)}. Rename them: roles go by name."
        )


def _told(said: str, given: Given, form: Form, names: list[str]) -> Exception:
    """The error for what pyarrow says about a file."""
    first = (said.splitlines() or ["?"])[0]
    if "UTF8" in first or "utf8" in first.lower():
        return _encoding(given)
    found = re.search(r"CSV column #(\d+): .*?(invalid value '.*')", first)
    if found:
        name = names[int(found[1])] if int(found[1]) < len(names) else f"number {int(found[1]) + 1}"
        return KindError(
            f"{quoted(given.title)}: column {quoted(name)} holds numbers, and here {found[2]:.80}. Convert it, or --drop it."
        )
    found = re.search(r"(?:Row #(\d+): )?Expected (\d+) columns, got (\d+): ?(.*)", first)
    if found:
        row = f"line {found[1]}" if found[1] else "a line"
        return NotReadable(
            f"{quoted(given.title)}: {row} has {found[3]} values where the header has {found[2]}: {quoted(found[4])}. Values that hold "
            "the separator need quotes around them."
        )
    return NotReadable(f"{quoted(given.title)} cannot be read as CSV: {first:.160}")


def _encoding(given: Given) -> NotReadable:
    """Where the file stops being UTF-8, and what it may be."""
    decoder, line = codecs.getincrementaldecoder("utf-8")(), 1
    with given.open() as stream:
        while block := stream.read(BLOCK):
            held = decoder.getstate()[0]
            try:
                decoder.decode(block)
            except UnicodeDecodeError as trouble:
                raw = held + bytes(block)
                bad = raw[trouble.start]
                row = raw[raw.rfind(b"\n", 0, trouble.start) + 1 : trouble.start + 12].decode("latin-1")
                line += raw.count(b"\n", 0, trouble.start)
                return NotReadable(
                    f"{quoted(given.title)} is not UTF-8: byte 0x{bad:02x} in line {line} ({quoted(row.strip()[-30:])} in Latin-1). "
                    "If that reads right, say --encoding latin-1; of Windows, --encoding cp1252."
                )
            line += bytes(block).count(b"\n")
    return NotReadable(f"{quoted(given.title)} is not UTF-8. Say its --encoding, for example latin-1.")
