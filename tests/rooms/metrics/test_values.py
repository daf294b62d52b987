"""Values and intervals against scikit-learn, fairlearn, statsmodels and scipy where they define the same thing."""

from pathlib import Path

import fairlearn.metrics as fl
import numpy as np
import pytest
import sklearn.metrics as sk
import statsmodels.api as sm
from scipy import stats
from sklearn.linear_model import LinearRegression

from tests.rooms.samples import refused
from twosdr import metrics as m
from twosdr.errors import MetricError, ParameterError
from twosdr.metrics import _reading as reading
from twosdr.metrics.quantile_rates import binned

CLOSE = 1e-12


def rows(n=300, seed=0):
    chance = np.random.default_rng(seed)
    s = np.array(["a", "b", "c"])[chance.integers(0, 3, n)]
    y = (chance.random(n) < 0.4).astype(int)
    y_pred = (chance.random(n) < np.where(y == 1, 0.6, 0.2) + 0.1 * (s == "a")).astype(int)
    return y_pred, s, y, chance.random(n) + 0.1


def numbers(n=200, seed=1):
    chance = np.random.default_rng(seed)
    s = chance.normal(size=n)
    z = 0.5 * s + chance.normal(size=n)
    y_hat = 0.4 * s + z + chance.normal(size=n) * (1 + abs(s))
    return y_hat, s, z, chance.random(n) + 0.1


@pytest.mark.parametrize("weighted", [False, True])
def test_what_fairlearn_and_scikit_learn_define_too_has_their_value(weighted):
    y_pred, s, y, w = rows()
    w = w if weighted else None
    same = {
        m.selection_rate(y_pred, sample_weight=w): fl.selection_rate(y, y_pred, sample_weight=w),
        m.true_positive_rate(y_pred, y_true=y, sample_weight=w): fl.true_positive_rate(y, y_pred, sample_weight=w),
        m.false_positive_rate(y_pred, y_true=y, sample_weight=w): fl.false_positive_rate(y, y_pred, sample_weight=w),
        m.accuracy(y_pred, y_true=y, sample_weight=w): sk.accuracy_score(y, y_pred, sample_weight=w),
        m.balanced_accuracy(y_pred, y_true=y, sample_weight=w): sk.balanced_accuracy_score(y, y_pred, sample_weight=w),
        m.p_rule(y_pred, s=s, sample_weight=w): fl.demographic_parity_ratio(
            y, y_pred, sensitive_features=s, sample_weight=w
        ),
        m.parity_difference(y_pred, s=s, sample_weight=w): fl.demographic_parity_difference(
            y, y_pred, sensitive_features=s, sample_weight=w
        ),
        m.tpr_gap(y_pred, s=s, y_true=y, sample_weight=w): fl.equal_opportunity_difference(
            y, y_pred, sensitive_features=s, sample_weight=w
        ),
    }
    for ours, theirs in same.items():
        assert float(ours) == pytest.approx(theirs, rel=CLOSE), ours.method
    gaps = [gap(y_pred, s=s, y_true=y, sample_weight=w).value for gap in (m.tpr_gap, m.fpr_gap)]
    theirs = fl.equalized_odds_difference(y, y_pred, sensitive_features=s, sample_weight=w)
    assert max(gaps) == pytest.approx(theirs, rel=CLOSE)


@pytest.mark.parametrize("weighted", [False, True])
def test_scores_have_scikit_learns_values(weighted):
    y_hat, s, _, w = numbers()
    w = w if weighted else None
    y = y_hat + s
    assert float(m.rmse(y_hat, y_true=y, sample_weight=w)) == pytest.approx(
        sk.root_mean_squared_error(y, y_hat, sample_weight=w), rel=CLOSE
    )
    assert float(m.r2(y_hat, y_true=y, sample_weight=w)) == pytest.approx(
        sk.r2_score(y, y_hat, sample_weight=w), rel=1e-10
    )
    member = (s > 0).astype(int)
    rounded = np.round(y_hat, 1)
    for score in (y_hat, rounded):
        assert float(m.auc(score, s=member, sample_weight=w)) == pytest.approx(
            sk.roc_auc_score(member, score, sample_weight=w), rel=1e-11
        )
    assert float(m.mean_score(y_hat, sample_weight=w)) == pytest.approx(np.average(y_hat, weights=w), rel=CLOSE)


