"""The columns of a training table: what the target is, what counts as positive, and columns that no model should be given."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np

from twosdr import tables
from twosdr.errors import ParameterError, TableError, did_you_mean, listing, quoted
from twosdr.errors import rows as count_rows
from twosdr.tables import Array

if TYPE_CHECKING:
    from twosdr.cli.fitting import Asked

TASKS = ("auto", "regression", "classification")
ENOUGH = 20  # rows from which a column with a value of its own for each is called an identifier


def is_text(kind: Any) -> bool:
    """Whether an Arrow type holds text."""
    import pyarrow as pa

    return bool(pa.types.is_dictionary(kind) or pa.types.is_string(kind) or pa.types.is_large_string(kind))


def parts(table: Any, asked: Asked) -> tuple[Any, Any, Any]:
    """X without target, weight and cluster columns; y; weights or None."""
    aside = [n for n in (asked.target, asked.weight, asked.cluster) if n is not None]
    X = table.drop_columns(list(dict.fromkeys(n for n in aside if n in table.column_names)))
    weight = None if asked.weight is None else table.column(asked.weight).to_numpy()
    # One column with its name: a table of one would be a target of several columns.
    return X, nw.from_native(table.select([asked.target]), eager_only=True)[asked.target], weight


def task_of(table: Any, asked: Asked) -> str:
    """What is to be predicted: a number, or a class. A target of two values, of text or of truth values is a class."""
    column = tables.read(table.select([asked.target])).column(asked.target)
    values = column.values[~column.missing()]
    if not len(values):
        raise TableError(f"Target {quoted(asked.target)} has no value at all.")
    first = values[0]
    if (values == first).all():
        said = quoted(column.levels[int(first)]) if column.levels is not None else f"{first:g}"
        raise TableError(
            f"Target {quoted(asked.target)} has one value, {said}, in {count_rows(len(values))}: there is nothing to predict."
        )
    if asked.task != "auto":
        if asked.task == "regression" and column.levels is not None:
            raise ParameterError(
                f"--task regression needs a target of numbers; {quoted(asked.target)} holds {column.kind}."
            )
        return asked.task
    return "classification" if column.levels is not None or two_valued(values) else "regression"


def two_valued(values: Array) -> bool:
    """Whether every number is the least or the greatest."""
    low, high = values.min(), values.max()
    return bool(((values == low) | (values == high)).all())


def positive_of(model: Any, asked: Asked) -> Any:
    """The class that counts as positive: the one asked for, or of two the one that sorts last."""
    classes = model.classes_.tolist()
    if asked.positive is None:
        if len(classes) > 2:
            raise ParameterError(
                f"Target {quoted(asked.target)} has {len(classes)} classes, {listing(classes)}: say which counts as positive, --positive."
            )
        return classes[-1]
    found = [c for c in classes if str(c) == asked.positive or same_number(c, asked.positive)]
    if not found:
        raise ParameterError(
            f"--positive {quoted(asked.positive)} is no value of {quoted(asked.target)}.{did_you_mean(asked.positive, classes)} "
            f"It holds {listing(classes)}."
        )
    if asked.settings.get("goal") == "equal_opportunity" and found[0] != classes[-1]:
        raise ParameterError(
            f"--goal equal_opportunity looks at the class that sorts last, {quoted(classes[-1])}, and --positive is {quoted(found[0])}. "
            "Name the classes so that the positive one sorts last."
        )
    return found[0]


def _as_number(value: Any) -> float | None:
    try:
        return float(value)
    except (TypeError, ValueError):
        return None


def scores_for(model: Any, X: Any, positive: Any) -> Array:
    """The score in favour of the positive class."""
    scores = model.decision_function(X)
    classes = model.classes_.tolist()
    if scores.ndim == 1:
        return np.asarray(scores if positive == classes[-1] else -scores)
    return np.asarray(scores[:, classes.index(positive)])


def refuse_identifiers(table: Any, names: tuple[str, ...], option: str) -> None:
    """A sensitive column that tells every row apart names people, not groups."""
    n = table.num_rows
    if n < ENOUGH:
        return
    read = tables.read(table.select(list(names)))
    for name in names:
        column = read.column(name)
        if column.levels is not None:
            own = len(column.levels) == n
        else:
            values = np.asarray(column.values, dtype=float)
            # A number with a value of its own for each row may be a measurement; one that counts the rows is not.
            steps = np.diff(np.sort(values))
            own = bool(len(steps) and np.isfinite(steps).all() and (steps == 1).all())
        if own:
            raise TableError(
                f"--{option} {quoted(name)} has another value in each of {count_rows(n)}: an identifier, not a group. Name the column of "
                f"the group, and leave this one out with --drop {name if name.isidentifier() else quoted(name)}."
            )


def few_values(column: Any) -> list[Any]:
    """The values of a column of classes: its levels, or its numbers where they are whole and few."""
    if column.levels is not None:
        return list(column.levels)
    values = np.asarray(column.values, dtype=float)
    found = np.unique(values[np.isfinite(values)][:100_000])
    return found.tolist() if len(found) <= 20 and (found == np.round(found)).all() else []


def same_number(value: Any, word: str) -> bool:
    """Whether a value of a column is the number that a word says."""
    return not isinstance(value, (str, bool)) and _as_number(value) == _as_number(word) is not None


def decides(table: Any, name: str, label: Any) -> bool:
    """Whether a column holds decisions: text, truth values, 0 and 1, or values of which one was named as positive."""
    column = tables.read(table.select([name])).column(name)
    if column.levels is not None or label is not None:
        return True
    return set(few_values(column)) <= {0.0, 1.0} and bool(few_values(column))
