"""Row by row an export is predict, or has no answer where predict has none; whatever the policies, roles and gaps are."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import strategies as st

pytest.importorskip("duckdb", reason="duckdb is not installed (the dev extra has it)")
pytest.importorskip("onnxruntime", reason="onnxruntime is not installed (the onnx extra has it)")

from tests.laws.tools import law
from tests.rooms.export.databases import in_duckdb, in_sqlite
from tests.rooms.export.test_onnx import run as in_onnx
from tests.rooms.model.cases import frame, holes, strange
from tests.rooms.samples import people, target
from twosdr import TwoStageRegressor, export
from twosdr.errors import TwosdrError, TwosdrWarning

CLOSE = 1e-12  # of the prediction's deviation: a sum of a few dozen products in another order
COLUMNS = ("sex", "race", "skill", "hours", "part_time", "district", "grade", "member")
settings = st.fixed_dictionaries(
    {
        "sensitive": st.sampled_from(["sex", "hours", "grade", ["race", "skill"], "part_time"]),
        "explanatory": st.sampled_from([(), "age", "district", "member"]),
        "handle_missing": st.sampled_from(["error", "mean", "category"]),
        "handle_unknown": st.sampled_from(["error", "mean"]),
        "at_predict": st.sampled_from(["with", "without"]),
        "alphas": st.sampled_from([0.0, 1.0]),
    }
)


def one_by_one(model, rows):
    """What predict says of each row alone, NaN where it refuses."""
    found = np.full(len(rows), np.nan)
    for j in range(len(rows)):
        try:
            found[j] = model.predict(rows[j : j + 1])[0]
        except TwosdrError:
            pass
    return found


@law(
    few=3,
    many=150,
    shrink=False,
    chosen=settings,
    seed=st.integers(0, 999),
    gaps=st.lists(st.sampled_from(COLUMNS), unique=True, max_size=4),
    later=st.lists(st.sampled_from(COLUMNS), unique=True, max_size=4),
)
@pytest.mark.parametrize("where", ["duckdb", "sqlite", "onnx"])
def test_an_export_is_predict_row_by_row(chosen, seed, gaps, later, where):
    sensitive = chosen["sensitive"]
    named = [sensitive] if isinstance(sensitive, str) else sensitive
    missing = chosen["handle_missing"]
    held = [g for g in gaps if missing == "category" or (missing == "mean" and g not in named)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TwosdrWarning)
        model = TwoStageRegressor(**chosen).fit(holes(frame(seed), held, seed), target(people(90, seed)))
    rows = strange(holes(frame(seed + 1, 24), later, seed + 1))
    expected = one_by_one(model, rows)
    if where == "onnx":
        # Booleans and whole numbers that may not be missing have no way to say so: such rows are left out.
        for name in ("part_time", "member", "district"):
            kept = rows[name].notna().to_numpy()
            rows, expected = rows[kept].reset_index(drop=True), expected[kept]
        if not len(rows):
            return
        found = in_onnx(export.to_onnx(model, double=True), rows, True)["prediction"][:, 0]
    else:
        sql = export.to_sql(model, dialect=where, table="people", keep=["row"])
        run = in_duckdb if where == "duckdb" else in_sqlite
        found = run(sql, rows)["prediction"].to_numpy(dtype=float)
    assert np.array_equal(np.isnan(found), np.isnan(expected))
    spread = model._portable().facts.prediction_deviation[0] + abs(expected[~np.isnan(expected)]).max(initial=0.0)
    assert np.abs(found - expected)[~np.isnan(expected)].max(initial=0.0) <= CLOSE * spread


def test_the_rows_of_the_law_hold_what_it_is_about():
    rows = strange(holes(frame(1, 24), ["skill"], 1))
    assert rows["skill"].isna().any()
    assert not set(rows["race"]) <= set(frame(0)["race"])
    assert isinstance(rows, pd.DataFrame)
