"""A rule held against a ratio: both readings, in words."""

import numpy as np
import pytest

from twosdr.audit import audit
from twosdr.audit.values import AlongCut
from twosdr.audit.verdict import along_cut, judge
from twosdr.metrics import Estimate


def verdict(value, interval, rule=0.8, **more):
    return judge(Estimate(value, interval, n=500), rule, **({"confidence": 0.95, "smallest": 63} | more))


@pytest.mark.parametrize(
    ("value", "interval", "status", "as_counted", "said"),
    [
        (0.6, (0.5, 0.7), "below", "below", ["As counted: below .8.", "below .8 at 95 %"]),
        (0.9, (0.85, 0.95), "above", "not below", ["As counted: not below .8.", "above .8 at 95 %"]),
        (
            0.75,
            (0.6, 0.9),
            "cannot tell",
            "below",
            ["not shown to be below, nor above", "63 rows in the smaller group cannot tell"],
        ),
        (
            0.85,
            (0.7, 1.0),
            "cannot tell",
            "not below",
            ["not shown to be above, nor below", "63 rows in the smaller group cannot tell"],
        ),
        (0.7, None, "cannot tell", "below", ["As counted: below .8.", "no interval"]),
    ],
)
def test_both_readings_are_printed(value, interval, status, as_counted, said):
    found = verdict(value, interval)
    assert (found.status, found.as_counted) == (status, as_counted)
    assert all(part in found.text for part in said)


def test_the_ends_of_the_interval_decide_and_touching_the_rule_is_above_it():
    assert verdict(0.9, (0.8, 1.0)).status == "above"  # the rule is "less than four fifths"
    assert verdict(0.7, (0.6, 0.8)).status == "cannot tell"
    assert verdict(0.7, (0.6, 0.7999)).status == "below"


def test_a_number_next_to_the_rule_does_not_read_as_the_rule():
    assert "Impact ratio .7996 [.7000, .9000]. As counted: below .8." in verdict(0.7996, (0.7, 0.9)).text
    assert "[.60000, .79996]" in verdict(0.7, (0.6, 0.79996)).text
    assert "Impact ratio .800 [" in verdict(0.8, (0.7, 0.9)).text


@pytest.mark.parametrize("counts", [(20, 30, 25, 30), (4, 50, 3, 30), (8, 50, 6, 30), (99, 125, 99, 100)])
def test_four_fifths_to_the_row_are_not_below_four_fifths(counts):
    few, of_few, many, of_many = counts
    assert 5 * few * of_many == 4 * many * of_few
    s = np.repeat(["few", "many"], (of_few, of_many))
    decided = np.concatenate([np.arange(of_few) < few, np.arange(of_many) < many])
    found = audit(decided, sensitive_features=s, rule=0.8)
    assert found["s"].measures["p_rule"].value == 0.8
    assert found["s"].group("few").measures["impact_ratio"].value == 0.8
    assert found["s"].verdict.as_counted == "not below"
    sheet = found.as_table("ugesp")
    at = sheet.columns.index("four fifths")
    assert [row[at] for row in sheet.rows] == ["not below", "best"]


def test_no_ratio_says_why():
    found = judge(Estimate(None, why="nobody was selected"), 0.8, confidence=0.95, smallest=10)
    assert found.status == "no number"
    assert found.as_counted is None
    assert "nobody was selected" in found.text


def test_the_confidence_and_the_rule_are_the_visitors():
    assert "below .9 at 99 %" in verdict(0.6, (0.5, 0.7), rule=0.9, confidence=0.99).text


def test_more_than_two_groups_have_a_smallest_one():
    assert "63 rows in the smallest group" in verdict(0.75, (0.6, 0.9), groups=3).text


def test_a_rule_above_the_noise_ceiling_is_told_so():
    assert "equal true rates would show .74" in verdict(0.7, (0.5, 0.9), ceiling=0.74).text
    assert "equal true rates" not in verdict(0.7, (0.5, 0.9), ceiling=0.95).text
    assert "equal true rates" not in verdict(0.5, (0.4, 0.6), ceiling=0.74).text  # it is shown all the same


def test_scores_are_held_against_the_rule_at_every_cut_and_get_no_verdict():
    cut = AlongCut(
        (0.1, 0.5, 0.9), (0.5, 0.9, None), (0.3, 0.7, None), (0.7, 1.0, None), (2.0, 1.0, None), ("a", "b"), ()
    )
    found = along_cut(cut, 0.8)
    assert found.status == "no number"
    assert "from .500 to .900" in found.text
    assert "50 % of these cuts are below .8" in found.text
    assert "One cut is no verdict" in found.text
    assert "no cut" in along_cut(None, 0.8).text
