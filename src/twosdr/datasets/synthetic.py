"""Worlds whose truth is known: rows from a written law, and what least squares and 2SDR come to on all of it.

A `World` is the law and a seed. Rows are drawn in blocks of a fixed size, each from its own stream of chance, so that any
stretch of rows is the same however it is cut, and a table larger than memory can be read in chunks. Its `Truth` holds the
population's means and covariances and what follows from them. Nothing here fits a model to rows.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

import math
import operator
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from twosdr.datasets.base import Array, Rows
from twosdr.errors import ParameterError

BLOCK = 4096  # rows drawn together; another number would give other rows

# Truth


@dataclass(frozen=True)
class Expected:
    """A linear score on the whole population: intercept + sum of coef times column.

    `cc` is the largest |correlation| of the score with a column of s, `cc_by_s` that of each; `rmse` the root of E[(score - y)²].
    """

    intercept: float
    coef: Mapping[str, float]
    cc: float
    cc_by_s: Mapping[str, float]
    rmse: float


@dataclass(frozen=True, eq=False)
class Cell:
    """A part of the population within which all columns are jointly normal: mean + root @ (standard normal).

    `labels` says who they are: the values of the categories, and of y where it has two.
    """

    labels: Mapping[str, Any]
    share: float
    mean: Array
    root: Array


@dataclass(frozen=True, eq=False)
class Truth:
    """Means and covariances of the population over encoded columns (the last is y), and what follows from them.

    `ols` is least squares on s, x and z. The three readings of 2SDR are `two_stage` (controlled), `joint` and `raw`; without
    z they are one. `cells` are the parts that the population is a mixture of, where it is one; `more` what a world adds.
    """

    names: tuple[str, ...]
    blocks: tuple[str, ...]
    mean: Array
    cov: Array
    cells: tuple[Cell, ...] = ()
    more: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def ols(self) -> Expected:
        """Least squares on every column, s among them: the paper's baseline."""
        return self._expected(self._effects("sxz"))

    @cached_property
    def two_stage(self) -> Expected:
        """2SDR, controlled: least squares on (s, x, z), less what s determines beside z."""
        w = self._effects("sxz")
        w[self._at("s")] -= self._effects("sz")[self._at("s")]
        return self._expected(w)

    @cached_property
    def joint(self) -> Expected:
        """2SDR, joint: x less what s and z explain of it, then y on that and z."""
        return self._two_stages("sz")

    @cached_property
    def raw(self) -> Expected:
        """2SDR as Algorithm 1 is printed: x less what s alone explains of it, then y on that and z."""
        return self._two_stages("s")

    def means(self, model: str = "two_stage") -> tuple[tuple[Mapping[str, Any], float], ...]:
        """The mean score in each cell, for "ols", "two_stage", "joint" or "raw": (labels, mean)."""
        w, intercept = self._weights(model)
        return tuple((cell.labels, float(intercept + w @ cell.mean[:-1])) for cell in self.cells)

    def above(self, threshold: float, model: str = "two_stage") -> tuple[tuple[Mapping[str, Any], float], ...]:
        """The share of each cell with a score above the threshold: (labels, share)."""
        w, intercept = self._weights(model)
        found = []
        for cell in self.cells:
            gap = intercept + float(w @ cell.mean[:-1]) - threshold
            deviation = float(np.linalg.norm(w @ cell.root[:-1]))
            share = 0.5 * math.erfc(-gap / deviation / math.sqrt(2)) if deviation else float(gap > 0)
            found.append((cell.labels, share))
        return tuple(found)

    def _weights(self, model: str) -> tuple[Array, float]:
        if model not in ("ols", "two_stage", "joint", "raw"):
            raise ParameterError(f'model must be "ols", "two_stage", "joint" or "raw". Got {model!r} instead.')
        expected: Expected = getattr(self, model)
        return np.array(list(expected.coef.values())), expected.intercept

    def _at(self, blocks: str) -> Array:
        return np.flatnonzero([b in blocks for b in self.blocks[:-1]])

    def _effects(self, blocks: str) -> Array:
        # y regressed on these blocks; zero for all other columns.
        w, at = np.zeros(len(self.names) - 1), self._at(blocks)
        w[at] = _regression(self.cov[np.ix_(at, at)], self.cov[at, -1])
        return w

    def _two_stages(self, v: str) -> Expected:
        at_v, x, z = self._at(v), self._at("x"), self._at("z")
        d = len(self.names) - 1
        left = np.eye(d)[:, x]  # columns: u in terms of the table's columns
        left[at_v] -= _regression(self.cov[np.ix_(at_v, at_v)], self.cov[np.ix_(at_v, x)])
        features = np.hstack([left, np.eye(d)[:, z]])
        inside = features.T @ self.cov[:-1, :-1] @ features
        return self._expected(features @ _regression(inside, features.T @ self.cov[:-1, -1]))

    def _expected(self, w: Array) -> Expected:
        inside, toward = self.cov[:-1, :-1], self.cov[:-1, -1]
        variance = float(w @ inside @ w)
        cc = {}
        for j in self._at("s"):
            c = float(abs(inside[j] @ w))
            scale = math.sqrt(inside[j, j] * variance)
            cc[self.names[j]] = c / scale if scale > 0 else 0.0
        rmse = math.sqrt(max(float(self.cov[-1, -1] - 2 * w @ toward) + variance, 0.0))
        coef = dict(zip(self.names[:-1], w.tolist(), strict=True))
        return Expected(float(self.mean[-1] - w @ self.mean[:-1]), coef, max(cc.values()), cc, rmse)


