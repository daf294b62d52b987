"""How the cost of a fit grows with rows, columns, folds and penalties: slopes, and a plot beside the results."""

import os
import warnings
from functools import partial

import numpy as np

from benchmarks.core import table
from benchmarks.harness import ROOT, Result, interleaved

QUICK = os.environ.get("QUICK", "") not in ("", "0")
# What is varied, over which values, and from which base.
BASE = {"n": 200_000, "d": 50, "folds": 10, "alphas": 25}
VARIED = {
    "n": (50_000, 100_000, 200_000, 400_000, 800_000),
    "d": (25, 50, 100, 200),
    "folds": (2, 5, 10, 20, 40),
    "alphas": (2, 10, 100, 1000),
}
PLOT = ROOT / "benchmarks" / "growth.svg"


def measured(name: str, values: tuple[int, ...]) -> dict[int, float]:
    """Least seconds of a fit for each value of one setting."""
    from twosdr import TwoStageRegressor

    tasks = {}
    for value in values:
        at = BASE | {name: value}
        X, y = table(at["n"], at["d"])
        model = TwoStageRegressor(sensitive=[0], alphas=np.logspace(-3, 6, at["alphas"]), cv=at["folds"])
        tasks[str(value)] = partial(model.fit, X, y)
    least = interleaved(tasks, repeats=5)
    return {value: least[str(value)] for value in values}


def slope(seconds: dict[int, float]) -> float:
    """The exponent: 1 where the cost is linear."""
    return float(np.polyfit(np.log(list(seconds)), np.log(list(seconds.values())), 1)[0])


def plot(found: dict[str, dict[int, float]]) -> None:
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, len(found), figsize=(12, 3), sharey=True, layout="constrained")
    for axis, (name, seconds) in zip(axes, found.items(), strict=True):
        axis.plot(list(seconds), list(seconds.values()), marker="o")
        axis.set(xscale="log", yscale="log", xlabel=name, title=f"exponent {slope(seconds):.2f}")
    axes[0].set_ylabel("seconds of a fit")
    figure.suptitle("Otherwise " + ", ".join(f"{name} = {value}" for name, value in BASE.items()) + "; one thread")
    figure.savefig(PLOT, metadata={"Date": None})
    pyplot.close(figure)


def run() -> list[Result]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        names = ("n", "folds") if QUICK else tuple(VARIED)
        found = {name: measured(name, VARIED[name][:4] if QUICK else VARIED[name]) for name in names}
    if not QUICK:
        plot(found)

    def said(name: str) -> str:
        return ", ".join(f"{value}: {t * 1e3:.0f} ms" for value, t in found[name].items())

    results = [Result.at_most("rows: exponent", slope(found["n"]), 1.1, note=said("n"), advisory=not QUICK)]
    if "d" in found:
        results.append(Result.at_most("columns: exponent", slope(found["d"]), 2.0, note=said("d"), advisory=True))
    folds = found["folds"]
    results.append(
        Result.at_most(
            "10 folds / 2", folds[10] / folds[2], 2.0 if QUICK else 1.25, note=said("folds"), advisory=not QUICK
        )
    )
    if "alphas" in found:
        alphas = found["alphas"]
        results.append(
            Result.at_most("1000 alphas / 10", alphas[1000] / alphas[10], 1.3, note=said("alphas"), advisory=True)
        )
    return results
