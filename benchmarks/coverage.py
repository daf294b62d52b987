"""How often the intervals of the metrics hold what they promise: `python -m benchmarks.coverage` prints the table of docs/metrics.md.

Each case draws its worlds from a distribution whose truth is known in closed form, and asks the metric for a 95 % interval. Signed
quantities are looked at where the metric folds them, since folding can only hide a miss; "folded" lines are the metric as called.
A share of `RUNS` is itself uncertain: a bar is missed when the share lies beyond it by more than two of its own standard errors.
"""

import argparse
import math
import sys
import time
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

RUNS = 4000
SIZES = (200, 1000, 10_000)
NORMAL = NormalDist()

Draw = Callable[[np.random.Generator, int, int], np.ndarray]  # (chance, n, runs) -> which runs covered


@dataclass(frozen=True)
class Case:
    """A world, the sizes it is drawn at, and the share of runs that has to hold at each."""

    metric: str
    world: str
    draw: Draw
    sizes: tuple[int, ...] = SIZES
    least: float = 0.93
    most: float = 0.97
    least_at_200: float = 0.91

    def bar(self, n: int) -> tuple[float, float]:
        # At 200 rows, 20 of them in the smaller group, only the lower end is asked for.
        return (self.least_at_200, 1.0) if n <= 200 else (self.least, self.most)


@dataclass(frozen=True)
class Coverage:
    case: Case
    n: int
    share: float
    error: float
    runs: int

    @property
    def holds(self) -> bool:
        low, high = self.case.bar(self.n)
        return low - 2 * self.error <= self.share <= high + 2 * self.error


def measure(case: Case, n: int, runs: int = RUNS) -> Coverage:
    """The share of runs whose interval holds the truth; the seed follows from the case's name."""
    chance = np.random.default_rng(zlib.crc32(f"{case.metric} {case.world} {n}".encode()))
    held = case.draw(chance, n, runs)
    share = float(np.mean(held))
    return Coverage(case, n, share, math.sqrt(max(share * (1 - share), 0.25 / len(held)) / len(held)), len(held))


def each(one: Callable[[np.random.Generator, int], tuple[float, float, float]]) -> Draw:
    """Runs one by one: `one` gives (low, truth, high)."""

    def draw(chance: np.random.Generator, n: int, runs: int) -> np.ndarray:
        found = np.array([one(chance, n) for _ in range(runs)])
        return (found[:, 0] <= found[:, 1]) & (found[:, 1] <= found[:, 2])

    return draw


# The P%-rule


def ratio_of(q1: float, q0: float, part: float, folded: bool = False) -> Draw:
    """Two groups, one of them that part of the rows; counts are all that the metric sees, so counts are drawn."""
    from twosdr.metrics import _intervals as ci

    def draw(chance: np.random.Generator, n: int, runs: int) -> np.ndarray:
        n1 = round(part * n)
        x1, x0 = chance.binomial(n1, q1, runs), chance.binomial(n - n1, q0, runs)
        low, high = ci.ratio(x1, n1, x0, n - n1, 0.95)
        truth = q1 / q0
        if folded:
            (low, high), truth = ci.fold_ratio(low, high), min(truth, 1 / truth)
        return (low <= truth) & (truth <= high)

    return draw


