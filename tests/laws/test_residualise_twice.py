"""Residualising twice changes nothing: nothing of s is left to take off."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import strategies as st

from tests.laws.tools import EPS, ZERO, Rows, close, fitted, law, predicted, residual, rows, spread
from twosdr import Residualizer

FAR = rows(d_s=st.integers(2, 4), d_z=st.integers(0, 2), far=True)


@law(data=FAR)
@pytest.mark.parametrize("mode", ["joint", "raw"])
def test_residualising_twice_changes_nothing(data: Rows, mode: str):
    asked = {"explanatory_mode": mode} if data.z.shape[1] else {}
    once = residual(data, **asked)
    twice = residual(replace(data, x=once), **asked)
    # Entries are rounded at the size of their mean, and that rounding may follow s a little.
    close(twice, once, to=1.0, unit=10 * ZERO * spread(data.x, data.weight) + 4 * EPS * abs(once).max(axis=0))


@law(data=FAR, first=st.floats(0.0, 1.0), second=st.floats(0.0, 1.0))
def test_two_partial_removals_are_one(data: Rows, first: float, second: float):
    in_two = residual(replace(data, x=residual(data, removal=first)), removal=second)
    at_once = residual(data, removal=1.0 - (1.0 - first) * (1.0 - second))
    close(in_two, at_once, to=1.0, unit=10 * ZERO * spread(data.x, data.weight) + 4 * EPS * abs(at_once).max(axis=0))


@law(data=rows(d_s=st.integers(2, 4), d_x=st.integers(2, 4)))
def test_a_fit_on_residuals_is_the_fit(data: Rows):
    again = replace(data, x=residual(data))
    before, after = predicted(fitted(data), data), predicted(fitted(again), again)
    close(after, before, to=1e-10, unit=spread(data.y, data.weight))  # rounding times the condition (below 1e3) squared


@law(data=rows(d_s=st.integers(2, 4), d_x=st.integers(1, 4), d_z=st.integers(0, 2), far=True))
def test_what_was_taken_off_can_be_put_back(data: Rows):
    transformer = Residualizer(**data.roles).fit(data.X, sample_weight=data.weight)
    back = transformer.inverse_transform(
        transformer.transform(data.X), sensitive_features=data.X[:, data.roles["sensitive"]]
    )
    expected = data.X[:, [*sorted(data.at("x")), *sorted(data.at("z"))]]
    close(back, expected, to=1.0, unit=ZERO * spread(expected, data.weight) + 4 * EPS * abs(expected).max(axis=0))


@law(data=rows(d_s=st.integers(2, 4), d_z=st.integers(0, 1)))
def test_with_nothing_to_remove_x_is_returned(data: Rows):
    close(residual(data, removal=0.0), data.x, to=EPS, unit=abs(data.x))


@law(data=rows(d_s=st.integers(2, 4), weighted=False))
def test_it_is_what_numpy_leaves_of_x(data: Rows):
    s, x = data.s - data.s.mean(axis=0), data.x
    expected = x - s @ np.linalg.lstsq(s, x - x.mean(axis=0), rcond=None)[0]
    close(residual(data), expected, to=ZERO, unit=spread(x))
