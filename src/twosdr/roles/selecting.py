"""The columns that a visitor names: by name, index, mask, callable or column selector."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import narwhals as nw
import numpy as np

from twosdr.errors import RoleError, did_you_mean, listing, quoted
from twosdr.tables import Table


def select(table: Table, spec: Any, parameter: str) -> tuple[str, ...]:
    """The columns that a specification names: names, indices, a mask, a callable or a column selector."""
    if callable(spec) and not _is_expression(spec):
        spec = _call(spec, table, parameter)
    if _is_expression(spec) or (isinstance(spec, (list, tuple)) and spec and all(map(_is_expression, spec))):
        spec = _call(lambda native: _selected(native, spec), table, parameter)
    if isinstance(spec, (str, int, np.integer)) and not isinstance(spec, bool):
        spec = [spec]
    if not isinstance(spec, Iterable):
        raise RoleError(f"{parameter} must be names, indices or a column selector. Got {spec!r} instead.")
    asked = list(spec)
    if asked and all(isinstance(item, (bool, np.bool_)) for item in asked):
        if len(asked) != len(table.names):
            raise RoleError(f"{parameter} is a mask of {len(asked)} values; X has {len(table.names)} columns.")
        return tuple(name for name, taken in zip(table.names, asked, strict=True) if taken)
    names = []
    for item in asked:
        name = _name(table, item, parameter)
        if name in names:
            raise RoleError(f"{parameter} names column {quoted(name)} twice.")
        names.append(name)
    return tuple(names)


def _is_expression(spec: Any) -> bool:
    return type(spec).__module__.split(".")[0] in ("polars", "narwhals") and hasattr(spec, "alias")


def _selected(native: Any, spec: Any) -> list[str]:
    first = spec[0] if isinstance(spec, (list, tuple)) else spec
    library = type(first).__module__.split(".")[0]
    if library == "polars" and not type(native).__module__.startswith("polars"):
        raise TypeError(
            f"a selector of polars needs a polars frame, and X is {type(native).__module__}.{type(native).__name__}"
        )
    if library == "narwhals":
        native = nw.from_native(native, eager_only=True)
    return list(native.select(spec).columns)


def _call(spec: Callable[[Any], Any], table: Table, parameter: str) -> Any:
    try:
        return spec(table.native)
    except Exception as trouble:
        # Whatever a visitor's function raises, the message has to say whose it was.
        raise RoleError(
            f"The column selector of {parameter} failed on X: {type(trouble).__name__}: {trouble}"
        ) from trouble


def _name(table: Table, item: Any, parameter: str) -> str:
    if isinstance(item, str):
        if item not in table.names:
            hint = did_you_mean(item, table.names)
            without = "" if table.named else " X has no column names, so name columns by index."
            raise RoleError(
                f"{parameter} names column {quoted(item)}, which X does not have.{hint}{without} X has: {listing(table.names)}."
            )
        return item
    if isinstance(item, (int, np.integer)) and not isinstance(item, bool):
        if table.labelled:  # a data frame whose labels are numbers: the number is a label, not a place
            if f"x{item}" not in table.names:
                raise RoleError(
                    f"{parameter} names column {item}; X has the labels {listing(n[1:] for n in table.names)}."
                )
            return f"x{item}"
        if not -len(table.names) <= item < len(table.names):
            raise RoleError(
                f"{parameter} names column index {item}; X has {len(table.names)} columns, 0 to {len(table.names) - 1}."
            )
        return table.names[item]
    raise RoleError(f"{parameter} must hold names or indices. Got {item!r} ({type(item).__name__}) instead.")
