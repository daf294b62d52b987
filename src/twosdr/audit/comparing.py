"""`compare`: several models' predictions of the same rows side by side, with paired intervals of the differences."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from twosdr.audit import given as rows
from twosdr.audit import influence, pairing
from twosdr.audit.auditing import _settings, of_given
from twosdr.audit.given import Given
from twosdr.audit.parts import Part, crossed_codes, joined, part_of, part_of_number
from twosdr.audit.plain import from_plain, to_plain
from twosdr.audit.result import Audit
from twosdr.audit.sheet import Cell, Sheet
from twosdr.audit.text import title
from twosdr.audit.values import Attribute
from twosdr.audit.words import MODEL_AS_GIVEN, percent
from twosdr.errors import MetricError, NotReadable, ParameterError, TwosdrError, listing, quoted
from twosdr.metrics import Estimate

TYPE = "twosdr.comparison"
SCHEMA = 1
SHARED = ("base_rate", "noise_ceiling", "homogeneity", "read_from_features")  # of the rows, or no measure of a model
HOW = "paired: the same rows, so that what both get wrong alike cancels (docs/audit.md)"


@dataclass(frozen=True)
class Difference:
    """A measure of one model less that of the baseline; `about` is the s, or "" for all rows."""

    model: str
    about: str
    measure: str
    estimate: Estimate


@dataclass(frozen=True)
class Side:
    """A model's name and its audit."""

    name: str
    audit: Audit


