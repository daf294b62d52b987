"""A penalty on what s explains of a score that does not use s: the path from unaware to fully removed."""

import numpy as np
from hypothesis import strategies as st

from tests.laws.tools import Rows, close, expecting, fitted, law, least_squares, predicted, rows, spread
from twosdr.errors import ChoiceWarning

SAME_MODEL = 1e-8
PLAIN = rows(d_s=st.integers(1, 3), d_x=st.integers(3, 5))


@law(data=PLAIN, penalty=st.floats(0.1, 50.0))
def test_it_is_least_squares_with_the_explained_variance_added(data: Rows, penalty: float):
    """The penalty's rows are what s explains of every column: for one-hot s, sqrt(p_g) (mean of the group - mean)."""
    root = np.sqrt(np.ones(data.n) if data.weight is None else data.weight)[:, None]

    def centred(a: np.ndarray) -> np.ndarray:
        return (a - np.average(a, axis=0, weights=data.weight)) * root

    s, x, y = centred(data.s), centred(data.x), centred(data.y)
    explained = s @ least_squares(s, x)
    b = least_squares(np.vstack([x, np.sqrt(penalty) * explained]), np.vstack([y, 0 * y]))
    found = predicted(fitted(data, at_predict="without", between=penalty), data)
    expected = (
        np.average(data.y, axis=0, weights=data.weight) + (data.x - np.average(data.x, axis=0, weights=data.weight)) @ b
    )
    close(found, expected, to=SAME_MODEL, unit=spread(data.y, data.weight))


@law(data=PLAIN)
def test_its_ends_are_unaware_and_fully_removed(data: Rows):
    ends = [fitted(data, at_predict="without", removal=r) for r in (0.0, 1.0)]
    unit = spread(data.y, data.weight)
    close(
        predicted(fitted(data, at_predict="without", between=0.0), data),
        predicted(ends[0], data),
        to=SAME_MODEL,
        unit=unit,
    )
    far = fitted(data, at_predict="without", between=1e14)
    close(predicted(far, data), predicted(ends[1], data), to=1e-5, unit=unit)


@law(data=PLAIN, penalty=st.floats(0.1, 50.0))
def test_its_cost_is_what_the_error_rises_by(data: Rows, penalty: float):
    plain, bound = fitted(data, at_predict="without", removal=0.0), fitted(data, at_predict="without", between=penalty)
    errors = [np.average((data.y - predicted(m, data))[:, 0] ** 2, weights=data.weight) for m in (plain, bound)]
    close(bound.cost_, errors[1] - errors[0], to=1e-10, unit=spread(data.y, data.weight)[0] ** 2)


@law(data=PLAIN, penalty=st.floats(0.1, 50.0), few=4)
def test_errors_of_folds_are_those_of_refits(data: Rows, penalty: float):
    cell, asked = np.arange(data.n) % 3, {"at_predict": "without", "between": penalty}
    with expecting(ChoiceWarning):
        model = fitted(data, **asked, alphas=[0.0, 4.0], cv=cell)
    for k in range(3):
        train, test = data.take(cell != k), data.take(cell == k)
        for a, alpha in enumerate([0.0, 4.0]):
            miss = (test.y - predicted(fitted(train, **asked, alphas=alpha), test)) ** 2
            close(model.cv_results_["mse"][k, a], np.average(miss[:, 0], weights=test.weight), to=1e-8)