def test_balanced_accuracy_of_several_classes():
    chance = np.random.default_rng(3)
    y, guess = chance.integers(0, 4, (2, 200))
    assert float(m.balanced_accuracy(guess, y_true=y)) == pytest.approx(sk.balanced_accuracy_score(y, guess), rel=CLOSE)


def test_mean_distance_is_welchs_test():
    y_hat, s, _, _ = numbers()
    member = s > 0.7
    found = m.mean_distance(y_hat, s=member)
    theirs = stats.ttest_ind(y_hat[member], y_hat[~member], equal_var=False).confidence_interval(0.95)
    assert found.interval == pytest.approx(tuple(theirs), rel=1e-9)


def test_mean_distance_of_weighted_rows_has_the_robust_error_of_weighted_least_squares():
    y_hat, s, _, w = numbers()
    member = (s > 0).astype(float)
    fit = sm.WLS(y_hat, sm.add_constant(member), weights=w).fit(cov_type="HC0")
    found = m.mean_distance(y_hat, s=member, sample_weight=w)
    assert found.value == pytest.approx(abs(fit.params[1]), rel=1e-9)
    error = (found.interval[1] - found.interval[0]) / 2 / stats.norm.ppf(0.975)
    assert error == pytest.approx(fit.bse[1], rel=0.02)  # HC0 has no n / (n - 1), and theirs is the normal quantile


def test_mean_distance_of_clusters_has_the_cluster_robust_error_of_least_squares():
    y_hat, s, _, _ = numbers(400)
    code = np.repeat(np.arange(80), 5)
    member = (s > 0).astype(float)
    fit = sm.OLS(y_hat, sm.add_constant(member)).fit(
        cov_type="cluster", cov_kwds={"groups": code, "use_correction": False}
    )
    found = m.mean_distance(y_hat, s=member, cluster=code)
    error = (found.interval[1] - found.interval[0]) / 2 / stats.t.ppf(0.975, 150)
    assert error == pytest.approx(fit.bse[1], rel=0.03)


def test_correlations_are_scipys_and_statsmodels():
    y_hat, s, z, w = numbers()
    assert float(m.correlation(y_hat, s=s)) == pytest.approx(abs(stats.pearsonr(y_hat, s).statistic), rel=1e-11)
    weighted = np.cov(y_hat, s, aweights=w, ddof=0)
    assert float(m.correlation(y_hat, s=s, sample_weight=w)) == pytest.approx(
        abs(weighted[0, 1]) / np.sqrt(weighted[0, 0] * weighted[1, 1]), rel=1e-11
    )
    of_y, of_s = (sm.OLS(v, sm.add_constant(np.column_stack([z, z**2]))).fit().resid for v in (y_hat, s))
    assert float(m.partial_correlation(y_hat, s=s, z={"z": z, "z2": z**2})) == pytest.approx(
        abs(np.corrcoef(of_y, of_s)[0, 1]), rel=1e-10
    )


def test_multiple_r2_is_that_of_the_regression_on_s():
    y_hat, s, z, w = numbers()
    group = np.array(["a", "b", "c"])[np.arange(len(s)) % 3]
    design = np.column_stack([s, group == "b", group == "c"])
    fit = LinearRegression().fit(design, y_hat, sample_weight=w)
    found = m.multiple_r2(y_hat, s={"s": s, "group": group}, sample_weight=w)
    assert found.value == pytest.approx(fit.score(design, y_hat, sample_weight=w), rel=1e-10)
    assert float(m.multiple_r2(y_hat, s=s)) == pytest.approx(float(m.correlation(y_hat, s=s)) ** 2, rel=1e-10)
    assert m.multiple_r2(z, s=np.random.default_rng(0).normal(size=len(z))).interval[0] == 0.0
    assert m.multiple_r2(y_hat, s=np.column_stack([s, 2 * s, z])).value < 1


def test_the_standardised_difference_is_cohens_d():
    y_hat, s, _, _ = numbers()
    one, two = y_hat[s > 0], y_hat[s <= 0]
    d = (one.mean() - two.mean()) / np.sqrt((one.var(ddof=1) + two.var(ddof=1)) / 2)
    assert float(m.standardised_difference(y_hat, s=s > 0)) == pytest.approx(abs(d), rel=1e-11)


