"""folds.py: which fold a row is in depends on its number alone, and the errors are those of refitting."""

import numpy as np
import pytest

from tests.rooms.samples import numbers, people, target
from tests.rooms.test_moments import moments_of
from twosdr import TwoStageRegressor
from twosdr.folds import fold_errors, fold_of_rows
from twosdr.solve import Columns, Goal


def test_a_rows_fold_depends_on_its_number_alone():
    whole = fold_of_rows(0, 1000, 10)
    pieces = [fold_of_rows(a, min(a + 37, 1000), 10) for a in range(0, 1000, 37)]
    assert np.array_equal(np.concatenate(pieces), whole)


def test_the_folds_do_not_change_from_version_to_version():
    # Stored results and partial fits rely on them. The same mix, in Python's unbounded integers:
    mask, expected = 2**64 - 1, []
    for row in (0, 1, 2, 10**6, 2**40):
        h = (row + 0x9E3779B97F4A7C15) & mask
        h = ((h ^ (h >> 30)) * 0xBF58476D1CE4E5B9) & mask
        h = ((h ^ (h >> 27)) * 0x94D049BB133111EB) & mask
        expected.append((h ^ (h >> 31)) % 10)
    assert [int(fold_of_rows(row, row + 1, 10)[0]) for row in (0, 1, 2, 10**6, 2**40)] == expected


@pytest.mark.parametrize("n_folds", [2, 3, 10])
def test_folds_are_about_equal_and_neighbours_are_spread(n_folds):
    fold = fold_of_rows(0, 100_000, n_folds)
    counts = np.bincount(fold.astype(int), minlength=n_folds)
    assert len(counts) == n_folds
    assert abs(counts / 100_000 * n_folds - 1).max() < 0.05
    assert abs(np.mean(fold[1:] == fold[:-1]) * n_folds - 1) < 0.05


def test_row_numbers_may_be_very_large():
    assert np.array_equal(fold_of_rows(2**40, 2**40 + 5, 7), fold_of_rows(2**40 - 3, 2**40 + 5, 7)[3:])


def test_a_fold_without_rows_has_no_error():
    m = moments_of(numbers(people()), cells=3)
    wide = type(m)(
        m.names,
        m.blocks,
        m.shift,
        np.append(m.weight, 0.0),
        np.append(m.count, 0),
        np.vstack([m.delta, np.zeros(5)]),
        np.vstack([m.scatter, np.zeros((1, 5, 5))]),
    )
    c = Columns(np.array([0]), np.array([], dtype=int), np.array([1, 2]), np.array([4]))
    errors = fold_errors(wide, c, Goal(), np.array([0.1, 1.0]))
    assert errors.shape == (4, 2, 1)
    assert np.isnan(errors[3]).all()
    assert np.allclose(errors[:3], fold_errors(m, c, Goal(), np.array([0.1, 1.0])))


def test_one_fold_with_all_the_rows_has_no_error():
    m = moments_of(numbers(people()))
    c = Columns(np.array([0]), np.array([], dtype=int), np.array([1, 2]), np.array([4]))
    assert np.isnan(fold_errors(m, c, Goal(), np.array([1.0]))).all()


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"removal": 0.5},
        {"explanatory": 1},
        {"explanatory": 1, "explanatory_mode": "joint"},
        {"explanatory": 1, "explanatory_mode": "joint", "removal": 0.3},
        {"explanatory": 1, "explanatory_mode": "raw"},
        {"explanatory": 1, "removal": 0.3},
        {"goal": "discrimination_free"},
        {"goal": "discrimination_free", "removal": 0.3},
        {"at_predict": "without"},
        {"at_predict": "without", "removal": 0.3, "explanatory": 1},
    ],
    ids=str,
)
@pytest.mark.filterwarnings("ignore::twosdr.errors.ChoiceWarning")
def test_the_errors_are_those_of_refitting_without_the_fold(settings):
    rows, y = numbers(people(80)), target(people(80))
    alphas = [0.0, 1.0, 30.0]
    model = TwoStageRegressor(sensitive=0, alphas=alphas, cv=4, **settings).fit(rows, y)
    fold = fold_of_rows(0, len(rows), 4)
    for k in range(4):
        for a, alpha in enumerate(alphas):
            one = TwoStageRegressor(sensitive=0, alphas=alpha, **settings).fit(rows[fold != k], y[fold != k])
            expected = np.mean((y[fold == k] - one.predict(rows[fold == k])) ** 2)
            assert abs(model.cv_results_["mse"][k, a] / expected - 1) < 1e-8
