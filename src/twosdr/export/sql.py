"""A fitted model as one SELECT that a database runs by itself.

Where predict raises (an unknown level, a missing or infinite value without a policy), the row's prediction is NULL: a SELECT
cannot refuse one row, and must not make up a number for it.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from twosdr.errors import ParameterError, listing
from twosdr.export.dialects import Dialect, dialect_of
from twosdr.export.parts import Part, model_of, parts
from twosdr.model import Model
from twosdr.tables import Array

# A sum of a thousand terms is a thousand deep to a parser, and parsers give up there: sums of sums are not.
TERMS = 40
ROW = "r"


def to_sql(
    model: Any,
    *,
    dialect: str,
    table: str | Sequence[str],
    keep: Iterable[str] | None = None,
    prefix: str = "",
) -> str:
    """One SELECT from `table` that gives what predict gives, after the columns `keep`, or before all columns by default.

    A regressor gives the column `prediction` (`prediction_` and the target's name, for several); a classifier `score` (`score_` and
    the class, for more than two) and `decision`. `table` is one name, or the parts of a qualified one: ("schema", "people"). `prefix`
    goes before the new names, should they be taken.

    >>> from twosdr import TwoStageRegressor, export
    >>> X = {"sex": ["f", "m", "f", "m"], "skill": [1.0, 2.0, 3.0, 6.0]}
    >>> model = TwoStageRegressor(sensitive="sex").fit(X, [1.0, 3.0, 2.0, 7.0])
    >>> print(export.to_sql(model, dialect="sqlite", table="people", keep=["id"]).splitlines()[0])
    SELECT r."id",
    """
    quote, value = dialect_of(dialect), model_of(model)
    base, columns = parts(value)
    kept = None if keep is None else [keep] if isinstance(keep, str) else list(keep)
    _check_names(quote, value, [part.field.name for part in columns], kept, table, prefix)
    outputs = _outputs(value, prefix)
    _check_outputs(quote, value, [*outputs, prefix + "decision"], kept)
    name = quote.identifier
    sums = [f"{_sum(quote, base, columns, t)} AS {name(column)}" for t, column in enumerate(outputs)]
    # Before "*": of two columns of one name SQLite and DuckDB mean the first, and the table may have more than the model knows.
    shown = [*sums, f"{ROW}.*"] if kept is None else [*(f"{ROW}.{name(k)}" for k in kept), *sums]
    where = ".".join(map(name, _path(table)))
    inner = "SELECT " + ",\n  ".join(shown) + f"\nFROM {where} AS {ROW}"
    if value.classes is None:
        return inner + "\n"
    decision = f"{_decision(quote, value, [name(column) for column in outputs])} AS {name(prefix + 'decision')}"
    both = [decision, "q.*"] if kept is None else ["q.*", decision]
    # Not indented: a line may begin within a name.
    return "SELECT " + ",\n  ".join(both) + f"\nFROM (\n{inner}\n) AS q\n"


def _outputs(model: Model, prefix: str) -> list[str]:
    stem = prefix + ("prediction" if model.classes is None else "score")
    return [stem] if model.flat else [f"{stem}_{name}" for name in model.output_names()]


def _path(table: str | Sequence[str]) -> list[str]:
    return list(table) if isinstance(table, (list, tuple)) else [table]  # type: ignore[list-item]  # checked below


def _check_names(
    quote: Dialect, model: Model, used: list[str], kept: list[str] | None, table: str | Sequence[str], prefix: str
) -> None:
    where = _path(table)
    texts = [*used, *(kept or []), *where, prefix]
    texts += [v for f in model.roles.fields for v in f.levels or () if isinstance(v, str)]
    texts += [] if model.classes is None else [c for c in model.classes.tolist() if isinstance(c, str)]
    if not where or not all(isinstance(t, str) for t in texts):
        raise ParameterError(
            f"table, keep and prefix must be names: text, or lists of text. Got {table!r:.60}, {kept!r:.60} and {prefix!r:.60}."
        )
    if not all([*used, *(kept or []), *where]):
        raise ParameterError(
            "A column, or the table, has an empty name, which most databases refuse. Rename it and fit again."
        )
    odd = [t for t in texts if "\0" in t]
    if odd:
        raise ParameterError(f"{listing(repr(t) for t in odd)} holds the character NUL, which no SQL can say.")
    split = [t for t in [*used, *(kept or [])] if quote.dots_split and "." in t]
    if split:
        raise ParameterError(
            f"{quote.name} has no columns with a dot in their name: {listing(split)}. Rename them and fit again."
        )
    _distinct(quote, used, "columns")


def _distinct(quote: Dialect, names: list[str], what: str) -> None:
    """Two names that the database takes for one would read one column twice, silently."""

    def seen(name: str) -> bytes:
        said = (name.casefold() if quote.folds_case else name).encode()
        return said if quote.longest is None else said[: quote.longest]

    known: dict[bytes, str] = {}
    for name in names:
        if seen(name) in known:
            raise ParameterError(
                f"{quote.name} takes the {what} {listing([known[seen(name)], name])} for one. Rename one of them and fit again."
            )
        known[seen(name)] = name


def _check_outputs(quote: Dialect, model: Model, new: list[str], kept: list[str] | None) -> None:
    given = kept
    if kept is None:
        given = [field.name for field in model.roles.fields] + list(model.roles.left_out)
    try:
        _distinct(quote, [*new, *(given or [])], "columns")
    except ParameterError as trouble:
        raise ParameterError(f"{trouble} Or give prefix=, which goes before the names of the new columns.") from None


def _sum(quote: Dialect, base: Array, columns: list[Part], t: int) -> str:
    """The prediction t as a sum with a term for each column, in pieces that a parser's stack can hold."""
    terms = [quote.number(float(base[t])), *(_term(quote, part, t) for part in columns)]
    while len(terms) > TERMS:
        terms = ["(" + "\n    + ".join(terms[a : a + TERMS]) + ")" for a in range(0, len(terms), TERMS)]
    return "\n  + ".join(terms)


