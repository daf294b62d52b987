"""The frozen value that a loader returns, and the list of data sets that there are.

A data set's own file needs no other import for what it says: a `Recipe`, which `load` turns into a `Dataset`.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from twosdr.datasets.copies import read_copy
from twosdr.datasets.recipes import Array as Array
from twosdr.datasets.recipes import Bundle as Bundle
from twosdr.datasets.recipes import File as File
from twosdr.datasets.recipes import Original as Original
from twosdr.datasets.recipes import Provenance as Provenance
from twosdr.datasets.recipes import Recipe as Recipe
from twosdr.datasets.recipes import Roles as Roles
from twosdr.datasets.recipes import Unfit as Unfit
from twosdr.datasets.recipes import digest as digest
from twosdr.datasets.recipes import whole as whole
from twosdr.errors import NotReadable, ParameterError, did_you_mean, listing, quoted


class Rows:
    """What data sets and generated worlds share: a table, its roles, and the ways out to other libraries."""

    table: Any
    target: str
    left_out: Mapping[str, str]

    @property
    def X(self) -> Any:
        """The table without the target and the left-out columns: what a `fit` takes."""
        return self.table.drop_columns([self.target, *(n for n in self.left_out if n in self.table.column_names)])

    @property
    def y(self) -> Array:
        """The target, as an array."""
        return np.asarray(self.table.column(self.target).to_numpy())

    def to_pandas(self) -> Any:
        """The whole table as a pandas data frame; the only line that needs pandas."""
        return self.table.to_pandas()

    def to_polars(self) -> Any:
        """The whole table as a polars data frame; needs polars."""
        import polars

        return polars.from_arrow(self.table)


@dataclass(frozen=True, eq=False, repr=False)
class Dataset(Rows):
    """A table (pyarrow), the roles that we suggest, its official parts, where it came from, and its caveats.

    `positive` is the label of the target that the paper's figures count as positive, None when the target is a number.
    `left_out` maps columns of the table that should not be attributes to the reason. `attributes` are those that count
    as D. `part` holds the official part of each row ("train" or "test", or a fold), None where none is published.
    """

    name: str
    table: Any
    target: str
    positive: object
    sensitive: tuple[str, ...]
    explanatory: tuple[str, ...]
    left_out: Mapping[str, str]
    attributes: tuple[str, ...]
    part: Array | None
    provenance: Provenance
    card: str

    @property
    def n_rows(self) -> int:
        """N."""
        return int(self.table.num_rows)

    @property
    def n_attributes(self) -> int:
        """D, as the paper counts when `paper=True`."""
        return len(self.attributes)

    @cached_property
    def splits(self) -> tuple[tuple[Array, Array], ...]:
        """The official (train, test) row numbers: one pair for train and test, one a fold; () where none is published."""
        if self.part is None:
            return ()
        parts = np.unique(self.part)
        tested = ["test"] if set(parts) == {"train", "test"} else parts
        return tuple((np.flatnonzero(self.part != p), np.flatnonzero(self.part == p)) for p in tested)

    def __repr__(self) -> str:
        return (
            f"<Dataset {self.name}: {self.n_rows:,} rows, {self.n_attributes} attributes, target {quoted(self.target)}, "
            f"{self.provenance.copy} copy>"
        )


RECIPES: dict[str, Recipe] = {}


def register(recipe: Recipe) -> Recipe:
    """Enter a data set under its name; importing its file is what does it."""
    RECIPES[recipe.name] = recipe
    return recipe


def names() -> tuple[str, ...]:
    """The data sets that `load` and `fetch` know."""
    return tuple(sorted(RECIPES))


def recipe_of(name: str) -> Recipe:
    """The recipe of that name; a ParameterError with the nearest name where there is none."""
    if not isinstance(name, str) or name not in RECIPES:
        raise ParameterError(
            f"There is no data set {quoted(name)}.{did_you_mean(str(name).lower(), RECIPES)} There are: {listing(names())}."
        )
    return RECIPES[name]


def load(name: str, *, paper: bool = False) -> Dataset:
    """The data set of that name, raw or, with `paper=True`, as the numeric table of the paper's experiments."""
    recipe = recipe_of(name)
    raw, provenance = read_copy(recipe)
    try:
        if recipe.part is not None:
            whole(raw, recipe.part)
        table, roles = recipe.prepare(raw) if paper else (raw, recipe.roles(raw))
    except Unfit as why:
        raise NotReadable(f"{' and '.join(provenance.sha256)}: {why}") from None
    part = None if recipe.part is None else np.asarray(table.column(recipe.part).to_numpy())
    if recipe.part is not None and not recipe.part_counts:
        table = table.drop_columns([recipe.part])
    others = tuple(n for n in table.column_names if n != roles.target and n not in roles.left_out)
    return Dataset(
        name=recipe.name,
        table=table,
        target=roles.target,
        positive=roles.positive,
        sensitive=roles.sensitive,
        explanatory=roles.explanatory,
        left_out=dict(roles.left_out),
        attributes=roles.attributes or others,
        part=part,
        provenance=provenance,
        card=f"{recipe.title}\n\n{recipe.card.strip()}\n\nSource: {recipe.source}\nLicence: {recipe.licence}\n"
        f"Cite: {recipe.citation}\nThis copy ({provenance.copy}): {provenance.note}\n",
    )
