import math

import numpy as np
import pytest

from tests.rooms.samples import refused
from twosdr.errors import MetricError
from twosdr.metrics import Estimate


def test_float_takes_the_value_and_refuses_where_there_is_none():
    assert float(Estimate(0.25)) == 0.25
    with refused(MetricError, "nobody was selected"):
        float(Estimate(None, why="nobody was selected"))


def test_an_estimate_of_zero_is_an_estimate():
    assert Estimate(0.0)
    assert not Estimate(None, why="nothing")


def test_numbers_of_numpy_become_plain_ones():
    found = Estimate(np.float64(0.5), (np.float64(0.25), np.float32(0.75)))
    assert repr(found) == "Estimate(value=0.5, interval=(0.25, 0.75), n=0, why='', method='')"


def test_it_is_frozen():
    with pytest.raises(AttributeError):
        Estimate(0.5).value = 1.0  # type: ignore[misc]


def test_math_accepts_it():
    assert math.isclose(Estimate(0.5), 0.5)
