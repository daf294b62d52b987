"""Interval formulas against other people's: scipy, statsmodels, published figures, and searches over a grid."""

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats import proportion

from twosdr.metrics import _intervals as ci
from twosdr.metrics import p_rule

CLOSE = 1e-9


def by_search(x1, n1, x0, n0, confidence=0.95):
    """The ratios that the score test does not reject, the likeliest rates found by search: Koopman's interval from its definition."""
    grid = np.exp(np.linspace(-6, 6, 4001))
    p0 = np.linspace(1e-6, 1 - 1e-6, 2001)[:, None]
    p1 = p0 * grid
    with np.errstate(divide="ignore", invalid="ignore"):
        fit = x1 * np.log(p1) + (n1 - x1) * np.log1p(-p1) + x0 * np.log(p0) + (n0 - x0) * np.log1p(-p0)
        best = np.argmax(np.where(p1 < 1, fit, -np.inf), axis=0)
        q0, q1 = p0[best, 0], p0[best, 0] * grid
        statistic = (x1 - n1 * q1) ** 2 / (n1 * q1 * (1 - q1)) + (x0 - n0 * q0) ** 2 / (n0 * q0 * (1 - q0))
    kept = grid[statistic < stats.chi2.ppf(confidence, 1)]
    return kept.min(), kept.max()


@pytest.mark.parametrize("counts", [(36, 40, 16, 80), (5, 20, 30, 60), (2, 30, 9, 25), (48, 50, 300, 500)])
def test_koopman_holds_the_ratios_that_the_score_test_admits(counts):
    low, high = ci.koopman(*counts, 0.95)
    found = by_search(*counts)
    assert np.log(low) == pytest.approx(np.log(found[0]), abs=0.02)  # the grid's own step
    assert np.log(high) == pytest.approx(np.log(found[1]), abs=0.02)


def test_koopman_gives_the_published_interval():
    # Koopman (1984), example of 36 of 40 against 16 of 80: 2.94 to 7.15.
    low, high = ci.koopman(36, 40, 16, 80, 0.95)
    assert (round(float(low), 2), round(float(high), 2)) == (2.94, 7.15)


@pytest.mark.parametrize("counts", [(36, 40, 16, 80), (5, 20, 30, 60), (48, 50, 300, 500)])
def test_koopman_is_statsmodels_score_interval(counts):
    theirs = proportion.confint_proportions_2indep(*counts, compare="ratio", method="score", correction=False)
    np.testing.assert_allclose(ci.koopman(*counts, 0.95), theirs, rtol=1e-6)


def test_koopman_at_the_edges():
    low, high = ci.koopman(0, 20, 5, 30, 0.95)
    assert low == 0 < high < np.inf
    low, high = ci.koopman(5, 30, 0, 20, 0.95)
    assert 0 < low < high == np.inf
    low, high = ci.koopman(20, 20, 30, 30, 0.95)
    assert low < 1 < high
    assert ci.koopman(0, 20, 0, 30, 0.95) == (0, np.inf)
    low, high = ci.koopman(1, 1, 0, 1, 0.95)
    assert low < 1 < high == np.inf


def test_koopman_of_many_pairs_is_koopman_of_each():
    chance = np.random.default_rng(0)
    n1, n0 = chance.integers(1, 2000, (2, 300))
    x1, x0 = chance.binomial(n1, chance.choice([0, 0.01, 0.5, 0.99, 1], 300)), chance.binomial(n0, chance.random(300))
    low, high = ci.koopman(x1, n1, x0, n0, 0.95)
    for j in range(300):
        assert (low[j], high[j]) == ci.koopman(x1[j], n1[j], x0[j], n0[j], 0.95)


def test_koopman_turns_over_with_the_groups():
    low, high = ci.koopman(5, 20, 30, 60, 0.95)
    other = ci.koopman(30, 60, 5, 20, 0.95)
    np.testing.assert_allclose((1 / high, 1 / low), other, rtol=1e-9)


@pytest.mark.parametrize("part", [1.2, 2, 20])
@pytest.mark.parametrize("times", [1, 3, 100])
def test_where_counts_are_enough_the_fast_interval_is_koopmans(part, times):
    fewest = ci.ENOUGH / min(1.0, part - 1)  # of the positive rows, so that the others are as many as asked for
    counts = fewest, part * fewest, times * ci.ENOUGH, times * 2 * ci.ENOUGH
    slow, fast = np.log(ci.koopman(*counts, 0.95)), np.log(ci.delta_ratio(*counts, 0.95))
    assert np.abs(slow - fast).max() < 0.02 * (slow[1] - slow[0])
    np.testing.assert_array_equal(ci.ratio(*counts, 0.95), ci.delta_ratio(*counts, 0.95))


