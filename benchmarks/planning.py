"""What a fit past this machine would take, from synthetic cells of a thousand columns: summing, merging, solving, and bytes."""

import math
import time
import warnings
from collections.abc import Callable

import numpy as np

from benchmarks.harness import Result

ROWS, COLUMNS, WORKERS, FOLDS, FAN_IN = 10**10, 1000, 1000, 10, 8
PIECE = 16_384  # rows that are really summed


def seconds(call: Callable[[], object]) -> float:
    call()
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def run() -> list[Result]:
    from twosdr import TwoStageRegressor
    from twosdr.moments import Moments

    chance = np.random.default_rng(0)
    X = chance.normal(size=(PIECE, COLUMNS))
    X[:, 0] = X[:, 0] > 0
    y = X @ chance.normal(size=COLUMNS) + chance.normal(size=PIECE)
    model = TwoStageRegressor(sensitive=[0], alphas=np.logspace(-3, 6, 25), cv=FOLDS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fit = seconds(lambda: model.fit(X, y))
        cell: Moments = model.moments_
        solve = seconds(lambda: TwoStageRegressor(alphas=model.alphas, cv=FOLDS).fit_from_moments(cell))
    merge = seconds(lambda: cell + cell)
    size = sum(getattr(cell, name).nbytes for name in ("shift", "weight", "count", "delta", "scatter"))
    summing = max(fit - solve, 0.0) / PIECE * ROWS / WORKERS
    rounds = math.ceil(math.log(WORKERS, FAN_IN))
    merging = rounds * (FAN_IN - 1) * merge
    what = f"{ROWS:.0e} rows x {COLUMNS} columns on {WORKERS} workers, {FOLDS} folds"
    return [
        reported(
            f"hours of summing, {what}",
            summing / 3600,
            f"{PIECE} rows take {fit - solve:.2f} s on one core; linear in rows",
        ),
        reported(
            "seconds of merging, a tree of eight",
            merging,
            f"{rounds} rounds of {FAN_IN - 1} sums of {merge * 1e3:.0f} ms; independent of rows",
        ),
        reported(
            "seconds of solving on the driver",
            solve,
            f"{FOLDS} folds x {len(model.alphas)} alphas; independent of rows",
        ),
        reported(
            "megabytes that a worker sends",
            size / 1e6,
            f"folds x columns^2 x 8 bytes = {FOLDS * COLUMNS**2 * 8 / 1e6:.0f} MB",
        ),
        reported(
            "gigabytes over the network",
            size * WORKERS / 1e9,
            f"once each cell; the driver receives {FAN_IN * size / 1e6:.0f} MB; the rows would be {ROWS * COLUMNS * 8 / 1e12:.0f} TB",
        ),
    ]


def reported(name: str, value: float, note: str) -> Result:
    """A figure without a bar."""
    return Result(name, float(f"{value:.4g}"), value, True, True, f"reported, no bar; {note}")
