"""What the laws share: tables that try to break them, and arithmetic that shares no code with the library.

A law is written once and runs twice: on a few tables in every run, on many under the mark `slow`.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
import scipy.linalg
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from twosdr import Moments, Residualizer, TwoStageRegressor, tables
from twosdr.engines import memory
from twosdr.roles import resolve
from twosdr.solve import Columns, decide_rank

Array = np.ndarray

EPS = float(np.finfo(np.float64).eps)
# A covariance that has to be zero, in deviations of both columns. Sums of a few hundred products round at 1e-14; sensitive
# columns that nearly repeat each other (condition 1e3) cost three digits more.
ZERO = 1e-11
# Two routes to one number, in its own scale, on tables of condition below 1e3: rounding times the condition squared at most.
SAME = 1e-10

FEW, MANY = 8, 60  # tables in every run, and under the mark


def law(
    few: int = FEW, many: int = MANY, *, shrink: bool = True, **strategies: st.SearchStrategy[Any]
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """`hypothesis.given`, on few tables and, marked slow, on many; other parameters are pytest's.

    few=0: only the slow one. Without `shrink` a failing table is shown as it was found: for tables that take seconds.
    """

    def wrap(test: Callable[..., None]) -> Callable[..., None]:
        def run(examples: int, **fixed: Any) -> None:
            found = given(**strategies)(test)
            phases = [phase for phase in Phase if shrink or phase is not Phase.shrink]
            settings(max_examples=examples, deadline=None, print_blob=True, phases=phases)(found)(**fixed)

        known = inspect.signature(test).parameters
        run.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
            [
                inspect.Parameter("examples", inspect.Parameter.POSITIONAL_OR_KEYWORD),
                *(p for name, p in known.items() if name not in strategies),
            ]
        )
        run.__name__, run.__doc__, run.__module__ = test.__name__, test.__doc__, test.__module__
        run.pytestmark = list(getattr(test, "pytestmark", []))  # type: ignore[attr-defined]
        examples = [*([few] if few else []), pytest.param(many, marks=pytest.mark.slow)]
        return pytest.mark.parametrize("examples", examples)(run)

    return wrap


@contextmanager
def expecting(*kinds: type[Warning]) -> Iterator[None]:
    """These warnings may come: the table was made to cause them."""
    with warnings.catch_warnings():
        for kind in kinds:
            warnings.simplefilter("ignore", kind)
        yield


# Tables


@dataclass(frozen=True, eq=False)
class Rows:
    """Blocks of rows, and the order in which their columns stand in the table."""

    s: Array
    x: Array
    z: Array
    y: Array
    weight: Array | None
    place: Array  # the table's column j is column place[j] of (s, x, z)

    @property
    def n(self) -> int:
        return len(self.s)

    @property
    def X(self) -> Array:
        return np.ascontiguousarray(np.hstack([self.s, self.x, self.z])[:, self.place])

    @property
    def target(self) -> Array:
        """y as a visitor passes it: flat when there is one."""
        return self.y[:, 0] if self.y.shape[1] == 1 else self.y

    def at(self, block: str) -> Array:
        """The table's columns that hold s, x or z, in the order of the block."""
        d_s, d_x, d_z = (b.shape[1] for b in (self.s, self.x, self.z))
        inside = {"s": range(d_s), "x": range(d_s, d_s + d_x), "z": range(d_s + d_x, d_s + d_x + d_z)}[block]
        return np.argsort(self.place)[list(inside)].astype(int)

    @property
    def roles(self) -> dict[str, list[int]]:
        # In the table's order, which is the one that the library keeps.
        return {"sensitive": sorted(self.at("s").tolist()), "explanatory": sorted(self.at("z").tolist())}

    def take(self, rows: Any) -> Rows:
        weight = None if self.weight is None else self.weight[rows]
        return replace(self, s=self.s[rows], x=self.x[rows], z=self.z[rows], y=self.y[rows], weight=weight)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:  # what hypothesis shows of a failing example
        printer.text(repr(self))

    def __repr__(self) -> str:
        sizes = ", ".join(f"{name} {getattr(self, name).shape[1]}" for name in "sxzy")
        return f"Rows({self.n} of {sizes}, {'un' * (self.weight is None)}weighted)"


