"""Whatever is passed where rows are expected: an answer without NaN, or one of our own errors."""

import datetime
import decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

from twosdr import metrics
from twosdr.errors import TwosdrError
from twosdr.metrics import METRICS, Estimate

ODD = {
    "None": None,
    "a name": "sex",
    "a number": 3,
    "a set": {1, 2},
    "a generator": range(6),
    "rows of unequal length": [[1, 2], [3]],
    "two columns": np.zeros((6, 2)),
    "three dimensions": np.zeros((6, 1, 1)),
    "no dimension": np.array(3),
    "complex": np.arange(6) * 1j,
    "dates": pd.date_range("2020-01-01", periods=6),
    "times": [datetime.time(1)] * 6,
    "all missing": [None] * 6,
    "mixed": [1, "a", 2, "b", 3, None],
    "decimals": [decimal.Decimal(i) for i in range(6)],
    "sparse": sp.csr_matrix(np.eye(6)),
    "bytes": [b"a"] * 6,
    "masked": np.ma.array([1, 2, 1, 2, 1, 2], mask=[0, 1, 0, 0, 0, 0]),
    "half missing": [1.0, np.nan] * 3,
    "empty list": [],
    "no column": pd.DataFrame(index=range(6)),
    "twins": pd.DataFrame(np.zeros((6, 2)), columns=["a", "a"]),
    "two levels of names": pd.DataFrame(np.zeros((6, 2)), columns=pd.MultiIndex.from_tuples([("a", "b"), ("c", "d")])),
    "lazy": pl.LazyFrame({"a": [1, 2, 1, 2, 1, 2]}),
    "infinite": [np.inf, 1, 0, 1, 0, 1],
    "beyond int64": [10**30, 1, 2, 3, 4, 5],
    "huge": [1e300, 1, 2, 3, 4, 5.0],
    "tiny": [1e-310, 0, 1e-310, 0, 1, 0],
    "ragged dict": {"a": [1, 2], "b": [1]},
    "category with gaps": pd.Series(["a", None] * 3, dtype="category"),
    "integers with gaps": pd.Series([1, None, 0] * 2, dtype="Int64"),
    "text": list("ababab"),
    "0 and 1": [0, 1, 0, 1, 1, 0],
    "0 and 1 as text": list("010110"),
    "0 and 1 as objects": np.array([0, 1, 0, 1, 1, 0], dtype=object),
    "booleans": [True, False] * 3,
    "fractions": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6],
    "float16": np.array([0, 1, 0.5, 1, 1, 0], dtype=np.float16),
    "long double": np.array([0, 1, 0.5, 1, 1, 0], dtype=np.longdouble),
    "-1 and 1": [-1, 1, -1, 1, 1, -1],
    "constant": [1] * 6,
    "empty text": ["", "a"] * 3,
}
PREDICTED = {"decisions": [0, 1, 1, 1, 0, 0], "classes": [0, 1, 1, 0, 0, 0], "scores": [0.1, 0.2, 0.4, 0.3, 0.7, 0.5]}
BESIDE = {"s": [0, 1, 0, 1, 0, 1], "y_true": [0, 1, 0, 1, 1, 0], "z": [1, 1, 2, 2, 1, 2]}


@pytest.mark.parametrize("name", [name for name in METRICS if name != "flip_rate"])
def test_an_answer_or_an_error_of_ours(name):
    metric = METRICS[name]
    given = {key: value for key, value in BESIDE.items() if metric.takes(key)}
    more = [key for key in ("sample_weight", "cluster") if metric.takes(key)]
    for odd in ODD.values():
        for slot in (None, *given, *more):
            y_pred, arguments = (odd, given) if slot is None else (PREDICTED[metric.of], given | {slot: odd})
            try:
                found = metric.function(y_pred, **arguments)
            except TwosdrError:
                continue
            if isinstance(found, Estimate):
                assert found.value is not None or found.why
                assert not np.isnan([v for v in (found.value, *(found.interval or ())) if v is not None]).any()


def test_a_correlation_has_no_unit_however_small():
    chance = np.random.default_rng(0)
    y, s = chance.normal(size=(2, 60))
    plain = metrics.correlation(y + s, s=s)
    for unit in (1e-300, 1e-200, 1e70):
        found = metrics.correlation(unit * (y + s), s=s)
        assert found.value == pytest.approx(plain.value, rel=1e-12)
        assert found.interval == pytest.approx(plain.interval, rel=1e-12)