def test_each_of_an_array_gets_the_interval_that_fits_its_counts():
    x1, n1 = np.array([10, 6000]), np.array([40, 20_000])
    low, high = ci.ratio(x1, n1, x1, n1, 0.95)
    assert (low[0], high[0]) == ci.koopman(10, 40, 10, 40, 0.95)
    assert (low[1], high[1]) == ci.delta_ratio(6000, 20_000, 6000, 20_000, 0.95)


@pytest.mark.parametrize(("x", "n"), [(0, 10), (3, 10), (10, 10), (500, 10_000)])
def test_wilson_is_statsmodels(x, n):
    np.testing.assert_allclose(
        ci.wilson(x / n, n, 0.95), proportion.proportion_confint(x, n, method="wilson"), atol=CLOSE
    )


def test_the_difference_of_rates_is_newcombes():
    a, b = ci.wilson(56 / 70, 70, 0.95), ci.wilson(48 / 80, 80, 0.95)
    found = ci.difference(56 / 70, a, 48 / 80, b)
    # Newcombe (1998), table II, method 10, of 56/70 and 48/80: .0524 to .3339.
    np.testing.assert_allclose(found, (0.0524, 0.3339), atol=5e-5)
    theirs = proportion.confint_proportions_2indep(56, 70, 48, 80, compare="diff", method="newcomb")
    np.testing.assert_allclose(found, theirs, atol=CLOSE)


def test_welch_is_scipys():
    chance = np.random.default_rng(0)
    a, b = chance.normal(size=20), 3 * chance.normal(size=70)
    parts = [a.var(ddof=1) / 20, b.var(ddof=1) / 70]
    df = ci.satterthwaite(parts, [19, 69])
    theirs = stats.ttest_ind(a, b, equal_var=False).confidence_interval(0.9)
    np.testing.assert_allclose(ci.welch(a.mean() - b.mean(), sum(parts) ** 0.5, df, 0.9), tuple(theirs), rtol=1e-9)


def test_quantiles_are_scipys():
    assert ci.normal_quantile(0.9) == pytest.approx(stats.norm.ppf(0.95), rel=1e-12)
    assert ci.t_quantile(0.9, 7) == pytest.approx(stats.t.ppf(0.95, 7), rel=1e-9)


def test_sidak_makes_independent_intervals_hold_together():
    assert ci.sidak(0.95, 10) ** 10 == pytest.approx(0.95)
    assert ci.sidak(0.95, 1) == 0.95


def test_folding_a_ratio():
    assert tuple(map(float, ci.fold_ratio(0.5, 0.8))) == (0.5, 0.8)
    assert tuple(map(float, ci.fold_ratio(1.25, 2.0))) == (0.5, 0.8)
    assert tuple(map(float, ci.fold_ratio(0.8, 2.0))) == (0.5, 1.0)
    assert tuple(map(float, ci.fold_ratio(0.0, np.inf))) == (0.0, 1.0)
    assert tuple(map(float, ci.fold_ratio(2.0, np.inf))) == (0.0, 0.5)


def test_folding_a_difference():
    assert tuple(map(float, ci.fold(-3, -1))) == (1, 3)
    assert tuple(map(float, ci.fold(1, 3))) == (1, 3)
    assert tuple(map(float, ci.fold(-1, 3))) == (0, 3)


def test_without_any_variance_the_degrees_of_freedom_are_those_of_all_rows():
    assert ci.satterthwaite([0.0, 0.0], [3, 4]) == 7


def test_the_method_names_the_interval_that_was_taken():
    def method(per_group, rate, **more):
        s, at = np.repeat(["a", "b"], per_group), np.arange(2 * per_group)
        return p_rule(at % 10 < 10 * rate, s=s, **({k: v(at) for k, v in more.items()})).method

    assert "; Koopman score interval," in method(100, 0.5)
    assert "; normal limit of Koopman's score interval," in method(2000, 0.5)
    assert "; normal interval of the log ratio, by clusters," in method(2000, 0.5, cluster=lambda at: at // 7)
    assert "Koopman's on the number of clusters" in method(2000, 1.0, cluster=lambda at: at // 7)
