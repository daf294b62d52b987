"""A model in a file: written whole or not at all, the same bytes for the same model; read with every doubt."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from twosdr import __version__
from twosdr.errors import NotReadable, ParameterError, quoted
from twosdr.model.schema import FORMAT, VERSION, from_document, to_document
from twosdr.model.text import MOST_BYTES, digest, parse, read_bytes, render, write_whole
from twosdr.model.value import Model


def dumps(model: Model) -> bytes:
    """The file's bytes; the same model gives the same."""
    try:
        document = to_document(model)
        text = render(document | {"sha256": digest(document)}) + "\n"
        from_document(document)  # what could not be read again is not written
        raw = text.encode()
    except (ValueError, TypeError) as trouble:
        # Half characters, labels of odd types, infinite coefficients: what JSON has no form for.
        raise ParameterError(f"This model has no form in JSON: {trouble}.") from trouble
    if len(raw) > MOST_BYTES:
        raise ParameterError(
            f"This model would be a file of {len(raw):,} bytes; {MOST_BYTES:,} is the most that load reads."
        )
    return raw


def loads(raw: bytes, name: str = "the text") -> Model:
    """The model in these bytes; `name` is for messages."""
    try:
        document = parse(raw)
        if not isinstance(document, dict) or document.get("format") != FORMAT:
            raise ValueError(f"it does not say that its format is {FORMAT!r}")
        _this_version(document, name)
        said = document.pop("sha256", None)
        if said != digest(document):
            raise ValueError(
                "its checksum does not fit its content: a digit changed, or somebody edited it, after it was written"
            )
        return from_document(document)
    except NotReadable:
        raise
    except (ValueError, RecursionError) as trouble:
        raise NotReadable(f"{quoted(name)} holds no model of twosdr that can be read: {trouble}.") from trouble


def _this_version(document: dict[str, Any], name: str) -> None:
    version = document.get("version")
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise ValueError("its version is no whole number from 1 up")
    if version > VERSION:
        writer = document.get("written_by")
        by = f" by {quoted(writer)}" if isinstance(writer, str) else ""
        raise NotReadable(
            f"{quoted(name)} was written{by} in version {version} of the format; twosdr {__version__} reads up to version "
            f"{VERSION}. Update twosdr."
        )


def write(model: Model, path: str | os.PathLike[str]) -> None:
    """Write the model to a file, which appears whole or not at all."""
    write_whole(path, dumps(model))


def read(path: str | os.PathLike[str]) -> Model:
    """The model in a file; raises NotReadable for anything else."""
    return loads(read_bytes(path), Path(path).name)
