"""Views for notebooks: a fitted model as HTML, a frontier as a figure; names are text there as well."""

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


def test_a_notebook_gets_our_view_of_a_fitted_model():
    table = people()
    model = TwoStageRegressor(sensitive="sex").fit(table, table["skill"] + 0.1 * table["hours"])
    bundle = model._repr_mimebundle_()
    assert bundle["text/html"] == model._repr_html_()
    assert bundle["text/plain"] == repr(model)
    assert "twosdr-model" not in TwoStageRegressor()._repr_mimebundle_()["text/html"]


def test_a_model_that_is_not_fitted_shows_what_scikit_learn_shows():
    assert "TwoStageRegressor" in TwoStageRegressor(sensitive="sex")._repr_html_()


def test_the_frontier_is_a_figure_with_a_panel_for_each_s():
    table = people()
    y = table["skill"] + 0.1 * table["hours"]
    figure = TwoStageRegressor(sensitive=["sex", "age"]).fit(table, y).plot_frontier(table, y, levels=5)
    assert [ax.get_xlabel() for ax in figure.axes] == ["distance by sex", "distance by age"]
    assert len(figure.axes[0].get_lines()) >= 3


def test_only_the_ends_of_a_frontier_have_names():
    table = people()
    model = TwoStageRegressor(sensitive="sex").fit(table, table["skill"] + 0.1 * table["hours"])

    def named(levels):
        return {text.get_text(): text.xy for text in model.plot_frontier(levels=levels).axes[0].texts}

    whole = named([0.0, 0.5, 1.0])
    assert {"OLS", "2SDR", "without s"} <= set(whole)
    assert named([0.3, 0.6]) == {}
    assert named([1.0, 0.0]) == whole
