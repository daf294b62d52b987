"""Odd tables through fit and predict: a finite result, or an error of our own. Nothing else comes out."""

import datetime
import os
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LinearRegression, LogisticRegression

from tests.rooms.samples import answer
from twosdr import GroupRanks, Residualizer, TwoStageClassifier, TwoStageRegressor
from twosdr.errors import TwosdrError, TwosdrWarning

# A failure is made smaller, but not explained: that would take minutes.
PHASES = (Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink)
NUMBERS = st.one_of(st.floats(-1e3, 1e3), st.integers(-3, 3).map(float))
CLEAN = {
    "numbers": NUMBERS,
    "few numbers": st.sampled_from([0, 1]),
    "whole numbers": st.integers(-100, 100),
    "text": st.sampled_from(["a", "b", "c"]),
    "booleans": st.booleans(),
}
ODD = {
    "extreme numbers": st.one_of(NUMBERS, st.sampled_from([1e9, 1e-9, 1e150, 1e-150, 1e300, 1e-300, 5e-324, -0.0])),
    "large whole numbers": st.integers(-(2**63), 2**63 - 1),
    "very large whole numbers": st.integers(-(10**30), 10**30),
    "gapped numbers": st.one_of(NUMBERS, st.sampled_from([None, float("nan")])),
    "infinite numbers": st.one_of(NUMBERS, st.sampled_from([float("inf"), float("-inf")])),
    "odd text": st.sampled_from(["a", "nan", "", "é", "x" * 300]),
    "gapped text": st.sampled_from(["a", "b", None, float("nan")]),
    "gapped booleans": st.sampled_from([True, False, None]),
    "constants": st.just(3.0),
    "nothing": st.none(),
    "mixed": st.sampled_from([1, "a", True, None, 2.5]),
    "dates": st.sampled_from([datetime.date(2020, 1, 1), datetime.date(2021, 1, 1), None]),
    "lists": st.sampled_from([[1], [2, 3]]),
    "bytes": st.sampled_from([b"a", b"b"]),
}
# TWOSDR_FUZZ=10000 make slow looks longer. Warnings of NumPy's about numbers at the end of the range of floats are failures in the short
# run and no outcome in the long one: counted as failures, a thousand tables still show two kinds of them, which are open.
EXAMPLES = int(os.environ.get("TWOSDR_FUZZ", "1000"))
NAMES = st.sampled_from(["s", "x", "z", "y", "s=a", "x is missing", "", " ", "é" * 80, "0", "t", "w"])


def as_pandas(columns):
    return pd.DataFrame({name: pd.Series(cells, dtype=object) for name, cells in columns.items()})


CONTAINERS = {
    "pandas objects": as_pandas,
    "pandas": lambda c: as_pandas(c).infer_objects(),
    "pandas nullable": lambda c: as_pandas(c).convert_dtypes(),
    "pandas category": lambda c: as_pandas(c).apply(
        lambda s: s.astype("category") if all(isinstance(v, (str, bool, int, float, type(None))) for v in s) else s
    ),
    "polars": lambda c: pl.DataFrame(c, strict=False),
    "dict": dict,
    "rows": lambda c: [list(row) for row in zip(*c.values(), strict=True)],
    "objects": lambda c: as_pandas(c).to_numpy(dtype=object),
}


@st.composite
def columns(draw, names, n):
    """n rows of clean columns, and now and then an odd one among them."""
    found = {
        name: draw(st.lists(CLEAN[draw(st.sampled_from(sorted(CLEAN)))], min_size=n, max_size=n)) for name in names
    }
    if draw(st.booleans()):
        odd = ODD[draw(st.sampled_from(sorted(ODD)))]
        found[draw(st.sampled_from(names))] = draw(st.lists(odd, min_size=n, max_size=n))
    return found


