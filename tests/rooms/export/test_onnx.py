"""The graph answers as predict does, on strings and numbers, in both precisions."""

import sys
from dataclasses import replace

import numpy as np
import onnx
import onnxruntime
import pandas as pd
import pytest

from tests.rooms.export.databases import in_sqlite
from tests.rooms.export.test_sql import KINDS, SPOILT
from tests.rooms.model.cases import MAKERS, Case, case, frame
from tests.rooms.samples import people, refused, target
from twosdr import TwoStageClassifier, TwoStageRegressor, export
from twosdr.errors import ParameterError
from twosdr.estimators.loading import estimator
from twosdr.export.onnx import NO_LABEL
from twosdr.tables import read

# Standard deviations of the prediction: sixty roundings of a float, and of a double.
CLOSE = {False: 1e-5, True: 1e-12}
BOTH = pytest.mark.parametrize("double", [False, True])


def inputs(session, rows, double):
    """The rows as the session takes them."""
    table, found = read(rows), {}
    for wanted in session.get_inputs():
        column = table.column(wanted.name)
        values = np.asarray(column.values)
        if column.levels is not None:
            values = np.array([None if code < 0 else column.levels[code] for code in column.values], dtype=object)
        if wanted.type == "tensor(string)":
            values = np.array(["" if v is None else v for v in values], dtype=object)
        elif wanted.type in ("tensor(bool)", "tensor(int64)"):
            values = values.astype({"tensor(bool)": bool, "tensor(int64)": np.int64}[wanted.type])
        else:
            real = [np.nan if v is None else v for v in values.tolist()]
            values = np.array(real, dtype=np.float64 if double else np.float32)
        found[wanted.name] = values.reshape(-1, 1)
    return found


def run(graph, rows, double):
    """Outputs by name."""
    session = onnxruntime.InferenceSession(graph.SerializeToString(), providers=["CPUExecutionProvider"])
    names = [out.name for out in session.get_outputs()]
    return dict(zip(names, session.run(names, inputs(session, rows, double)), strict=True))


def rows_of(c):
    rows = c.rows if isinstance(c.rows, pd.DataFrame) else pd.DataFrame(c.rows).add_prefix("x")
    return rows.assign(**{values.name: values for values in c.beside.values()})


@BOTH
@pytest.mark.parametrize("name", MAKERS)
def test_the_answers_are_those_of_predict(name, double):
    if name == "far from zero" and not double:
        pytest.skip("a column with a mean of 1e9 deviations has no digits left in float32: export with double=True")
    c = case(name)
    answer = run(export.to_onnx(c.model, double=double), rows_of(c), double)
    expected = np.reshape(c.raw(), (len(c.rows), -1))
    scores = answer["score" if "score" in answer else "prediction"]
    assert scores.dtype == (np.float64 if double else np.float32)
    assert scores.shape == expected.shape
    assert np.abs(scores - expected).max() <= CLOSE[double] * expected.std()
    if "label" in answer:
        expected = c.model.predict(c.rows, **c.beside)
        assert answer["label"].shape == expected.shape
        assert answer["label"].tolist() == expected.tolist()


