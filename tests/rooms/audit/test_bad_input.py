"""Every kind of bad input has one answer (docs/audit.md has the same list)."""

import numpy as np
import pandas as pd
import pytest

from twosdr.audit import audit
from twosdr.errors import MetricError, MissingValueError, ParameterError, TableError, TwosdrError

S = ["f", "f", "f", "m", "m", "m"]
Y = [1, 0, 1, 1, 0, 0]


def refused(kind, said, y_pred=Y, **more):
    with pytest.raises(kind, match=said) as caught:
        audit(y_pred, **({"sensitive_features": S} | more))
    assert isinstance(caught.value, TwosdrError)


def test_lengths_that_differ():
    refused(TableError, "sensitive_features has 5 rows, y_pred has 6", sensitive_features=S[:5])
    refused(TableError, "y_true has 5 rows, y_pred has 6", y_true=Y[:5])
    refused(TableError, "scores has 7 rows, y_pred has 6", scores=np.arange(7.0))
    refused(TableError, "explanatory_features has 3 rows", explanatory_features=[1, 2, 3])
    refused(TableError, "features has 3 rows", features=pd.DataFrame({"x": [1, 2, 3]}))
    refused(TableError, r"sample_weight.shape == \(3,\), expected \(6,\)", sample_weight=[1, 2, 3])
    refused(TableError, "cluster has 3 rows", cluster=[1, 2, 3])


def test_missing_predictions_and_truths_are_named():
    refused(MissingValueError, "y_pred has 1 NaN or infinite value, the first in row 2", y_pred=[1, 0, np.nan, 1, 0, 0])
    refused(MissingValueError, "y_true has 2 NaN", y_true=[1, 0, np.nan, 1, np.nan, 0])
    refused(MissingValueError, "scores has 1 NaN", scores=[1, 2, 3, 4, np.inf, 6])
    refused(
        MissingValueError,
        'explanatory_features column "hours" has 1 row without',
        explanatory_features={"hours": [1, 2, None, 4, 5, 6]},
    )


def test_a_missing_s_is_counted_and_an_s_that_is_missing_everywhere_is_refused():
    found = audit(Y, sensitive_features={"sex": ["f", "f", None, "m", "m", None]}, min_group_size=1)
    assert (found["sex"].n, found["sex"].unknown) == (4, 2)
    refused(MissingValueError, 'column "sex" holds no value at all', sensitive_features={"sex": [None] * 6})
    refused(
        MissingValueError, 'column "age" has 1 row of infinity', sensitive_features={"age": [1.0, 2, 3, 4, 5, np.inf]}
    )


def test_a_level_for_every_row_is_asked_about():
    refused(MetricError, "6 levels for 6 rows: numeric or categorical", sensitive_features=list("abcdef"))
    many = {"zip": [f"{j % 300:05d}" for j in range(900)]}
    refused(MetricError, "300 levels.*numeric or categorical", y_pred=np.tile([0, 1], 450), sensitive_features=many)


@pytest.mark.parametrize("rows", [1, 2])
def test_groups_of_one_and_two_rows_are_shown_and_stand_in_no_ratio(rows):
    s = np.array(["a"] * rows + ["b"] * 50 + ["c"] * 50)
    found = audit(np.arange(100 + rows) % 2, sensitive_features={"s": s})["s"]
    assert [g.n for g in found.groups] == [rows, 50, 50]
    assert [g.counted for g in found.groups] == [False, True, True]
    assert 'left out for fewer than 30 rows: "a"' in found.measures["p_rule"].method


def test_a_level_without_rows_is_no_group():
    s = pd.Categorical(["f", "m"] * 50, categories=["f", "m", "x"])
    assert [g.name for g in audit(np.arange(100) % 3 == 0, sensitive_features=s)["s"].groups] == ["f", "m"]


