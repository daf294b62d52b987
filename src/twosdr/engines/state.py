"""The state file of a fit that can be interrupted: moments of every finished file, in one SQLite database.

A fit that is killed leaves the files it finished; the same call goes on from there and adds the same sums in the same
order. What the fit asks (roles, target, weights, folds) and the files' sizes and times are kept too, and a state of another
fit is refused. The file holds moments, which are personal data.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from twosdr.engines.plan import Plan
from twosdr.engines.sources import File, shown
from twosdr.errors import NotReadable
from twosdr.moments import Moments

if TYPE_CHECKING:
    import sqlite3

FORMAT = "twosdr-state-1"


class State:
    """Values of finished files, by name; written as one transaction each, so that a kill leaves whole ones."""

    def __init__(self, path: str | os.PathLike[str], plan: Plan) -> None:
        self.path = Path(path)
        asked = repr(
            (
                FORMAT,
                plan.roles,
                plan.y,
                plan.classes,
                plan.weight,
                plan.class_weight,
                plan.fold_key,
                plan.n_folds,
                plan.by_class,
            )
        )
        self.asked = hashlib.sha256(asked.encode()).hexdigest()
        import sqlite3

        try:
            with closing(self._open()) as store, store:
                store.execute("CREATE TABLE IF NOT EXISTS fit (asked TEXT)")
                store.execute(
                    "CREATE TABLE IF NOT EXISTS files (name TEXT PRIMARY KEY, mark TEXT, n_rows INTEGER, moments BLOB)"
                )
                found = store.execute("SELECT asked FROM fit").fetchone()
                if found is None:
                    store.execute("INSERT INTO fit VALUES (?)", (self.asked,))
        except sqlite3.DatabaseError as trouble:
            raise NotReadable(
                f"{shown(self.path)} is no state of a fit ({trouble}). Delete it, or name another file."
            ) from trouble
        if found is not None and found[0] != self.asked:
            raise NotReadable(
                f"{shown(self.path)} is the state of another fit (other roles, levels, target, weights or folds). Delete it, or name "
                "another file."
            )

    def _open(self) -> sqlite3.Connection:
        import sqlite3

        return sqlite3.connect(self.path)

    def finished(self, files: Sequence[File]) -> dict[int, tuple[Moments, int]]:
        """The moments and rows of files that are done, by their place among `files`."""
        with closing(self._open()) as store:
            stored = {name: rest for name, *rest in store.execute("SELECT name, mark, n_rows, moments FROM files")}
        strange = sorted(set(stored) - {file.name for file in files})
        if strange:
            raise NotReadable(
                f"{shown(self.path)} holds {shown(strange[0])}, which the source does not have any more. Delete the state to begin anew."
            )
        found = {}
        for f, file in enumerate(files):
            if file.name not in stored:
                continue
            mark, n_rows, moments = stored[file.name]
            if mark != file.mark:
                raise NotReadable(
                    f"{shown(file.name)} has changed since its moments were kept in {shown(self.path)}. Delete the state to begin anew."
                )
            found[f] = (_from_bytes(moments), n_rows)
        return found

    def keep(self, file: File, value: Moments, n_rows: int) -> None:
        """One more file is done."""
        with closing(self._open()) as store, store:
            store.execute(
                "INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?)", (file.name, file.mark, n_rows, to_bytes(value))
            )


def to_bytes(moments: Moments) -> bytes:
    """What `Moments.save` writes."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "moments"
        moments.save(path)
        return path.read_bytes()


def _from_bytes(raw: bytes) -> Moments:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "moments"
        path.write_bytes(raw)
        return Moments.load(path)
