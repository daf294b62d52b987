"""What a metric is given, read once: decisions, scores or labels; s as groups, a number or columns; weights and clusters.

Every refusal that metrics share is worded here. A row of weight zero is not there.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from twosdr import tables
from twosdr.errors import MetricError, MissingValueError, ParameterError, TableError, listing, quoted
from twosdr.errors import rows as count_rows
from twosdr.tables import Array, Column

LARGEST = 1e75  # squares of these, and their products with each other, stay within what a float holds


@dataclass(frozen=True, eq=False)
class Groups:
    """A code for every row into `levels`, which all occur; the levels of several columns are tuples."""

    codes: Array
    levels: tuple[Any, ...]
    name: str = "s"
    numeric: bool = False

    def __len__(self) -> int:
        return len(self.levels)

    def take(self, keep: Array) -> Groups:
        """The groups of some rows; levels without a row go."""
        return replace(self, codes=self.codes[keep]).occurring()

    def occurring(self) -> Groups:
        """The same rows without the levels that none of them has."""
        codes = self.codes
        occurs = np.bincount(codes, minlength=len(self.levels)) > 0
        if occurs.all():
            return self
        place = np.cumsum(occurs) - 1
        levels = tuple(v for v, there in zip(self.levels, occurs, strict=True) if there)
        return replace(self, codes=place[codes], levels=levels)


@dataclass(frozen=True, eq=False)
class Beside:
    """What stands beside the predictions: weights, codes of clusters, the rows that count, the confidence."""

    n: int
    weight: Array | None
    cluster: Array | None
    confidence: float
    keep: Array | None

    def take(self, values: Any) -> Any:
        """The rows of an array, or of groups, whose weight is not zero."""
        if self.keep is None:
            return values
        return values.take(self.keep) if isinstance(values, Groups) else values[self.keep]


def beside(n: int, sample_weight: Any = None, cluster: Any = None, confidence: float = 0.95) -> Beside:
    """Weights, clusters and the confidence, checked against n rows."""
    number = isinstance(confidence, (int, float, np.floating)) and not isinstance(confidence, bool)
    if not number or not 0.0 < confidence < 1.0:
        raise ParameterError(f"confidence must lie between 0 and 1, such as 0.95. Got {confidence!r} instead.")
    if isinstance(sample_weight, tables.Table):
        sample_weight = sample_weight.column(sample_weight.names[0]).values
    weight = tables.weights(sample_weight, n)
    keep = None
    if weight is not None:
        if (weight > LARGEST).any():
            raise ParameterError(f"sample_weight holds {weight.max():g}; weights beyond {LARGEST:g} overflow.")
        if not weight.all():
            keep = weight > 0
            weight = weight[keep]
    codes = None
    if cluster is not None:
        found = factor(cluster, n, "cluster")
        codes = (found if keep is None else found.take(keep)).codes
        if codes.max() == 0:
            raise MetricError(
                "cluster holds one value: rows of one cluster say nothing about how clusters differ. Leave cluster out, or pass "
                "what tells independent rows apart."
            )
    return Beside(n if keep is None else int(keep.sum()), weight, codes, float(confidence), keep)


def column(values: Any, what: str, n: int | None = None) -> tuple[Column, str]:
    """One column of any kind with its name; missing and infinite values are refused."""
    if isinstance(values, np.ndarray) and values.ndim == 1 and not np.ma.isMaskedArray(values):
        found, name = tables.of_values(values, what), what
    else:
        table = _table(values, what)
        if len(table.names) != 1:
            raise TableError(
                f"{what} has {len(table.names)} columns ({listing(table.names)}); one value for each row is needed."
            )
        [label] = table.names
        found, name = table.column(label), label if table.named else what
    _check(found, what if name == what else f"{what} ({quoted(name)})", n)
    return found, name


def columns(values: Any, what: str, n: int | None) -> dict[str, Column]:
    """One or several columns by name."""
    if isinstance(values, np.ndarray) and values.ndim == 1:
        found, name = column(values, what, n)
        return {name: found}
    table = _table(values, what)
    if not table.names:
        raise TableError(f"{what} has no column.")
    named = (
        table.names
        if table.named
        else (what,)
        if len(table.names) == 1
        else [f"{what}{j}" for j in range(len(table.names))]
    )
    found_by_name = {}
    for name, label in zip(named, table.names, strict=True):
        found_by_name[name] = table.column(label)
        _check(found_by_name[name], what if name == what else f"{what} column {quoted(name)}", n)
    return found_by_name


def _table(values: Any, what: str) -> tables.Table:
    if values is None:
        raise TableError(f"{what} is None: this metric needs {what}=, one value for each row.")
    if isinstance(values, (str, bytes)):
        raise TableError(f"{what} is the text {values!r:.60}; metrics take the values, one for each row, and no names.")
    if isinstance(values, tuple) and values and isinstance(values[0], (str, int, float)):
        values = list(values)
    if isinstance(values, Mapping) and not values:
        raise TableError(f"{what} has no column.")
    return tables.read(values, what=what)


def _check(found: Column, said: str, n: int | None) -> None:
    if n is not None and len(found.values) != n:
        raise TableError(
            f"{said} has {count_rows(len(found.values))}, y_pred has {n}. Pass one value for each prediction."
        )
    if not len(found.values):
        raise TableError(f"{said} is empty: there is no row to measure.")
    if found.levels is None and found.values.dtype.kind == "f":
        bad = ~np.isfinite(found.values)
        what = "NaN or infinite"
    elif found.levels is None:
        return
    else:
        bad, what = found.values < 0, "missing"
    if bad.any():
        raise MissingValueError(
            f"{said} has {int(bad.sum())} {what} value{'s' if bad.sum() > 1 else ''}, the first in row {int(np.argmax(bad))}. Drop "
            "those rows, or make a value of their own of them; the audit counts them apart."
        )


# Predictions


def scores(values: Any, what: str = "y_pred", n: int | None = None) -> Array:
    """Numbers as float64; booleans count as 0 and 1."""
    found, _ = column(values, what, n)
    if found.levels is not None and found.kind != "bool":
        raise MetricError(
            f"{what} holds {found.kind} ({listing(found.levels, 3)}); this metric needs numbers. For decisions use p_rule, "
            "parity_difference or accuracy."
        )
    numbers = found.values.astype(np.float64)
    if (abs(numbers) > LARGEST).any():
        raise too_large(what)
    return numbers


def too_large(what: str) -> MetricError:
    """The refusal of numbers whose squares overflow."""
    return MetricError(f"{what} holds numbers beyond {LARGEST:g}, whose squares overflow. Rescale it.")


def decisions(
    values: Any, pos_label: Any = None, what: str = "y_pred", n: int | None = None, *, whole: bool = True
) -> Array:
    """Decisions as 0 and 1 (int8): those of `pos_label`, or 0/1 and booleans as they are.

    `whole` says that these are all rows, so that a label which does not occur is a slip of the pen.
    """
    found, _ = column(values, what, n)
    if found.levels is None:
        return _of_numbers(found.values, pos_label, what, whole)
    if pos_label is None:
        if found.kind == "bool":
            return np.asarray(found.values, dtype=np.int8)
        raise MetricError(
            f"{what} holds {listing(found.levels, 4)} and not 0 and 1. Say which counts as positive with pos_label=."
        )
    if pos_label in found.levels:
        return np.asarray(found.values == found.levels.index(pos_label), dtype=np.int8)
    return _nobody(found.levels, pos_label, what, len(found.values), whole)


def _of_numbers(values: Array, pos_label: Any, what: str, whole: bool) -> Array:
    low, high = float(values.min()), float(values.max())
    if values.dtype.kind == "f" and ((values != np.round(values)).any()):
        odd = values[values != np.round(values)][0]
        raise MetricError(
            f"{what} holds scores (such as {odd:.6g}); this metric needs decisions. Cut the scores first, or use mean_distance, auc, "
            "or ratio_along_cut, which shows every cut."
        )
    if pos_label is None:
        if low < 0 or high > 1:
            seen = np.unique(values[:10_000])
            raise MetricError(
                f"{what} holds {listing(seen.tolist(), 4)} and not 0 and 1. Say which counts as positive with pos_label=; for scores "
                "use mean_distance or auc."
            )
        return np.asarray(values, dtype=np.int8)
    if isinstance(pos_label, (str, bytes)):
        raise MetricError(f"pos_label={pos_label!r} is text, while {what} holds numbers. Pass one of its numbers.")
    positive = np.asarray(values == pos_label, dtype=np.int8)
    if positive.any():
        return positive
    return _nobody(tuple(np.unique(values).tolist()), pos_label, what, len(values), whole)


def _nobody(levels: tuple[Any, ...], pos_label: Any, what: str, n: int, whole: bool) -> Array:
    # One other label is a model that is positive about nobody; several without this one are a slip of the pen.
    same_kind = all(isinstance(level, str) == isinstance(pos_label, str) for level in levels)
    if (whole and len(levels) > 1) or not same_kind:
        raise MetricError(f"pos_label={pos_label!r} does not occur in {what}, which holds {listing(levels, 6)}.")
    return np.zeros(n, dtype=np.int8)


def labels(y_pred: Any, y_true: Any) -> tuple[Array, Array, tuple[Any, ...]]:
    """Predicted and true classes as codes into one tuple of classes."""
    a, _ = column(y_pred, "y_pred")
    b, _ = column(y_true, "y_true", len(a.values))
    (codes_a, levels_a), (codes_b, levels_b) = _codes(a, "y_pred"), _codes(b, "y_true")
    text = {isinstance(v, str) for v in (*levels_a, *levels_b)}
    if len(text) > 1:
        raise MetricError(
            f"y_pred holds {listing(levels_a, 4)}, y_true {listing(levels_b, 4)}: text and numbers are never equal. Make them one kind."
        )
    known = tuple(sorted({*levels_a, *levels_b}))
    place = {level: j for j, level in enumerate(known)}
    to = np.array([place[v] for v in levels_a]), np.array([place[v] for v in levels_b])
    return to[0][codes_a], to[1][codes_b], known


def _codes(found: Column, what: str) -> tuple[Array, tuple[Any, ...]]:
    if found.levels is not None:
        return found.values, found.levels
    values = found.values
    if values.dtype.kind == "f" and (values != np.round(values)).any():
        odd = values[values != np.round(values)][0]
        raise MetricError(
            f"{what} holds scores (such as {odd:.6g}); this metric needs classes. For numbers use rmse or r2."
        )
    levels, codes = np.unique(values, return_inverse=True)
    return codes, tuple(levels.tolist())


# The sensitive columns


def groups(s: Any, n: int, what: str = "s") -> Groups:
    """s as groups: categories, booleans, or numbers of two values; of several columns every combination that occurs.

    Whether they can be compared is `check_groups`, asked when all rows are there.
    """
    found = [_grouped(one, name, n, what) for name, one in columns(s, what, n).items()]
    return found[0] if len(found) == 1 else cross(*found)


def everyone(n: int) -> Groups:
    """All rows as one group."""
    return Groups(np.zeros(n, dtype=np.int8), ("all",), "all")


def cross(*found: Groups) -> Groups:
    """The combinations of several groupings that occur."""
    codes: Array = found[0].codes.astype(np.int64)
    for one in found[1:]:
        codes = codes * len(one) + one.codes
    if np.prod([len(one) for one in found]) <= 1000:
        occurs = np.flatnonzero(np.bincount(codes))
        place = np.zeros(int(occurs[-1]) + 1, dtype=np.int16)
        place[occurs] = np.arange(len(occurs))
        codes = place[codes]
    else:
        occurs, codes = np.unique(codes, return_inverse=True)
    levels = []
    for code in occurs.tolist():
        parts: list[Any] = []
        for one in reversed(found):
            code, j = divmod(code, len(one))
            parts.insert(0, one.levels[j])
        levels.append(tuple(parts))
    return Groups(codes, tuple(levels), " x ".join(one.name for one in found))


def check_groups(levels: Any, n: int, name: str = "s", numeric: bool = False) -> None:
    """Refuse what cannot be compared: one group, a number of many values, or a level for every row."""
    levels = tuple(levels)
    said = name if name == "s" else f"s ({quoted(name)})"
    if len(levels) < 2:
        raise MetricError(
            f"{said} is constant: all {count_rows(n)} belong to {quoted(levels[0])}. There is no other group to compare it with."
        )
    if numeric and len(levels) > 2:
        raise _too_many_numbers(said, len(levels), n)
    if len(levels) == n and n > 2:
        raise MetricError(
            f"{said} has {n} levels for {n} rows: numeric or categorical? If these are numbers, convert them (.astype(float)) and use "
            "correlation or quantile_rates; if they identify rows, they are no groups."
        )


def _too_many_numbers(said: str, many: int, n: int) -> MetricError:
    return MetricError(
        f"{said} holds {many} different numbers in {n} rows: numeric or categorical? Numbers are never binned silently. For a number "
        "use correlation, distance_correlation or quantile_rates; for categories pass text, for example with .astype(str)."
    )


def _grouped(found: Column, name: str, n: int, what: str) -> Groups:
    said = what if name == what else f"{what} ({quoted(name)})"
    if found.levels is not None:
        if found.kind == "empty":
            raise MissingValueError(f"{said} holds no value at all.")
        return Groups(found.values, tuple(found.levels), name).occurring()
    values = found.values
    low, high = values.min(), values.max()
    upper = values == high
    if not (upper | (values == low)).all():
        raise _too_many_numbers(said, len(np.unique(values)), n)
    if low == high:
        return Groups(np.zeros(n, dtype=np.int8), (_plain(low),), name, numeric=True)
    return Groups(upper.astype(np.int8), (_plain(low), _plain(high)), name, numeric=True)


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else value


def factor(values: Any, n: int, what: str) -> Groups:
    """Any column as codes, numbers included: for clusters and strata."""
    found, name = column(values, what, n)
    codes, levels = (found.values, found.levels) if found.levels is not None else _unique(found.values)
    return Groups(codes, tuple(levels), name).occurring()


def _unique(values: Array) -> tuple[Array, tuple[Any, ...]]:
    levels, codes = np.unique(values, return_inverse=True)
    return codes, tuple(levels.tolist())


def number(s: Any, n: int, what: str = "s") -> Array:
    """One s as a number: numeric, boolean, or a category of two levels (the later one is 1)."""
    found = columns(s, what, n)
    if len(found) > 1:
        raise MetricError(
            f"{what} has {len(found)} columns ({listing(found)}); this metric takes one. Use multiple_r2 for several at once."
        )
    [(name, one)] = found.items()
    if one.levels is None:
        return one.values.astype(np.float64)
    if len(one.levels) > 2:
        check_groups(one.levels, n, name)
        raise MetricError(
            f"{what} ({quoted(name)}) is a category of {len(one.levels)} levels; this metric needs a number or two groups. Use "
            "multiple_r2, mean_distance or p_rule."
        )
    return one.values.astype(np.float64)


def matrix(values: Any, n: int, what: str) -> tuple[Array, tuple[str, ...], tuple[str, ...]]:
    """Columns as numbers, categories as indicators of all levels but the first; with their names, and each one's column."""
    parts, names, homes = [], [], []
    for name, one in columns(values, what, n).items():
        if one.levels is None:
            parts.append(one.values.astype(np.float64)[:, None])
            names.append(name)
            homes.append(name)
            continue
        if len(one.levels) == n and n > 2:
            raise MetricError(
                f"{what} column {quoted(name)} has {n} levels for {n} rows: numeric or categorical? Convert numbers with .astype(float)."
            )
        for j in range(1, max(2, len(one.levels))):
            parts.append((one.values == j).astype(np.float64)[:, None])
            names.append(f"{name}={one.levels[j]}" if j < len(one.levels) else name)
            homes.append(name)
    return np.hstack(parts), tuple(names), tuple(homes)
