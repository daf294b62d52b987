"""Who is s, x and z, which levels a category has, and how a table becomes blocks of numbers.

Roles are decided once, in fit, and then hold: the same columns by name, the same kinds of values, the
same levels. Numbers stay one column; a category becomes one indicator column for every level (the solver,
not this file, drops a reference). Nothing here knows y, or sums over rows but to find levels.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import narwhals as nw
import numpy as np

from twosdr.errors import (
    ColumnError,
    KindError,
    MissingValueError,
    ParameterError,
    RoleError,
    TableError,
    UnknownLevelError,
    did_you_mean,
    listing,
    quoted,
)
from twosdr.errors import rows as count_rows
from twosdr.tables import Array, Column, Table

HANDLE_MISSING = ("error", "mean", "category")
HANDLE_UNKNOWN = ("error", "mean")
WORD = {"s": "sensitive", "z": "explanatory", "x": "ordinary"}


@dataclass(frozen=True)
class Field:
    """One column of the table: its role, its kind of values and, for a category, its levels.

    `gaps` says that training saw missing values and that they are kept apart (handle_missing="category").
    """

    name: str
    role: str
    kind: str
    levels: tuple[Any, ...] | None = None
    gaps: bool = False

    @property
    def encoded(self) -> tuple[str, ...]:
        """Names of the encoded columns: the number itself, or one for each level."""
        head = (self.name,) if self.levels is None else tuple(f"{self.name}={level}" for level in self.levels)
        return (*head, f"{self.name} is missing") if self.gaps else head


@dataclass(frozen=True)
class Roles:
    """The columns of a table, in its order, with their roles; `encode` turns rows into numbers.

    `fill` holds, by encoded column, what a missing or unknown value counts as: the training mean. `policies` says whether
    the estimator offers handle_missing and handle_unknown, so that an error proposes nothing that is not there. `absent` names the
    encoded levels without a row, which count as unknown at predict.
    """

    fields: tuple[Field, ...]
    left_out: tuple[str, ...] = ()
    named: bool = True
    handle_missing: str = "error"
    handle_unknown: str = "error"
    fill: tuple[float, ...] | None = None
    policies: bool = True
    absent: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the encoded columns, in the table's order."""
        return tuple(name for field in self.fields for name in field.encoded)

    @property
    def blocks(self) -> tuple[str, ...]:
        """The role letter of each encoded column."""
        return tuple(field.role for field in self.fields for _ in field.encoded)

    def columns(self, role: str) -> tuple[str, ...]:
        """The table's columns in that role."""
        return tuple(field.name for field in self.fields if field.role == role)

    def spans(self) -> list[tuple[Field, slice]]:
        """Each field with the slice of encoded columns that it fills."""
        found, start = [], 0
        for field in self.fields:
            stop = start + len(field.encoded)
            found.append((field, slice(start, stop)))
            start = stop
        return found

    def encode(self, table: Table, rows: slice | Array) -> Array:
        """The rows of a slice (or of an array of positions) as numbers, shape (rows, encoded columns).

        A dense array of numbers is answered with a view where it can be; everything else is float64, in
        memory of its own. A column of s that is absent, because the model does not use it, counts as zero.
        """
        wanted = tuple(field.name for field in self.fields)
        if table.numeric() and self.handle_missing == "error" and set(wanted) <= set(table.names):
            assert table.matrix is not None
            block = table.matrix[rows]
            return block if table.names == wanted else block[:, [table.names.index(name) for name in wanted]]
        n_rows = len(range(*rows.indices(table.n_rows))) if isinstance(rows, slice) else len(rows)
        spans = self.spans()
        out = np.zeros((n_rows, spans[-1][1].stop if spans else 0))
        if table.sparse is not None:
            inside = [(s.start, table.names.index(f.name)) for f, s in spans if f.name in table.sparse_names]
            spans = [(f, s) for f, s in spans if f.name not in table.sparse_names]
            out[:, [j for j, _ in inside]] = table.sparse[rows][:, [j for _, j in inside]].toarray()
        for field, span in spans:
            if field.name in table.names:
                self._write(out[:, span], field, span, table.column(field.name), rows)
        return out

    def _write(self, out: Array, field: Field, span: slice, column: Column, rows: slice | Array) -> None:
        values = column.values[rows]
        if field.levels is None and column.levels:  # categories of numbers where training had plain ones
            values = np.array([*column.levels, np.nan], dtype=float)[values]
        if column.kind == "empty":
            values = np.full(len(values), -1 if field.levels is not None else np.nan)
        if field.levels is None:
            out[:, 0] = values
            if self.handle_missing != "error":
                missing = np.isnan(out[:, 0])
                out[missing, 0] = self._filled(span)[0]
                if field.gaps:
                    out[:, 1] = missing
            return
        codes = _translate(column, field, self.absent)[values]
        out[:] = 0.0
        known = codes >= 0
        out[np.flatnonzero(known), codes[known]] = 1.0
        if not known.all():
            gone = values < 0
            if field.gaps:
                out[gone, -1] = 1.0
                gone = ~known & ~gone
            else:
                gone = ~known
            out[gone] = self._filled(span)

    def _filled(self, span: slice) -> Array:
        return np.zeros(span.stop - span.start) if self.fill is None else np.asarray(self.fill[span])

    def with_fill(self, means: Array) -> Roles:
        """The same roles, with the training means for what is missing or unknown later."""
        return replace(self, fill=tuple(float(m) for m in means))

    def match(self, table: Table, *, needs_s: bool, target: tuple[str, ...] = (), who: str = "this model") -> Table:
        """The table that predict was given, with its columns matched to training by name.

        Raises what is wrong with it: columns missing, surplus or of another kind, unknown levels (all of them at
        once) and missing values in categories. Missing numbers show in the result, and `missing_numbers` names them.
        """
        wanted = [f for f in self.fields if needs_s or f.role != "s"]
        every = tuple(f.name for f in self.fields)
        if not table.named or not self.named:
            table = self._by_position(table, wanted, every, who)
        absent = [f.name for f in wanted if f.name not in table.names]
        allowed = {*every, *self.left_out, *target}
        surplus = [name for name in table.names if name not in allowed]
        if absent or surplus:
            said = []
            if absent:
                said.append(f"Missing: {listing(absent)}." + (did_you_mean(absent[0], surplus) if surplus else ""))
            if surplus:
                said.append(
                    f"Not in training: {listing(surplus)}. Drop them here, or fit with drop=[{listing(surplus)}]."
                )
            raise ColumnError(f"The columns of X are not those that {who} was fitted on. {' '.join(said)}")
        self._same_kinds(table, wanted)
        self._known_levels(table, wanted)
        self._no_new_gaps(table, wanted)
        # A sensitive column that is not used may hold anything, and is not read.
        return table if needs_s or table.numeric() else table.without(self.columns("s"))

    def _by_position(self, table: Table, wanted: list[Field], every: tuple[str, ...], who: str) -> Table:
        expected = (*every, *self.left_out)
        if len(table.names) == len(expected) and not self.left_out:
            return table.rename(every)
        if not table.named and not self.named:
            # An array's names are its positions, so left-out columns keep theirs.
            count = len(expected)
            if len(table.names) == count:
                return table
        if len(table.names) == len(wanted):
            return table.rename(tuple(f.name for f in wanted))
        raise ColumnError(
            f"X has {len(table.names)} features, but {who} is expecting {len(expected)} features as input."
        )

    def _same_kinds(self, table: Table, wanted: list[Field]) -> None:
        if table.numeric() and all(f.kind == "number" for f in wanted):
            return
        changed = []
        for field in wanted:
            seen = table.column(field.name).kind
            if seen not in (field.kind, "empty"):
                changed.append(
                    f"{quoted(field.name)} held {_plural(field.kind)} in training and holds {_plural(seen)} now"
                )
        if changed:
            raise KindError(f"Columns changed their kind of values: {'; '.join(changed)}. Convert them as in training.")

    def _known_levels(self, table: Table, wanted: list[Field]) -> None:
        unknown, known = [], []
        for field in wanted:
            if field.levels is None or self.handle_unknown == "mean":
                continue
            column = table.column(field.name)
            strangers = np.flatnonzero(_translate(column, field, self.absent)[:-1] < 0)
            if len(strangers):
                assert column.levels is not None
                counts = np.bincount(column.values[column.values >= 0], minlength=len(column.levels))
                shown = ", ".join(f"{column.levels[j]!r} ({count_rows(counts[j])})" for j in strangers[:8])
                more = f" and {len(strangers) - 8} more" if len(strangers) > 8 else ""
                unknown.append(f"{quoted(field.name)} = {shown}{more}")
                known.append(f"{quoted(field.name)} in {{{', '.join(repr(v) for v in field.levels[:8])}}}")
        if unknown:
            raise UnknownLevelError(
                f"{len(unknown)} column{'s hold' if len(unknown) > 1 else ' holds'} levels that training did not see: "
                f"{'; '.join(unknown)}. Known: {'; '.join(known)}. Fix the rows"
                + (', or fit with handle_unknown="mean" to count them as average.' if self.policies else ".")
            )

    def _no_new_gaps(self, table: Table, wanted: list[Field]) -> None:
        """Refuse missing values that the policy has no answer to; plain numbers under "error" show in the result instead."""
        gone = {}
        for field in wanted:
            answered = field.gaps or (self.handle_missing == "mean" and field.role != "s")
            if answered or (field.levels is None and self.handle_missing == "error"):
                continue
            if n := int(table.column(field.name).missing().sum()):
                gone[field] = n
        if gone:
            raise self.missing(gone)

    def missing(self, gone: dict[Field, int], *, sparse: bool = False) -> MissingValueError:
        """The error for missing values, with the settings that would answer them."""
        where = ", ".join(f"{quoted(field.name)} ({count_rows(n)})" for field, n in gone.items())
        said = f"Input X contains NaN: values are missing in {where}."
        if self.handle_missing == "category":
            return MissingValueError(
                f"{said[:-1]}, where training had none: there is no level for them. Fix those rows."
            )
        if sparse or not self.policies:
            return MissingValueError(f"{said} Fix or drop those rows.")
        if any(field.role == "s" for field in gone):
            offer = 'handle_missing="category", which makes missing a level of its own (an average is no answer for a sensitive column)'
        else:
            offer = 'handle_missing="mean", which counts them as average, or "category", which makes missing a level of its own'
        return MissingValueError(f"{said} Fix the rows, or fit with {offer}.")

    def refuse_missing_numbers(self, table: Table, *, needs_s: bool = True) -> None:
        """Raise the error that names every column with missing or infinite numbers, if there is one.

        Called only when a result is not finite: it is a pass of its own over the rows.
        """
        gone, infinite = {}, []
        for field in self.fields:
            if field.levels is not None or (field.role == "s" and not needs_s) or field.name not in table.names:
                continue
            stored = field.name in table.sparse_names
            column = _stored(table, field.name) if stored else table.column(field.name)
            if n := int(column.missing().sum()):
                gone[field] = n
            if column.values.dtype.kind == "f" and (n := int(np.isinf(column.values).sum())):
                infinite.append(f"{quoted(field.name)} ({count_rows(n)})")
        if infinite:
            raise MissingValueError(
                f"Input X contains infinity: {', '.join(infinite)}. Fix or drop those rows; no setting makes a number of them."
            )
        if gone and self.handle_missing == "error":
            raise self.missing(gone, sparse=table.sparse is not None)

    def group_slices(self) -> list[tuple[Field, slice]]:
        """The slices whose indicator columns add up to one: a reference among them says nothing new."""
        return [(field, span) for field, span in self.spans() if field.levels is not None]

    def references(self, mean: Array) -> Array:
        """The first level with weight of every category: what the solver leaves out."""
        found = []
        for _, span in self.group_slices():
            present = np.flatnonzero(mean[span] > 0)
            if len(present):
                found.append(span.start + int(present[0]))
        return np.array(found, dtype=int)


