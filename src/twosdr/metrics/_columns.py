"""One column or several, of any kind of table; missing and infinite values are refused by name."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from twosdr import tables
from twosdr.errors import MetricError, MissingValueError, TableError, listing, quoted
from twosdr.errors import rows as count_rows
from twosdr.tables import Array, Column

LARGEST = 1e75  # squares of these, and their products with each other, stay within what a float holds


def column(values: Any, what: str, n: int | None = None) -> tuple[Column, str]:
    """One column of any kind with its name; missing and infinite values are refused."""
    if isinstance(values, np.ndarray) and values.ndim == 1 and not np.ma.isMaskedArray(values):
        found, name = tables.of_values(values, what), what
    else:
        whole = table(values, what)
        if len(whole.names) != 1:
            raise TableError(
                f"{what} has {len(whole.names)} columns ({listing(whole.names)}); one value for each row is needed."
            )
        [label] = whole.names
        found, name = whole.column(label), label if whole.named else what
    _check(found, what if name == what else f"{what} ({quoted(name)})", n)
    return found, name


def columns(values: Any, what: str, n: int | None) -> dict[str, Column]:
    """One or several columns by name."""
    if isinstance(values, np.ndarray) and values.ndim == 1:
        found, name = column(values, what, n)
        return {name: found}
    whole = table(values, what)
    if not whole.names:
        raise TableError(f"{what} has no column. Pass one value for each row, or a table of several.")
    named = (
        whole.names
        if whole.named
        else (what,)
        if len(whole.names) == 1
        else [f"{what}{j}" for j in range(len(whole.names))]
    )
    found_by_name = {}
    for name, label in zip(named, whole.names, strict=True):
        found_by_name[name] = whole.column(label)
        _check(found_by_name[name], what if name == what else f"{what} column {quoted(name)}", n)
    return found_by_name


def table(values: Any, what: str) -> tables.Table:
    if values is None:
        raise TableError(f"{what} is None: this metric needs {what}=, one value for each row.")
    if isinstance(values, (str, bytes)):
        raise TableError(f"{what} is the text {values!r:.60}; metrics take the values, one for each row, and no names.")
    if isinstance(values, tuple) and values and isinstance(values[0], (str, int, float)):
        values = list(values)
    if isinstance(values, Mapping) and not values:
        raise TableError(f"{what} has no column. Pass one value for each row, or a table of several.")
    return tables.read(values, what=what)


OF_S = ", or make a value of their own of them; the audit counts them apart"


def _check(found: Column, said: str, n: int | None) -> None:
    if n is not None and len(found.values) != n:
        raise TableError(
            f"{said} has {count_rows(len(found.values))}, y_pred has {n}. Pass one value for each prediction."
        )
    if not len(found.values):
        raise TableError(f"{said} is empty: there is no row to measure.")
    if found.levels is None and found.values.dtype.kind == "f":
        bad = ~np.isfinite(found.values)
        what = "NaN or infinite"
    elif found.levels is None:
        return
    else:
        bad, what = found.values < 0, "missing"
    if bad.any():
        raise MissingValueError(
            f"{said} has {int(bad.sum())} {what} value{'s' if bad.sum() > 1 else ''}, the first in row {int(np.argmax(bad))}. Drop "
            f"those rows{OF_S if said.split()[0] == 's' else ''}."
        )


def as_float(values: Array, what: str) -> Array:
    """Numbers as float64, not so large that their squares overflow."""
    numbers = values.astype(np.float64)
    if (abs(numbers) > LARGEST).any():
        raise too_large(what)
    return numbers


def too_large(what: str) -> MetricError:
    """The refusal of numbers whose squares overflow."""
    return MetricError(f"{what} holds numbers beyond {LARGEST:g}, whose squares overflow. Rescale it.")
