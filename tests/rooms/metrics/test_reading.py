"""Bad input has one answer each; every text names what was passed, what was seen, and what to do."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from tests.rooms.samples import CONTAINERS, people, refused
from twosdr import metrics
from twosdr.errors import KindError, MetricError, MissingValueError, ParameterError, TableError
from twosdr.metrics import accuracy, auc, correlation, mean_distance, p_rule, rmse, selection_rate

Y = [1, 0, 1, 0, 1, 1]
S = list("ffmmfm")


@pytest.mark.parametrize("container", CONTAINERS)
def test_s_is_read_from_every_kind_of_table(container):
    columns = people()
    y = columns["skill"] > 0
    frame = CONTAINERS[container](columns)
    expected = p_rule(y, s={"sex": columns["sex"], "race": columns["race"]})
    if isinstance(frame, dict):
        chosen = {name: frame[name] for name in ("sex", "race")}
    elif hasattr(frame, "select") and not isinstance(frame, pd.DataFrame):
        chosen = frame.select(["sex", "race"])
    else:
        chosen = frame[["sex", "race"]]
    assert p_rule(y, s=chosen) == expected


@pytest.mark.parametrize("make", [list, tuple, np.array, pd.Series, pl.Series, lambda v: pd.DataFrame({"who": v})])
def test_one_column_in_any_form(make):
    assert p_rule(make(Y), s=make(S)) == p_rule(Y, s=S)


def test_the_index_of_a_series_says_nothing():
    shuffled = pd.Series(Y, index=[5, 3, 1, 0, 2, 4])
    assert p_rule(shuffled, s=pd.Series(S)) == p_rule(Y, s=S)


def test_lengths_that_differ():
    with refused(TableError, "s has 5 rows", "y_pred has 6"):
        p_rule(Y, s=S[:5])
    with refused(TableError, "y_true has 7 rows"):
        accuracy(Y, y_true=[*Y, 1])
    with refused(TableError, "sample_weight", "(5,)"):
        p_rule(Y, s=S, sample_weight=np.ones(5))
    with refused(TableError, "cluster has 2 rows"):
        p_rule(Y, s=S, cluster=[1, 2])


def test_missing_values_are_named():
    with refused(MissingValueError, "s has 1 missing", "row 2"):
        p_rule(Y, s=["f", "f", None, "m", "f", "m"])
    with refused(MissingValueError, 's column "sex" has 1 missing', "row 1"):
        p_rule(Y, s=pd.Series(["f", None, "m", "m", "f", "m"], name="sex"))
    with refused(MissingValueError, 's column "race"', "2 missing values"):
        p_rule(Y, s=pd.DataFrame({"sex": S, "race": ["a", None, "b", "a", None, "b"]}))
    with refused(MissingValueError, "y_pred has 1 NaN or infinite", "row 0"):
        mean_distance([np.nan, 1, 2, 3, 4, 5], s=S)
    with refused(MissingValueError, "y_pred", "row 3"):
        auc([1, 2, 3, np.inf, 4, 5], s=S)
    with refused(MissingValueError, "y_true"):
        rmse([1.0, 2.0], y_true=[1.0, np.nan])
    with refused(MissingValueError, "sample_weight"):
        p_rule(Y, s=S, sample_weight=[1, 1, 1, np.nan, 1, 1])


def test_scores_are_no_decisions():
    with refused(MetricError, "scores (such as 0.3)", "mean_distance", "ratio_along_cut"):
        p_rule([0.3, 1, 0, 1, 0, 1], s=S)


def test_text_is_no_score():
    with refused(MetricError, "y_pred holds text", '"no", "yes"', "p_rule"):
        mean_distance(["yes", "no", "yes", "no", "yes", "no"], s=S)


def test_labels_that_are_not_0_and_1_need_a_positive_one():
    with refused(MetricError, '"no", "yes"', "pos_label="):
        p_rule(["yes", "no", "yes", "no", "yes", "yes"], s=S)
    with refused(MetricError, '"-1", "1"', "pos_label="):
        p_rule([1, -1, 1, -1, 1, 1], s=S)
    assert p_rule(["yes", "no", "yes", "no", "yes", "yes"], s=S, pos_label="yes") == p_rule(Y, s=S)
    assert p_rule([1, -1, 1, -1, 1, 1], s=S, pos_label=1) == p_rule(Y, s=S)
    assert p_rule(np.array(Y, dtype=bool), s=S) == p_rule(Y, s=S)
    assert p_rule(np.array(Y, dtype=float), s=S) == p_rule(Y, s=S)


def test_one_of_several_classes_against_the_rest():
    assert p_rule([2, 0, 2, 1, 2, 2], s=S, pos_label=2) == p_rule(Y, s=S)


def test_a_positive_label_that_does_not_occur_is_a_slip_unless_nobody_is_positive():
    with refused(MetricError, "pos_label='maybe'", '"no", "yes"'):
        p_rule(["yes", "no"] * 3, s=S, pos_label="maybe")
    with refused(MetricError, "pos_label='1'", "text"):
        p_rule(Y, s=S, pos_label="1")
    with refused(MetricError, "pos_label=1"):
        p_rule(["0"] * 6, s=S, pos_label=1)
    assert selection_rate(["no"] * 6, pos_label="yes").value == 0.0
    assert selection_rate([3] * 6, pos_label=4).value == 0.0


def test_a_constant_s_is_refused():
    for metric in (p_rule, mean_distance, auc, metrics.parity_difference, metrics.homogeneity):
        with refused(MetricError, "s is constant", "all 6 rows", '"f"'):
            metric(Y, s=["f"] * 6)
    with refused(MetricError, "constant"):
        correlation([1, 2, 3], s=[1.0, 1.0, 1.0])


def test_s_with_as_many_levels_as_rows_asks_what_it_is():
    names = [f"person {j}" for j in range(6)]
    for metric in (p_rule, mean_distance, auc):
        with refused(MetricError, "6 levels for 6 rows: numeric or categorical?"):
            metric(Y, s=names)
        with refused(MetricError, "numeric or categorical?", "correlation", ".astype(str)"):
            metric(Y, s=np.arange(6) * 1.5)
    with refused(MetricError, "numeric or categorical?"):
        correlation(Y, s=names)
    with refused(MetricError, "category of 3 levels", "multiple_r2"):
        correlation(Y, s=list("abcabc"))


def test_a_number_of_two_values_forms_groups_and_a_category_of_numbers_does():
    assert p_rule(Y, s=[3.5, 3.5, 7, 7, 3.5, 7]).value == p_rule(Y, s=S).value
    three = pd.Series([1, 1, 2, 2, 3, 3], dtype="category")
    assert p_rule(Y, s=three).n == 6
    with refused(MetricError, "3 different numbers"):
        p_rule(Y, s=[1, 1, 2, 2, 3, 3])


def test_a_category_that_no_row_has_is_no_group():
    declared = pd.Series(pd.Categorical(S, categories=["f", "m", "x"]))
    assert p_rule(Y, s=declared) == p_rule(Y, s=S)


def test_weights():
    with refused(TableError, "negative", "row 1"):
        p_rule(Y, s=S, sample_weight=[1, -1, 1, 1, 1, 1])
    with refused(TableError, "zero"):
        p_rule(Y, s=S, sample_weight=np.zeros(6))
    with refused(MetricError, "s is constant"):  # a row of weight zero is not there
        p_rule(Y, s=S, sample_weight=[1, 1, 0, 0, 1, 0])
    with refused(ParameterError, "1e+80"):
        p_rule(Y, s=S, sample_weight=np.full(6, 1e80))


def test_clusters():
    with refused(MetricError, "cluster holds one value"):
        p_rule(Y, s=S, cluster=["same"] * 6)
    by_name, by_number = (accuracy(Y, y_true=Y[::-1], cluster=c) for c in (list("aabbcc"), [7, 7, 8, 8, 9, 9]))
    assert by_name == by_number


@pytest.mark.parametrize("confidence", [0, 1, 95, -0.1, "0.9", None, True])
def test_confidence_lies_between_0_and_1(confidence):
    with refused(ParameterError, "confidence must lie between 0 and 1"):
        p_rule(Y, s=S, confidence=confidence)
    with refused(ParameterError, "confidence"):
        rmse(Y, y_true=Y, confidence=confidence)


@pytest.mark.parametrize("size", [0, -1, 2.5, True, "3"])
def test_a_least_size_is_a_whole_number(size):
    with refused(ParameterError, "min_group_size"):
        p_rule(Y, s=S, min_group_size=size)


def test_no_rows_and_no_arrays():
    with refused(TableError, "y_pred is empty"):
        p_rule([], s=[])
    with refused(TableError, "s is None"):
        p_rule(Y, s=None)
    with refused(TableError, "'sex'", "one for each row"):
        p_rule(Y, s="sex")
    with refused(TableError, "y_pred has 2 columns"):
        p_rule(np.zeros((6, 2)), s=S)
    with refused(TableError, "no column"):
        p_rule(Y, s={})


def test_dates_and_mixed_kinds():
    with refused(KindError, "dates"):
        p_rule(Y, s=pd.Series(pd.date_range("2020-01-01", periods=6)))
    with refused(KindError, "mixes kinds"):
        p_rule(Y, s=["a", 1, "b", 2, "a", 1])


def test_kinds_of_classes_that_are_never_equal():
    with refused(MetricError, "text and numbers are never equal"):
        accuracy([1, 0], y_true=["1", "0"])
    with refused(MetricError, "scores (such as 0.5)", "rmse"):
        accuracy([0.5, 1.0], y_true=[0, 1])
    assert accuracy([1.0, 0.0, 1.0], y_true=[True, False, False]).value == pytest.approx(2 / 3)


def test_numbers_whose_squares_overflow():
    with refused(MetricError, "1e+75", "overflow"):
        mean_distance([1e80, 1, 2, 3, 4, 5], s=S)
    with refused(MetricError, "overflow"):
        rmse([1e70, 1.0], y_true=[-1e70, 1.0])


def test_nothing_that_is_passed_is_written_to():
    y, s, w = np.array([0.3, 0.1, 0.7, 0.9]), np.array([0, 1, 0, 1]), np.array([1.0, 2.0, 0.0, 1.0])
    for array in (y, s, w):
        array.flags.writeable = False
    for metric in (mean_distance, auc, correlation, metrics.standardised_difference):
        metric(y, s=s, sample_weight=w)
