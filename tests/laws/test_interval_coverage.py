"""Intervals hold the truth as often as they say, in worlds whose truth is known (benchmarks/coverage.py prints the whole table)."""

from pathlib import Path

import numpy as np
import pytest

from benchmarks.coverage import RUNS, Coverage, cases, line, measure
from twosdr.metrics import _comparing, p_rule
from twosdr.metrics import _intervals as ci

HEADLINE = ("P% signed", "P% folded", "MD", "AUC", "CC")
FEWER = (
    1500  # runs of the others: a coverage of .92 is told from .95 all the same, and the command makes the whole table
)
CASES = [(case, n) for case in cases() for n in case.sizes]


@pytest.mark.slow
@pytest.mark.parametrize(("case", "n"), CASES, ids=[f"{case.metric}, {case.world}, {n}" for case, n in CASES])
def test_coverage_of_95_percent_intervals(case, n):
    found = measure(case, n, RUNS if case.metric in HEADLINE else FEWER)
    assert found.holds, line(found)


@pytest.mark.parametrize("case", [c for c in cases() if c.metric in HEADLINE], ids=lambda c: c.world)
def test_a_few_runs_show_no_gross_miss(case):
    n = case.sizes[0]
    found = measure(case, n, runs=60)
    assert found.share > 0.8  # 60 runs of .93 fall below .8 once in ten thousand times


def test_the_counts_of_the_simulation_are_what_the_metric_sees():
    chance = np.random.default_rng(0)
    s = np.repeat([1, 0], [20, 180])
    y = chance.random(200) < 0.3
    low, high = ci.ratio(y[s == 1].sum(), 20, y[s == 0].sum(), 180, 0.95)
    low, high = ci.fold_ratio(low, high)  # the metric has the groups in the other order, and rounds as it goes
    assert p_rule(y, s=s).interval == pytest.approx((float(low), float(high)), rel=1e-9)
    assert _comparing.decisions(y, s=s).cells[1].size == 20


def test_a_miss_has_to_exceed_its_own_error():
    [case] = [c for c in cases() if c.metric == "MD" and c.world.startswith("normal")]
    assert Coverage(case, 1000, 0.924, 0.004, 4000).holds
    assert not Coverage(case, 1000, 0.921, 0.004, 4000).holds
    assert not Coverage(case, 1000, 0.979, 0.004, 4000).holds
    assert Coverage(case, 200, 0.999, 0.004, 4000).holds


def test_the_table_of_the_docs_has_a_line_for_every_case():
    page = (Path(__file__).parents[2] / "docs" / "metrics.md").read_text(encoding="utf-8")
    for case, n in CASES:
        assert f"| {case.metric} | {case.world} | {n} |" in page