def _stored(table: Table, name: str) -> Column:
    return Column("number", np.asarray(table.sparse[:, [table.names.index(name)]].data))


def _plural(kind: str) -> str:
    return {"number": "numbers", "bool": "booleans"}.get(kind, kind)


def _translate(column: Column, field: Field, absent: tuple[str, ...] = ()) -> Array:
    """From the column's codes to the field's: -1 for an unknown level, and last, at index -1, for a missing one."""
    assert field.levels is not None
    if column.levels is None:  # plain numbers where training had categories of numbers
        raise KindError(
            f"Column {quoted(field.name)} was a category in training and holds plain numbers now. Make it one again."
        )
    # A boolean has both its values by nature, whatever training saw of them.
    known = field.kind == "bool" or not absent
    place = {v: j for j, v in enumerate(field.levels) if known or field.encoded[j] not in absent}
    return np.array([*(place.get(level, -1) for level in column.levels), -1], dtype=int)


def resolve(
    table: Table,
    *,
    sensitive: Any = (),
    explanatory: Any = (),
    drop: Any = (),
    handle_missing: str = "error",
    handle_unknown: str = "error",
    max_levels: int = 1000,
    weight: Array | None = None,
    target: tuple[str, ...] = (),
    policies: bool = True,
    levels: dict[str, Any] | None = None,
    aside: tuple[str, ...] = (),
) -> Roles:
    """Decide the role of every column of the table, and find the levels of its categories."""
    if handle_missing not in HANDLE_MISSING:
        raise ParameterError(f"handle_missing must be one of {HANDLE_MISSING}. Got {handle_missing!r} instead.")
    if handle_unknown not in HANDLE_UNKNOWN:
        raise ParameterError(f"handle_unknown must be one of {HANDLE_UNKNOWN}. Got {handle_unknown!r} instead.")
    if not isinstance(max_levels, (int, np.integer)) or isinstance(max_levels, bool) or max_levels < 1:
        raise ParameterError(f"max_levels must be a whole number from 1 up. Got {max_levels!r} instead.")
    if table.sparse is not None and handle_missing != "error":
        raise ParameterError(f'handle_missing must be "error" for a sparse X. Got {handle_missing!r} instead.')
    if not table.names:
        raise RoleError(f"Found array with 0 feature(s) (shape=({table.n_rows}, 0)) while a minimum of 1 is required.")
    role = dict.fromkeys(table.names, "x")
    for letter, spec in (("s", sensitive), ("z", explanatory), ("out", drop)):
        parameter = {"s": "sensitive", "z": "explanatory", "out": "drop"}[letter]
        for name in select(table, spec, parameter):
            if role[name] not in ("x", letter):
                other = {"s": "sensitive", "z": "explanatory", "out": "drop"}[role[name]]
                raise RoleError(f"Column {quoted(name)} is in {other}= and in {parameter}=; a column has one role.")
            role[name] = letter
    for name in aside:
        if role.get(name) == "x":  # it divides rows into folds, and says nothing about them
            role[name] = "out"
    leaked = [name for name in target if role.get(name) in ("x", "s", "z")]
    if leaked:
        raise RoleError(
            f"Column {listing(leaked)} is the target y and also a column of X, so the model would read the answer. "
            f"Take it out of X, or pass drop=[{listing(leaked)}]."
        )
    if "x" not in role.values():
        raise RoleError(
            f"Found array with {len(table.names)} feature(s) (shape=({table.n_rows}, {len(table.names)})) while a minimum of "
            f"{1 + sum(r != 'x' for r in role.values())} is required: no ordinary column x is left to predict from. Name fewer columns "
            "as sensitive, explanatory or drop."
        )
    # Finiteness of plain numbers is read off their sums later, so such columns are not looked at here.
    plain = table.names if table.numeric() and handle_missing == "error" else table.sparse_names
    fields = tuple(
        Field(name, role[name], "number")
        if name in plain
        else _field(table.column(name), name, role[name], handle_missing, max_levels, weight, policies)
        for name in table.names
        if role[name] != "out"
    )
    fields = _with_levels(fields, levels)
    left_out = tuple(n for n in table.names if role[n] == "out")
    found = Roles(fields, left_out, table.named, handle_missing, handle_unknown, policies=policies)
    twice = (
        {name for name in found.names if found.names.count(name) > 1}
        if len(set(found.names)) < len(found.names)
        else ()
    )
    if twice:
        raise ColumnError(
            f"Encoded columns would share the name {listing(sorted(twice))}: rename a column or its levels."
        )
    return found.with_fill(_training_fill(table, found, weight)) if handle_missing != "error" else found


