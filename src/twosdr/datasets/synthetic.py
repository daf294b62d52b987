"""Generators of worlds whose truth is known: the paper's process, and six others.

Each writes its law down as means and combinations of independent normals, from which both the rows and the truth follow.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from twosdr.datasets._asking import above_zero, between, finite, numbers, seed_of, whole
from twosdr.datasets.recipes import Array
from twosdr.datasets.truth import Cell, Truth, mixture
from twosdr.datasets.worlds import Spread, mixed_world, normal_world
from twosdr.datasets.worlds import World as World
from twosdr.errors import ParameterError


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
    n, d_x, d_z, d_s = whole("n", n, 1), whole("d_x", d_x, 1), whole("d_z", d_z, 0), whole("d_s", d_s, 1)
    for name, value in (("sigma_s", sigma_s), ("sigma_eta", sigma_eta)):
        above_zero(name, value)
    for name, value in (("sigma_z", sigma_z), ("sigma_epsilon", sigma_epsilon)):
        above_zero(name, value, or_zero=name == "sigma_epsilon")
    if noise not in ("variance", "deviation"):
        raise ParameterError(f'noise must be "variance" or "deviation". Got {noise!r} instead.')
    finite(sigma_eta_s=sigma_eta_s, beta_x=beta_x, beta_z=beta_z, beta_s=beta_s)
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
    return normal_world("two_stage", n, random_state, parameters, s=s, x=x, z=z, y=y)


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
    n, d_x = whole("n", n, 1), whole("d_x", d_x, 1)
    finite(slope=slope, beta=beta, effect=effect)
    between("spread", spread, -10, 10)  # far above, the variance of x is no number
    above_zero("sigma", sigma)
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
    law = Spread(d_x, slope, spread, beta, effect, sigma)
    return World("numeric_s", n, "y", ("s1",), (), None, truth, parameters, seed_of(random_state), law)


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
    n, d_x = whole("n", n, 1), whole("d_x", d_x, 1)
    finite(interaction=interaction, beta=beta)
    above_zero("sigma", sigma)
    between("association", association, -0.25, 0.25)
    names = ("sex=m", "origin=b", *(f"x{j + 1}" for j in range(d_x)), "y")
    cells = []
    for m, b in ((0, 0), (0, 1), (1, 0), (1, 1)):
        shift = 0.4 * m + 0.6 * b + interaction * m * b
        mean = np.array([m, b, *[shift] * d_x, beta * d_x * shift + 0.5 * m + interaction * m * b])
        labels = {"sex": "fm"[m], "origin": "ab"[b]}
        cells.append(Cell(labels, 0.25 + association * (1 if m == b else -1), mean, _outcome_root(2, d_x, beta, sigma)))
    truth = mixture(names, "ss" + "x" * d_x + "y", cells)
    parameters = {
        "d_x": d_x,
        "interaction": interaction,
        "association": association,
        "beta": beta,
        "sigma": sigma,
    }
    return mixed_world("interactions", n, random_state, parameters, truth, ("sex", "origin"))


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
    n, copies, d_x = whole("n", n, 1), whole("copies", copies, 1), whole("d_x", d_x, 0)
    finite(gamma=gamma, effect=effect)
    above_zero("distance", distance)
    above_zero("sigma", sigma)
    between("correlation", correlation, -1, 1)
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
    return normal_world("near_copies", n, random_state, parameters, s=s, x=x, z=z, y=y)


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
    n, d_x = whole("n", n, 1), whole("d_x", d_x, 1)
    finite(effect=effect)
    above_zero("sigma", sigma)
    between("correlation", correlation, -1, 1)
    d = 3 + d_x
    s, z, x = np.eye(1, d), np.zeros((1, d)), np.zeros((d_x, d))
    z[0, :2] = correlation, math.sqrt(1 - correlation**2)
    x[:, 0], x[:, 2:-1] = 0.5, np.eye(d_x)
    y = effect * s[0] + 0.5 * x.sum(axis=0)
    y[-1] = sigma
    parameters = {"d_x": d_x, "correlation": correlation, "effect": effect, "sigma": sigma}
    return normal_world("idle_z", n, random_state, parameters, s=s, x=x, z=z, y=y)


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
    n, d_x = whole("n", n, 1), whole("d_x", d_x, 1)
    finite(gap=gap, beta=beta)
    above_zero("sigma", sigma)
    shares = numbers("shares", shares)
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
    truth = mixture(names, "s" * (len(shares) - 1) + "x" * d_x + "y", cells)
    parameters = {"shares": shares, "d_x": d_x, "gap": gap, "beta": beta, "sigma": sigma}
    return mixed_world("unequal_groups", n, random_state, parameters, truth, ("group",))


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
    n, d_x = whole("n", n, 1), whole("d_x", d_x, 1)
    finite(signal=signal, shift=shift)
    rates = numbers("base_rates", base_rates)
    if len(rates) < 2 or not all(0 < rate < 1 for rate in rates):
        raise ParameterError(f"base_rates must be two or more numbers between 0 and 1. Got {rates} instead.")
    of = tuple(1 / len(rates) for _ in rates) if shares is None else numbers("shares", shares)
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
    truth = mixture(names, "s" * (len(rates) - 1) + "x" * d_x + "y", cells, base_rates=by_group)
    parameters = {"base_rates": rates, "d_x": d_x, "shares": of, "signal": signal, "shift": shift}
    return mixed_world("binary_y", n, random_state, parameters, truth, ("group",), positive=1)


# What they share


def _outcome_root(d_s: int, d_x: int, beta: float, sigma: float) -> Array:
    """Within a cell s is fixed, x has unit variances, and y = beta Σx + sigma ε."""
    root = np.zeros((d_s + d_x + 1, d_x + 1))
    root[d_s:-1, :-1] = np.eye(d_x)
    root[-1] = [*[beta] * d_x, sigma]
    return root


def _positive_definite(d_x: int, d_s: int, sigma_eta_s: float, sigma_s: float, sigma_eta: float) -> None:
    bound = (
        math.sqrt(sigma_s) * math.sqrt(sigma_eta) / math.sqrt(d_x * d_s)
    )  # roots first: products of tiny numbers are 0
    if abs(sigma_eta_s) * (1 + 1e-12) < bound:  # at the bound itself, rounding would decide
        return
    needed, given = d_x * d_s * (sigma_eta_s * sigma_eta_s), sigma_s * sigma_eta
    raise ParameterError(
        "The joint covariance of (eta, s) is positive definite if and only if sigma_s * sigma_eta > d_x * d_s * sigma_eta_s**2, "
        f"but {given:g} is not above {needed:g}. With the other parameters as they are: |sigma_eta_s| < {bound:.4g}, or "
        f"d_x * d_s < {d_x * d_s * (bound / sigma_eta_s) * (bound / sigma_eta_s):.4g}, or sigma_s > {needed / sigma_eta:.4g}."
    )
