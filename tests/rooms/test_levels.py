"""levels.py and frontier.py at their edges; the laws have a folder of their own."""

import numpy as np
import pytest

from tests.rooms.samples import refused
from twosdr.errors import ParameterError
from twosdr.levels import Attribute, Level, _farthest, _greatest, distance, effects, level

SEX = Attribute("sex", np.array([0, 1]), True, category=True)
INCOME = Attribute("income", np.array([0]), False)


def scatter(rows):
    d = np.asarray(rows, dtype=float)
    d = d - d.mean(axis=0)
    return d.T @ d


def test_a_number_stays_a_number():
    assert level(1) == 1.0
    assert level(np.float32(0.5)) == 0.5
    assert level({"md": [0.1, 0.2]}) == Level("md", [0.1, 0.2])


@pytest.mark.parametrize(
    "bad", [True, "1", float("inf"), {"md": True}, {"r2": np.nan}, {"md": {}}, {"r2": {"sex": 0.1}}]
)
def test_what_is_no_level_is_shown(bad):
    with refused(ParameterError, "Got"):
        level(bad)


def test_a_number_has_no_groups_to_compare():
    with refused(ParameterError, "income", "r2"):
        Level("md", 0.1).limits([INCOME])
    assert Level("md", {"sex": 0.1}).limits([SEX, INCOME]) == {"sex": 0.1}


def test_effects_are_distances_of_group_means_from_the_first_group():
    S = scatter([[1, 0, 1.0], [1, 0, 3.0], [0, 1, 7.0], [0, 1, 9.0]])
    assert effects(S, SEX)[:, 2] == pytest.approx([0.0, 6.0])
    assert distance(S, SEX, np.array([[0.0], [0.0], [2.0]])) == pytest.approx([12.0])


def test_one_group_alone_has_no_distance():
    S = scatter([[1, 0, 1.0], [1, 0, 3.0]])
    assert distance(S, SEX, np.array([[0.0], [0.0], [2.0]])) == pytest.approx([0.0])
    still = scatter([[1.0, 2.0], [1.0, 5.0]])
    assert effects(still, Attribute("s", np.array([0]), True))[:, 1] == pytest.approx([0.0, 0.0])


def test_the_farthest_level_is_the_last_within_the_limit():
    removed, none = np.zeros((2, 1)), np.array([[0.0], [4.0]])
    assert _farthest(removed, none, 1.0) == pytest.approx(0.25)
    assert _farthest(removed, none, 5.0) == 1.0
    # The distance shrinks to nothing on the way and grows again: the last level within is asked for.
    assert _farthest(np.array([[0.0], [1.0]]), np.array([[0.0], [-1.0]]), 0.5) == pytest.approx(0.75)
    assert _farthest(np.array([[0.0], [2.0]]), np.array([[0.0], [2.0]]), 0.5) == -1.0
    assert _farthest(np.array([[0.0], [2.0]]), np.array([[0.0], [3.0]]), 0.5) == -1.0


def test_a_share_out_of_reach_is_told_from_one_that_is_met():
    T = np.diag([1.0, 1.0, 1.0])
    T[0, 2] = T[2, 0] = 0.6
    s, half = np.array([0]), np.array([[0.0], [0.0], [1.0]])
    other = np.array([[0.0], [1.0], [0.0]])
    assert _greatest(T, T, s, half, half, 0.2) == -1.0
    assert _greatest(T, T, s, half, half, 0.5) == 1.0
    found = _greatest(T, T, s, other, half, 0.1)
    b = other + found * (half - other)
    assert float((T[0] @ b)[0] ** 2 / (b.T @ T @ b)[0, 0]) == pytest.approx(0.1)
