"""reproduce(): what it prints and leaves behind, what it refuses, and what an interruption does not spoil."""

import json
import os
import re
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree
from pathlib import Path

import pytest

from tests.paper.test_expected import KEYS
from twosdr.errors import ParameterError
from twosdr.paper import reproduce, reproducing, seeds
from twosdr.paper.__main__ import main
from twosdr.paper.contents import ENTRIES, chosen
from twosdr.paper.entries import TableEntry
from twosdr.paper.page import Run, render
from twosdr.paper.results import VERDICTS, Absent, Cell, Claim, Drawing, Number, Result
from twosdr.paper.showing import summary

FAST = ["T1", "datasets"]


def objects(text):
    return [json.loads(line) for line in text.splitlines()]


def test_json_prints_one_object_a_cell_and_nothing_else(tmp_path, capsys):
    assert main(["--only", *FAST, "--json", "--out", str(tmp_path)]) == 0
    said = capsys.readouterr()
    found = objects(said.out)
    assert [tuple(cell) for cell in found] == [KEYS] * 15
    assert {cell["verdict"] for cell in found} <= set(VERDICTS)
    assert "datasets" in said.err  # progress
    by_row = {(c["row"], c["metric"]): c for c in found}
    assert by_row["Adult", "D"]["verdict"] == "match"
    assert all(c["verdict"] == "match" for c in found if c["table"] == "T1")


def test_the_terminal_table_has_paper_ours_error_tolerance_and_verdict(tmp_path, capsys):
    found = reproduce(["T2"], quick=True, out=tmp_path)
    said = capsys.readouterr().out
    for heading in ("paper", "ours", "se", "tolerance", "closed form", "verdict"):
        assert heading in said
    assert "stand-in of 1,993 rows" not in said.split("communities:")[0]
    assert "communities: 1,993 rows, 101 attributes (stand-in copy)" in said
    assert max(len(line.rstrip()) for line in said.splitlines() if "Written" not in line) <= 100
    assert all("stand-in of 1,993 rows" in cell.note for cell in found[0].cells)  # beside every number
    assert summary(found) in said


def test_a_finished_result_is_left_as_files(tmp_path):
    reproduce(["F1", "datasets"], out=tmp_path / "new" / "folder")
    left = {path.name for path in (tmp_path / "new" / "folder").iterdir()}
    assert left == {"F1.json", "datasets.json", *(f"figure1{part}.{kind}" for part in "ab" for kind in ("svg", "png"))}
    figure = json.loads((tmp_path / "new" / "folder" / "F1.json").read_text())
    assert sum(figure["drawings"][1]["numbers"]["women"]) == 14_695
    assert figure["run"] == {"seed": 0, "quick": False}
    xml.etree.ElementTree.parse(tmp_path / "new" / "folder" / "figure1a.svg")


def test_equal_runs_leave_equal_bytes_whatever_the_number_of_processes(tmp_path):
    for jobs in (1, 2):
        reproduce(["T2", "F1"], quick=True, jobs=jobs, out=tmp_path / str(jobs))
    names = sorted(path.name for path in (tmp_path / "1").iterdir())
    assert "T2.json" in names
    for name in names:
        assert (tmp_path / "1" / name).read_bytes() == (tmp_path / "2" / name).read_bytes()


def test_the_page_is_one_file_without_anything_from_elsewhere(tmp_path):
    page = tmp_path / "page.html"
    reproduce(["T1", "datasets", "F1"], out=tmp_path, html=page)
    text = page.read_text(encoding="utf-8")
    assert text.count("<svg") == 2
    assert "<em>inferred</em>" in text
    assert "*inferred*" not in text
    assert not re.search(r"<(script|link|img|iframe|object)\b", text)
    assert not re.search(r"""(?:src|href)\s*=\s*["'](?!#)""", text)
    assert "url(http" not in text


def test_the_page_escapes_whatever_it_shows():
    sharp = "<script>alert('x')</script>&"
    cell = Cell("T3", sharp, sharp, 0.5, 0.5, 0.0, 1, 0.01, "match", sharp)
    drawing = Drawing("name", sharp, "<svg></svg>", b"", {})
    result = Result(
        "T3", sharp, sharp, sharp, f"{sharp} *inferred*", (cell,), sharp, (drawing,), (Claim(sharp, sharp, True),)
    )
    text = render([result], Run(0, False, 1, 1.0, (sharp,)))
    assert "<script" not in text
    assert text.count("&lt;script&gt;") >= 10
    assert "<em>inferred</em>" in text


@pytest.mark.parametrize(("asked", "hint"), [("T33", "T3"), ("dataset", "datasets"), ("T5", "T4"), ("t5", "T4")])
def test_an_unknown_table_is_named_with_the_nearest(asked, hint, tmp_path, capsys):
    with pytest.raises(ParameterError, match=f"no table or figure .*{hint}"):
        reproduce([asked], out=tmp_path / "out")
    assert not (tmp_path / "out").exists()
    assert main(["--only", asked, "--out", str(tmp_path / "out")]) == 2
    assert "There are: T1, datasets, T2" in capsys.readouterr().err


def test_ids_are_taken_in_any_case_and_in_the_papers_order():
    assert [entry.id for entry in chosen(["t8", "T3"])] == ["T3", "T8"]
    assert chosen(None) == list(ENTRIES)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"jobs": 0}, "jobs must be a whole number from 1 up. Got 0"),
        ({"jobs": 1.5}, "jobs must be"),
        ({"seed": -1}, "seed must be"),
    ],
)
def test_arguments_without_sense_are_refused(arguments, message, tmp_path):
    with pytest.raises(ParameterError, match=message):
        reproduce(["T1"], out=tmp_path, **arguments)