@BOTH
@pytest.mark.parametrize("mean", [0.0, 1e3, 1e5])
def test_means_are_subtracted_first(mean, double):
    """A column far from zero, in whole numbers that a float holds: the product with its mean would eat the digits."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"s": np.arange(200) % 2, "x": mean + rng.integers(-9, 10, 200)})
    model = TwoStageRegressor(sensitive="s").fit(X, X["x"].to_numpy() - mean + rng.normal(size=200))
    expected = model.predict(X)
    found = run(export.to_onnx(model, double=double), X.astype(float), double)["prediction"][:, 0]
    assert np.abs(found - expected).max() <= CLOSE[double] * expected.std()


@BOTH
@pytest.mark.parametrize("kind", ["regressor", "yes and no", "0 and 1", "whole floats"])
def test_where_predict_raises_there_is_no_number_and_no_label(kind, double):
    model, rows = case(kind).model, frame(7, 2 * len(SPOILT))
    expected = np.reshape(Case(model, rows).raw(), (len(rows), -1))
    # What no input of its type can hold cannot come: booleans and whole numbers that are missing.
    asked = [(n, v) for n, v in SPOILT if not (v is None and n in ("part_time", "member", "district"))]
    spoilt = rows.astype({name: object for name, _ in asked})
    for j, (name, value) in enumerate(asked):
        spoilt.loc[2 * j, name] = value
    answer = run(
        export.to_onnx(model, double=double), spoilt.astype({n: KINDS.get(n, object) for n, _ in asked}), double
    )
    scores = answer["score" if "score" in answer else "prediction"]
    last = 2 * len(asked)
    assert np.isnan(scores[:last:2]).all()
    assert np.abs(scores - expected)[1::2].max() <= CLOSE[double] * expected.std()
    if "label" in answer:
        none = {"yes and no": "", "0 and 1": NO_LABEL}.get(kind)
        assert all(np.isnan(v) if none is None else v == none for v in answer["label"][:last:2].tolist())
        assert answer["label"][1::2].tolist() == model.predict(rows[1::2]).tolist()


def test_the_empty_text_is_missing_unless_it_is_a_level():
    rng = np.random.default_rng(0)
    for texts, empty in ((["a", "b", None], True), (["a", "", None], False)):
        X = pd.DataFrame({"g": np.array(texts, dtype=object)[rng.integers(0, 3, 60)], "s": rng.normal(size=60)})
        X["x"] = rng.normal(size=60)
        model = TwoStageRegressor(sensitive="s", handle_missing="category").fit(X, rng.normal(size=60))
        shown = X[:1].assign(g=None if empty else "")
        found = run(export.to_onnx(model, double=True), shown.assign(g=[""]), True)["prediction"]
        assert np.allclose(found, model.predict(shown), rtol=0, atol=1e-12)


def test_the_same_model_is_the_same_bytes(tmp_path):
    model = case("missing as a level").model
    export.to_onnx(model, tmp_path / "a.onnx")
    export.to_onnx(model, tmp_path / "b.onnx")
    assert (tmp_path / "a.onnx").read_bytes() == (tmp_path / "b.onnx").read_bytes()
    assert onnx.load(tmp_path / "a.onnx").producer_name == "twosdr"


def test_columns_that_are_called_as_the_outputs_or_the_inside_are():
    rng = np.random.default_rng(0)
    names = ["prediction", "constant_0", "MatMul_1", "Sub_0", "prediction_"]
    X = pd.DataFrame(rng.normal(size=(40, 5)), columns=names)
    model = TwoStageRegressor(sensitive="prediction").fit(X, rng.normal(size=40))
    answer = run(export.to_onnx(model, double=True), X, True)
    assert list(answer) == ["prediction__"]
    assert np.allclose(answer["prediction__"][:, 0], model.predict(X), rtol=0, atol=1e-12)


def test_any_number_of_rows():
    c = case("yes and no")
    graph = export.to_onnx(c.model)
    assert run(graph, c.rows[:1], False)["label"].tolist() == c.model.predict(c.rows[:1]).tolist()
    assert run(graph, c.rows[:0].astype({"part_time": bool}), False)["score"].shape == (0, 1)


def test_the_missing_library_is_one_command(monkeypatch):
    monkeypatch.setitem(sys.modules, "onnx", None)
    with refused(ParameterError, 'pip install "twosdr[onnx]"'):
        export.to_onnx(case("regressor").model)


def test_what_onnx_cannot_say_is_refused():
    X = pd.DataFrame(people(90, 0))
    with refused(ParameterError, "empty text"):
        export.to_onnx(
            TwoStageClassifier(sensitive="sex", alphas=1.0).fit(X, np.where(target(people(90, 0)) > 0, "", "b"))
        )
    grade = pd.Categorical(np.array([16777216.0, 16777217.0, 1.5])[np.random.default_rng(0).integers(0, 3, 90)])
    model = TwoStageRegressor(sensitive="sex").fit(X.assign(grade=grade), target(people(90, 0)))
    with refused(ParameterError, '"grade"', "double=True"):
        export.to_onnx(model)
    export.to_onnx(model, double=True)
    code = pd.Categorical(np.array([1, 2**64 - 1], dtype=np.uint64)[np.arange(90) // 2 % 2])
    with refused(ParameterError, '"code"', "64 bits"):
        export.to_onnx(TwoStageRegressor(sensitive="sex").fit(X.assign(code=code), target(people(90, 0))))
    with refused(ParameterError, "empty name"):
        export.to_onnx(TwoStageRegressor(sensitive="sex").fit(X.rename(columns={"skill": ""}), target(people(90, 0))))


def test_a_column_whose_levels_all_lost_their_rows():
    c = case("levels without rows")
    saved = c.model._portable()
    gone = tuple(name for name in saved.roles.names if name.startswith("race="))
    value = replace(saved, roles=replace(saved.roles, absent=gone))
    expected = estimator(value).predict(c.rows)
    assert np.abs(expected - c.model.predict(c.rows)).max() > 0.01
    found = run(export.to_onnx(value, double=True), c.rows, True)["prediction"][:, 0]
    assert np.abs(found - expected).max() <= CLOSE[True] * expected.std()
    answer = in_sqlite(export.to_sql(value, dialect="sqlite", table="people", keep=["row"]), c.rows)
    assert np.abs(answer["prediction"].to_numpy(dtype=float) - expected).max() <= CLOSE[True] * expected.std()