def test_one_group_has_a_table_and_the_reason_why_it_has_no_ratio():
    found = audit([1, 0] * 50, sensitive_features={"sex": ["f"] * 100}, rule=0.8)
    assert found["sex"].groups[0].measures["selection_rate"].value == 0.5
    assert found["sex"].measures["p_rule"].value is None
    assert "There is no other group" in found["sex"].measures["p_rule"].why
    assert found["sex"].verdict.status == "no number"
    assert any(g.measure == "p_rule" for g in found.not_estimated)


def test_weights_below_zero_are_refused_and_weights_of_zero_are_no_rows():
    refused(TableError, "1 negative values, the first in row 1", sample_weight=[1, -1, 1, 1, 1, 1])
    refused(TableError, "Every sample_weight is zero", sample_weight=[0] * 6)
    refused(MissingValueError, "missing or infinite", sample_weight=[1, np.nan, 1, 1, 1, 1])
    some = audit([*Y, 1, 1], sensitive_features=[*S, "x", "x"], sample_weight=[1] * 6 + [0, 0], min_group_size=1)
    assert [g.name for g in some["s"].groups] == ["f", "m"]


def test_labels_that_are_not_0_and_1_need_pos_label():
    refused(MetricError, "Say which counts as positive with pos_label", y_pred=["yes", "no"] * 3)
    refused(MetricError, "two numbers, 1 and 2: decisions, or predictions of a number", y_pred=[1, 2, 1, 2, 2, 1])
    refused(MetricError, "two numbers, -1 and 1", y_pred=[-1, 1, 1, 1, -1, 1])
    refused(MetricError, "pos_label='maybe' does not occur", y_pred=["yes", "no"] * 3, pos_label="maybe")
    found = audit([2, 1, 2, 2, 1, 1], sensitive_features=S, pos_label=2, min_group_size=1)
    assert [g.selected for g in found["s"].groups] == [2, 1]


def test_decisions_about_nobody_or_everybody_are_told_and_have_no_made_up_ratio():
    nobody = audit([0] * 100, sensitive_features=["f", "m"] * 50, rule=0.8)
    assert nobody["s"].measures["p_rule"].value is None
    assert "0 to 0 is no ratio" in nobody["s"].verdict.text
    assert [f.kind for f in nobody.findings] == ["constant"]
    one_sided = audit([0, 1] * 50, sensitive_features=["f", "m"] * 50)["s"].measures["p_rule"]
    assert one_sided.value == 0.0
    assert one_sided.interval[0] == 0.0 < one_sided.interval[1]


def test_settings_outside_their_range():
    refused(ParameterError, "rule must be a ratio above 0", rule=80)
    refused(ParameterError, "rule must be a ratio above 0", rule=True)
    refused(ParameterError, "confidence must lie between 0 and 1", confidence=95)
    refused(ParameterError, "min_group_size must be a whole number of rows", min_group_size=0)
    refused(ParameterError, "min_group_size must be a whole number of rows", min_group_size=2.5)
    refused(ParameterError, "bins must be a whole number", bins=1)


def test_what_has_no_effect_or_contradicts_is_refused():
    refused(ParameterError, "rule=0.8 is held against a ratio of selection rates", y_pred=np.arange(6.0), rule=0.8)
    refused(
        ParameterError,
        "numbers that are no decisions, and scores= was passed",
        y_pred=np.arange(6.0),
        scores=np.arange(6.0),
    )
    refused(TableError, "audit needs predictions", y_pred=None)
    refused(TableError, "sensitive_features is None", sensitive_features=None)
    both = {"hours": [1, 2, 3, 1, 2, 4]}
    refused(
        ParameterError,
        '"hours" is in sensitive_features and in explanatory',
        sensitive_features=both,
        explanatory_features=both,
    )
    refused(TableError, "no column besides the sensitive ones", sensitive_features={"sex": S}, features={"sex": S})
    refused(TableError, "is the text", sensitive_features="sex")


def test_an_error_names_the_column_and_not_more_of_it_than_fits():
    name = "n" * 500
    with pytest.raises(MissingValueError) as caught:
        audit(Y, sensitive_features={name: [None] * 6})
    assert len(str(caught.value)) < 200


def test_no_rows_at_all():
    refused(TableError, "empty", y_pred=[], sensitive_features=[])
