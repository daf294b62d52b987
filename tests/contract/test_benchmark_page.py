"""The page of results says what was measured, against which bar, and where."""

from dataclasses import asdict

from benchmarks import page
from benchmarks.harness import Result


def test_the_page_shows_every_result_with_its_verdict():
    results = [
        asdict(Result.at_most("core: fit", 1.5, 2.0, note="a | b")),
        asdict(Result.at_most("streams: slow", 3.0, 2.0)),
        asdict(Result.at_most("streams: idle", 3.0, 2.0, advisory=True)),
        asdict(Result("streams: spark", 5.0, 5.0, True, True, "reported, no bar")),
    ]
    shown = page.text(results, "a machine")
    assert "| fit | 1.5 | 2 | holds | a / b |" in shown
    assert "| slow | 3 | 2 | above |" in shown
    assert "| idle | 3 | 2 | above, advisory |" in shown
    assert "| spark | 5 |  | reported |" in shown
    assert shown.index("## core") < shown.index("## streams")
    assert "Machine: a machine." in shown
    assert page.machine()
