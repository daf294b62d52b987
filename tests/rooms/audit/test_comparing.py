"""Several models side by side, on the same rows."""

import json

import numpy as np
import pytest

from tests.rooms.audit.worlds import company
from twosdr.audit import Comparison, audit, compare
from twosdr.audit.pairing import Reading, correlation, difference, mover, readings
from twosdr.errors import MetricError, NotReadable, ParameterError, TableError
from twosdr.metrics import Estimate

ROWS = company()
S = {"sex": ROWS["sex"], "race": ROWS["race"], "age": ROWS["age"]}
OTHER = ROWS["score"] - 0.5 * (ROWS["sex"] == "man")
TWO = {"old": ROWS["hired"], "new": (OTHER > 0.8).astype(int)}
SCORES = {"old": ROWS["score"], "new": OTHER}


def compared(two=TWO, **more):
    return compare(two, sensitive_features=S, **({"y_true": ROWS["y"], "scores": SCORES} | more))


def test_each_side_is_its_own_audit():
    found = compared(rule=0.8)
    assert found.names == ("old", "new")
    expected = audit(TWO["new"], sensitive_features=S, y_true=ROWS["y"], scores=OTHER, rule=0.8)
    assert found["new"] == expected


def test_differences_are_of_the_values_to_the_baseline():
    found = compared()
    for d in found.differences:
        here, there = (found[n].overall if not d.about else found[n][d.about].measures for n in (d.model, "old"))
        if here[d.measure].value is not None:
            assert d.estimate.value == pytest.approx(here[d.measure].value - there[d.measure].value)
    turned = compared(baseline="new")
    assert turned.names == ("new", "old")
    a, b = found.difference("accuracy"), turned.difference("accuracy")
    assert a.value == pytest.approx(-b.value)
    assert a.interval == pytest.approx((-b.interval[1], -b.interval[0]))


def test_pairing_is_narrower_than_two_samples_where_models_err_alike():
    found = compared()
    for measure, about in (("accuracy", ""), ("auc", "sex"), ("auc_y", "")):
        low, high = found.difference(measure, about).interval
        sides = [found[n].overall.get(measure) or found[n][about].measures[measure] for n in found.names]
        apart = np.hypot(*(s.interval[1] - s.interval[0] for s in sides))
        assert high - low < 0.9 * apart, measure


def test_accuracy_is_paired_as_mcnemar_pairs_it():
    right = [TWO[n] == ROWS["y"] for n in TWO]
    b, c, n = (right[1] & ~right[0]).sum(), (right[0] & ~right[1]).sum(), 1200
    wald = 1.96 * np.sqrt((b + c) - (b - c) ** 2 / n) / n
    low, high = compared().difference("accuracy").interval
    assert (high - low) / 2 == pytest.approx(wald, rel=0.02)


def test_a_model_compared_with_itself_does_not_differ_at_all():
    same = compared(
        {"one": ROWS["hired"], "two": ROWS["hired"].copy()}, scores={"one": ROWS["score"], "two": ROWS["score"].copy()}
    )
    assert {(d.estimate.value, d.estimate.interval) for d in same.differences} == {(0.0, (0.0, 0.0))}


def test_a_difference_that_cannot_be_had_says_why():
    found = compared({"old": ROWS["hired"], "none": np.zeros(1200, dtype=int)}, scores=None)
    missing = found.difference("p_rule", "sex")
    assert missing.value is None
    assert "0 to 0 is no ratio" in missing.why
    dcor = compared().difference("distance_correlation", "age")
    assert dcor.value is not None
    assert dcor.interval is None
    assert "no formula" in dcor.why


def test_three_models_numbers_weights_and_clusters():
    three = {"a": ROWS["score"], "b": OTHER, "c": ROWS["truth"]}
    court = np.arange(1200) % 90
    found = compare(
        three, sensitive_features=S, y_true=ROWS["truth"] + 0.1, sample_weight=np.arange(1200) % 3 + 1, cluster=court
    )
    assert found.difference("rmse", model="c").value < 0
    assert {d.model for d in found.differences} == {"b", "c"}
    assert all(
        d.estimate.interval is not None
        for d in found.differences
        if d.measure in ("rmse", "r2", "mean_distance", "correlation")
    )


