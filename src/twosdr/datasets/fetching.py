"""Downloads, and only when asked: one file at a time, checked before it gets its name.

A file is received in memory, its SHA-256 compared, then written under a temporary name, and renamed. Whatever goes wrong on the
way, what stood under the final name before stands there still, and nothing else does.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

import http.client
import io
import math
import os
import sys
import tarfile
import tempfile
import time
import urllib.error
import urllib.request
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from twosdr import __version__
from twosdr.datasets.base import recipe_of
from twosdr.datasets.copies import data_home
from twosdr.datasets.recipes import File, digest
from twosdr.errors import FetchError, ParameterError, quoted

PIECE = 2**16
SCHEMES = ("http", "https", "file")
LONGEST = 10**8  # seconds, three years: no socket waits for longer


class _Failure(Exception):
    """Why one URL did not give the file."""


def fetch(
    name: str,
    *,
    home: str | os.PathLike[str] | None = None,
    mirror: str | None = None,
    force: bool = False,
    timeout: float = 30.0,
    time_limit: float = 900.0,
    size_limit: int = 64 * 2**20,
    progress: bool | None = None,
) -> tuple[Path, ...]:
    """Download the original of a data set, and return the paths of its files.

    A file that is there already, with the published contents, is not downloaded again.

    Parameters
    ----------
    name : str
        "adult", "communities", "compas", "german" or "lsac".
    home : path, default None
        The folder to write to: `data_home()`, that is TWOSDR_HOME or the platform's cache folder.
    mirror : str, default None
        An http, https or file URL of a folder that holds the files by name, instead of the public address.
    force : bool, default False
        Download even what is there.
    timeout, time_limit : float
        Seconds of silence, and seconds in all from one address, after which a download is given up. The latter are looked at with
        every piece of the file that arrives.
    size_limit : int
        Bytes that one download, and what is unpacked of it, may have.
    progress : bool, default None
        A progress bar on standard error; by default on a terminal only.

    Raises
    ------
    FetchError
        With the URL, what went wrong, and where to put the file by hand.
    """
    recipe = recipe_of(name)
    shelf = None if mirror is None else _folder_url(mirror)
    for what, value in (("timeout", timeout), ("time_limit", time_limit), ("size_limit", size_limit)):
        if not isinstance(value, int | float) or not 0 < value < math.inf:
            raise ParameterError(f"{what} must be a finite number above 0. Got {value!r} instead.")
    folder = data_home() if home is None else Path(home).expanduser()
    public = [o.files for o in recipe.originals if all(file.urls for file in o.files)]
    if not public and mirror is None:
        raise ParameterError(f"The data set {quoted(name)} has no public address: name a mirror= that has its files.")
    files = public[0] if public else recipe.originals[0].files
    terminal = sys.stderr is not None and sys.stderr.isatty()
    limits = _Limits(timeout, time_limit, size_limit, terminal if progress is None else progress)
    return tuple(_fetch_one(recipe.name, file, folder, shelf, force, limits) for file in files)


def _folder_url(mirror: object) -> str:
    """The URL with its path as it is sent: blanks and letters that no URL may hold are written as their codes."""
    try:
        parts = urlsplit(mirror) if isinstance(mirror, str) else None
    except ValueError:
        parts = None
    if parts is None or parts.scheme not in SCHEMES:
        raise ParameterError(f"mirror must be an http, https or file URL of a folder. Got {quoted(mirror)} instead.")
    return parts._replace(path=quote(parts.path.rstrip("/"), safe="/%")).geturl()


class _Limits:
    def __init__(self, timeout: float, time_limit: float, size_limit: int, progress: bool) -> None:
        self.timeout, self.time_limit, self.progress = min(timeout, LONGEST), time_limit, progress
        self.size_limit = math.ceil(size_limit)


def _fetch_one(name: str, file: File, folder: Path, mirror: str | None, force: bool, limits: _Limits) -> Path:
    path = folder / file.name
    if not force and _is_there(file, path):
        return path
    urls = file.urls if mirror is None else (f"{mirror}/{quote(file.name)}",)
    said = []
    with _space(file, folder) as space:
        for url in urls:
            try:
                content = _receive(url, file.name, limits)
                if mirror is None and file.member is not None:
                    content = _member(content, file.member, limits.size_limit)
                if not file.known(content):
                    raise _Failure(
                        f"gave {len(content):,} bytes with SHA-256 {digest(content)}, expected {file.sha256}"
                    )
            except _Failure as failure:
                said.append(f"{url} {failure}")
                continue
            _put(content, space, path)
            return path
    raise FetchError(
        f"Could not fetch {file.name} of the data set {quoted(name)}: {'; '.join(said)}. Nothing was kept. Try again; or put the file by "
        f"hand to {path} (SHA-256 {file.sha256}); or give mirror= a folder's URL that has it."
    )


def _is_there(file: File, path: Path) -> bool:
    try:
        return file.known(path.read_bytes())
    except OSError:
        return False


@contextmanager
def _space(file: File, folder: Path) -> Iterator[Path]:
    """A temporary file beside the final place: made before anything is sent, gone whatever happens."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{file.name}.", suffix=".part", dir=folder)
    except OSError as error:
        raise _unwritable(folder / file.name, error) from None
    os.close(handle)
    try:
        yield Path(name)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(name)


