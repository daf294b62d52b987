"""The audit as a whole: its numbers are the metrics' own, whatever kind of predictions it is given."""

from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from tests.rooms.audit.worlds import audited, company, usual
from twosdr import metrics
from twosdr.audit import audit

ROWS = company()


def test_every_number_of_decisions_is_the_metric_itself():
    found, sex = usual(), ROWS["sex"]
    about = found["sex"].measures
    assert about["p_rule"] == metrics.p_rule(ROWS["hired"], s={"sex": sex}, min_group_size=30)
    assert about["parity_difference"] == metrics.parity_difference(ROWS["hired"], s={"sex": sex}, min_group_size=30)
    assert about["tpr_gap"] == metrics.tpr_gap(ROWS["hired"], s={"sex": sex}, y_true=ROWS["y"], min_group_size=30)
    assert about["fpr_gap"] == metrics.fpr_gap(ROWS["hired"], s={"sex": sex}, y_true=ROWS["y"], min_group_size=30)
    assert about["mean_distance"] == metrics.mean_distance(ROWS["score"], s={"sex": sex}, min_group_size=30)
    assert about["auc"] == metrics.auc(ROWS["score"], s={"sex": sex})
    assert about["correlation"] == metrics.correlation(ROWS["score"], s={"sex": sex})
    assert found.overall["accuracy"] == metrics.accuracy(ROWS["hired"], y_true=ROWS["y"])
    assert found.overall["balanced_accuracy"] == metrics.balanced_accuracy(ROWS["hired"], y_true=ROWS["y"])
    assert found.overall["selection_rate"] == metrics.selection_rate(ROWS["hired"])
    assert found.overall["auc_y"] == metrics.auc(ROWS["score"], s=ROWS["y"])
    rate = metrics.by_group("selection_rate", ROWS["hired"], s={"sex": sex})
    tpr = metrics.by_group("true_positive_rate", ROWS["hired"], s={"sex": sex}, y_true=ROWS["y"])
    for group in found["sex"].groups:
        assert group.measures["selection_rate"] == rate[group.name]
        assert group.measures["tpr"] == tpr[group.name]
        assert (group.n, group.selected) == ((sex == group.name).sum(), ROWS["hired"][sex == group.name].sum())
        assert group.share == pytest.approx((sex == group.name).mean())
        assert group.spread == pytest.approx(ROWS["score"][sex == group.name].std(ddof=1))


def test_ratios_to_the_best_are_the_pairwise_ones_of_two_groups():
    two = usual()["sex"]
    [(_, pair)] = metrics.pairwise_ratios(ROWS["hired"], s=ROWS["sex"]).items()
    ratio = two.group("woman").measures["impact_ratio"]
    assert two.best == "man"
    assert (ratio.value, ratio.interval) == (pair.value, pytest.approx(pair.interval))
    assert two.group("man").measures["impact_ratio"].value == 1.0


def test_every_number_of_numeric_predictions_is_the_metric_itself():
    found = audit(ROWS["score"], sensitive_features={"sex": ROWS["sex"], "age": ROWS["age"]}, y_true=ROWS["truth"])
    assert found.kind == "numbers"
    assert found.overall["rmse"] == metrics.rmse(ROWS["score"], y_true=ROWS["truth"])
    assert found.overall["r2"] == metrics.r2(ROWS["score"], y_true=ROWS["truth"])
    assert found["age"].measures["correlation"] == metrics.correlation(ROWS["score"], s={"age": ROWS["age"]})
    both = {"sex": ROWS["sex"], "age": ROWS["age"]}
    assert found.together["multiple_r2"] == metrics.multiple_r2(ROWS["score"], s=both)
    for group in found["sex"].groups:
        mine = ROWS["sex"] == group.name
        assert group.measures["mean"] == metrics.mean_score(ROWS["score"][mine])
        assert group.measures["rmse"] == metrics.rmse(ROWS["score"][mine], y_true=ROWS["truth"][mine])


def test_numbers_beside_a_two_valued_y_are_scores():
    found = audit(ROWS["score"], sensitive_features=ROWS["sex"], y_true=ROWS["y"], rule=0.8)
    assert found.kind == "scores"
    assert set(found.overall) == {"base_rate", "auc_y"}
    assert found["s"].verdict.status == "no number"
    assert "One cut is no verdict" in found["s"].verdict.text
    above = ROWS["score"] > np.median(ROWS["score"])
    assert found["s"].group("man").measures["scoring_rate"].value == pytest.approx(above[ROWS["sex"] == "man"].mean())
    alone = audit(None, scores=ROWS["score"], sensitive_features=ROWS["sex"])
    assert (alone.kind, alone["s"].measures["mean_distance"]) == ("scores", found["s"].measures["mean_distance"])