def clusters(chance: np.random.Generator, n: int, of: int, per_cluster_s: bool) -> tuple[np.ndarray, np.ndarray]:
    """Cluster codes of equal size `of`, and s: constant within a cluster, or different for its rows."""
    code = np.repeat(np.arange(n // of), of)
    s = (chance.random(n // of) < 0.4)[code] if per_cluster_s else chance.random(len(code)) < 0.4
    return code, s.astype(int)


def clustered_ratio(q1: float, q0: float, of: int, constant: bool) -> Draw:
    """Rates that vary between clusters (a beta distribution, intra-cluster correlation .1)."""
    from twosdr.metrics import _comparing
    from twosdr.metrics._contrasts import log_ratios

    def one(chance: np.random.Generator, n: int) -> tuple[float, float, float]:
        code, s = clusters(chance, n, of, constant)
        weight = 1 / 0.1 - 1
        base = chance.beta(q0 * weight, (1 - q0) * weight, n // of)[code]
        y = chance.random(len(code)) < np.where(s == 1, base * (q1 / q0), base)
        tally = _comparing.decisions(y, s=s, cluster=code)
        _, low, high = log_ratios(tally, 0.95)
        return float(low[0]), q0 / q1, float(high[0])

    return each(one)


def weighted_ratio(q1: float, q0: float) -> Draw:
    """Weights between 1 and 4 that go with the decision: the rates of the weighted population are others than those of the rows."""
    from twosdr.metrics import _comparing
    from twosdr.metrics._contrasts import log_ratios

    def truth(q: float) -> float:
        return 3 * q / (3 * q + 1.5 * (1 - q))  # the mean weight is 3 where selected, 1.5 elsewhere

    def one(chance: np.random.Generator, n: int) -> tuple[float, float, float]:
        s = np.repeat([1, 0], [n // 5, n - n // 5])
        y = chance.random(n) < np.where(s == 1, q1, q0)
        weight = np.where(y, 2 + 2 * chance.random(n), 1 + chance.random(n))
        _, low, high = log_ratios(_comparing.decisions(y, s=s, sample_weight=weight), 0.95)
        return float(low[0]), truth(q0) / truth(q1), float(high[0])

    return each(one)


def worst_of(rates: tuple[float, ...]) -> Draw:
    """Several groups of unequal size, folded: what the metric answers."""
    from twosdr.metrics import _comparing
    from twosdr.metrics._contrasts import worst_ratio

    share = np.arange(1, len(rates) + 1) / sum(range(1, len(rates) + 1))

    def one(chance: np.random.Generator, n: int) -> tuple[float, float, float]:
        s = np.repeat(np.arange(len(rates)), np.diff(np.round(np.cumsum([0, *share]) * n).astype(int)))
        y = chance.random(n) < np.array(rates)[s]
        found = worst_ratio(_comparing.decisions(y, s=np.array(list("abcdefghij"))[s]), 0.95, None, "rate")
        return _ends(found, min(rates) / max(rates))

    return each(one)


# Mean distance, AUC, correlation


def scores(chance: np.random.Generator, n: int, part: float, kind: str, shift: float) -> tuple[np.ndarray, np.ndarray]:
    n1 = round(part * n)
    s = np.repeat([1, 0], [n1, n - n1])
    noise = chance.normal(size=n)
    if kind == "skewed":
        noise = chance.exponential(size=n) - 1
    if kind == "heteroskedastic":
        noise = noise * np.where(s == 1, 3.0, 1.0)
    return noise + shift * s, s


def distance(kind: str, part: float) -> Draw:
    from twosdr.metrics import _comparing
    from twosdr.metrics._contrasts import difference

    def one(chance: np.random.Generator, n: int) -> tuple[float, float, float]:
        y, s = scores(chance, n, part, kind, 0.5)
        low, high = difference(_comparing.scores(y, s=s), 1, 0, 0.95, rates=False)
        return low, 0.5, high

    return each(one)


def weighted_distance() -> Draw:
    """Weights that grow with the score: of means 0 and .5 of a normal score, weighted by exp(y / 2), they are .5 and 1."""
    from twosdr.metrics import _comparing
    from twosdr.metrics._contrasts import difference

    def one(chance: np.random.Generator, n: int) -> tuple[float, float, float]:
        y, s = scores(chance, n, 0.2, "normal", 0.5)
        low, high = difference(_comparing.scores(y, s=s, sample_weight=np.exp(y / 2)), 1, 0, 0.95, rates=False)
        return low, 0.5, high

    return each(one)


def clustered_scores(chance: np.random.Generator, n: int, of: int, constant: bool) -> tuple[np.ndarray, ...]:
    """A shift of .5 by s, a variance of 1, a fifth of it between clusters."""
    code, s = clusters(chance, n, of, constant)
    y = 0.5 * s + math.sqrt(0.2) * chance.normal(size=n // of)[code] + math.sqrt(0.8) * chance.normal(size=len(code))
    return y, s, code


def clustered_distance(of: int, constant: bool) -> Draw:
    from twosdr.metrics import _comparing
    from twosdr.metrics._contrasts import difference

    def one(chance: np.random.Generator, n: int) -> tuple[float, float, float]:
        y, s, code = clustered_scores(chance, n, of, constant)
        low, high = difference(_comparing.scores(y, s=s, cluster=code), 1, 0, 0.95, rates=False)
        return low, 0.5, high

    return each(one)


def area(kind: str, part: float, shift: float, decimals: int | None = None) -> Draw:
    from twosdr.metrics import auc

    spread = math.hypot(3.0, 1.0) if kind == "heteroskedastic" else math.sqrt(2)
    truth = NORMAL.cdf(shift / spread)
    if decimals is not None:  # scores in steps of .5: the truth of the rounded score
        at = np.arange(-14, 20) / 2
        mass = [np.array([NORMAL.cdf(v - m + 0.25) - NORMAL.cdf(v - m - 0.25) for v in at]) for m in (shift, 0.0)]
        truth = float(mass[0] @ (np.cumsum(mass[1]) - mass[1] / 2))

    def one(chance: np.random.Generator, n: int) -> tuple[float, float, float]:
        y, s = scores(chance, n, part, kind, shift)
        found = auc(y if decimals is None else np.round(2 * y) / 2, s=s)
        low, high = found.interval or (1.0, 0.0)
        return low, truth, high

    return each(one)


def clustered_area(of: int, constant: bool) -> Draw:
    from twosdr.metrics import auc

    truth = NORMAL.cdf(0.5 / math.sqrt(2))

    def one(chance: np.random.Generator, n: int) -> tuple[float, float, float]:
        y, s, code = clustered_scores(chance, n, of, constant)
        low, high = auc(y, s=s, cluster=code).interval or (1.0, 0.0)
        return low, truth, high

    return each(one)


def linear(kind: str, slope: float) -> Draw:
    """ŷ = slope s + noise; heteroskedastic: the noise grows with |s|. Both have variance slope² + 1."""
    from twosdr.metrics import _reading as reading
    from twosdr.metrics.correlation import signed

    truth = slope / math.sqrt(slope**2 + 1)

    def one(chance: np.random.Generator, n: int) -> tuple[float, float, float]:
        s, noise = chance.normal(size=n), chance.normal(size=n)
        if kind == "skewed":
            s, noise = chance.exponential(size=n) - 1, chance.exponential(size=n) - 1
        if kind == "heteroskedastic":
            noise = noise * np.abs(s)
        low, high = signed(slope * s + noise, s, reading.beside(n)).interval
        return low, truth, high

    return each(one)


def clustered_linear(of: int) -> Draw:
    """s and ŷ both half between clusters; their correlation is .5."""
    from twosdr.metrics import _reading as reading
    from twosdr.metrics.correlation import signed

    def one(chance: np.random.Generator, n: int) -> tuple[float, float, float]:
        code = np.repeat(np.arange(n // of), of)
        among, within = chance.normal(size=(2, n // of))[:, code], chance.normal(size=(2, len(code)))
        a, b = (among + within) / math.sqrt(2)
        low, high = signed(0.5 * a + math.sqrt(0.75) * b, a, reading.beside(len(code), None, code)).interval
        return low, 0.5, high

    return each(one)


# The others


def shares(which: str) -> Draw:
    from twosdr.metrics import accuracy, balanced_accuracy
    from twosdr.metrics._comparing import decisions
    from twosdr.metrics._contrasts import difference

    def one(chance: np.random.Generator, n: int) -> tuple[float, float, float]:
        y = (np.arange(n) < n // 5).astype(int)
        right = chance.random(n) < np.where(y == 1, 0.7, 0.9)
        guess = np.where(right, y, 1 - y)
        if which == "accuracy":
            return _ends(accuracy(guess, y_true=y), 0.86)
        if which == "balanced_accuracy":
            return _ends(balanced_accuracy(guess, y_true=y), 0.8)
        low, high = difference(decisions(guess, s=y), 0, 1, 0.95, rates=True)
        return low, 0.1 - 0.7, high

    return each(one)


def _ends(found: object, truth: float) -> tuple[float, float, float]:
    low, high = found.interval or (1.0, 0.0)
    return low, truth, high


def fits(which: str) -> Draw:
    """A target, predictions of it, one explanatory column of each kind; noise grows with s."""
    from twosdr import metrics

    def one(chance: np.random.Generator, n: int) -> tuple[float, float, float]:
        s = chance.normal(size=n)
        z = 0.6 * s + 0.8 * chance.normal(size=n)
        noise = chance.normal(size=n) * np.sqrt((1 + s**2) / 2)
        y_hat = 0.5 * s + 0.7 * z + noise
        if which == "rmse":
            return _ends(metrics.rmse(y_hat, y_true=y_hat - noise), 1.0)
        if which == "r2":
            of_y = 0.25 + 0.49 + 2 * 0.35 * 0.6
            return _ends(metrics.r2(y_hat - noise, y_true=y_hat), of_y / (of_y + 1))
        if which == "multiple_r2":
            of_y = 0.25 + 0.49 + 2 * 0.35 * 0.6
            return _ends(metrics.multiple_r2(y_hat, s={"s": s, "z": z}), of_y / (of_y + 1))
        if which == "partial_correlation":
            return _ends(metrics.partial_correlation(y_hat, s=s, z=z), 0.5 * 0.8 / math.sqrt(0.25 * 0.64 + 1))
        y = 0.5 * s + 0.2 * z + chance.normal(size=n)
        found = metrics.explained_disparity(y_hat, s=s, z=z, y_true=y)
        truth = {"unexplained": 0.5, "explained": 0.42, "excess": 0.3}[which]
        return _ends(getattr(found, which), truth)

    return each(one)


def standardised(kind: str, part: float) -> Draw:
    from twosdr.metrics import _reading as reading
    from twosdr.metrics.standardised_difference import of_two

    truth = 0.5 / (math.sqrt(5) if kind == "heteroskedastic" else 1.0)

    def one(chance: np.random.Generator, n: int) -> tuple[float, float, float]:
        y, s = scores(chance, n, part, kind, 0.5)
        return _ends(of_two(y, s == 1, s == 0, reading.beside(n)), truth)

    return each(one)


def cases() -> list[Case]:
    rates = [(0.5, 0.5), (0.24, 0.3), (0.1, 0.1), (0.9, 0.9), (0.3, 0.6)]
    large = (1000, 10_000)
    return [
        *(Case("P% signed", f"rates {a} and {b}, small group 1/10", ratio_of(a, b, 0.1)) for a, b in rates),
        *(Case("P% signed", f"rates {a} and {b}, groups alike", ratio_of(a, b, 0.5)) for a, b in rates[:3]),
        *(
            Case("P% folded", f"rates {a} and {b}, small group 1/10", ratio_of(a, b, 0.1, True), most=1.0)
            for a, b in rates
        ),
        Case("P% signed", "clusters of 10, s constant in each", clustered_ratio(0.24, 0.3, 10, True), large),
        Case("P% signed", "clusters of 10, s varies in each", clustered_ratio(0.24, 0.3, 10, False), large),
        Case("P% signed", "50 clusters of 20, s constant in each", clustered_ratio(0.24, 0.3, 20, True), (1000,)),
        Case("P% signed", "weights that go with the decision", weighted_ratio(0.24, 0.3), (200, 1000)),
        Case("P% of 5 groups", "one rate of .3", worst_of((0.3,) * 5), large, most=1.0),
        Case("P% of 5 groups", "rates .2 to .4", worst_of((0.2, 0.25, 0.3, 0.35, 0.4)), large, most=1.0),
        Case("MD", "normal, small group 1/10", distance("normal", 0.1)),
        Case("MD", "skewed, small group 1/10", distance("skewed", 0.1)),
        Case("MD", "heteroskedastic, small group 1/10", distance("heteroskedastic", 0.1)),
        Case("MD", "weights that grow with the score", weighted_distance(), (1000,)),
        Case("MD", "clusters of 10, s constant in each", clustered_distance(10, True), large),
        Case("MD", "clusters of 10, s varies in each", clustered_distance(10, False), large),
        Case("MD", "50 clusters of 20, s constant in each", clustered_distance(20, True), (1000,)),
        Case("AUC", "normal, shift .5, small group 1/10", area("normal", 0.1, 0.5)),
        Case("AUC", "normal, shift 2, small group 1/10", area("normal", 0.1, 2.0)),
        Case("AUC", "normal, no shift, groups alike", area("normal", 0.5, 0.0)),
        Case("AUC", "ties (steps of .5), small group 1/10", area("normal", 0.1, 0.5, 1)),
        Case("AUC", "heteroskedastic, small group 1/10", area("heteroskedastic", 0.1, 0.5)),
        Case("AUC", "clusters of 10, s constant in each", clustered_area(10, True), large),
        Case("AUC", "50 clusters of 20, s varies in each", clustered_area(20, False), (1000,)),
        Case("CC", "normal, r = 0", linear("normal", 0.0)),
        Case("CC", "normal, r = .71", linear("normal", 1.0)),
        Case("CC", "skewed, r = .45", linear("skewed", 0.5)),
        Case("CC", "heteroskedastic, r = .45", linear("heteroskedastic", 0.5)),
        Case("CC", "clusters of 10, r = .5", clustered_linear(10), large),
        Case("CC", "50 clusters of 20, r = .5", clustered_linear(20), (1000,)),
        *(
            Case(which, "two classes, 1/5 positive", shares(which), (200, 1000))
            for which in ("accuracy", "balanced_accuracy")
        ),
        Case("parity_difference", "rates .1 and .7, signed", shares("difference"), (200, 1000)),
        Case(
            "standardised_difference",
            "heteroskedastic, small group 1/10, signed",
            standardised("heteroskedastic", 0.1),
            (200, 1000),
        ),
        *(
            Case(which, "noise grows with s", fits(which), (200, 1000))
            for which in ("rmse", "r2", "multiple_r2", "partial_correlation", "unexplained", "explained", "excess")
        ),
    ]


def line(found: Coverage) -> str:
    low, high = found.case.bar(found.n)
    bar = f"{low:g} to {high:g}" if high < 1 else f"at least {low:g}"
    verdict = "holds" if found.holds else "MISSED"
    words = [found.case.metric, found.case.world, f"{found.n}", f"{found.share:.3f} ± {found.error:.3f}", bar, verdict]
    return f"| {' | '.join(words)} |"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.coverage", description=__doc__)
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--metric", help="only cases whose metric begins so")
    chosen = parser.parse_args()
    start, broken = time.perf_counter(), False
    print("| metric | world | n | coverage | bar | |\n|---|---|---|---|---|---|")
    for case in cases():
        if chosen.metric and not case.metric.startswith(chosen.metric):
            continue
        for n in case.sizes:
            found = measure(case, n, chosen.runs)
            broken |= not found.holds
            print(line(found), flush=True)
    print(f"\n{chosen.runs} runs a line; {time.perf_counter() - start:.0f} s.")
    return int(broken)


if __name__ == "__main__":
    sys.exit(main())
