"""s as metrics need it: groups, one number, or columns of numbers.

Nothing is binned, and a number of many values is no group; the refusals are worded here.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from twosdr.errors import MetricError, MissingValueError, listing, quoted
from twosdr.errors import rows as count_rows
from twosdr.metrics._columns import as_float, column, columns
from twosdr.tables import Array, Column


@dataclass(frozen=True, eq=False)
class Groups:
    """A code for every row into `levels`, which all occur; the levels of several columns are tuples."""

    codes: Array
    levels: tuple[Any, ...]
    name: str = "s"
    numeric: bool = False

    def __len__(self) -> int:
        return len(self.levels)

    def take(self, keep: Array) -> Groups:
        """The groups of some rows; levels without a row go."""
        return replace(self, codes=self.codes[keep]).occurring()

    def occurring(self) -> Groups:
        """The same rows without the levels that none of them has."""
        codes = self.codes
        occurs = np.bincount(codes, minlength=len(self.levels)) > 0
        if occurs.all():
            return self
        place = np.cumsum(occurs) - 1
        levels = tuple(v for v, there in zip(self.levels, occurs, strict=True) if there)
        return replace(self, codes=place[codes], levels=levels)


def groups(s: Any, n: int, what: str = "s") -> Groups:
    """s as groups: categories, booleans, or numbers of two values; of several columns every combination that occurs.

    Whether they can be compared is `check_groups`, asked when all rows are there.
    """
    found = [_grouped(one, name, n, what) for name, one in columns(s, what, n).items()]
    return found[0] if len(found) == 1 else cross(*found)


def everyone(n: int) -> Groups:
    """All rows as one group."""
    return Groups(np.zeros(n, dtype=np.int8), ("all",), "all")


def cross(*found: Groups) -> Groups:
    """The combinations of several groupings that occur."""
    codes: Array = found[0].codes.astype(np.int64)
    for one in found[1:]:
        codes = codes * len(one) + one.codes
    if np.prod([len(one) for one in found]) <= 1000:
        occurs = np.flatnonzero(np.bincount(codes))
        place = np.zeros(int(occurs[-1]) + 1, dtype=np.int16)
        place[occurs] = np.arange(len(occurs))
        codes = place[codes]
    else:
        occurs, codes = np.unique(codes, return_inverse=True)
    levels = []
    for code in occurs.tolist():
        parts: list[Any] = []
        for one in reversed(found):
            code, j = divmod(code, len(one))
            parts.insert(0, one.levels[j])
        levels.append(tuple(parts))
    return Groups(codes, tuple(levels), " x ".join(one.name for one in found))


def check_groups(levels: Any, n: int, name: str = "s", numeric: bool = False) -> None:
    """Refuse what cannot be compared: one group, a number of many values, or a level for every row."""
    levels = tuple(levels)
    said = name if name == "s" else f"s ({quoted(name)})"
    if len(levels) < 2:
        raise MetricError(
            f"{said} is constant: all {count_rows(n)} belong to {quoted(levels[0])}. There is no other group to compare it with."
        )
    if numeric and len(levels) > 2:
        raise _too_many_numbers(said, len(levels), n)
    if len(levels) == n and n > 2:
        raise MetricError(
            f"{said} has {n} levels for {n} rows: numeric or categorical? If these are numbers, convert them (.astype(float)) and use "
            "correlation or quantile_rates; if they identify rows, they are no groups."
        )


def _too_many_numbers(said: str, many: int, n: int) -> MetricError:
    return MetricError(
        f"{said} holds {many} different numbers in {n} rows: numeric or categorical? Numbers are never binned silently. For a number "
        "use correlation, distance_correlation or quantile_rates; for categories pass text, for example with .astype(str)."
    )


def _grouped(found: Column, name: str, n: int, what: str) -> Groups:
    said = what if name == what else f"{what} ({quoted(name)})"
    if found.levels is not None:
        if found.kind == "empty":
            raise MissingValueError(f"{said} holds no value at all.")
        return Groups(found.values, tuple(found.levels), name).occurring()
    values = found.values
    low, high = values.min(), values.max()
    upper = values == high
    if not (upper | (values == low)).all():
        raise _too_many_numbers(said, len(np.unique(values)), n)
    if low == high:
        return Groups(np.zeros(n, dtype=np.int8), (_plain(low),), name, numeric=True)
    return Groups(upper.astype(np.int8), (_plain(low), _plain(high)), name, numeric=True)


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else value


def factor(values: Any, n: int, what: str) -> Groups:
    """Any column as codes, numbers included: for clusters and strata."""
    found, name = column(values, what, n)
    codes, levels = (found.values, found.levels) if found.levels is not None else _unique(found.values)
    return Groups(codes, tuple(levels), name).occurring()


def _unique(values: Array) -> tuple[Array, tuple[Any, ...]]:
    levels, codes = np.unique(values, return_inverse=True)
    return codes, tuple(levels.tolist())


def number(s: Any, n: int, what: str = "s") -> Array:
    """One s as a number: numeric, boolean, or a category of two levels (the later one is 1)."""
    found = columns(s, what, n)
    if len(found) > 1:
        raise MetricError(
            f"{what} has {len(found)} columns ({listing(found)}); this metric takes one. Use multiple_r2 for several at once."
        )
    [(name, one)] = found.items()
    if one.levels is None:
        return as_float(one.values, what if name == what else f"{what} ({quoted(name)})")
    if len(one.levels) > 2:
        check_groups(one.levels, n, name)
        raise MetricError(
            f"{what} ({quoted(name)}) is a category of {len(one.levels)} levels; this metric needs a number or two groups. Use "
            "multiple_r2, mean_distance or p_rule."
        )
    return one.values.astype(np.float64)


def matrix(values: Any, n: int, what: str) -> tuple[Array, tuple[str, ...], tuple[str, ...]]:
    """Columns as numbers, categories as indicators of all levels but the first; with their names, and each one's column."""
    parts, names, homes = [], [], []
    for name, one in columns(values, what, n).items():
        if one.levels is None:
            parts.append(as_float(one.values, f"{what} column {quoted(name)}")[:, None])
            names.append(name)
            homes.append(name)
            continue
        if len(one.levels) == n and n > 2:
            raise MetricError(
                f"{what} column {quoted(name)} has {n} levels for {n} rows: numeric or categorical? Convert numbers with .astype(float)."
            )
        for j in range(1, max(2, len(one.levels))):
            parts.append((one.values == j).astype(np.float64)[:, None])
            names.append(f"{name}={one.levels[j]}" if j < len(one.levels) else name)
            homes.append(name)
    return np.hstack(parts), tuple(names), tuple(homes)
