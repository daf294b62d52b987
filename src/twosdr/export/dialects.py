"""What differs between dialects of SQL: how names, text and numbers are quoted, and what a missing number looks like.

Nothing from a model reaches a statement but through these methods.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from dataclasses import dataclass

from twosdr.errors import ParameterError, quoted

LARGEST = "1.7976931348623157e308"


@dataclass(frozen=True)
class Dialect:
    """Standard SQL with double quotes; subclasses say where theirs differs."""

    name: str
    double: str = "DOUBLE PRECISION"
    folds_case: bool = False  # "Age" and "age" are one column, also when quoted
    longest: int | None = None  # bytes of a name that count
    dots_split: bool = False  # a dot within quotes still divides a name

    def identifier(self, name: str) -> str:
        """A name, quoted."""
        return '"' + name.replace('"', '""') + '"'

    def text(self, value: str) -> str:
        """A string, quoted."""
        return "'" + value.replace("'", "''") + "'"

    def number(self, value: float) -> str:
        """A double with all its digits; negative ones in parentheses, because two minus signs begin a comment."""
        return self._signed(f"{abs(value)!r}" if "e" in repr(value) else f"{abs(value)!r}e0", value)

    def _signed(self, magnitude: str, value: float) -> str:
        return f"(-{magnitude})" if value < 0 else magnitude

    def boolean(self, value: bool) -> str:
        """TRUE or FALSE."""
        return "TRUE" if value else "FALSE"

    def as_number(self, column: str) -> str:
        """The column as a double."""
        return f"CAST({column} AS {self.double})"

    def finite(self, column: str) -> str:
        """A condition that holds for finite numbers, and neither for NULL nor for NaN."""
        return f"ABS({self.as_number(column)}) <= {self.number(float(LARGEST))}"

    def is_missing(self, column: str) -> str:
        """A condition that holds for NULL and, where there is one, NaN: the two are one thing, as in predict."""
        return f"{column} IS NULL OR {self.as_number(column)} = CAST('NaN' AS {self.double})"

    def equals(self, column: str, level: object) -> str:
        """A condition that holds where the column has this level, byte by byte."""
        if isinstance(level, bool):
            return f"{column} = {self.boolean(level)}"
        if isinstance(level, int):
            return f"{column} = {f'({level})' if level < 0 else level}"
        if isinstance(level, float):
            return f"{self.as_number(column)} = {self.infinite(level) if level in (float('inf'), -float('inf')) else self.number(level)}"
        return f"{self.as_text(column)} = {self.text(str(level))}"

    def infinite(self, value: float) -> str:
        """Infinity as a double."""
        return f"CAST('{'-' if value < 0 else ''}Infinity' AS {self.double})"

    def as_text(self, column: str) -> str:
        """The column as text that is compared byte by byte, whatever collation it was declared with."""
        return f"CAST({column} AS VARCHAR)"


class DuckDB(Dialect):
    """A number with an exponent is a double; without one it would be a decimal."""

    def as_text(self, column: str) -> str:
        return f"(CAST({column} AS VARCHAR) COLLATE C)"


class Postgres(Dialect):
    """Numbers are numeric unless cast, and a backslash means itself or not, as a setting has it."""

    def text(self, value: str) -> str:
        if "\\" in value:  # E'' says that it escapes, whatever the setting
            return "E" + super().text(value.replace("\\", "\\\\"))
        return super().text(value)

    def number(self, value: float) -> str:
        return self._signed(f"'{abs(value)!r}'::float8", value)

    def as_text(self, column: str) -> str:
        return f'(CAST({column} AS text) COLLATE "C")'


class SQLite(Dialect):
    """Types belong to values here, not to columns, so each value is asked for its own."""

    def boolean(self, value: bool) -> str:
        return "1" if value else "0"

    def finite(self, column: str) -> str:
        return f"typeof({column}) IN ('integer', 'real') AND {super().finite(column)}"

    def is_missing(self, column: str) -> str:
        return f"{column} IS NULL"

    def infinite(self, value: float) -> str:
        return "(-9e999)" if value < 0 else "9e999"

    def equals(self, column: str, level: object) -> str:
        kinds = "'text'" if isinstance(level, str) else "'integer', 'real'"
        return f"typeof({column}) IN ({kinds}) AND {super().equals(column, level)}"

    def as_text(self, column: str) -> str:
        return f"({column} COLLATE BINARY)"


class BigQuery(Dialect):
    """Backticks and backslashes."""

    def identifier(self, name: str) -> str:
        return "`" + _escaped(name, "`") + "`"

    def text(self, value: str) -> str:
        return "'" + _escaped(value, "'") + "'"

    def as_text(self, column: str) -> str:
        return f"COLLATE(CAST({column} AS STRING), '')"

    def is_missing(self, column: str) -> str:
        return f"{column} IS NULL OR IS_NAN({self.as_number(column)})"  # NaN equals nothing here, not even itself


class Snowflake(Dialect):
    """Strings know backslashes, and numbers are decimal unless cast."""

    def text(self, value: str) -> str:
        return super().text(value.replace("\\", "\\\\"))

    def number(self, value: float) -> str:
        return self._signed(f"'{abs(value)!r}'::FLOAT", value)

    def infinite(self, value: float) -> str:
        return f"'{'-' if value < 0 else ''}inf'::FLOAT"

    def as_text(self, column: str) -> str:
        return f"COLLATE(CAST({column} AS VARCHAR), '')"


def _escaped(value: str, quote: str) -> str:
    out = value.replace("\\", "\\\\").replace(quote, "\\" + quote)
    return "".join(c if c >= " " else f"\\x{ord(c):02x}" for c in out)


_ALL = (
    DuckDB("duckdb", "DOUBLE", folds_case=True),
    Postgres("postgres", longest=63),
    SQLite("sqlite", "REAL", folds_case=True),
    BigQuery("bigquery", "FLOAT64", folds_case=True, dots_split=True),
    Snowflake("snowflake", "FLOAT"),
)
DIALECTS = tuple(d.name for d in _ALL)


def dialect_of(name: object) -> Dialect:
    """The dialect of that name."""
    for known in _ALL:
        if known.name == name:
            return known
    raise ParameterError(f"dialect must be one of {', '.join(map(quoted, DIALECTS))}. Got {name!r:.60} instead.")
