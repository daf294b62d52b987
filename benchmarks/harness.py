"""How a benchmark measures: times as ratios within one interleaved run, memory in a process of its own.

Nothing here imports NumPy, so that ONE_THREAD can be set before anything does.
"""

import gc
import json
import math
import os
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self, TypeVar

ROOT = Path(__file__).parents[1]
Task = TypeVar("Task")

# A BLAS reads these when it is loaded, and never again.
ONE_THREAD = dict.fromkeys(
    (
        "OMP_NUM_THREADS",
        "OPENBLAS_NUM_THREADS",
        "MKL_NUM_THREADS",
        "BLIS_NUM_THREADS",
        "VECLIB_MAXIMUM_THREADS",
    ),
    "1",
)


@dataclass(frozen=True)
class Result:
    """A number and the bar it is held against; `advisory` where the bar needs an idle machine."""

    name: str
    value: float
    bar: float
    holds: bool
    advisory: bool = False
    note: str = ""

    @classmethod
    def at_most(cls, name: str, value: float, bar: float, *, advisory: bool = False, note: str = "") -> Self:
        return cls(name, float(f"{value:.4g}"), bar, value <= bar, advisory, note)


def seconds(call: Callable[[], object]) -> float:
    """Wall-clock time of one call, garbage collection kept out of it."""
    gc.collect()
    gc.disable()
    try:
        start = time.perf_counter()
        call()
        return time.perf_counter() - start
    finally:
        gc.enable()


def interleaved(
    tasks: Mapping[str, Task], repeats: int = 7, measure: Callable[[Task], float] = seconds
) -> dict[str, float]:
    """Least time of each task: one warm-up each, then `repeats` rounds in which each takes its turn.

    In turns, because a machine that slows down for a while must slow down all of them alike, and
    with another one first each round, because what ran before leaves its traces in the caches. The
    least, because noise only ever adds. Fewer than five rounds are refused.
    """
    if repeats < 5:
        raise ValueError(f"repeats must be at least 5 for a least time to settle. Got {repeats} instead.")
    for task in tasks.values():
        measure(task)
    names = list(tasks)
    least = dict.fromkeys(names, math.inf)
    for _ in range(repeats):
        for name in names:
            least[name] = min(least[name], measure(tasks[name]))
        names.append(names.pop(0))
    return least


def peak_growth(setup: str, body: str) -> int:
    """Bytes by which `body` raises the peak of resident memory above what `setup` left resident.

    Both are Python source and share their names; they run in a fresh process (benchmarks/peak.py).
    Touch in `setup` what is not to be counted: warm up imports, and fill arrays (np.zeros is free
    until it is written to).
    """
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.peak"],
        input=json.dumps({"setup": textwrap.dedent(setup), "body": textwrap.dedent(body)}),
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=os.environ | ONE_THREAD,
    )
    if done.returncode:
        raise RuntimeError(f"the measured snippet failed:\n{done.stderr}")
    return int(done.stdout.splitlines()[-1])