@st.composite
def rows(
    draw: st.DrawFn,
    d_s: st.SearchStrategy[int] = st.integers(1, 4),  # noqa: B008
    d_x: st.SearchStrategy[int] = st.integers(1, 5),  # noqa: B008
    d_z: st.SearchStrategy[int] = st.just(0),  # noqa: B008
    d_y: st.SearchStrategy[int] = st.just(1),  # noqa: B008
    far: bool = False,
    weighted: bool | None = None,
    least: int = 40,
) -> Rows:
    """Rows in which everything depends on everything, with odd means.

    `far`: means up to 1e9 deviations, deviations from 1e-6 to 1e6; else both within a factor of ten of one.
    """
    sizes = [draw(d) for d in (d_s, d_x, d_z, d_y)]
    n = draw(st.integers(least, 3 * least))
    binary = draw(st.booleans())
    has_weight = draw(st.booleans()) if weighted is None else weighted
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    s, x, z, y = dependent(rng, n, *sizes, binary=binary)
    weight = rng.uniform(0.2, 3.0, n) if has_weight else None
    if far:
        deviations, means = draw(st.sampled_from([0, 3, 6])), draw(st.sampled_from([0, 3, 6, 9]))
        s, x, z, y = (moved(rng, block, deviations, means) for block in (s, x, z, y))
    else:
        s, x, z, y = (
            block * rng.uniform(0.3, 3.0, block.shape[1]) + odd(rng, block.shape[1]) for block in (s, x, z, y)
        )
    return Rows(s, x, z, y, weight, rng.permutation(sum(sizes[:3])))


def dependent(rng: np.random.Generator, n: int, d_s: int, d_x: int, d_z: int, d_y: int, *, binary: bool) -> list[Array]:
    """s, x, z and y of unit size, each depending on all before it; every other s has two values if binary, and is skewed."""
    common = rng.normal(size=(n, 1))
    s = rng.normal(size=(n, d_s)) + 0.7 * common
    if binary:
        s[:, ::2] = s[:, ::2] > rng.uniform(-0.8, 0.8)
        s[0, ::2], s[1, ::2] = 0.0, 1.0
    elif d_s > 1:
        s[:, 1] = np.exp(s[:, 1] / 2)
    z = rng.normal(size=(n, d_z)) + s @ rng.normal(size=(d_s, d_z))
    x = rng.normal(size=(n, d_x)) + s @ rng.normal(size=(d_s, d_x)) + z @ rng.normal(size=(d_z, d_x)) / 2
    y = rng.normal(size=(n, d_y)) + sum(b @ rng.normal(size=(b.shape[1], d_y)) for b in (s, z, x))
    return [s, x, z, y]


def odd(rng: np.random.Generator, d: int) -> Array:
    """Means that are no round numbers, and not alike."""
    return np.asarray(rng.uniform(1.0, 9.0, d) * rng.choice([-1.0, 1.0], d))


def moved(rng: np.random.Generator, block: Array, deviations: int, means: int) -> Array:
    """Columns with deviations up to 10^±deviations and means up to 10^means of them."""
    d = block.shape[1]
    scale = 10.0 ** rng.uniform(-deviations, deviations, d)
    return np.asarray((block + odd(rng, d) / 9.0 * 10.0 ** rng.uniform(0, means, d)) * scale)


