"""What the files of the data sets share: text files read strictly, and tables made numeric as the paper's were.

Whatever is not as expected is a `NotReadable` that names the file, the line and what was expected. No data set
is known here by name.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np

from twosdr.datasets.recipes import Array, Unfit, whole
from twosdr.errors import NotReadable, did_you_mean, listing, quoted

MISSING = frozenset({"", "?", "NA"})
Lines = list[tuple[int, list[str]]]  # (line number, fields)


def lines_of(path: Path, delimiter: str = ",") -> Lines:
    """The lines of a text file that are not empty, with their numbers."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise NotReadable(f"{path} is no text file: byte {error.start} is not UTF-8.") from None
    reader = csv.reader(io.StringIO(text), delimiter=delimiter, skipinitialspace=True, strict=True)
    found: Lines = []
    try:
        for fields in reader:
            if any(fields):
                found.append((reader.line_num, fields))
    except csv.Error as error:
        raise NotReadable(f"{path}, line {reader.line_num}: {error}.") from None
    if not found:
        raise NotReadable(f"{path} holds no rows.")
    return found


def without_header(path: Path, columns: Sequence[str], delimiter: str = ",", skip: str | None = None) -> Text:
    """A file whose columns are known by place; lines that start with `skip` are left out."""
    lines = [(n, f) for n, f in lines_of(path, delimiter) if skip is None or not f[0].startswith(skip)]
    return Text(path, columns, lines)


def with_header(path: Path, needed: Sequence[str]) -> Text:
    """A file whose first line names its columns; those needed must be among them."""
    (_, header), *lines = lines_of(path)
    header = [name.strip() for name in header]
    absent = [name for name in needed if name not in header]
    if len(absent) == len(needed):  # no header: what stands there may be a person's, and is not repeated
        raise NotReadable(
            f"{path}: the first line names none of the columns expected, separated by commas: "
            f"{listing(needed, most=len(needed))}."
        )
    if absent:
        raise NotReadable(
            f"{path} lacks the column{'s' * (len(absent) > 1)} {listing(absent)}.{did_you_mean(absent[0], header)} "
            f"Its first line names: {listing(header)}. Expected: {listing(needed, most=len(needed))}."
        )
    return Text(path, header, lines)


class Text:
    """The columns of a text file, as numbers, labels or days; the first of two columns of one name counts."""

    def __init__(self, path: Path, columns: Sequence[str], lines: Lines) -> None:
        for number, fields in lines:
            if len(fields) != len(columns):
                raise NotReadable(
                    f"{path}, line {number}: {len(fields)} fields, expected {len(columns)}: {listing(columns, most=len(columns))}."
                )
        if not lines:
            raise NotReadable(f"{path} holds no rows.")
        self.path, self.columns, self.lines = path, list(columns), lines
        self._fields = list(zip(*(fields for _, fields in lines), strict=True))

    def _read(self, name: str, one: Callable[[str], Any], expected: str) -> list[Any]:
        values = self._fields[self.columns.index(name)]
        known: dict[str, Any] = dict.fromkeys(MISSING)  # few values are many rows
        for i, value in enumerate(values):
            if value not in known:
                try:
                    known[value] = None if value.strip() in MISSING else one(value.strip())
                except ValueError:
                    raise NotReadable(
                        f"{self.path}, line {self.lines[i][0]}: {quoted(name)} is {quoted(value)}, expected {expected}."
                    ) from None
        return [known[value] for value in values]

    def integers(self, name: str) -> Any:
        """int64, null where missing; 1.0 is whole."""
        return _arrow(self._read(name, _whole, "a whole number"), "int64")

    def floats(self, name: str) -> Any:
        """float64, null where missing."""
        return _arrow(self._read(name, _finite, "a number"), "float64")

    def labels(self, name: str, allowed: Iterable[str] | None = None, strip: str = "") -> Any:
        """Text, null where missing; `strip` names characters that end labels and do not belong to them."""
        known = None if allowed is None else frozenset(allowed)

        def one(value: str) -> str:
            label = value.rstrip(strip) if strip else value
            if known is not None and label not in known:
                raise ValueError
            return label

        return _arrow(self._read(name, one, f"one of {listing(sorted(known or ()))}"), "string")

    def days(self, name: str) -> Any:
        """Dates, null where missing; a time of day is cut off."""
        return _arrow(self._read(name, lambda v: date.fromisoformat(v[:10]), "a date such as 2013-08-14"), "date32")


def _finite(value: str) -> float:
    number = float(value)
    if not np.isfinite(number):
        raise ValueError
    return number


def _whole(value: str) -> int:
    try:
        number = int(value)
    except ValueError:
        if not float(value).is_integer():
            raise
        number = int(float(value))
    if not -(2**63) <= number < 2**63:
        raise ValueError
    return number


def _arrow(values: list[Any], kind: str) -> Any:
    import pyarrow as pa

    return pa.array(values, type=getattr(pa, kind)())


# Tables made numeric


def numbers(table: Any, name: str) -> Array:
    """A column as float64; a missing value is `Unfit`."""
    return np.asarray(whole(table, name).to_numpy(), dtype=np.float64)


def texts(table: Any, name: str) -> Array:
    """A column as an array of Python strings; a missing value is `Unfit`."""
    return np.asarray(whole(table, name).to_pylist(), dtype=object)


def dummies(name: str, labels: Array) -> dict[str, Array]:
    """An indicator for every label but the alphabetically first, named `name_label` with underscores."""
    _first, *others = sorted(set(labels))
    return {underscored(f"{name}_{label}"): (labels == label).astype(np.float64) for label in others}


def underscored(name: str) -> str:
    """The name with underscores for dashes and blanks."""
    return name.replace("-", "_").replace(" ", "_")


def numeric_table(columns: dict[str, Any]) -> Any:
    """The columns, all of them float64 but those that are text, as a pyarrow table."""
    import pyarrow as pa

    return pa.table(columns)


def complete(table: Any, columns: Sequence[str] | None = None) -> Any:
    """The rows in which none of the columns is missing; none at all is `Unfit`."""
    import pyarrow.compute as pc

    keep = None
    names = table.column_names if columns is None else columns
    for name in names:
        there = pc.is_valid(table.column(name))
        keep = there if keep is None else pc.and_(keep, there)
    found = table.filter(keep)
    if not found.num_rows:
        raise Unfit(f"no row is complete, expected some that have all of {listing(names, most=len(names))}.")
    return found
