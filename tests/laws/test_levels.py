"""A target for removal is met exactly on the training rows; a frontier is what fits at its levels would show."""

import numpy as np
import pytest
from hypothesis import assume
from hypothesis import strategies as st

from tests.laws.tools import SAME, Rows, close, cov, expecting, fitted, law, least_squares, predicted, rows, spread
from twosdr import TwoStageClassifier, TwoStageRegressor
from twosdr.errors import ChoiceWarning, IdentifiabilityWarning, ParameterError

MET = 1e-9  # a level found in closed form: a quadratic's root, in shares of the target
PLAIN = rows(d_s=st.integers(1, 3), d_x=st.integers(3, 5))
WITH_Z = rows(d_s=st.integers(1, 3), d_x=st.integers(3, 5), d_z=st.integers(1, 2))
AT = st.sampled_from(["with", "without"])


def people(seed: int, n: int = 400):
    rng = np.random.default_rng(seed)
    sex, race = rng.choice(["f", "m"], n), rng.choice(["a", "b", "c", "d"], n, p=[0.4, 0.3, 0.2, 0.1])
    shift = (sex == "f") - 0.8 * (race == "c") + 0.4 * (race == "d")
    X = {"sex": sex.astype(object), "race": race.astype(object)}
    X |= {f"x{j}": rng.normal(size=n) + (j + 1) / 2 * shift for j in range(4)}
    return X, X["x0"] - 0.7 * X["x3"] + shift + rng.normal(size=n), rng.uniform(0.2, 2.0, n)


def means(score: np.ndarray, by: np.ndarray, weight: np.ndarray) -> np.ndarray:
    return np.array([np.average(score[by == v], weights=weight[by == v]) for v in np.unique(by)])


def share_of_s(score: np.ndarray, data: Rows) -> float:
    """R² of the score on what z leaves of s, over the score's variance; 0 of a score without any."""
    w = np.ones(data.n) if data.weight is None else data.weight

    def centred(a: np.ndarray) -> np.ndarray:
        return (a - w @ a / w.sum()) * np.sqrt(w)[:, None]

    s, z, f = centred(data.s), centred(data.z), centred(score)
    h = s - z @ least_squares(z, s) if z.shape[1] else s
    fit = h @ least_squares(h, f)
    total = (f**2).sum()
    return float((fit**2).sum() / total) if total > 0 else 0.0


@pytest.mark.parametrize("at_predict", ["with", "without"])
@pytest.mark.parametrize("seed", range(4))
def test_a_distance_is_met_by_the_attribute_that_binds_and_kept_by_the_others(seed: int, at_predict: str):
    X, y, weight = people(seed)
    with expecting(IdentifiabilityWarning):
        asked = {"sensitive": ["sex", "race"], "at_predict": at_predict}
        free = TwoStageRegressor(**asked, removal=0.0).fit(X, y, weight).predict(X)
        for target in (0.3, {"race": 0.2}, [0.9, 0.15], {"sex": 0.05, "race": 0.8}):
            model = TwoStageRegressor(**asked, removal={"md": target}).fit(X, y, weight)
            limits = dict(zip(["sex", "race"], target, strict=True)) if isinstance(target, list) else target
            limits = limits if isinstance(limits, dict) else dict.fromkeys(["sex", "race"], target)
            fitted_scores = model.predict(X)
            shares = [np.ptp(means(fitted_scores, X[name], weight)) / limit for name, limit in limits.items()]
            before = [np.ptp(means(free, X[name], weight)) / limit for name, limit in limits.items()]
            assert max(shares) <= 1 + MET
            assert max(shares) == pytest.approx(1.0, rel=MET) or model.removal_ == 0.0
            if max(before) > 1 and at_predict == "with":  # linear in t: no search
                assert model.removal_ == pytest.approx(1 - 1 / max(before), rel=1e-6)


@law(data=PLAIN | WITH_Z, share=st.floats(0.001, 0.3), at_predict=AT, alpha=st.sampled_from([0.0, 5.0]))
def test_a_share_is_met_exactly_or_is_not_needed(data: Rows, share: float, at_predict: str, alpha: float):
    asked = {"at_predict": at_predict, "alphas": alpha}
    model = fitted(data, removal={"r2": share}, **asked)
    found = share_of_s(predicted(model, data), data)
    assert found <= share * (1 + 1e-7) + 1e-12
    score = predicted(model, data)
    if model.removal_ == 1.0:  # only a constant has so small a share: as many constraints as columns leave nothing else
        assert np.ptp(score) < 1e-9 * spread(data.y, data.weight).max()
    elif model.removal_ > 0:
        assert found == pytest.approx(share, rel=1e-7)
    else:
        assert share_of_s(predicted(fitted(data, removal=0.0, **asked), data), data) <= share * (1 + 1e-7)


@law(data=PLAIN, share=st.floats(0.01, 0.2), seed=st.integers(0, 2**32 - 1), at_predict=AT)
def test_recoding_s_linearly_changes_no_level(data: Rows, share: float, seed: int, at_predict: str):
    rng = np.random.default_rng(seed)
    d_s = data.s.shape[1]
    turn = np.linalg.qr(rng.normal(size=(d_s, d_s)))[0] * rng.uniform(0.2, 5.0, d_s)
    other = Rows(data.s @ turn - 7.0, data.x, data.z, data.y, data.weight, data.place)
    a, b = (fitted(d, removal={"r2": share}, at_predict=at_predict, alphas=1.0) for d in (data, other))
    close(b.removal_, a.removal_, to=1e-8, unit=1.0)
    close(predicted(b, other), predicted(a, data), to=1e-8, unit=spread(data.y, data.weight))


