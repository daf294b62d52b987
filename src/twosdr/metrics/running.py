"""Metrics over a stream: rows come in chunks, or from several machines, and the answer is that of all rows at once."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from inspect import signature
from typing import Any

from twosdr.errors import MetricError, ParameterError, did_you_mean, listing
from twosdr.metrics._cells import Tally
from twosdr.metrics.estimate import Estimate
from twosdr.metrics.registry import METRICS, Metric


@dataclass(frozen=True)
class Running:
    """What a metric knows of the rows so far: counts and exact sums by group. `update` and `+` give a new one.

    Sums do not round, so that the value has the same bits as the one-shot function, in whatever order the rows came.

    >>> first = running("p_rule").update([1, 0, 0], s=["f", "f", "m"])
    >>> second = running("p_rule").update([1, 1, 0], s=["m", "m", "f"])
    >>> (first + second).value().value
    0.5
    """

    name: str
    read: Mapping[str, Any] = field(default_factory=dict)
    asked: Mapping[str, Any] = field(default_factory=dict)
    state: Tally = field(default_factory=Tally)

    def update(self, y_pred: Any, **rows: Any) -> Running:
        """With further rows: the arguments of the metric that have a value for each row (s, y_true, sample_weight)."""
        tally = _of(self.name).tally
        known = signature(tally).parameters
        if rows.get("cluster") is not None:
            raise ParameterError(
                "cluster= does not stream: the rows of one cluster have to be seen together. Call the metric on all rows."
            )
        strange = [key for key in rows if key not in known or key in self.read]
        if strange:
            raise ParameterError(f"update of {self.name} does not take {listing(strange)}; options go to running().")
        whole = {"whole": False} if "whole" in known else {}
        return replace(self, state=self.state + tally(y_pred, **rows, **self.read, **whole))

    def __add__(self, other: Running) -> Running:
        if not isinstance(other, Running):
            return NotImplemented
        if (self.name, dict(self.read), dict(self.asked)) != (other.name, dict(other.read), dict(other.asked)):
            raise ParameterError(
                f"Only equal metrics add up: {self.name} {dict(self.read)} and {other.name} {dict(other.read)}."
            )
        return replace(self, state=self.state + other.state)

    @property
    def n(self) -> int:
        """Rows so far, those of weight zero left out."""
        return self.state.n

    def value(self) -> Estimate:
        """The answer for the rows so far."""
        if not len(self.state):
            raise MetricError(f"{self.name} has seen no row yet. Call update(y_pred, ...) first.")
        answer: Estimate = _of(self.name).answer(self.state, **self.asked)
        return answer


def running(name: str, **options: Any) -> Running:
    """An additive metric without rows yet; `options` are those of the metric (pos_label, confidence, min_group_size, ...)."""
    of = _of(name)
    read, asked = signature(of.tally).parameters, signature(of.answer).parameters
    per_row = {"y_pred", "s", "y_true", "sample_weight", "cluster", "whole"}
    strange = [key for key in options if key in per_row or (key not in read and key not in asked)]
    if strange:
        raise ParameterError(f"running({name!r}) does not take {listing(strange)}: values of rows go to update().")
    return Running(
        name,
        {key: value for key, value in options.items() if key in read},
        {key: value for key, value in options.items() if key not in read},
    )


def _of(name: str) -> Metric:
    if name not in METRICS:
        raise ParameterError(f"There is no metric {name!r}.{did_you_mean(name, METRICS)}")
    of = METRICS[name]
    if not of.additive:
        additive = [other for other, it in METRICS.items() if it.additive]
        raise ParameterError(
            f"{name} needs {of.needs} and does not stream: {of.why_not}. Additive are {', '.join(additive)}."
        )
    return of
