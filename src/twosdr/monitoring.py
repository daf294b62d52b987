"""New rows against what training promised: the same moments on last month's rows, piece by piece, and the model's own facts.

Nothing is refused that can be counted: unknown levels and missing values are counted and stand at their training average. Rows whose
s is unknown take no part in what is said about s.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from scipy.stats import norm

from twosdr import tables
from twosdr.engines import memory
from twosdr.errors import TableError
from twosdr.metrics import Estimate
from twosdr.model import Model
from twosdr.model.columns import decided
from twosdr.moments import Moments
from twosdr.roles import Roles
from twosdr.tables import Array, Table

SHIFTED = 0.25  # training deviations that a mean has to move to be named first


@dataclass(frozen=True)
class Link:
    """One column of s (a level, or a number) and one score: what training promised, and what is there now."""

    s: str
    output: str
    promised: float  # covariance in training
    covariance: float
    promised_correlation: float
    correlation: Estimate

    @property
    def drifted(self) -> bool:
        """Whether the interval of the correlation leaves out what training promised."""
        found = self.correlation.interval
        return found is not None and not found[0] <= self.promised_correlation <= found[1]


@dataclass(frozen=True)
class Shift:
    """An encoded column: its mean (a level's share) in training and now, and the difference in training deviations."""

    column: str
    role: str
    then: float
    now: float
    deviations: float | None


@dataclass(frozen=True)
class Strange:
    """Values that training did not know: a level, or "" for a missing one, with its rows."""

    column: str
    level: str
    rows: int


@dataclass(frozen=True)
class Drift:
    """All of it. `rates` are shares decided for each class, then and now; `scores` means of the score, then and now."""

    n: int
    known_s: int
    links: tuple[Link, ...]
    shifts: tuple[Shift, ...]
    strange: tuple[Strange, ...]
    scores: tuple[tuple[str, float, float], ...]
    rates: tuple[tuple[str, float | None, float], ...]
    training_rows: int

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return asdict(self)


def drift(model: Model, pieces: Iterable[Any], confidence: float = 0.95) -> Drift:
    """Gather the pieces' moments with the model's own scores beside them, and compare."""
    roles = replace(
        model.roles,
        handle_missing="mean",
        handle_unknown="mean",
        fill=tuple(float(v) for v in model.facts.mean) if model.roles.fill is None else model.roles.fill,
    )
    names = model.output_names()
    whole: Moments | None = None
    about_s: Moments | None = None
    strange: Counter[tuple[str, str]] = Counter()
    counts = np.zeros(0 if model.classes is None else len(model.classes))
    n = 0
    for piece in pieces:
        table = tables.read(piece)
        if not table.n_rows:
            continue
        roles._same_kinds(table, list(roles.fields))
        known = _count_strange(table, roles, strange)
        scores = model.affine(roles.encode(table, slice(0, table.n_rows)))
        n += table.n_rows
        if model.classes is not None:
            counts += np.bincount(decided(scores, model.threshold), minlength=len(model.classes))
        part = memory.moments(memory.Source(table, roles, scores, tuple(f"score {name}" for name in names)))
        whole = part if whole is None else whole + part
        if known.any():
            some = (
                part
                if known.all()
                else memory.moments(
                    memory.Source(table, roles, scores, tuple(f"score {name}" for name in names), known.astype(float))
                )
            )
            about_s = some if about_s is None else about_s + some
    if whole is None:
        raise TableError("There is no row to compare with training.")
    return Drift(
        n,
        0 if about_s is None else int(about_s.count.sum()),
        () if about_s is None else _links(model, about_s, names, confidence),
        _shifts(model, whole),
        tuple(
            Strange(column, level, rows)
            for (column, level), rows in sorted(strange.items(), key=lambda kv: (-kv[1], kv[0]))
        ),
        tuple(
            (name, float(then), float(now))
            for name, then, now in zip(names, model.facts.y_mean, whole.mean[0, len(roles.names) :], strict=True)
        ),
        _rates(model, counts, n),
        model.facts.rows,
    )


def _count_strange(table: Table, roles: Roles, strange: Counter[tuple[str, str]]) -> Array:
    """Add unknown levels and missing values to the counts; which rows have every s."""
    known = np.ones(table.n_rows, dtype=bool)
    for field in roles.fields:
        column = table.column(field.name)
        gone = column.missing()
        if gone.any() and not field.gaps:
            strange[field.name, ""] += int(gone.sum())
        odd = gone & (not field.gaps)
        if field.levels is not None and column.kind != "empty":
            places = field.translate(column, roles.absent)
            assert column.levels is not None
            counts = np.bincount(column.values[column.values >= 0], minlength=len(column.levels))
            for j in np.flatnonzero(places[:-1] < 0):
                strange[field.name, str(column.levels[j])] += int(counts[j])
            odd = odd | (~gone & (places[column.values] < 0))
        if field.role == "s":
            known &= ~odd
    return known


def _links(model: Model, m: Moments, names: tuple[str, ...], confidence: float) -> tuple[Link, ...]:
    S, n = m.scatter[0] / m.weight[0], int(m.count[0])
    p = len(model.roles.names)
    reach = float(norm.ppf(0.5 + confidence / 2)) / math.sqrt(max(n - 3, 1))
    found = []
    for j in m.index("s"):
        for k, name in enumerate(names):
            both = math.sqrt(S[j, j] * S[p + k, p + k])
            if both <= 0:
                r = Estimate(None, n=n, why="it does not vary in these rows")
            else:
                value = float(np.clip(S[j, p + k] / both, -1.0, 1.0))
                middle = math.atanh(max(min(value, 1 - 1e-15), -1 + 1e-15))
                r = Estimate(
                    value,
                    (math.tanh(middle - reach), math.tanh(middle + reach)),
                    n,
                    method="correlation; Fisher's z, normal",
                )
            found.append(
                Link(
                    m.names[j], name, float(model.facts.covariance[j, k]), float(S[j, p + k]), _promise(model, j, k), r
                )
            )
    return tuple(found)


def _promise(model: Model, j: int, k: int) -> float:
    both = float(model.facts.deviation[j] * model.facts.prediction_deviation[k])
    return float(model.facts.covariance[j, k]) / both if both > 0 else 0.0


def _shifts(model: Model, m: Moments) -> tuple[Shift, ...]:
    found = []
    for j, (name, role) in enumerate(zip(model.roles.names, model.roles.blocks, strict=True)):
        then, now, unit = float(model.facts.mean[j]), float(m.mean[0, j]), float(model.facts.deviation[j])
        found.append(Shift(name, role, then, now, (now - then) / unit if unit > 0 else None))
    return tuple(sorted(found, key=lambda s: (-abs(s.deviations or 0.0), s.column)))


def _rates(model: Model, counts: Array, n: int) -> tuple[tuple[str, float | None, float], ...]:
    if model.classes is None:
        return ()
    then = [None] * len(counts) if model.facts.rates is None else [float(r) for r in model.facts.rates]
    return tuple((str(c), t, float(d) / n) for c, t, d in zip(model.classes.tolist(), then, counts, strict=True))
