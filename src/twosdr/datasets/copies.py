"""Where the rows of a data set may lie, and reading them from there.

Originals come first (the folder TWOSDR_DATA, then the data home), then the file bundled with the package. Nothing here
touches the network, or writes a file.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from twosdr.datasets.recipes import Bundle, Original, Provenance, Recipe, digest
from twosdr.errors import DataNotFound, DataWarning, NotReadable, quoted, warn

BUNDLED = Path(__file__).parent / "files"


def data_home() -> Path:
    """The folder that `fetch` writes to: TWOSDR_HOME, or `twosdr` in the platform's cache folder. It may not exist yet."""
    try:
        if asked := os.environ.get("TWOSDR_HOME"):
            return Path(asked).expanduser()
        if sys.platform == "win32":
            return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "twosdr" / "Cache"
        if sys.platform == "darwin":
            return Path.home() / "Library" / "Caches" / "twosdr"
        return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "twosdr"
    except RuntimeError:  # a user whom the system does not know, as in many containers
        raise DataNotFound("There is no home folder to keep data in. Name one: TWOSDR_HOME=/a/folder.") from None


def read_copy(recipe: Recipe) -> tuple[Any, Provenance]:
    """The table of a data set from the first place that has it, and which that was."""
    for folder in _folders():
        for original in recipe.originals:
            if all(_is_there(folder / file.name) for file in original.files):
                return _read_original(recipe, original, folder)
    if recipe.bundle is None:
        raise DataNotFound(_nowhere(recipe))
    return _read_bundle(recipe, recipe.bundle)


def _folders() -> Iterator[Path]:
    if asked := os.environ.get("TWOSDR_DATA"):
        folder = Path(os.path.expanduser(asked))
        if not _is_there(folder, stat.S_ISDIR):
            raise DataNotFound(f"TWOSDR_DATA names {folder}, which is no folder. Mend it, or unset it.")
        yield folder
    try:
        home = data_home()
        _is_there(home / "any")  # refused where we may not look
    except (DataNotFound, NotReadable):
        if os.environ.get("TWOSDR_HOME"):
            raise
        return  # nobody asked for a home, and whoever has none, or another's, still has what is bundled
    yield home


def _is_there(path: Path, kind: Callable[[int], bool] = stat.S_ISREG) -> bool:
    try:
        return kind(path.stat().st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise NotReadable(f"{path} cannot be looked at: {error.strerror or error}.") from None


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
    try:
        home = str(data_home())
    except DataNotFound:
        home = "the folder that TWOSDR_HOME names, which has to be set here"
    return (
        f'The data set {quoted(recipe.name)} is not on this machine. twosdr.datasets.fetch("{recipe.name}") downloads it to '
        f"{home}; loaders never do. Or put {forms} there by hand, or into a folder that TWOSDR_DATA names."
    )