def with_copies(data: Rows, kinds: set[str]) -> Rows:
    """The same rows with more sensitive columns that say nothing new; they stand behind all others in the table."""
    more = {
        "copy": data.s[:, :1],
        "minus": -data.s[:, -1:],
        "twice": 2.0 * data.s[:, :1],
        "constant": np.full((data.n, 1), 1e9 / 7.0),
        "sum": data.s.sum(axis=1, keepdims=True),
    }
    s = np.hstack([data.s, *(more[kind] for kind in sorted(kinds))])
    old, new = data.s.shape[1], s.shape[1]
    place = np.where(data.place < old, data.place, data.place + new - old)
    return replace(data, s=s, place=np.concatenate([place, np.arange(old, new)]))


# Fits


def source(data: Rows, cell: Array | None = None, n_cells: int = 1, X: Any = None) -> memory.Source:
    """The rows as an engine reads them."""
    table = tables.read(data.X if X is None else X)
    roles = resolve(table, **data.roles, weight=data.weight)
    names = tuple(f"y{j}" for j in range(data.y.shape[1]))
    cell_of = None if cell is None else lambda start, stop: cell[start:stop]
    return memory.Source(table, roles, data.y, names, data.weight, cell_of, n_cells)


def gathered(data: Rows, cell: Array | None = None, n_cells: int = 1, **how: Any) -> Moments:
    """The moments of the rows."""
    return memory.moments(source(data, cell, n_cells), **how)


def columns(m: Moments) -> Columns:
    """All columns of plain numbers, constants and dependent ones left out."""
    return decide_rank(m.total(), np.zeros(0, dtype=int), penalised=False).columns


def fitted(data: Rows, **asked: Any) -> TwoStageRegressor:
    """The public estimator, fitted on the rows."""
    return TwoStageRegressor(**data.roles, **asked).fit(data.X, data.target, sample_weight=data.weight)


def predicted(model: TwoStageRegressor, data: Rows) -> Array:
    """Its predictions for rows, shape (n, d_y)."""
    return np.asarray(model.predict(data.X)).reshape(data.n, -1)


def coefficients(model: TwoStageRegressor, data: Rows) -> tuple[Array, Array, Array]:
    """coef_ by block, each (d, d_y), in the order of the block."""
    coef = np.atleast_2d(model.coef_).T
    return coef[data.at("s")], coef[data.at("x")], coef[data.at("z")]


def residual(data: Rows, **asked: Any) -> Array:
    """u by the public transformer, in the order of x; raises if a column was left out."""
    u = Residualizer(**data.roles, **asked).fit(data.X, sample_weight=data.weight).transform(data.X)
    d_x = data.x.shape[1]
    assert u.shape == (data.n, d_x + data.z.shape[1])
    out = np.empty((data.n, d_x))
    out[:, np.argsort(data.at("x"))] = u[:, :d_x]
    return out


# Everything that may be asked of the closed form: with explanatory columns, and without.
ASKED_WITH_Z = [
    {"explanatory_mode": "controlled"},
    {"explanatory_mode": "joint"},
    {"explanatory_mode": "raw"},
    {"at_predict": "without"},
    {"goal": "discrimination_free"},
]
ASKED = [{}, {"at_predict": "without"}, {"goal": "discrimination_free"}]


def words(asked: dict[str, Any]) -> str:
    """An id for a test."""
    return "-".join(str(value) for value in asked.values()) or "parity"


# Arithmetic of our own


def centred(a: Array, weight: Array | None = None) -> Array:
    """a - mean in long double: near data the difference to the first row is exact, whatever the mean."""
    gap = np.asarray(a, dtype=np.longdouble) - a[0]
    w = np.ones(len(a)) if weight is None else weight
    w = np.asarray(w, dtype=np.longdouble)
    return np.asarray(gap - (w @ gap) / w.sum())


def cov(a: Array, b: Array, weight: Array | None = None) -> Array:
    """Weighted covariance of the columns of a and of b, in long double, rounded once."""
    w = np.asarray(np.ones(len(a)) if weight is None else weight, dtype=np.longdouble)
    return np.asarray((centred(a, weight) * w[:, None]).T @ centred(b, weight) / w.sum(), dtype=np.float64)


