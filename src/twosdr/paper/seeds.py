"""Not in the paper: one table for each data set under ten other seeds, to see what a printed digit is worth."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from twosdr.paper import plan, table2, table3, table4, table7
from twosdr.paper.entries import Answers, gather
from twosdr.paper.expected import expected
from twosdr.paper.jobs import jobs
from twosdr.paper.protocols import dataset
from twosdr.paper.results import Absent, Result, Spread

OTHERS = 10
SPLITS = 50  # a seed, where splits are random: half of the paper's, so that ten seeds take minutes
TABLES = (table2.TABLE, table3.TABLE, table4.TABLE, table7.TABLE)


@dataclass(frozen=True)
class SeedsEntry:
    """The spread of the cells of these tables."""

    id: str = "seeds"

    def tasks(self, seed: int, quick: bool) -> list[Any]:
        """Every row under every other seed."""
        return [
            task
            for _, row in self._rows()
            for other in self._others(seed, quick)
            for task in self._of(row, other, quick)
        ]

    def finish(self, answers: Answers, seed: int, quick: bool) -> Result:
        """The number of each cell under each seed."""
        spreads = []
        for table, row in self._rows():
            prints = {c.metric: c.paper for c in expected()[table.id].cells if c.row == row.name}
            for metric in row.metrics:
                runs = [self._of(row, other, quick) for other in self._others(seed, quick)]
                numbers = [gather(tasks, answers, metric) for tasks in runs if tasks]
                values = tuple(n.value for n in numbers if not isinstance(n, Absent))
                spreads.append(Spread(table.id, row.name, metric, prints[metric], values))
        return Result(
            self.id,
            "Ten other seeds",
            "not in the paper",
            "of this project",
            "One table for each data set, with ten other seeds. German, Compas and LSAC: other random splits, "
            f"{SPLITS} a seed. "
            "Adult and C&C: splits and folds of the official sizes, with rows drawn at random, since the official ones know no "
            f"seed.{' Few splits: this was a quick run.' if quick else ''}",
            spreads=tuple(spreads),
        )

    def _rows(self) -> Iterator[tuple[plan.Table, plan.Row]]:
        for table in TABLES:
            for row in table.rows:
                if not row.setting.without:  # Compas-R is no data set of its own
                    yield table, row

    def _others(self, seed: int, quick: bool) -> range:
        return range(seed + 1, seed + 1 + (2 if quick else OTHERS))

    def _of(self, row: plan.Row, seed: int, quick: bool) -> list[Any]:
        protocol = row.protocol.quick() if quick else replace(row.protocol, n=min(row.protocol.n, SPLITS))
        if protocol.kind == "official":
            protocol = replace(protocol, kind="shuffled")
        try:
            dataset(row.setting.data)
        except FileNotFoundError:
            return []
        return list(jobs(row.setting, protocol, row.method, seed))


ENTRY = SeedsEntry()
