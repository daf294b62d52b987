"""solve.py at its edges: no columns, no spread, exact copies. The laws have a folder of their own."""

import numpy as np
import pytest

from tests.rooms.samples import numbers, people
from tests.rooms.test_moments import moments_of
from twosdr.solve import (
    Columns,
    Goal,
    constrained,
    decide_rank,
    first_stage,
    residual_moments,
    residual_scatter,
    rows_of,
    solve,
)

NONE = np.array([], dtype=int)


def decided(rows, sensitive=0, *, triangle=None, **settings):
    settings = {"penalised": False} | settings
    return decide_rank(moments_of(rows, sensitive=sensitive), NONE, rows=triangle, **settings)


def test_a_clean_table_drops_nothing():
    rank = decided(numbers(people()))
    assert rank.dropped == {}
    assert rank.columns.s.tolist() == [0]
    assert rank.columns.x.tolist() == [1, 2, 3]
    assert rank.columns.features.tolist() == [0, 1, 2, 3]
    assert 1e-3 < rank.rcond < 1


@pytest.mark.parametrize("value", [0.0, 1.0, 0.1, 1e9, -1e-9, 1e300, 1e-300])
def test_a_constant_is_a_constant_at_any_size(value):
    rows = numbers(people())
    rows[:, 2] = value
    assert decided(rows).dropped == {2: "constant"}


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_a_copy_gives_way_to_the_earlier_column_in_any_units(scale, offset):
    rows = numbers(people())
    rows = np.column_stack([rows, scale * rows[:, 2] + offset * scale])
    rank = decided(rows)
    assert list(rank.dropped.values()) == ["dependent"]
    assert rank.dropped.get(4) == "dependent"


def test_a_sum_of_others_goes_and_they_stay():
    rows = numbers(people())
    assert decided(np.column_stack([rows, rows[:, 1] + 2 * rows[:, 2] - rows[:, 3]])).dropped == {4: "dependent"}


def test_under_a_penalty_copies_share_and_stay():
    rows = numbers(people())
    rank = decided(np.column_stack([rows, rows[:, 2]]), penalised=True)
    assert rank.dropped == {}


@pytest.mark.parametrize("penalised", [False, True])
def test_a_column_that_s_determines_goes_with_or_without_a_penalty(penalised):
    rows = numbers(people())
    rows[:, 2] = 5 - 3 * rows[:, 0]
    assert list(decided(rows, penalised=penalised).dropped) == [2]


def test_copies_within_s_keep_the_first():
    rows = numbers(people())
    rows = np.column_stack([rows[:, 0], rows, 7 - 2 * rows[:, 0]])
    rank = decided(rows, sensitive=[0, 1, 5])
    assert rank.dropped == {1: "dependent", 5: "dependent"}


def test_everything_may_go():
    rank = decided(np.ones((10, 3)))
    assert set(rank.dropped.values()) == {"constant"}
    assert rank.columns.features.tolist() == []
    assert rank.rcond == 1.0


def test_no_columns_are_no_trouble():
    S = np.eye(3)
    assert rows_of(S, NONE).shape == (0, 3)
    assert first_stage(S, NONE, np.array([0, 1])).shape == (0, 2)
    assert first_stage(S, np.array([0]), NONE).shape == (1, 0)
    assert np.array_equal(residual_scatter(S, NONE, np.array([1]), np.zeros((0, 1))), S)
    b_u, b_0, cost = constrained(np.zeros((3, 0)), np.ones((3, 2)), None, np.zeros(0))
    assert (b_u.shape, b_0.shape, cost.tolist()) == ((0, 2), (0, 2), [0.0, 0.0])


def test_a_column_of_zeros_in_s_is_no_trouble():
    F = np.column_stack([np.zeros(5), np.arange(5.0)])
    assert np.array_equal(first_stage(F, np.array([0]), np.array([1])), [[0.0]])


def test_rows_of_reproduces_the_scatter_even_where_columns_depend_on_each_other():
    rows = np.random.default_rng(0).normal(size=(20, 4))
    rows[:, 2] = rows[:, 0] - rows[:, 1]
    S = rows.T @ rows
    F = rows_of(S, np.array([0, 1, 2]))
    assert np.allclose(F.T[:3] @ F, S[:3], rtol=0, atol=1e-12)


