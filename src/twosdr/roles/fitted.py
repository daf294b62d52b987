"""Roles as fit decided them: later tables are matched to them, and rows become blocks of numbers.

Numbers stay one column; a category becomes one indicator column for every level (the solver, not this file,
drops a reference). Nothing here sums over rows but to count what is missing or unknown.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from twosdr.errors import (
    ColumnError,
    KindError,
    MissingValueError,
    UnknownLevelError,
    did_you_mean,
    listing,
    quoted,
)
from twosdr.errors import rows as count_rows
from twosdr.roles.fields import Field
from twosdr.tables import Array, Column, Table


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

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the encoded columns, in the table's order."""
        return tuple(name for field in self.fields for name in field.encoded)

    @cached_property
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
        codes = field.translate(column, self.absent)[values]
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
        if table.labelled and not self.named and {f.name for f in wanted} <= set(table.names):
            return table
        if len(table.names) == len(expected) and not self.left_out:
            return table.rename(every)
        if not table.named and not self.named:
            # An array's names are its positions, so left-out columns keep theirs.
            count = len(expected)
            if len(table.names) == count:
                return table
        if len(table.names) == len(wanted):
            return table.rename(tuple(f.name for f in wanted))
        if self.named and len(table.names) == len(expected):
            raise ColumnError(
                f"X has {len(table.names)} features without names, but {who} left out {listing(self.left_out)} by name: pass a "
                f"data frame with names, or the {len(wanted)} columns that it uses, in the order of training."
            )
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
            strangers = np.flatnonzero(field.translate(column, self.absent)[:-1] < 0)
            if len(strangers):
                assert column.levels is not None
                counts = np.bincount(column.values[column.values >= 0], minlength=len(column.levels))
                shown = ", ".join(f"{column.levels[j]!r} ({count_rows(counts[j])})" for j in strangers[:8])
                more = f" and {len(strangers) - 8} more" if len(strangers) > 8 else ""
                unknown.append(f"{quoted(field.name)} = {shown}{more}")
                there = [v for v, name in zip(field.levels, field.encoded, strict=False) if name not in self.absent]
                known.append(f"{quoted(field.name)} in {{{', '.join(repr(v) for v in there[:8])}}}")
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