def spread(a: Array, weight: Array | None = None) -> Array:
    """The deviation of every column."""
    return np.sqrt(np.array([cov(a[:, [j]], a[:, [j]], weight)[0, 0] for j in range(a.shape[1])]))


def no_covariance(
    a: Array, b: Array, weight: Array | None = None, *, unit: Array | None = None, zero: float = ZERO
) -> None:
    """Assert Cov(a, b) = 0 as far as float64 can hold b.

    `unit` is the deviation that counts as one for b, its own by default. A column b whose entries are rounded to eps |b| cannot
    have a smaller covariance than that with anything, hence the second term.
    """
    unit = spread(b, weight) if unit is None else unit
    room = zero * unit + EPS * abs(b).max(axis=0)
    found = abs(cov(a, b, weight)) / spread(a, weight)[:, None]
    assert (found <= room).all(), f"Cov / deviation = {found}, room {room}"


def close(a: Array, b: Array, *, to: float, unit: Any = None) -> None:
    """Assert |a - b| <= to * unit; the unit is the largest |b| by default."""
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    assert a.shape == b.shape
    unit = (abs(b).max() if b.size else 1.0) if unit is None else unit
    gap = abs(a - b)
    assert (gap <= to * np.asarray(unit)).all(), (
        f"off by {np.max(gap / np.where(np.asarray(unit) > 0, unit, 1.0)):.2e} units"
    )


def same_moments(a: Moments, b: Moments, *, to: float, scale: Moments | None = None) -> None:
    """Assert that two moments are of the same rows, each entry in the deviations of its columns (in `scale`)."""
    assert (a.names, a.blocks, a.n_cells) == (b.names, b.blocks, b.n_cells)
    np.testing.assert_array_equal(a.count, b.count)
    close(a.weight, b.weight, to=to)
    whole = (b if scale is None else scale).total()
    sums = np.sqrt(np.diag(whole.scatter[0]))
    close(a.scatter, b.scatter, to=to, unit=np.outer(sums, sums))
    # An empty cell has no mean. In long double, or a mean without digits would be compared without digits.
    there = b.count > 0
    mean, expected = (m.shift.astype(np.longdouble) + m.delta for m in (a, b))
    gap = np.asarray(mean - expected, dtype=np.float64)
    deviation = sums / np.sqrt(whole.weight[0])
    assert (abs(gap[there]) <= to * deviation).all(), (
        f"means off by {np.max(abs(gap[there]) / deviation):.2e} deviations"
    )


def least_squares(features: Array, y: Array, penalty: Array | float = 0.0) -> Array:
    """argmin |y - features b|² + b' diag(penalty) b, by orthogonal steps on the rows."""
    below = np.diag(np.sqrt(np.broadcast_to(penalty, features.shape[1]).astype(float)))
    rows = np.vstack([features, below])
    size = np.linalg.norm(rows, axis=0)
    size = np.where(size > 0, size, 1.0)
    target = np.vstack([y, np.zeros((len(below), y.shape[1]))])
    return np.asarray(np.linalg.lstsq(rows / size, target, rcond=None)[0] / size[:, None])


@dataclass(frozen=True, eq=False)
class Reference:
    """Coefficients by block, and the means that they pass through."""

    s: Array
    x: Array
    z: Array
    u: Array  # effects of u, as stage 2 estimates them
    gamma: Array  # effects of z, likewise
    means: tuple[Array, Array, Array, Array]

    def predict(self, data: Rows) -> Array:
        s, x, z, y = self.means
        return np.asarray(y + (data.s - s) @ self.s + (data.x - x) @ self.x + (data.z - z) @ self.z)


