"""What was saved is what is loaded: predictions to the bit, the same bytes again, and nothing that could bring rows back."""

import json
import os
import pickle
import stat
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression, Ridge

import twosdr
from tests.rooms.model.cases import MAKERS, Case, case, frame, fresh, strange, three
from tests.rooms.samples import numbers, people, refused, target
from twosdr import TwoStageClassifier, TwoStageRegressor
from twosdr.errors import MissingValueError, MomentsError, ParameterError, UnknownLevelError
from twosdr.model import files, text
from twosdr.moments import Moments

# Moments of three rows: shift, weight, count, delta, scatter.
HALF = ([0.0, 0, 0], [3.0], [3], [[0.0, 1, 2]], [[[2.0, 1, 1], [1, 3, 1], [1, 1, 4]]])
CASES = pytest.mark.parametrize("name", MAKERS)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "m.json"


def travelled(model, path):
    model.save(path)
    return twosdr.load(path)


@CASES
def test_predictions_are_equal_to_the_bit(name, path):
    c = case(name)
    loaded = travelled(c.model, path)
    assert type(loaded) is type(c.model)
    assert np.array_equal(Case(loaded, c.rows, c.beside).raw(), c.raw())
    before, after = c.model.predict(c.rows, **c.beside), loaded.predict(c.rows, **c.beside)
    assert before.dtype.kind == after.dtype.kind
    assert np.array_equal(before, after)


@CASES
def test_what_was_learned_is_there(name, path):
    model = case(name).model
    loaded = travelled(model, path)
    for learned in ("coef_", "intercept_", "alpha_", "beta_u_", "beta_z_", "cost_", "encoded_names_", "n_features_in_"):
        assert np.array_equal(getattr(loaded, learned), getattr(model, learned)), learned
    for learned in ("dropped_", "rank_", "rcond_", "needs_sensitive_"):
        assert getattr(loaded, learned) == getattr(model, learned), learned
    assert loaded.roles_.fields == model.roles_.fields
    assert hasattr(loaded, "feature_names_in_") == hasattr(model, "feature_names_in_")
    if hasattr(model, "classes_"):
        assert loaded.classes_.dtype.kind == model.classes_.dtype.kind
        assert loaded.classes_.tolist() == model.classes_.tolist()
        assert loaded.threshold_ == model.threshold_
        assert loaded.decision_rates_ == model.decision_rates_


@CASES
def test_the_same_model_is_the_same_bytes_also_after_loading(name, path):
    model = case(name).model
    model.save(path)
    first = path.read_bytes()
    twosdr.load(path).save(path)
    assert path.read_bytes() == first
    fresh(name).model.save(path)
    assert path.read_bytes() == first


@CASES
def test_a_loaded_model_fits_again_as_the_first_would(name, path):
    loaded = travelled(case(name).model, path)
    assert type(clone(loaded)) is type(loaded)
    assert type(loaded).__name__ in repr(loaded)


def test_fitting_a_loaded_model_again_forgets_the_file(path):
    X, y = frame(0), target(people(90, 0))
    model = TwoStageRegressor(sensitive="sex", alphas=[0.01, 1.0, 1e4], cv=5, removal=0.7).fit(X, y)
    again = travelled(model, path).fit(X, y)
    assert np.array_equal(again.coef_, model.coef_)
    assert again.moments_.n_cells == 5
    assert not hasattr(again, "saved_")
    assert again.partial_fit(X, y).rows_seen_ == 180


def test_the_score_of_a_loaded_model(path):
    X, y = frame(0), target(people(90, 0))
    model = TwoStageRegressor(sensitive="sex").fit(X, y)
    assert travelled(model, path).score(X, y) == model.score(X, y)
    labels = three(y)
    model = TwoStageClassifier(sensitive="sex", alphas=1.0).fit(X, labels)
    assert travelled(model, path).score(X, labels) == model.score(X, labels)


def test_the_policies_travel(path):
    loaded = travelled(case("regressor").model, path)
    with refused(UnknownLevelError, '"race"', "Martian", "Known"):
        loaded.predict(strange(frame(7, 40)))
    with refused(MissingValueError, '"skill"'):
        loaded.predict(frame(7, 40).assign(skill=np.nan))