def _regression(inside: Array, toward: Array) -> Array:
    return np.asarray(np.linalg.lstsq(inside, toward, rcond=None)[0])


def _mixture(names: Sequence[str], blocks: str, cells: Sequence[Cell], **more: Any) -> Truth:
    mean = np.sum([c.share * c.mean for c in cells], axis=0)
    cov = np.sum(
        [c.share * (c.root @ c.root.T + np.multiply.outer(c.mean - mean, c.mean - mean)) for c in cells], axis=0
    )
    return Truth(tuple(names), tuple(blocks), mean, cov, tuple(cells), more)


# Worlds


@dataclass(frozen=True, eq=False, repr=False)
class World(Rows):
    """A law, a seed and a number of rows; the rows come when they are asked for.

    `table`, `X` and `y` draw all of them; `rows(start, stop)` any stretch, `chunks(size)` one stretch after the other. The same
    seed gives the same rows, however they are cut, and fewer rows are the first of more.
    """

    name: str
    n: int
    target: str
    sensitive: tuple[str, ...]
    explanatory: tuple[str, ...]
    positive: object
    truth: Truth
    parameters: Mapping[str, Any]
    seed: int
    law: _Cells | _Spread
    left_out: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def table(self) -> Any:
        """All rows, as a pyarrow table."""
        return self.rows()

    def rows(self, start: int = 0, stop: int | None = None) -> Any:
        """The rows from `start` up to `stop`, as a pyarrow table."""
        stop = self.n if stop is None else stop
        if not 0 <= start <= stop <= self.n:
            raise ParameterError(f"rows({start}, {stop}): start and stop must be in order, from 0 to n = {self.n}.")
        return self._cut(start, stop, {})

    def chunks(self, size: int = 65_536) -> Iterator[Any]:
        """All rows, `size` at a time, as pyarrow tables; no more than one of them is held."""
        size = _whole("size", size, 1)
        held: dict[int, dict[str, Any]] = {}
        return (self._cut(start, min(start + size, self.n), held) for start in range(0, self.n, size))

    def _cut(self, start: int, stop: int, held: dict[int, dict[str, Any]]) -> Any:
        import pyarrow as pa

        pieces = []
        for b in range(start // BLOCK, max(-(-stop // BLOCK), start // BLOCK + 1)):
            if b not in held:  # whole blocks only: chance is drawn row by row, but not column by column
                held.clear()
                held[b] = self.law.draw(np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(b,))))
            inside = slice(max(start - b * BLOCK, 0), max(stop - b * BLOCK, 0))
            pieces.append(pa.table({name: values[inside] for name, values in held[b].items()}))
        return pa.concat_tables(pieces).combine_chunks()

    def __repr__(self) -> str:
        said = ", ".join(f"{k}={v!r}" for k, v in self.parameters.items())
        return f"<World {self.name}: {self.n:,} rows, {said}, random_state={self.seed}>"