def reference(
    data: Rows,
    *,
    goal: str = "parity",
    at_predict: str = "with",
    explanatory_mode: str | None = None,
    removal: float = 1.0,
    alphas: float = 0.0,
) -> Reference:
    """The design's algebra, row by row: both stages as least squares on rows, the constraint by its null space."""
    w = np.ones(data.n) if data.weight is None else data.weight
    root = np.sqrt(w)[:, None]
    means = tuple(
        np.average(b, axis=0, weights=w) if b.shape[1] else np.zeros(0) for b in (data.s, data.x, data.z, data.y)
    )
    s, x, z, y = ((b - mean) * root for b, mean in zip((data.s, data.x, data.z, data.y), means, strict=True))
    d_s, d_x, d_z, t = s.shape[1], x.shape[1], z.shape[1], 1.0 - removal
    plain = goal == "parity" and at_predict == "with"
    reading = explanatory_mode or ("controlled" if plain else "joint")
    B = least_squares(s if reading == "raw" else np.hstack([s, z]), x)
    B_s, B_z = B[:d_s], (np.zeros((d_z, d_x)) if reading == "raw" else B[d_s:])
    u = x - s @ B_s - z @ B_z
    price = alphas * np.concatenate([(u**2).sum(axis=0), (z**2).sum(axis=0)]) / w.sum()
    free = np.zeros(d_s)
    if goal == "discrimination_free":
        b = least_squares(np.hstack([s, u, z]), y, np.concatenate([free, price]))
        of_s, of_u, of_z = t * (b[:d_s] - B_s @ b[d_s : d_s + d_x]), b[d_s : d_s + d_x], b[d_s + d_x :]
        return Reference(of_s, of_u, of_z - B_z @ of_u, of_u, of_z, means)
    if at_predict == "without":
        # Coordinates (x - zB_z, z): s is not there, and is not to show.
        features = np.hstack([x - z @ B_z, z])
        shown = features.T @ (s - z @ least_squares(z, s))
        shown[d_x:] = 0.0  # z has no covariance with what it does not explain, and rounding is no constraint
        b_u = least_squares(features, y, price)
        size = np.linalg.norm(shown, axis=0)
        free_to_move = scipy.linalg.null_space((shown / np.where(size > 0, size, 1.0)).T)
        rows = np.vstack([features, np.diag(np.sqrt(price))]) @ free_to_move
        b_0 = free_to_move @ np.linalg.lstsq(rows, np.vstack([y, np.zeros((len(price), y.shape[1]))]), rcond=None)[0]
        b = b_0 + t * (b_u - b_0)
        return Reference(np.zeros((d_s, y.shape[1])), b[:d_x], b[d_x:] - B_z @ b[:d_x], b[:d_x], b[d_x:], means)
    if reading == "controlled":
        effects = least_squares(np.hstack([s, z]), y)
        of_s, of_z = t * effects[:d_s], effects[d_s:]
        of_u = least_squares(u, y, price[:d_x])
    else:
        everything = least_squares(np.hstack([s, u, z]), y, np.concatenate([free, price]))
        b_0 = np.vstack([np.zeros((d_s, y.shape[1])), least_squares(np.hstack([u, z]), y, price)])
        b = b_0 + t * (everything - b_0)
        of_s, of_u, of_z = b[:d_s], b[d_s : d_s + d_x], b[d_s + d_x :]
    return Reference(of_s - B_s @ of_u, of_u, of_z - B_z @ of_u, of_u, of_z, means)


def householder(A: Array) -> tuple[Array, Array]:
    """Q (orthonormal columns) and R of A, in long double."""
    A = np.array(A, dtype=np.longdouble)
    n, p = A.shape
    reflectors = []
    for j in range(p):
        v = A[j:, j].copy()
        size = np.sqrt(v @ v)
        v[0] += size if v[0] >= 0 else -size
        v /= np.sqrt(v @ v)
        A[j:, j:] -= np.multiply.outer(2 * v, v @ A[j:, j:])
        reflectors.append(v)
    Q = np.eye(n, p, dtype=np.longdouble)
    for j in range(p - 1, -1, -1):
        Q[j:] -= np.multiply.outer(2 * reflectors[j], reflectors[j] @ Q[j:])
    return Q, np.triu(A[:p])
