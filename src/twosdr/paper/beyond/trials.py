"""An experiment: models under one protocol on one data set, what is measured of each, and the bars that the means have to meet.

A file of an experiment names these and nothing else, as a table's does.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from importlib import import_module
from typing import Any

from twosdr.errors import ParameterError, TwosdrWarning
from twosdr.paper.plan import OFFICIAL, Protocol, Setting
from twosdr.paper.protocols import dataset, rounds, sensitive, splits_in
from twosdr.paper.results import Absent, Number
from twosdr.tables import Array

CHUNK = 5
TEN = Protocol("random", 10)
FOLDS = OFFICIAL
Measures = Callable[["Fitted"], dict[str, float]]


@dataclass(frozen=True)
class Fitted:
    """A model after fit, with the rows it was fitted on and those kept from it; `s` are the sensitive columns of the latter."""

    model: Any
    here: Any
    y: Array
    there: Any
    truth: Array
    s_names: tuple[str, ...]

    @property
    def s(self) -> Array:
        """The first sensitive column of the rows that are tested."""
        return self.there[self.s_names[0]].to_numpy()  # type: ignore[no-any-return]


@dataclass(frozen=True)
class Bar:
    """A limit for the mean of one metric of one model."""

    bar: str
    figure: str
    model: str
    metric: str
    sense: str
    limit: float

    def met(self, value: float) -> bool:
        """Whether a mean is on its side of the limit."""
        return value <= self.limit if self.sense == "<=" else value >= self.limit


@dataclass(frozen=True)
class Model:
    """How one model of an experiment is made (given the names of its sensitive columns), on what, and measured how."""

    setting: Setting
    protocol: Protocol
    make: Callable[[list[str]], Any]
    measure: Measures


@dataclass(frozen=True)
class Experiment:
    """Its models by name, the bars, and how it is run, in words."""

    title: str
    protocol: str
    models: Mapping[str, Model]
    bars: tuple[Bar, ...]


@dataclass(frozen=True)
class Trial:
    """Some splits of one model of the experiment in the module of this name."""

    module: str
    model: str
    seed: int
    first: int
    last: int

    def _of(self) -> Model:
        return experiment(self.module).models[self.model]

    @property
    def data(self) -> str:
        """The data set that it cannot do without."""
        return self._of().setting.data

    def run(self) -> list[dict[str, float]] | Absent:
        """Fit and measure, split by split."""
        here, found = self._of(), []
        names = sensitive(here.setting)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", TwosdrWarning)  # a penalty at the edge of its grid, say: the figures tell
            for table, y, there, truth in rounds(here.setting, here.protocol, self.seed, range(self.first, self.last)):
                try:
                    fitted = here.make(list(names)).fit(table, y)
                    found.append(here.measure(Fitted(fitted, table, y, there, truth, names)))
                except ModuleNotFoundError as error:
                    return Absent(f"{error}. It is in the extra dev: pip install 'twosdr[dev]'.")
        return found


def experiment(module: str) -> Experiment:
    """The experiment in the file of that name."""
    found = import_module(f"twosdr.paper.beyond.{module}").EXPERIMENT
    if not isinstance(found, Experiment):
        raise ParameterError(f"{module} holds no experiment.")
    return found


@dataclass(frozen=True)
class Verdict:
    """A bar and what came of it."""

    bar: str
    figure: str
    ours: float | None
    se: float | None
    limit: float
    sense: str
    verdict: str
    note: str = ""

    def public(self) -> dict[str, Any]:
        """The object that --json prints."""
        return {k: v for k, v in asdict(self).items() if k != "note"}


def tasks(module: str, seed: int, quick: bool) -> list[Any]:
    """Every model of an experiment, cut into trials."""
    found = []
    for name, model in experiment(module).models.items():
        try:
            n = splits_in(model.setting, model.protocol.quick() if quick else model.protocol)
        except FileNotFoundError:
            n = 1  # one trial, to be answered with the reason
        found += [Trial(module, name, seed, a, min(a + CHUNK, n)) for a in range(0, n, CHUNK)]
    return found


def verdicts(module: str, answers: Mapping[Any, Any], seed: int, quick: bool) -> list[Verdict]:
    """What came of the bars of an experiment."""
    found, every = [], tasks(module, seed, quick)
    for bar in experiment(module).bars:
        number = _mean([answers[t] for t in every if t.model == bar.model], bar.metric)
        if isinstance(number, Absent):
            found.append(Verdict(bar.bar, bar.figure, None, None, bar.limit, bar.sense, "no data", number.reason))
            continue
        said = "meets" if bar.met(number.value) else "misses"
        found.append(
            Verdict(bar.bar, bar.figure, number.value, number.se, bar.limit, bar.sense, said, _note(module, bar))
        )
    return found


def _mean(answers: list[Any], metric: str) -> Number | Absent:
    values: list[float] = []
    for answer in answers:
        if isinstance(answer, Absent):
            return answer
        values += [split[metric] for split in answer]
    return Number.of(values, len(values))


def _note(module: str, bar: Bar) -> str:
    setting = experiment(module).models[bar.model].setting
    found = dataset(setting.data).provenance
    return f"stand-in of {found.rows:,} rows" if found.copy == "stand-in" else ""