@dataclass(frozen=True, repr=False)
class Comparison:
    """Audits of several models on the same rows, and the differences to the first of them (the baseline).

    `comparison["name"]` is that model's audit.
    """

    baseline: str
    sides: tuple[Side, ...]
    differences: tuple[Difference, ...]
    notes: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The models, the baseline first."""
        return tuple(side.name for side in self.sides)

    def __getitem__(self, name: str) -> Audit:
        for side in self.sides:
            if side.name == name:
                return side.audit
        raise KeyError(f"no model is called {quoted(name)}; there is {listing(self.names)}.")

    def difference(self, measure: str, about: str = "", model: str | None = None) -> Estimate:
        """The difference of one measure; `model` may be left out when there are two."""
        for d in self.differences:
            if (d.measure, d.about) == (measure, about) and model in (None, d.model):
                return d.estimate
        raise KeyError(f"no difference of {quoted(measure)} about {quoted(about)}; .table() shows which there are.")

    def table(self) -> Sheet:
        """A row for each measure: every model's estimate, then the differences to the baseline."""
        others = self.names[1:]
        head = ("s", "measure", *self.names, *(f"{name} - {self.baseline}" for name in others))
        found = {(d.model, d.about, d.measure): d.estimate for d in self.differences}
        cells: list[tuple[Cell, ...]] = []
        for about, measure, estimates in self._measures():
            gaps = [found.get((name, about, measure)) for name in others]
            cells.append((about, title(measure), *estimates, *gaps))
        heading = f"{len(self.sides)} models on the same {self.sides[0].audit.n:,} rows; intervals at {percent(self._confidence)}"
        return Sheet(heading, head, tuple(cells), self.notes)

    def _measures(self) -> Iterator[tuple[str, str, list[Estimate | None]]]:
        first = self.sides[0].audit
        for measure in first.overall:
            yield "", measure, [side.audit.overall.get(measure) for side in self.sides]
        for a in first.attributes:
            for measure in a.measures:
                yield a.name, measure, [side.audit[a.name].measures.get(measure) for side in self.sides]

    @property
    def _confidence(self) -> float:
        return self.sides[0].audit.settings.confidence

    def __repr__(self) -> str:
        # Many models take the columns they take; what is said below them keeps to a terminal's width.
        sheet = self.table()
        return "\n".join([sheet.title, *sheet.lines(34 + 26 * (2 * len(self.sides) - 1)), *sheet.below()])

    def _repr_html_(self) -> str:
        audits = "".join(
            f"<details><summary>{escape(side.name)}</summary>{side.audit._repr_html_()}</details>"
            for side in self.sides
        )
        return f"<div>{self.table()._repr_html_()}{audits}</div>"

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data, with the schema version in front."""
        return {"type": TYPE, "schema": SCHEMA, **to_plain(self)}

    def to_json(self, *, indent: int | None = None) -> str:
        """`to_dict()` as JSON text."""
        return json.dumps(self.to_dict(), indent=indent, allow_nan=False)

    @classmethod
    def from_dict(cls, data: Any) -> Comparison:
        """The comparison that `to_dict` wrote."""
        if not isinstance(data, dict) or data.get("type") != TYPE or data.get("schema") != SCHEMA:
            raise NotReadable(f"This is no comparison of schema {SCHEMA}. Write one with Comparison.to_dict().")
        found: Comparison = from_plain(
            cls, {k: v for k, v in data.items() if k not in ("type", "schema")}, "comparison"
        )
        return found


def compare(
    predictions: Mapping[str, Any],
    *,
    sensitive_features: Any,
    y_true: Any = None,
    scores: Mapping[str, Any] | None = None,
    baseline: str | None = None,
    explanatory_features: Any = None,
    features: Any = None,
    sample_weight: Any = None,
    cluster: Any = None,
    pos_label: Any = None,
    rule: float | None = None,
    confidence: float = 0.95,
    min_group_size: int | None = None,
    bins: int | None = None,
) -> Comparison:
    """Audit several models' predictions of the same rows, and measure the differences to the first one.

    `predictions` and `scores` go by model name; everything else is as in `audit`, and shared. `baseline` names the model that others are
    compared with. Both sides of a difference come from the same rows, and its interval uses that; it is an interval for this
    one difference, not for all that are printed.

    Examples
    --------
    >>> import numpy as np
    >>> from twosdr.audit import compare
    >>> sex, rank = np.repeat(["f", "m"], 500), np.arange(1000) % 10
    >>> two = {"old": rank < np.where(sex == "f", 3, 5), "new": rank < 4}
    >>> found = compare(two, sensitive_features={"sex": sex})
    >>> round(found.difference("p_rule", "sex").value, 3)
    0.4
    """
    names = _names(predictions, scores, baseline)
    by_name = {str(name): value for name, value in predictions.items()}
    scores_of = None if scores is None else {str(name): value for name, value in scores.items()}
    settings = _settings(confidence, _size(min_group_size), bins, rule, pos_label, sample_weight, cluster)
    s, given = sensitive_features, {}
    for name in names:
        try:
            given[name] = rows.read(
                by_name[name],
                sensitive_features=s,
                y_true=y_true,
                scores=None if scores_of is None else scores_of[name],
                explanatory_features=explanatory_features,
                features=features,
                sample_weight=sample_weight,
                cluster=cluster,
                pos_label=pos_label,
                confidence=confidence,
            )
        except TwosdrError as trouble:
            raise type(trouble)(f"{quoted(name)}: {trouble}") from None
    _same_kind(given)
    sides = tuple(Side(name, of_given(one, settings)) for name, one in given.items())
    return Comparison(
        baseline=names[0],
        sides=sides,
        differences=tuple(_differences(list(given.values()), sides, settings.min_group_size)),
        notes=(
            f"Differences are {HOW}. Each interval is for one difference; of twenty, one misses by chance.",
            MODEL_AS_GIVEN,
        ),
    )


def _size(min_group_size: int | None) -> int:
    from twosdr.audit.auditing import MIN_GROUP_SIZE

    return MIN_GROUP_SIZE if min_group_size is None else min_group_size


def _names(predictions: Any, scores: Any, baseline: str | None) -> list[str]:
    if not isinstance(predictions, Mapping) or len(predictions) < 2:
        raise ParameterError(
            "compare takes two or more predictions by name, such as {'old': ..., 'new': ...}. Got "
            + (listing(predictions) + "." if isinstance(predictions, Mapping) else f"{type(predictions).__name__}.")
        )
    names = [str(name) for name in predictions]
    if len(set(names)) < len(names):
        raise ParameterError(f"two of the models read alike: {listing(names)}. Name them apart.")
    if any(isinstance(value, Audit) for value in predictions.values()):
        raise MetricError(
            "compare takes predictions, not audits: an audit holds no rows, and paired intervals need them. Pass the arrays."
        )
    if scores is not None and (not isinstance(scores, Mapping) or set(scores) != set(predictions)):
        raise ParameterError(
            f"scores must have the same names as the predictions, {listing(names)}. Got {listing(scores or ())}."
        )
    if baseline is not None:
        if baseline not in names:
            raise ParameterError(f"baseline must be one of {listing(names)}. Got {baseline!r} instead.")
        names = [baseline, *(name for name in names if name != baseline)]
    return names


def _same_kind(given: dict[str, Given]) -> None:
    kinds = {name: one.kind for name, one in given.items()}
    if len(set(kinds.values())) > 1:
        said = ", ".join(f"{quoted(name)} holds {kind}" for name, kind in kinds.items())
        raise MetricError(
            f"compare needs predictions of one kind: {said}. Cut the scores into decisions, or compare the scores."
        )


def _differences(given: list[Given], sides: tuple[Side, ...], min_group_size: int) -> Iterator[Difference]:
    base, first = given[0], sides[0].audit
    for other, side in zip(given[1:], sides[1:], strict=True):
        alike = _alike(base, other)
        for measure, b in first.overall.items():
            if measure in SHARED:
                continue
            parts = [influence.of_all_rows(one, measure) for one in (other, base)]
            found = _paired(measure, side.audit.overall[measure], b, parts, base.cluster, alike)
            yield Difference(side.name, "", measure, found)
        for a in first.attributes:
            here, there = (_part(one, a) for one in (base, other))
            for measure, b in a.measures.items():
                if measure in SHARED:
                    continue
                parts = [influence.of_part(one, measure, min_group_size) for one in (there, here)]
                found = _paired(measure, side.audit[a.name].measures[measure], b, parts, here.cluster, alike)
                yield Difference(side.name, a.name, measure, found)


def _part(given: Given, a: Attribute) -> Part:
    several = [s for s in given.sensitive if s.name in a.columns]
    if a.kind == "number":
        return part_of_number(given, several[0])
    if a.kind == "crossed":
        codes, known, levels = crossed_codes(given, several)
        return part_of(given, a.name, codes, known, joined(levels))
    return part_of(given, a.name, several[0].codes, several[0].known, several[0].names)


def _alike(a: Given, b: Given) -> bool:
    pairs = ((a.decided, b.decided), (a.score, b.score))
    return all(x is y or (x is not None and y is not None and np.array_equal(x, y)) for x, y in pairs)


def _paired(measure: str, a: Estimate, b: Estimate, parts: list[Any], cluster: Any, alike: bool) -> Estimate:
    for found in (a, b):
        if found.value is None:
            return Estimate(None, n=found.n, why=f"one of the two has no number: {found.why}")
    assert a.value is not None
    assert b.value is not None
    gap = a.value - b.value
    if alike:
        return Estimate(0.0, (0.0, 0.0), a.n, method="both predict the same for every row")
    if a.interval is None or b.interval is None:
        return Estimate(gap, n=a.n, why="one of the two has no interval")
    if any(p is None for p in parts):
        return Estimate(gap, n=a.n, why="no formula says how the two move together from row to row")
    r = pairing.correlation(parts[0], parts[1], cluster)
    return Estimate(
        gap, pairing.difference(measure, a, b, r), a.n, method=f"{HOW}; the two move together with r = {r:.2f}"
    )
