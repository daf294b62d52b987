"""Levels of several goals side by side: what each leaves of the distance between groups, and what it costs.

A frontier is measured on moments of (s, z, y, ŷ_0, ŷ_1), where ŷ_0 has everything removed and ŷ_1 nothing: of the training rows,
of rows that a fold's fit did not see, or of other rows.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

import numpy as np

from twosdr.levels import ROUNDING, Attribute, effects, explained, full_views
from twosdr.moments import Moments
from twosdr.solve import Columns, Goal
from twosdr.tables import Array

FAMILY = {  # what the two ends of each curve are called
    "parity": ("OLS", "2SDR"),
    "parity without s": ("unaware", "without s"),
    "discrimination_free": ("OLS", "discrimination-free"),
    "equalized_odds": ("OLS", "equalized odds"),
    "equalized_odds without s": ("unaware", "equalized odds without s"),
    "equal_opportunity": ("OLS", "equal opportunity"),
    "equal_opportunity without s": ("unaware", "equal opportunity without s"),
}


def of_scores(m: Moments, fit: Moments, ends: Sequence[Array]) -> Moments:
    """Moments of (s, z, y, ŷ_0, ŷ_1) on these rows: every score passes through the means of the rows that it was fitted on."""
    keep = m.index("s", "z", "y")
    wide = np.zeros((len(m.names), len(keep)))
    wide[keep, np.arange(len(keep))] = 1.0
    scores = np.hstack(list(ends))
    q = len(m.index("y"))
    gap = (m.shift - fit.shift) + (m.delta - fit.delta[0])
    level_of_y = np.tile(fit.mean[0, fit.index("y")], len(ends))
    turn = np.hstack([wide, scores])
    names = tuple(m.names[j] for j in keep) + tuple(f"score {e} {j}" for e in range(len(ends)) for j in range(q))
    return Moments(
        names,
        tuple(m.blocks[j] for j in keep) + ("p",) * scores.shape[1],
        np.concatenate([m.shift[keep], np.zeros(scores.shape[1])]),
        m.weight.copy(),
        m.count.copy(),
        np.hstack([m.delta[:, keep], level_of_y + gap @ scores]),
        np.einsum("ia,kij,jb->kab", turn, m.scatter, turn, optimize=True),
    )


@dataclass(frozen=True, eq=False)
class Curve:
    """One goal over its levels; every array has an entry for each of `removal`.

    `distance` holds, by sensitive column, the largest distance of two groups' mean scores; for a number, how far the score
    moves with one deviation of it. `given_y` is the same at equal y. `r2_s` is the share of the score's variance that s explains beyond
    z. Of several targets `mse` and `r2` are averages, the others the largest. `identifiability` holds the canonical correlations of the
    fit's columns with the constraint's, largest first; it is empty where the goal is no constraint.
    """

    label: str
    goal: str
    at_predict: str
    removal: Array
    mse: Array
    r2: Array
    r2_s: Array
    distance: dict[str, Array]
    given_y: dict[str, Array]
    identifiability: Array = field(default_factory=lambda: np.zeros(0))

    def row(self, k: int) -> dict[str, Any]:
        """One level as a dict."""
        return {
            "goal": self.label,
            "removal": float(self.removal[k]),
            "mse": float(self.mse[k]),
            "r2": float(self.r2[k]),
            "r2_s": float(self.r2_s[k]),
            **{f"distance {name}": float(found[k]) for name, found in self.distance.items()},
            **{f"distance {name} given y": float(found[k]) for name, found in self.given_y.items()},
        }


@dataclass(frozen=True, eq=False)
class Frontier:
    """Levels of several goals side by side; `rows_of` says which rows they were measured on."""

    curves: tuple[Curve, ...]
    rows_of: str
    n: int

    def __getitem__(self, label: str) -> Curve:
        for curve in self.curves:
            if curve.label == label:
                return curve
        raise KeyError(f"{label!r}: there are {', '.join(curve.label for curve in self.curves)}")

    def rows(self) -> list[dict[str, Any]]:
        """All levels of all goals, a dict each: what `pandas.DataFrame(...)` or `polars.DataFrame(...)` takes."""
        return [curve.row(k) for curve in self.curves for k in range(len(curve.removal))]

    def family(self) -> dict[str, dict[str, Any]]:
        """The ends of the curves by the names that they have: OLS, unaware, discrimination-free, 2SDR and so on.

        Where all is removed by a constraint, with its `identifiability`: the smallest canonical correlation.
        """
        found: dict[str, dict[str, Any]] = {}
        for curve in self.curves:
            for name, end in zip(FAMILY[curve.label], (0.0, 1.0), strict=True):
                at = np.flatnonzero(curve.removal == end)
                if len(at):
                    row = {k: v for k, v in curve.row(int(at[0])).items() if k not in ("goal", "removal")}
                    if end and len(curve.identifiability):
                        row["identifiability"] = float(curve.identifiability.min())
                    found.setdefault(name, row)
        return found

    def _lines(self) -> tuple[list[str], list[list[str]]]:
        family = self.family()
        columns = sorted(dict.fromkeys(name for row in family.values() for name in row), key="identifiability".__eq__)
        cells = [[name, *(_said(row[c]) if c in row else "" for c in columns)] for name, row in family.items()]
        return ["", *columns], cells

    def __repr__(self) -> str:
        head, cells = self._lines()
        wide = [max(len(row[j]) for row in [head, *cells]) for j in range(len(head))]
        lines = [
            "  ".join(cell.rjust(w) if j else cell.ljust(w) for j, (cell, w) in enumerate(zip(row, wide, strict=True)))
            for row in [head, *cells]
        ]
        return "\n".join(
            [f"Frontier on {self.rows_of} ({self.n} rows), {len(self.rows())} levels; their ends:", *lines]
        )

    def _repr_html_(self) -> str:
        head, cells = self._lines()
        body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in cells)
        top = "".join(f"<th>{escape(cell)}</th>" for cell in head)
        return f"<table><caption>{escape(self.rows_of)}, {self.n} rows</caption><tr>{top}</tr>{body}</table>"


def curve(label: str, goal: Goal, m: Moments, attributes: Sequence[Attribute], removal: Array, by_y: bool) -> Curve:
    """A goal's levels on moments of (s, z, y, ŷ_0, ŷ_1); attributes hold the positions in those. Cells are classes of y."""
    whole = m.total()
    S, weight = whole.scatter[0], float(whole.weight[0])
    y, scores, q = whole.index("y"), whole.index("p"), len(whole.index("y"))
    t = 1.0 - removal
    ends = np.zeros((2, len(S), q))  # coefficients of ŷ_0 and ŷ_1 over these columns
    for j in range(q):
        ends[0, scores[j], j] = ends[1, scores[q + j], j] = 1.0
    miss = ends.copy()
    miss[:, y, np.arange(q)] -= 1.0
    mean = np.einsum("i,eiq->eq", whole.mean[0], miss)
    mse = _square(t, _forms(lambda a, b: np.einsum("iq,ij,jq->q", a, S, b), miss)) / weight
    mse += ((1.0 - t)[:, None] * mean[0] + t[:, None] * mean[1]) ** 2
    spread = np.diag(S)[y] / weight
    c = Columns(whole.index("s"), whole.index("z"), np.zeros(0, dtype=int), y)
    own = full_views(S, c, Goal(), None)[0]
    told = _square(t, _forms(lambda a, b: explained(own, c.s, a, b), ends))
    variance = _square(t, _forms(lambda a, b: np.einsum("iq,ij,jq->q", a, S, b), ends))
    fixed = full_views(S, c, goal, m.scatter if m.n_cells > 1 else None) if by_y else []
    return Curve(
        label,
        goal.name,
        goal.at_predict,
        removal,
        mse.mean(axis=1),
        (1.0 - mse / np.where(spread > 0, spread, np.nan)).mean(axis=1),
        np.divide(told, variance, out=np.zeros_like(told), where=variance > 0).max(axis=1),
        {one.name: _distances([S], one, ends, t, weight) for one in attributes},
        {one.name: _distances(fixed, one, ends, t, weight) for one in attributes} if by_y else {},
    )


