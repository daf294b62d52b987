"""Cuts, streams, fairlearn's form, the bootstrap, distance correlation, the registry."""

import math
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from fairlearn.metrics import MetricFrame

from tests.rooms.samples import refused
from twosdr import metrics as m
from twosdr.errors import MetricError, ParameterError
from twosdr.metrics import METRICS, running
from twosdr.metrics.distance_correlation import _distances, _of_distances
from twosdr.metrics.registry import NEEDS


def rows(n=300, seed=0):
    chance = np.random.default_rng(seed)
    s = np.array(["a", "b", "c"])[chance.integers(0, 3, n)]
    y = (chance.random(n) < 0.4).astype(int)
    score = np.round(chance.normal(size=n) + y + 0.5 * (s == "a"), 1)
    return score, s, y, chance.random(n) + 0.1


# Cuts


@pytest.mark.parametrize("weighted", [False, True])
def test_each_cut_is_the_p_rule_of_its_decisions(weighted):
    score, s, _, w = rows()
    w = w if weighted else None
    cut = m.ratio_along_cut(score, s=s, sample_weight=w)
    assert 20 < len(cut.rate) < 99  # ties join some of the 99
    for j in range(0, len(cut.rate), 7):
        found = m.p_rule(score > cut.threshold[j], s=s, sample_weight=w)
        assert cut.p_rule[j] == pytest.approx(found.value, abs=1e-12)
        assert (cut.low[j], cut.high[j]) == pytest.approx(found.interval, abs=1e-6)
        assert cut.rate[j] == pytest.approx(m.selection_rate(score > cut.threshold[j], sample_weight=w).value)


def test_every_wanted_rate_is_reached_where_ties_allow_it():
    cut = m.ratio_along_cut(np.arange(10.0), s=[0, 1] * 5, rates=[0.5, 1.0])
    assert cut.rate.tolist() == [0.5, 1.0]
    assert cut.threshold.tolist() == [4.0, -np.inf]
    assert cut.p_rule[1] == 1.0
    assert cut.by_group.tolist() == [[0.4, 0.6], [1.0, 1.0]]
    with refused(ParameterError, "rates"):
        m.ratio_along_cut([1, 2], s=[0, 1], rates=[0.0])
    with refused(MetricError, "constant"):
        m.ratio_along_cut([1, 2], s=[0, 0])


# Streams


def test_an_unknown_or_whole_metric_does_not_stream():
    with refused(ParameterError, "no metric 'p_rul'", "p_rule"):
        running("p_rul")
    with refused(ParameterError, "auc needs ranks", "Additive are", "p_rule"):
        running("auc")
    with refused(ParameterError, '"s"', "update()"):
        running("p_rule", s=[1])
    with refused(ParameterError, '"nonsense"'):
        running("p_rule", nonsense=1)
    with refused(ParameterError, "cluster= does not stream"):
        running("accuracy").update([1], y_true=[1], cluster=[1])
    with refused(ParameterError, '"confidence"', "running()"):
        running("accuracy").update([1], y_true=[1], confidence=0.9)
    with refused(MetricError, "no row yet"):
        running("accuracy").value()
    with refused(ParameterError, "equal metrics"):
        running("accuracy") + running("rmse")
    with refused(ParameterError, "equal metrics"):
        running("p_rule") + running("p_rule", confidence=0.9)


def test_chunks_that_could_not_stand_alone_add_up():
    y, s = ["no", "yes", "no", "maybe", "yes", "no"], list("aabbcb")
    whole = m.p_rule(y, s=s, pos_label="yes")
    stream = running("p_rule", pos_label="yes")
    for at in range(6):  # one group, one label at a time
        stream = stream.update(y[at : at + 1], s=s[at : at + 1])
    assert stream.value() == whole
    assert stream.n == 6


def test_a_stream_refuses_in_the_end_what_the_function_refuses():
    stream = running("p_rule").update([1, 0], s=[1, 2]).update([1, 0], s=[2, 3])
    with refused(MetricError, "3 different numbers"):
        stream.value()
    with refused(MetricError, "s is constant"):
        running("p_rule").update([1, 0], s=["a", "a"]).value()
    with refused(MetricError, "3 levels for 3 rows"):
        running("mean_distance").update([1.0, 2, 3], s=["a", "b", "c"]).value()


def test_a_running_metric_is_a_value():
    first = running("mean_score").update([1.0, 2.0])
    second = first.update([6.0])
    assert (first.value().value, second.value().value) == (1.5, 3.0)
    with pytest.raises(TypeError):
        first + 1