@dataclass(frozen=True, eq=False)
class _Cells:
    """Draws from a mixture of normal laws. `columns` are the table's, in order; those with labels come from the cell."""

    names: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[Cell, ...]

    def draw(self, chance: np.random.Generator) -> dict[str, Any]:
        e = chance.standard_normal((BLOCK, self.cells[0].root.shape[1]))
        cell = np.searchsorted(np.cumsum([c.share for c in self.cells])[:-1], chance.random(BLOCK), side="right")
        values = np.empty((BLOCK, len(self.names)))
        for k, c in enumerate(self.cells):
            values[cell == k] = c.mean + e[cell == k] @ c.root.T
        found: dict[str, Any] = {}
        for name in self.columns:
            if name in self.cells[0].labels:
                found[name] = np.array([c.labels[name] for c in self.cells])[cell]
            else:
                found[name] = values[:, self.names.index(name)]
        return found


@dataclass(frozen=True, eq=False)
class _Spread:
    """Draws x = slope s + exp(spread s / 2) η: the variance of x depends on s, its residual is uncorrelated with s."""

    d_x: int
    slope: float
    spread: float
    beta: float
    effect: float
    sigma: float

    def draw(self, chance: np.random.Generator) -> dict[str, Any]:
        s = chance.standard_normal(BLOCK)
        x = self.slope * s[:, None] + np.exp(self.spread * s / 2)[:, None] * chance.standard_normal((BLOCK, self.d_x))
        y = self.beta * x.sum(axis=1) + self.effect * s + self.sigma * chance.standard_normal(BLOCK)
        return {"s1": s, **{f"x{j + 1}": x[:, j] for j in range(self.d_x)}, "y": y}


# Generators


def make_two_stage(
    n: int = 1000,
    d_x: int = 5,
    d_z: int = 5,
    d_s: int = 1,
    sigma_eta_s: float = 0.3,
    sigma_s: float = 1.0,
    sigma_eta: float = 1.0,
    sigma_z: float = 1.0,
    sigma_epsilon: float = 3.0,
    *,
    beta_x: float = 0.5,
    beta_z: float = 0.5,
    beta_s: float = 0.2,
    noise: str = "variance",
    random_state: Any = None,
) -> World:
    """The paper's generating process (section 5.1), with the paper's parameters as defaults.

    y = Σ beta_x x + Σ beta_z z + ε, x = Σ beta_s s + η, z ~ N(0, sigma_z), ε ~ N(0, sigma_epsilon). (η, s) is jointly normal, with
    variances sigma_eta and sigma_s, and every covariance between η and s is sigma_eta_s: a law only where
    sigma_s sigma_eta > d_x d_s sigma_eta_s².

    `noise="deviation"` reads sigma_z and sigma_epsilon as standard deviations instead of variances (the paper writes N(0, σ)).
    The joint law of (η, s) is a covariance matrix in either case.

    >>> truth = make_two_stage().truth
    >>> round(truth.ols.cc, 3), round(truth.ols.rmse, 3), round(truth.two_stage.rmse, 3)
    (0.668, 1.732, 2.136)
    """
    n, d_x, d_z, d_s = _whole("n", n, 1), _whole("d_x", d_x, 1), _whole("d_z", d_z, 0), _whole("d_s", d_s, 1)
    for name, value in (("sigma_s", sigma_s), ("sigma_eta", sigma_eta)):
        _above_zero(name, value)
    for name, value in (("sigma_z", sigma_z), ("sigma_epsilon", sigma_epsilon)):
        _above_zero(name, value, or_zero=name == "sigma_epsilon")
    if noise not in ("variance", "deviation"):
        raise ParameterError(f'noise must be "variance" or "deviation". Got {noise!r} instead.')
    _finite(sigma_eta_s=sigma_eta_s, beta_x=beta_x, beta_z=beta_z, beta_s=beta_s)
    _positive_definite(d_x, d_s, sigma_eta_s, sigma_s, sigma_eta)
    deviation = math.sqrt if noise == "variance" else float
    # Every column as a combination of independent standard normals: those of (η, s), of z, of ε.
    joint = np.diag([sigma_eta] * d_x + [sigma_s] * d_s).astype(float)
    joint[:d_x, d_x:] = joint[d_x:, :d_x] = sigma_eta_s
    d = d_x + d_s
    both = np.hstack([np.linalg.cholesky(joint), np.zeros((d, d_z + 1))])
    s = both[d_x:]
    x = both[:d_x] + beta_s * s.sum(axis=0)
    z = np.zeros((d_z, d + d_z + 1))
    z[:, d:-1] = deviation(sigma_z) * np.eye(d_z)
    y = beta_x * x.sum(axis=0) + beta_z * z.sum(axis=0)
    y[-1] = deviation(sigma_epsilon)
    parameters = {
        **{"d_x": d_x, "d_z": d_z, "d_s": d_s, "sigma_eta_s": sigma_eta_s, "sigma_s": sigma_s, "sigma_eta": sigma_eta},
        **{"sigma_z": sigma_z, "sigma_epsilon": sigma_epsilon, "beta_x": beta_x, "beta_z": beta_z, "beta_s": beta_s},
        "noise": noise,
    }
    return _normal("two_stage", n, random_state, parameters, s=s, x=x, z=z, y=y)


