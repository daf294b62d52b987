"""Nothing that is passed in is written to, whatever it is made of."""

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

from tests.laws.tools import expecting
from twosdr import GroupRanks, Residualizer, TwoStageRegressor
from twosdr.errors import ChoiceWarning

N = 41


def numbers(seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    X = rng.normal([3.0, -7.0, 0.5, 1e6, 11.0], 1.0, (N, 5))
    X[:, 0] = rng.permutation(np.arange(N) % 2)
    X[np.arange(N) % 3 > 0, 2] = 0.0
    return X


def read_only(X: np.ndarray) -> np.ndarray:
    X.flags.writeable = False
    return X


def disordered(X: np.ndarray) -> sp.csr_matrix:
    """A sparse matrix with its indices out of order, an entry in two parts, and a stored zero."""
    rows, columns = np.nonzero(X + (X == 0) * (np.arange(N) == 4)[:, None])
    order = np.lexsort([-columns, rows])
    rows, columns = rows[order], columns[order]
    values = X[rows, columns]
    data, at = np.concatenate([values[:1] / 2, values[:1] / 2, values[1:]]), np.concatenate([columns[:1], columns])
    starts = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=N))])
    starts[1:] += 1
    return sp.csr_matrix((data, at, starts), shape=X.shape)


CONTAINERS: dict[str, Callable[[np.ndarray], Any]] = {
    "C order": np.ascontiguousarray,
    "Fortran order": np.asfortranarray,
    "every other row": lambda X: np.repeat(X, 2, axis=0)[::2],
    "float32": lambda X: X.astype(np.float32),
    "integers": lambda X: (X * 10).astype(np.int64),
    "read-only": read_only,
    "list of rows": lambda X: X.tolist(),
    "pandas": lambda X: pd.DataFrame(X, columns=list("abcde")),
    "polars": lambda X: pl.DataFrame(X, schema=list("abcde")),
    "pyarrow": lambda X: pa.table(dict(zip("abcde", X.T, strict=True))),
    "dict": lambda X: dict(zip("abcde", X.T.copy(), strict=True)),
    "csr": sp.csr_matrix,
    "csc": sp.csc_matrix,
    "disordered csr": disordered,
}


def content(value: Any) -> bytes:
    """All that there is to a value, as bytes; an array with its order and its flags."""
    if sp.issparse(value):
        return pickle.dumps((value.format, *(content(getattr(value, name)) for name in ("data", "indices", "indptr"))))
    if isinstance(value, np.ndarray):
        return pickle.dumps((value.tobytes(), value.dtype.str, value.shape, value.strides, value.flags.writeable))
    if isinstance(value, dict):
        return pickle.dumps({name: content(column) for name, column in value.items()})
    if isinstance(value, pd.DataFrame):
        return pickle.dumps(
            (value.to_dict("list"), [str(t) for t in value.dtypes], list(value.columns), list(value.index))
        )
    if isinstance(value, pl.DataFrame):
        return pickle.dumps((value.to_dict(as_series=False), [str(t) for t in value.dtypes]))
    if isinstance(value, pa.Table):
        return pickle.dumps((value.to_pydict(), str(value.schema)))
    return pickle.dumps(value)


@pytest.mark.parametrize("container", CONTAINERS)
def test_no_table_target_or_weight_is_written_to(container: str):
    X = CONTAINERS[container](numbers())
    rng = np.random.default_rng(0)
    y, w = rng.normal(size=(N, 2)) + 5.0, rng.integers(0, 3, N).astype(float)
    sensitive, explanatory, alphas = [0, 1], [3], [0.1, 1.0, 1e7]
    before = [content(value) for value in (X, y, w, sensitive, explanatory, alphas)]
    asked = {"sensitive": sensitive, "explanatory": explanatory}
    with expecting(ChoiceWarning):
        model = TwoStageRegressor(**asked, alphas=alphas, cv=3).fit(X, y, sample_weight=w)
    model.predict(X)
    model.score(X, y, sample_weight=w)
    TwoStageRegressor(**asked, at_predict="without").fit(X, y).predict(X)
    if not sp.issparse(X):
        transformer = Residualizer(**asked, variance_correction=False).fit(X, sample_weight=w)
        u = transformer.transform(X)
        kept = u.copy()
        transformer.inverse_transform(u, sensitive_features=np.asarray(numbers())[:, :2])
        np.testing.assert_array_equal(u, kept)
        Residualizer(sensitive=[0], variance_correction=True).fit_transform(X)
        GroupRanks(sensitive=[0]).fit_transform(X)
    assert [content(value) for value in (X, y, w, sensitive, explanatory, alphas)] == before


@pytest.mark.parametrize("container", ["C order", "read-only", "pandas", "polars", "csr"])
def test_no_array_beside_the_table_is_written_to(container: str):
    X, s = CONTAINERS[container](numbers()), read_only(numbers(seed=1)[:, :2])
    y = read_only(np.random.default_rng(0).normal(size=N))
    before = [content(value) for value in (X, s, y)]
    TwoStageRegressor().fit(X, y, sensitive_features=s).predict(X, sensitive_features=s)
    if not sp.issparse(X):
        Residualizer().fit(X, sensitive_features=s).transform(X, sensitive_features=s)
    assert [content(value) for value in (X, s, y)] == before


def test_what_predict_and_transform_return_is_the_callers_own():
    X, y = numbers(), np.random.default_rng(0).normal(size=N)
    model = TwoStageRegressor(sensitive=[0, 1]).fit(X, y)
    transformer = Residualizer(sensitive=[0, 1], removal=0.0).fit(X)
    for method in (model.predict, transformer.transform):
        first = method(X)
        expected, table = first.copy(), X.copy()
        first += 1.0
        np.testing.assert_array_equal(method(X), expected)
        np.testing.assert_array_equal(X, table)


def test_predicting_changes_nothing_about_a_model():
    X, y = numbers(), np.random.default_rng(0).normal(size=N)
    for estimator in (TwoStageRegressor(sensitive=[0, 1]), Residualizer(sensitive=[0, 1])):
        fitted = estimator.fit(X, y)
        before = pickle.dumps(copy.deepcopy(fitted))
        (fitted.predict if hasattr(fitted, "predict") else fitted.transform)(X[:7])
        assert pickle.dumps(copy.deepcopy(fitted)) == before