def test_text_labels_and_more_than_two_classes():
    named = np.where(ROWS["hired"] == 1, "hired", "not")
    truth = np.where(ROWS["y"] == 1, "hired", "not")
    found = audit(named, sensitive_features={"sex": ROWS["sex"]}, y_true=truth, pos_label="hired")
    assert found["sex"].measures["p_rule"] == usual()["sex"].measures["p_rule"]
    assert found.overall["accuracy"].value == usual().overall["accuracy"].value
    three = np.where(ROWS["age"] > 50, "later", named)
    found = audit(three, sensitive_features={"sex": ROWS["sex"]}, y_true=truth, pos_label="hired")
    assert found.overall["accuracy"] == metrics.accuracy(
        three, y_true=truth
    )  # of three classes, not of "hired" or else
    assert found.overall["selection_rate"].value == pytest.approx((three == "hired").mean())


@pytest.mark.parametrize(
    "make", [dict, pd.DataFrame, pl.DataFrame, pa.table], ids=["dict", "pandas", "polars", "arrow"]
)
def test_any_table_gives_the_same_audit(make):
    s = make({name: ROWS[name] for name in ("sex", "race", "age")})
    assert audit(ROWS["hired"], sensitive_features=s, y_true=ROWS["y"], scores=ROWS["score"], rule=0.8) == usual()


def test_a_series_keeps_its_name_and_an_array_is_called_s():
    assert audit(ROWS["hired"], sensitive_features=pd.Series(ROWS["sex"], name="sex")).attributes[0].name == "sex"
    assert audit(ROWS["hired"], sensitive_features=ROWS["sex"]).attributes[0].name == "s"
    assert audit(ROWS["hired"], sensitive_features=list(ROWS["sex"])).attributes[0].name == "s"
    two = audit(ROWS["score"], sensitive_features=np.column_stack([ROWS["age"], ROWS["hours"]]))
    assert [a.name for a in two.attributes] == ["s0", "s1"]


def test_numbers_of_two_values_and_booleans_form_groups():
    for s in (ROWS["sex"] == "man", (ROWS["sex"] == "man").astype(int), (ROWS["sex"] == "man") * 2.0 - 1):
        found = audit(ROWS["hired"], sensitive_features=s)["s"]
        assert found.kind == "groups"
        assert found.measures["p_rule"].value == usual()["sex"].measures["p_rule"].value


def test_the_rows_of_an_unknown_s_are_shown_apart_and_change_nothing_else():
    sex = ROWS["sex"].astype(object)
    sex[:50] = None
    found = audited(ROWS | {"sex": sex})["sex"]
    assert (found.n, found.unknown, found.missing_rows.n) == (1150, 50, 50)
    assert found.missing_rows.measures["selection_rate"].value == ROWS["hired"][:50].mean()
    rest = {name: values[50:] for name, values in ROWS.items()}
    assert found.measures == audited(rest)["sex"].measures
    assert [g.share for g in found.groups] == pytest.approx([(sex == g.name).mean() for g in found.groups])


def test_an_unknown_number_is_counted_too():
    age = ROWS["age"].astype(float)
    age[:10] = np.nan
    found = audited(ROWS | {"age": age})["age"]
    assert (found.kind, found.n, found.unknown) == ("number", 1190, 10)
    assert sum(found.curve.n) == 1190


def test_several_s_are_crossed_and_a_cell_needs_all_of_them():
    found = usual()["sex x race"]
    assert found.kind == "crossed"
    assert {g.levels for g in found.groups} == {(a, b) for a in ("man", "woman") for b in ("black", "other", "white")}
    both = {"sex": ROWS["sex"], "race": ROWS["race"]}
    expected = metrics.p_rule(ROWS["hired"], s=both, min_group_size=30)
    assert (found.measures["p_rule"].value, found.measures["p_rule"].interval) == (expected.value, expected.interval)
    race = ROWS["race"].astype(object)
    race[:7] = None
    assert audited(ROWS | {"race": race})["sex x race"].unknown == 7


def test_more_than_two_groups_are_tested_for_one_rate():
    expected = metrics.homogeneity(ROWS["hired"], s=ROWS["race"])
    assert usual()["race"].measures["homogeneity"].value == pytest.approx(expected.p_value)
    assert "homogeneity" not in usual()["sex"].measures