def make_numeric_s(
    n: int = 1000,
    d_x: int = 5,
    *,
    slope: float = 0.5,
    spread: float = 0.5,
    beta: float = 0.5,
    effect: float = 0.5,
    sigma: float = 1.0,
    random_state: Any = None,
) -> World:
    """A numeric s on which the spread of x depends: x = slope s + exp(spread s / 2) η, y = beta Σx + effect s + sigma ε.

    The residual of x is uncorrelated with s and not independent of it; `truth.more["cc_of_squares"]` is the correlation
    of s with a squared residual.
    """
    n, d_x = _whole("n", n, 1), _whole("d_x", d_x, 1)
    _finite(slope=slope, spread=spread, beta=beta, effect=effect)
    _above_zero("sigma", sigma)
    names = ("s1", *(f"x{j + 1}" for j in range(d_x)), "y")
    e_variance = math.exp(spread**2 / 2)  # E[exp(spread s)]
    root = np.zeros((d_x + 2, d_x + 2))  # the same second moments as of a normal law with this root
    root[0, 0] = 1.0
    root[1:-1, 0], root[1:-1, 1:-1] = slope, math.sqrt(e_variance) * np.eye(d_x)
    root[-1] = beta * root[1:-1].sum(axis=0) + effect * root[0]
    root[-1, -1] = sigma
    squares = spread / math.sqrt(3 * math.exp(spread**2) - 1)
    truth = Truth(names, ("s", *"x" * d_x, "y"), np.zeros(d_x + 2), root @ root.T, more={"cc_of_squares": abs(squares)})
    parameters = {"d_x": d_x, "slope": slope, "spread": spread, "beta": beta, "effect": effect, "sigma": sigma}
    law = _Spread(d_x, slope, spread, beta, effect, sigma)
    return World("numeric_s", n, "y", ("s1",), (), None, truth, parameters, _seed(random_state), law)


