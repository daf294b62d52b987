"""What the file of a data set writes down: a `Recipe`, its parts, and what is said of the copy that was read.

Values alone: nothing here reads a file or knows a data set by name.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy.typing as npt

from twosdr.errors import quoted, rows

Array = npt.NDArray[Any]


class Unfit(Exception):
    """Why a table will not do; `load` adds the files that it was read from."""


def whole(table: Any, name: str) -> Any:
    """The column of that name, which must have no missing value."""
    column = table.column(name)
    if column.null_count:
        raise Unfit(f"{quoted(name)} is missing in {rows(column.null_count)}, expected in none.")
    return column


@dataclass(frozen=True)
class File:
    """A published file. `lf` is the SHA-256 of a text with its line ends as LF, where the published ones are CRLF.

    `urls` are tried in turn; with `member`, what they give is a .tar.gz, and the file that member of it.
    """

    name: str
    sha256: str
    lf: str = ""
    urls: tuple[str, ...] = ()
    member: str | None = None

    def known(self, content: bytes) -> bool:
        """Whether these are the published contents, whatever ends the lines."""
        return bool({digest(content), digest(content.replace(b"\r\n", b"\n"))} & {self.sha256, self.lf})


@dataclass(frozen=True)
class Original:
    """One form in which the original is published: its files, and the function that reads a folder with them."""

    files: tuple[File, ...]
    read: Callable[[Path], Any]


@dataclass(frozen=True)
class Bundle:
    """A file in the package, its kind ("bundled" or "stand-in"), and what was taken from where."""

    file: str
    sha256: str
    kind: str
    note: str


@dataclass(frozen=True)
class Roles:
    """Suggested roles. `attributes` are the columns that count as D; without it, all but target and left-out ones."""

    target: str
    positive: object = None
    sensitive: tuple[str, ...] = ()
    explanatory: tuple[str, ...] = ()
    left_out: Mapping[str, str] = field(default_factory=dict)
    attributes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Recipe:
    """All that the file of a data set says. `roles` reads the raw table, `prepare` makes the paper's table of it.

    `part` names the column that holds the official part of every row (train and test, or folds); unless it
    `part_counts` among the attributes, it leaves the table.
    """

    name: str
    title: str
    source: str
    licence: str
    citation: str
    card: str
    originals: tuple[Original, ...]
    roles: Callable[[Any], Roles]
    prepare: Callable[[Any], tuple[Any, Roles]]
    bundle: Bundle | None = None
    part: str | None = None
    part_counts: bool = False


@dataclass(frozen=True)
class Provenance:
    """Where the rows came from. `copy` is "original", "bundled" (all of its rows) or "stand-in" (not all of them).

    `sha256` holds every file that was read; `verified` says whether they are the published ones, line by line;
    `rows` counts what was read, before `paper=True` leaves rows out.
    """

    source: str
    licence: str
    citation: str
    copy: str
    sha256: Mapping[str, str]
    verified: bool
    rows: int
    note: str


def digest(content: bytes) -> str:
    """SHA-256, in hex."""
    return hashlib.sha256(content).hexdigest()
