"""What a row moves is what moving the row moves; from it come standard errors that cover, coefficient by coefficient."""

import warnings

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import strategies as st
from sklearn.linear_model import LinearRegression

from tests.laws.test_goal_given_y import labels
from tests.laws.tools import SAME, Rows, close, expecting, fitted, law, rows
from twosdr import TwoStageClassifier, TwoStageRegressor, folds, inference
from twosdr.errors import ChoiceWarning, DegenerateWarning, IdentifiabilityWarning, TwosdrWarning

STEP = 1e-4  # share by which a weight is moved up and down; the error of the difference is its square
DIFFERENCE = 2e-5  # room for that, in units of the largest influence
WITH_Z = rows(d_s=st.integers(1, 2), d_x=st.integers(3, 4), d_z=st.integers(1, 2), weighted=True, least=60)
PLAIN = rows(d_s=st.integers(1, 2), d_x=st.integers(3, 4), weighted=True, least=60)

REGRESSIONS = [
    {},
    {"removal": 0.3},
    {"at_predict": "without"},
    {"at_predict": "without", "removal": 0.3},
    {"goal": "discrimination_free"},
    {"goal": "discrimination_free", "removal": 0.3},
    {"goal": "equalized_odds"},
    {"goal": "equalized_odds", "at_predict": "without", "removal": 0.3},
]
READINGS = [{"explanatory_mode": mode, "removal": r} for mode in ("controlled", "joint", "raw") for r in (1.0, 0.4)]
CLASSES = [
    {"goal": "equal_opportunity"},
    {"goal": "equal_opportunity", "at_predict": "without"},
    {"goal": "equalized_odds"},
    {"goal": "equalized_odds", "at_predict": "without", "removal": 0.3},
]


def said(asked: dict) -> str:
    return "-".join(str(v) for v in asked.values()) or "parity"


def influence(model, data: Rows, y: np.ndarray) -> np.ndarray:
    """The library's influence of every row on (coef, intercept)."""
    n = model._strata()
    fit = folds.by_class(model.moments_, n) if n > 1 else model.moments_.total()
    whole = fit.total()
    moves = inference.of_fit(fit, model._rank.columns, model._goal, model.model_.coef[:, 0])
    d = np.column_stack([data.X, y]) - whole.mean[0]
    return moves(d, (y > 0).astype(int) if n > 1 else np.zeros(data.n, dtype=int))


def moved(fit, data: Rows, row: int) -> np.ndarray:
    """(coef, intercept) by a row's weight, as a difference, times the sum of weights over the row's."""
    ends = []
    for sign in (1.0, -1.0):
        weight = data.weight.copy()
        weight[row] *= 1.0 + sign * STEP
        model = fit(weight)
        ends.append(np.append(model.coef_, model.intercept_))
    return (ends[0] - ends[1]) / (2 * STEP) * data.weight.sum() / data.weight[row]