def make_interactions(
    n: int = 1000,
    d_x: int = 5,
    *,
    interaction: float = 1.0,
    association: float = 0.1,
    beta: float = 0.5,
    sigma: float = 1.0,
    random_state: Any = None,
) -> World:
    """Two categories as s, associated with each other, whose product shifts x and y beyond their sum.

    sex (f, m) and origin (a, b) have probabilities .25 + association where m meets b or f meets a, .25 - association elsewhere.
    x = .4 [m] + .6 [b] + interaction [m and b] + η, y = beta Σx + .5 [m] + interaction [m and b] + sigma ε.
    2SDR on both takes out the sum; `truth.means()` tells what is left in each of the four cells.
    """
    n, d_x = _whole("n", n, 1), _whole("d_x", d_x, 1)
    _finite(interaction=interaction, beta=beta)
    _above_zero("sigma", sigma)
    if not -0.25 < association < 0.25:
        raise ParameterError(f"association must be between -.25 and .25. Got {association} instead.")
    names = ("sex=m", "origin=b", *(f"x{j + 1}" for j in range(d_x)), "y")
    cells = []
    for m, b in ((0, 0), (0, 1), (1, 0), (1, 1)):
        shift = 0.4 * m + 0.6 * b + interaction * m * b
        mean = np.array([m, b, *[shift] * d_x, beta * d_x * shift + 0.5 * m + interaction * m * b])
        labels = {"sex": "fm"[m], "origin": "ab"[b]}
        cells.append(Cell(labels, 0.25 + association * (1 if m == b else -1), mean, _outcome_root(2, d_x, beta, sigma)))
    truth = _mixture(names, "ss" + "x" * d_x + "y", cells)
    parameters = {
        "d_x": d_x,
        "interaction": interaction,
        "association": association,
        "beta": beta,
        "sigma": sigma,
    }
    return _of_cells("interactions", n, random_state, parameters, truth, ("sex", "origin"))


def make_near_copies(
    n: int = 1000,
    copies: int = 2,
    d_x: int = 3,
    *,
    distance: float = 0.05,
    correlation: float = 0.6,
    gamma: float = 1.0,
    effect: float = 1.0,
    sigma: float = 1.0,
    random_state: Any = None,
) -> World:
    """Near-copies of z among x: the first `copies` columns of x are z + distance η. z correlates with s.

    The other d_x columns are .5 s + η; y = gamma z + effect s + .5 (their sum) + sigma ε. Read raw, z less its copies' residual is s again,
    so 2SDR removes little (`truth.raw`); the other readings hold z in stage 1.
    """
    n, copies, d_x = _whole("n", n, 1), _whole("copies", copies, 1), _whole("d_x", d_x, 0)
    _finite(gamma=gamma, effect=effect)
    _above_zero("distance", distance)
    _above_zero("sigma", sigma)
    _between("correlation", correlation, -1, 1)
    d = 3 + copies + d_x  # s, what z has of its own, η, ε
    s, z = np.eye(1, d), np.zeros((1, d))
    z[0, :2] = correlation, math.sqrt(1 - correlation**2)
    x = np.zeros((copies + d_x, d))
    x[:copies] = z
    x[copies:, 0] = 0.5
    x[:, 2:-1] += np.diag([distance] * copies + [1.0] * d_x)
    y = gamma * z[0] + effect * s[0] + 0.5 * x[copies:].sum(axis=0)
    y[-1] = sigma
    parameters = {
        **{"copies": copies, "d_x": d_x, "distance": distance, "correlation": correlation, "gamma": gamma},
        **{"effect": effect, "sigma": sigma},
    }
    return _normal("near_copies", n, random_state, parameters, s=s, x=x, z=z, y=y)


def make_idle_z(
    n: int = 1000,
    d_x: int = 3,
    *,
    correlation: float = 0.7,
    effect: float = 1.0,
    sigma: float = 1.0,
    random_state: Any = None,
) -> World:
    """A z without any effect on y, correlated with s: y = effect s + .5 Σx + sigma ε, x = .5 s + η.

    Controlled, the disparity goes (`truth.two_stage.cc` is 0). Read jointly, z takes over the effect of s, and the
    disparity returns and looks explained (`truth.joint`).
    """
    n, d_x = _whole("n", n, 1), _whole("d_x", d_x, 1)
    _finite(effect=effect)
    _above_zero("sigma", sigma)
    _between("correlation", correlation, -1, 1)
    d = 3 + d_x
    s, z, x = np.eye(1, d), np.zeros((1, d)), np.zeros((d_x, d))
    z[0, :2] = correlation, math.sqrt(1 - correlation**2)
    x[:, 0], x[:, 2:-1] = 0.5, np.eye(d_x)
    y = effect * s[0] + 0.5 * x.sum(axis=0)
    y[-1] = sigma
    parameters = {"d_x": d_x, "correlation": correlation, "effect": effect, "sigma": sigma}
    return _normal("idle_z", n, random_state, parameters, s=s, x=x, z=z, y=y)


