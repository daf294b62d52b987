"""What an audit found, as values: frozen records of numbers, names and words. Nothing here computes.

    Audit ── overall: Measures                      accuracy, selection rate, ...
      ├── attributes: Attribute                     one for each s, then one for all of them crossed
      │     ├── groups: Group ── measures           one for each level, those of missing s in `unknown`
      │     ├── measures: Measures                  P%, mean distance, correlation, ...
      │     ├── explained, verdict                  what z explains; what a rule says
      │     └── cut, histogram, curve               the pictures, as numbers
      ├── findings: Finding                         what to look at first
      └── not_estimated: Gap                        what has no number, and why

Every field is plain data or one of these, so that plain.py writes and reads them all without knowing any.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from twosdr.metrics import Estimate

Numbers = tuple[float, ...]
Holes = tuple[float | None, ...]  # numbers, and None where there is none


@dataclass(frozen=True)
class Measures(Mapping[str, Estimate]):
    """Estimates by name, in the order in which they are to be read.

    >>> found = Measures((("accuracy", Estimate(0.5, n=2)),))
    >>> found["accuracy"].value, len(found), "rmse" in found
    (0.5, 1, False)
    """

    pairs: tuple[tuple[str, Estimate], ...] = ()

    def __getitem__(self, name: str) -> Estimate:
        for key, found in self.pairs:
            if key == name:
                return found
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return (key for key, _ in self.pairs)

    def __len__(self) -> int:
        return len(self.pairs)


@dataclass(frozen=True)
class Group:
    """The rows of one level of s (or of one level of each, crossed).

    `share` is of the weight of all rows audited. `selected` counts rows, without weights, for tests on counts; it is None where
    there are no decisions. `counted` says whether the group is large enough to stand in a ratio. `spread` is the standard deviation of
    its scores (of its decisions, without scores).
    """

    name: str
    levels: tuple[str, ...]
    n: int
    share: float
    selected: int | None
    counted: bool
    measures: Measures = Measures()
    spread: float | None = None


@dataclass(frozen=True)
class Verdict:
    """What a rule says of a ratio, in both readings.

    `as_counted` is "below" or "not below", from the number alone; `status` is "below", "above", "cannot tell" or "no number",
    from its interval; `text` says both in a sentence.
    """

    rule: float
    status: str
    as_counted: str | None
    text: str


@dataclass(frozen=True)
class Explanation:
    """The disparity by one s, split by z: of a number, between two groups, or between `group` and all others.

    `between` names the two, the one with the higher mean first. `total` = `unexplained` + `explained`, signed; `excess` is what the
    predictions let pass through z beyond the effect that z has on y with s controlled for. `cells` compares people of like z. `without`
    has the unexplained part with each z left out, `gaps` each z's own difference by s.
    """

    group: str
    between: tuple[str, ...]
    z: tuple[str, ...]
    total: Estimate
    unexplained: Estimate
    explained: Estimate
    excess: Estimate
    cells: Estimate
    without: Measures
    gaps: Measures
    more: Measures
    note: str


@dataclass(frozen=True)
class Histogram:
    """Shares of each group's weight in bins of the score; `edges` has one number more than a row has bins."""

    edges: Numbers
    groups: tuple[str, ...]
    shares: tuple[Numbers, ...]


@dataclass(frozen=True)
class AlongCut:
    """The impact ratio when scores are cut so that a share `rate` is selected, and the rates of the groups. One cut is no verdict."""

    rate: Numbers
    p_rule: Holes
    low: Holes
    high: Holes
    threshold: Holes
    groups: tuple[str, ...]
    by_group: tuple[Numbers, ...]


@dataclass(frozen=True)
class Curve:
    """The mean prediction (the rate, for decisions) in bins of a numeric s that hold about equally many rows."""

    of: str  # "mean" or "selection_rate"
    low: Numbers
    high: Numbers
    middle: Numbers
    n: tuple[int, ...]
    mean: Holes
    mean_low: Holes
    mean_high: Holes


@dataclass(frozen=True)
class Attribute:
    """All that was found about one s. `kind` is "groups", "number" or "crossed" (levels of several s together)."""

    name: str
    columns: tuple[str, ...]
    kind: str
    n: int
    unknown: int
    best: str | None
    groups: tuple[Group, ...]
    measures: Measures
    missing_rows: Group | None = None
    verdict: Verdict | None = None
    explained: tuple[Explanation, ...] = ()
    cut: AlongCut | None = None
    histogram: Histogram | None = None
    curve: Curve | None = None

    def group(self, name: str) -> Group:
        """The group of that name."""
        for found in self.groups:
            if found.name == name:
                return found
        raise KeyError(name)


@dataclass(frozen=True)
class Finding:
    """Something to look at: `kind` is a word for programs, `about` the s (or "" for all rows), `text` a sentence."""

    kind: str
    about: str
    text: str


@dataclass(frozen=True)
class Gap:
    """A number that there is not, or that has no interval: whose, which, and why."""

    about: str
    measure: str
    why: str


@dataclass(frozen=True)
class Settings:
    """How the audit was asked for."""

    confidence: float
    min_group_size: int
    bins: int
    rule: float | None
    pos_label: str | None
    weighted: bool
    clustered: bool
    twosdr: str = field(default="")
