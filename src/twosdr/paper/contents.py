"""The list of what can be reproduced: a table or figure more is a file more, and a line here."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from twosdr.errors import ParameterError, did_you_mean, quoted
from twosdr.paper import (
    datasets,
    figure1,
    figure2,
    seeds,
    table1,
    table2,
    table3,
    table4,
    table6,
    table7,
    table8,
    table9,
    table10,
    table11,
)
from twosdr.paper.entries import TableEntry

TABLES = (table2, table3, table4, table6, table7, table8, table9, table10, table11)
ENTRIES: tuple[Any, ...] = (
    table1.ENTRY,
    datasets.ENTRY,
    *(TableEntry(module.TABLE) for module in TABLES),
    figure1.ENTRY,
    figure2.ENTRY,
    seeds.ENTRY,
)


def chosen(only: Sequence[str] | None, entries: Sequence[Any] = ENTRIES) -> list[Any]:
    """The entries with these ids, in the paper's order; all of them for None."""
    if only is None or not len(only):
        return list(entries)
    known = {entry.id.lower(): entry for entry in entries}
    for name in only:
        if str(name).lower() not in known:
            ids = [entry.id for entry in entries]
            hint = did_you_mean(name, ids)
            if str(name).lower() == "t5":
                hint = " The paper's Table 5, German, is T4 here."
            raise ParameterError(f"There is no table or figure {quoted(name)}.{hint} There are: {', '.join(ids)}.")
    wanted = {str(name).lower() for name in only}
    return [entry for entry in entries if entry.id.lower() in wanted]
