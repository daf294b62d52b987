"""The bars that were set before: what is printed of them, and that those on bundled data are met."""

import json

import pytest
from threadpoolctl import threadpool_limits

from twosdr.paper import reproduce
from twosdr.paper.__main__ import main
from twosdr.paper.beyond.contents import ENTRIES, MODULES
from twosdr.paper.beyond.trials import Bar, experiment, tasks, verdicts
from twosdr.paper.results import Absent

KEYS = ("bar", "figure", "ours", "se", "limit", "sense", "verdict")


def came_of(module):
    todo = tasks(module, 0, False)
    with threadpool_limits(1):
        return verdicts(module, {task: task.run() for task in todo}, 0, False)


def test_json_prints_one_object_a_bar(tmp_path, capsys):
    assert main(["--beyond", "--only", "beyond-discrimination_free", "--quick", "--json", "--out", str(tmp_path)]) == 0
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [tuple(bar) for bar in found] == [KEYS] * 3
    assert {bar["verdict"] for bar in found} == {"meets"}


def test_a_bar_is_met_on_its_side_of_the_limit():
    below, above = (Bar("b", "f", "m", "x", sense, 0.5) for sense in ("<=", ">="))
    assert (below.met(0.5), below.met(0.51), above.met(0.5), above.met(0.49)) == (True, False, True, False)


@pytest.mark.parametrize("module", MODULES)
def test_every_bar_is_of_a_model_that_is_there(module):
    here = experiment(module)
    assert here.bars
    assert {bar.model for bar in here.bars} == set(here.models)


def test_bars_without_data_say_how_to_get_them():
    answers = {
        task: Absent("fetch it") if task.model == "lsac" else [dict.fromkeys(("max gap", "acc"), 0.04)]
        for task in tasks("equalised_odds", 0, False)
    }
    found = [v for v in verdicts("equalised_odds", answers, 0, False) if "LSAC" in v.bar]
    assert [(v.ours, v.verdict, v.note) for v in found] == [(None, "no data", "fetch it")] * 2


def test_the_race_without_fairlearn_says_what_to_install(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "fairlearn.reductions", None)
    [answer] = {task.run() for task in tasks("speed", 0, True)[:1]}
    assert isinstance(answer, Absent)
    assert "twosdr[dev]" in answer.reason


def test_the_page_shows_the_bars(tmp_path):
    page = tmp_path / "page.html"
    reproduce(["beyond-levels"], beyond=True, out=tmp_path, html=page)
    text = page.read_text(encoding="utf-8")
    assert "&lt;= 0.115" in text
    assert "stand-in of 1,993 rows" in text
    assert json.loads((tmp_path / "beyond-levels.json").read_text())["bars"][0]["verdict"] == "meets"


def test_ids_are_those_of_the_files():
    assert [entry.id for entry in ENTRIES] == [f"beyond-{module}" for module in MODULES]


@pytest.mark.parametrize("module", ["levels", "without_s", "explanatory"])
def test_the_bars_on_bundled_data_are_met(module):
    missed = [v for v in came_of(module) if v.verdict != "meets"]
    assert missed == []


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Setting a:Warning")  # of pandas, about lines of fairlearn
@pytest.mark.parametrize("module", ["equalised_odds", "speed"])
def test_the_bars_that_take_longer_are_met(module, originals):
    originals("law_school_admissions.csv")
    missed = [v for v in came_of(module) if v.verdict != "meets"]
    assert missed == []
