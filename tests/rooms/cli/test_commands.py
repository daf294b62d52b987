"""Every command does what its help says: words in, files and numbers out."""

import csv
import hashlib
import io
import json
import sys
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

import twosdr
from tests.rooms.cli.conftest import FIT, rows, write
from twosdr.audit import Audit, Comparison
from twosdr.cli import codes


def read(text: str) -> list[dict]:
    return list(csv.DictReader(io.StringIO(text)))


def test_fit_says_the_roles_the_choice_what_was_dropped_and_the_audit_beside_the_baseline(shell):
    said = shell(*FIT, "--explanatory", "hours", "-o", "m.json", "--report", "r.html")
    assert said.code == codes.FINE
    assert "400 rows, 7 columns; 280 fitted on, 120 held out" in said.out
    roles = said.out.split("\n\n")[1]
    by_column = {line.split()[0]: line.split()[1:] for line in roles.splitlines()}
    assert by_column["sex"][:3] == ["sensitive", "text", "f,"]
    assert by_column["hours"][:2] == ["explanatory", "number"]
    assert by_column["id"][:2] == ["left", "out"]
    assert "no, yes (positive)" in said.out
    assert "% [" in said.out  # the flip rate with its interval
    assert "of the decisions change" in said.out.replace("\n                ", " ")
    assert "of 2 from 1 to 10" in said.out
    assert '"id", "pay" (asked)' in said.out
    for word in ("baseline", "2SDR", "difference", "P%-rule", "accuracy", "With uncertainty"):
        assert word in said.out
    assert "Written: m.json (model), r.html (report)" in said.err
    assert Path("r.html").read_text().startswith("<!doctype html>")


def test_the_saved_model_is_the_audited_one(shell):
    write(Path("test.csv"), rows(200, seed=5))
    said = shell(*FIT, "--test", "test.csv", "-o", "m.json", "--json")
    audit = Comparison.from_dict(json.loads(said.out)["comparison"])["2SDR"]
    predicted = read(shell("predict", "m.json", "test.csv").out)
    share = sum(row["prediction"] == "yes" for row in predicted) / 200
    assert audit.n == 200
    assert audit.overall["selection_rate"].value == pytest.approx(share, abs=1e-12)


def test_fitting_twice_gives_the_same_bytes(shell):
    digests = set()
    for _ in range(2):
        shell(*FIT, "-o", "m.json", "--report", "r.html")
        digests.add(tuple(hashlib.sha256(Path(name).read_bytes()).hexdigest() for name in ("m.json", "r.html")))
    assert len(digests) == 1


def test_json_is_all_that_standard_output_holds(shell):
    for words in (
        (*FIT, "-o", "m.json", "--json"),
        ("audit", "scored.csv", "--prediction", "old", "--sensitive", "sex", "--json"),
        ("compare", "scored.csv", "--prediction", "old,new", "--sensitive", "sex", "--json"),
        ("monitor", "model.json", "people.csv", "--json"),
        ("datasets", "list", "--json"),
    ):
        said = shell(*words)
        assert said.code == codes.FINE, said.err
        assert json.loads(said.out)


def test_a_number_is_fitted_by_regression_and_a_class_by_classification_unless_told(shell):
    number = shell("fit", "people.csv", "--target", "pay", "--sensitive", "sex,age", "--drop", "id,hired", "--json")
    assert json.loads(number.out)["facts"]["model"].startswith("TwoStageRegressor")
    told = shell(*FIT, "--task", "regression")
    assert told.code == codes.USAGE
    assert "--task regression needs a target of numbers" in told.err


def test_a_number_is_one_target_with_its_name(shell):
    words = ("--target", "pay", "--sensitive", "sex", "--drop", "id,hired")
    assert shell("fit", "people.csv", *words, "--goal", "equalized_odds", "-o", "m.json").code == codes.FINE
    model = twosdr.load("m.json")
    assert model.coef_.ndim == 1
    assert len(read(shell("predict", "m.json", "people.csv").out)) == 400  # the target in the file does no harm


def test_prediction_without_the_sensitive_columns_reads_none(shell):
    assert shell(*FIT, "--without-sensitive", "-o", "m.json").code == codes.FINE
    blind = [{k: v for k, v in row.items() if k not in ("sex", "hired")} for row in rows(50, seed=2)]
    write(Path("blind.csv"), blind)
    assert len(read(shell("predict", "m.json", "blind.csv").out)) == 50
    needs = shell("predict", "model.json", "blind.csv")
    assert needs.code == codes.DATA
    assert 'lacks "sex"' in needs.err
    assert "--without-sensitive" in needs.err


