"""What a reader is told to look at first."""

import numpy as np
import pytest

from tests.rooms.audit.worlds import audited, company
from twosdr.audit import audit

ROWS = company()


def kinds(found):
    return {(f.kind, f.about) for f in found.findings}


def said(found, kind):
    [text] = [f.text for f in found.findings if f.kind == kind]
    return text


def test_an_ordinary_audit_of_two_large_groups_has_nothing_to_say():
    assert kinds(audited(s=("sex",))) == set()


def test_tiny_groups_are_counted_and_named():
    race = ROWS["race"].astype(object)
    race[:5] = "rare"
    found = audited(ROWS | {"race": race}, s=("race",))
    assert kinds(found) == {("tiny_groups", "race")}
    assert "1 of 4 groups of race has fewer than 30 rows and stands in no ratio" in said(found, "tiny_groups")
    assert '"rare (5)"' in said(found, "tiny_groups")
    ratio = found["race"].group("rare").measures["impact_ratio"]
    assert (ratio.value, ratio.why) == (None, "fewer than 30 rows")  # nor does the table of groups show one


def test_a_share_that_is_not_none_or_all_does_not_read_so():
    decided = (np.arange(40_000) < 4).astype(int)
    sex = np.array(["f", "m"])[np.arange(40_000) % 2]
    assert "(0.01 %)" in said(audit(decided, sensitive_features=sex), "near_constant")
    assert "(99.99 %)" in said(audit(1 - decided, sensitive_features=sex), "near_constant")


def test_the_words_on_everybody_and_nobody_agree_with_the_verdict():
    sex = np.array(["f", "m"])[np.arange(400) % 2]
    everyone = audit(np.ones(400, int), sensitive_features=sex, rule=0.8)
    assert "every ratio is 1" in said(everyone, "constant")
    assert everyone["s"].verdict.status == "above"
    nobody = audit(np.zeros(400, int), sensitive_features=sex, rule=0.8)
    assert "no ratio can tell" in said(nobody, "constant")
    assert nobody["s"].verdict.status == "no number"
    assert not any("Got" in gap.why for gap in nobody.not_estimated)


@pytest.mark.parametrize(
    ("share", "words"), [(0.995, "Nearly everyone is selected"), (0.005, "Nearly nobody is selected")]
)
def test_near_constant_decisions_make_ratios_look_well(share, words):
    decided = (np.arange(2000) / 2000 < share).astype(int)
    found = audit(decided, sensitive_features={"sex": np.array(["f", "m"])[np.arange(2000) % 2]}, rule=0.8)
    assert words in said(found, "near_constant")


def test_decisions_of_ordinary_rates_are_not_near_constant():
    for share in (0.05, 0.5, 0.95):
        decided = (np.arange(2000) / 2000 < share).astype(int)
        assert not kinds(audit(decided, sensitive_features=np.array(["f", "m"])[np.arange(2000) % 2]))


def test_constant_scores_are_told():
    found = audit(None, scores=np.ones(100), sensitive_features=["f", "m"] * 50)
    assert "Every score is the same" in said(found, "constant")


def test_an_s_that_the_features_give_away_is_told():
    rng = np.random.default_rng(0)
    copy = (ROWS["sex"] == "man") + 0.3 * rng.normal(size=1200)
    plain = {"noise": rng.normal(size=1200)}
    assert kinds(audited(s=("sex",), features=plain)) == set()
    found = audited(s=("sex",), features=plain | {"copy": copy})
    assert kinds(found) == {("reconstructible", "sex")}
    assert "does not take it out of the predictions" in said(found, "reconstructible")


def test_intersections_much_worse_than_the_margins_are_told():
    # Neither sex nor race matters alone; together they decide.
    rng = np.random.default_rng(1)
    a, b = rng.integers(0, 2, 4000), rng.integers(0, 2, 4000)
    decided = rng.random(4000) < np.where(a == b, 0.6, 0.2)
    s = {"a": np.array(["p", "q"])[a], "b": np.array(["r", "t"])[b]}
    found = audit(decided, sensitive_features=s)
    assert ("intersections", "a x b") in kinds(found)
    assert "the intervals do not meet" in said(found, "intersections")
    fair = audit(rng.random(4000) < 0.4, sensitive_features=s)
    assert ("intersections", "a x b") not in kinds(fair)


def test_intersections_of_numbers_are_told_by_their_means():
    rng = np.random.default_rng(1)
    a, b = rng.integers(0, 2, 4000), rng.integers(0, 2, 4000)
    s = {"a": np.array(["p", "q"])[a], "b": np.array(["r", "t"])[b]}
    assert ("intersections", "a x b") in kinds(audit((a == b) + rng.normal(size=4000), sensitive_features=s))
    assert ("intersections", "a x b") not in kinds(audit(rng.normal(size=4000), sensitive_features=s))


def test_codes_that_were_read_as_numbers_are_asked_about():
    region = np.random.default_rng(0).integers(1, 6, 1200)
    found = audited(ROWS | {"region": region}, s=("region",))
    assert kinds(found) == {("codes", "region")}
    assert "pass them as text" in said(found, "codes")
    assert not kinds(audited(s=("age",)))


def test_many_unknown_rows_are_told():
    sex = ROWS["sex"].astype(object)
    sex[:100] = None
    assert "100 rows (8.3 %) have no sex" in said(audited(ROWS | {"sex": sex}, s=("sex",)), "unknown")
