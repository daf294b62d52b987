"""JSON in a narrower sense: no duplicate keys, no NaN, no half characters, no endless numbers; limited in size and depth.

Bytes in, plain values out, and back. What the values mean is for schema.py.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

import hashlib
import json
import math
import os
import re
import secrets
import stat
from itertools import accumulate
from pathlib import Path
from typing import Any

from twosdr.errors import NotReadable, quoted

MOST_BYTES = 2**26  # 64 MB: some 300,000 encoded columns
MOST_DEPTH = 32
LONGEST_NUMBER = 40
WIDTH = 180  # a term of one target is a line
_STRING = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"?', re.DOTALL)


def read_bytes(path: str | os.PathLike[str], most: int = MOST_BYTES) -> bytes:
    """The bytes of a file that is no longer than `most`; a longer one is not read."""
    name = quoted(Path(path).name)
    with open(path, "rb") as stream:
        kind = os.fstat(stream.fileno())
        size = kind.st_size if stat.S_ISREG(kind.st_mode) else 0
        raw = stream.read(most + 1) if size <= most else b""  # one more than allowed, also of what has no size
    if size > most or len(raw) > most:
        how = f"{size:,}" if size > most else f"more than {most:,}"
        raise NotReadable(f"{name} has {how} bytes; a model has {most:,} at most, so this is none of ours.")
    return raw


def parse(raw: bytes) -> Any:
    """The values in the text; raises ValueError with the reason."""
    _shallow(raw)
    try:
        text = raw.decode("utf-8-sig")  # an editor on Windows may have put its mark in front
    except UnicodeDecodeError as trouble:
        raise ValueError(f"it is not UTF-8 at byte {trouble.start}") from None
    try:
        return json.loads(text, object_pairs_hook=_once, parse_constant=_constant, parse_float=_float, parse_int=_int)
    except RecursionError:  # pragma: no cover - only under a recursion limit below MOST_DEPTH
        raise ValueError("it is nested too deeply") from None


def _shallow(raw: bytes) -> None:
    brackets = re.sub(rb"[^\[\]{}]+", b"", _STRING.sub(b"", raw))
    depth = max(accumulate((1 if b in b"[{" else -1 for b in brackets), initial=0))
    if depth > MOST_DEPTH:
        raise ValueError(f"it is nested {depth} deep, and a model {MOST_DEPTH} at most")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the key {quoted(twice)} stands there twice")
    return found


def _constant(word: str) -> Any:
    raise ValueError(f"it holds {word}, which is no number")


def _float(digits: str) -> float:
    value = float(digits) if len(digits) <= LONGEST_NUMBER else math.nan
    if not math.isfinite(value):
        raise ValueError(f"it holds the number {digits:.{LONGEST_NUMBER}}, which is out of range")
    return value


def _int(digits: str) -> int:
    if len(digits) > LONGEST_NUMBER:
        raise ValueError(f"it holds a number of {len(digits)} digits")
    return int(digits)


def whole_text(value: str) -> bool:
    """Whether every character is whole: half of a surrogate pair can be written to no file."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def digest(document: dict[str, Any]) -> str:
    """A checksum of the values: layout and the order of keys do not count, every digit does."""
    text = json.dumps(document, ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def render(value: Any, indent: int = 0, taken: int = 0) -> str:
    """JSON as a person lays it out: on one line what fits there, else one line for each part."""
    flat = json.dumps(value, ensure_ascii=False, allow_nan=False)
    if not isinstance(value, (dict, list)) or not value or indent + taken + len(flat) <= WIDTH:
        return flat
    pad = " " * (indent + 2)
    if isinstance(value, dict):
        heads = [json.dumps(key, ensure_ascii=False) + ": " for key in value]
        parts = [h + render(v, indent + 2, len(h) + 1) for h, v in zip(heads, value.values(), strict=True)]
        return "{\n" + ",\n".join(pad + part for part in parts) + "\n" + " " * indent + "}"
    return "[\n" + ",\n".join(pad + render(v, indent + 2, 1) for v in value) + "\n" + " " * indent + "]"


def write_whole(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a file that appears whole or not at all: a reader never sees half of it, nor does Ctrl-C leave any."""
    target = Path(os.path.realpath(path))  # through a link, not over it
    # The temporary file lies beside the target: a rename is atomic only within one file system.
    temporary = target.with_name(f".{secrets.token_hex(8)}.tmp")
    try:
        with open(temporary, "xb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
