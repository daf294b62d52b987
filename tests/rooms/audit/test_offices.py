"""The forms that offices ask for, each number recomputed from the rows."""

import numpy as np
import pytest
from scipy import stats

from tests.rooms.audit.worlds import audited, company, usual
from twosdr import metrics
from twosdr.audit import audit
from twosdr.errors import ParameterError

ROWS = company()
FORMS = ("ll144", "ugesp", "lending")


def rows_of(sheet, s):
    key = "category" if "category" in sheet.columns else "group"
    return {row[key]: row for row in sheet if row["s"] == s}


@pytest.mark.parametrize("form", FORMS)
def test_each_says_that_it_is_not_an_independent_audit(form):
    assert any("not an independent audit" in note for note in usual().as_table(form).notes)
    assert all(word not in repr(usual().as_table(form)).lower() for word in ("certified", "unbiased", "fair "))


@pytest.mark.parametrize("form", FORMS)
def test_a_form_fits_a_terminal_and_covers_sex_by_race(form):
    sheet = usual().as_table(form)
    assert {row["s"] for row in sheet} == {"sex", "race", "sex x race"}
    if form != "lending":  # nine cuts take the room they take
        assert max(map(len, repr(sheet).splitlines())) <= 100


def test_ll144_rates_and_ratios_to_the_highest():
    sheet = rows_of(usual().as_table("ll144"), "race")
    rate = {r: ROWS["hired"][ROWS["race"] == r].mean() for r in ("black", "other", "white")}
    for name, expected in rate.items():
        assert sheet[name]["selection rate"].value == pytest.approx(expected)
        assert sheet[name]["impact ratio"] == pytest.approx(expected / max(rate.values()))
        assert sheet[name]["n"] == (ROWS["race"] == name).sum()
        assert sheet[name]["selected"] == ROWS["hired"][ROWS["race"] == name].sum()


def test_ll144_leaves_categories_under_two_per_cent_out_of_the_ratios_and_flags_them():
    race = ROWS["race"].copy()
    race[:20] = "rare"
    hired = ROWS["hired"].copy()
    hired[:20] = 1  # whose rate of 1 would be the highest
    found = audit(hired, sensitive_features={"race": race}).as_table("ll144")
    sheet = rows_of(found, "race")
    assert sheet["rare"]["impact ratio"] is None
    assert sheet["rare"]["note"] == "under 2 %"
    assert max(row["impact ratio"] for row in sheet.values() if row["impact ratio"] is not None) == 1.0
    kept = rows_of(audit(hired, sensitive_features={"race": race}).as_table("ll144", min_share=0.0), "race")
    assert kept["rare"]["impact ratio"] == 1.0
    assert any("sex by race" in note for note in found.notes)


def test_ll144_counts_the_unknown():
    sex = ROWS["sex"].astype(object)
    sex[:33] = None
    assert rows_of(audited(ROWS | {"sex": sex}).as_table("ll144"), "sex")["(unknown)"]["n"] == 33


def test_ll144_of_scores_is_the_share_above_the_median():
    sheet = rows_of(
        audit(ROWS["score"], sensitive_features={"sex": ROWS["sex"]}, y_true=ROWS["y"]).as_table("ll144"), "sex"
    )
    above = ROWS["score"] > np.median(ROWS["score"])
    rates = {g: above[ROWS["sex"] == g].mean() for g in ("man", "woman")}
    assert sheet["woman"]["scoring rate"].value == pytest.approx(rates["woman"])
    assert sheet["woman"]["impact ratio"] == pytest.approx(rates["woman"] / rates["man"])


def test_ll144_of_numbers_without_a_true_label_has_scoring_rates_as_well():
    sheet = audit(ROWS["score"], sensitive_features={"sex": ROWS["sex"]}).as_table("ll144")
    assert rows_of(sheet, "sex")["man"]["impact ratio"] == 1.0