def _with_levels(fields: tuple[Field, ...], levels: dict[str, Any] | None) -> tuple[Field, ...]:
    """Categories with the levels that the visitor declares, for rows that are still to come."""
    if not levels:
        return fields
    by_name = {f.name: f for f in fields}
    for name, given in levels.items():
        field = by_name.get(name)
        if field is None or field.levels is None:
            raise RoleError(f"levels= names {quoted(name)}, which is no category of X." + did_you_mean(name, by_name))
        missing = [v for v in field.levels if v not in set(given)]
        if missing:
            raise UnknownLevelError(f"levels= of {quoted(name)} lacks {listing(missing)}, which X holds.")
        by_name[name] = replace(field, levels=tuple(sorted(set(given))))
    return tuple(by_name[f.name] for f in fields)


def _field(
    column: Column, name: str, role: str, handle_missing: str, max_levels: int, weight: Array | None, policies: bool
) -> Field:
    counted = slice(None) if weight is None else weight > 0
    missing = column.missing()[counted]
    gone = int(missing.sum())
    if gone and role == "s" and handle_missing == "mean":
        raise MissingValueError(
            f"Sensitive column {quoted(name)} is missing in {count_rows(gone)}, and an average person has no such attribute. Fit "
            'with handle_missing="category" to make missing a level of its own, or drop those rows.'
        )
    if column.kind == "empty" or gone == len(missing) > 0:
        raise MissingValueError(
            f"Input X contains NaN: column {quoted(name)} has no value in any row. Leave it out: drop=[{quoted(name)}]."
        )
    if gone and handle_missing == "error" and column.levels is not None:
        raise Roles((), policies=policies).missing({Field(name, role, column.kind): gone})
    gaps = bool(gone) and handle_missing == "category"
    if column.levels is None:
        return Field(name, role, "number", None, gaps)
    codes = column.values[counted]
    present = np.flatnonzero(np.bincount(codes[codes >= 0], minlength=len(column.levels)))
    levels = column.levels if column.kind == "bool" else tuple(column.levels[j] for j in present)
    if len(levels) > max_levels:
        raise ParameterError(
            f"Column {quoted(name)} has {len(levels)} levels in {count_rows(len(codes))}, more than max_levels={max_levels}: an "
            f"identifier? Leave it out with drop=[{quoted(name)}], group its levels, or raise max_levels."
        )
    return Field(name, role, column.kind, levels, gaps)


