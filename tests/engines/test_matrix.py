"""Every engine and container, however the rows are cut, equals the memory engine within a named tolerance."""

import warnings
from functools import cache

import numpy as np
import pandas as pd
import pytest

from tests.engines.samples import CHUNKINGS, ORDERED, UNORDERED, classifier, people, regressor, same_fit
from twosdr.errors import ChoiceWarning, ParameterError

EVERY = ORDERED | UNORDERED


@pytest.fixture(autouse=True)
def _of_others():
    with warnings.catch_warnings():
        # What Dask and pandas say to each other about dtypes is no business of these tests.
        warnings.filterwarnings("ignore", module="dask")
        warnings.filterwarnings("ignore", category=ResourceWarning)
        warnings.simplefilter("ignore", ChoiceWarning)  # an alpha at the edge of so small a grid is no matter here
        yield


@cache
def at_hand(chunking):
    return regressor().fit(pd.concat(CHUNKINGS[chunking](people())), "pay", "weight")


@pytest.mark.parametrize("chunking", CHUNKINGS)
@pytest.mark.parametrize("engine", EVERY)
def test_every_engine_equals_memory_however_rows_are_cut(engine, chunking, tmp_path):
    source = EVERY[engine](CHUNKINGS[chunking](people()), tmp_path)
    assert same_fit(regressor().fit(source, "pay", "weight"), at_hand(chunking))


@pytest.mark.parametrize("engine", ORDERED)
def test_row_numbers_count_on_so_that_folds_are_those_of_the_whole_table(engine, tmp_path):
    parts = CHUNKINGS["sevenths"](people())
    whole = regressor(fold_key=None, cv=5).fit(pd.concat(parts), "pay")
    assert same_fit(regressor(fold_key=None, cv=5).fit(ORDERED[engine](parts, tmp_path), "pay"), whole)


@pytest.mark.parametrize("engine", EVERY)
def test_classes_thresholds_and_decision_rates_too(engine, tmp_path):
    parts = CHUNKINGS["sevenths"](people())
    whole = classifier(threshold={"quantile": 0.7}, class_weight="balanced").fit(pd.concat(parts), "hired", "weight")
    streamed = classifier(threshold={"quantile": 0.7}, class_weight="balanced")
    streamed.fit(EVERY[engine](parts, tmp_path), "hired", "weight")
    assert same_fit(streamed, whole)
    assert streamed.classes_.tolist() == ["no", "yes"]
    assert streamed.threshold_ == pytest.approx(whole.threshold_, abs=1e-9)
    assert streamed.decision_rates_ == pytest.approx(whole.decision_rates_)


@pytest.mark.parametrize("engine", UNORDERED)
def test_rows_without_an_order_need_a_key_or_one_penalty(engine, tmp_path):
    source = UNORDERED[engine]([people()], tmp_path)
    with pytest.raises(ParameterError, match=r"have no numbers to divide them into folds by.*fold_key="):
        regressor(fold_key=None).fit(source, "pay")
    one = regressor(fold_key=None, alphas=1.0, cv=10)
    assert np.allclose(one.fit(source, "pay").coef_, regressor(fold_key=None, alphas=1.0).fit(people(), "pay").coef_)


@pytest.mark.parametrize("goal", ["equal_opportunity", "equalized_odds"])
def test_goals_that_hold_the_class_fixed_keep_classes_apart_in_streams_too(goal, tmp_path):
    parts = CHUNKINGS["sevenths"](people())
    whole = classifier(goal=goal).fit(pd.concat(parts), "hired")
    assert same_fit(classifier(goal=goal).fit(ORDERED["Parquet"](parts, tmp_path), "hired"), whole)


@pytest.mark.parametrize("policy", ["mean", "category"])
def test_missing_values_count_as_they_do_at_hand(policy, tmp_path):
    frame = people()
    frame.loc[::7, "skill"] = np.nan
    frame.loc[::11, "race"] = None
    settings = {"handle_missing": policy, "sensitive": ["sex"], "alphas": [1.0, 10.0, 100.0, 1e3]}
    whole = regressor(**settings).fit(frame, "pay", "weight")
    parts = CHUNKINGS["sevenths"](frame)
    for engine in ("Parquet", "CSV", "Dask"):
        (tmp_path / engine).mkdir()
        assert same_fit(regressor(**settings).fit(EVERY[engine](parts, tmp_path / engine), "pay", "weight"), whole), (
            engine
        )


@pytest.mark.parametrize("scoring", ["r2", "neg_mean_absolute_error"])
def test_scorers_that_need_predictions_read_the_rows_again(scoring, tmp_path):
    frame = people()
    whole = regressor(scoring=scoring).fit(frame, "pay")
    streamed = regressor(scoring=scoring).fit(ORDERED["Parquet"](CHUNKINGS["sevenths"](frame), tmp_path), "pay")
    assert np.allclose(streamed.cv_results_["mean_score"], whole.cv_results_["mean_score"], rtol=1e-9)


def test_nearly_dependent_columns_are_read_again_by_a_blockwise_qr(tmp_path):
    frame = people()
    frame["copy"] = frame["skill"] + 1e-6 * np.random.default_rng(0).normal(size=len(frame))
    one = regressor(alphas=0.0, fold_key=None).fit(frame, "pay")
    frame.to_parquet(tmp_path / "rows.parquet", row_group_size=50)
    other = regressor(alphas=0.0, fold_key=None).fit(tmp_path / "rows.parquet", "pay")
    assert np.allclose(one.coef_, other.coef_, rtol=1e-6)  # condition 1e6, with twice the digits of moments
