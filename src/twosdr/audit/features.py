"""How well the other columns give s away: a ridge regression of s on them, judged on folds it did not see.

The R² is what a linear reader would get; other readers get more. It is the library's own machinery: roles encode the columns, one pass
makes moments by fold, and the error of each fold comes from the moments of the others.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

import numpy as np

from twosdr.audit.given import Given, Sensitive, as_table
from twosdr.engines import memory
from twosdr.errors import TwosdrError
from twosdr.folds import fold_errors, fold_of_rows
from twosdr.metrics import Estimate
from twosdr.moments import Moments
from twosdr.roles import resolve
from twosdr.solve import Goal, decide_rank
from twosdr.tables import Array, Column, Table

FOLDS = 5
PENALTY = 1.0  # a little, on standardised columns: enough for dependent ones
METHOD = f"R² of a linear reading of s from the other columns, {FOLDS} folds; other readings may find more; no interval"


def read_from(given: Given, s: Sensitive) -> Estimate:
    """The share of the variance of s (of its indicators, for groups) that the features explain on new rows."""
    assert given.features is not None
    rows = np.arange(given.n) if s.known is None else np.flatnonzero(s.known)
    if len(rows) < 2 * FOLDS:
        return Estimate(None, n=len(rows), why=f"{len(rows)} rows are too few to divide into {FOLDS} folds")
    y = _as_columns(s, rows)
    weight = None if given.weight is None else given.weight[rows]
    try:
        cells = _moments(_of_rows(given.features, rows), y, weight)
    except TwosdrError as trouble:
        return Estimate(None, n=len(rows), why=f"the features cannot be read: {trouble}")
    if not (np.isfinite(cells.scatter).all() and np.isfinite(cells.delta).all()):
        return Estimate(None, n=len(rows), why="the features hold infinite numbers, or some whose squares overflow")
    whole = cells.total()
    columns = decide_rank(whole, np.zeros(0, dtype=int), penalised=True).columns
    spread = np.diag(whole.scatter[0])[columns.y].sum()
    if spread <= 0:
        return Estimate(None, n=len(rows), why="s is constant")
    if not len(columns.x):
        return Estimate(0.0, n=len(rows), method=f"every feature is constant; {METHOD}")
    errors = fold_errors(cells, columns, Goal(), np.array([PENALTY]), whole)[:, 0]
    used = cells.weight[:, None] * np.nan_to_num(errors)
    return Estimate(float(max(0.0, 1.0 - used.sum() / spread)), n=len(rows), method=METHOD)


def _as_columns(s: Sensitive, rows: Array) -> Array:
    """A number as it is; groups as indicators of all levels but the first."""
    if s.is_number:
        return s.codes[rows].astype(np.float64)[:, None]
    return np.asarray(s.codes[rows][:, None] == np.arange(1, max(2, len(s.names))), dtype=np.float64)


def _of_rows(features: Table, rows: Array) -> Table:
    if len(rows) == features.n_rows:
        return features
    columns = {}
    for name in features.names:
        found = features.column(name)
        columns[name] = Column(found.kind, found.values[rows], found.levels)
    return as_table(columns, len(rows))


def _moments(features: Table, y: Array, weight: Array | None) -> Moments:
    roles = resolve(features, handle_missing="category", weight=weight, max_levels=len(y))
    names = tuple(f"s{j}" for j in range(y.shape[1]))
    cell_of = lambda a, b: fold_of_rows(a, b, FOLDS)  # noqa: E731 - a rule, not a function with a name
    return memory.moments(memory.Source(features, roles, y, names, weight, cell_of, FOLDS))
