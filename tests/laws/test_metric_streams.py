"""A stream of chunks answers what the function answers for all rows: to the last bit, however the rows are cut, ordered or added."""

import numpy as np
import pytest
from hypothesis import strategies as st

from tests.laws.metric_tools import People, people, rows_of
from tests.laws.tools import law
from twosdr.metrics import METRICS, running

ADDITIVE = [name for name, metric in METRICS.items() if metric.additive]


def stream(name: str, data: People, chunks: list[np.ndarray]):
    total = running(name)
    for at in chunks:
        y_pred, given = rows_of(name, data.take(at))
        total = total.update(y_pred, **given)
    return total


@law(4, data=people(), cuts=st.lists(st.integers(1, 119), max_size=6), seed=st.integers(0, 99))
@pytest.mark.parametrize("name", ADDITIVE)
def test_a_stream_has_the_bits_of_the_whole(name: str, data: People, cuts: list[int], seed: int):
    y_pred, given = rows_of(name, data)
    whole = METRICS[name].function(y_pred, **given)
    order = np.random.default_rng(seed).permutation(data.n)
    chunks = [part for part in np.split(order, sorted({c for c in cuts if c < data.n})) if len(part)]
    assert stream(name, data, chunks).value() == whole
    halves = [stream(name, data, chunks[::2])] + ([stream(name, data, chunks[1::2])] if chunks[1:] else [])
    assert sum(halves[1:], halves[0]).value() == whole
    assert sum(reversed(halves[:-1]), halves[-1]).value() == whole


@law(2, 20, data=people())
@pytest.mark.parametrize("name", ADDITIVE)
def test_row_by_row_is_the_whole_too(name: str, data: People):
    y_pred, given = rows_of(name, data)
    chunks = [np.array([j]) for j in range(data.n)]
    assert stream(name, data, chunks).value() == METRICS[name].function(y_pred, **given)
