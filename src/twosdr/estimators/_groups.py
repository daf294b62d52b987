"""Groups of rows formed by one sensitive column: a category, or a number with exactly two values."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from twosdr.errors import ParameterError, UnknownLevelError, listing, quoted
from twosdr.roles import Field, Roles
from twosdr.tables import Array, Table


@dataclass(frozen=True)
class Groups:
    """The column's name and the values of its groups, in order; code `n` stands for an unknown or missing one."""

    name: str
    values: tuple[Any, ...]
    numeric: bool

    @property
    def n(self) -> int:
        """How many groups training saw."""
        return len(self.values)

    @classmethod
    def of(cls, table: Table, roles: Roles, name: str) -> Groups:
        """The groups of the training table."""
        field = _field(roles, name)
        if field.levels is not None:
            return cls(name, (*field.levels, *((None,) if field.gaps else ())), False)
        return cls(name, tuple(float(v) for v in np.unique(table.column(name).values)), True)

    def codes(self, table: Table, roles: Roles) -> Array:
        """The group of every row; a number that training did not see is an error, for it belongs nowhere."""
        column = table.column(self.name)
        if not self.numeric:
            field = _field(roles, self.name)
            found = field.translate(column)[column.values]
            if field.gaps:
                found = np.where(column.values < 0, self.n - 1, found)
            return np.where(found < 0, self.n, found)
        refuse_gaps(table, roles, self.name)
        at = np.searchsorted(self.values, column.values)
        known = np.take(self.values, np.minimum(at, self.n - 1)) == column.values
        if not known.all():
            strange = np.unique(column.values[~known])
            raise UnknownLevelError(
                f"Column {quoted(self.name)} forms groups by its values {listing(self.values)} and holds {listing(strange)} in "
                f"{int((~known).sum())} rows now."
            )
        return at

    def reader(self, table: Table, roles: Roles) -> Callable[[int, int], Array]:
        """Codes of rows start..stop, as an engine asks for them."""
        codes = self.codes(table, roles)
        return lambda start, stop: codes[start:stop]


def refuse_gaps(table: Table, roles: Roles, name: str) -> None:
    """A missing number belongs to no group."""
    if n := int(table.column(name).missing().sum()):
        raise roles.missing({_field(roles, name): n})


def _field(roles: Roles, name: str) -> Field:
    return next(field for field in roles.fields if field.name == name)


def group_column(table: Table, roles: Roles, asked: bool | str) -> str:
    """The sensitive column whose groups are meant by `variance_correction=asked`."""
    sensitive = roles.columns("s")
    forming = [name for name in sensitive if forms_groups(table, roles, _field(roles, name))]
    if isinstance(asked, str):
        if asked not in sensitive:
            raise ParameterError(
                f"variance_correction names {quoted(asked)}, which is not a sensitive column: {listing(sensitive) or 'none'}."
            )
        if asked not in forming:
            raise ParameterError(
                f"variance_correction needs groups, and {quoted(asked)} is a number with more than two values."
            )
        return asked
    if asked is not True:
        raise ParameterError(
            f"variance_correction must be True, False or the name of a sensitive column. Got {asked!r} instead."
        )
    if not forming:
        raise ParameterError(
            "variance_correction=True needs a sensitive column that forms groups (a category, or a number with two values); "
            f"here: {listing(sensitive) or 'none'}."
        )
    if len(forming) > 1:
        raise ParameterError(
            f"Several sensitive columns form groups: {listing(forming)}. Say which is meant: variance_correction={forming[0]!r}."
        )
    return forming[0]


def forms_groups(table: Table, roles: Roles, field: Field) -> bool:
    """Whether the column is a category, or a number with two values."""
    if field.levels is not None:
        return True
    refuse_gaps(table, roles, field.name)
    values = table.column(field.name).values
    return len(np.unique(values)) == 2 if len(values) else False
