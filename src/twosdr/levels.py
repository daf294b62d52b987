"""How much to remove: a target turned into removal in closed form, and what every level costs.

A score between two ends, ŷ_t = (1 - t) ŷ_0 + t ŷ_1 with t = 1 - removal, has distances that are linear in t and variances that
are quadratic. So a level is found without a search, and a hundred levels cost what two do. All from moments; no row is seen.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from twosdr.errors import ParameterError, did_you_mean, listing, quoted
from twosdr.moments import EPS
from twosdr.solve import GIVEN_Y, Columns, Goal, net, rows_of, views
from twosdr.tables import Array

ROUNDING = 1e-12  # a distance that is this share of what is to be removed is zero


@dataclass(frozen=True, eq=False)
class Attribute:
    """A sensitive column: its name, its moment columns, and the distance of its two values where it is such a number.

    `grouped` is False for a number with more than two values, which has no groups to compare.
    """

    name: str
    columns: Array
    grouped: bool
    gap: float = 1.0
    category: bool = False


@dataclass(frozen=True)
class Level:
    """A target: {"md": x}, {"md": {name: x}}, {"md": [x, ...]} or {"r2": x}."""

    kind: str
    value: Any

    def limits(self, attributes: Sequence[Attribute]) -> dict[str, float]:
        """The greatest distance allowed, by sensitive column."""
        names = [a.name for a in attributes]
        if isinstance(self.value, Mapping):
            strange = [name for name in self.value if name not in names]
            if strange:
                raise ParameterError(
                    f"removal={{'md': ...}} names {listing(strange)}, which is not a sensitive column: {listing(names)}."
                    + did_you_mean(strange[0], names)
                )
            limits = dict(self.value)
        elif isinstance(self.value, (list, tuple)):
            if len(self.value) != len(names):
                raise ParameterError(
                    f"removal={{'md': ...}} has {len(self.value)} values for {len(names)} sensitive columns: {listing(names)}."
                )
            limits = dict(zip(names, self.value, strict=True))
        else:
            limits = dict.fromkeys(names, self.value)
        ungrouped = [a.name for a in attributes if a.name in limits and not a.grouped]
        if ungrouped:
            raise ParameterError(
                f"'md' is the distance between the means of groups, and {listing(ungrouped)} is a number with more than two values (or "
                "known from moments alone, and not coded 0 and 1). Use removal={'r2': x}, code two values as text, or give 'md' by column: "
                "{'md': {name: x}}."
            )
        return limits


def level(removal: Any) -> float | Level:
    """The parameter `removal`, checked: a number from 0 to 1, or a target."""
    if isinstance(removal, Mapping):
        if len(removal) != 1 or next(iter(removal)) not in ("md", "r2"):
            raise ParameterError(f"A target for removal is {{'md': x}} or {{'r2': x}}. Got {removal!r} instead.")
        kind, value = next(iter(removal.items()))
        inside = (
            value.values() if isinstance(value, Mapping) else value if isinstance(value, (list, tuple)) else [value]
        )
        if kind == "r2" and isinstance(value, (Mapping, list, tuple)):
            raise ParameterError(
                f"removal={{'r2': x}} takes one share, for all sensitive columns together. Got {value!r}."
            )
        top = 1.0 if kind == "r2" else np.inf
        bad = [x for x in inside if not is_number(x) or not 0.0 <= x <= top]
        if bad or not list(inside):
            wanted = "a share from 0 to 1" if kind == "r2" else "distances from 0 up, in the unit of the score"
            raise ParameterError(f"removal={{{kind!r}: x}} needs {wanted}. Got {value!r} instead.")
        return Level(kind, value)
    if not is_number(removal) or not 0.0 <= removal <= 1.0:
        raise ParameterError(
            f"removal must be a number from 0 (nothing) to 1 (all), {{'md': x}} or {{'r2': x}}. Got {removal!r} instead."
        )
    return float(removal)


def is_number(x: Any) -> bool:
    """A finite number that is not a truth value."""
    return isinstance(x, (int, float, np.integer, np.floating)) and not isinstance(x, bool) and bool(np.isfinite(x))


def full_views(S: Array, c: Columns, goal: Goal, strata: Array | None) -> list[Array]:
    """Scatters of all columns in which the goal has no covariance of s and score: what may explain both taken out."""
    every = np.arange(len(S))
    found = []
    for T, _, given in views(S, rows_of(S, c.v), c, goal, strata):
        out = net(T, rows_of(T, given), given, every)
        out[:, given] = 0.0
        found.append(out)
    return found


def effects(T: Array, one: Attribute) -> Array:
    """Distance of every group's mean from the reference group's, for each moment column, shape (groups, p).

    Where something is held fixed in T, the distance at equal values of it (the coefficients of the groups' indicators).
    """
    if not one.category:
        own = one.columns[0]
        size = T[own, own]
        gaps = one.gap * T[[own]] / size if size > 0 else np.zeros((1, len(T)))
        return np.vstack([np.zeros((1, len(T))), gaps])
    there = one.columns[np.diag(T)[one.columns] > EPS * max(float(np.diag(T)[one.columns].max(initial=0.0)), 1e-300)]
    if len(there) < 2:
        return np.zeros((1, len(T)))
    others = there[1:]
    return np.vstack([np.zeros((1, len(T))), np.linalg.lstsq(T[np.ix_(others, others)], T[others], rcond=None)[0]])


def distance(T: Array, one: Attribute, b: Array) -> Array:
    """The largest distance between two groups' mean scores (MD), for scores with coefficients b (p, q): shape (q,)."""
    return np.asarray(np.ptp(effects(T, one) @ b, axis=0))


def explained(T: Array, s: Array, b: Array, other: Array) -> Array:
    """The bilinear form b'T_s T_ss^+ T_s'other by column, (q,): the sum of squares of a score that s explains."""
    unit = np.sqrt(np.maximum(np.diag(T)[s], 0.0))
    some = s[unit > 0]
    unit = unit[unit > 0]
    inner = np.linalg.pinv(T[np.ix_(some, some)] / unit[:, None] / unit, hermitian=True, rcond=1e-12)
    left, right = (T[some] @ b) / unit[:, None], (T[some] @ other) / unit[:, None]
    return np.asarray(np.einsum("iq,ij,jq->q", left, inner, right))


def resolve(
    asked: Level,
    S: Array,
    c: Columns,
    goal: Goal,
    strata: Array | None,
    attributes: Sequence[Attribute],
    ends: tuple[Array, Array],
) -> float:
    """The removal with which a target is just met; `ends` are the coefficients (p, q) at removal 1 and 0."""
    all_removed, none = ends
    given = full_views(S, c, goal, strata)
    if asked.kind == "r2":
        t = min(
            _greatest(T, T if goal.name in GIVEN_Y else S, c.s, all_removed, none, float(asked.value)) for T in given
        )
        if t < 0:
            least = max(share(T, T if goal.name in GIVEN_Y else S, c.s, all_removed) for T in given)
            raise ParameterError(
                f"removal={{'r2': {asked.value}}} is out of reach for goal={goal.name!r}: with everything removed s still explains "
                f"{least:.3g} of the score's variance."
            )
        return 1.0 - t
    top = 1.0
    for name, limit in asked.limits(attributes).items():
        one = next(a for a in attributes if a.name == name)
        for T in given if goal.name in GIVEN_Y else [S]:
            t = _farthest(effects(T, one) @ all_removed, effects(T, one) @ none, float(limit))
            if t < 0:
                raise ParameterError(
                    f"removal={{'md': {limit}}} is out of reach for {quoted(name)} with goal={goal.name!r}: with everything removed "
                    f"its groups still differ by {distance(T, one, all_removed).max():.3g}."
                    + (" That is what the explanatory columns let through." if len(c.z) else "")
                )
            top = min(top, t)
    return 1.0 - top


def _farthest(removed: Array, none: Array, limit: float) -> float:
    """The largest t in [0, 1] with every pair of groups within the limit; -1 where there is none."""
    a, b = removed[:, None] - removed[None], none[:, None] - none[None]
    slope = b - a
    limit += ROUNDING * max(float(abs(b).max(initial=0.0)), float(abs(a).max(initial=0.0)))
    still = abs(slope) <= EPS * np.maximum(abs(a), abs(b))
    if (still & (abs(a) > limit)).any():
        return -1.0
    bend = np.where(still, 1.0, slope)
    one, two = (-limit - a) / bend, (limit - a) / bend
    low = np.where(still, -np.inf, np.minimum(one, two)).max(initial=-np.inf)
    high = min(1.0, np.where(still, np.inf, np.maximum(one, two)).min(initial=np.inf))
    return float(high) if high >= max(low, 0.0) else -1.0


def share(T: Array, V: Array, s: Array, b: Array) -> float:
    variance = np.einsum("iq,ij,jq->q", b, V, b)
    return float(np.divide(explained(T, s, b, b), variance, out=np.zeros(b.shape[1]), where=variance > 0).max())


def _greatest(T: Array, V: Array, s: Array, removed: Array, none: Array, limit: float) -> float:
    """The largest t in [0, 1] at which s explains at most this share of the score's variance; -1 where there is none."""
    step, best = none - removed, 1.0
    forms = [
        explained(T, s, left, right) - limit * np.einsum("iq,ij,jq->q", left, V, right)
        for left, right in ((removed, removed), (removed, step), (step, step))
    ]
    scale = explained(T, s, none, none) + limit * np.einsum("iq,ij,jq->q", none, V, none)
    for q in range(removed.shape[1]):
        constant, linear, square = forms[0][q], 2.0 * forms[1][q], forms[2][q]
        room = ROUNDING * scale[q]
        if constant + linear + square <= room:
            continue
        roots = np.roots([square, linear, constant])
        inside = [float(root.real) for root in roots if abs(root.imag) < 1e-9 and -1e-9 <= root.real <= 1.0]
        if not inside and constant > room:
            return -1.0
        best = min(best, max(0.0, max(inside, default=0.0)))
    return best