def test_a_level_whose_rows_were_forgotten_counts_as_average(path):
    c = case("levels without rows")
    gone = c.rows.assign(race="black")
    unknown = c.rows.assign(race="Martian")
    assert np.array_equal(c.model.predict(gone), c.model.predict(unknown))
    assert np.array_equal(travelled(c.model, path).predict(gone), c.model.predict(unknown))


def test_no_row_and_no_moments_are_in_the_file(path):
    X = frame(0)
    X["skill"] = np.random.default_rng(3).normal(size=90)
    TwoStageRegressor(sensitive="sex").fit(X, target(people(90, 0))).save(path)
    written = path.read_text("utf-8")
    assert not any(repr(value) in written for value in X["skill"].tolist())

    def largest(value):
        parts = value if isinstance(value, list) else list(value.values()) if isinstance(value, dict) else []
        plain = [p for p in parts if isinstance(p, float)]
        return max([len(plain), *map(largest, parts)])

    # A list of numbers is by target, or one of alphas: nothing is columns by columns.
    assert largest(json.loads(written)) <= 12
    # And twice the columns is twice the file: what grows with the square of them is not there.
    more = np.random.default_rng(4).normal(size=(90, 200))
    sizes = []
    for count in (50, 100, 200):
        table = pd.concat([X, pd.DataFrame(more[:, :count]).add_prefix("column ")], axis=1)
        TwoStageRegressor(sensitive="sex", alphas=1.0).fit(table, target(people(90, 0))).save(path)
        sizes.append(len(path.read_bytes()))
    assert (sizes[2] - sizes[1]) < 2.2 * (sizes[1] - sizes[0])


def test_the_promise_of_training_is_in_the_file(path):
    X, y = frame(0), target(people(90, 0))
    model = TwoStageRegressor(sensitive="sex", explanatory="hours").fit(X, y)
    fitted = model.predict(X)
    facts = travelled(model, path).saved_.facts
    s = np.array([name == "sex=f" for name in model.roles_.names])
    woman = (X["sex"] == "f").to_numpy(dtype=float)
    assert np.isclose(facts.covariance[s][0, 0], np.cov(woman, fitted, bias=True)[0, 1], rtol=1e-10)
    assert np.isclose(facts.mean[s][0], woman.mean(), rtol=1e-12)
    assert np.isclose(facts.prediction_deviation[0], fitted.std(), rtol=1e-10)
    assert np.isclose(facts.mse[0], ((y - fitted) ** 2).mean(), rtol=1e-10)
    assert np.isclose(facts.y_mean[0], y.mean(), rtol=1e-12)
    assert facts.rows == 90
    assert not facts.covariance[~np.isin(model.roles_.names, ["sex=f", "sex=m"])].any()


@pytest.mark.parametrize(
    "attribute", ["moments_", "baseline_", "B_", "B_names_", "cv_results_", "identifiability_", "strata_"]
)
def test_what_a_file_does_not_hold_says_so(attribute, path):
    loaded = travelled(case("regressor").model, path)
    assert not hasattr(loaded, attribute)
    with pytest.raises(
        AttributeError, match=f"loaded from a file, which holds no moments, so {attribute} is not there"
    ):
        getattr(loaded, attribute)


def test_an_attribute_that_fit_has_not_set_yet_is_an_ordinary_absence():
    with pytest.raises(AttributeError, match="'TwoStageRegressor' object has no attribute 'moments_'"):
        _ = TwoStageRegressor().moments_


def test_a_loaded_model_neither_grows_nor_forgets(path):
    X, y = frame(0), target(people(90, 0))
    loaded = travelled(case("regressor").model, path)
    coefficients = loaded.coef_.copy()
    for call in (loaded.partial_fit, loaded.forget):
        with refused(MomentsError, "holds no moments", "fit_from_moments", "fit again"):
            call(X, y)
    loaded = travelled(case("yes and no").model, path)
    loaded.set_params(threshold=0.0)
    for call in (loaded.partial_fit, loaded.forget):
        with refused(MomentsError, "holds no moments"):
            call(X, np.where(y > 0.3, "yes", "no"))
    assert np.array_equal(case("regressor").model.coef_, coefficients)


