"""DeLong's error in n log n, against its definition over all pairs."""

import numpy as np
import pytest

from tests.rooms.samples import refused
from twosdr.errors import MetricError, ParameterError
from twosdr.metrics import _reading as reading
from twosdr.metrics import auc
from twosdr.metrics.auc import _sorted, placements


def by_pairs(high, low, ties="half"):
    """DeLong, DeLong and Clarke-Pearson (1988) as it stands there."""
    kernel = (high[:, None] > low[None, :]) + (0.5 if ties == "half" else 0.0) * (high[:, None] == low[None, :])
    area = kernel.mean()
    variance = kernel.mean(axis=1).var(ddof=1) / len(high) + kernel.mean(axis=0).var(ddof=1) / len(low)
    return area, variance


@pytest.mark.parametrize("ties", ["half", "zero"])
@pytest.mark.parametrize("decimals", [0, 1, 12])
@pytest.mark.parametrize("sizes", [(2, 2), (2, 60), (40, 60)])
def test_the_area_and_its_variance_are_delongs(ties, decimals, sizes):
    chance = np.random.default_rng(sum(sizes))
    high, low = (np.round(chance.normal(size=n) + shift, decimals) for n, shift in zip(sizes, (0.5, 0), strict=True))
    assert _sorted(high.copy(), low.copy(), ties, True) == pytest.approx(by_pairs(high, low, ties), rel=1e-12)


@pytest.mark.parametrize("ties", ["half", "zero"])
def test_the_route_for_weights_and_clusters_gives_the_same(ties):
    chance = np.random.default_rng(0)
    y, member = np.round(chance.normal(size=200), 1), chance.random(200) < 0.3
    plain = auc(y, s=member, ties=ties)
    for other in (auc(y, s=member, ties=ties, sample_weight=np.full(200, 3.0)),):
        assert (other.value, *other.interval) == pytest.approx((plain.value, *plain.interval), rel=1e-10)
    single = auc(y, s=member, ties=ties, cluster=np.arange(200))
    assert (single.value, *single.interval) == pytest.approx((plain.value, *plain.interval), rel=1e-2)


def test_a_weight_of_two_is_two_rows():
    y, member, w = np.array([1.0, 2, 2, 3, 5]), np.array([0, 1, 0, 1, 0], dtype=bool), np.array([1, 2, 3, 1, 2])
    area, _ = placements(y, member, reading.beside(5, w), "half")
    expected, _ = by_pairs(np.repeat(y, w)[np.repeat(member, w)], np.repeat(y, w)[~np.repeat(member, w)])
    assert area == pytest.approx(expected)


def test_the_area_turns_over_with_the_groups_and_is_not_folded():
    chance = np.random.default_rng(1)
    y, member = chance.normal(size=100), chance.random(100) < 0.5
    one, other = auc(y, s=member), auc(y, s=~member)
    assert one.value == pytest.approx(1 - other.value)
    assert one.interval == pytest.approx((1 - other.interval[1], 1 - other.interval[0]))
    named = auc(y, s=np.where(member, "a", "b"), level="a")
    assert (named.value, named.interval) == (one.value, one.interval)


def test_the_method_tells_whose_score_is_the_higher():
    assert "(m over f)" in auc([1, 2, 3, 4.0], s=["f", "m", "f", "m"]).method
    assert "(f over m)" in auc([1, 2, 3, 4.0], s=["f", "m", "f", "m"], level="f").method
    assert "(c over the rest)" in auc([1, 2, 3, 4.0], s=["a", "b", "c", "c"], level="c").method


def test_any_increasing_function_of_the_score_leaves_it_alone():
    chance = np.random.default_rng(2)
    y, member = chance.normal(size=100), chance.random(100) < 0.5
    assert auc(np.exp(y), s=member) == auc(y, s=member)


def test_which_group_counts_as_one():
    assert auc([1, 2, 3, 4], s=["f", "f", "m", "m"]).value == 1.0
    assert auc([1, 2, 3, 4], s=["f", "f", "m", "m"], level="f").value == 0.0
    assert auc([1, 2, 3, 4], s=[7, 7, 3, 3]).value == 0.0
    assert auc([1, 2, 3, 4, 5, 6], s=list("aabbcc"), level="b").value == 0.5
    with refused(MetricError, "3 groups", "level="):
        auc([1, 2, 3, 4, 5, 6], s=list("aabbcc"))


def test_a_perfect_separation_has_an_interval_too():
    found = auc(np.arange(40), s=np.arange(40) >= 20)
    assert found.value == 1.0
    assert 0.8 < found.interval[0] < found.interval[1] == 1.0
    assert "Wilson" in found.method


def test_options():
    with refused(ParameterError, "ties"):
        auc([1, 2], s=[0, 1], ties="none")
    alone = auc([1, 2, 3, 4], s=[0, 1, 0, 1], confidence=None)
    assert (alone.value, alone.interval) == (0.75, None)
    assert "not asked" in alone.why or "no interval was asked" in alone.why
