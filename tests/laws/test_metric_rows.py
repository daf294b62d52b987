"""What every metric owes its rows: their order says nothing, a weight of two is two rows, a weight of zero is none, the unit of
weights is nobody's business."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import strategies as st

from tests.laws.metric_tools import NUMBERS, People, ask, numbers, people
from tests.laws.tools import law
from twosdr.metrics import METRICS

# Sums of a hundred rows in another order; differences of scores near 1e6 keep ten of their sixteen digits.
NEAR = 1e-8
# A subsample, or a draw by weight, is another one when rows come in another order.
DRAWN = ["distance_correlation"]


def close(found: dict, expected: dict, values_only: bool = False) -> None:
    assert list(found) == list(expected)
    if values_only:
        found, expected = ({k: replace(e, interval=None) for k, e in each.items()} for each in (found, expected))
    a, b = np.array(numbers(found)), np.array(numbers(expected))
    unit = np.nanmax(np.abs(b), initial=1e-12)
    np.testing.assert_allclose(a, b, rtol=NEAR, atol=NEAR * unit)


@law(4, data=people(), seed=st.integers(0, 99))
@pytest.mark.parametrize("name", NUMBERS)
def test_the_order_of_rows_says_nothing(name: str, data: People, seed: int):
    if name in DRAWN:
        data = replace(data, weight=None)
    shuffled, whole = ask(name, data.take(np.random.default_rng(seed).permutation(data.n))), ask(name, data)
    if METRICS[name].additive:
        assert shuffled == whole
    else:
        close(shuffled, whole)


@law(4, data=people(weighted=False), seed=st.integers(0, 99))
@pytest.mark.parametrize("name", [name for name in NUMBERS if name not in DRAWN])
def test_a_weight_of_two_is_two_rows(name: str, data: People, seed: int):
    times = np.random.default_rng(seed).integers(1, 4, data.n)
    weighted, repeated = (
        ask(name, replace(data, weight=times)),
        ask(name, data.take(np.repeat(np.arange(data.n), times))),
    )
    if name == "standardised_difference":  # unbiased variances count rows, and a weight is no row
        assert numbers(weighted)[0] == pytest.approx(numbers(repeated)[0], rel=0.2, nan_ok=True)
        return
    # The value; the interval rests on the rows that there are, and repeating them makes no new ones.
    close(weighted, repeated, values_only=True)


@law(4, data=people(weighted=True), seed=st.integers(0, 99))
@pytest.mark.parametrize("name", [name for name in NUMBERS if name not in DRAWN])
def test_a_row_of_weight_zero_is_not_there(name: str, data: People, seed: int):
    keep = np.random.default_rng(seed).random(data.n) < 0.8
    keep[:9] = True
    close(ask(name, replace(data, weight=np.where(keep, data.weight, 0.0))), ask(name, data.take(keep)))


@law(4, data=people(weighted=True), factor=st.sampled_from([1e-6, 0.3, 1e6]))
@pytest.mark.parametrize("name", NUMBERS)
def test_the_unit_of_weights_changes_nothing(name: str, data: People, factor: float):
    close(ask(name, replace(data, weight=factor * data.weight)), ask(name, data))


@law(4, data=people(weighted=False))
@pytest.mark.parametrize("name", NUMBERS)
def test_equal_weights_are_no_weights(name: str, data: People):
    close(ask(name, replace(data, weight=np.full(data.n, 0.7))), ask(name, data))


@law(4, data=people())
@pytest.mark.parametrize("name", NUMBERS)
def test_an_answer_is_a_number_in_its_interval_or_a_reason(name: str, data: People):
    for part, e in ask(name, data).items():
        assert (e.value is None) <= bool(e.why), part
        assert (e.interval is None) <= bool(e.why), part
        assert not np.isnan(
            [v for v in numbers({part: e}) if v is not None and e.interval and e.value is not None]
        ).any()
        if e.interval is not None and part != "distance_correlation":
            assert e.interval[0] - 1e-9 <= e.value <= e.interval[1] + 1e-9, part


@law(4, data=people())
@pytest.mark.parametrize("name", [n for n in NUMBERS if METRICS[n].takes("confidence")])
def test_more_confidence_is_a_wider_interval(name: str, data: People):
    if name in DRAWN:
        data = replace(data, weight=None)
    narrow, wide = ask(name, data, confidence=0.8), ask(name, data, confidence=0.99)
    for part, e in narrow.items():
        assert e.value == wide[part].value
        if e.interval is not None:
            assert wide[part].interval[0] <= e.interval[0] + 1e-12
            assert e.interval[1] <= wide[part].interval[1] + 1e-12