# fairlearn's form


def test_metric_frame_takes_our_metrics():
    score, s, y, w = rows()
    y_pred = (score > 0.5).astype(int)
    names = [
        "selection_rate",
        "accuracy",
        "balanced_accuracy",
        "true_positive_rate",
        "false_positive_rate",
        "mean_score",
        "rmse",
        "r2",
    ]
    table = MetricFrame(
        metrics={name: m.as_fairlearn(name) for name in names},
        y_true=y,
        y_pred=y_pred,
        sensitive_features=s,
        sample_params={name: {"sample_weight": w} for name in names},
    ).by_group
    for name in names:
        given = {"y_true": y} if METRICS[name].takes("y_true") else {}
        ours = m.by_group(name, y_pred, s=s, sample_weight=w, **given)
        assert table[name].to_dict() == pytest.approx({level: float(e) for level, e in ours.items()}, rel=1e-12)


def test_metrics_with_s_take_sensitive_features():
    score, s, y, w = rows()
    y_pred = (score > 0.5).astype(int)
    call = m.as_fairlearn("p_rule")
    assert call(y, y_pred, sensitive_features=s, sample_weight=w) == m.p_rule(y_pred, s=s, sample_weight=w).value
    assert call.__name__ == "p_rule"
    assert math.isnan(call(y, 0 * y_pred, sensitive_features=s))
    assert m.as_fairlearn("p_rule", zero_division=1.0)(y, 0 * y_pred, sensitive_features=s) == 1.0
    assert m.as_fairlearn("tpr_gap")(y, y_pred, sensitive_features=s) == m.tpr_gap(y_pred, s=s, y_true=y).value
    for name in ("partial_correlation", "flip_rate", "ratio_along_cut", "explained_disparity", "conditional_disparity"):
        with refused(ParameterError, name, "call it as it is"):
            m.as_fairlearn(name)
    with refused(ParameterError, "no metric"):
        m.as_fairlearn("nonsense")


# The bootstrap


def test_the_bootstrap_agrees_with_the_formulas():
    score, s, y, w = rows()
    member = (s == "a").astype(int)
    calls = {
        "mean_distance": {"s": member},
        "auc": {"s": member},
        "correlation": {"s": score + y},
        "rmse": {"y_true": y},
        "mean_score": {"sample_weight": w},
        "standardised_difference": {"s": member},
        "partial_correlation": {"s": y, "z": {"s": s}},
        "r2": {"y_true": score + y},
    }
    for name, given in calls.items():
        ours, theirs = METRICS[name].function(score, **given), m.bootstrap(name, score, repeats=300, **given)
        assert theirs.value == ours.value
        # 300 resamples know a standard deviation to 4 %; four of those and what the formulas leave out.
        assert np.ptp(theirs.interval) == pytest.approx(np.ptp(ours.interval), rel=0.2), name
        assert "300 resamples, seed 0" in theirs.method
    again = [m.bootstrap("auc", score, s=member, repeats=50, random_state=seed).interval for seed in (1, 1, 2)]
    assert again[0] == again[1] != again[2]


def test_the_bootstrap_takes_whole_clusters():
    score, _, y, _ = rows()
    code = np.arange(300) // 2
    ours = m.rmse(np.repeat(score, 2), y_true=np.repeat(y, 2), cluster=np.repeat(np.arange(300), 2))
    theirs = m.bootstrap(
        "rmse", np.repeat(score, 2), y_true=np.repeat(y, 2), cluster=np.repeat(np.arange(300), 2), repeats=300
    )
    assert np.ptp(theirs.interval) == pytest.approx(np.ptp(ours.interval), rel=0.2)
    assert m.bootstrap("rmse", score, y_true=y, cluster=code, repeats=20).value == m.rmse(score, y_true=y).value


def test_no_bootstrap_of_a_worst_case():
    score, s, y, _ = rows()
    with refused(MetricError, "worst over 3 groups", "covers nothing", "pairwise_ratios"):
        m.bootstrap("p_rule", y, s=s)
    with refused(MetricError, "worst over"):
        m.bootstrap("quantile_rates", y, s=score)
    assert m.bootstrap("p_rule", y, s=s == "a", repeats=50).value == m.p_rule(y, s=s == "a").value
    with refused(ParameterError, "repeats"):
        m.bootstrap("accuracy", y, y_true=y, repeats=5)
    assert m.bootstrap("p_rule", 0 * y, s=s == "a").value is None
    rare = m.bootstrap("mean_distance", [1.0, 2, 3, 4], s=[0, 0, 0, 1], repeats=50)
    assert "resamples have no value" in rare.why


