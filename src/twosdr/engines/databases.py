"""Rows of a database query, through ADBC (the `sql` extra): PostgreSQL, SQLite, or any connection of ADBC's dbapi."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from twosdr.engines.sources import File, Part, Rows
from twosdr.errors import ParameterError, TableError, quoted

DRIVERS = {
    "postgresql": "adbc_driver_postgresql.dbapi",
    "postgres": "adbc_driver_postgresql.dbapi",
    "sqlite": "adbc_driver_sqlite.dbapi",
}
LOOK = 1024  # rows whose types are looked at: SQLite knows the types of values, not of columns


@dataclass(frozen=True, eq=False)
class Query:
    """The rows that a SELECT gives, on a connection of ADBC or at a URI (postgresql://..., sqlite:///path).

    The query runs once for each pass, and only the columns that are needed are asked for. Folds go by row numbers, so
    where several alphas compete the query needs an ORDER BY, or the fit a fold_key.
    """

    connection: Any
    sql: str

    def __repr__(self) -> str:  # a URI may hold a password
        return f"Query({self.sql!r:.60})"


def opened(query: Query) -> Rows:
    """The query as a source; its columns are found from its first rows."""
    with _reader(query, f"SELECT * FROM ({_plain(query)}) AS rows_of_query LIMIT {LOOK}") as reader:
        schema = reader.schema

    def batches(columns: tuple[str, ...]) -> Iterator[Any]:
        names = ", ".join('"' + name.replace('"', '""') + '"' for name in columns)
        with _reader(query, f"SELECT {names} FROM ({_plain(query)}) AS rows_of_query") as reader:
            yield from reader

    return Rows("a query", schema, [File("a query", (Part(batches),))])


def _plain(query: Query) -> str:
    if not isinstance(query.sql, str) or not query.sql.strip():
        raise ParameterError(f"A query is the text of a SELECT. Got {query.sql!r:.80} instead.")
    return query.sql.strip().rstrip(";")


@contextmanager
def _reader(query: Query, sql: str) -> Iterator[Any]:
    with _connected(query.connection) as connection, connection.cursor() as cursor:
        errors = import_module("adbc_driver_manager").Error
        try:
            cursor.execute(sql)
            yield cursor.fetch_record_batch()
        except errors as trouble:
            raise TableError(f"The database refused the query: {trouble}") from trouble


@contextmanager
def _connected(connection: Any) -> Iterator[Any]:
    if not isinstance(connection, str):
        yield connection
        return
    scheme, found, rest = connection.partition("://")
    if not found or scheme not in DRIVERS:
        raise ParameterError(
            f"A database is a connection of ADBC, or a URI that begins with {', '.join(f'{s}://' for s in DRIVERS)}. Got "
            f"{quoted(scheme)}."
        )
    try:
        driver = import_module(DRIVERS[scheme])
    except ImportError:
        raise ParameterError(f"{scheme}:// needs the driver: pip install 'twosdr[sql]'.") from None
    uri = (rest.removeprefix("/") or ":memory:") if scheme == "sqlite" else connection
    errors = import_module("adbc_driver_manager").Error
    try:
        opened = driver.connect(uri)
    except errors as trouble:
        raise TableError(f"The database cannot be reached: {trouble}") from trouble
    with opened:
        yield opened
