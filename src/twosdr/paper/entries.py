"""Turn a table of plan.py into jobs, and the answers of the jobs into a result."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

from twosdr.paper import plan
from twosdr.paper.expected import expected
from twosdr.paper.jobs import Job, jobs
from twosdr.paper.protocols import dataset
from twosdr.paper.results import Absent, Cell, Number, Result

Answers = Mapping[Any, Any]


class Task(Protocol):
    """What a process can be given: a hashable value with the data set it needs ("" for none) and its work."""

    @property
    def data(self) -> str:
        """The data set that it cannot do without."""

    def run(self) -> Any:
        """Do it."""


class Entry(Protocol):
    """A table or figure of the paper, or a page of our own: what has to be done for it, and what comes of it."""

    @property
    def id(self) -> str:
        """What --only names."""

    def tasks(self, seed: int, quick: bool) -> list[Any]:
        """The work, in an order in which to do it."""

    def finish(self, answers: Answers, seed: int, quick: bool) -> Result:
        """The result, from what each task answered: an `Absent` where its data are nowhere."""


@dataclass(frozen=True)
class TableEntry:
    """A table whose rows are means over splits."""

    table: plan.Table

    @property
    def id(self) -> str:
        """The id of the table."""
        return self.table.id

    def tasks(self, seed: int, quick: bool) -> list[Any]:
        """Each row's protocol, and beside it the same with the closed form."""
        found: list[Any] = []
        for row in self.table.rows:
            found += self._of(row, seed, quick, closed=False)
            found += [] if row.method.quoted else self._of(row, seed, quick, closed=True)
        return found

    def finish(self, answers: Answers, seed: int, quick: bool) -> Result:
        """One cell for each number that the paper prints."""
        here = expected()[self.id]
        rows = {row.name: row for row in self.table.rows}
        cells = []
        for printed in here.cells:
            row = rows[printed.row]
            number = gather(self._of(row, seed, quick, closed=False), answers, printed.metric)
            if isinstance(number, Absent):
                cells.append(Cell.of(self.id, printed, number))
                continue
            beside = [] if row.method.quoted else self._of(row, seed, quick, closed=True)
            closed = gather(beside, answers, printed.metric) if beside else None
            assert not isinstance(closed, Absent)  # the same data as the row's
            cells.append(Cell.of(self.id, printed, number, stand_in(row.setting.data), closed))
        sets = dict.fromkeys(row.setting.data for row in self.table.rows)
        return Result(
            id=self.id,
            title=self.table.title,
            printed=here.printed,
            place=here.place,
            protocol=self.table.protocol,
            cells=tuple(cells),
            words=here.words,
            provenance=tuple(provenance(name) for name in sets),
        )

    def _of(self, row: plan.Row, seed: int, quick: bool, *, closed: bool) -> list[Any]:
        protocol = row.protocol.quick() if quick else row.protocol
        try:
            return list(jobs(row.setting, protocol, replace(row.method, closed=closed), seed))
        except (
            FileNotFoundError
        ):  # how many splits there are, only the data say; the one job will be answered with the reason
            return [Job(row.setting, protocol, replace(row.method, closed=closed), seed, 0, 1)]


def gather(tasks: list[Any], answers: Answers, metric: str) -> Number | Absent:
    """One number from the splits of all these jobs."""
    found: list[float] = []
    for task in tasks:
        answer = answers[task]
        if isinstance(answer, Absent):
            return answer
        found += [numbers[metric] for numbers in answer]
    protocol = tasks[0].protocol
    return Number.of(found, protocol.n if protocol.by_chance else 1)


def stand_in(name: str) -> str:
    """What has to be said beside every number of this data set: nothing, unless rows are missing."""
    found = dataset(name).provenance
    return f"stand-in of {found.rows:,} rows" if found.copy == "stand-in" else ""


def provenance(name: str) -> str:
    """Which copy of a data set the numbers are from, in a line for a page."""
    try:
        data = dataset(name)
    except FileNotFoundError as error:
        return f"{name}: {error}"
    return f"{name}: {data.n_rows:,} rows, {data.n_attributes} attributes ({data.provenance.copy} copy)"
