"""What a report is made of. Everything but the audit may be missing, and its section then is not there."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from twosdr.audit import Audit, Comparison
from twosdr.carriers import Carriers
from twosdr.frontier import Frontier
from twosdr.metrics.flip_rate import Flips
from twosdr.model import Model


@dataclass(frozen=True)
class Column:
    """A column of the table: its role in a word, what it holds, its levels or its range in words, rows without a value."""

    name: str
    role: str
    kind: str
    holds: str
    missing: int


@dataclass(frozen=True)
class File:
    """A file that was read: its name, SHA-256 and rows."""

    name: str
    sha256: str
    rows: int | None = None


@dataclass(frozen=True, eq=False)
class Contents:
    """One report.

    Attributes
    ----------
    found : an audit, or a comparison whose last audit is the one that the report is about and whose first is the baseline
    asked : sentences that say what was asked, in words
    rows_of : on which rows the audit was made, in words
    columns : the columns with their roles
    model : the fitted model as a value
    flips : what changes when only the recorded s changes; None where the model does not use s, or there is none
    frontier, carriers : levels of removal; columns that carry s
    training : facts of the fit, by name
    files, command, versions : how to reproduce it
    """

    found: Audit | Comparison
    title: str = "Audit"
    asked: tuple[str, ...] = ()
    rows_of: str = ""
    columns: tuple[Column, ...] = ()
    model: Model | None = None
    flips: Flips | None = None
    frontier: Frontier | None = None
    carriers: Carriers | None = None
    training: Mapping[str, str] = field(default_factory=dict)
    files: tuple[File, ...] = ()
    command: str = ""
    versions: Mapping[str, str] = field(default_factory=dict)

    @property
    def audit(self) -> Audit:
        """What the report is about."""
        return self.found.sides[-1].audit if isinstance(self.found, Comparison) else self.found

    @property
    def baseline(self) -> Audit | None:
        """What it is held against."""
        return self.found.sides[0].audit if isinstance(self.found, Comparison) else None

    @property
    def names(self) -> tuple[str, str]:
        """What the baseline and the model are called."""
        return (
            (self.found.names[0], self.found.names[-1])
            if isinstance(self.found, Comparison)
            else ("", "these predictions")
        )
