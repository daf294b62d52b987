"""What a run finds: cells with their verdicts, gathered a table or figure at a time, and written as soon as one is done."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np

from twosdr.paper.expected import Printed

VERDICTS = ("match", "within noise", "differs", "no data")


@dataclass(frozen=True)
class Absent:
    """The answer of a job whose data are nowhere, and how to get them."""

    reason: str


@dataclass(frozen=True)
class Number:
    """A mean over splits, its standard error, and the spread of the splits.

    The standard error is that of the protocol: how far the number would move with other random splits. It is 0 where the
    rows that train and test are given, and only the spread of the folds remains.
    """

    value: float
    se: float
    sd: float
    n: int

    @classmethod
    def of(cls, values: Sequence[float], repetitions: int = 1) -> Number:
        """The mean of what the splits gave; they come from as many independent draws of chance as there are `repetitions`."""
        drawn = np.asarray(values, dtype=float).reshape(repetitions, -1).mean(axis=1)
        se = float(drawn.std(ddof=1)) / sqrt(repetitions) if repetitions > 1 else 0.0
        return cls(float(np.mean(values)), se, float(np.std(values, ddof=1)) if len(values) > 1 else 0.0, len(values))


@dataclass(frozen=True)
class Cell:
    """One number of the paper and ours. `closed` is what the closed form gives in its defaults, under the same protocol."""

    table: str
    row: str
    metric: str
    paper: float
    ours: float | None
    se: float | None
    n_splits: int
    tolerance: float
    verdict: str
    note: str
    sd: float | None = None
    closed: float | None = None
    quoted: bool = False

    @classmethod
    def of(
        cls, table: str, printed: Printed, number: Number | Absent, note: str = "", closed: Number | None = None
    ) -> Cell:
        """Judge a number of ours by what the paper prints."""
        here: dict[str, Any] = {
            "table": table,
            "row": printed.row,
            "metric": printed.metric,
            "paper": printed.paper,
            "quoted": printed.quoted,
        }
        if isinstance(number, Absent):
            return cls(
                **here,
                ours=None,
                se=None,
                n_splits=0,
                tolerance=printed.tolerance(0.0),
                verdict="no data",
                note=number.reason,
            )
        return cls(
            **here,
            ours=number.value,
            se=number.se,
            n_splits=number.n,
            tolerance=printed.tolerance(number.se),
            verdict=printed.verdict(number.value, number.se),
            note="; ".join(part for part in (printed.note, note) if part),
            sd=number.sd if number.n > 1 else None,
            closed=None if closed is None else closed.value,
        )

    def public(self) -> dict[str, Any]:
        """The object that --json prints; what the closed form gives is part of its note."""
        found = {k: v for k, v in asdict(self).items() if k not in ("sd", "closed", "quoted")}
        if self.closed is not None:
            found["note"] = "; ".join(part for part in (self.note, f"closed form: {self.closed:.4f}") if part)
        return found


@dataclass(frozen=True)
class Drawing:
    """A figure: its SVG and PNG, what it shows, and the numbers that are drawn."""

    name: str
    caption: str
    svg: str
    png: bytes
    numbers: Mapping[str, Any]


@dataclass(frozen=True)
class Claim:
    """What the paper says in words, what was measured, and whether it holds."""

    text: str
    measured: str
    holds: bool

    @classmethod
    def of(cls, text: str, measured: str, holds: Any) -> Claim:
        """With a verdict from a comparison of arrays' values."""
        return cls(text, measured, bool(holds))


@dataclass(frozen=True)
class Spread:
    """A cell under other seeds."""

    table: str
    row: str
    metric: str
    paper: float
    values: tuple[float, ...]


@dataclass(frozen=True)
class Result:
    """A finished table or figure."""

    id: str
    title: str
    printed: str
    place: str
    protocol: str
    cells: tuple[Cell, ...] = ()
    words: str = ""
    drawings: tuple[Drawing, ...] = ()
    claims: tuple[Claim, ...] = ()
    spreads: tuple[Spread, ...] = ()
    bars: tuple[Any, ...] = ()
    missing: str = ""
    provenance: tuple[str, ...] = field(default=())

    def write(self, folder: Path, **run: Any) -> None:
        """Leave this result in a folder, whole or not at all: numbers as JSON, with how they were run; figures as SVG and PNG."""
        for drawing in self.drawings:
            put(folder / f"{drawing.name}.svg", drawing.svg.encode())
            put(folder / f"{drawing.name}.png", drawing.png)
        found = {**asdict(self), "run": run}
        found["drawings"] = [{"name": d.name, "caption": d.caption, "numbers": d.numbers} for d in self.drawings]
        put(folder / f"{self.id}.json", (json.dumps(found, indent=1, ensure_ascii=False) + "\n").encode())


def put(path: Path, content: bytes) -> None:
    """Write a file under another name first, so that an interruption leaves the old one or the new one."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        beside.write_bytes(content)
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