def test_removal_takes_targets_and_the_threshold_takes_a_quantile(shell):
    said = shell(*FIT, "--removal", "md=.2", "--threshold", "quantile=.7", "--json")
    assert said.code == codes.FINE, said.err
    audit = Comparison.from_dict(json.loads(said.out)["comparison"])["2SDR"]
    assert audit.overall["selection_rate"].value == pytest.approx(0.3, abs=0.1)


@pytest.mark.parametrize("output", ["p.csv", "p.parquet", "-"])
def test_predictions_are_those_of_the_model_in_the_order_of_the_rows(shell, output):
    said = shell("predict", "model.json", "people.csv", "-o", output, "--keep", "id,sex")
    assert said.code == codes.FINE, said.err
    model = twosdr.load("model.json")
    table = [{k: v for k, v in row.items() if k not in ("id", "hired", "pay")} for row in rows()]
    columns = {name: [row[name] for row in table] for name in table[0]}
    wanted = model.predict(columns).tolist()
    if output == "p.parquet":
        found = pq.read_table(output).to_pylist()
    else:
        found = read(said.out if output == "-" else Path(output).read_text())
    assert [int(row["id"]) for row in found] == [1000 + k for k in range(400)]
    assert [row["prediction"] for row in found] == wanted
    # The same sum in another order: column by column.
    np.testing.assert_allclose([float(row["score"]) for row in found], model.decision_function(columns), atol=1e-13)


def test_several_files_are_one_table_whatever_the_order_of_their_columns(shell):
    both = read(shell("predict", "model.json", "people.csv", "others.csv").out)
    second = read(shell("predict", "model.json", "others.csv").out)
    assert len(both) == 520
    assert both[400:] == second
    assert shell("fit", "people.csv", "others.csv", *FIT[2:]).out.startswith("2 files: 520 rows")


def test_a_dash_is_standard_input_and_output(shell):
    data = Path("people.csv").read_bytes()
    assert shell("predict", "model.json", "-", stdin=data).out == shell("predict", "model.json", "people.csv").out
    model = shell("fit", "-", *FIT[2:], "-o", "-", stdin=data)
    assert model.code == codes.FINE
    assert json.loads(model.out)["format"] == json.loads(Path("model.json").read_text())["format"]
    page = shell("audit", "scored.csv", "--prediction", "old", "--sensitive", "sex", "--report", "-")
    assert page.out.startswith("<!doctype html>")


def test_a_parquet_file_and_a_csv_of_the_same_rows_give_the_same_model(shell):
    import pyarrow.csv

    pq.write_table(pyarrow.csv.read_csv("people.csv"), "people.parquet")
    assert shell("fit", "people.parquet", *FIT[2:], "-o", "m.json").code == codes.FINE
    assert Path("m.json").read_bytes() == Path("model.json").read_bytes()


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ((), codes.FINE),
        (("--fail-under", ".8"), codes.BELOW),
        (("--fail-under", ".1"), codes.FINE),
        (("--fail-under", ".1", "--strict"), codes.FINE),
        (("--fail-under", ".45", "--strict"), codes.BELOW),
        (("--fail-under", ".45"), codes.FINE),
    ],
)
def test_fail_under_and_strict_decide_the_exit_code(shell, more, code):
    said = shell("audit", "scored.csv", "--prediction", "old", "--sensitive", "sex", *more)
    assert said.code == code, said.out
    assert ("exit code 1" in said.err) == (code == codes.BELOW)


def test_audit_shows_offices_forms_and_what_its_json_holds_is_an_audit(shell):
    words = ("audit", "scored.csv", "--prediction", "old", "--sensitive", "sex,age", "--target", "y")
    assert Audit.from_dict(json.loads(shell(*words, "--json").out)).n == 400
    form = shell("audit", "scored.csv", "--prediction", "old", "--sensitive", "sex", "--as", "ll144")
    assert "Local Law 144" in form.out
    assert "not an independent audit" in " ".join(form.out.split())


def test_compare_takes_columns_and_saved_models(shell):
    said = shell("compare", "scored.csv", "--prediction", "old,new", "--sensitive", "sex", "--target", "y")
    assert "new - old" in said.out
    models = shell("fit", "people.csv", *FIT[2:], "--removal", "0", "-o", "none.json")
    assert models.code == codes.FINE
    said = shell(
        *("compare", "people.csv", "--model", "none.json", "--model", "model.json"),
        *("--sensitive", "sex", "--target", "hired", "--positive", "yes"),
    )
    assert said.code == codes.FINE, said.err
    assert "model - none" in said.out