def test_ugesp_fisher_deviations_and_shortfall():
    sheet = rows_of(usual().as_table("ugesp"), "sex")
    woman, man = (ROWS["hired"][ROWS["sex"] == g] for g in ("woman", "man"))
    row = sheet["woman"]
    table = [[woman.sum(), (1 - woman).sum()], [man.sum(), (1 - man).sum()]]
    assert row["Fisher p"] == pytest.approx(stats.fisher_exact(table).pvalue)
    common = ROWS["hired"].mean()
    z = (man.mean() - woman.mean()) / np.sqrt(common * (1 - common) * (1 / len(man) + 1 / len(woman)))
    assert row["deviations"] == pytest.approx(z)
    assert row["shortfall"] == pytest.approx(len(woman) * common - woman.sum())
    assert row["ratio"] == pytest.approx(woman.mean() / man.mean())
    assert row["four fifths"] == ("below" if woman.mean() / man.mean() < 0.8 else "not below")
    assert sheet["man"]["four fifths"] == "best"


def test_ugesp_warns_of_small_groups_and_survives_nobody_selected():
    small = audit(np.arange(60) % 2, sensitive_features={"sex": ["f"] * 20 + ["m"] * 40}).as_table("ugesp")
    assert any("fewer than 30 rows" in note for note in small.notes)
    none = rows_of(audit([0] * 100, sensitive_features={"sex": ["f", "m"] * 50}).as_table("ugesp"), "sex")
    assert none["f"]["four fifths"] == "none selected"


def test_lending_ratio_and_standardised_difference():
    sheet = rows_of(usual().as_table("lending"), "sex")
    rate = {g: ROWS["hired"][ROWS["sex"] == g].mean() for g in ("man", "woman")}
    assert sheet["woman"]["AIR"] == pytest.approx(rate["woman"] / rate["man"])
    d = metrics.standardised_difference(ROWS["score"], s=ROWS["sex"])
    assert abs(sheet["woman"]["SMD"]) == pytest.approx(float(d))
    assert sheet["woman"]["SMD"] < 0
    order = np.argsort(-ROWS["score"])
    for k in (1, 5, 9):
        top = np.zeros(1200, dtype=bool)
        top[order[: 120 * k]] = True
        share = {g: top[ROWS["sex"] == g].mean() for g in ("man", "woman")}
        assert sheet["woman"][f"top {10 * k} %"] == pytest.approx(share["woman"] / share["man"])


def test_lending_with_weights_agrees_with_the_metric():
    w = np.random.default_rng(0).integers(1, 5, 1200).astype(float)
    found = audited(sample_weight=w, s=("sex",))
    d = metrics.standardised_difference(ROWS["score"], s=ROWS["sex"], sample_weight=w)
    assert abs(rows_of(found.as_table("lending"), "sex")["woman"]["SMD"]) == pytest.approx(float(d))


def test_lending_may_name_its_control_group():
    sheet = rows_of(usual().as_table("lending", reference="black"), "race")
    assert sheet["black"][""] == "control"
    assert sheet["white"]["AIR"] > 1
    with pytest.raises(ParameterError, match="reference must be one of the groups"):
        usual().as_table("lending", reference="green")


def test_lending_of_decisions_alone_says_what_is_missing():
    sheet = audit(ROWS["hired"], sensitive_features={"sex": ROWS["sex"]}).as_table("lending")
    assert "AIR" in sheet.columns
    assert "top 10 %" not in sheet.columns
    assert any("no ratio by quantile" in note for note in sheet.notes)


def test_forms_that_do_not_fit_are_refused():
    scores = audit(ROWS["score"], sensitive_features={"sex": ROWS["sex"]})
    with pytest.raises(ParameterError, match="counts who was selected"):
        scores.as_table("ugesp")
    with pytest.raises(ParameterError, match="every s of this audit is a number"):
        audit(ROWS["hired"], sensitive_features={"age": ROWS["age"]}).as_table("ll144")
    with pytest.raises(ParameterError, match='the forms "ll144", "ugesp", "lending"'):
        usual().as_table("gdpr")
