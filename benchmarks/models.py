"""Models that travel, on Adult: how far SQL and ONNX are from predict, and what a file costs."""

import os
import tempfile
import warnings
from pathlib import Path

import numpy as np

from benchmarks.harness import Result, interleaved


def fitted():
    """A classifier on all of Adult, with its rows."""
    from twosdr import TwoStageClassifier, datasets

    adult = datasets.load("adult")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # dependent columns of Adult are no news
        model = TwoStageClassifier(sensitive=["sex", "race"], handle_missing="category", alphas=1.0).fit(
            adult.X, adult.y
        )
    return model, adult.X


def away(found, scores) -> float:
    """The largest difference, in standard deviations of the score."""
    return float(np.abs(np.asarray(found, dtype=float) - scores).max() / scores.std())


def in_duckdb(model, rows):
    import duckdb
    import pyarrow as pa

    from twosdr import export

    with duckdb.connect() as db:
        db.register("people", rows if isinstance(rows, pa.Table) else pa.Table.from_pandas(rows))
        sql = export.to_sql(model, dialect="duckdb", table="people")
        return db.execute(sql).fetchnumpy()["score"]


def in_onnx(model, rows, double):
    import onnxruntime

    from twosdr import export
    from twosdr.tables import read

    graph = export.to_onnx(model, double=double)
    session = onnxruntime.InferenceSession(graph.SerializeToString(), providers=["CPUExecutionProvider"])
    table, given = read(rows), {}
    for wanted in session.get_inputs():
        column = table.column(wanted.name)
        if column.levels is None:
            given[wanted.name] = column.values.astype(np.float64 if double else np.float32)[:, None]
        else:
            given[wanted.name] = np.array([*column.levels, ""], dtype=object)[column.values][:, None]
    return session.run(["score"], given)[0][:, 0]


def run() -> list[Result]:
    import twosdr

    model, rows = fitted()
    scores = model.decision_function(rows)
    n = f"{len(scores):,} rows of Adult"
    far = [
        Result.at_most("SQL in DuckDB against decision_function", away(in_duckdb(model, rows), scores), 1e-12, note=n),
        Result.at_most("ONNX in float32", away(in_onnx(model, rows, False), scores), 1e-5, note=n),
        Result.at_most("ONNX in float64", away(in_onnx(model, rows, True), scores), 1e-12, note=n),
    ]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        model.save(path)
        loaded = twosdr.load(path)
        exact = float(np.abs(loaded.decision_function(rows) - scores).max())
        size = os.path.getsize(path) / len(model.encoded_names_)
        tasks = {"load": lambda: twosdr.load(path), "predict": lambda: model.decision_function(rows)}
        least = interleaved(tasks, repeats=9)
    note = f"{least['load'] * 1e3:.1f} ms against {least['predict'] * 1e3:.1f} ms to predict {n}"
    return [
        *far,
        Result.at_most("loaded against saved, largest difference", exact, 0.0, note=n),
        Result.at_most(
            "bytes of a file for each encoded column", size, 400.0, note=f"{len(model.encoded_names_)} columns"
        ),
        Result.at_most("load / predict", least["load"] / least["predict"], 1.0, note=note, advisory=True),
    ]
