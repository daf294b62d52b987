"""From words to files: names, globs, folders and standard input; what kind of file each is, and its checksum.

The kind is read off the first bytes, not off the name: a CSV called .txt is a CSV.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

import glob
import hashlib
import io
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from twosdr.errors import DataNotFound, NotReadable, ParameterError, did_you_mean, quoted

STDIN = "-"
ENDINGS = (".parquet", ".pq", ".parq", ".csv", ".tsv", ".csv.gz", ".tsv.gz", ".arrow", ".feather")
PEEK = 2**16
MAGIC = {b"PAR1": "parquet", b"ARROW1": "arrow"}
OTHERS = {
    b"PK\x03\x04": "a zip archive (or an Excel workbook)",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook",
    b"\x89PNG": "a PNG picture",
    b"\xff\xd8\xff": "a JPEG picture",
    b"%PDF": "a PDF",
    b"SQLite format 3": "an SQLite database",
    b"\x28\xb5\x2f\xfd": "a zstd archive",
    b"\x80\x04": "a pickle, which is never loaded here",
    b"\x80\x05": "a pickle, which is never loaded here",
}


@dataclass(frozen=True)
class Given:
    """One file as it came: `path` for errors and reports, `kind` "csv", "parquet" or "arrow"; `held` where it was standard input."""

    path: str
    kind: str
    packed: bool = False
    held: bytes | None = None

    def open(self) -> Any:
        """The bytes, unpacked."""
        import pyarrow as pa

        raw = pa.BufferReader(self.held) if self.held is not None else pa.OSFile(self.path)
        return pa.CompressedInputStream(raw, "gzip") if self.packed else raw

    @property
    def size(self) -> int:
        """How many bytes."""
        return len(self.held) if self.held is not None else os.path.getsize(self.path)

    def sha256(self) -> str:
        """The checksum of the file as it lies there."""
        if self.held is not None:
            return hashlib.sha256(self.held).hexdigest()
        with open(self.path, "rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()

    @property
    def title(self) -> str:
        """How it is called."""
        return "standard input" if self.held is not None else self.path


def find(words: Sequence[str]) -> list[Given]:
    """The files behind the words of a command line, in sorted order within each word."""
    found = [one for word in words for one in _one(word)]
    if sum(one.held is not None for one in found) > 1:
        raise ParameterError("Standard input (-) can be read once. Name it once.")
    return found


def _one(word: str) -> list[Given]:
    if word == STDIN:
        return [_stdin(sys.stdin.buffer)]
    path = os.path.expanduser(word)
    if os.path.isdir(path):
        inside = sorted(str(p) for p in Path(path).rglob("*") if p.is_file() and str(p).lower().endswith(ENDINGS))
        if not inside:
            raise DataNotFound(f"Folder {quoted(word)} holds no Parquet or CSV file.")
        return [_file(p) for p in inside]
    if not os.path.lexists(path) and glob.has_magic(path):
        inside = sorted(p for p in glob.glob(path, recursive=True) if os.path.isfile(p))
        if not inside:
            raise DataNotFound(f"No file matches {quoted(word)}.")
        return [_file(p) for p in inside]
    if not os.path.exists(path):
        folder = Path(path).parent
        near = (
            did_you_mean(Path(path).name, os.listdir(folder))
            if folder.is_dir()
            else f" There is no folder {quoted(folder)}."
        )
        raise DataNotFound(f"There is no file {quoted(word)}.{near}")
    return [_file(path)]


def _stdin(stream: BinaryIO) -> Given:
    raw = stream.read()
    kind, packed = _kind(raw[:PEEK], "standard input")
    return Given(STDIN, kind, packed, raw)


def _file(path: str) -> Given:
    with open(path, "rb") as stream:
        kind, packed = _kind(stream.read(PEEK), path)
    return Given(path, kind, packed)


def _kind(head: bytes, name: str) -> tuple[str, bool]:
    """What the first bytes are, and whether they are packed."""
    if not head:
        raise NotReadable(f"{quoted(name)} is empty: there is not even a line of column names.")
    for magic, kind in MAGIC.items():
        if head.startswith(magic):
            return kind, False
    if head.startswith(b"\x1f\x8b"):
        return "csv", True
    for magic, what in OTHERS.items():
        if head.startswith(magic):
            raise NotReadable(f"{quoted(name)} is {what}, not a table. Give a CSV or a Parquet file.")
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):  # UTF-16, which csvs.py asks about
        return "csv", False
    if b"\0" in head:
        raise NotReadable(f"{quoted(name)} is no table: it holds bytes that are no text. Give a CSV or a Parquet file.")
    if head.lstrip().startswith((b"{", b"[{")) or name.lower().endswith((".json", ".jsonl", ".ndjson")):
        raise NotReadable(f"{quoted(name)} is JSON, not a table. Give a CSV or a Parquet file.")
    if head.lstrip()[:15].lower().startswith((b"<!doctype", b"<html", b"<?xml")):
        raise NotReadable(f"{quoted(name)} is a web page or XML, not a table. Was it downloaded without a login?")
    return "csv", False


def peek(given: Given, size: int = PEEK) -> bytes:
    """The first bytes, unpacked."""
    try:
        with given.open() as stream:
            return bytes(io.BytesIO(stream.read(size)).getvalue())
    except (OSError, EOFError) as trouble:
        raise NotReadable(f"{quoted(given.title)} cannot be unpacked: {trouble}.") from None
