"""Figure 2: correlation and error of the baseline and of 2SDR on the synthetic process, along four of its parameters."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from dataclasses import dataclass, replace
from math import pi, sqrt
from typing import Any

import numpy as np
from sklearn.linear_model import LinearRegression

from twosdr import metrics
from twosdr.datasets import make_two_stage
from twosdr.datasets.synthetic import World
from twosdr.paper.drawing import FIRST, QUIET, SECOND, draw
from twosdr.paper.entries import Answers
from twosdr.paper.expected import expected
from twosdr.paper.methods import as_numbers, stage_one
from twosdr.paper.results import Claim, Drawing, Result
from twosdr.tables import Array

RUNS, QUICK = 100, 10
CHUNK = 25
FLOOR = 1.5  # times the mean |correlation| of two unrelated columns: what counts as none


@dataclass(frozen=True)
class Point:
    """Parameters of the process; the defaults are the paper's."""

    n: int = 1000
    d_x: int = 5
    sigma_eta_s: float = 0.3
    sigma_s: float = 1.0

    def world(self, seed: int) -> World:
        """Rows from these parameters."""
        return make_two_stage(self.n, self.d_x, sigma_eta_s=self.sigma_eta_s, sigma_s=self.sigma_s, random_state=seed)


# Up to the bounds within which the process is a law: sigma_s sigma_eta > d_x sigma_eta_s².
SWEEPS: dict[str, tuple[float, ...]] = {
    "n": (100, 200, 500, 1000, 2000, 5000, 10_000),
    "d_x": (1, 2, 3, 4, 5, 7, 9, 10, 11),
    "sigma_eta_s": (0.0, 0.1, 0.2, 0.3, 0.4, 0.44),
    "sigma_s": (0.46, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0),
}
LABELS = {"n": "n", "d_x": "$d_x$", "sigma_eta_s": "$\\sigma_{\\eta s}$", "sigma_s": "$\\sigma_s$"}


@dataclass(frozen=True)
class Runs:
    """Some of the runs at one point; the answer has a row (OLS CC, 2SDR CC, OLS RMSE, 2SDR RMSE) for each."""

    point: Point
    seed: int
    first: int
    last: int
    data: str = ""

    def run(self) -> Array:
        """Draw, fit on two thirds, measure on the rest."""
        found = []
        for k in range(self.first, self.last):
            world = self.point.world(int(np.random.SeedSequence([self.seed, k]).generate_state(1)[0]))
            cut = round(2 * self.point.n / 3)
            X, y = world.X, world.y
            here, there, s = X.slice(0, cut), X.slice(cut), X["s1"].to_numpy()[cut:]
            baseline = LinearRegression().fit(as_numbers(here), y[:cut])
            stage = stage_one(list(world.sensitive), list(world.explanatory), []).fit(here)
            second = LinearRegression().fit(stage.transform(here), y[:cut])
            both = baseline.predict(as_numbers(there)), second.predict(stage.transform(there))
            found.append(
                [
                    *(float(metrics.correlation(predicted, s=s)) for predicted in both),
                    *(float(metrics.rmse(predicted, y_true=y[cut:])) for predicted in both),
                ]
            )
        return np.array(found)


def point_at(name: str, value: float) -> Point:
    """The default point with one parameter changed."""
    changes: dict[str, Any] = {name: int(value) if name in ("n", "d_x") else value}
    return replace(Point(), **changes)


@dataclass(frozen=True)
class Figure2Entry:
    """Eight panels, and what the caption says of them."""

    id: str = "F2"

    def tasks(self, seed: int, quick: bool) -> list[Any]:
        """The runs at each point of each sweep; the default point belongs to all of them."""
        points = dict.fromkeys(point_at(name, value) for name, values in SWEEPS.items() for value in values)
        return [run for point in points for run in self._at(point, seed, quick)]

    def _at(self, point: Point, seed: int, quick: bool) -> list[Runs]:
        total = QUICK if quick else RUNS
        return [Runs(point, seed, a, min(a + CHUNK, total)) for a in range(0, total, CHUNK)]

    def finish(self, answers: Answers, seed: int, quick: bool) -> Result:
        """Means over the runs, beside what is expected on the whole population."""
        here, found = expected()[self.id], {}
        for name, values in SWEEPS.items():
            runs = [np.concatenate([answers[t] for t in self._at(point_at(name, v), seed, quick)]) for v in values]
            found[name] = (np.array([r.mean(axis=0) for r in runs]), np.array([r.std(axis=0, ddof=1) for r in runs]))
        total = QUICK if quick else RUNS
        return Result(
            self.id,
            "The synthetic process",
            here.printed,
            here.place,
            f"The process of section 5.1 with its default parameters, one of them changed at a time; {total} runs a point, 2/3 to train. "
            "N(0, σ) is read as a variance *inferred*: the joint law of (η, s) can only be read so. With sigma_epsilon as a deviation "
            'both errors are larger (make_two_stage(noise="deviation")). The sweeps go as far as the process is a law: '
            "sigma_s sigma_eta > d_x sigma_eta_s². Lines: expected on the whole population; dots: means of the runs; bars: deviation "
            "of a run; grey: the noise floor √(2/π)/√n_test, the mean |correlation| of unrelated columns.",
            words=here.words,
            drawings=(_panels(found, total),),
            claims=_claims(found, total),
        )


