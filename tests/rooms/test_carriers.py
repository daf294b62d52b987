"""carriers.py: parts of the disparity by column, which add up; nothing of s is left in what the model uses of a column."""

import numpy as np
import pytest

from tests.rooms.report.contents import people
from twosdr import TwoStageClassifier, TwoStageRegressor
from twosdr.errors import ParameterError


def test_carriers_add_up_to_the_baseline_s_disparity_and_to_what_is_left():
    table = people()
    y = table["skill"] + 0.1 * table["hours"] + 0.5 * (table["sex"] == "m")
    model = TwoStageRegressor(sensitive=["sex", "age"]).fit(table, y)
    found = model.carriers()
    assert sum(c.part_before for c in found.columns) == pytest.approx(1.0, abs=1e-10)
    for c in found.columns:
        assert abs(c.part_after) < 1e-10  # full removal, on the training rows
        if c.role == "x":
            assert c.told_after < 1e-10
            assert 0 <= c.told_before <= 1
    half = TwoStageRegressor(sensitive=["sex", "age"], removal=0.5).fit(table, y).carriers()
    assert sum(c.part_after for c in half.columns) == pytest.approx(0.5, abs=1e-10)


def test_one_binary_s_makes_parts_of_the_mean_distance():
    table = people()
    y = table["skill"] + 0.1 * table["hours"]
    model = TwoStageRegressor(sensitive="sex").fit(table, y)
    base, men = model.baseline_, table["sex"] == "m"
    gap = np.ptp([base.predict(table)[men].mean(), base.predict(table)[~men].mean()])
    coef = dict(zip(base.encoded_names_, base.coef_, strict=True))
    by_column = {c.column: c.part_before for c in model.carriers().columns}
    for name in ("skill", "hours"):
        own = coef[name] * (table[name][men].mean() - table[name][~men].mean()) / gap
        assert by_column[name] == pytest.approx(own, abs=1e-10)


def test_other_rows_are_measured_as_they_are():
    table, other = people(), people(seed=3)
    model = TwoStageRegressor(sensitive="sex").fit(table, table["skill"] + 0.1 * table["hours"])
    found = model.carriers(other)
    assert found.rows_of == "given rows"
    assert 0 < max(abs(c.part_after) for c in found.columns) < 0.3
    assert "skill" in repr(found)


def test_a_model_without_a_single_score_or_without_s_has_none():
    table = people()
    with pytest.raises(ParameterError, match="several"):
        TwoStageClassifier(sensitive="sex", alphas=1.0).fit(table, table["city"]).carriers()
    with pytest.raises(ParameterError, match="none"):
        TwoStageRegressor().fit(table, table["skill"] + table["hours"]).carriers()
