"""The list of experiments: one more is a file more, and its name here."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from twosdr.paper.beyond.trials import experiment, tasks, verdicts
from twosdr.paper.entries import Answers, provenance
from twosdr.paper.results import Result

# `speed` comes last, when little else runs; what does slows both runners.
MODULES = ("levels", "without_s", "equalised_odds", "explanatory", "discrimination_free", "speed")


@dataclass(frozen=True)
class BeyondEntry:
    """An experiment as a thing to run."""

    module: str

    @property
    def id(self) -> str:
        """What --only names."""
        return f"beyond-{self.module}"

    def tasks(self, seed: int, quick: bool) -> list[Any]:
        """Its trials."""
        return tasks(self.module, seed, quick)

    def finish(self, answers: Answers, seed: int, quick: bool) -> Result:
        """Its bars."""
        here = experiment(self.module)
        sets = dict.fromkeys(model.setting.data for model in here.models.values())
        return Result(
            self.id,
            here.title,
            "not in the paper",
            "a bar of this project",
            here.protocol,
            bars=tuple(verdicts(self.module, answers, seed, quick)),
            provenance=tuple(provenance(name) for name in sets),
        )


ENTRIES = tuple(BeyondEntry(module) for module in MODULES)