def _put(content: bytes, space: Path, path: Path) -> None:
    try:
        with open(space, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(space, 0o644)  # temporary files are private; data are not
        os.replace(space, path)
    except OSError as error:
        raise _unwritable(path, error) from None


def _unwritable(path: Path, error: OSError) -> FetchError:
    return FetchError(
        f"{path} cannot be written: {error.strerror or error}. Nothing was kept. Name a folder with room that you may write to, by "
        "home= or TWOSDR_HOME; or put the file by hand into a folder that TWOSDR_DATA names."
    )


def _receive(url: str, name: str, limits: _Limits) -> bytes:
    """The bytes at a URL, or a `_Failure`."""
    request = urllib.request.Request(url, headers={"User-Agent": f"twosdr/{__version__}"})
    received = io.BytesIO()
    began = time.monotonic()

    def so_far() -> str:
        return f"after {received.tell():,} bytes"

    try:
        with urllib.request.urlopen(request, timeout=limits.timeout) as response:
            length = response.headers.get("Content-Length")
            total = int(length) if length is not None and length.isdigit() else None
            if total is not None and total > limits.size_limit:
                raise _Failure(f"has {total:,} bytes, more than size_limit={limits.size_limit:,}")
            with _bar(name, total, limits.progress) as advance:
                # read1 returns what one packet brought: a server that drips must not hide from the time limit.
                read = getattr(response, "read1", response.read)
                while piece := read(PIECE):
                    received.write(piece)
                    advance(len(piece))
                    if received.tell() > limits.size_limit:
                        raise _Failure(f"has more than size_limit={limits.size_limit:,} bytes")
                    if time.monotonic() - began > limits.time_limit:
                        raise _Failure(f"was not done within time_limit={limits.time_limit:g} seconds, {so_far()}")
    except urllib.error.HTTPError as error:
        error.close()
        raise _Failure(f"answered {error.code} {' '.join(str(error.reason).split())}") from None
    # A ValueError is an address, here or in a redirection, that is none.
    except (TimeoutError, urllib.error.URLError, http.client.HTTPException, OSError, ValueError) as error:
        raise _Failure(_reason(error, limits, so_far())) from None
    if total is not None and received.tell() < total:
        raise _Failure(f"broke off {so_far()} of {total:,}")
    return received.getvalue()


def _reason(error: Exception, limits: _Limits, so_far: str) -> str:
    inner = error.reason if isinstance(error, urllib.error.URLError) else error
    if isinstance(inner, TimeoutError):
        return f"sent nothing for timeout={limits.timeout:g} seconds, {so_far}"
    unreached = isinstance(inner, ConnectionRefusedError | http.client.InvalidURL)
    if isinstance(inner, http.client.HTTPException | ConnectionError) and not unreached:
        return f"broke off {so_far} ({type(inner).__name__})"
    text = inner.strerror if isinstance(inner, OSError) and inner.strerror else str(inner)
    return f"cannot be reached ({text})"


def _member(content: bytes, member: str, size_limit: int) -> bytes:
    """One file of a .tar.gz."""
    try:
        with tarfile.open(fileobj=io.BytesIO(content), mode="r:gz") as archive:
            stream = archive.extractfile(member)
            found = b"" if stream is None else stream.read(size_limit + 1)
    except KeyError:
        raise _Failure(f"gave an archive without {member}") from None
    except (tarfile.TarError, zlib.error, EOFError, OSError) as error:
        raise _Failure(f"gave {len(content):,} bytes that are no .tar.gz ({error})") from None
    if len(found) > size_limit:
        raise _Failure(f"gave an archive whose {member} has more than size_limit={size_limit:,} bytes")
    return found


@contextmanager
def _bar(name: str, total: int | None, show: bool) -> Iterator[Callable[[int], Any]]:
    if not show:
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task(name, total=total)
        yield lambda more: bar.advance(task, more)
