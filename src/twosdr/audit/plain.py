"""Frozen records to plain data and back: what JSON can hold, and nothing is lost on the way.

Works from the fields' types alone, so that a new field of a record is written and read without a line here.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

import math
from dataclasses import fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from twosdr.errors import NotReadable, listing, quoted


def to_plain(value: Any) -> Any:
    """A record as dicts, lists, numbers and text."""
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: to_plain(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, tuple):
        return [to_plain(v) for v in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)  # "inf": JSON has no word for it
    return value


def from_plain(kind: Any, data: Any, where: str = "audit") -> Any:
    """The record of type `kind` that `data` was made from; `where` leads the reader of an error to the spot."""
    if is_dataclass(kind):
        return _record(kind, data, where)
    origin = get_origin(kind)
    if origin in (Union, UnionType):
        if data is None and NoneType in get_args(kind):
            return None
        [inner] = [k for k in get_args(kind) if k is not NoneType]
        return from_plain(inner, data, where)
    if origin is tuple:
        if not isinstance(data, (list, tuple)):
            raise _wrong(where, "a list", data)
        inside = get_args(kind)
        if len(inside) == 2 and inside[1] is Ellipsis:
            return tuple(from_plain(inside[0], d, f"{where}[{j}]") for j, d in enumerate(data))
        if len(inside) != len(data):
            raise _wrong(where, f"a list of {len(inside)}", data)
        return tuple(from_plain(k, d, f"{where}[{j}]") for j, (k, d) in enumerate(zip(inside, data, strict=True)))
    return _scalar(kind, data, where)


def _record(kind: Any, data: Any, where: str) -> Any:
    if not isinstance(data, dict):
        raise _wrong(where, "an object", data)
    hints = _hints(kind)
    absent, surplus = [n for n in hints if n not in data], [n for n in data if n not in hints]
    if absent or surplus:
        said = [f"it lacks {listing(absent)}"] * bool(absent) + [f"it has {listing(surplus)} too many"] * bool(surplus)
        raise NotReadable(f"{where} is no {kind.__name__} of this schema: {', and '.join(said)}.")
    return kind(**{name: from_plain(hint, data[name], f"{where}.{name}") for name, hint in hints.items()})


@cache
def _hints(kind: Any) -> dict[str, Any]:
    known = get_type_hints(kind)
    return {f.name: known[f.name] for f in fields(kind)}


def _scalar(kind: Any, data: Any, where: str) -> Any:
    if kind is float and isinstance(data, str) and data in ("inf", "-inf", "nan"):
        return float(data)
    number = isinstance(data, (int, float)) and not isinstance(data, bool)
    fits = number if kind is float else isinstance(data, kind) and isinstance(data, bool) == (kind is bool)
    if not fits:
        raise _wrong(where, {float: "a number", int: "a whole number", str: "text", bool: "true or false"}[kind], data)
    return kind(data)


def _wrong(where: str, wanted: str, data: Any) -> NotReadable:
    return NotReadable(f"{where} should be {wanted}. Got {quoted(repr(data))} instead.")