def test_more_than_two_groups_give_the_worst_pair():
    y_pred, s, _, _ = rows()
    rate = {level: y_pred[s == level].mean() for level in "abc"}
    assert float(m.p_rule(y_pred, s=s)) == pytest.approx(min(rate.values()) / max(rate.values()))
    assert float(m.parity_difference(y_pred, s=s)) == pytest.approx(max(rate.values()) - min(rate.values()))
    y_hat = np.random.default_rng(5).normal(size=len(s)) + (s == "b")
    mean = [y_hat[s == level].mean() for level in "abc"]
    assert float(m.mean_distance(y_hat, s=s)) == pytest.approx(max(mean) - min(mean))
    worst = max(float(m.standardised_difference(y_hat[s != out], s=s[s != out])) for out in "abc")
    assert float(m.standardised_difference(y_hat, s=s)) == pytest.approx(worst)


def test_the_interval_of_many_groups_is_wider_than_that_of_its_worst_pair():
    y_pred, s, _, _ = rows()
    found = m.p_rule(y_pred, s=s)
    ratios = m.pairwise_ratios(y_pred, s=s)
    pair = min(ratios, key=lambda key: ratios[key].value)
    alone = m.p_rule(y_pred[np.isin(s, pair)], s=s[np.isin(s, pair)])
    assert alone.value == found.value
    assert found.interval[0] < alone.interval[0]
    assert "Sidak over 3" in found.method
    assert "noise ceiling" in found.method


def test_pairwise_ratios_put_the_lower_rate_first():
    found = m.pairwise_ratios([1, 1, 1, 0, 0, 0, 0, 0], s=list("aabbccdd"))
    assert {pair: e.value for pair, e in found.items()} == {
        **{("b", "a"): 0.5, ("c", "a"): 0.0, ("d", "a"): 0.0},
        **{("c", "b"): 0.0, ("d", "b"): 0.0, ("c", "d"): None},
    }
    assert "0 to 0" in found["c", "d"].why


def test_homogeneity_is_pearsons_chi_squared():
    y_pred, s, _, _ = rows()
    table = np.array([[np.sum(y_pred[s == g] == v) for v in (0, 1)] for g in "abc"])
    theirs = stats.chi2_contingency(table, correction=False)
    found = m.homogeneity(y_pred, s=s)
    assert (found.statistic, found.p_value, found.df) == pytest.approx((theirs.statistic, theirs.pvalue, 2))
    assert m.homogeneity(np.ones(6), s=list("aabbcc")) is None
    clustered = m.homogeneity(y_pred, s=s, cluster=np.arange(len(s)))
    assert clustered.statistic == pytest.approx(
        found.statistic, rel=0.2
    )  # Wald's is another statistic of the same hypothesis


def test_several_columns_of_s_are_crossed_and_small_groups_left_out_by_name():
    y_pred, s, _, _ = rows()
    sex = np.where(np.arange(len(s)) % 2, "f", "m")
    both = m.p_rule(y_pred, s={"race": s, "sex": sex})
    joined = m.p_rule(y_pred, s=np.char.add(s, sex))
    assert (both.value, both.interval) == (joined.value, joined.interval)
    rare = s.copy()
    rare[:3] = "z"
    found = m.p_rule(y_pred, s=rare, min_group_size=10)
    assert 'left out for fewer than 10 rows: "z"' in found.method
    assert found.n == len(s) - 3
    nobody = m.p_rule(y_pred, s=rare, min_group_size=1000)
    assert nobody.value is None
    assert "min_group_size=1000" in nobody.why


def test_tiny_groups():
    one = m.p_rule([1, 0, 1], s=["a", "b", "b"])
    assert one.value == 0.5
    assert one.interval[0] < 0.5 < one.interval[1] == 1.0
    assert m.mean_distance([1, 2, 3], s=["a", "b", "b"]).value == 1.5
    assert "1 row" in m.mean_distance([1, 2, 3], s=["a", "b", "b"]).why
    assert m.mean_distance([1, 2, 3, 4], s=list("aabb")).interval is not None
    alone = m.auc([1, 2, 3], s=["a", "b", "b"])
    assert (alone.value, alone.interval) == (1.0, None)
    assert "each group needs 2 rows" in alone.why
    assert "1 row" in m.standardised_difference([1, 2, 3], s=["a", "b", "b"]).why
    assert "too few" in m.correlation([1, 2, 4], s=[1, 2, 3]).why


