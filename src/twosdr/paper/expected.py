"""What the paper prints and how near we have to come: expected.toml, read once."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROUNDING = 0.005  # the paper prints two decimals
REPEATS = 2.0  # standard errors that count as noise


@dataclass(frozen=True)
class Printed:
    """One number of the paper. `floor` is the least tolerance, `pinned` ours where nothing but arithmetic decides it.

    `quoted` are those that the paper has from others.
    """

    row: str
    metric: str
    paper: float
    floor: float = 0.0
    note: str = ""
    pinned: float | None = None
    quoted: bool = False

    def tolerance(self, se: float) -> float:
        """How far ours may be away and still lie within noise."""
        return max(self.floor, ROUNDING + REPEATS * se)

    def verdict(self, ours: float, se: float) -> str:
        """ "match", "within noise" or "differs"."""
        away = abs(ours - self.paper) - 1e-12  # a distance of .005 exactly is one
        return "match" if away <= ROUNDING else "within noise" if away <= self.tolerance(se) else "differs"


@dataclass(frozen=True)
class Expectation:
    """A table as the paper has it: its own number for it, where it is, its cells, and what is to be said of those that differ."""

    printed: str
    place: str
    cells: tuple[Printed, ...]
    words: str = ""


@cache
def expected() -> dict[str, Expectation]:
    """All tables, by the ids of this project."""
    raw = tomllib.loads((Path(__file__).parent / "expected.toml").read_text(encoding="utf-8"))
    floors = raw.pop("floors")
    return {
        name: Expectation(
            table["printed"],
            table["place"],
            tuple(Printed(**{"floor": floors.get(cell["metric"], 0.0), **cell}) for cell in table.get("cells", ())),
            " ".join(table.get("words", "").split()),
        )
        for name, table in raw.items()
    }
