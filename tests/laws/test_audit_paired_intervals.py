"""Intervals of differences between two models on the same rows hold as often as they say, and verdicts err as rarely as they say."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from twosdr.audit import audit, compare

N, RUNS, CONFIDENCE = 1000, 1300, 0.95
LARGE = 1_000_000  # rows that stand for the truth
SIGMAS = 3.5  # of the Monte Carlo error that the observed coverage may fall short by
LOWEST = 0.93  # the bar of every interval of the library at n = 1000


def world(n: int, rng: np.random.Generator, left: tuple[float, float]) -> dict[str, Any]:
    """Two scores of the same people that share most of their errors; `left` of what s adds is left in each."""
    s = (rng.random(n) < 0.25).astype(int)
    x = rng.normal(size=n) + 0.5 * s
    y = (x + rng.normal(size=n) > 0.4).astype(int)
    shared = 0.5 * rng.normal(size=n)
    scores = {
        "one": x - 0.5 * (1 - left[0]) * s + shared,
        "two": x - 0.5 * (1 - left[1]) * s + shared + 0.3 * rng.normal(size=n),
    }
    return {"s": s, "y": y, "scores": scores, "decisions": {name: score > 0.5 for name, score in scores.items()}}


def differences(rows: dict[str, Any]) -> dict[tuple[str, str], Any]:
    found = compare(rows["decisions"], sensitive_features={"s": rows["s"]}, y_true=rows["y"], scores=rows["scores"])
    return {(d.about, d.measure): d.estimate for d in found.differences}


@pytest.mark.slow
@pytest.mark.parametrize(
    "left", [(1.0, 0.5), (1.0, 0.0), (0.02, -0.02)], ids=["both biased", "one at parity", "both at parity"]
)
def test_paired_intervals_cover(left: tuple[float, float]):
    truth = {key: found.value for key, found in differences(world(LARGE, np.random.default_rng(0), left)).items()}
    held: Counter[tuple[str, str]] = Counter()
    rng = np.random.default_rng(1)
    for _ in range(RUNS):
        for key, found in differences(world(N, rng, left)).items():
            low, high = found.interval
            held[key] += low <= truth[key] <= high
    noise = SIGMAS * np.sqrt(CONFIDENCE * (1 - CONFIDENCE) / RUNS)
    cover = {key: held[key] / RUNS for key in truth}
    print(left, {f"{about} {measure}".strip(): round(share, 3) for (about, measure), share in cover.items()})
    assert all(share >= min(LOWEST, CONFIDENCE - noise) for share in cover.values()), cover


@pytest.mark.slow
@pytest.mark.parametrize("sizes", [(63, 500), (400, 600)])
def test_a_ratio_that_sits_on_the_rule_is_seldom_called_below_or_above_it(sizes: tuple[int, int]):
    rng = np.random.default_rng(2)
    s = np.repeat(["few", "many"], sizes)
    said: Counter[str] = Counter()
    for _ in range(4000):
        decided = rng.random(len(s)) < np.where(s == "few", 0.4, 0.5)
        said[audit(decided, sensitive_features=s, rule=0.8)["s"].verdict.status] += 1
    print(sizes, dict(said))
    noise = SIGMAS * np.sqrt(0.025 * 0.975 / 4000)
    assert said["below"] / 4000 <= 0.025 + noise
    assert said["above"] / 4000 <= 0.025 + noise


def test_one_run_of_the_simulation():
    found = differences(world(N, np.random.default_rng(3), (1.0, 0.5)))
    assert {("", "accuracy"), ("s", "p_rule"), ("s", "auc"), ("s", "correlation")} <= set(found)
    assert all(estimate.interval is not None for estimate in found.values())