# Distance correlation


def by_definition(x, y):
    """The U-centred estimator, loop by loop (Székely and Rizzo 2014)."""
    n = len(x)

    def centred(v):
        d = np.abs(v[:, None] - v[None, :])
        u = d - d.sum(1, keepdims=True) / (n - 2) - d.sum(0, keepdims=True) / (n - 2) + d.sum() / ((n - 1) * (n - 2))
        return u * (1 - np.eye(n))

    def inner(a, b):
        return (a * b).sum() / (n * (n - 3))

    a, b = centred(x), centred(y)
    return inner(a, b) / math.sqrt(inner(a, a) * inner(b, b))


def test_distance_correlation_is_its_definition():
    chance = np.random.default_rng(0)
    x = chance.normal(size=80)
    y = x**2 + 0.2 * chance.normal(size=80)
    assert m.distance_correlation(y, s=x).value == pytest.approx(math.sqrt(by_definition(x, y)), rel=1e-10)
    assert m.distance_correlation(1e3 * y + 5, s=-x / 7).value == pytest.approx(
        math.sqrt(by_definition(x, y)), rel=1e-10
    )
    assert m.distance_correlation(y, s=np.column_stack([x, x])).value == pytest.approx(
        math.sqrt(by_definition(x, y)), rel=1e-8
    )


def test_its_interval_is_the_jackknifes():
    chance = np.random.default_rng(1)
    x = chance.normal(size=60)
    y = x + chance.normal(size=60)
    left_out = np.array([by_definition(np.delete(x, j), np.delete(y, j)) for j in range(60)])
    error = math.sqrt(59 / 60 * ((left_out - left_out.mean()) ** 2).sum())
    low, high = _of_distances(_distances(x[:, None]), _distances(y[:, None]), None, 0.95).interval
    assert (high**2 - low**2) / 2 / 1.96 == pytest.approx(math.hypot(error, math.sqrt(2 / (60 * 57))), rel=0.1)


def test_independent_columns_have_an_interval_that_holds_zero_and_seeds_repeat():
    chance = np.random.default_rng(2)
    x, y = chance.normal(size=(2, 4000))
    found = m.distance_correlation(y, s=x)
    assert found.interval[0] == 0.0
    assert found.value < 0.1
    assert "1500 of 4000 rows, seed 0" in found.method
    assert m.distance_correlation(y, s=x) == found
    assert m.distance_correlation(y, s=x, random_state=1) != found
    assert "drawn by weight" in m.distance_correlation(y, s=x, sample_weight=chance.random(4000)).method
    assert m.distance_correlation(y, s=x, cluster=np.arange(4000) // 10, max_rows=300).interval[0] == 0.0
    with refused(ParameterError, "max_rows"):
        m.distance_correlation(y, s=x, max_rows=3)
    with refused(MetricError, "constant"):
        m.distance_correlation(y[:20], s=np.ones(20))
    assert "too few" in m.distance_correlation([1, 2, 3], s=[1, 2, 4]).why
    assert "same number" in m.distance_correlation(np.ones(20), s=np.arange(20)).why


# The registry


def test_every_metric_says_what_it_needs_and_why_it_does_not_stream():
    for name, metric in METRICS.items():
        assert metric.name == name == metric.function.__name__
        assert metric.needs in NEEDS
        assert metric.additive != bool(metric.why_not)
        assert "Needs:" in metric.function.__doc__
        assert ">>>" in metric.function.__doc__
        assert getattr(m, name) is metric.function


def test_predictions_alone_travel_by_position():
    for metric in METRICS.values():
        positional = [p for p in metric.function.__code__.co_varnames[: metric.function.__code__.co_argcount]]
        assert len(positional) == (2 if metric.of == "model" else 1)
    with pytest.raises(TypeError):
        m.p_rule([1, 0], [0, 1])


def test_metrics_load_no_scikit_learn():
    code = "import sys; import twosdr.metrics; print(*sorted({'sklearn', 'pandas', 'matplotlib', 'fairlearn'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_categories_of_numbers_keep_their_kind_by_group_and_in_the_bootstrap():
    three = pd.Series([1, 1, 2, 2, 3, 3] * 5, dtype="category")
    y = [1, 0, 1, 1, 0, 1] * 5
    assert list(m.by_group("accuracy", y, s=three, y_true=y)) == [1, 2, 3]
    found = m.by_group("accuracy", y, s=[0, 1] * 15, y_true=three.cat.rename_categories({1: 0, 2: 1, 3: 2}))
    assert len(found) == 2