def test_residual_rows_have_the_moments_that_are_pushed_forward():
    rows = numbers(people())
    m = moments_of(rows, cells=3)
    v, x = np.array([0]), np.array([1, 2, 3])
    B = first_stage(rows_of(m.total().scatter[0], v), v, x)
    pushed = residual_moments(m, v, x, B)
    u = rows.copy()
    u[:, 1:] -= (rows[:, :1] - rows[:, :1].mean()) @ B
    for k in range(3):
        part = u[k::3]
        assert np.allclose(pushed.mean[k, :4], part.mean(axis=0), rtol=0, atol=1e-12)
        assert np.allclose(pushed.scatter[k][:4, :4], len(part) * np.cov(part.T, bias=True), rtol=0, atol=1e-10)


def test_a_constraint_without_columns_or_of_zeros_is_none():
    rng = np.random.default_rng(0)
    Phi, y = rng.normal(size=(10, 3)), rng.normal(size=(10, 1))
    free, _, _ = constrained(Phi, y, None, np.zeros(3))
    for C in (np.zeros((3, 0)), np.zeros((3, 2))):
        b_u, b_0, cost = constrained(Phi, y, C, np.zeros(3))
        assert np.allclose(b_u, free)
        assert np.allclose(b_0, free)
        assert not cost.any()


def test_more_constraints_than_coefficients_leave_zero():
    rng = np.random.default_rng(0)
    Phi, y = rng.normal(size=(10, 3)), rng.normal(size=(10, 1))
    _, b_0, cost = constrained(Phi, y, rng.normal(size=(3, 7)), np.zeros(3))
    assert np.abs(b_0).max() < 1e-12
    assert np.isclose(cost[0], (y**2).sum() - ((y - Phi @ np.linalg.lstsq(Phi, y, rcond=None)[0]) ** 2).sum())


def test_a_repeated_constraint_is_one_constraint():
    rng = np.random.default_rng(0)
    Phi, y, C = rng.normal(size=(10, 3)), rng.normal(size=(10, 1)), rng.normal(size=(3, 1))
    _, once, _ = constrained(Phi, y, C, np.zeros(3))
    _, thrice, _ = constrained(Phi, y, np.hstack([C, 1e6 * C, -1e-6 * C]), np.zeros(3))
    assert np.allclose(once, thrice, rtol=0, atol=1e-12)


@pytest.mark.parametrize("goal", [Goal(), Goal("discrimination_free"), Goal(at_predict="without"), Goal(removal=0.0)])
def test_without_s_every_goal_is_least_squares(goal):
    rows = numbers(people())
    m = moments_of(rows, sensitive=()).total()
    c = Columns(NONE, NONE, np.array([0, 1, 2]), np.array([4]))
    S, weight = m.scatter[0], float(m.weight[0])
    found = solve(S, rows_of(S, c.features), weight, c, goal, 0.0)
    expected = np.linalg.lstsq(np.column_stack([np.ones(60), rows[:, :3]]), 2 * rows[:, 3] + 1, rcond=None)[0]
    assert np.allclose(found.coef[:3, 0], expected[1:], rtol=1e-10)
    assert not found.cost.any()


def test_the_condition_read_from_rows_is_that_of_the_moments():
    """Where both have the digits: a table that mixes one direction a thousand times fainter than the rest."""
    rows = numbers(people())
    rows[:, 3] = rows[:, 1] + rows[:, 2] + 1e-3 * rows[:, 3]
    centred = rows - rows.mean(axis=0)
    from_moments = decided(rows)
    from_rows = decided(rows, triangle=np.column_stack([centred, 2 * centred[:, -1]]))
    values = np.linalg.eigvalsh(np.corrcoef(rows.T))
    assert np.isclose(from_moments.rcond, values[0] / values[-1], rtol=1e-6)
    assert np.isclose(from_rows.rcond, values[0] / values[-1], rtol=1e-6)


def test_no_columns_at_all_are_well_conditioned():
    rows = np.column_stack([np.ones(8), np.ones(8)])
    rank = decided(rows, triangle=np.zeros((8, 3)))
    assert len(rank.columns.features) == 0
    assert rank.rcond == 1.0
