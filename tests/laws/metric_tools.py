"""Rows for the laws of metrics, and every metric of the registry called on them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from hypothesis import strategies as st

from twosdr.metrics import METRICS, Estimate, Explained

Array = np.ndarray

# A model and arrays of cuts are no numbers; both have rooms of their own.
NUMBERS = [name for name in METRICS if name not in ("flip_rate", "ratio_along_cut")]
TWO_GROUPS = ("auc", "conditional_disparity", "explained_disparity", "correlation", "partial_correlation")


@dataclass(frozen=True, eq=False)
class People:
    """Decisions, scores, true labels, groups, a number, strata and weights, of n rows each."""

    decision: Array
    score: Array
    label: Array
    target: Array
    group: Array
    two: Array
    number: Array
    stratum: Array
    weight: Array | None

    @property
    def n(self) -> int:
        return len(self.score)

    def take(self, at: Any) -> People:
        """Some rows, or the same in another order."""
        return replace(self, **{f.name: v[at] for f in fields(self) if (v := getattr(self, f.name)) is not None})

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text("\n".join(f"{f.name}: {getattr(self, f.name)!r}" for f in fields(self)))


@st.composite
def people(draw: st.DrawFn, weighted: bool | None = None) -> People:
    """Groups of unequal size, ties among the scores, means far from zero at times."""
    chance = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = draw(st.integers(24, 120))
    group = np.array(["a", "b", "c"])[chance.choice(3, n, p=[0.2, 0.3, 0.5])]
    group[:9] = list("aaabbbccc")  # three rows at least, whatever chance says
    two = np.where(group == "a", "f", "m")
    label = (chance.random(n) < 0.5).astype(np.int64)
    label[:9] = [0, 1, 0, 1, 0, 1, 0, 1, 0]
    decision = (chance.random(n) < draw(st.sampled_from([0.05, 0.4, 0.95]))).astype(np.int64)
    number = chance.normal(size=n) + (group == "b")
    offset, scale = draw(st.sampled_from([(0.0, 1.0), (1e6, 1.0), (-3.0, 1e-6)]))
    score = np.round(offset + scale * (chance.normal(size=n) + 0.5 * number + label), draw(st.sampled_from([1, 9])))
    score[:2] = offset, offset + scale
    target = offset + scale * (label + 0.5 * chance.normal(size=n))
    weight = None
    if draw(st.booleans()) if weighted is None else weighted:
        weight = chance.choice([0.25, 1.0, 3.0], n)
    stratum = np.array(["p", "q"])[chance.integers(0, 2, n)]
    return People(decision, score, label, target, group, two, number, stratum, weight)


def rows_of(name: str, data: People) -> tuple[Array, dict[str, Any]]:
    """y_pred and the keyword arrays that the metric needs."""
    metric = METRICS[name]
    y_pred = {"decisions": data.decision, "classes": data.decision, "scores": data.score}[metric.of]
    given: dict[str, Any] = {}
    if metric.takes("s"):
        numeric = name in ("quantile_rates", "distance_correlation", "correlation")
        given["s"] = data.number if numeric else data.two if name in TWO_GROUPS else data.group
    if metric.takes("y_true"):
        given["y_true"] = data.target if metric.of == "scores" else data.label
    if metric.takes("z"):
        given["z"] = (
            data.stratum if name == "conditional_disparity" else {"number": data.number, "stratum": data.stratum}
        )
    if data.weight is not None:
        given["sample_weight"] = data.weight
    return y_pred, given


def ask(name: str, data: People, **more: Any) -> dict[str, Estimate]:
    """Every estimate that the metric answers with, by name."""
    y_pred, given = rows_of(name, data)
    found = METRICS[name].function(y_pred, **given, **more)
    return _flat(name, found)


def _flat(name: str, found: Any) -> dict[str, Estimate]:
    if isinstance(found, Explained):
        found = {f.name: getattr(found, f.name) for f in fields(found)}
    if isinstance(found, Mapping):
        parts: dict[str, Estimate] = {}
        for key, value in found.items():
            if isinstance(value, (Estimate, Mapping)):
                parts |= _flat(f"{name}.{key}", value)
        return parts
    return {name: found}


def numbers(found: Mapping[str, Estimate]) -> list[float]:
    """All numbers of the answers in a row; NaN for what is missing."""
    flat: list[float] = []
    for e in found.values():
        flat += [np.nan if e.value is None else e.value, *(e.interval or (np.nan, np.nan))]
    return flat