def test_what_cannot_be_written_is_refused_before_anything_runs(tmp_path):
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(ParameterError, match=r"cannot be written to .*Name another folder as out"):
        reproduce(["T1"], out=file)
    with pytest.raises(ParameterError, match=r"cannot be written to .*Name another folder as out"):
        reproduce(["T1"], out=file / "below")
    with pytest.raises(ParameterError, match="html must be a file"):
        reproduce(["T1"], out=tmp_path, html=tmp_path)
    with pytest.raises(ParameterError, match=r"page cannot be written to .*Name another file as html"):
        reproduce(["T1"], out=tmp_path, html=tmp_path / "no" / "page.html")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file"]


def test_rows_without_data_say_so_and_how_to_get_them(tmp_path, capsys):
    found = reproduce(["T7"], quick=True, out=tmp_path)
    cells = {cell.row: cell for cell in found[0].cells}
    assert cells["2SDR LSAC"].verdict == "no data"
    assert 'twosdr.datasets.fetch("lsac")' in cells["2SDR LSAC"].note
    assert cells["2SDR Compas"].verdict in ("match", "within noise")
    assert 'twosdr.datasets.fetch("lsac")' in capsys.readouterr().out.replace("\n ", " ").replace("\n", " ")
    assert json.loads((tmp_path / "T7.json").read_text())["cells"][-1]["ours"] is None


def test_other_seeds_are_tried_on_every_data_set_that_is_there():
    tasks = seeds.ENTRY.tasks(0, False)
    assert {task.data for task in tasks} == {"communities", "adult", "german", "compas"}
    assert {task.seed for task in tasks} == set(range(1, 11))
    assert {task.protocol.kind for task in tasks} == {"shuffled", "random"}
    same = dict.fromkeys(("P%", "acc", "MD", "AUC", "RMSE"), 0.5)
    result = seeds.ENTRY.finish({task: [same] * (task.last - task.first) for task in tasks}, 0, False)
    found = {(spread.row, spread.metric): spread.values for spread in result.spreads}
    assert found["2SDR LSAC", "P%"] == ()
    assert found["2SDR Compas", "P%"] == (0.5,) * 10


class Interrupted(TableEntry):
    """A table during which somebody presses Ctrl-C."""

    def finish(self, answers, seed, quick):
        raise KeyboardInterrupt


def test_an_interruption_leaves_finished_tables_and_the_page(tmp_path, monkeypatch, capsys):
    entries = [*chosen(FAST), Interrupted(chosen(["T2"])[0].table)]
    monkeypatch.setattr(reproducing, "chosen", lambda only, among: entries)
    page = tmp_path / "page.html"
    with pytest.raises(KeyboardInterrupt):
        reproduce(quick=True, out=tmp_path, html=page)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["T1.json", "datasets.json", "page.html"]
    assert "was interrupted: T2 not finished" in page.read_text()
    assert "Interrupted. Not finished: T2." in capsys.readouterr().out


def gone(group, seconds=10.0):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False


@pytest.mark.skipif(os.name != "posix", reason="signals to a group of processes are POSIX")
@pytest.mark.parametrize("stop", ["Ctrl-C", "kill"])
def test_stopping_it_ends_all_processes_and_keeps_what_is_finished(stop, tmp_path):
    command = [sys.executable, "-m", "twosdr.paper", "--only", "datasets", "T4", "--jobs", "2", "--out", str(tmp_path)]
    with subprocess.Popen(
        [*command, "--html", str(tmp_path / "page.html")], start_new_session=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as run:  # fmt: skip
        deadline = time.monotonic() + 60
        while not (tmp_path / "datasets.json").exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        time.sleep(1.0)  # into T4
        if stop == "Ctrl-C":  # the whole group gets it, as from a terminal: also those that work
            os.killpg(run.pid, signal.SIGINT)
        else:
            run.terminate()
        out, err = run.communicate(timeout=60)
    assert run.returncode == 130, err
    assert "Traceback" not in out + err
    assert "Interrupted. Not finished: T4." in out
    assert json.loads((tmp_path / "datasets.json").read_text())["id"] == "datasets"
    assert "T4 not finished" in (tmp_path / "page.html").read_text()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["datasets.json", "page.html"]
    assert gone(run.pid), "processes are left"


def test_the_counts_are_of_the_tables_of_results_alone():
    def of(table, verdict):
        return Cell(table, "row", "acc", 0.5, 0.5, 0.0, 1, 0.01, verdict, "")

    cells = (of("T3", "match"), of("T3", "differs"), of("T3", "no data"))
    results = [
        Result("T1", "", "", "", "", (of("T1", "match"),)),
        Result("T3", "", "", "", "", cells),
    ]
    assert (
        summary(results) == "3 cells of the paper's tables of results: 1 match, 0 within noise, 1 differs, 1 no data."
    )


def test_an_absent_number_is_not_judged():
    from twosdr.paper.expected import expected

    cell = Cell.of("T7", expected()["T7"].cells[0], Absent("nowhere"))
    assert cell.public()["se"] is None
    assert Cell.of("T7", expected()["T7"].cells[0], Number(0.59, 0.0, 0.0, 1)).verdict == "match"


def test_the_package_brings_its_data_file_and_its_page():
    room = Path(reproducing.__file__).parent
    assert (room / "expected.toml").is_file()
    assert (room / "page.html.jinja").is_file()
