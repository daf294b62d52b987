"""What z explains, in the audit."""

import numpy as np
import pytest

from tests.rooms.audit.worlds import audited, company
from twosdr import metrics
from twosdr.audit import audit
from twosdr.audit.text import explained

ROWS = company()
Z = {"hours": ROWS["hours"]}


def test_the_parts_are_the_metrics_own_and_add_up():
    [e] = audited(explanatory_features=Z)["sex"].explained
    expected = metrics.explained_disparity(ROWS["hired"], s={"sex": ROWS["sex"]}, z=Z, y_true=ROWS["y"])
    assert (e.total, e.unexplained, e.explained, e.excess, e.cells) == (
        expected.total,
        expected.unexplained,
        expected.explained,
        expected.excess,
        expected.cells,
    )
    assert abs(e.total.value - e.unexplained.value - e.explained.value) < 1e-10
    assert dict(e.gaps) == dict(expected.gaps)
    assert dict(e.without) == dict(expected.without)
    assert e.between == ("man", "woman")


def test_z_is_never_left_without_its_caveat():
    found = audited(explanatory_features=Z)
    assert "may itself be a product of discrimination" in found["sex"].explained[0].note
    assert "may itself be a product of discrimination" in repr(found)
    assert "may itself be a product of discrimination" in found._repr_html_()
    assert "product of discrimination" not in repr(audited())


def test_each_of_several_groups_is_held_against_the_rest():
    found = audited(explanatory_features=Z)["race"].explained
    assert {e.group for e in found} == {"black", "other", "white"}
    [black] = [e for e in found if e.group == "black"]
    expected = metrics.explained_disparity(ROWS["hired"], s=ROWS["race"], z=Z, y_true=ROWS["y"], level="black")
    assert black.unexplained.value == pytest.approx(expected.unexplained.value)


def test_a_number_is_taken_by_its_slope_and_the_crossing_is_left_alone():
    found = audited(explanatory_features=Z)
    assert found["age"].explained[0].total.value == pytest.approx(abs(np.polyfit(ROWS["age"], ROWS["hired"], 1)[0]))
    assert found["sex x race"].explained == ()


def test_strata_are_compared_where_rows_share_them():
    grade = np.array(["low", "high"])[(ROWS["hours"] > 40).astype(int)]
    few = audited(explanatory_features={"grade": grade})["sex"].explained[0]
    assert few.more["conditional_disparity"] == metrics.conditional_disparity(
        ROWS["hired"], s={"sex": ROWS["sex"]}, z={"grade": grade}
    )
    many = audited(explanatory_features={"exact": ROWS["score"]})["sex"].explained[0]
    assert "conditional_disparity" not in many.more
    assert "partial_correlation" in many.more


def test_a_z_that_determines_s_leaves_a_reason():
    z = {"uniform": np.where(ROWS["sex"] == "man", "trousers", "skirt")}
    found = audited(explanatory_features=z)
    assert found["sex"].explained[0].unexplained.value is None
    assert any("z determines s" in g.why for g in found.not_estimated)


def test_unknown_rows_are_left_out_of_z_as_well():
    sex = ROWS["sex"].astype(object)
    sex[:60] = None
    [found] = audited(ROWS | {"sex": sex}, s=("sex",), explanatory_features=Z)["sex"].explained
    rest = {name: values[60:] for name, values in ROWS.items()}
    [expected] = audited(rest, s=("sex",), explanatory_features={"hours": rest["hours"]})["sex"].explained
    assert found == expected


def test_numbers_are_explained_in_their_own_unit():
    found = audit(ROWS["score"], sensitive_features={"sex": ROWS["sex"]}, explanatory_features=Z, y_true=ROWS["truth"])
    expected = metrics.explained_disparity(ROWS["score"], s={"sex": ROWS["sex"]}, z=Z, y_true=ROWS["truth"])
    assert found["sex"].explained[0].excess == expected.excess


def test_of_many_groups_each_row_tells_which_side_it_is_on():
    chance = np.random.default_rng(0)
    race = np.array(["a group with a long name", "another with a long name", "c", "d"])[np.arange(2000) % 4]
    hours = chance.normal(size=2000) + (race == "c")
    pay = hours + (race == "c") + chance.normal(size=2000)
    found = audit(pay, sensitive_features={"race": race}, explanatory_features={"hours": hours})
    sheet = explained(found["race"])
    side = {row[0]: row[sheet.columns.index("to rest")] for row in sheet.rows}
    means = {g.name: g.measures["mean"].value for g in found["race"].groups}
    assert side["c"] == "higher"
    assert all((side[name] == "higher") == (mean > np.mean(list(means.values()))) for name, mean in means.items())
