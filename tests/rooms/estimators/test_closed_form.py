"""estimators/_closed_form.py: which settings make sense together, alphas, and what a fit says about its digits."""

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, Ridge

from tests.rooms.samples import answer, frame, numbers, people, refused, same, target
from twosdr import TwoStageRegressor
from twosdr.errors import ChoiceWarning, DroppedColumnWarning, ParameterError, PrecisionWarning, TwosdrWarning

ROWS = frame()
LATER = frame(people(n=40, seed=7))
Y = target(people())


def fitted(X=ROWS, y=Y, **settings):
    return TwoStageRegressor(**({"sensitive": "sex"} | settings)).fit(X, y)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"goal": "fair"}, ["goal", "'parity'", "'fair'"]),
        ({"goal": None}, ["goal", "None"]),
        ({"at_predict": "never"}, ["at_predict", "'with', 'without'", "'never'"]),
        ({"explanatory_mode": "strict"}, ["explanatory_mode", "'strict'"]),
        ({"removal": 2}, ["removal", "2"]),
        ({"n_jobs": 0}, ["n_jobs", "0"]),
        ({"max_levels": 1}, ["max_levels=1", '"sex"']),
    ],
    ids=str,
)
@pytest.mark.parametrize("estimator", [None, LinearRegression()], ids=["closed form", "wrapped"])
def test_a_setting_outside_its_range(settings, words, estimator):
    with refused(ParameterError, *words):
        fitted(estimator=estimator, **settings)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"explanatory_mode": "joint"}, ["explanatory_mode='joint'", "without explanatory columns"]),
        ({"sensitive": (), "removal": 0.5}, ["removal", "without sensitive columns"]),
        ({"sensitive": (), "goal": "discrimination_free"}, ["goal", "without sensitive columns"]),
        ({"sensitive": (), "at_predict": "without"}, ["at_predict", "without sensitive columns"]),
        (
            {"explanatory": "age", "explanatory_mode": "controlled", "goal": "discrimination_free"},
            ["'controlled'", "goal='parity'", "leave explanatory_mode out"],
        ),
        ({"explanatory": "age", "explanatory_mode": "raw", "at_predict": "without"}, ["'raw'", "at_predict='with'"]),
        ({"goal": "discrimination_free", "at_predict": "without", "removal": 0.5}, ["removal", "at_predict='without'"]),
    ],
    ids=str,
)
def test_a_setting_without_effect(settings, words):
    with refused(ParameterError, *words):
        fitted(**settings)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"alphas": 1.0}, ["alphas", "estimator"]),
        ({"alphas": [0.1, 1.0]}, ["alphas", "estimator"]),
        ({"alphas": [0.1, 1.0], "scoring": "r2"}, ["alphas and scoring", "estimator"]),
        ({"goal": "discrimination_free"}, ["discrimination_free", "Leave estimator out"]),
        ({"at_predict": "without", "between": 2.0}, ["between=", "Leave estimator out"]),
        ({"removal": {"md": 0.1}}, ["removal", "closed form"]),
        ({"explanatory": "age", "explanatory_mode": "controlled"}, ["'controlled'", "'joint' or 'raw'"]),
        ({"explanatory_mode": "joint"}, ["explanatory_mode='joint'", "no effect"]),
        ({"sensitive": (), "removal": 0.5}, ["removal", "no effect"]),
    ],
    ids=str,
)
def test_a_setting_without_effect_beside_an_estimator(settings, words):
    with refused(ParameterError, *words):
        fitted(estimator=LinearRegression(), **settings)


def test_one_setting_is_said_in_the_singular():
    with refused(ParameterError, "alphas has no effect"):
        fitted(estimator=LinearRegression(), alphas=[0.1, 1.0])