@st.composite
def questions(draw):
    """A table, roles, settings, a target, weights, and a later table, which is mostly the same one."""
    names = draw(st.lists(NAMES, min_size=2, max_size=8, unique=True))
    n = draw(st.sampled_from([12, 12, 12, 5, 3, 2, 1, 0]))
    train = draw(columns(names, n))
    later = draw(st.one_of(st.just(train), columns(draw(st.permutations(names)), draw(st.integers(0, 3)))))
    s = draw(st.lists(st.sampled_from(range(len(names))), max_size=draw(st.sampled_from([2, 2, 5])), unique=True))
    z = [j for j in range(len(names)) if j not in s][: draw(st.integers(0, 1))]
    made = draw(st.sampled_from(sorted(CONTAINERS)))
    usual = [float(k % 5) for k in range(n)]
    odd = ODD[draw(st.sampled_from(sorted(ODD)))]
    target = draw(st.one_of(st.just(usual), st.just(usual), st.lists(odd, min_size=n, max_size=n)))
    counts = st.lists(st.sampled_from([0, 1, 2, 0.5, 1e-300]), min_size=n, max_size=n)
    weight = draw(st.one_of(st.none(), counts))
    shared = {
        "handle_missing": draw(st.sampled_from(["error", "mean", "category"])),
        "handle_unknown": draw(st.sampled_from(["error", "mean"])),
        "removal": draw(st.sampled_from([1.0, 1.0, 0.5, 0.0])),
    }
    if not s:
        shared["removal"] = 1.0
    ways = [{}, {"alphas": 1.0}, {"alphas": [0.1, 10.0]}, {"goal": "discrimination_free"}, {"at_predict": "without"}]
    classes = draw(st.sampled_from([["no", "yes"], [False, True], [0, 1, 2], [1.5, 2.5], ["one"], ["a", None]]))
    labels = draw(
        st.one_of(st.just([classes[k % len(classes)] for k in range(n)]), st.lists(odd, min_size=n, max_size=n))
    )
    return train, later, made, s, z, (target, labels), weight, shared, draw(st.sampled_from(ways))


def try_all(question, strict=True):
    train, later, made, s, z, (target, labels), weight, shared, closed = question
    try:
        X, X_later = CONTAINERS[made](train), CONTAINERS[made](later)
    except Exception:  # this container cannot hold these cells, and says so itself
        return
    roles = {"sensitive": s, "explanatory": z}
    calls = (
        lambda: TwoStageRegressor(**roles, **shared, **closed).fit(X, target, weight).predict(X_later),
        lambda: TwoStageClassifier(**roles, **shared, **closed).fit(X, labels, weight).decision_function(X_later),
        lambda: TwoStageClassifier(LogisticRegression(), **roles, **shared).fit(X, labels).predict_proba(X_later),
        lambda: TwoStageRegressor(LinearRegression(), **roles, **shared).fit(X, target).predict(X_later),
        lambda: Residualizer(**roles, **shared).fit(X).transform(X_later),
        lambda: (
            Residualizer(**roles, **shared, variance_correction=True).fit(X, sample_weight=weight).transform(X_later)
        ),
        lambda: GroupRanks(**roles).fit(X).transform(X_later),
    )
    for k, call in enumerate(calls):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", TwosdrWarning)
            warnings.filterwarnings("ignore", message=".*feature names.*")
            if not strict:
                warnings.simplefilter("ignore", RuntimeWarning)
            if k in (2, 3):  # what a wrapped estimator says of numbers of 1e300 and labels of 2**63 is its own affair
                warnings.simplefilter("ignore", ConvergenceWarning)
                warnings.simplefilter("ignore", RuntimeWarning)
            out = answer(call, TwosdrError)
        if out is not None and np.asarray(out).dtype.kind == "f":
            assert np.isfinite(out).all()


@given(questions())
@settings(max_examples=100, deadline=None, derandomize=True, phases=PHASES, suppress_health_check=list(HealthCheck))
def test_a_finite_result_or_an_error_of_our_own(question):
    try_all(question)


@pytest.mark.slow
@given(questions())
@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
def test_a_finite_result_or_an_error_of_our_own_many_times(question):
    try_all(question, strict=False)