def test_zero_to_something_is_zero_and_zero_to_zero_is_no_number():
    found = m.p_rule([0, 0, 0, 1], s=list("aabb"))
    assert found.value == 0.0
    assert found.interval[0] == 0.0 < found.interval[1]
    nothing = m.p_rule([0, 0, 0, 0], s=list("aabb"))
    assert nothing.value is None
    assert "0 to 0 is no ratio" in nothing.why
    with refused(MetricError, "0 to 0"):
        float(nothing)
    overridden = m.p_rule([0, 0, 0, 0], s=list("aabb"), zero_division=1.0)
    assert (overridden.value, overridden.interval) == (1.0, None)
    assert "zero_division=1.0" in overridden.why
    everybody = m.p_rule([1, 1, 1, 1], s=list("aabb"))
    assert everybody.value == 1.0
    assert everybody.interval[1] == 1.0


def test_a_gap_without_a_row_of_that_label_is_no_number():
    found = m.tpr_gap([1, 0, 1, 1], s=list("aabb"), y_true=[1, 1, 0, 0])
    assert found.value is None
    assert 'nobody in "b" has y_true=1' in found.why
    assert m.tpr_gap([1, 0, 1, 1], s=list("aabb"), y_true=[1, 1, 0, 0], zero_division=0).value == 0.0
    assert m.fpr_gap([1, 0, 1, 1, 1, 0], s=list("aabbcc"), y_true=[1, 0, 0, 0, 0, 1], min_group_size=1).value == 1.0
    assert m.true_positive_rate([1, 0], y_true=[0, 0]).value is None
    assert m.true_positive_rate([1, 0], y_true=[0, 0], zero_division=0.0).value == 0.0
    three = m.tpr_gap([1, 0, 1, 1, 1, 1], s=list("aabbcc"), y_true=[1, 1, 0, 0, 1, 1], min_group_size=2)
    assert three.value == 0.5
    assert '"b"' in three.method


def test_constant_scores_and_exact_fits_say_why():
    s = [0, 1, 0, 1]
    assert "same number" in m.correlation([2, 2, 2, 2], s=s).why
    assert "same number" in m.multiple_r2([2, 2, 2, 2], s=s).why
    assert "do not vary" in m.standardised_difference([1, 2, 1, 2], s=s).why
    assert m.mean_distance([2, 2, 2, 2], s=s).interval == (0.0, 0.0)
    assert m.auc([2, 2, 2, 2], s=s).value == 0.5
    assert "on a line" in m.correlation([1, 2, 3, 4], s=[1, 2, 3, 4]).why
    assert "constant" in m.r2([1, 2], y_true=[3, 3]).why
    assert "no row has an error" in m.r2([1, 2], y_true=[1, 2]).why
    assert m.rmse([1, 2], y_true=[1, 2]).value == 0.0
    assert "z determines s" in m.partial_correlation([1, 2, 3, 5], s=s, z=s).why
    assert "z determines the prediction" in m.partial_correlation([1, 2, 3, 4], s=s, z=[1, 2, 3, 4]).why


def test_quantile_bins_hold_equal_shares_and_keep_ties_together():
    s = np.arange(100)
    y = (s >= 90) | (s < 10)
    assert m.quantile_rates(y, s=s, bins=10).value == 0.0
    assert m.quantile_rates(s % 2 == 0, s=s, bins=10).value == 1.0
    tied = np.repeat([1.0, 2.0, 3.0], [80, 10, 10])
    by = binned(tied, 3, reading.beside(100))
    assert by.levels == ("1 to 1", "2 to 3")  # 80 rows of one value fill a bin; the middle of theirs lies in the second
    assert np.bincount(by.codes).tolist() == [80, 20]
    weighted = binned(np.array([1.0, 2.0, 3.0]), 2, reading.beside(3, [2, 1, 1]))
    assert weighted.codes.tolist() == [0, 1, 1]
    with refused(MetricError, "constant"):
        m.quantile_rates([1, 0], s=[3, 3])
    with refused(ParameterError, "bins"):
        m.quantile_rates([1, 0], s=[3, 4], bins=1)