def floor(point: Point) -> float:
    """The mean |correlation| of two unrelated columns of as many rows as are tested."""
    return sqrt(2 / pi) / sqrt(point.n - round(2 * point.n / 3))


def _panels(found: dict[str, tuple[Array, Array]], total: int) -> Drawing:
    theory = {name: [point_at(name, v).world(0).truth for v in values] for name, values in SWEEPS.items()}

    def fill(axes: Any) -> None:
        for column, (name, values) in enumerate(SWEEPS.items()):
            mean, deviation = found[name]
            expects = theory[name]
            curves = [[t.ols.cc for t in expects], [t.joint.cc for t in expects]]
            curves += [[t.ols.rmse for t in expects], [t.joint.rmse for t in expects]]
            for j, curve in enumerate(curves):
                axis, colour = axes[j // 2, column], (FIRST, SECOND)[j % 2]
                axis.plot(values, curve, color=colour, linewidth=1)
                axis.errorbar(values, mean[:, j], deviation[:, j], fmt="o", color=colour, markersize=3, elinewidth=0.7,
                              label=("OLS", "2SDR")[j % 2])  # fmt: skip
            axes[0, column].plot(
                values, [floor(point_at(name, v)) for v in values], color=QUIET, linestyle=":", label="noise floor"
            )
            for row, what in enumerate(("CC", "RMSE")):
                axes[row, column].set_title(f"({'abcdefgh'[4 * row + column]}) {what}")
                axes[row, column].set_xlabel(LABELS[name])
                axes[row, column].set_xscale("log" if name in ("n", "sigma_s") else "linear")
        axes[0, 0].legend(fontsize=6)

    numbers = {
        name: {"at": list(values), "columns": ["OLS CC", "2SDR CC", "OLS RMSE", "2SDR RMSE"],
               "mean": found[name][0].tolist(), "sd": found[name][1].tolist()}
        for name, values in SWEEPS.items()
    }  # fmt: skip
    caption = f"CC (a-d) and RMSE (e-h) of OLS and 2SDR; {total} runs a point. Lines: theory."
    return draw("figure2", caption, (2, 4), (10.0, 4.6), fill, runs=total, **numbers)


def _claims(found: dict[str, tuple[Array, Array]], total: int) -> tuple[Claim, ...]:
    def quiet(name: str, i: int) -> bool:
        # Beyond what the number of runs can blur: two standard errors of the mean.
        mean, deviation = (part[i, 1] for part in found[name])
        return bool(mean <= FLOOR * floor(point_at(name, SWEEPS[name][i])) + 2 * deviation / sqrt(total))

    large = [i for i, n in enumerate(SWEEPS["n"]) if n >= 1000]
    sizes, sweep = SWEEPS["n"], found["sigma_eta_s"][0][:, 1]
    by_n = [found["n"][0][i, 1] / floor(point_at("n", sizes[i])) for i in large]
    seen = ", ".join(f"{found['n'][0][i, 1]:.3f}" for i in large)
    claims = [
        Claim.of(
            "with n from 1,000, 2SDR consistently removes the correlation of s and the prediction",
            f"mean CC {seen} at n = {', '.join(f'{sizes[i]:,.0f}' for i in large)}: "
            f"{min(by_n):.2f} to {max(by_n):.2f} times the noise floor, so nothing beyond chance where that is below {FLOOR}",
            all(quiet("n", i) for i in large),
        ),
        Claim.of(
            "2SDR is consistently fair regardless of the strength of the correlation between x and s",
            f"mean CC from {sweep.min():.3f} to {sweep.max():.3f} along sigma_eta_s, noise floor {floor(Point()):.3f}",
            all(quiet("sigma_eta_s", i) for i in range(len(sweep))),
        ),
    ]
    for name, said in (("d_x", "d_x"), ("sigma_eta_s", "Cov(x, s)"), ("sigma_s", "sigma_s")):
        gap = found[name][0][:, 3] - found[name][0][:, 2]
        least = SWEEPS[name][int(np.argmin(gap))]
        measured = f"the gap goes from {gap[0]:.2f} at {SWEEPS[name][0]:g} to {gap[-1]:.2f} at {SWEEPS[name][-1]:g}"
        if least != SWEEPS[name][0]:
            measured += f", and is least, {gap.min():.2f}, at {least:g}: it falls before it rises"
        claims.append(
            Claim.of(
                f"the larger {said} is, the larger is the gap in RMSE", measured, bool((np.diff(gap) > -0.02).all())
            )
        )
    return tuple(claims)


ENTRY = Figure2Entry()
