"""What a table of the paper is: rows, each a data set with roles, a protocol, and a method. Values, not actions.

A file of a table names these and nothing else. Everything here is frozen and hashable, so that two tables that ask
for the same fits share them.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Setting:
    """A data set in the paper's form, and who is who in it.

    `sensitive` are the columns whose influence is removed; () stands for those that the data set suggests. x is every attribute but
    those in `without`, and those in `also`, or, where `only` is given, those alone.
    """

    data: str
    sensitive: tuple[str, ...] = ()
    explanatory: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    only: tuple[str, ...] = ()


@dataclass(frozen=True)
class Protocol:
    """How rows become train and test: "official" parts, `n` "random" splits of 2/3 to 1/3, or parts of the official
    sizes with rows drawn at random, "shuffled".

    `ranks` puts ranks within the groups of s in the place of numbers: "apart" for train and test each, "jointly" before the
    split; ties are broken by chance, and the official protocol is repeated `n` times. `balanced` draws
    the rarer class of the training rows with replacement until it is as frequent as the other.
    """

    kind: str
    n: int = 1
    ranks: str = ""
    balanced: bool = False

    def quick(self) -> Protocol:
        """The same with few splits."""
        return replace(self, n=min(self.n, 5 if self.kind == "random" else 2))

    @property
    def by_chance(self) -> bool:
        """Whether another seed would give other numbers."""
        return self.kind != "official" or bool(self.ranks)


OFFICIAL = Protocol("official")
HUNDRED = Protocol("random", 100)


@dataclass(frozen=True)
class Method:
    """`two_stage` or the baseline, which sees s; then "least squares", "ridge" or "logistic"; or our `closed` form, in its defaults.

    "equal means" is least squares without s under the constraint that both groups get the same average, "by stratum" in every
    fifth of the propensity.
    """

    two_stage: bool
    second: str
    closed: bool = False

    @property
    def quoted(self) -> bool:
        """Whether the paper quotes the row from others: then it is our solver throughout, and nothing stands beside it."""
        return self.second.startswith("equal means")


OLS = Method(False, "least squares")
TWO_STAGE = Method(True, "least squares")
RIDGE = Method(False, "ridge")  # what the paper calls OLS in its tables of classifiers
TWO_STAGE_RIDGE = Method(True, "ridge")
TWO_STAGE_LOGISTIC = Method(True, "logistic")
EQUAL_MEANS = Method(True, "equal means")  # SEM-S of Calders et al.
EQUAL_MEANS_BY_STRATUM = Method(True, "equal means by stratum")  # SEM-MP


@dataclass(frozen=True)
class Row:
    """One row of a table: its cells are the means over the splits of these `metrics`."""

    name: str
    setting: Setting
    protocol: Protocol
    method: Method
    metrics: tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """A table of the paper. `id` is the one of expected.toml, where the printed values, tolerances and places are."""

    id: str
    title: str
    protocol: str
    rows: tuple[Row, ...]
