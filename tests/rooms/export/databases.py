"""Databases that run a statement on rows: DuckDB and SQLite in the process, PostgreSQL as a server on loopback."""

from __future__ import annotations

import os
import shutil
import socket
import sqlite3
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd

from twosdr.export.dialects import dialect_of
from twosdr.tables import read

Rows = list[dict[str, Any]]
TYPES = {"number": "DOUBLE PRECISION", "bool": "BOOLEAN", "text": "TEXT", "empty": "TEXT"}


def plain(rows: Any) -> tuple[dict[str, str], list[list[Any]]]:
    """Column names with SQL types, and the rows as Python values with None for what is missing."""
    table = read(rows)
    columns = [table.column(name) for name in table.names]
    values = []
    for column in columns:
        if column.levels is None:
            values.append([None if np.isnan(v) else float(v) for v in column.values.astype(float)])
        else:
            values.append([None if code < 0 else column.levels[code] for code in column.values])
    types = {name: TYPES[column.kind] for name, column in zip(table.names, columns, strict=True)}
    return types, [list(row) for row in zip(*values, strict=True)]


def created(dialect: str, rows: Any, name: str = "people") -> tuple[str, list[list[Any]]]:
    """The statement that makes the table, with a column `row` that keeps the order, and the values to insert."""
    quote = dialect_of(dialect).identifier
    types, values = plain(rows)
    columns = ["row INTEGER", *(f"{quote(n)} {kind}" for n, kind in types.items())]
    return f"CREATE TABLE {quote(name)} ({', '.join(columns)})", [[j, *row] for j, row in enumerate(values)]


def ordered(names: list[str], rows: list[Any]) -> pd.DataFrame:
    found = pd.DataFrame([tuple(r) for r in rows], columns=names, dtype=object)
    return found.sort_values("row", ignore_index=True)


def in_duckdb(sql: str, rows: Any, name: str = "people") -> pd.DataFrame:
    """What DuckDB answers."""
    create, values = created("duckdb", rows, name)
    with closing(duckdb.connect()) as db:
        db.execute(create)
        if values:
            marks = ", ".join("?" * len(values[0]))
            db.executemany(f"INSERT INTO {dialect_of('duckdb').identifier(name)} VALUES ({marks})", values)
        answer = db.execute(sql)
        return ordered([d[0] for d in answer.description], answer.fetchall())


def in_sqlite(sql: str, rows: Any, name: str = "people") -> pd.DataFrame:
    """What SQLite answers."""
    create, values = created("sqlite", rows, name)
    with closing(sqlite3.connect(":memory:")) as db:
        db.execute(create)
        if values:
            marks = ", ".join("?" * len(values[0]))
            db.executemany(f"INSERT INTO {dialect_of('sqlite').identifier(name)} VALUES ({marks})", values)
        answer = db.execute(sql)
        return ordered([d[0] for d in answer.description], answer.fetchall())


def why_no_postgres() -> str | None:
    """Why there is no server to start, or None."""
    if not binaries():
        return "PostgreSQL is not installed: no initdb below /usr/lib/postgresql (apt-get install postgresql)"
    if os.getuid() == 0 and not shutil.which("runuser"):
        return "PostgreSQL refuses to run as root, and there is no runuser"
    return None


def binaries() -> Path | None:
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return found[-1].parent if found else None


@contextmanager
def postgres() -> Iterator[Callable[..., pd.DataFrame]]:
    """A server of its own on loopback, and a function that runs a statement on rows there."""
    from adbc_driver_postgresql import dbapi

    home = binaries()
    assert home is not None
    root = os.getuid() == 0
    who = ["runuser", "-u", "postgres", "--"] if root else []
    folder = Path(tempfile.mkdtemp(prefix="twosdr-postgres-"))
    if root:
        shutil.chown(folder, "postgres")
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    options = ["--encoding=UTF8", "--locale=C.UTF-8", "--auth=trust", "--username=postgres", "--no-sync"]
    server = None
    try:
        made = subprocess.run(
            [*who, home / "initdb", "-D", folder / "data", *options], cwd="/", capture_output=True, text=True
        )
        assert made.returncode == 0, made.stderr
        settings = {"listen_addresses": "127.0.0.1", "port": port, "unix_socket_directories": folder, "fsync": "off"}
        flags = [part for key, value in settings.items() for part in ("-c", f"{key}={value}")]
        with open(os.devnull, "w") as quiet:
            server = subprocess.Popen([*who, home / "postgres", "-D", folder / "data", *flags], cwd="/", stderr=quiet)
        yield _runner(dbapi, f"postgresql://postgres@127.0.0.1:{port}/postgres")
    finally:
        if server is not None:
            subprocess.run(
                [*who, home / "pg_ctl", "-D", folder / "data", "-m", "immediate", "stop"], cwd="/", capture_output=True
            )
            server.wait(30)
        shutil.rmtree(folder, ignore_errors=True)


def _runner(dbapi: Any, address: str) -> Callable[..., pd.DataFrame]:
    _connected(dbapi, address).close()

    def run(sql: str, rows: Any, name: str = "people", settings: str = "") -> pd.DataFrame:
        create, values = created("postgres", rows, name)
        quote = dialect_of("postgres")
        said = [f"({', '.join(_literal(quote, v) for v in row)})" for row in values]
        with closing(dbapi.connect(address)) as db, closing(db.cursor()) as cursor:
            if settings:
                cursor.execute(settings)
            cursor.execute(create)
            cursor.execute(f"INSERT INTO {quote.identifier(name)} VALUES {', '.join(said)}")
            cursor.execute(sql)
            found = cursor.fetch_arrow_table()  # nothing was committed: the table goes with the connection
        return ordered(found.column_names, list(zip(*(c.to_pylist() for c in found.columns), strict=True)))

    return run


def _literal(quote: Any, value: Any) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return quote.boolean(value)
    if isinstance(value, (int, float)):
        return quote.number(float(value)) if np.isfinite(value) else quote.infinite(value)
    return quote.text(value)


def _connected(dbapi: Any, address: str) -> Any:
    for _ in range(300):
        try:
            return dbapi.connect(address)
        except dbapi.Error:
            time.sleep(0.1)
    raise AssertionError("PostgreSQL did not answer within 30 seconds")