def _forms(form: Callable[[Array, Array], Array], ends: Array) -> Array:
    """A quadratic form at both ends and between them, (3, q)."""
    return np.stack([form(ends[0], ends[0]), form(ends[0], ends[1]), form(ends[1], ends[1])])


def _square(t: Array, forms: Array) -> Array:
    """The quadratic form at every level, (levels, q)."""
    r = 1.0 - t
    return np.asarray(np.maximum(np.stack([r * r, 2.0 * r * t, t * t], axis=1) @ forms, 0.0))


def _distances(scatters: Iterable[Array], one: Attribute, ends: Array, t: Array, weight: float) -> Array:
    found = np.zeros(len(t))
    for T in scatters:
        if one.grouped:
            shift = effects(T, one)
        else:
            own = one.columns[0]
            shift = np.vstack([np.zeros(len(T)), T[own] / max(np.sqrt(T[own, own] * weight), 1e-300)])
        none_left, all_left = shift @ ends[0], shift @ ends[1]
        moved = np.ptp((1.0 - t)[:, None, None] * none_left + t[:, None, None] * all_left, axis=1)
        found = np.maximum(found, moved.max(axis=1))
    return found


def _said(value: float) -> str:
    return "0" if abs(value) < ROUNDING else f"{value:.4g}"
