"""T1: the paper's own row among the fair estimators, from what the classes accept."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from twosdr.errors import TwosdrError
from twosdr.estimators import TwoStageClassifier, TwoStageRegressor
from twosdr.paper.entries import Answers
from twosdr.paper.expected import expected
from twosdr.paper.results import Cell, Number, Result

ROWS = {
    "group": list("abcabcabcabc"),
    "age": [31, 45, 27, 60, 38, 52, 24, 41, 33, 58, 29, 47],
    "hours": [40, 38, 20, 45, 50, 36, 30, 42, 25, 44, 39, 28],
    "skill": [3, 5, 2, 6, 4, 5, 1, 4, 2, 6, 3, 5],
}
PAY = [21.0, 30.5, 14.0, 38.0, 27.5, 31.0, 11.5, 28.0, 16.0, 37.0, 22.5, 26.0]
RICH = [pay > 25 for pay in PAY]

ASKED: dict[str, Callable[[], Any]] = {
    "categorical s": lambda: TwoStageRegressor(sensitive="group").fit(ROWS, PAY),
    "numeric s": lambda: TwoStageRegressor(sensitive="age").fit(ROWS, PAY),
    "explanatory": lambda: TwoStageRegressor(sensitive="group", explanatory="hours").fit(ROWS, PAY),
    "classification": lambda: TwoStageClassifier(sensitive="group", alphas=1.0).fit(ROWS, RICH),
    "regression": lambda: TwoStageRegressor(sensitive=["group", "age"]).fit(ROWS, PAY),
}


@dataclass(frozen=True)
class Accepted:
    """Whether the classes fit and predict when asked so."""

    data: str = ""

    def run(self) -> dict[str, float]:
        """Ask each, and see whether it answers with finite predictions for every row."""
        found = {}
        for what, fit in ASKED.items():
            try:
                predicted = np.asarray(fit().predict(ROWS), dtype=float)
                found[what] = float(len(predicted) == len(PAY) and bool(np.isfinite(predicted).all()))
            except TwosdrError:
                found[what] = 0.0
        return found


@dataclass(frozen=True)
class CapabilitiesEntry:
    """Five check marks."""

    id: str = "T1"

    def tasks(self, seed: int, quick: bool) -> list[Any]:
        """One."""
        return [Accepted()]

    def finish(self, answers: Answers, seed: int, quick: bool) -> Result:
        """1 for a check mark."""
        here, found = expected()[self.id], answers[Accepted()]
        cells = tuple(
            Cell.of(self.id, printed, Number(found[printed.metric], 0.0, 0.0, 1), "1 is a check mark")
            for printed in here.cells
        )
        return Result(
            self.id,
            "What 2SDR accepts",
            here.printed,
            here.place,
            "Our classes are asked to fit and predict twelve rows with a categorical s of three levels, a numeric s, an explanatory "
            "column, a target of two classes, and a numeric target with two sensitive columns.",
            cells,
            here.words,
        )


ENTRY = CapabilitiesEntry()