def test_levels_whose_crossed_names_would_be_the_same_stay_apart():
    a, b = np.array(["p", "p x q"])[np.arange(400) % 2], np.array(["q x r", "r"])[np.arange(400) // 2 % 2]
    found = audit(np.arange(400) % 3 == 0, sensitive_features={"a": a, "b": b})["a x b"]
    assert len({g.name for g in found.groups}) == 4


def test_too_many_crossed_groups_are_told_and_not_compared():
    n = 3000
    s = {"a": np.arange(n) % 20, "b": np.arange(n) // 20 % 15}
    text = {name: values.astype(str) for name, values in s.items()}
    found = audit(np.arange(n) % 2, sensitive_features=text)
    assert [a.name for a in found.attributes] == ["a", "b"]
    assert any(g.about == "a x b" and "too many" in g.why for g in found.not_estimated)


def test_weights_and_clusters_reach_every_metric():
    rng = np.random.default_rng(3)
    w, court = rng.integers(1, 4, len(ROWS["sex"])), rng.integers(0, 80, len(ROWS["sex"]))
    found = audited(sample_weight=w, cluster=court)
    beside = {"sample_weight": w, "cluster": court}
    assert found["sex"].measures["p_rule"] == metrics.p_rule(
        ROWS["hired"], s={"sex": ROWS["sex"]}, min_group_size=30, **beside
    )
    assert found["age"].measures["correlation"] == metrics.correlation(ROWS["score"], s={"age": ROWS["age"]}, **beside)
    assert found.overall["accuracy"] == metrics.accuracy(ROWS["hired"], y_true=ROWS["y"], **beside)
    assert found.weight == w.sum()
    assert "by cluster" in repr(found).splitlines()[0]


def test_the_confidence_reaches_every_interval():
    wide, narrow = audited(confidence=0.99), audited(confidence=0.5)
    for a in wide.attributes:
        for name, found in a.measures.items():
            other = narrow[a.name].measures[name]
            if found.interval is not None and name != "multiple_r2":
                assert found.interval[0] <= other.interval[0] <= other.interval[1] <= found.interval[1], (a.name, name)
    assert "at 99 %" in wide["race"].verdict.text


def test_everything_that_has_no_number_or_interval_is_listed_with_its_reason():
    rows = {name: values[:40] for name, values in ROWS.items()}
    found = audited(rows)
    listed = {(g.about, g.measure) for g in found.not_estimated}
    for a in found.attributes:
        for name, estimate in a.measures.items():
            if estimate.value is None:
                assert (a.name, name) in listed
                assert estimate.why
    assert ("", "accuracy") not in listed


def test_a_rule_says_of_a_numeric_s_that_it_compares_groups():
    gap = next(g for g in usual().not_estimated if g.about == "age")
    assert "a rule of .8 compares groups, and age is a number" in gap.why


def test_the_notes_say_what_the_intervals_are_for():
    assert "for the model as given, on rows it was not chosen on" in usual().notes[0]
    assert any("worst pair" in note for note in usual().notes)


def test_the_pictures_are_in_the_audit_as_numbers():
    sex, age = usual()["sex"], usual()["age"]
    for shares in sex.histogram.shares:
        assert sum(shares) == pytest.approx(1.0)
    assert sex.histogram.edges[0] == ROWS["score"].min()
    assert sex.histogram.edges[-1] == ROWS["score"].max()
    along = metrics.ratio_along_cut(ROWS["score"], s=ROWS["sex"])
    assert sex.cut.p_rule == tuple(along.p_rule)
    assert sex.cut.groups == ("man", "woman")
    assert age.curve.of == "selection_rate"
    assert sum(age.curve.n) == 1200
    assert all(
        low <= middle <= high for low, middle, high in zip(age.curve.low, age.curve.middle, age.curve.high, strict=True)
    )
    hit = [
        (ROWS["age"] >= low) & (ROWS["age"] <= high) for low, high in zip(age.curve.low, age.curve.high, strict=True)
    ]
    assert age.curve.mean == pytest.approx([ROWS["hired"][rows].mean() for rows in hit])


def test_bins_are_the_visitors_and_named():
    few = audited(bins=4)["age"]
    assert len(few.curve.n) == 4
    assert few.measures["quantile_rates"] == metrics.quantile_rates(ROWS["hired"], s={"age": ROWS["age"]}, bins=4)


def test_an_unknown_attribute_is_asked_back():
    with pytest.raises(KeyError, match=r'there is sex, race, age, sex x race. Did you mean "sex"\?'):
        usual()["sexx"]


def test_the_same_rows_give_the_same_bytes():
    assert audited().to_json() == usual().to_json()
    assert replace(usual()) == usual()