def test_monitor_finds_nothing_in_the_training_rows_and_drift_where_there_is_some(shell):
    write(Path("same.csv"), rows())
    calm = shell("monitor", "model.json", "same.csv", "--fail-over", ".1")
    assert calm.code == codes.FINE
    drifted = [
        {**row, "skill": row["skill"] - 2 * (row["sex"] == "f"), "sex": "x" if k == 7 else row["sex"]}
        for k, row in enumerate(rows())
    ]
    write(Path("drifted.csv"), drifted)
    said = shell("monitor", "model.json", "drifted.csv", "--fail-over", ".1")
    assert said.code == codes.BELOW
    assert "Drift: " in said.out
    assert "unknown in training" in said.out
    assert "on the 399 rows" in said.out


def test_export_writes_what_other_systems_read(shell):
    sql = shell("export", "model.json", "--to", "sql", "--dialect", "duckdb", "--table", "people")
    assert sql.out.lstrip().upper().startswith(("SELECT", "WITH"))
    assert shell("export", "model.json", "--to", "card", "-o", "card.md").code == codes.FINE
    assert Path("card.md").read_text().startswith("# Model card")
    audit = shell("fit", *FIT[1:], "--json").out
    Path("fit.json").write_text(audit)
    assert "yes" in shell("export", "model.json", "--to", "card", "--audit", "fit.json").out
    idle = shell("export", "model.json", "--to", "onnx", "--dialect", "duckdb")
    assert idle.code == codes.USAGE
    assert "--dialect has no effect with --to onnx" in idle.err


def test_datasets_are_listed_and_exported_ready_to_be_fitted(shell):
    assert "adult" in shell("datasets", "list").out
    said = shell("datasets", "export", "german", "-o", "german.csv")
    assert said.code == codes.FINE
    assert len(read(Path("german.csv").read_text())) == 1000
    [line] = [line for line in said.lines if line.startswith("Next: ")]
    assert shell(*line.split()[2:]).code == codes.FINE


def test_reproduce_hands_its_words_to_the_paper(shell, monkeypatch):
    import twosdr.paper

    asked = {}
    monkeypatch.setattr(twosdr.paper, "reproduce", lambda *words, **more: asked.update(words=words, more=more))
    assert shell("reproduce", "--only", "T3,T8", "--only", "F1", "--quick", "--json", "--seed", "3").code == codes.FINE
    assert asked["words"][:5] == (["T3", "T8", "F1"], True, 1, False, True)
    assert asked["more"] == {"seed": 3}


def test_every_command_teaches_with_an_example(shell):
    for words in (
        *(["demo"], ["fit"], ["predict"], ["audit"], ["compare"], ["export"], ["monitor"], ["reproduce"]),
        *(["datasets", "list"], ["datasets", "fetch"], ["datasets", "export"]),
    ):
        said = shell(*words, "--help")
        assert said.code == codes.FINE
        assert f"Example: twosdr {' '.join(words)}" in " ".join(said.out.split())


def test_the_shell_completes_columns_of_the_file_that_was_named(shell):
    from types import SimpleNamespace

    from twosdr.cli.options import column_names, data_set_names

    context = SimpleNamespace(params={"data": ["people.csv"]})
    assert column_names(context, "s") == ["sex", "skill"]
    assert column_names(context, "sex,h") == ["sex,hours", "sex,hired"]
    assert column_names(SimpleNamespace(params={"data": ["nothing.csv"]}), "s") == []
    assert data_set_names("c") == ["communities", "compas"]


def test_the_version_is_the_package_s(shell):
    assert shell("--version").out == f"twosdr {twosdr.__version__}\n"
    assert sys.modules["twosdr"].__version__ == twosdr.__version__


def test_the_manual_names_every_command_option_and_exit_code(shell):
    import typer

    from twosdr.cli.app import app

    manual = (Path(__file__).parents[3] / "docs" / "cli.md").read_text()
    tree = typer.main.get_command(app)
    for name, command in tree.commands.items():
        assert f"twosdr {name}" in manual
        if name in ("fit", "audit", "predict", "compare", "monitor"):
            own = {opt for p in command.params for opt in p.opts if opt.startswith("--")}
            unsaid = {opt for opt in own if opt not in manual} - {
                "--help",
                "--output",
                "--test",
                "--model",
                "--max-levels",
                "--jobs",
            }
            assert unsaid <= {"--bins", "--features", "--min-group-size", "--confidence", "--rule", "--scores"}, unsaid
    for code in (codes.FINE, codes.BELOW, codes.USAGE, codes.DATA, codes.BUG, codes.INTERRUPTED):
        assert f"| {code} |" in manual
    assert f"{codes.TERMINATED}: terminated" in manual