@pytest.mark.parametrize("method", ["frontier", "carriers", "plot_frontier", "summary"])
def test_what_needs_moments_says_so(method, path):
    loaded = travelled(case("regressor").model, path)
    rows = (frame(0), target(people(90, 0))) if method == "summary" else ()
    with pytest.raises((AttributeError, MomentsError), match="loaded from a file, which holds no moments"):
        getattr(loaded, method)(*rows)


def test_a_loaded_model_does_not_grow_from_a_file_either(path, tmp_path):
    loaded = travelled(case("regressor").model, path)
    pd.DataFrame(people(90, 0)).assign(y=target(people(90, 0))).to_parquet(tmp_path / "more.parquet")
    with refused(MomentsError, "holds no moments"):
        loaded.partial_fit(str(tmp_path / "more.parquet"), "y")
    assert np.array_equal(loaded.coef_, case("regressor").model.coef_)


def test_the_moments_beside_the_model_are_the_way_to_go_on(path, tmp_path):
    X, y = frame(0), target(people(90, 0))
    model = TwoStageRegressor(sensitive="sex").fit(X, y)
    model.moments_.save(tmp_path / "m.npz")
    loaded = travelled(model, path)
    back = clone(loaded).fit_from_moments(Moments.load(tmp_path / "m.npz"), loaded.roles_)
    assert np.array_equal(back.coef_, model.coef_)
    both = model.partial_fit(X, y)
    assert np.array_equal(back.partial_fit(X, y).coef_, both.coef_)


def test_parameters_changed_after_the_fit_do_not_change_what_was_fitted(path):
    model = TwoStageRegressor(sensitive="sex", removal=0.5).fit(frame(0), target(people(90, 0)))
    model.set_params(removal=1.0)
    loaded = travelled(model, path)
    assert loaded.removal == loaded.saved_.facts.removal == 0.5


def test_settings_without_a_plain_form_are_left_to_their_defaults(path):
    X, y = frame(0), target(people(90, 0))
    folds = np.arange(90) % 4
    model = TwoStageRegressor(sensitive=lambda X: ["sex"], alphas=np.array([0.01, 1.0, 1e4]), cv=folds).fit(X, y)
    loaded = travelled(model, path)
    assert loaded.sensitive == ("sex",)
    assert loaded.alphas == [0.01, 1.0, 1e4]
    assert loaded.cv == TwoStageRegressor().cv


def test_wrapped_estimators_point_to_skops(path):
    X, y = frame(0), target(people(90, 0))
    for model, labels in (
        (TwoStageRegressor(Ridge(), sensitive="sex"), y),
        (TwoStageClassifier(LogisticRegression(), sensitive="sex"), y > 0),
    ):
        with refused(ParameterError, "is not JSON", "skops"):
            model.fit(X, labels).save(path)
    assert not path.exists()


def test_a_model_without_a_fit_is_not_saved(path):
    with pytest.raises(NotFittedError):
        TwoStageRegressor().save(path)
    assert not path.exists()


@pytest.mark.parametrize(
    "classes",
    [
        np.array([b"a", b"b"]),
        np.array([1j, 2j]),
        np.array(["2020-01-01", "2021-01-01"], dtype="datetime64[D]"),
        np.array([("a",), ("b", 1)], dtype=object),
        np.array(["a", "\ud800"]),
    ],
    ids=lambda classes: str(classes.dtype),
)
def test_classes_without_a_form_in_json_are_refused(classes):
    with refused(ParameterError, "no form in JSON"):
        files.dumps(replace(case("yes and no").model._portable(), classes=classes))


@pytest.mark.parametrize(
    "classes",
    [
        np.array([True, False]),
        np.array([0, 2**64 - 1], dtype=np.uint64),
        np.array([-(2**63), 2**63 - 1]),
        np.array([-1, 1], dtype=np.int8),
        np.array([0.1, 2.0], dtype=np.float32),
        np.array([0.1, -0.0]),
        np.array(["", '\x00\n"\\é👩‍🔬']),
        np.array(["a", 1], dtype=object),
    ],
    ids=lambda classes: str(classes.dtype),
)
def test_labels_of_every_type_come_back_exactly(classes):
    back = files.loads(files.dumps(replace(case("yes and no").model._portable(), classes=classes))).classes
    assert back.dtype == classes.dtype
    assert back.tolist() == classes.tolist()
    assert np.array_equal(np.signbit(back), np.signbit(classes)) if back.dtype.kind == "f" else True