def the_same(found: np.ndarray, fit, data: Rows) -> None:
    unit = np.maximum(abs(found).max(axis=0), 1e-9)
    for row in (0, data.n // 2, data.n - 1):
        close(found[row], moved(fit, data, row), to=DIFFERENCE, unit=unit.max())


@law(data=PLAIN | WITH_Z, few=3, many=20)
@pytest.mark.parametrize("asked", REGRESSIONS, ids=said)
def test_influence_is_the_derivative_by_the_weight_of_a_row(data: Rows, asked: dict):
    model = fitted(data, **asked)
    the_same(
        influence(model, data, data.y[:, 0]),
        lambda w: TwoStageRegressor(**data.roles, **asked).fit(data.X, data.target, w),
        data,
    )


@law(data=WITH_Z, few=3, many=20)
@pytest.mark.parametrize("asked", READINGS, ids=said)
def test_in_every_reading_of_z_too(data: Rows, asked: dict):
    with expecting(IdentifiabilityWarning):
        model = fitted(data, **asked)
        the_same(
            influence(model, data, data.y[:, 0]),
            lambda w: TwoStageRegressor(**data.roles, **asked).fit(data.X, data.target, w),
            data,
        )


@law(data=PLAIN | WITH_Z, few=3, many=20)
@pytest.mark.parametrize("asked", CLASSES, ids=said)
def test_and_where_classes_are_held_fixed(data: Rows, asked: dict):
    y = labels(data)

    def fit(weight):
        with expecting(DegenerateWarning, ChoiceWarning):
            return TwoStageClassifier(**data.roles, **asked, alphas=0.0).fit(data.X, y, weight)

    model = fit(data.weight)
    # A moved weight must not move the choice between one constraint and two.
    if len(model.identifiability_) and abs(model.identifiability_.min() - 0.1) > 0.01:
        the_same(influence(model, data, np.where(y == "yes", 1.0, -1.0)), fit, data)


@law(data=PLAIN, few=4, many=20)
def test_without_z_they_are_those_of_the_regression_on_everything(data: Rows):
    """Frisch and Waugh: the coefficient of x in 2SDR is that of x in y on 1, s and x, and so is its robust error."""
    everything = sm.add_constant(np.hstack([data.s, data.x]), has_constant="add")
    plain = Rows(data.s, data.x, data.z, data.y, None, data.place)
    one = sm.OLS(data.y[:, 0], everything).fit(cov_type="HC1")
    at = data.at("x")
    mine = fitted(plain).summary(plain.X, plain.target)
    close(mine.se[at], one.bse[1 + data.s.shape[1] :], to=SAME)
    group = np.arange(data.n) // 5
    one = sm.OLS(data.y[:, 0], everything).fit(cov_type="cluster", cov_kwds={"groups": group})
    mine = fitted(plain).summary(plain.X, plain.target, cluster=group)
    close(mine.se[at], one.bse[1 + data.s.shape[1] :], to=1e-9)
    assert mine.df == group.max()


@law(data=WITH_Z, few=3, many=15)
def test_wrapped_least_squares_has_the_errors_of_the_closed_form_in_the_coordinates_u(data: Rows):
    with expecting(IdentifiabilityWarning):
        closed = fitted(data, explanatory_mode="raw").summary(data.X, data.target, data.weight)
        wrapped = fitted(data, estimator=LinearRegression(), explanatory_mode="raw")
    mine = wrapped.summary(data.X, data.target, data.weight)
    order = [f"u(x{j})" if j in data.at("x") else f"x{j}" for j in sorted([*data.at("x"), *data.at("z")])]
    at = [mine.names.index(name) for name in order]
    free = (data.n - mine.df, data.n - closed.df)
    assert free[0] == free[1]
    close(mine.se[at], closed.se[sorted([*data.at("x"), *data.at("z")])], to=SAME)


def test_a_bootstrap_is_seeded_and_near_the_formula():
    rng = np.random.default_rng(11)
    s = rng.normal(size=(300, 1))
    x = rng.normal(size=(300, 2)) + s
    X, y = np.hstack([s, x]), x[:, 0] + s[:, 0] + rng.normal(size=300)
    model = TwoStageRegressor(sensitive=[0]).fit(X, y)
    formula = model.summary(X, y)
    drawn = model.summary(X, y, method="bootstrap", times=120, random_state=1)
    assert (abs(np.log(drawn.se / formula.se)) < 0.3).all()  # 120 draws know a deviation to 6 %, 300 rows to more
    first, again, other = (model.summary(X, y, method="bootstrap", times=4, random_state=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first.se, again.se)
    assert (first.se != other.se).all()
    ridge = TwoStageRegressor(sensitive=[0], alphas=2.0).fit(X, y).summary(X, y, times=4, random_state=1)
    assert "penalty" in ridge.method
    assert (ridge.se > 0).all()


def test_the_variance_correction_has_a_bootstrap_of_its_own():
    from twosdr import Residualizer

    rng = np.random.default_rng(4)
    s = (rng.normal(size=200) > 0).astype(float)
    x = (1 + s)[:, None] * rng.normal(size=(200, 2)) + s[:, None]
    X, y = np.column_stack([s, x]), x[:, 0] + s + rng.normal(size=200)

    def fit(counts):
        u = Residualizer(sensitive=[0], variance_correction=True).fit(X, sample_weight=counts).transform(X)
        return LinearRegression().fit(u, y, sample_weight=counts).coef_

    covariance = inference.bootstrap(fit, 200, times=30, random_state=0)
    np.testing.assert_array_equal(covariance, inference.bootstrap(fit, 200, times=30, random_state=0))
    assert (0.01 < np.sqrt(np.diag(covariance))).all()
    assert (np.sqrt(np.diag(covariance)) < 0.5).all()


# Coverage

RUNS, N = 1500, 1000
NOMINAL = (0.92, 0.98)


def world(rng: np.random.Generator, n: int):
    """Two sensitive columns, one z, five x; unequal variances; classes in which s shows differently, and clearly so."""
    s = np.column_stack([rng.normal(size=n) > 0.3, rng.normal(size=n)]).astype(float)
    z = rng.normal(size=n) + s[:, 0]
    x = rng.normal(size=(n, 5)) + np.outer(z, [0.3, 0.2, 0.1, 0.0, 0.0])
    x += s @ [[1.0, 0.5, -0.4, 1.2, 0.0], [0.6, -0.5, 0.9, 0.0, 0.8]]
    y = x[:, :3] @ [1.0, -0.5, 0.3] + 0.5 * z + s @ [1.0, -0.4] + rng.normal(size=n) * (1 + 0.5 * abs(x[:, 0]))
    label = y + rng.normal(size=n) > 0.5
    x[:, 1] += 2.0 * s[:, 0] * label
    x[:, 2] -= 1.5 * s[:, 1] * label
    return np.column_stack([s, z, x]), y, label.astype(int)


COVERED = [
    *[(TwoStageRegressor, {"explanatory": [2], **a}) for a in READINGS],
    *[(TwoStageRegressor, a) for a in REGRESSIONS],
    (TwoStageRegressor, {"estimator": LinearRegression(), "explanatory": [2]}),
    (TwoStageRegressor, {"estimator": LinearRegression(), "explanatory": [2], "explanatory_mode": "raw"}),
    *[(TwoStageClassifier, a) for a in CLASSES],
]


def coverage(kind, asked: dict, runs: int, n: int = N) -> np.ndarray:
    """The share of runs whose interval holds the coefficient of a very large sample, by coefficient; zeros by construction left out."""
    penalty = {} if "estimator" in asked else {"alphas": 0.0}

    def fit(seed: int, rows: int):
        X, y, label = world(np.random.default_rng(seed), rows)
        target = y if kind is TwoStageRegressor else label
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", TwosdrWarning)
            return kind(sensitive=[0, 1], **penalty, **asked).fit(X, target), X, target

    truth = fit(10**6, 1_000_000)[0]._coefficients()[1]
    inside = []
    for seed in range(runs):
        model, X, target = fit(seed, n)
        found = model.summary(X, target)
        inside.append((found.low <= truth) & (truth <= found.high))
        live = found.se > 0
    return np.mean(inside, axis=0)[live]


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "asked"), COVERED, ids=[f"{k.__name__}-{said(a)}" for k, a in COVERED])
def test_intervals_cover_coefficient_by_coefficient(kind, asked: dict):
    found = coverage(kind, asked, RUNS)
    # Each share is known to its own Monte Carlo error; the band widens by three of them, and no more.
    room = 3 * np.sqrt(0.95 * 0.05 / RUNS)
    assert (found >= NOMINAL[0] - room).all(), found
    assert (found <= NOMINAL[1] + room).all(), found


if __name__ == "__main__":
    print("| fit | least | largest |\n|---|---|---|")
    for kind, asked in COVERED:
        shares = coverage(kind, asked, RUNS)
        words = ", ".join(f"{name}={value!r}" for name, value in asked.items())
        print(f"| `{kind.__name__}({words})` | {shares.min():.3f} | {shares.max():.3f} |", flush=True)
