"""The affine map column by column: for tables that come as columns, without making rows of indicators of them first.

The same sum as `Affine` on encoded rows, in another order; a level or a number that has no answer makes the row's result NaN, and
the encoded way then says what is wrong with it.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

import numpy as np

from twosdr.model.affine import Affine
from twosdr.roles import Roles
from twosdr.tables import Array, Table


def plain(roles: Roles) -> bool:
    """Whether every value is answered by itself: no means for what is missing or unknown, no level for gaps."""
    return (roles.handle_missing, roles.handle_unknown) == ("error", "error")


def by_columns(affine: Affine, roles: Roles, table: Table) -> Array:
    """Predictions for the rows of a table that was matched to the roles, shape (n, d_y)."""
    out = np.empty((table.n_rows, affine.coef.shape[1]))
    out[:] = affine.base
    room = np.empty(table.n_rows)
    with np.errstate(all="ignore"):  # a result that is not finite is looked into by whoever asked
        for field, span in roles.spans():
            if field.name not in table.names:
                continue  # s, which is not used
            column, coef = table.column(field.name), affine.coef[span]
            if field.levels is None:
                values = (
                    np.array([*column.levels, np.nan], dtype=float)[column.values] if column.levels else column.values
                )
                if column.kind == "empty":
                    values = np.full(table.n_rows, np.nan)
                far = affine.origin[span.start]
                values = values - far if far else values
                for k in range(out.shape[1]):
                    out[:, k] += np.multiply(values, coef[0, k], out=room)
                continue
            if column.kind == "empty":
                out[:] = np.nan
                continue
            places = field.translate(column, roles.absent)  # last, at index -1: missing
            for k in range(out.shape[1]):
                worth = np.where(places < 0, np.nan, coef[places, k])
                out[:, k] += np.take(worth, column.values, out=room, mode="wrap")
    return out
