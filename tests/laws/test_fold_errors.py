"""Cross-validation from moments: every fold's error is that of a refit on the other folds' rows, predicted row by row."""

import numpy as np
import pytest
from hypothesis import strategies as st

from tests.laws.tools import (
    ASKED,
    ASKED_WITH_Z,
    Rows,
    close,
    columns,
    expecting,
    fitted,
    gathered,
    law,
    predicted,
    reference,
    rows,
    words,
)
from twosdr import TwoStageRegressor
from twosdr.errors import ChoiceWarning
from twosdr.folds import fold_errors, fold_of_rows
from twosdr.solve import Goal

REFIT = 1e-9  # the issue's own number, relative to the error
ALPHAS = (0.0, 0.03, 1.0, 40.0, 1e4)

PLAIN = rows(d_s=st.integers(1, 3), d_x=st.integers(2, 5), d_y=st.integers(1, 3))
WITH_Z = rows(d_s=st.integers(1, 3), d_x=st.integers(2, 5), d_z=st.integers(1, 2), d_y=st.integers(1, 3))
SEED = st.integers(0, 2**32 - 1)


def goal_of(asked: dict, removal: float) -> Goal:
    plain = "goal" not in asked and "at_predict" not in asked
    reading = asked.get("explanatory_mode", "controlled" if plain else "joint")
    return Goal(asked.get("goal", "parity"), asked.get("at_predict", "with"), reading, removal)


def by_refits(data: Rows, cell: np.ndarray, folds: int, removal: float, asked: dict) -> np.ndarray:
    """The errors, shape (K, A, d_y): stage 1, deviations and effects on the training rows, squares over the others."""
    errors = np.full((folds, len(ALPHAS), data.y.shape[1]), np.nan)
    for k in np.unique(cell):
        train, test = data.take(cell != k), data.take(cell == k)
        for a, alpha in enumerate(ALPHAS):
            squares = (test.y - reference(train, removal=removal, alphas=alpha, **asked).predict(test)) ** 2
            errors[k, a] = np.average(squares, axis=0, weights=test.weight)
    return errors


def same_errors(found: np.ndarray, expected: np.ndarray) -> None:
    np.testing.assert_array_equal(np.isnan(found), np.isnan(expected))
    there = ~np.isnan(expected)
    close(found[there], expected[there], to=REFIT, unit=expected[there])


@law(data=WITH_Z, seed=SEED, folds=st.integers(2, 5))
@pytest.mark.parametrize("removal", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("asked", ASKED_WITH_Z, ids=words)
def test_errors_from_moments_are_those_of_refits(data: Rows, seed: int, folds: int, removal: float, asked: dict):
    cell = np.random.default_rng(seed).integers(0, folds, data.n)
    m = gathered(data, cell, folds)
    found = fold_errors(m, columns(m), goal_of(asked, removal), np.array(ALPHAS))
    same_errors(found, by_refits(data, cell, folds, removal, asked))


@law(data=PLAIN, seed=SEED, folds=st.integers(2, 5))
@pytest.mark.parametrize("removal", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("asked", ASKED, ids=words)
def test_without_z_as_well(data: Rows, seed: int, folds: int, removal: float, asked: dict):
    cell = np.random.default_rng(seed).integers(0, folds, data.n)
    m = gathered(data, cell, folds)
    found = fold_errors(m, columns(m), goal_of(asked, removal), np.array(ALPHAS))
    same_errors(found, by_refits(data, cell, folds, removal, asked))


@law(data=PLAIN, seed=SEED)
@pytest.mark.parametrize("asked", ASKED, ids=words)
def test_a_fold_without_rows_has_no_error_and_changes_no_other(data: Rows, seed: int, asked: dict):
    cell = np.random.default_rng(seed).choice([0, 2, 3], data.n)
    m = gathered(data, cell, 5)
    found = fold_errors(m, columns(m), goal_of(asked, 1.0), np.array(ALPHAS))
    assert np.isnan(found[[1, 4]]).all()
    same_errors(found, by_refits(data, cell, 5, 1.0, asked))


@law(data=PLAIN, seed=SEED, removal=st.sampled_from([0.0, 0.5, 1.0]))
@pytest.mark.parametrize("asked", ASKED, ids=words)
def test_a_level_that_lies_in_one_fold_is_nothing_to_the_others(data: Rows, seed: int, removal: float, asked: dict):
    """Trained without its rows, its indicator is constant: no effect can be estimated, so it has none."""
    cell = np.random.default_rng(seed).integers(0, 3, data.n)
    cell[:4] = 1, 1, 1, 0
    rare = np.zeros((data.n, 1))
    rare[:3] = 1.0
    for extended in (
        Rows(
            np.hstack([data.s, rare]),
            data.x,
            data.z,
            data.y,
            data.weight,
            np.arange(data.s.shape[1] + data.x.shape[1] + 1),
        ),
        Rows(
            data.s,
            np.hstack([data.x, rare]),
            data.z,
            data.y,
            data.weight,
            np.arange(data.s.shape[1] + data.x.shape[1] + 1),
        ),
    ):
        m = gathered(extended, cell, 3)
        found = fold_errors(m, columns(m), goal_of(asked, removal), np.array(ALPHAS))
        same_errors(found[1], by_refits(extended, cell, 3, removal, asked)[1])


@law(data=WITH_Z, removal=st.sampled_from([0.0, 0.5, 1.0]))
@pytest.mark.parametrize("asked", ASKED_WITH_Z, ids=words)
def test_the_estimator_reports_them_and_takes_the_least(data: Rows, removal: float, asked: dict):
    with expecting(ChoiceWarning):
        model = fitted(data, removal=removal, alphas=ALPHAS, cv=3, **asked)
    expected = by_refits(data, fold_of_rows(0, data.n, 3), 3, removal, asked).mean(axis=2)
    same_errors(model.cv_results_["mse"], expected)
    assert model.alpha_ == ALPHAS[int(np.argmin(expected.mean(axis=0)))]
    close(
        predicted(model, data), predicted(fitted(data, removal=removal, alphas=model.alpha_, **asked), data), to=REFIT
    )


@law(data=PLAIN)
def test_a_refit_of_the_estimator_itself_agrees(data: Rows):
    cell, alpha = fold_of_rows(0, data.n, 3), 0.7
    with expecting(ChoiceWarning):
        errors = fitted(data, alphas=[alpha, 7.0], cv=3).cv_results_["mse"][:, 0]
    for k in range(3):
        train, test = data.take(cell != k), data.take(cell == k)
        model = TwoStageRegressor(**data.roles, alphas=alpha).fit(train.X, train.target, sample_weight=train.weight)
        squares = np.average((test.y - predicted(model, test)) ** 2, axis=0, weights=test.weight)
        close(errors[k], squares.mean(), to=REFIT)