def test_the_noise_ceiling_is_what_equal_rates_show():
    chance = np.random.default_rng(0)
    sizes, rate = np.array([300, 90]), 0.3
    drawn = chance.binomial(sizes, rate, (20_000, 2)) / sizes
    shown = (drawn.min(axis=1) / drawn.max(axis=1)).mean()
    assert m.noise_ceiling(sizes, rate) == pytest.approx(
        shown, abs=0.014
    )  # the study's own figure for the normal limit
    five = np.array([20, 50, 100, 200, 400])
    drawn = chance.binomial(five, rate, (20_000, 5)) / five
    assert m.noise_ceiling(five, rate) == pytest.approx((drawn.min(axis=1) / drawn.max(axis=1)).mean(), abs=0.01)
    assert m.noise_ceiling([10, 10], 1.0) == 1.0
    assert m.noise_ceiling([1, 1], 1e-9) == pytest.approx(0.0, abs=1e-3)
    with refused(MetricError, "two groups or more"):
        m.noise_ceiling([10], 0.5)
    with refused(MetricError, "rate above 0"):
        m.noise_ceiling([10, 10], 0.0)


def test_conditional_disparity_is_the_weighted_sum_over_strata():
    y_pred, s, _, w = rows()
    z = np.array(["x", "y"])[(np.arange(len(s)) // 7) % 2]
    expected = 0.0
    for stratum in "xy":
        at = z == stratum
        shares = [np.average(s[at & (y_pred == v)] == "a", weights=w[at & (y_pred == v)]) for v in (0, 1)]
        expected += w[at].sum() / w.sum() * (shares[0] - shares[1])
    found = m.conditional_disparity(y_pred, s=s, z=z, level="a", sample_weight=w)
    assert found.value == pytest.approx(expected)
    assert found.interval[0] < expected < found.interval[1]
    one = m.conditional_disparity(y_pred, s=s == "a", z=z, sample_weight=w)
    assert one.value == pytest.approx(abs(expected))
    with refused(MetricError, "3 groups", "level="):
        m.conditional_disparity(y_pred, s=s, z=z)
    with refused(MetricError, "level='q'"):
        m.conditional_disparity(y_pred, s=s, z=z, level="q")
    with refused(MetricError, "300 values for 300 rows", "explained_disparity"):
        m.conditional_disparity(y_pred, s=s, z=np.arange(300.0), level="a")
    nothing = m.conditional_disparity([1, 1, 0, 0], s=list("abab"), z=list("xxyy"))
    assert "all or nobody" in nothing.why
    partly = m.conditional_disparity([1, 1, 0, 1, 0, 1], s=list("ababab"), z=list("xxyyyy"))
    assert "1 of them left out" in partly.method
    assert partly.n == 4


def test_by_group_is_the_metric_on_each_groups_rows():
    y_pred, s, y, w = rows()
    rates = m.by_group("selection_rate", y_pred, s=s, sample_weight=w)
    for level in "abc":
        assert rates[level] == m.selection_rate(y_pred[s == level], sample_weight=w[s == level])
    right = m.by_group(m.accuracy, y_pred, s=s, y_true=y)
    assert right["b"] == m.accuracy(y_pred[s == "b"], y_true=y[s == "b"])
    small = m.by_group("accuracy", [1, 0, 1], s=["a", "a", "b"], y_true=[1, 1, 1], min_group_size=2)
    assert small["a"].value == 0.5
    assert (small["b"].value, small["b"].n) == (None, 1)
    assert "min_group_size=2" in small["b"].why
    nothing = m.by_group("true_positive_rate", [1, 0, 1], s=["a", "a", "b"], y_true=[1, 1, 0])
    assert "no row has y=1" in nothing["b"].why
    clustered = m.by_group("accuracy", y_pred, s=s, y_true=y, cluster=np.arange(len(s)) // 3)
    assert "by clusters" in clustered["a"].method
    with refused(ParameterError, "no metric 'acuracy'", 'Did you mean "accuracy"?'):
        m.by_group("acuracy", y_pred, s=s, y_true=y)


def test_every_answer_says_for_whom_its_interval_is():
    y_pred, s, y, _ = rows()
    for found in (
        m.p_rule(y_pred, s=s),
        m.accuracy(y_pred, y_true=y),
        m.auc(y_pred, s=s == "a"),
        m.selection_rate(y_pred),
    ):
        assert found.method.endswith("for the model as given, on rows it was not chosen on")


def test_clusters_of_one_row_change_little_and_clusters_that_agree_widen_the_interval():
    y_pred, s, y, _ = rows(400)
    y_hat = y_pred + np.random.default_rng(0).normal(size=400)
    singles, doubled = np.arange(400), np.repeat(np.arange(400), 4)
    calls = {
        "p_rule": lambda k, **more: m.p_rule(np.repeat(y_pred, k), s=np.repeat(s == "a", k), **more),
        "mean_distance": lambda k, **more: m.mean_distance(np.repeat(y_hat, k), s=np.repeat(s == "a", k), **more),
        "auc": lambda k, **more: m.auc(np.repeat(y_hat, k), s=np.repeat(s == "a", k), **more),
        "correlation": lambda k, **more: m.correlation(np.repeat(y_hat, k), s=np.repeat(y, k), **more),
        "accuracy": lambda k, **more: m.accuracy(np.repeat(y_pred, k), y_true=np.repeat(y, k), **more),
        "rmse": lambda k, **more: m.rmse(np.repeat(y_hat, k), y_true=np.repeat(y, k), **more),
        "mean_score": lambda k, **more: m.mean_score(np.repeat(y_hat, k), **more),
        "tpr_gap": lambda k, **more: m.tpr_gap(
            np.repeat(y_pred, k), s=np.repeat(s == "a", k), y_true=np.repeat(y, k), **more
        ),
        "r2": lambda k, **more: m.r2(np.repeat(y_hat, k), y_true=np.repeat(y, k), **more),
        "balanced": lambda k, **more: m.balanced_accuracy(np.repeat(y_pred, k), y_true=np.repeat(y, k), **more),
        "standardised": lambda k, **more: m.standardised_difference(
            np.repeat(y_hat, k), s=np.repeat(s == "a", k), **more
        ),
    }
    for name, call in calls.items():
        plain, single, copies = call(1), call(1, cluster=singles), call(4, cluster=doubled)
        assert single.value == pytest.approx(plain.value), name
        width = [np.ptp(e.interval) for e in (plain, single, copies)]
        assert width[1] == pytest.approx(width[0], rel=0.1), name
        # A copy of a row in its cluster is no news; but unbiased variances count rows.
        assert width[2] == pytest.approx(width[1], rel=1e-2 if name == "standardised" else 1e-6), name
        assert "by clusters" in copies.method


def test_clusters_in_which_nothing_varies_count_as_rows():
    y, s = np.repeat([0, 1, 0, 1], [20, 5, 10, 5]), np.repeat(["a", "b"], [20, 20])
    code = np.arange(40) // 4
    found = m.p_rule(y, s=s, cluster=code)
    assert found.value == 0.0
    assert found.interval[0] == 0.0
    assert found.interval[1] > m.p_rule(y, s=s).interval[1]  # 5 clusters say less than 20 rows
    rate = m.selection_rate(np.zeros(40, dtype=int), cluster=code)
    assert rate.interval[1] > m.selection_rate(np.zeros(40, dtype=int)).interval[1]


def test_a_group_within_one_cluster_has_no_interval():
    s, code = list("aaabbb"), [1, 1, 1, 2, 3, 4]
    y, y_hat = [1, 0, 1, 1, 0, 0], [1.0, 2, 3, 4, 5, 7]
    assert "fewer than 2" in m.mean_distance(y_hat, s=s, cluster=code).why
    assert m.p_rule(y, s=s, cluster=code).interval == (0.0, 1.0)  # nothing is known, and the value stands
    assert "2 clusters" in m.auc(y_hat, s=s, cluster=code).why
    assert "1 cluster" in m.balanced_accuracy(y, y_true=[1, 1, 1, 0, 0, 0], cluster=code).why
    assert m.homogeneity(y, s=s, cluster=code) is None
    assert "fewer than 2 clusters" in m.true_positive_rate(y, y_true=[1, 1, 1, 0, 0, 0], cluster=code).why
    nested = m.auc([1, 2, 3, 4, 5, 6, 7, 8], s=[0, 0, 0, 0, 1, 1, 1, 1], cluster=[1, 1, 2, 2, 3, 3, 4, 4])
    assert "Wilson" in nested.method
    assert nested.interval[0] < 0.5


def test_one_row():
    assert m.accuracy([1], y_true=[1]).value == 1.0
    assert "one row" in m.rmse([1.0], y_true=[2.0]).why
    assert "one row" in m.mean_score([1.0]).why
    assert "too few" in m.r2([1.0, 2.0], y_true=[2.0, 3.0]).why


def test_a_weight_that_every_row_shares_leaves_the_size_alone_and_unequal_ones_do_not():
    y_pred, s, _, _ = rows()
    even, uneven = np.full(len(s), 2.0), np.where(np.arange(len(s)) % 10, 0.1, 10.0)
    plain = m.p_rule(y_pred, s=s).interval
    assert m.p_rule(y_pred, s=s, sample_weight=even).interval == pytest.approx(plain)
    assert np.ptp(m.p_rule(y_pred, s=s == "a", sample_weight=uneven).interval) > np.ptp(
        m.p_rule(y_pred, s=s == "a").interval
    )


def test_many_groups_are_counted_too():
    chance = np.random.default_rng(0)
    s = chance.integers(0, 40, 4000).astype(str)
    y = chance.random(4000) < 0.5
    found = m.by_group("selection_rate", y, s=s)
    assert {level: e.value for level, e in found.items()} == {level: y[s == level].mean() for level in np.unique(s)}
    assert len(m.by_group("selection_rate", y, s={"a": s, "b": chance.integers(0, 40, 4000).astype(str)})) > 1000


@pytest.mark.parametrize("name", sorted(m.METRICS))
def test_every_metric_has_its_line_in_the_docs(name):
    page = (Path(__file__).parents[3] / "docs" / "metrics.md").read_text(encoding="utf-8")
    assert f"| `{name}` |" in page


def test_a_rate_of_few_clusters_has_the_error_of_their_sums_and_students_reach():
    chance = np.random.default_rng(4)
    many, of = 12, 50
    y = (chance.random(many * of) < np.repeat(chance.uniform(0.2, 0.6, many), of)).astype(int)
    found = m.selection_rate(y, cluster=np.repeat(np.arange(many), of))
    by_cluster = y.reshape(many, of).mean(axis=1)
    expected = stats.t.ppf(0.975, many - 1) * by_cluster.std(ddof=1) / np.sqrt(many)
    assert np.ptp(found.interval) / 2 == pytest.approx(expected, rel=0.05)  # Wilson's is shorter by the square of that


@pytest.mark.parametrize("name", ["conditional_disparity", "multiple_r2"])
def test_the_interval_agrees_with_a_bootstrap(name):
    y_hat, number, z, _ = numbers(400)
    s = number > 0
    if name == "multiple_r2":
        y_pred, given = y_hat, {"s": {"a": number, "b": z}}
    else:
        # The groups change places between the strata, so that the shares of the strata matter most.
        y_pred, given = (s ^ (z > 0) ^ (y_hat > 3)).astype(int), {"s": s, "z": z > 0, "level": True}
    ours, theirs = m.METRICS[name].function(y_pred, **given), m.bootstrap(name, y_pred, repeats=200, **given)
    assert np.ptp(ours.interval) == pytest.approx(np.ptp(theirs.interval), rel=0.2)


def test_the_interval_of_multiple_r2_reaches_zero_unless_a_test_excludes_it():
    chance = np.random.default_rng(0)
    columns, noise = chance.normal(size=(60, 10)), chance.normal(size=60)
    found = m.multiple_r2(noise, s=columns)
    assert found.value > 0.1  # ten columns of sixty rows explain a sixth of anything
    assert found.interval[0] == 0.0
    assert m.multiple_r2(noise + 2 * columns[:, 0], s=columns).interval[0] > 0.3


def test_the_standardised_difference_of_skewed_scores_agrees_with_a_bootstrap():
    chance = np.random.default_rng(0)
    s = np.arange(600) % 3 == 0
    y_hat = np.where(s, 3 + chance.exponential(size=600), -chance.exponential(size=600))
    ours, theirs = (
        m.standardised_difference(y_hat, s=s),
        m.bootstrap("standardised_difference", y_hat, s=s, repeats=300),
    )
    assert np.ptp(ours.interval) == pytest.approx(np.ptp(theirs.interval), rel=0.15)
