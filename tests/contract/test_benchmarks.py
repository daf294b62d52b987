"""The harness measures what it says; the numbers themselves are `make bench`, not tests."""

import json
import subprocess
import sys
from dataclasses import asdict

import pytest

from benchmarks import BENCHMARKS
from benchmarks.__main__ import merged
from benchmarks.harness import ROOT, Result, interleaved, peak_growth

MEGABYTE = 2**20


def test_tasks_take_turns_after_one_warm_up_each():
    calls = []
    times = iter([1, 1, 5, 6, 7, 4, 3, 8, 6, 5, 5, 6])

    def measure(task):
        calls.append(task)
        return next(times)

    assert interleaved({"a": "task a", "b": "task b"}, repeats=5, measure=measure) == {"a": 3, "b": 6}
    assert "".join(task[-1] for task in calls) == "ab" + "ab" + "ba" + "ab" + "ba" + "ab"


def test_too_few_rounds_are_refused():
    with pytest.raises(ValueError, match="at least 5"):
        interleaved({}, repeats=4)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the peak of the whole life is all there is")
def test_peak_growth_sees_the_body_and_not_the_setup():
    # The setup peaks higher than the body and frees that: neither peak nor free memory may hide it.
    setup = "big = bytearray(b'1') * (64 * 2**20); del big; kept = bytearray(b'1') * (8 * 2**20)"
    grown = peak_growth(setup, "out = bytearray(b'1') * (32 * 2**20); del out")
    assert abs(grown - 32 * MEGABYTE) < MEGABYTE


def test_a_failing_snippet_shows_its_own_error():
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        peak_growth("", "1 / 0")


def test_results_of_benchmarks_that_did_not_run_are_kept(monkeypatch):
    monkeypatch.setattr("benchmarks.__main__.BENCHMARKS", ["first", "second"])
    old = [asdict(Result.at_most(name, 1, 2)) for name in ("gone: x", "second: x", "first: x", "first: y")]
    new = [Result.at_most("first: x", 3, 2)]
    holds = {result["name"]: result["holds"] for result in merged(old, new, "first")}
    assert list(holds.items()) == [("first: x", False), ("second: x", True)]


@pytest.mark.slow
def test_the_command_writes_its_results(tmp_path):
    results = tmp_path / "results.json"
    command = [sys.executable, "-m", "benchmarks", BENCHMARKS[0], "--results", str(results)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stderr  # 1: a bar does not hold, which is make bench's business
    [first, *_] = json.loads(results.read_text())
    assert set(first) == {"name", "value", "bar", "holds", "advisory", "note"}
    assert first["name"] in done.stdout