@pytest.mark.parametrize(
    "levels", [[1, 2, 3], [0.5, 1.0, np.inf], [-np.inf, -0.0, 2.5], [True, False], ["1", "01", " 1"]], ids=str
)
def test_levels_of_every_type_come_back_exactly(levels, path):
    rng = np.random.default_rng(0)
    X = frame(0)
    X["district"] = pd.Categorical(np.array(levels)[rng.integers(0, len(levels), 90)])
    model = TwoStageRegressor(sensitive="district").fit(X, target(people(90, 0)))
    loaded = travelled(model, path)
    assert loaded.roles_.fields == model.roles_.fields
    types = [[type(v) for v in f.levels or ()] for f in loaded.roles_.fields]
    assert types == [[type(v) for v in f.levels or ()] for f in model.roles_.fields]
    assert np.array_equal(loaded.predict(X), model.predict(X))


def test_levels_declared_as_numpy_values_are_plain_ones_in_the_file(path):
    X = pd.DataFrame({"g": pd.Categorical([1, 2] * 10), "x": np.arange(20.0) % 7})
    model = TwoStageRegressor(sensitive="g").partial_fit(X, np.arange(20.0) % 3, levels={"g": np.array([1, 2, 5])})
    loaded = travelled(model, path)
    assert loaded.roles_.fields[0].levels == (1, 2, 5)
    assert np.array_equal(loaded.predict(X), model.predict(X))


def test_a_sparse_table(path):
    rows = numbers(people(90, 0))
    model = TwoStageRegressor(sensitive=0).fit(sp.csr_array(rows), target(people(90, 0)))
    new = sp.csr_array(numbers(people(40, 7)))
    assert np.array_equal(travelled(model, path).predict(new), model.predict(new))


def test_a_loaded_model_goes_through_pickle_as_a_fitted_one_does(path):
    loaded = travelled(case("missing as a level").model, path)
    again = pickle.loads(pickle.dumps(loaded))
    assert np.array_equal(again.predict(case("missing as a level").rows), case("missing as a level").raw())
    again.save(path.with_name("again.json"))
    assert path.with_name("again.json").read_bytes() == path.read_bytes()


def test_half_a_character_is_refused(path):
    m = Moments(("s", "x\ud800", "y"), ("s", "x", "y"), *(np.array(a) for a in HALF))
    with refused(ParameterError, "no form in JSON"):
        TwoStageRegressor().fit_from_moments(m).save(path)
    assert not path.exists()


def test_the_file_appears_whole_or_not_at_all(path, monkeypatch, tmp_path):
    path.write_text("what was there")
    model = case("regressor").model

    def full(*_):
        raise OSError("No space left on device")

    monkeypatch.setattr(text.os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        model.save(path)
    monkeypatch.undo()

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(text.os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        model.save(path)
    assert path.read_text() == "what was there"
    assert os.listdir(tmp_path) == ["m.json"]


def test_permissions_are_those_of_an_ordinary_file_and_a_link_stays_one(path, tmp_path):
    model = case("regressor").model
    (tmp_path / "link.json").symlink_to(path)
    model.save(tmp_path / "link.json")
    ordinary = tmp_path / "ordinary"
    ordinary.write_text("")
    assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE(ordinary.stat().st_mode)
    assert (tmp_path / "link.json").is_symlink()
    assert np.array_equal(twosdr.load(str(tmp_path / "link.json")).coef_, model.coef_)


def test_a_model_larger_than_load_would_read_is_not_written(path, monkeypatch):
    monkeypatch.setattr(files, "MOST_BYTES", 1000)
    with refused(ParameterError, "1,000 is the most"):
        case("regressor").model.save(path)
    assert not path.exists()