def test_shown_kept_and_read_again():
    found = compared(explanatory_features={"hours": ROWS["hours"]})
    assert Comparison.from_dict(json.loads(found.to_json())) == found
    assert "new - old" in repr(found)
    assert "<script" not in compare({"<script>": ROWS["hired"], "b": TWO["new"]}, sensitive_features=S)._repr_html_()
    sheet = found.table()
    assert sheet.columns == ("s", "measure", "old", "new", "new - old")
    assert any("paired" in note for note in sheet.notes)
    for data in ({}, found["old"].to_dict(), found.to_dict() | {"schema": 9}):
        with pytest.raises(NotReadable):
            Comparison.from_dict(data)
    with pytest.raises(KeyError, match='there is "old", "new"'):
        found["newer"]
    with pytest.raises(KeyError, match="no difference"):
        found.difference("p_rule")


def test_what_cannot_be_compared_is_refused():
    with pytest.raises(ParameterError, match="two or more predictions by name"):
        compared({"one": ROWS["hired"]}, scores=None)
    with pytest.raises(ParameterError, match="two or more predictions by name"):
        compared([ROWS["hired"], ROWS["hired"]], scores=None)
    with pytest.raises(MetricError, match="takes predictions, not audits"):
        compared({"a": compared()["old"], "b": compared()["new"]}, scores=None)
    with pytest.raises(MetricError, match="predictions of one kind"):
        compare({"a": ROWS["hired"], "b": ROWS["score"]}, sensitive_features=S)
    with pytest.raises(ParameterError, match="scores must have the same names"):
        compared(scores={"old": ROWS["score"]})
    with pytest.raises(ParameterError, match="baseline must be one of"):
        compared(baseline="best")


def test_mover_joins_symmetric_intervals_as_the_textbook_does():
    a, b = Reading(5.0, 3.0, 7.0), Reading(4.0, 3.0, 5.0)
    assert mover(a, b, 0.0) == pytest.approx((1 - np.sqrt(5), 1 + np.sqrt(5)))
    assert mover(a, b, 0.6) == pytest.approx((1 - np.sqrt(5 - 2.4), 1 + np.sqrt(5 - 2.4)))
    assert mover(a, a, 1.0) == (0.0, 0.0)


def test_what_is_folded_at_parity_has_two_readings_there_and_one_elsewhere():
    assert len(readings("p_rule", Estimate(0.9, (0.8, 1.0)))) == 2
    assert len(readings("p_rule", Estimate(0.7, (0.6, 0.8)))) == 1
    assert len(readings("mean_distance", Estimate(0.1, (0.0, 0.3)))) == 2
    assert len(readings("mean_distance", Estimate(0.3, (0.1, 0.5)))) == 1
    assert len(readings("p_rule", Estimate(0.0, (0.0, 1.0)))) == 1
    assert len(readings("auc", Estimate(0.5, (0.4, 1.0)))) == 1
    low, high = difference("mean_distance", Estimate(0.1, (0.0, 0.3)), Estimate(0.1, (0.0, 0.3)), 0.9)
    assert -0.3 <= low < 0 < high <= 0.3


def test_how_two_move_together():
    a = np.array([1.0, -1.0, 2.0, -2.0])
    assert correlation(a, a, None) == pytest.approx(1.0)
    assert correlation(a, -a, None) == pytest.approx(-1.0)
    assert correlation(a, None, None) == 0.0
    assert correlation(a, np.zeros(4), None) == 0.0
    assert correlation(a, np.array([2.0, -2.0, 0.0, 0.0]), np.array([0, 1, 1, 0])) == pytest.approx(-1.0)


def test_a_refusal_names_the_model():
    rows = company()
    with pytest.raises(TableError, match=r'^"b": .*1200 rows, y_pred has 1199'):
        compare({"a": rows["hired"], "b": rows["hired"][:-1]}, sensitive_features={"sex": rows["sex"]})
    with pytest.raises(ParameterError, match=r'Got "a"\.$'):
        compare({"a": rows["hired"]}, sensitive_features={"sex": rows["sex"]})


def test_models_may_be_named_by_numbers():
    rows = company()
    found = compare({1: rows["hired"], 2: 1 - rows["hired"]}, sensitive_features={"sex": rows["sex"]})
    assert found.names == ("1", "2")
    with pytest.raises(ParameterError, match="read alike"):
        compare({1: rows["hired"], "1": rows["hired"]}, sensitive_features={"sex": rows["sex"]})
