"""The affine map column by column: the same numbers as on encoded rows, and no number where those have an error to raise."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from tests.rooms.samples import people
from twosdr import TwoStageClassifier, TwoStageRegressor
from twosdr.model.columns import by_columns, plain

ROUNDING = 1e-12  # relative to the spread of the score: the same sum in another order


def matched(model, table):
    return model._read_new(table, None, None, needs_s=model.needs_sensitive_, target=())


@pytest.mark.parametrize("far", [0.0, 1e9])
@pytest.mark.parametrize("without", [False, True])
def test_it_is_the_encoded_prediction(far, without):
    table = people() | {"salary": np.arange(60.0) + far}
    y = table["skill"] + np.arange(60) % 3
    goal = "discrimination_free" if without else "parity"  # the former reads no s
    model = TwoStageRegressor(sensitive=["sex", "race"], goal=goal).fit(table, y)
    assert model.needs_sensitive_ != without
    found = by_columns(model.model_, model.roles_, matched(model, pd.DataFrame(table)))
    np.testing.assert_allclose(found[:, 0], model.predict(table), atol=ROUNDING * np.std(y), rtol=0)


def test_several_classes_are_several_columns():
    table = people()
    model = TwoStageClassifier(sensitive="sex", alphas=1.0).fit(table, table["race"])
    assert plain(model.roles_)
    found = by_columns(model.model_, model.roles_, matched(model, pa.table(table)))
    np.testing.assert_allclose(found, model.decision_function(table), atol=ROUNDING)


def test_what_has_no_answer_is_no_number():
    table = pd.DataFrame(people())
    model = TwoStageRegressor(sensitive="sex").fit(table, table["skill"].to_numpy())
    gone = table.astype({"hours": float}).copy()
    gone.loc[[1, 4], "hours"] = np.nan
    found = by_columns(model.model_, model.roles_, matched(model, gone))
    assert np.flatnonzero(np.isnan(found[:, 0])).tolist() == [1, 4]