def _training_fill(table: Table, roles: Roles, weight: Array | None) -> Array:
    """Means of what is there, by encoded column: what missing values count as while moments are gathered."""
    fill = np.zeros(len(roles.names))
    w = np.ones(table.n_rows) if weight is None else weight
    for field, span in roles.spans():
        column = table.column(field.name)
        there = ~column.missing() & (w > 0)
        if field.levels is None:
            values = np.asarray(column.values, dtype=np.float64)
            there &= np.isfinite(values)
            first = values[there][:1].sum()  # a shift: means of 1e9 keep their digits
            fill[span.start] = first + np.average(values[there] - first, weights=w[there]) if there.any() else 0.0
        else:
            codes = _translate(column, field)[column.values]
            counts = np.bincount(codes[there], weights=w[there], minlength=len(field.levels))
            fill[span.start : span.start + len(field.levels)] = counts / counts.sum()
    return fill


def select(table: Table, spec: Any, parameter: str) -> tuple[str, ...]:
    """The columns that a specification names: names, indices, a mask, a callable or a column selector."""
    if callable(spec) and not _is_expression(spec):
        spec = _call(spec, table, parameter)
    if _is_expression(spec) or (isinstance(spec, (list, tuple)) and spec and all(map(_is_expression, spec))):
        spec = _call(lambda native: _selected(native, spec), table, parameter)
    if isinstance(spec, (str, int, np.integer)) and not isinstance(spec, bool):
        spec = [spec]
    if not isinstance(spec, Iterable):
        raise RoleError(f"{parameter} must be names, indices or a column selector. Got {spec!r} instead.")
    asked = list(spec)
    if asked and all(isinstance(item, (bool, np.bool_)) for item in asked):
        if len(asked) != len(table.names):
            raise RoleError(f"{parameter} is a mask of {len(asked)} values; X has {len(table.names)} columns.")
        return tuple(name for name, taken in zip(table.names, asked, strict=True) if taken)
    names = []
    for item in asked:
        name = _name(table, item, parameter)
        if name in names:
            raise RoleError(f"{parameter} names column {quoted(name)} twice.")
        names.append(name)
    return tuple(names)


