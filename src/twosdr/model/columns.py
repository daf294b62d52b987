"""The affine map column by column: for tables that come as columns, without making rows of indicators of them first.

The same sum as `Affine` on encoded rows, in another order; a level or a number that has no answer makes the row's result NaN, and
the encoded way then says what is wrong with it.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from twosdr.model.affine import Affine
from twosdr.roles import Roles
from twosdr.tables import Array, Table

ROWS = 2**15  # at a time, so that the sum stays in the cache while the columns pass


def plain(roles: Roles) -> bool:
    """Whether every value is answered by itself: no means for what is missing or unknown, no level for gaps."""
    return (roles.handle_missing, roles.handle_unknown) == ("error", "error")


def by_columns(affine: Affine, roles: Roles, table: Table) -> Array:
    """Predictions for the rows of a table that was matched to the roles, shape (n, d_y)."""
    out = np.empty((table.n_rows, affine.coef.shape[1]))
    out[:] = affine.base
    room = np.empty(min(ROWS, table.n_rows))  # made once: the system takes its time over fresh pages
    terms = list(_terms(affine, roles, table))
    with np.errstate(all="ignore"):  # a result that is not finite is looked into by whoever asked
        for start in range(0, table.n_rows, ROWS):
            rows = slice(start, min(start + ROWS, table.n_rows))
            for add in terms:
                add(out[rows], rows, room[: rows.stop - start])
    return out


def decided(scores: Array, threshold: float) -> Array:
    """The number of the class that each row is decided for: above the threshold of two, the largest score of more."""
    if scores.shape[1] == 1:
        return np.asarray(scores[:, 0] > threshold, dtype=np.int8)
    return np.asarray(np.argmax(scores, axis=1))


def _terms(affine: Affine, roles: Roles, table: Table) -> Iterator[Callable[[Array, slice, Array], None]]:
    """For each column what adds its part to the results of some rows."""
    for field, span in roles.spans():
        if field.name not in table.names:
            continue  # s, which is not used
        column, coef = table.column(field.name), affine.coef[span]
        if column.kind == "empty":
            yield _nothing
        elif field.levels is None:
            values = np.array([*column.levels, np.nan], dtype=float)[column.values] if column.levels else column.values
            yield partial(_number, values, coef[0], float(affine.origin[span.start]))
        else:
            places = field.translate(column, roles.absent)  # last, at index -1: missing
            yield partial(_level, column.values, np.where(places[:, None] < 0, np.nan, coef[places]))


def _nothing(out: Array, rows: slice, room: Array) -> None:
    out[:] = np.nan


def _number(values: Array, coef: Array, origin: float, out: Array, rows: slice, room: Array) -> None:
    for k, b in enumerate(coef):
        if origin:
            np.subtract(values[rows], origin, out=room)
            np.multiply(room, b, out=room)
        else:
            np.multiply(values[rows], b, out=room)
        out[:, k] += room


def _level(codes: Array, worth: Array, out: Array, rows: slice, room: Array) -> None:
    for k in range(out.shape[1]):
        out[:, k] += np.take(worth[:, k], codes[rows], out=room, mode="wrap")
