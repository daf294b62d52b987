"""Deciding, once and in fit, the role of every column and the levels of every category."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from twosdr.errors import (
    ColumnError,
    MissingValueError,
    ParameterError,
    RoleError,
    TableError,
    UnknownLevelError,
    did_you_mean,
    listing,
    quoted,
)
from twosdr.errors import rows as count_rows
from twosdr.roles.fields import Field
from twosdr.roles.fitted import Roles
from twosdr.roles.selecting import select
from twosdr.tables import Array, Column, Table

HANDLE_MISSING = ("error", "mean", "category")
HANDLE_UNKNOWN = ("error", "mean")
PARAMETER = {"s": "sensitive", "z": "explanatory", "out": "drop"}  # the parameter that names a role's columns


def resolve(
    table: Table,
    *,
    sensitive: Any = (),
    explanatory: Any = (),
    drop: Any = (),
    handle_missing: str = "error",
    handle_unknown: str = "error",
    max_levels: int = 1000,
    weight: Array | None = None,
    target: tuple[str, ...] = (),
    policies: bool = True,
    levels: dict[str, Any] | None = None,
    aside: tuple[str, ...] = (),
    fill: Callable[[Roles], Array] | None = None,
) -> Roles:
    """Decide the role of every column of the table, and find the levels of its categories.

    `fill` gives the means for missing values where the table does not hold the rows.
    """
    _check(handle_missing, handle_unknown, max_levels)
    if table.sparse is not None and handle_missing != "error":
        raise ParameterError(f'handle_missing must be "error" for a sparse X. Got {handle_missing!r} instead.')
    if not table.names:
        raise RoleError(f"Found array with 0 feature(s) (shape=({table.n_rows}, 0)) while a minimum of 1 is required.")
    role = _assign(table, sensitive, explanatory, drop, target, aside)
    # Finiteness of plain numbers is read off their sums later, so such columns are not looked at here.
    plain = table.names if table.numeric() and handle_missing == "error" else table.sparse_names
    fields = tuple(
        Field(name, role[name], "number")
        if name in plain
        else _field(table.column(name), name, role[name], handle_missing, max_levels, weight, policies)
        for name in table.names
        if role[name] != "out"
    )
    fields = _with_levels(fields, levels)
    left_out = tuple(n for n in table.names if role[n] == "out")
    found = Roles(fields, left_out, table.named, handle_missing, handle_unknown, policies=policies)
    twice = sorted(name for name, count in Counter(found.names).items() if count > 1)
    if twice:
        raise ColumnError(f"Encoded columns would share the name {listing(twice)}: rename a column or its levels.")
    if handle_missing == "error":
        return found
    return found.with_fill(_training_fill(table, found, weight) if fill is None else fill(found))


def _check(handle_missing: str, handle_unknown: str, max_levels: int) -> None:
    if handle_missing not in HANDLE_MISSING:
        raise ParameterError(f"handle_missing must be one of {HANDLE_MISSING}. Got {handle_missing!r} instead.")
    if handle_unknown not in HANDLE_UNKNOWN:
        raise ParameterError(f"handle_unknown must be one of {HANDLE_UNKNOWN}. Got {handle_unknown!r} instead.")
    if not isinstance(max_levels, (int, np.integer)) or isinstance(max_levels, bool) or max_levels < 1:
        raise ParameterError(f"max_levels must be a whole number from 1 up. Got {max_levels!r} instead.")


def _assign(
    table: Table, sensitive: Any, explanatory: Any, drop: Any, target: tuple[str, ...], aside: tuple[str, ...]
) -> dict[str, str]:
    """The role letter of every column: s, z, x, or "out"."""
    role = dict.fromkeys(table.names, "x")
    for letter, spec in (("s", sensitive), ("z", explanatory), ("out", drop)):
        for name in select(table, spec, PARAMETER[letter]):
            if role[name] != "x":
                both = f"{PARAMETER[role[name]]}= and in {PARAMETER[letter]}="
                raise RoleError(f"Column {quoted(name)} is in {both}; a column has one role.")
            role[name] = letter
    for name in aside:
        if isinstance(name, str) and role.get(name) == "x":  # it divides rows into folds, and says nothing about them
            role[name] = "out"
    leaked = [name for name in target if role.get(name) in ("x", "s", "z")]
    if leaked:
        raise RoleError(
            f"Column {listing(leaked)} is the target y and also a column of X, so the model would read the answer. "
            f"Take it out of X, or pass drop=[{listing(leaked)}]."
        )
    if "x" not in role.values():
        raise RoleError(
            f"Found array with {len(table.names)} feature(s) (shape=({table.n_rows}, {len(table.names)})) while a minimum of "
            f"{1 + sum(r != 'x' for r in role.values())} is required: no ordinary column x is left to predict from. Name fewer columns "
            "as sensitive, explanatory or drop."
        )
    return role


def _with_levels(fields: tuple[Field, ...], levels: dict[str, Any] | None) -> tuple[Field, ...]:
    """Categories with the levels that the visitor declares, for rows that are still to come."""
    if not levels:
        return fields
    if not isinstance(levels, Mapping):
        raise ParameterError(f"levels must be a dict, column -> its levels. Got {levels!r:.80} instead.")
    by_name = {f.name: f for f in fields}
    for name, given in levels.items():
        field = by_name.get(name)
        if field is None:
            raise RoleError(f"levels= names {quoted(name)}, which X does not have." + did_you_mean(name, by_name))
        if field.levels is None:
            raise RoleError(f"levels= names {quoted(name)}, which holds numbers: they have no levels.")
        try:
            sorted(set(given))
        except TypeError:
            raise ParameterError(
                f"levels= of {quoted(name)} must be a list of values of one kind. Got {given!r:.80} instead."
            ) from None
        missing = [v for v in field.levels if v not in set(given)]
        if missing:
            raise UnknownLevelError(f"levels= of {quoted(name)} lacks {listing(missing)}, which X holds.")
        by_name[name] = replace(field, levels=tuple(sorted(set(given))))
    return tuple(by_name[f.name] for f in fields)


def _field(
    column: Column, name: str, role: str, handle_missing: str, max_levels: int, weight: Array | None, policies: bool
) -> Field:
    counted = slice(None) if weight is None else weight > 0
    missing = column.missing()[counted]
    gone = int(missing.sum())
    if gone and role == "s" and handle_missing == "mean":
        raise MissingValueError(
            f"Sensitive column {quoted(name)} is missing in {count_rows(gone)}, and an average person has no such attribute. Fit "
            'with handle_missing="category" to make missing a level of its own, or drop those rows.'
        )
    if column.kind == "empty" or gone == len(missing) > 0:
        raise MissingValueError(
            f"Input X contains NaN: column {quoted(name)} has no value in any row. Leave it out: drop=[{quoted(name)}]."
        )
    if gone and handle_missing == "error" and column.levels is not None:
        raise Roles((), policies=policies).missing({Field(name, role, column.kind): gone})
    gaps = bool(gone) and handle_missing == "category"
    if column.levels is None:
        return Field(name, role, "number", None, gaps)
    codes = column.values[counted]
    present = np.flatnonzero(np.bincount(codes[codes >= 0], minlength=len(column.levels)))
    levels = column.levels if column.kind == "bool" else tuple(column.levels[j] for j in present)
    if len(levels) > max_levels:
        raise ParameterError(
            f"Column {quoted(name)} has {len(levels)} levels in {count_rows(len(codes))}, more than max_levels={max_levels}: an "
            f"identifier? Leave it out with drop=[{quoted(name)}], group its levels, or raise max_levels."
        )
    return Field(name, role, column.kind, levels, gaps)


def _training_fill(table: Table, roles: Roles, weight: Array | None) -> Array:
    """Means of what is there, by encoded column: what missing values count as while moments are gathered."""
    fill = np.zeros(len(roles.names))
    w = np.ones(table.n_rows) if weight is None else weight
    for field, span in roles.spans():
        column = table.column(field.name)
        there = ~column.missing() & (w > 0)
        if field.levels is None:
            values = np.asarray(column.values, dtype=np.float64)
            there &= np.isfinite(values)
            first = values[there][:1].sum()  # a shift: means of 1e9 keep their digits
            fill[span.start] = first + np.average(values[there] - first, weights=w[there]) if there.any() else 0.0
        else:
            codes = field.translate(column)[column.values]
            counts = np.bincount(codes[there], weights=w[there], minlength=len(field.levels))
            fill[span.start : span.start + len(field.levels)] = counts / counts.sum()
    return fill


def check_rows(table: Table, least: int = 1, weight: Array | None = None) -> None:
    """Refuse a table with fewer rows (of a weight above zero) than a fit needs."""
    n = table.n_rows if weight is None or not table.n_rows else int((weight > 0).sum())
    if n < least:
        need = (
            "a minimum of 1 is required" if least == 1 else f"a minimum of {least} is required: one row has no variance"
        )
        raise TableError(f"Found array with {n} sample(s) (shape=({table.n_rows}, {len(table.names)})) while {need}.")