@law(data=PLAIN | WITH_Z, removal=st.floats(0.0, 1.0), alpha=st.sampled_from([0.0, 2.0]), few=4)
def test_every_level_of_the_frontier_is_the_fit_at_that_level(data: Rows, removal: float, alpha: float):
    w = np.ones(data.n) if data.weight is None else data.weight
    frontier = fitted(data, alphas=alpha).frontier(levels=[removal])
    for label, asked in {
        "parity": {},
        "parity without s": {"at_predict": "without"},
        "discrimination_free": {"goal": "discrimination_free"},
    }.items():
        score = predicted(fitted(data, removal=removal, alphas=alpha, **asked), data)
        row = frontier[label].row(0)
        mse = np.average((data.y - score)[:, 0] ** 2, weights=w)
        close(row["mse"], mse, to=SAME, unit=spread(data.y, data.weight)[0] ** 2)
        close(row["r2"], 1 - mse / spread(data.y, data.weight)[0] ** 2, to=SAME, unit=1.0)
        close(row["r2_s"], share_of_s(score, data), to=1e-8, unit=1.0)
        for j, at in enumerate(sorted(data.at("s"))):
            s = data.X[:, [at]]
            moved = abs(cov(s, score, data.weight))[0, 0] / spread(s, data.weight)[0]
            if len(np.unique(s)) == 2:
                moved = np.ptp(means(score[:, 0], s[:, 0], w))
            close(row[f"distance x{at}"], moved, to=SAME, unit=spread(data.y, data.weight)[0])
            assert j < data.s.shape[1]


@law(data=PLAIN, few=3, many=15)
def test_held_out_levels_are_those_of_refits_on_the_other_folds(data: Rows):
    w = np.ones(data.n) if data.weight is None else data.weight
    with expecting(ChoiceWarning):
        model = fitted(data, alphas=[0.3, 3.0], cv=np.arange(data.n) % 4)
    frontier = model.frontier(levels=[0.4], held_out=True)
    score = np.empty((data.n, 1))
    for k in range(4):
        train = np.arange(data.n) % 4 != k
        score[~train] = predicted(fitted(data.take(train), removal=0.4, alphas=model.alpha_), data.take(~train))
    row = frontier["parity"].row(0)
    close(row["mse"], np.average((data.y - score)[:, 0] ** 2, weights=w), to=1e-9)
    close(row["r2_s"], share_of_s(score, data), to=1e-8, unit=1.0)


@law(data=PLAIN, few=3, many=15)
def test_other_rows_are_measured_as_they_are_predicted(data: Rows):
    assume(data.n > 60)
    train, test = data.take(slice(0, 40)), data.take(slice(40, None))
    model = fitted(train)
    row = model.frontier(test.X, test.target, test.weight, levels=[1.0])["parity"].row(0)
    score = predicted(model, test)
    close(row["mse"], np.average((test.y - score)[:, 0] ** 2, weights=test.weight), to=1e-9)
    close(row["r2_s"], share_of_s(score, test), to=1e-8, unit=1.0)


def test_the_family_stands_side_by_side():
    X, y, weight = people(7)
    model = TwoStageClassifier(sensitive=["sex", "race"], goal="equalized_odds", alphas=1.0).fit(X, y > 0.3, weight)
    frontier = model.frontier(levels=101)
    assert len(frontier.rows()) == 505
    family = frontier.family()
    assert list(family) == [
        *("OLS", "2SDR", "unaware", "without s", "discrimination-free", "equalized odds", "equalized odds without s"),
    ]
    assert family["OLS"]["mse"] < family["discrimination-free"]["mse"]
    assert family["2SDR"]["distance sex"] < 1e-12
    assert family["2SDR"]["mse"] < family["without s"]["mse"]
    assert family["equalized odds"]["distance sex given y"] < 1e-12
    assert "2SDR" in repr(frontier)
    assert "<th>r2_s</th>" in frontier._repr_html_()
    with pytest.raises(KeyError, match="parity without s"):
        frontier["nothing"]


def test_distances_of_groups_at_equal_y_are_a_target_too():
    X, y, weight = people(3)
    y = y > 0.2
    model = TwoStageClassifier(sensitive="race", drop="sex", goal="equal_opportunity", removal={"md": 0.1}, alphas=0.0)
    score = model.fit(X, y, weight).decision_function(X)
    assert np.ptp(means(score[y], X["race"][y], weight[y])) == pytest.approx(0.1, rel=MET)


def test_two_values_of_a_number_are_two_groups_whatever_they_are():
    X, y, weight = people(5)
    for low, high in ((0.0, 1.0), (1.0, 2.0), (-3.0, 40.0)):
        table = X | {"sex": np.where(X["sex"] == "f", low, high)}
        model = TwoStageRegressor(sensitive="sex", drop="race", removal={"md": 0.02}).fit(table, y, weight)
        assert np.ptp(means(model.predict(table), X["sex"], weight)) == pytest.approx(0.02, rel=MET)


def test_a_level_that_z_stands_in_the_way_of_is_an_error_with_the_number():
    X, y, weight = people(2)
    y = y + 3 * X["x1"]
    asked = {"sensitive": "sex", "explanatory": "x1", "drop": "race"}
    left = np.ptp(means(TwoStageRegressor(**asked).fit(X, y, weight).predict(X), X["sex"], weight))
    with pytest.raises(ParameterError, match=f"out of reach.*{left:.3g}.*explanatory"):
        TwoStageRegressor(**asked, removal={"md": left / 2}).fit(X, y, weight)
    with pytest.raises(ParameterError, match="out of reach for goal='discrimination_free'"):
        TwoStageRegressor(sensitive="sex", goal="discrimination_free", removal={"r2": 1e-6}).fit(X, y, weight)
