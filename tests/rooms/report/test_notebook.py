"""Views for notebooks: a fitted model as HTML, a frontier as a figure; names are text there as well."""

import numpy as np
import pytest

from tests.rooms.report.contents import people
from twosdr import TwoStageClassifier, TwoStageRegressor

ODD = "<img src=x onerror=alert(1)>"


def test_a_fitted_model_shows_goal_roles_and_coefficients():
    table = people(names=("sex", "age", "skill", ODD, "hours"))
    model = TwoStageClassifier(sensitive="sex", explanatory="hours").fit(table, (table["skill"] > 0).astype(int))
    html = model._repr_html_()
    assert "TwoStageClassifier" in html
    assert "used at prediction" in html
    assert "<img" not in html
    assert "&lt;img" in html
    assert f"{model.coef_[list(model.encoded_names_).index('age')]:.4f}".lstrip("-0") in html


def test_a_model_that_is_not_fitted_shows_what_scikit_learn_shows():
    assert "TwoStageRegressor" in TwoStageRegressor(sensitive="sex")._repr_html_()


def test_the_frontier_is_a_figure_with_a_panel_for_each_s():
    table = people()
    y = table["skill"] + 0.1 * table["hours"]
    figure = TwoStageRegressor(sensitive=["sex", "age"]).fit(table, y).plot_frontier(table, y, levels=5)
    assert [ax.get_xlabel() for ax in figure.axes] == ["distance by sex", "distance by age"]
    assert len(figure.axes[0].get_lines()) >= 3


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
