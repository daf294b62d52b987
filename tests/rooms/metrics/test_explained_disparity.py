"""The parts of a disparity, against the regressions that define them."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm

from tests.rooms.samples import refused
from twosdr import TwoStageRegressor
from twosdr.errors import MetricError
from twosdr.metrics import explained_disparity, mean_distance

EXACT = 1e-10  # the identity of the issue


def rows(n=400, seed=0, numeric=False):
    chance = np.random.default_rng(seed)
    s = chance.normal(size=n) if numeric else (chance.random(n) < 0.4).astype(float)
    hours = 40 + 5 * s + 3 * chance.normal(size=n)
    job = np.array(["cook", "driver", "nurse"])[np.minimum((chance.random(n) * 3 + 0.4 * s).astype(int), 2)]
    y = 0.5 * hours + 2 * (job == "nurse") + chance.normal(size=n)
    y_hat = 0.4 * hours + (job == "driver") - 1.5 * s + chance.normal(size=n)
    return y_hat, s, pd.DataFrame({"hours": hours, "job": job}), y, chance.random(n) + 0.2


def design(s, z):
    return sm.add_constant(np.column_stack([s, z["hours"], z["job"] == "driver", z["job"] == "nurse"]).astype(float))


@pytest.mark.parametrize("numeric", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_parts_are_those_of_the_regression_and_add_up(numeric, weighted):
    y_hat, s, z, y, w = rows(numeric=numeric)
    w = w if weighted else np.ones(len(y))
    found = explained_disparity(y_hat, s=s, z=z, y_true=y, sample_weight=w if weighted else None)
    fit, of_y = (sm.WLS(v, design(s, z), weights=w).fit().params for v in (y_hat, y))
    whole, gaps = (sm.WLS(v, sm.add_constant(s), weights=w).fit().params[1] for v in (y_hat, y))
    gaps = np.array([sm.WLS(c, sm.add_constant(s), weights=w).fit().params[1] for c in design(s, z)[:, 2:].T])
    sign = np.sign(whole)
    assert found.total.value == pytest.approx(abs(whole), abs=EXACT)
    assert found.unexplained.value == pytest.approx(sign * fit[1], abs=EXACT)
    assert found.explained.value == pytest.approx(sign * fit[2:] @ gaps, abs=EXACT)
    assert found.total.value == pytest.approx(found.unexplained.value + found.explained.value, abs=EXACT)
    assert found.excess.value == pytest.approx(sign * (fit[2:] - of_y[2:]) @ gaps, abs=EXACT)
    assert [e.value for e in found.gaps.values()] == pytest.approx(list(sign * gaps), abs=EXACT)
    assert list(found.gaps) == ["hours", "job=driver", "job=nurse"]
    assert list(found.without) == ["hours", "job"]
    alone = sm.WLS(y_hat, design(s, z)[:, [0, 1, 2]], weights=w).fit().params[1]
    assert found.without["job"].value == pytest.approx(sign * alone, abs=EXACT)


def test_the_intervals_are_robust_ones():
    y_hat, s, z, _, _ = rows()
    found = explained_disparity(y_hat, s=s, z=z)
    error = sm.OLS(y_hat, design(s, z)).fit(cov_type="HC1").bse[1]
    low, high = found.unexplained.interval
    assert (high - low) / 2 / 1.959964 == pytest.approx(error, rel=1e-6)
    code = np.arange(len(s)) // 4
    clustered = explained_disparity(y_hat, s=s, z=z, cluster=code).unexplained
    error = sm.OLS(y_hat, design(s, z)).fit(cov_type="cluster", cov_kwds={"groups": code}).bse[1]
    assert np.ptp(clustered.interval) / 2 / 1.98422 == pytest.approx(error, rel=0.01)
    assert "by clusters" in clustered.method


def test_the_total_is_the_mean_distance():
    y_hat, s, z, _, w = rows()
    found = explained_disparity(y_hat, s=s, z=z, sample_weight=w)
    assert found.total == mean_distance(y_hat, s=s, sample_weight=w)


def test_identical_columns_of_z_and_offsets_change_nothing():
    y_hat, s, z, y, _ = rows()
    one = explained_disparity(y_hat, s=s, z=z["hours"], y_true=y)
    two = explained_disparity(y_hat + 1e6, s=s, z={"a": z["hours"], "b": 2 * z["hours"] + 1e6}, y_true=y)
    for part in ("total", "unexplained", "explained", "excess"):
        assert getattr(two, part).value == pytest.approx(getattr(one, part).value, abs=1e-6)
    assert two.unexplained.value + two.explained.value == pytest.approx(two.total.value, abs=1e-8)


def test_excess_is_zero_for_the_controlled_reading_and_large_for_a_z_without_effect_in_the_joint_one():
    chance = np.random.default_rng(1)
    n = 2000
    s = (chance.random(n) < 0.5).astype(float)
    z = s + 0.5 * chance.normal(size=n)  # goes with s, and does nothing to y
    x = s + chance.normal(size=n)
    y = x + 2 * s + 0.3 * chance.normal(size=n)
    table = {"s": s, "z": z, "x": x}
    answers = {}
    for mode in ("controlled", "joint"):
        model = TwoStageRegressor(sensitive="s", explanatory="z", explanatory_mode=mode, alphas=[0.0]).fit(table, y)
        answers[mode] = explained_disparity(model.predict(table), s=s, z=z, y_true=y)
    assert abs(answers["controlled"].excess.value) < EXACT
    assert abs(answers["controlled"].unexplained.value) < EXACT
    # The first two lines see no difference: in both readings nothing is unexplained.
    assert abs(answers["joint"].unexplained.value) < EXACT
    assert answers["joint"].excess.value > 1.0
    assert answers["joint"].excess.interval[0] > 0.9
    assert "product of discrimination" in answers["joint"].note


def test_cells_compare_rows_that_are_alike_in_z():
    y_hat, s, z, _, w = rows(4000)
    found = explained_disparity(y_hat, s=s, z=z, sample_weight=w)
    # -1.5 is the direct effect; what z differs by inside a fifth of it is left in.
    assert found.cells.value == pytest.approx(found.unexplained.value, abs=0.25)
    assert found.cells.interval[0] < found.cells.value < found.cells.interval[1]
    said = sm.OLS(s, sm.add_constant(z["hours"])).fit().fittedvalues
    cell = pd.qcut(said, 5, labels=False)
    value, mass = 0.0, 0.0
    for c in range(5):
        one, other = y_hat[(cell == c) & (s == 1)], y_hat[(cell == c) & (s == 0)]
        weight = len(one) * len(other) / (len(one) + len(other))
        value, mass = value + weight * (one.mean() - other.mean()), mass + weight
    found = explained_disparity(y_hat, s=s, z=z["hours"])
    direction = np.sign(y_hat[s == 1].mean() - y_hat[s == 0].mean())
    assert found.cells.value == pytest.approx(direction * value / mass)
    assert "within 5 cells" in found.cells.method
    few = explained_disparity([1.0, 2, 3, 5, 2, 2], s=[0, 1, 0, 1, 0, 1], z=[1, 1, 5, 6, 9, 10])
    assert "1 row" in few.cells.why
    apart = explained_disparity(np.arange(20) % 7, s=np.arange(20) >= 8, z=np.arange(20))
    assert "no cell" in apart.cells.why
    in_clusters = explained_disparity(y_hat, s=s, z=z, cluster=np.arange(4000) // 4)
    assert "by clusters" in in_clusters.cells.method
    assert "s is a number" in explained_disparity(y_hat, s=z["hours"], z=s).cells.why


def test_the_order_of_groups_and_the_direction_are_said():
    y_hat, s, z, _, _ = rows()
    found = explained_disparity(y_hat, s=np.where(s == 1, "m", "f"), z=z)
    turned = explained_disparity(-y_hat, s=np.where(s == 1, "m", "f"), z=z)
    assert found.between == tuple(reversed(turned.between))
    assert found.unexplained.value == pytest.approx(turned.unexplained.value)
    assert found.explained.interval == pytest.approx(turned.explained.interval)
    named = explained_disparity(y_hat, s=np.repeat(list("abcd"), 100), z=z, level="c")
    assert set(named.between) == {"c", "not c"}


def test_what_cannot_be_split():
    y_hat, s, z, y, _ = rows()
    found = explained_disparity(y_hat, s=s, z={"copy": 3 * s + 1}, y_true=y)
    for part in (found.unexplained, found.explained, found.excess):
        assert "z determines s" in part.why
    assert found.total.value is not None
    assert "pass y_true" in explained_disparity(y_hat, s=s, z=z).excess.why
    with refused(MetricError, "4 groups", "level="):
        explained_disparity(y_hat, s=np.repeat(list("abcd"), 100), z=z)
    with refused(MetricError, "constant"):
        explained_disparity(y_hat, s=np.zeros(400), z=z)
    tiny = explained_disparity([1.0, 2.0, 4.0], s=[0, 1, 1], z=[1, 2, 4])
    assert tiny.total.value == 2.0


def test_the_intervals_of_all_parts_agree_with_a_bootstrap():
    y_hat, s, z, y, _ = rows(300)
    ours = explained_disparity(y_hat, s=s, z=z, y_true=y)
    chance, parts = np.random.default_rng(0), ("unexplained", "explained", "excess")
    drawn = []
    for _ in range(200):
        at = chance.integers(0, 300, 300)
        found = explained_disparity(y_hat[at], s=s[at], z=z.iloc[at], y_true=y[at])
        sign = 1 if found.between == ours.between else -1
        drawn.append([sign * getattr(found, part).value for part in parts])
    for part, error in zip(parts, np.std(drawn, axis=0), strict=True):
        # 200 resamples know a standard deviation to 5 %.
        assert np.ptp(getattr(ours, part).interval) / 2 / 1.96 == pytest.approx(error, rel=0.2), part