class TestAlphas:
    """Ridge penalties, and the choice among them."""

    @pytest.mark.parametrize(
        "alphas",
        [-1.0, [1.0, -1.0], [], np.nan, [1.0, np.inf], None, "auto", ["a"], [[1.0, 2.0]], 1 + 2j, {"a": 1}, [None]],
    )
    def test_are_numbers_from_zero_up(self, alphas):
        with refused(ParameterError, "alphas", repr(alphas)):
            fitted(alphas=alphas)

    @pytest.mark.parametrize("alphas", [1, 1.0, [1], (1.0,), np.array([1.0]), np.float32(1), np.array(1)])
    def test_one_is_used_as_it_is(self, alphas):
        model = fitted(alphas=alphas)
        assert model.alpha_ == 1.0
        assert model.cv_results_ is None

    @pytest.mark.parametrize("cv", [1, 0, -5, 2.5, "5", None, True, [0, 1]])
    def test_an_odd_cv_is_refused(self, cv):
        with refused(ParameterError, "cv", repr(cv)):
            fitted(alphas=[0.1, 1.0], cv=cv)

    def test_the_choice_has_the_least_error(self):
        grid = np.geomspace(1e-3, 1e5, 30)
        model = fitted(alphas=grid)
        results = model.cv_results_
        assert model.alpha_ == grid[np.argmin(results["mean_mse"])]
        assert grid[0] < model.alpha_ < grid[-1]
        assert results["mse"].shape == (10, 30)
        assert np.allclose(results["mean_mse"], results["mse"].mean(axis=0))
        assert same(model.predict(LATER), fitted(alphas=model.alpha_).predict(LATER), 1e-12)

    @pytest.mark.parametrize(("grid", "edge"), [([1e4, 1e5, 1e6], "10000"), ([1e-6, 1e-5, 1e-4], "0.0001")])
    def test_a_choice_at_the_edge_is_flagged(self, grid, edge):
        with pytest.warns(ChoiceWarning, match=f"alpha = {edge} was chosen, at the edge of the grid"):
            assert f"{fitted(alphas=grid).alpha_:g}" == edge

    def test_the_order_of_the_grid_does_not_matter(self):
        grid = np.geomspace(1e-3, 1e5, 30)
        shuffled = np.random.default_rng(0).permutation(grid)
        assert fitted(alphas=shuffled).alpha_ == fitted(alphas=grid).alpha_

    @pytest.mark.filterwarnings("ignore::twosdr.errors.ChoiceWarning")
    def test_more_folds_than_rows_are_as_many_as_rows(self):
        assert len(fitted(alphas=[0.1, 1.0], cv=1000).cv_results_["mse"]) == 60

    @pytest.mark.filterwarnings("ignore::twosdr.errors.TwosdrWarning")
    @pytest.mark.parametrize("n", [2, 3, 4])
    def test_a_handful_of_rows_choose_or_say_why_not(self, n):
        X, y = {"sex": ["f", "m", "f", "m"][:n], "a": [1.0, 2.0, 4.0, 3.0][:n]}, [1.0, 0.0, 2.0, 5.0][:n]
        model = answer(lambda: fitted(X, y, alphas=[0.1, 1.0]), ParameterError, "folds")
        assert model is None or np.isfinite(model.predict(X)).all()

    @pytest.mark.filterwarnings("ignore::twosdr.errors.ChoiceWarning")
    def test_several_targets_share_one_alpha(self):
        model = fitted(y=np.column_stack([Y, Y[::-1]]), alphas=[0.1, 1.0, 10.0])
        assert isinstance(model.alpha_, float)
        assert model.cv_results_["mse"].shape == (10, 3)

    @pytest.mark.parametrize("alpha", [0.1, 10.0])
    def test_ridge_is_scikit_learns_on_standardised_columns(self, alpha):
        X = numbers(people())
        s = X[:, :1] - X[:, :1].mean()
        u = X[:, 1:] - s @ np.linalg.lstsq(s, X[:, 1:] - X[:, 1:].mean(axis=0), rcond=None)[0]
        u = (u - u.mean(axis=0)) / u.std(axis=0)
        expected = Ridge(alpha=alpha).fit(u, Y).predict(u)
        assert same(fitted(X, sensitive=0, alphas=alpha).predict(X), expected)


class TestDigits:
    """Near-copies: exact ones go by name, near ones are read again or flagged."""

    def test_a_near_copy_is_solved_from_the_rows(self):
        X = numbers(people())
        X = np.column_stack([X, X[:, 1] * (1 + 1e-6 * np.sin(np.arange(60)))])
        model = fitted(X, sensitive=0)
        assert model.rcond_ < 1e-10
        s = X[:, :1] - X[:, :1].mean()
        centred = X[:, 1:] - X[:, 1:].mean(axis=0)
        u = centred - s @ np.linalg.lstsq(s, centred, rcond=None)[0]
        u /= np.linalg.norm(u, axis=0)
        expected = Y.mean() + u @ np.linalg.lstsq(u, Y - Y.mean(), rcond=None)[0]
        assert same(model.predict(X), expected, 1e-6)

    def test_a_nearer_copy_goes_or_is_flagged(self):
        X = numbers(people())
        X = np.column_stack([X, X[:, 1] * (1 + 1e-10 * np.sin(np.arange(60)))])
        with pytest.warns(TwosdrWarning) as caught:
            model = fitted(X, sensitive=0)
        assert {w.category for w in caught} <= {PrecisionWarning, DroppedColumnWarning}
        assert np.isfinite(model.predict(X)).all()
        assert np.abs(model.predict(X) - Y.mean()).max() < 100

    def test_a_penalty_needs_neither(self):
        X = numbers(people())
        X = np.column_stack([X, X[:, 1]])
        model = fitted(X, sensitive=0, alphas=1.0)
        assert model.dropped_ == {}
        assert np.isclose(model.coef_[1], model.coef_[4])


class TestWhatIsKept:
    """Shapes and names of what was learned."""

    def test_attributes(self):
        model = fitted(sensitive=["sex", "age"], explanatory="hours")
        p = len(model.encoded_names_)
        assert model.coef_.shape == (p,)
        assert isinstance(model.intercept_, float)
        assert model.B_.shape == tuple(len(names) for names in model.B_names_)
        assert model.beta_u_.shape == (len(model.B_names_[1]),)
        assert model.beta_z_.shape == (1,)
        assert model.rank_ == p - len(model.dropped_)
        assert 0 < model.rcond_ <= 1
        assert model.cost_ >= 0
        assert model.roles_.columns("s") == ("sex", "age")
        assert int(model.moments_.count.sum()) == 60

    @pytest.mark.parametrize(
        ("settings", "needs"),
        [
            ({}, True),
            ({"at_predict": "without"}, False),
            ({"goal": "discrimination_free"}, False),
            ({"goal": "discrimination_free", "removal": 0.5}, True),
            ({"sensitive": ()}, False),
        ],
        ids=str,
    )
    def test_whether_s_is_needed_at_predict(self, settings, needs):
        assert fitted(**settings).needs_sensitive_ is needs
