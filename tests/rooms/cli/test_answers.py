"""Everything that goes wrong has one answer: an exit code, and one to three lines on standard error; no traceback."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.rooms.cli.conftest import FIT, rows, write
from twosdr.cli import codes, failing, saying

AUDIT = ("--sensitive", "sex", "--prediction", "hired")
GOOD = "sex,hired\nf,1\nm,0\nf,1\nm,1\n"


def refused(said, code: int, *words: str) -> None:
    """One to three lines that hold the words, and nothing else."""
    assert said.code == code, said
    assert said.out == ""
    assert 1 <= len(said.lines) <= 3
    assert "Traceback" not in said.err
    one = " ".join(said.err.split())
    for word in words:
        assert word in one


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("empty.csv", b"", ["is empty"]),
        ("blank.csv", b"\n\n", ["is empty"]),
        ("head.csv", b"sex,hired\n", ["has column names and no row below them"]),
        ("semi.csv", b"sex;hired\nf;1\nm;0\n", ["separated by a semicolon", "--delimiter ';'"]),
        ("tabs.csv", b"sex\thired\nf\t1\nm\t0\n", ["separated by a tab", "--delimiter tab"]),
        (
            "latin.csv",
            "sex,name,hired\nf,Ren\u00e9e,1\nm,J\u00f6rg,0\n".encode("latin-1"),
            ["0xe9 in line 2", "--encoding latin-1"],
        ),
        ("utf16.csv", GOOD.encode("utf-16"), ["is UTF-16", "--encoding utf-16"]),
        ("ragged.csv", b"sex,hired\nf,1,3\nm,0\n", ["has 3 values where the header has 2"]),
        ("twice.csv", b"sex,hired,sex\nf,1,2\n", ['more than one column named "sex"']),
        ("picture.csv", b"\x89PNG\r\n\x1a\n\0\0", ["is a PNG picture"]),
        ("book.csv", b"PK\x03\x04rest", ["Excel"]),
        ("bytes.csv", b"a\0b,c\n", ["holds bytes that are no text"]),
        ("rows.json", b'[{"sex": "f"}]', ["is JSON, not a table"]),
        ("page.csv", b"<!DOCTYPE html><html>", ["is a web page"]),
        ("cut.parquet", b"PAR1 and no more", ["is no whole parquet file"]),
        ("mixed.csv", b"sex,hired,when\nf,1,2020-01-01\nm,0,2020-01-02\n", None),
    ],
)
def test_a_file_that_is_no_table_is_named_with_the_next_step(shell, name, content, words):
    Path(name).write_bytes(content)
    said = shell("audit", name, *AUDIT)
    if words is None:  # a date beside what is audited does no harm
        assert said.code == codes.FINE
        return
    refused(said, codes.DATA, f'"{name}"', *words)


@pytest.mark.parametrize(
    ("content", "options"),
    [
        (b"\xef\xbb\xbf" + GOOD.encode(), []),
        (GOOD.replace(",", ";").encode(), ["--delimiter", ";"]),
        (GOOD.replace(",", "\t").encode(), ["--delimiter", "tab"]),
        (GOOD.encode("utf-16"), ["--encoding", "utf-16"]),
        (GOOD.replace("f", "fran\u00e7aise").encode("latin-1"), ["--encoding", "latin-1"]),
        (GOOD.replace("\n", "\r\n").encode(), []),
        (GOOD.replace("f,", '"f, or\nso",').encode(), []),
        (GOOD.replace("f,1", "?,1", 1).encode(), ["--missing", "?"]),
    ],
)
def test_what_is_said_about_a_file_is_how_it_is_read(shell, content, options):
    Path("data.csv").write_bytes(content)
    said = shell("audit", "data.csv", *AUDIT, *options, "--json")
    assert said.code == codes.FINE, said.err
    [sex, *_] = json.loads(said.out)["attributes"]
    assert len(sex["groups"]) == 2
    assert sex["unknown"] == (1 if "--missing" in options else 0)


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("fit", "people.csv", "--target", "hird", "--sensitive", "sex"), codes.USAGE, ['Did you mean "hired"?']),
        (
            ("fit", "people.csv", "--target", "hired", "--sensitive", "sx,age"),
            codes.USAGE,
            ['"sx"', 'Did you mean "sex"?'],
        ),
        (("fit", "people.csv", "--target", "sex", "--sensitive", "sex"), codes.USAGE, ["--target and by --sensitive"]),
        (
            ("fit", "people.csv", "--target", "hired", "--sensitive", "id"),
            codes.DATA,
            ["an identifier, not a group", "--drop id"],
        ),
        (("fit", "people.csv", "--target", "hired"), codes.USAGE, ["--sensitive", "twosdr fit --help"]),
        ((*FIT, "--goal", "fair"), codes.USAGE, ["'fair' is not one of"]),
        ((*FIT, "--removal", "2"), codes.USAGE, ["removal"]),
        ((*FIT, "--test-size", "1"), codes.USAGE, ["--test-size must be a share"]),
        ((*FIT, "--positive", "yse"), codes.USAGE, ['Did you mean "yes"?']),
        ((*FIT, "--strict"), codes.USAGE, ["--strict has no effect without --fail-under"]),
        ((*FIT, "--fail-under", "80"), codes.USAGE, ["such as .8"]),
        ((*FIT, "-o", "nowhere/m.json"), codes.DATA, ["There is no folder", "nowhere"]),
        ((*FIT, "-o", "-", "--json"), codes.USAGE, ["both want standard output"]),
        (("fit", "nothere.csv", *FIT[2:]), codes.DATA, ['There is no file "nothere.csv"']),
        (("fit", "peple.csv", *FIT[2:]), codes.DATA, ['Did you mean "people.csv"?']),
        (("fit", "*.parquet", *FIT[2:]), codes.DATA, ["No file matches"]),
        (("predict", "model.json", "people.csv", "-o", "p.txt"), codes.USAGE, [".csv, .parquet"]),
        (("predict", "model.json", "people.csv", "--keep", "nme"), codes.USAGE, ["--keep names"]),
        (("predict", "people.csv", "people.csv"), codes.DATA, ["holds no model of twosdr"]),
        (("audit", "scored.csv", "--sensitive", "sex"), codes.USAGE, ["--prediction, or --scores"]),
        (("audit", "scored.csv", "--prediction", "age", "--sensitive", "sex", "--fail-under", ".8"), codes.USAGE, []),
        (("audit", "people.csv", "--prediction", "hired", "--sensitive", "sex"), codes.USAGE, ["--positive"]),
        (("compare", "scored.csv", "--prediction", "old", "--sensitive", "sex"), codes.USAGE, ["Nothing to compare"]),
        (("export", "model.json", "--to", "sql"), codes.USAGE, ["needs --dialect"]),
        (("datasets", "export", "adlt"), codes.USAGE, ['Did you mean "adult"?']),
        (("reproduce", "--only", "T99"), codes.USAGE, ["T99"]),
        (("nonsense",), codes.USAGE, ["nonsense", "twosdr --help"]),
        (("audit", "scored.csv", "--nonsense"), codes.USAGE, ["--nonsense"]),
    ],
)
def test_what_was_asked_and_does_not_fit_is_answered_in_the_words_of_the_command_line(shell, words, code, said):
    refused(shell(*words), code, *said)


def test_a_target_of_one_value_is_refused(shell):
    write(Path("one.csv"), [{**row, "hired": "yes"} for row in rows(60)])
    refused(shell("fit", "one.csv", *FIT[2:]), codes.DATA, 'Target "hired" has one value, "yes", in 60 rows')


def test_settings_of_the_library_are_named_as_options(shell):
    write(Path("gaps.csv"), [{**row, "hours": "" if k == 3 else row["hours"]} for k, row in enumerate(rows(60))])
    refused(shell("fit", "gaps.csv", *FIT[2:]), codes.DATA, '"hours" (1 row)', "--handle-missing mean")
    assert shell("fit", "gaps.csv", *FIT[2:], "--handle-missing", "mean").code == codes.FINE
    assert (
        failing.for_shell('fit with drop=["a b", "c"] or at_predict=\'without\'')
        == 'fit with --drop "a b,c" or --without-sensitive'
    )
    assert failing.for_shell("removal={'md': 0.1}") == "--removal md=0.1"


def test_a_level_that_training_did_not_see_is_named_with_file_and_rows(shell):
    write(Path("new.csv"), [{**row, "sex": "x" if k == 3 else row["sex"]} for k, row in enumerate(rows(60))])
    refused(
        shell("predict", "model.json", "new.csv"),
        codes.DATA,
        '"new.csv", rows 1 to 60',
        "'x' (1 row)",
        "--handle-unknown mean",
    )


def test_columns_that_changed_are_named(shell):
    write(Path("more.csv"), [{**row, "height": 170} for row in rows(20)])
    refused(
        shell("predict", "model.json", "more.csv"),
        codes.DATA,
        'has "height", which training did not see',
        "--keep",
        "--drop",
    )
    assert shell("predict", "model.json", "more.csv", "--keep", "height").code == codes.FINE
    write(Path("text.csv"), [{**row, "hours": "many"} for row in rows(20)])
    refused(shell("predict", "model.json", "text.csv"), codes.DATA, '"text.csv"', "many")
    write(Path("other.csv"), [{"sex": "f", "hired": 1}])
    refused(shell("audit", "scored.csv", "other.csv", *AUDIT), codes.DATA, '"other.csv"', "Missing")


def test_a_model_file_that_is_none_of_ours_is_refused_before_it_is_read(shell):
    with open("big.json", "wb") as stream:
        stream.truncate(10 * 2**30)  # 10 GB that take no room on the disk
    began = time.monotonic()
    refused(shell("predict", "big.json", "people.csv"), codes.DATA, "10,737,418,240 bytes")
    assert time.monotonic() - began < 5
    model = json.loads(Path("model.json").read_text())
    Path("future.json").write_text(json.dumps(model | {"version": 99}))
    refused(shell("predict", "future.json", "people.csv"), codes.DATA, "version 99", "Update twosdr")
    Path("edited.json").write_text(Path("model.json").read_text().replace("0.", "1.", 1))
    refused(shell("predict", "edited.json", "people.csv"), codes.DATA)


def test_a_bug_of_ours_is_70_and_debug_shows_where(shell, monkeypatch):
    from twosdr.cli import reading

    def broken(*_):
        raise RuntimeError("something of ours")

    monkeypatch.setattr(reading, "whole", broken)
    refused(
        shell("audit", "scored.csv", *AUDIT), codes.BUG, "A bug of ours: RuntimeError: something of ours", "--debug"
    )
    told = shell("audit", "scored.csv", "--debug", *AUDIT)
    assert told.code == codes.BUG
    assert "Traceback" in told.err


def test_control_characters_of_a_column_name_do_not_reach_the_terminal(shell):
    Path("odd.csv").write_text("sex\x1b]0;owned\x07,hired\nf,1\nm,0\n")
    said = shell("audit", "odd.csv", "--sensitive", "sx", "--prediction", "hired")
    assert "\x1b" not in said.err
    assert "\x07" not in said.err
    assert saying.clean("a\x1b[31mb\ud800") == "a\ufffd[31mb?"


def test_an_endless_name_is_told_in_three_lines(shell):
    Path("long.csv").write_text("a" * 10_000 + ",hired\nf,1\nm,0\n")
    refused(shell("audit", "long.csv", "--sensitive", "b", "--prediction", "hired"), codes.USAGE, "is no column")


def test_text_without_a_terminal_has_no_colours_and_no_bars(shell, monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    said = shell(*FIT, "-o", "m.json")
    assert "\x1b" not in said.out + said.err
    assert "\r" not in said.out + said.err
    assert "\x1b" not in shell("fit", "--help").out


def test_no_color_is_heard_on_a_terminal(monkeypatch):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("NO_COLOR", "1")
    assert saying.heading("a") == "a"
    monkeypatch.delenv("NO_COLOR")
    assert saying.heading("a") == "\x1b[1ma\x1b[0m"


def start(folder: Path, *words: str, **how) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, "-m", "twosdr", *words],
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        **how,
    )


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, codes.INTERRUPTED), (signal.SIGTERM, codes.TERMINATED)])
def test_an_interruption_leaves_nothing_half_written(made, tmp_path, number, code):
    head, *lines = (made / "people.csv").read_bytes().splitlines(keepends=True)
    (tmp_path / "many.csv").write_bytes(head + b"".join(lines) * 3000)  # more than is predicted before the signal comes
    running = start(tmp_path, "predict", str(made / "model.json"), "many.csv", "-o", "p.csv")
    half_written = False
    while running.poll() is None and not half_written:
        half_written = any(p.suffix == ".tmp" and p.stat().st_size for p in tmp_path.iterdir())
        time.sleep(0.001)
    assert half_written
    running.send_signal(number)
    _, said = running.communicate(timeout=60)
    assert running.returncode == code, said
    assert [p.name for p in tmp_path.iterdir()] == ["many.csv"]
    assert b"Traceback" not in said


def test_a_closed_pipe_is_no_error(made):
    many = " ".join(["people.csv"] * 40)  # more than a pipe holds, so that it is closed before all is written
    done = subprocess.run(
        f"{sys.executable} -m twosdr predict model.json {many} | head -2",
        cwd=made,
        shell=True,
        capture_output=True,
        check=True,
    )
    assert done.stdout.splitlines()[0] == b'"prediction","score"'
    assert done.stderr == b""


def test_the_shell_gets_the_code():
    failed = subprocess.run([sys.executable, "-m", "twosdr", "nonsense"], capture_output=True)
    assert failed.returncode == codes.USAGE
    assert failed.stdout == b""


def test_the_help_loads_nothing_that_computes():
    code = "import sys; from twosdr.cli.door import main; main(['--help']); print(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stderr.split())
    assert not loaded & {"numpy", "scipy", "sklearn", "pyarrow", "pandas", "matplotlib", "jinja2", "narwhals"}
    assert "typer" in loaded


def test_the_shell_s_completion_answers():
    done = subprocess.run(
        [sys.executable, "-m", "twosdr"],
        env=os.environ | {"_TWOSDR_COMPLETE": "complete_bash", "COMP_WORDS": "twosdr mon", "COMP_CWORD": "1"},
        capture_output=True,
        text=True,
    )
    assert "monitor" in done.stdout


def test_a_packed_csv_is_read_as_what_it_holds(shell):
    import gzip

    Path("people.csv.gz").write_bytes(gzip.compress(Path("people.csv").read_bytes()))
    assert shell("predict", "model.json", "people.csv.gz").out == shell("predict", "model.json", "people.csv").out
    assert shell("fit", "people.csv.gz", *FIT[2:]).out.startswith("people.csv.gz: 400 rows")
    Path("cut.csv.gz").write_bytes(gzip.compress(Path("people.csv").read_bytes())[:200])
    refused(shell("audit", "cut.csv.gz", *AUDIT), codes.DATA, '"cut.csv.gz"')


def test_a_folder_and_a_glob_are_their_files(shell):
    Path("month").mkdir()
    for k in (2, 1):
        write(Path(f"month/{k}.csv"), rows(30, seed=k))
    both = shell("predict", "model.json", "month").out
    assert both == shell("predict", "model.json", "month/*.csv").out
    assert both == shell("predict", "model.json", "month/1.csv", "month/2.csv").out
    Path("nothing").mkdir()
    refused(shell("predict", "model.json", "nothing"), codes.DATA, "holds no Parquet or CSV file")
