"""What every data set is made of: where its rows may lie, and the frozen value that a loader returns.

A `Recipe` is what the file of a data set writes down; `load` turns it into a `Dataset`. Originals come first
(the folder TWOSDR_DATA, then the data home), then the file bundled with the package. Nothing here touches the
network, knows a data set by name, or writes a file.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from twosdr.errors import DataNotFound, DataWarning, NotReadable, ParameterError, did_you_mean, listing, quoted, warn

Array = npt.NDArray[Any]
BUNDLED = Path(__file__).parent / "files"


@dataclass(frozen=True)
class File:
    """A published file. `lf` is the SHA-256 of a text with its line ends as LF, where the published ones are CRLF.

    `urls` are tried in turn; with `member`, what they give is a .tar.gz, and the file that member of it.
    """

    name: str
    sha256: str
    lf: str = ""
    urls: tuple[str, ...] = ()
    member: str | None = None

    def known(self, content: bytes) -> bool:
        """Whether these are the published contents, whatever ends the lines."""
        return bool({digest(content), digest(content.replace(b"\r\n", b"\n"))} & {self.sha256, self.lf})


@dataclass(frozen=True)
class Original:
    """One form in which the original is published: its files, and the function that reads a folder with them."""

    files: tuple[File, ...]
    read: Callable[[Path], Any]


@dataclass(frozen=True)
class Bundle:
    """A file in the package, its kind ("bundled" or "stand-in"), and what was taken from where."""

    file: str
    sha256: str
    kind: str
    note: str


@dataclass(frozen=True)
class Roles:
    """Suggested roles. `attributes` are the columns that count as D; without it, all but target and left-out ones."""

    target: str
    positive: object = None
    sensitive: tuple[str, ...] = ()
    explanatory: tuple[str, ...] = ()
    left_out: Mapping[str, str] = field(default_factory=dict)
    attributes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Recipe:
    """All that the file of a data set says. `roles` reads the raw table, `prepare` makes the paper's table of it.

    `part` names the column that holds the official part of every row (train and test, or folds); unless it
    `part_counts` among the attributes, it leaves the table.
    """

    name: str
    title: str
    source: str
    licence: str
    citation: str
    card: str
    originals: tuple[Original, ...]
    roles: Callable[[Any], Roles]
    prepare: Callable[[Any], tuple[Any, Roles]]
    bundle: Bundle | None = None
    part: str | None = None
    part_counts: bool = False


@dataclass(frozen=True)
class Provenance:
    """Where the rows came from. `copy` is "original", "bundled" (all of its rows) or "stand-in" (not all of them).

    `sha256` holds every file that was read; `verified` says whether they are the published ones, line by line;
    `rows` counts what was read, before `paper=True` leaves rows out.
    """

    source: str
    licence: str
    citation: str
    copy: str
    sha256: Mapping[str, str]
    verified: bool
    rows: int
    note: str


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
            f"There is no data set {quoted(name)}.{did_you_mean(name, RECIPES)} There are: {listing(names())}."
        )
    return RECIPES[name]


def load(name: str, *, paper: bool = False) -> Dataset:
    """The data set of that name, raw or, with `paper=True`, as the numeric table of the paper's experiments."""
    recipe = recipe_of(name)
    raw, provenance = _read(recipe)
    table, roles = recipe.prepare(raw) if paper else (raw, recipe.roles(raw))
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


def data_home() -> Path:
    """The folder that `fetch` writes to: TWOSDR_HOME, or `twosdr` in the platform's cache folder. It may not exist yet."""
    if asked := os.environ.get("TWOSDR_HOME"):
        return Path(asked).expanduser()
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "twosdr" / "Cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "twosdr"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "twosdr"


def _folders() -> Iterator[Path]:
    if asked := os.environ.get("TWOSDR_DATA"):
        folder = Path(asked).expanduser()
        if not folder.is_dir():
            raise DataNotFound(f"TWOSDR_DATA names {folder}, which is no folder. Mend it, or unset it.")
        yield folder
    yield data_home()


def _read(recipe: Recipe) -> tuple[Any, Provenance]:
    for folder in _folders():
        for original in recipe.originals:
            if all((folder / file.name).is_file() for file in original.files):
                return _read_original(recipe, original, folder)
    if recipe.bundle is None:
        raise DataNotFound(_nowhere(recipe))
    return _read_bundle(recipe, recipe.bundle)


def _read_original(recipe: Recipe, original: Original, folder: Path) -> tuple[Any, Provenance]:
    found, strangers = {}, []
    for file in original.files:
        try:
            content = (folder / file.name).read_bytes()
        except OSError as error:
            raise NotReadable(f"{folder / file.name} cannot be read: {error.strerror or error}.") from None
        found[str(folder / file.name)] = digest(content)
        if not file.known(content):
            strangers.append(file)
    table = original.read(folder)
    note = f"read from {folder}."
    if strangers:
        text = "; ".join(
            f"{folder / f.name} has SHA-256 {found[str(folder / f.name)]}, not {f.sha256}" for f in strangers
        )
        note += f" Not the published contents: {text}."
        warn(
            f"{text}. Its columns are right and it was read ({table.num_rows:,} rows), but its contents are not those that were "
            "published; figures may differ.",
            DataWarning,
        )
    return table, _provenance(recipe, "original", found, not strangers, table.num_rows, note)


def _read_bundle(recipe: Recipe, bundle: Bundle) -> tuple[Any, Provenance]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = BUNDLED / bundle.file
    mend = "Install twosdr again."
    try:
        content = path.read_bytes()
    except OSError as error:
        raise NotReadable(
            f"{path}, which comes with twosdr, cannot be read: {error.strerror or error}. {mend}"
        ) from None
    if digest(content) != bundle.sha256:
        raise NotReadable(
            f"{path}, which comes with twosdr, is damaged: SHA-256 {digest(content)} ({len(content):,} bytes), expected "
            f"{bundle.sha256}. {mend}"
        )
    table = pq.ParquetFile(pa.BufferReader(content)).read()
    found = {str(path): bundle.sha256}
    return table, _provenance(recipe, bundle.kind, found, True, table.num_rows, bundle.note)


def _provenance(recipe: Recipe, copy: str, found: dict[str, str], verified: bool, rows: int, note: str) -> Provenance:
    return Provenance(recipe.source, recipe.licence, recipe.citation, copy, found, verified, rows, note)


def _nowhere(recipe: Recipe) -> str:
    forms = " or ".join(" with ".join(file.name for file in original.files) for original in recipe.originals)
    return (
        f'The data set {quoted(recipe.name)} is not on this machine. twosdr.datasets.fetch("{recipe.name}") downloads it to '
        f"{data_home()}; loaders never do. Or put {forms} there by hand, or into a folder that TWOSDR_DATA names."
    )


def digest(content: bytes) -> str:
    """SHA-256, in hex."""
    return hashlib.sha256(content).hexdigest()
