"""What an audit is given, read once: the kind of prediction, y, every s with its unknown rows, z, features, weights, clusters.

Refusals are those of the metrics (metrics/_reading.py), with one difference: a missing s is no error here. Its rows are counted
apart, as unknown, and take no part in what is said about that s.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from twosdr import tables
from twosdr.errors import MetricError, MissingValueError, ParameterError, TableError, listing, quoted
from twosdr.errors import rows as count_rows
from twosdr.metrics import _reading as reading
from twosdr.tables import Array, Column, Table

MOST_LEVELS = 200


@dataclass(frozen=True, eq=False)
class Sensitive:
    """One s: codes into names of groups (-1: unknown), or numbers (NaN: unknown). `known` is None where every row is."""

    name: str
    column: Column
    names: tuple[str, ...]  # of the groups; () for a number
    codes: Array
    known: Array | None

    @property
    def is_number(self) -> bool:
        return not self.names


@dataclass(frozen=True, eq=False)
class Given:
    """The rows that count (weight above zero), ready to be measured."""

    kind: str
    n: int
    decided: Array | None  # 0 and 1
    score: Array | None
    y: Array | None  # true decisions as 0 and 1, or numbers
    pos_label: Any
    sensitive: tuple[Sensitive, ...]
    z: Table | None
    features: Table | None
    weight: Array | None
    cluster: Array | None
    # y_pred and y_true as they came, where they are labels of more than two classes
    labels: tuple[Any, Any] | None = None

    @property
    def about(self) -> Array:
        """What group means are taken of: decisions, where there are any."""
        found = self.score if self.decided is None else self.decided
        assert found is not None
        return found

    @property
    def total(self) -> float:
        """The weight of all rows."""
        return float(self.n) if self.weight is None else float(self.weight.sum())

    @property
    def binary_y(self) -> bool:
        return self.y is not None and self.kind != "numbers"


def read(
    y_pred: Any,
    *,
    sensitive_features: Any,
    y_true: Any = None,
    scores: Any = None,
    explanatory_features: Any = None,
    features: Any = None,
    sample_weight: Any = None,
    cluster: Any = None,
    pos_label: Any = None,
    confidence: float = 0.95,
) -> Given:
    """All of it, or the error that says what does not fit."""
    kind, decided, score, n = _predictions(y_pred, scores, y_true, pos_label)
    y, kind = _truth(y_true, kind, pos_label, n)
    beside = reading.beside(n, sample_weight, cluster, confidence)
    s = _table(sensitive_features, "sensitive_features", n)
    z = None if explanatory_features is None else _table(explanatory_features, "explanatory_features", n)
    x = None if features is None else _features(features, n, s.names)
    shared = set() if z is None else set(s.names) & set(z.names)
    if shared:
        raise ParameterError(
            f"{listing(sorted(shared))} is in sensitive_features and in explanatory_features; a column has one role."
        )
    many = None
    if kind == "decisions" and y is not None and pos_label is not None:
        many = (_taken(y_pred, "y_pred", n, beside), _taken(y_true, "y_true", n, beside))
    return Given(
        kind=kind,
        n=beside.n,
        decided=None if decided is None else beside.take(decided),
        score=None if score is None else beside.take(score),
        y=None if y is None else beside.take(y),
        pos_label=pos_label,
        sensitive=tuple(_sensitive(s.column(name), name, beside) for name in s.names),
        z=None if z is None else _rows(z, beside.keep),
        features=None if x is None else _rows(x, beside.keep),
        weight=beside.weight,
        cluster=beside.cluster,
        labels=many,
    )


def _predictions(y_pred: Any, scores: Any, y_true: Any, pos_label: Any) -> tuple[str, Array | None, Array | None, int]:
    if y_pred is None:
        if scores is None:
            raise TableError("audit needs predictions: pass y_pred, or scores= alone for a model that only ranks.")
        alone = reading.scores(scores, "scores")
        return "scores", None, alone, len(alone)
    found, _ = reading.column(y_pred, "y_pred")
    n = len(found.values)
    score = None if scores is None else reading.scores(scores, "scores", n)
    if found.levels is not None or _are_decisions(found.values, pos_label):
        return "decisions", reading.decisions(_as_table(found, "y_pred"), pos_label), score, n
    if score is not None:
        raise ParameterError(
            "y_pred holds numbers that are no decisions, and scores= was passed as well. Pass decisions as y_pred with scores= "
            "beside them, or the numbers alone."
        )
    return "numbers", None, reading.scores(_as_table(found, "y_pred")), n


def _are_decisions(values: Array, pos_label: Any) -> bool:
    """Numbers are decisions when they are 0 and 1, or when pos_label is one of a few whole numbers."""
    low, high = values.min(), values.max()
    if low in (0, 1) and high in (0, 1):
        return values.dtype.kind != "f" or bool((values == np.round(values)).all())
    if pos_label is not None and not isinstance(pos_label, (str, bytes)):
        return values.dtype.kind != "f" or bool((values == np.round(values)).all())
    if not ((values == low) | (values == high)).all() or low == high:
        return False
    raise MetricError(
        f"y_pred holds two numbers, {low:g} and {high:g}: decisions, or predictions of a number? For decisions say which one counts as "
        f"positive, pos_label={high:g}; for predictions pass y_pred=None and scores= instead."
    )


def _truth(y_true: Any, kind: str, pos_label: Any, n: int) -> tuple[Array | None, str]:
    if y_true is None:
        return None, kind
    found, _ = reading.column(y_true, "y_true", n)
    whole = _as_table(found, "y_true")
    if kind == "decisions":
        return reading.decisions(whole, pos_label, "y_true"), kind
    two = found.levels is not None or _two_valued(found.values)
    if kind == "numbers" and not two:
        return reading.scores(whole, "y_true"), kind
    # Numbers beside a y of two values are scores.
    return reading.decisions(whole, pos_label, "y_true"), "scores"


def _two_valued(values: Array) -> bool:
    low, high = values.min(), values.max()
    return bool(low in (0, 1) and high in (0, 1) and ((values == low) | (values == high)).all())


def _as_table(found: Column, name: str) -> Table:
    """A column that was read already, in the form that metrics take it in; it is not looked at again."""
    return as_table({name: found}, len(found.values))


def as_table(columns: dict[str, Column], n: int) -> Table:
    """Columns that were read already as one table."""
    return Table(tuple(columns), n, True, None, _read=dict(enumerate(columns.values())))


def _table(values: Any, what: str, n: int) -> Table:
    if values is None:
        raise TableError(f"{what} is None: pass one value for each row, or a table of several columns.")
    if isinstance(values, np.ndarray) and values.ndim == 1:
        columns = {("s" if what == "sensitive_features" else "z"): tables.of_values(values, what)}
        found = as_table(columns, len(values))
    else:
        raw = reading.table(values, what)
        short = "s" if what == "sensitive_features" else "z"
        names = (
            raw.names
            if raw.named
            else tuple(short if len(raw.names) == 1 else f"{short}{j}" for j in range(len(raw.names)))
        )
        found = as_table({new: raw.column(old) for new, old in zip(names, raw.names, strict=True)}, raw.n_rows)
    if not found.names:
        raise TableError(f"{what} has no column.")
    if found.n_rows != n:
        raise TableError(f"{what} has {count_rows(found.n_rows)}, y_pred has {n}. Pass one value for each prediction.")
    if what == "explanatory_features":
        for name in found.names:
            if gone := int((found.column(name).missing()).sum()):
                raise MissingValueError(
                    f"{what} column {quoted(name)} has {count_rows(gone)} without a value. Drop those rows, or make a value of their "
                    "own of them."
                )
    return found


def _features(values: Any, n: int, sensitive: tuple[str, ...]) -> Table:
    """The columns beside s; what is called as an s is that s, and would give itself away."""
    raw = tables.read(values)
    if raw.n_rows != n:
        raise TableError(f"features has {count_rows(raw.n_rows)}, y_pred has {n}. Pass one row for each prediction.")
    names = tuple(name for name in raw.names if name not in sensitive or not raw.named)
    if not names:
        raise TableError("features has no column besides the sensitive ones.")
    return as_table({name: raw.column(name) for name in names}, n)


def _sensitive(found: Column, name: str, beside: reading.Beside) -> Sensitive:
    found = found if beside.keep is None else Column(found.kind, found.values[beside.keep], found.levels)
    values = found.values
    missing = found.missing()
    if found.kind == "empty" or missing.all():
        raise MissingValueError(f"sensitive_features column {quoted(name)} holds no value at all.")
    if found.levels is None and values.dtype.kind == "f" and np.isinf(values).any():
        raise MissingValueError(
            f"sensitive_features column {quoted(name)} has {count_rows(int(np.isinf(values).sum()))} of infinity. Fix or drop those rows."
        )
    known = ~missing if missing.any() else None
    if found.levels is None:
        inside = values if known is None else values[known]
        low, high = inside.min(), inside.max()
        if not ((inside == low) | (inside == high)).all():
            return Sensitive(name, found, (), values, known)
    kept = found if known is None else Column(found.kind, values[known], found.levels)
    by = reading.groups(as_table({name: kept}, len(kept.values)), len(kept.values), "sensitive_features")
    if len(by) == len(kept.values) > 2:
        reading.check_groups(by.levels, len(by), name)  # refuses: a level for every row
    codes = by.codes
    if known is not None:
        codes = np.full(len(values), -1, dtype=np.int64)
        codes[known] = by.codes
    if len(by) > MOST_LEVELS:
        raise MetricError(
            f"sensitive_features column {quoted(name)} has {len(by)} levels, and an audit compares every pair of at most {MOST_LEVELS}: "
            "numeric or categorical? Convert a number with .astype(float); join the levels of a category into larger groups."
        )
    names = tuple(f"{level:g}" if isinstance(level, float) else str(level) for level in by.levels)
    if len(set(names)) < len(names):  # two numbers that six digits do not tell apart
        names = tuple(map(repr, by.levels))
    return Sensitive(name, found, names, codes, known)


def _rows(table: Table, keep: Array | None) -> Table:
    if keep is None:
        return table
    columns = {}
    for name in table.names:
        found = table.column(name)
        columns[name] = Column(found.kind, found.values[keep], found.levels)
    return as_table(columns, int(keep.sum()))


def _taken(values: Any, what: str, n: int, beside: reading.Beside) -> Table | None:
    found, _ = reading.column(values, what, n)
    return _rows(_as_table(found, what), beside.keep)