def _is_expression(spec: Any) -> bool:
    return type(spec).__module__.split(".")[0] in ("polars", "narwhals") and hasattr(spec, "alias")


def _selected(native: Any, spec: Any) -> list[str]:
    first = spec[0] if isinstance(spec, (list, tuple)) else spec
    library = type(first).__module__.split(".")[0]
    if library == "polars" and not type(native).__module__.startswith("polars"):
        raise TypeError(
            f"a selector of polars needs a polars frame, and X is {type(native).__module__}.{type(native).__name__}"
        )
    if library == "narwhals":
        native = nw.from_native(native, eager_only=True)
    return list(native.select(spec).columns)


def _call(spec: Callable[[Any], Any], table: Table, parameter: str) -> Any:
    try:
        return spec(table.native)
    except Exception as trouble:
        # Whatever a visitor's function raises, the message has to say whose it was.
        raise RoleError(
            f"The column selector of {parameter} failed on X: {type(trouble).__name__}: {trouble}"
        ) from trouble


def _name(table: Table, item: Any, parameter: str) -> str:
    if isinstance(item, str):
        if item not in table.names:
            hint = did_you_mean(item, table.names)
            without = "" if table.named else " X has no column names, so name columns by index."
            raise RoleError(
                f"{parameter} names column {quoted(item)}, which X does not have.{hint}{without} X has: {listing(table.names)}."
            )
        return item
    if isinstance(item, (int, np.integer)) and not isinstance(item, bool):
        if not -len(table.names) <= item < len(table.names):
            raise RoleError(
                f"{parameter} names column index {item}; X has {len(table.names)} columns, 0 to {len(table.names) - 1}."
            )
        return table.names[item]
    raise RoleError(f"{parameter} must hold names or indices. Got {item!r} ({type(item).__name__}) instead.")


def check_rows(table: Table, least: int = 1, weight: Array | None = None) -> None:
    """Refuse a table with fewer rows (of a weight above zero) than a fit needs."""
    n = table.n_rows if weight is None or not table.n_rows else int((weight > 0).sum())
    if n < least:
        need = (
            "a minimum of 1 is required" if least == 1 else f"a minimum of {least} is required: one row has no variance"
        )
        raise TableError(f"Found array with {n} sample(s) (shape=({table.n_rows}, {len(table.names)})) while {need}.")