def _term(quote: Dialect, part: Part, t: int) -> str:
    column = f"{ROW}.{quote.identifier(part.field.name)}"

    def amount(values: Array | None) -> str:
        return "NULL" if values is None else quote.number(float(values[t]))

    if part.slope is None:
        arms = []
        if part.missing is not None or part.unknown is not None:  # elsewhere no arm holds for NULL, which is the answer
            arms = [f"WHEN {_missing(quote, part, column)} THEN {amount(part.missing)}"]
        arms += [f"WHEN {quote.equals(column, level)} THEN {amount(adds)}" for level, adds in part.known]
        return _case(arms, amount(part.unknown))
    line = quote.as_number(column)
    line = f"({line} - {quote.number(part.origin)})" if part.origin else line
    line = f"{line} * {quote.number(float(part.slope[t]))}"
    line += f" + {quote.number(float(part.there[t]))}" if part.there[t] else ""
    arms = [f"WHEN {quote.is_missing(column)} THEN {amount(part.missing)}"] if part.missing is not None else []
    return _case([*arms, f"WHEN {quote.finite(column)} THEN {line}"], "NULL")


def _missing(quote: Dialect, part: Part, column: str) -> str:
    # Text and booleans are missing as NULL alone; NaN is asked for only where a column of numbers has categories.
    return quote.is_missing(column) if part.field.kind == "number" else f"{column} IS NULL"


def _case(arms: list[str], otherwise: str) -> str:
    return "CASE " + " ".join(arms) + ("" if otherwise == "NULL" else f" ELSE {otherwise}") + " END"


def _decision(quote: Dialect, model: Model, scores: list[str]) -> str:
    """The class of the row; NULL where the score is."""
    assert model.classes is not None
    labels = [_literal(quote, c) for c in model.classes.tolist()]
    if len(scores) == 1:
        cut, score = quote.number(model.threshold), f"q.{scores[0]}"
        return f"CASE WHEN {score} > {cut} THEN {labels[1]} WHEN {score} <= {cut} THEN {labels[0]} END"
    # The first of the largest, as argmax: it is no smaller than any other, and those before it were not.
    arms = [
        f"WHEN {_all(f'q.{mine} >= q.{other}' for other in scores if other != mine)} THEN {label}"
        for mine, label in zip(scores, labels, strict=True)
    ]
    return _case(arms, "NULL")


def _all(conditions: Iterable[str]) -> str:
    found = list(conditions)
    while len(found) > TERMS:
        found = ["(" + " AND ".join(found[a : a + TERMS]) + ")" for a in range(0, len(found), TERMS)]
    return " AND ".join(found)


def _literal(quote: Dialect, label: Any) -> str:
    if isinstance(label, bool):
        return quote.boolean(label)
    if isinstance(label, int):
        return f"({label})" if label < 0 else str(label)
    if isinstance(label, float):
        return quote.number(label) if math.isfinite(label) else quote.infinite(label)
    return quote.text(str(label))