def make_unequal_groups(
    n: int = 1000,
    shares: Sequence[float] = (0.7, 0.25, 0.049, 0.001),
    d_x: int = 5,
    *,
    gap: float = 1.0,
    beta: float = 0.5,
    sigma: float = 1.0,
    random_state: Any = None,
) -> World:
    """Groups of very unequal size: group g0 has shares[0] of the population, g1 shares[1], and so on.

    x = gap k / (groups - 1) + η in group k, y = beta Σx + gap k / (groups - 1) + sigma ε. The smallest group may have no row at all.
    """
    n, d_x = _whole("n", n, 1), _whole("d_x", d_x, 1)
    _finite(gap=gap, beta=beta)
    _above_zero("sigma", sigma)
    shares = tuple(float(share) for share in shares)
    if len(shares) < 2 or min(shares) <= 0 or not math.isclose(sum(shares), 1.0, abs_tol=1e-9):
        raise ParameterError(f"shares must be two or more positive numbers with sum 1. Got {shares} instead.")
    names = (*(f"group=g{k}" for k in range(1, len(shares))), *(f"x{j + 1}" for j in range(d_x)), "y")
    root = _outcome_root(len(shares) - 1, d_x, beta, sigma)
    cells = []
    for k, share in enumerate(shares):
        shift = gap * k / (len(shares) - 1)
        who = [float(k == j) for j in range(1, len(shares))]
        mean = np.array([*who, *[shift] * d_x, beta * d_x * shift + shift])
        cells.append(Cell({"group": f"g{k}"}, share, mean, root))
    truth = _mixture(names, "s" * (len(shares) - 1) + "x" * d_x + "y", cells)
    parameters = {"shares": shares, "d_x": d_x, "gap": gap, "beta": beta, "sigma": sigma}
    return _of_cells("unequal_groups", n, random_state, parameters, truth, ("group",))


def make_binary_y(
    n: int = 1000,
    base_rates: Sequence[float] = (0.2, 0.5),
    d_x: int = 5,
    *,
    shares: Sequence[float] | None = None,
    signal: float = 0.5,
    shift: float = 0.5,
    random_state: Any = None,
) -> World:
    """y is 0 or 1, with a known rate of 1 in each group: base_rates[0] in g0, base_rates[1] in g1, and so on.

    x = signal y + shift k + η in group k: given y and the group, x is normal, so that the share of each cell above any threshold is known
    (`truth.above`). `shares` are the groups' shares, equal ones by default. `truth.more["base_rates"]` maps groups to rates.
    """
    n, d_x = _whole("n", n, 1), _whole("d_x", d_x, 1)
    _finite(signal=signal, shift=shift)
    rates = tuple(float(rate) for rate in base_rates)
    if len(rates) < 2 or not all(0 < rate < 1 for rate in rates):
        raise ParameterError(f"base_rates must be two or more numbers between 0 and 1. Got {rates} instead.")
    of = tuple(1 / len(rates) for _ in rates) if shares is None else tuple(float(share) for share in shares)
    if len(of) != len(rates) or min(of) <= 0 or not math.isclose(sum(of), 1.0, abs_tol=1e-9):
        raise ParameterError(f"shares must be {len(rates)} positive numbers with sum 1, one a group. Got {of} instead.")
    names = (*(f"group=g{k}" for k in range(1, len(rates))), *(f"x{j + 1}" for j in range(d_x)), "y")
    root = np.zeros((len(names), d_x))
    root[len(rates) - 1 : -1] = np.eye(d_x)
    cells = []
    for k, rate in enumerate(rates):
        for y in (0, 1):
            who = [float(k == j) for j in range(1, len(rates))]
            mean = np.array([*who, *[signal * y + shift * k] * d_x, y])
            cells.append(Cell({"group": f"g{k}", "y": y}, of[k] * (rate if y else 1 - rate), mean, root))
    by_group = {f"g{k}": rate for k, rate in enumerate(rates)}
    truth = _mixture(names, "s" * (len(rates) - 1) + "x" * d_x + "y", cells, base_rates=by_group)
    parameters = {"base_rates": rates, "d_x": d_x, "shares": of, "signal": signal, "shift": shift}
    return _of_cells("binary_y", n, random_state, parameters, truth, ("group",), positive=1)


