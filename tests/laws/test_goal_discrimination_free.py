"""Discrimination-free: the best price averaged over the distribution of s, and on a portfolio with known truth, its own effects."""

import numpy as np
import pytest
from hypothesis import strategies as st

from tests.laws.tools import SAME, Rows, close, fitted, law, least_squares, predicted, rows, spread
from twosdr import TwoStageClassifier, TwoStageRegressor

WITH_Z = rows(d_s=st.integers(1, 3), d_z=st.integers(0, 2))
NOISE = 5.0  # standard errors of an estimate from n rows


@law(data=WITH_Z)
def test_it_is_the_best_prediction_given_everything_averaged_over_s(data: Rows):
    """Lindholm et al.: h(x) = sum over s of P(s) times E[y | x, s]; here E is least squares, and P the rows'."""
    w = np.ones(data.n) if data.weight is None else data.weight
    everything = np.hstack([np.ones((data.n, 1)), data.s, data.x, data.z])
    b = least_squares(everything * np.sqrt(w)[:, None], data.y * np.sqrt(w)[:, None])
    found = predicted(fitted(data, goal="discrimination_free"), data)
    for row in range(0, data.n, 7):
        as_if = everything.copy()  # this person, with everybody's s in turn
        as_if[:, 1 + data.s.shape[1] :] = everything[row, 1 + data.s.shape[1] :]
        close(found[row], np.average(as_if @ b, axis=0, weights=w), to=SAME, unit=spread(data.y, data.weight))


@pytest.mark.parametrize("kind", [TwoStageRegressor, TwoStageClassifier])
def test_a_portfolio_with_known_direct_and_proxy_effects_is_taken_apart(kind):
    """Claims = 200 for a man + 30 a unit of car - 40 a deviation of age; men have two units more car."""
    chance = np.random.default_rng(8)
    n = 40_000
    man = chance.integers(0, 2, n).astype(float)
    car, age = chance.normal(size=n) + 2.0 * man, chance.normal(size=n)
    claims = 500 + 200 * man + 30 * car - 40 * age + 50 * chance.normal(size=n)
    X = np.column_stack([man, car, age])
    if kind is TwoStageClassifier:
        # The score's own effects: those of least squares on the two classes, with man held fixed.
        y = claims > np.median(claims)
        unit = least_squares(np.column_stack([np.ones(n), X]), np.where(y, 1.0, -1.0)[:, None])[2:, 0] / [30.0, -40.0]
        asked = {"alphas": 0.0}
    else:
        y, unit, asked = claims, np.ones(2), {}
    model = kind(sensitive=[0], goal="discrimination_free", **asked).fit(X, y)
    score = model.predict(X) if kind is TwoStageRegressor else model.decision_function(X)
    of_man, of_car, of_age = model.coef_
    assert of_man == 0.0
    assert not model.needs_sensitive_
    room = NOISE * 50 / np.sqrt(n)
    assert of_car / unit[0] == pytest.approx(30.0, abs=room)
    assert of_age / unit[1] == pytest.approx(-40.0, abs=room)
    # No parity: what goes through the car stays, and all of that does.
    gap = score[man == 1].mean() - score[man == 0].mean()
    expected = of_car * (car[man == 1].mean() - car[man == 0].mean()) + of_age * (
        age[man == 1].mean() - age[man == 0].mean()
    )
    assert gap == pytest.approx(expected, rel=1e-9)
    if kind is TwoStageRegressor:
        assert gap == pytest.approx(60.0, abs=4 * room)
        # Leaving s out charges the car for the man: 30 + 200 Cov(car, man) / Var(car) = 80.
        unaware = kind(sensitive=[0], at_predict="without", removal=0.0).fit(X, y)
        assert unaware.coef_[1] == pytest.approx(80.0, abs=10 * room)
        # 2SDR keeps the car's own effect and takes the 60 off through man.
        parity = kind(sensitive=[0]).fit(X, y)
        assert parity.coef_[1] == pytest.approx(of_car, rel=1e-9)
        assert parity.coef_[0] == pytest.approx(-2.0 * of_car, abs=4 * room)
