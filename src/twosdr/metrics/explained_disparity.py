"""What of a disparity z explains, what it does not, and what the model lets pass through z without any reason in y."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from twosdr.errors import MetricError
from twosdr.metrics import _influence as influence
from twosdr.metrics import _intervals as ci
from twosdr.metrics import _reading as reading
from twosdr.metrics._cells import gather
from twosdr.metrics._contrasts import cluster_error
from twosdr.metrics._linear import around, determined, fit
from twosdr.metrics._reading import Beside, Groups
from twosdr.metrics._words import told
from twosdr.metrics.auc import one_of_two
from twosdr.metrics.estimate import Estimate
from twosdr.metrics.mean_distance import answer as distance
from twosdr.tables import Array

CELLS = 5  # quintiles of what z says about s
NOTE = "z may itself be a product of discrimination: what it explains is not thereby justified"
DETERMINED = "z determines s: no two rows are alike in z and differ in s"


@dataclass(frozen=True)
class Explained:
    """The parts of a disparity, in the unit of ŷ. Signs are those of the total: below 0 is the reverse direction.

    Attributes
    ----------
    total : the mean distance (of a numeric s: the slope of ŷ on s)
    unexplained : the slope of ŷ on s among equals in z
    explained : what differences in z carry; total = unexplained + explained
    excess : what z carries beyond its own effect on y with s controlled for; no number without y_true
    cells : the mean gap within cells of rows that are alike in z; no number for a numeric s
    without : by column of z, `unexplained` when that column is left out
    gaps : by (encoded) column of z, its own gap by s
    between : the two groups, the one with the larger average first; empty for a numeric s
    note : what the figures cannot say
    """

    total: Estimate
    unexplained: Estimate
    explained: Estimate
    excess: Estimate
    cells: Estimate
    without: Mapping[str, Estimate]
    gaps: Mapping[str, Estimate]
    between: tuple[Any, ...] = ()
    note: str = NOTE


def explained_disparity(
    y_pred: Any,
    *,
    s: Any,
    z: Any,
    y_true: Any = None,
    level: Any = None,
    sample_weight: Any = None,
    cluster: Any = None,
    confidence: float = 0.95,
) -> Explained:
    """Split a mean distance by ŷ ~ 1 + s + z: |β_s + γ'(z̄1 - z̄0)| = unexplained slope + explained part, exactly.

    Needs: moments; rows for the intervals. s has two groups (or `level` is compared with the rest) or is a number. The excess
    is (γ of ŷ - γ of y)'(z̄1 - z̄0), γ of y from y ~ 1 + s + z: a z without effect on y that ŷ uses shows up here and nowhere else.

    >>> found = explained_disparity([1, 2, 3, 4, 5, 6.5], s=[0, 0, 0, 1, 1, 1], z={"hours": [1, 2, 3, 2, 3, 4]})
    >>> [round(float(part), 3) for part in (found.total, found.unexplained, found.explained)]
    [3.167, 2.042, 1.125]
    """
    y_hat = reading.scores(y_pred)
    n = len(y_hat)
    rows = reading.beside(n, sample_weight, cluster, confidence)
    number, by = _sides(s, n, level, rows)
    columns, names, homes = reading.matrix(z, n, "z")
    columns, y_hat = rows.take(columns), rows.take(y_hat)
    share = influence.shares(rows)
    split = _Split(around(number, share), around(columns, share), share, rows)
    slope = split.slope(around(y_hat, share))
    sign = -1.0 if slope.value is not None and slope.value < 0 else 1.0
    parts = split.parts(around(y_hat, share), sign)
    total = _signed(slope, sign)
    between: tuple[Any, ...] = ()
    cells = Estimate(None, None, rows.n, "s is a number: there are no two groups to compare within cells")
    if by is not None:
        total = distance(gather(y_hat, by, rows.weight, rows.cluster), confidence=confidence)
        between = (by.levels[1], by.levels[0]) if sign > 0 else by.levels
        cells = split.within_cells(y_hat, by, sign)
    elif total.interval is not None:
        low, high = ci.fold(*total.interval)
        total = replace(total, interval=(float(low), float(high)))
    if y_true is None:
        excess = Estimate(None, None, rows.n, "excess compares with the effect of z on y: pass y_true")
    else:
        y = rows.take(reading.scores(y_true, "y_true", n))
        excess = split.excess(around(y_hat, share), around(y, share), sign)
    kept = {home: [j for j, other in enumerate(homes) if other != home] for home in dict.fromkeys(homes)}
    return Explained(
        total,
        *parts,
        excess,
        cells,
        {home: split.only(at).parts(around(y_hat, share), sign)[0] for home, at in kept.items()},
        {name: _signed(split.slope(split.z[:, j]), sign) for j, name in enumerate(names)},
        between,
    )


def _sides(s: Any, n: int, level: Any, rows: Beside) -> tuple[Array, Groups | None]:
    """s as a number, and as two groups where it has two."""
    try:
        by = rows.take(reading.groups(s, n))
    except MetricError:
        number: Array = rows.take(reading.number(s, n))  # a number of many values, or an error that says what s is
        return number, None
    member = one_of_two(by, rows.n, level)
    levels = by.levels if level is None else (f"not {level}", level)
    return member.astype(float), Groups(member.astype(np.int8), levels, by.name)


def _signed(estimate: Estimate, sign: float) -> Estimate:
    if estimate.value is None or sign > 0:
        return estimate
    ends = None if estimate.interval is None else (-estimate.interval[1], -estimate.interval[0])
    return replace(estimate, value=-estimate.value, interval=ends)


@dataclass(frozen=True, eq=False)
class _Split:
    """Centred s and z, and what the regressions on them say."""

    s: Array
    z: Array
    share: Array
    rows: Beside

    def only(self, at: list[int]) -> _Split:
        return replace(self, z=self.z[:, at])

    def estimate(self, value: float, parts: Array, lost: int, what: str) -> Estimate:
        error, df = influence.error(parts, self.rows, min(lost, self.rows.n - 1))
        if np.isnan(error):
            return told(Estimate(value, None, self.rows.n, "no interval: too few rows or clusters"), what, "", 0.95)
        reach = influence.reach(self.rows, df) * error
        found = Estimate(value, (value - reach, value + reach), self.rows.n)
        return told(found, what, "robust interval", self.rows.confidence, self.rows.cluster is not None)

    def slope(self, target: Array) -> Estimate:
        """The target's slope on s alone: for two groups the difference of its means."""
        value, parts = self._slope(target)
        return self.estimate(value, parts, 2, "difference by s")

    def _slope(self, target: Array) -> tuple[float, Array]:
        squares = self.share @ (self.s * self.s)
        if squares == 0.0:
            raise MetricError("s is constant: there is no disparity to explain.")
        value = float(self.share @ (self.s * target) / squares)
        return value, self.share * self.s * (target - value * self.s) / squares

    def _given_z(self, target: Array) -> tuple[float, Array, Array] | None:
        """The target's slope on s beside z, what rows add to it, and the coefficients of z; None where z determines s."""
        alone = fit(self.z, self.s, self.share)
        if determined(alone.residual, self.s, self.share):
            return None
        own = alone.residual
        squares = self.share @ (own * own)
        beta = float(self.share @ (own * target) / squares)
        of_z = fit(self.z, target - beta * self.s, self.share)
        return beta, self.share * own * of_z.residual / squares, of_z.coef

    def parts(self, target: Array, sign: float) -> tuple[Estimate, Estimate]:
        """Unexplained and explained."""
        found = self._given_z(target)
        if found is None:
            nothing = Estimate(None, None, self.rows.n, DETERMINED)
            return nothing, nothing
        beta, of_beta, gamma = found
        _, of_total = self._slope(target)
        lost = 2 + self.z.shape[1]
        unexplained = self.estimate(sign * beta, sign * of_beta, lost, "slope on s among equals in z")
        carried = float(gamma @ self._gaps())
        what = "difference carried by z"
        return unexplained, self.estimate(sign * carried, sign * (of_total - of_beta), lost, what)

    def _gaps(self) -> Array:
        return np.asarray((self.share * self.s) @ self.z / (self.share @ (self.s * self.s)))

    def excess(self, y_hat: Array, y: Array, sign: float) -> Estimate:
        """What z carries of ŷ, less what it carries of y."""
        mine, theirs = self._given_z(y_hat), self._given_z(y)
        if mine is None or theirs is None:
            return Estimate(None, None, self.rows.n, DETERMINED)
        value = float((mine[2] - theirs[2]) @ self._gaps())
        of_total = self._slope(y_hat)[1] - self._slope(y)[1]
        parts = sign * (of_total - mine[1] + theirs[1])
        return self.estimate(sign * value, parts, 2 + self.z.shape[1], "carried by z beyond its effect on y")

    def within_cells(self, y_hat: Array, by: Groups, sign: float) -> Estimate:
        """Mean gap within quintiles of what z says about s, weighted by n1 n0 / (n1 + n0)."""
        said = self.s - fit(self.z, self.s, self.share).residual
        # Rounded, so that rows of the same z land in the same cell however the fit rounds.
        _, at = np.unique(np.round(said, 12), return_inverse=True)
        weight = np.bincount(at, self.share)
        middle = np.cumsum(weight) - weight / 2
        cell = np.minimum(((middle + 1e-12) * CELLS).astype(int), CELLS - 1)[at]
        cells = Groups(cell, tuple(range(CELLS)), "cell").occurring()
        tally = gather(y_hat, reading.cross(cells, by), self.rows.weight, self.rows.cluster)
        keys = list(tally.cells)
        value, contrast, mass = 0.0, np.zeros(len(keys)), 0.0
        for c in cells.levels:
            two = [
                keys.index((c, level)) if (c, level) in tally.cells else -1 for level in (by.levels[1], by.levels[0])
            ]
            if min(two) < 0:
                continue
            one, other = (tally.cells[keys[j]] for j in two)
            w = one.weight * other.weight / (one.weight + other.weight)
            value, mass = value + w * (one.mean - other.mean), mass + w
            contrast[two] = w, -w
        if mass == 0.0:
            return Estimate(None, None, self.rows.n, "no cell of equals in z holds rows of both groups")
        value, contrast = sign * value / mass, sign * contrast / mass
        found = Estimate(value, None, tally.n, "no interval: a group has 1 row, or one cluster, in a cell")
        what = f"mean gap within {len(cells)} cells of z"
        if tally.within is not None:
            error, df = cluster_error(tally.within, contrast)
            wide = float(ci.t_quantile(self.rows.confidence, df)) * error if error == error else error
        else:
            used = [sums for sums, c in zip(tally.cells.values(), contrast, strict=True) if c]
            squares = np.array([sums.squared_error for sums in used])
            wide = ci.normal_quantile(self.rows.confidence) * float(np.sqrt(squares @ contrast[contrast != 0] ** 2))
        if not np.isnan(wide):
            found = replace(found, interval=(value - wide, value + wide), why="")
        return told(found, what, "robust interval", self.rows.confidence, tally.within is not None)