# What they share


def _normal(
    name: str,
    n: int,
    random_state: Any,
    parameters: Mapping[str, Any],
    *,
    s: Array,
    x: Array,
    z: Array,
    y: Array,
) -> World:
    columns = {letter: tuple(f"{letter}{j + 1}" for j in range(len(b))) for letter, b in (("s", s), ("x", x), ("z", z))}
    names = (*columns["s"], *columns["x"], *columns["z"], "y")
    root = np.vstack([s, x, z, y[None, :]])
    cell = Cell({}, 1.0, np.zeros(len(names)), root)
    truth = _mixture(names, "s" * len(s) + "x" * len(x) + "z" * len(z) + "y", [cell])
    law = _Cells(names, names, (cell,))
    return World(name, n, "y", columns["s"], columns["z"], None, truth, parameters, _seed(random_state), law)


def _of_cells(
    name: str,
    n: int,
    random_state: Any,
    parameters: Mapping[str, Any],
    truth: Truth,
    groups: tuple[str, ...],
    positive: object = None,
) -> World:
    columns = (*groups, *(c for c, block in zip(truth.names, truth.blocks, strict=True) if block == "x"), "y")
    law = _Cells(truth.names, columns, truth.cells)
    return World(name, n, "y", groups, (), positive, truth, parameters, _seed(random_state), law)


def _outcome_root(d_s: int, d_x: int, beta: float, sigma: float) -> Array:
    """Within a cell s is fixed, x has unit variances, and y = beta Σx + sigma ε."""
    root = np.zeros((d_s + d_x + 1, d_x + 1))
    root[d_s:-1, :-1] = np.eye(d_x)
    root[-1] = [*[beta] * d_x, sigma]
    return root


def _positive_definite(d_x: int, d_s: int, sigma_eta_s: float, sigma_s: float, sigma_eta: float) -> None:
    needed, given = d_x * d_s * sigma_eta_s**2, sigma_s * sigma_eta
    if given > needed * (1 + 1e-12):  # at the bound itself, rounding would decide
        return
    bound = math.sqrt(given / (d_x * d_s))
    raise ParameterError(
        "The joint covariance of (eta, s) is positive definite if and only if sigma_s * sigma_eta > d_x * d_s * sigma_eta_s**2, "
        f"but {given:g} is not above {needed:g}. With the other parameters as they are: |sigma_eta_s| < {bound:.4g}, or "
        f"d_x * d_s < {given / sigma_eta_s**2:.4g}, or sigma_s > {needed / sigma_eta:.4g}."
    )


def _seed(random_state: Any) -> int:
    """One whole number from None, a whole number, a Generator or a RandomState; kept, so that every pass sees the same rows."""
    if random_state is None:
        return int(np.random.SeedSequence().generate_state(1, np.uint64)[0])
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**63))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    return _whole("random_state", random_state, 0)


def _whole(name: str, value: Any, least: int) -> int:
    try:
        found = operator.index(value)
    except TypeError:
        found = least - 1
    if found < least or isinstance(value, bool):
        raise ParameterError(f"{name} must be a whole number, {least} or more. Got {value!r} instead.")
    return found


def _above_zero(name: str, value: float, or_zero: bool = False) -> None:
    _finite(**{name: value})
    if not (value > 0 or (or_zero and value == 0)):
        raise ParameterError(f"{name} must be above 0{' or 0' * or_zero}. Got {value} instead.")


def _between(name: str, value: float, low: float, high: float) -> None:
    if not low < value < high:
        raise ParameterError(f"{name} must be between {low} and {high}. Got {value} instead.")


def _finite(**values: Any) -> None:
    for name, value in values.items():
        try:
            fine = math.isfinite(value)
        except TypeError:
            fine = False
        if not fine:
            raise ParameterError(f"{name} must be a finite number. Got {value!r} instead.")
