"""What every estimator does with the table it is given: join the roles' columns, resolve them, match them later."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from twosdr import tables
from twosdr.engines import memory
from twosdr.errors import (
    DroppedColumnWarning,
    IdentifiabilityWarning,
    MissingValueError,
    ParameterError,
    TableError,
    listing,
    warn,
)
from twosdr.moments import Moments
from twosdr.roles import Roles, check_rows, resolve
from twosdr.solve import SAME_AS_S, Columns, Rank, residual_scatter
from twosdr.tables import Array, Table

TINY = 1e-290  # a sum of squares below this has lost digits to underflow
NEAR_COPY = 0.9  # a correlation of u and z beyond which the one says what the other says, and their difference says s
PREDICT_BYTES = 2**21  # encoded rows at a time, where a table has to be encoded


class RolesMixin:
    """Roles by column (`sensitive=`), or by keyword arrays (`sensitive_features=`); both give the same numbers."""

    sensitive: Any
    explanatory: Any
    drop: Any
    handle_missing: str
    handle_unknown: str
    roles_: Roles
    get_params: Any

    def _read_fit(
        self,
        X: Any,
        sensitive_features: Any,
        explanatory_features: Any,
        weight: Array | None,
        target: tuple[str, ...],
        levels: dict[str, Any] | None = None,
    ) -> Table:
        """Resolve the roles of X and of what came beside it; sets roles_, n_features_in_, feature_names_in_."""
        table = tables.read(X)
        check_rows(table)
        self.n_features_in_ = len(table.names)
        self.__dict__.pop("feature_names_in_", None)
        if table.named:
            self.feature_names_in_: Array = np.array(table.names, dtype=object)
        roles: dict[str, Any] = {}
        self._beside_: dict[str, tuple[str, ...]] = {}
        for role, features in (("sensitive", sensitive_features), ("explanatory", explanatory_features)):
            named = getattr(self, role)
            if features is None:
                roles[role] = named
                continue
            if not says_nothing(named):
                raise ParameterError(
                    f"{role}={named!r} names columns of X, and {role}_features= was passed as well. Use one form: name "
                    "the columns, or pass them beside X."
                )
            if _are_names(features, table):
                raise ParameterError(
                    f"{role}_features={features!r} looks like names of columns; it takes the values, one for each row. To name "
                    f"columns of X, use {role}={features!r}."
                )
            extra = _beside(features, role)
            clash = sorted(set(extra.names) & set(table.names))
            if clash:
                other = set(clash) & set(self._beside_.get("sensitive", ()))
                raise ParameterError(
                    f"{listing(clash)} is in sensitive_features and in {role}_features; a column has one role."
                    if other
                    else f"{role}_features holds {listing(clash)}, which X has too. Take it out of X, or name it with "
                    f"{role}={clash!r} and pass X alone."
                )
            self._beside_[role] = extra.names
            table = table.join(extra)
            roles[role] = extra.names
        self.roles_ = resolve(
            table,
            **roles,
            drop=self.drop,
            handle_missing=self.handle_missing,
            handle_unknown=self.handle_unknown,
            max_levels=getattr(self, "max_levels", 1000),
            policies="handle_missing" in self.get_params(),
            weight=weight,
            target=target,
            levels=levels,
            aside=tuple(key for key in [getattr(self, "fold_key", None)] if key is not None),
        )
        return table

    def _read_new(
        self,
        X: Any,
        sensitive_features: Any,
        explanatory_features: Any,
        *,
        needs_s: bool,
        target: tuple[str, ...] = (),
        growing: bool = False,
    ) -> Table:
        """New rows, their columns matched to training; while growing, levels that lost their last row may come back."""
        check_is_fitted(self)
        table = tables.read(X)
        check_rows(table)
        who = getattr(self, "_who", type(self).__name__)
        if table.named != hasattr(self, "feature_names_in_"):
            # scikit-learn's own wording and kind of warning: its users filter on it.
            warn(
                f"X has feature names, but {who} was fitted without feature names"
                if table.named
                else f"X does not have valid feature names, but {who} was fitted with feature names",
                UserWarning,
            )
        for role, features in (("sensitive", sensitive_features), ("explanatory", explanatory_features)):
            expected = self._beside_.get(role)
            if expected is None:
                if features is not None:
                    raise ParameterError(
                        f"{role}_features= was passed, but {who} was fitted without it. Pass X alone, or fit with it too."
                    )
                continue
            if features is None:
                if role == "sensitive" and not needs_s:
                    continue
                raise ParameterError(
                    f"This {who} was fitted with {role}_features= and needs them here as well: pass {role}_features=. Where "
                    f"nothing can pass them (scikit-learn's scorers do not), fit with {role}=[column names] and leave the "
                    "columns in X."
                )
            extra = _beside(features, role)
            if set(extra.names) != set(expected):
                if len(extra.names) != len(expected):
                    raise ParameterError(
                        f"{role}_features has {len(extra.names)} columns; {who} was fitted with {len(expected)}: {listing(expected)}."
                    )
                extra = extra.rename(expected)
            table = table.join(extra)
        roles = self.roles_ if growing else replace(self.roles_, absent=getattr(self, "_absent", ()))
        return roles.match(table, needs_s=needs_s, target=target, who=who)

    def _encoded_blocks(self, table: Table) -> Iterator[tuple[slice, Array]]:
        """The table's rows as numbers, a cache-sized piece at a time; an array of floats in one piece, uncopied."""
        # A level whose last row was forgotten is unknown here as well, and no row of zeros.
        roles = replace(self.roles_, absent=getattr(self, "_absent", ()))
        if table.numeric() and table.matrix is not None and table.matrix.dtype == np.float64:
            whole = roles.encode(table, slice(0, table.n_rows))
            if whole is table.matrix or np.shares_memory(whole, table.matrix):
                yield slice(0, table.n_rows), whole
                return
        step = max(1, PREDICT_BYTES // (8 * max(1, len(self.roles_.names))))
        for start in range(0, table.n_rows, step):
            rows = slice(start, min(start + step, table.n_rows))
            yield rows, roles.encode(table, rows)

    def _gather(self, table: Table, y: tables.Target | None, weight: Array | None, **cells: Any) -> memory.Source:
        values = np.empty((table.n_rows, 0)) if y is None else y.values
        if len(values) != table.n_rows:
            raise TableError(
                f"Found input variables with inconsistent numbers of samples: X has {table.n_rows} rows, y has {len(values)}."
            )
        return memory.Source(table, self.roles_, values, () if y is None else y.names, weight, **cells)

    def _refuse_infinite(self, table: Table, m: Moments) -> None:
        with np.errstate(all="ignore"):  # what is not finite is named below
            m = m.total()
        squares = np.einsum("kjj->kj", m.scatter)
        if not (np.isfinite(squares).all() and np.isfinite(m.delta).all()):
            self.roles_.refuse_missing_numbers(table)
            raise MissingValueError(
                "The sums of squares overflow: X, y or the weights hold numbers beyond about 1e150. Rescale them."
            )
        # Rows that differ from a value among them, but not in squares: their squares are below what a float can hold.
        lost = (squares < TINY) & ((squares > 0) | (m.delta != 0)) & (abs(m.mean) < 1e-100)
        if lost.any(axis=1).any():
            gone = np.flatnonzero(lost.any(axis=0))
            raise MissingValueError(
                f"The numbers of {listing(m.names[j] for j in gone)} are too small to square. Rescale those columns."
            )


def says_nothing(spec: Any) -> bool:
    """Whether a role names no column."""
    return spec is None or (isinstance(spec, (tuple, list)) and not spec)


def _are_names(features: Any, table: Table) -> bool:
    if isinstance(features, str):
        return True
    few = isinstance(features, (list, tuple)) and 0 < len(features) < table.n_rows
    return few and all(isinstance(f, str) for f in features)


def _beside(features: Any, role: str) -> Table:
    table = tables.read(features, what=f"{role}_features")
    return table if table.named else table.rename(tuple(f"{role}_{j}" for j in range(len(table.names))))


def warn_of_dropped(roles: Roles, rank: Rank, names: tuple[str, ...], quiet: bool = False) -> dict[str, str]:
    """Say which columns a fit leaves out, by the visitor's names; returns encoded column -> reason."""
    found = {names[j]: reason for j, reason in rank.dropped.items()}
    silent = {"reference", "constant"}
    constant = [f.name for f, span in roles.spans() if all(found.get(n) in silent for n in names[span])]
    said = []
    if constant:
        said.append(f"constant in training: {listing(constant)}")
    dependent = [n for n, reason in found.items() if reason == "dependent"]
    if dependent:
        said.append(f"an exact linear function of earlier columns: {listing(dependent)}")
    as_s = [n for n, reason in found.items() if reason == "explained by s"]
    if as_s:
        said.append(f"determined by the sensitive columns: {listing(as_s)}")
    if said and not quiet:
        warn(f"Columns left out of the fit, {'; '.join(said)}.", DroppedColumnWarning)
    return found


def warn_of_near_copies(whole: Moments, c: Columns, v: Array, B: Array) -> None:
    """In the raw reading u still holds z, and a u that nearly copies it lets stage 2 rebuild s from the difference of the two."""
    S = residual_scatter(whole.scatter[0], v, c.x, B)
    # Of z what s leaves: beside what s explains of z a copy would look like less than one, where it tells most of s.
    own = S[c.z, c.z] - (S[np.ix_(v, c.z)] * np.linalg.lstsq(S[np.ix_(v, v)], S[np.ix_(v, c.z)], rcond=None)[0]).sum(
        axis=0
    )
    size = np.sqrt(np.where(own > SAME_AS_S * S[c.z, c.z], own, np.inf))
    near = abs(S[np.ix_(c.x, c.z)] / np.sqrt(np.maximum(S[c.x, c.x], TINY))[:, None] / size)
    found = [
        f"u({whole.names[c.x[i]]}) and {whole.names[c.z[j]]} ({near[i, j]:.2f})"
        for i, j in np.argwhere(near > NEAR_COPY)
    ]
    if found:
        warn(
            f"Residuals that nearly copy an explanatory column, by correlation at equal s: {'; '.join(found[:6])}. Their difference from z "
            "tells s, and explanatory_mode='raw' leaves it in. Use 'joint' or 'controlled', or drop those columns.",
            IdentifiabilityWarning,
        )


def check_choice(name: str, value: Any, allowed: tuple[Any, ...]) -> None:
    """Refuse a parameter outside its choices, in scikit-learn's wording."""
    if not any(type(value) is type(choice) and value == choice for choice in allowed):
        raise ParameterError(f"{name} must be one of {allowed}. Got {value!r} instead.")


def check_removal(removal: Any) -> float:
    """The one scale: 1 removes all, 0 nothing."""
    number = isinstance(removal, (int, float, np.integer, np.floating)) and not isinstance(removal, bool)
    if not number or not 0.0 <= removal <= 1.0:
        raise ParameterError(f"removal must be a number from 0 (nothing) to 1 (all). Got {removal!r} instead.")
    return float(removal)


def check_jobs(n_jobs: Any) -> int:
    """How many worker threads: None is one, -1 is one for each core."""
    if n_jobs is None:
        return 1
    if not isinstance(n_jobs, (int, np.integer)) or isinstance(n_jobs, bool) or n_jobs == 0:
        raise ParameterError(f"n_jobs must be a whole number but not 0, or None. Got {n_jobs!r} instead.")
    return int(n_jobs) if n_jobs > 0 else max(1, (os.cpu_count() or 1) + 1 + int(n_jobs))
