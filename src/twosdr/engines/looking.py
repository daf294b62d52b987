"""The first, light pass: only the columns whose levels, classes or means nothing but the rows can tell.

What it finds stands in for the rows when roles are resolved, so that a source and a table get the same roles and the same errors.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from twosdr import tables
from twosdr.engines.sources import Rows, is_category, kind_of
from twosdr.engines.tasks import Look, LookAt, Seen, check_levels
from twosdr.errors import ColumnError, ParameterError, TableError, did_you_mean, listing, quoted
from twosdr.roles import Roles, resolve
from twosdr.roles.selecting import select
from twosdr.tables import Array, Column, Table

Run = Callable[..., tuple[Any, int]]


def look(
    source: Rows,
    run: Run,
    *,
    y: tuple[str, ...],
    weight: str | None,
    labels: bool,
    drop: Any = (),
    aside: tuple[str, ...] = (),
    levels: dict[str, Any] | None = None,
    handle_missing: str = "error",
    max_levels: int = 1000,
    sensitive: Any = (),
) -> Look | None:
    """Levels, classes and means by a pass over those columns alone; None where the schema says all."""
    _known(source, (*y, *(() if weight is None else (weight,))))
    names = features(source, y, weight)
    out = {*select(_empty(source, names), drop, "drop"), *aside}
    categories = tuple(n for n in names if n not in out and is_category(source.schema.field(n).type))
    if handle_missing == "error":
        categories = tuple(n for n in categories if n not in (levels or {}))
    numbers = tuple(
        n
        for n in names
        if n not in out and handle_missing != "error" and kind_of(source.schema.field(n).type) in ("number", "bool")
    )
    if source.again and handle_missing == "error":
        # Two values of a sensitive number make groups, and how far they are apart is not in the moments.
        numbers = tuple(
            n
            for n in select(_empty(source, names), sensitive, "sensitive")
            if kind_of(source.schema.field(n).type) == "number"
        )
        numbers = tuple(
            n for n in numbers if n not in categories and n not in out and not is_category(source.schema.field(n).type)
        )
    if not categories and not numbers and not labels:
        return None
    if not source.again:
        why = [f"the levels of {listing(categories)} (pass levels={{name: [...]}})"] if categories else []
        why += [f"means for handle_missing={handle_missing!r}"] if numbers else []
        why += ["the classes of the target (call partial_fit with classes=[...] on each batch)"] if labels else []
        raise TableError(
            f"The rows of {source.what} can be read only once, and a first pass is needed to find {', '.join(why)}. Pass a "
            "source that can be read again: a path, a dataset, or a function that returns a new iterator."
        )
    whole: tuple[tuple[str, str], ...] = ()
    if handle_missing == "error":
        is_s = set(select(_empty(source, names), sensitive, "sensitive"))
        whole = tuple((n, "s" if n in is_s else "x") for n in categories)
    task = LookAt(categories, max_levels, numbers, y[0] if labels else None, weight, whole)
    found, _ = run(source, task)
    if found is None:
        raise TableError(f"Found array with 0 sample(s): {source.what} holds no row, while a minimum of 1 is required.")
    check_levels(found, max_levels)
    return found if isinstance(found, Look) else None


def features(source: Rows, y: tuple[str, ...], weight: str | None) -> tuple[str, ...]:
    """The columns that are neither target nor weight."""
    return tuple(n for n in source.names if n not in y and n != weight)


def roles_of(
    source: Rows,
    found: Look | None,
    y: tuple[str, ...],
    weight: str | None,
    *,
    levels: dict[str, Any] | None = None,
    **how: Any,
) -> Roles:
    """Roles as `resolve` decides them, from the schema and what the light pass saw."""
    names = features(source, y, weight)
    empty = _empty(source, names)
    seen = {} if found is None else found.columns
    for j, name in enumerate(names):
        kind = source.schema.field(name).type
        if name in seen:
            empty._read[j] = _stand_in(seen[name])
        elif kind_of(kind) == "bool":
            empty._read[j] = Column("bool", np.zeros(1, dtype=np.int8), (False, True))
        elif kind_of(kind) == "number" and not is_category(kind):
            empty._read[j] = Column("number", np.zeros(1))
        elif levels and name in levels:
            given = sorted(set(levels[name]))
            empty._read[j] = Column(_kind_of_levels(given), np.arange(len(given)), tuple(given))
        # Anything else is left out, or refused by name when its type is looked at.
    return resolve(empty, levels=levels, fill=None if found is None else lambda roles: _fill(roles, seen), **how)


def gaps(found: Look | None) -> dict[str, float]:
    """The distance of the two values of sensitive numbers that have two."""
    some = (
        {}
        if found is None
        else {n: sorted(s.values) for n, s in found.columns.items() if len(s.values) == 2 and not s.levels}
    )
    return {name: high - low for name, (low, high) in some.items()}


def _stand_in(seen: Seen) -> Column:
    gaps = np.full(seen.gone, -1)
    if seen.kind == "number" and not seen.levels:
        return Column("number", np.concatenate([[0.0][: 1 if seen.weight > 0 else 0], np.full(seen.gone, np.nan)]))
    known = (False, True) if seen.kind == "bool" else tuple(sorted(seen.levels))
    return Column(seen.kind, np.concatenate([np.arange(len(known)), gaps]), known)


def _kind_of_levels(given: list[Any]) -> str:
    if all(isinstance(v, str) for v in given):
        return "text"
    return "bool" if all(isinstance(v, bool) for v in given) else "number"


def _fill(roles: Roles, seen: dict[str, Seen]) -> Array:
    fill = np.zeros(len(roles.names))
    for field, span in roles.spans():
        column = seen.get(field.name)
        if column is None:
            continue
        if field.levels is None:
            fill[span.start] = column.mean
        else:
            counts = np.array([column.levels.get(level, 0.0) for level in field.levels])
            fill[span.start : span.start + len(field.levels)] = counts / max(counts.sum(), 1e-300)
    return fill


def _empty(source: Rows, names: tuple[str, ...]) -> Table:
    """The columns as a table of no rows, for the roles to be named by."""
    return tables.read(source.schema.empty_table().select(list(names)))


def _known(source: Rows, names: tuple[str, ...]) -> None:
    for name in names:
        if not isinstance(name, str):
            raise ParameterError(
                f"Of {source.what}, y and sample_weight are names of columns. Got {type(name).__name__} instead."
            )
        if name not in source.names:
            raise ColumnError(
                f"{source.what} has no column {quoted(name)}.{did_you_mean(name, source.names)} It has {listing(source.names)}."
            )
