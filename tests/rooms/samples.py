"""What the rooms share: one table of people in every container, and the two ways to say what a test expects."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

from twosdr.errors import TwosdrError

CLOSE = 1e-10  # the same rows in another container: the order of a few sums may differ, nothing else


def people(n: int = 60, seed: int = 0) -> dict[str, Any]:
    """Columns of every kind. Values are small multiples of 1/8, exact in every float type."""
    rng = np.random.default_rng(seed)
    sex = np.array(["f", "m"])[rng.permutation(n) % 2]
    race = np.array(["black", "other", "white"])[rng.permutation(n) % 3]
    woman = sex == "f"
    return {
        "sex": sex.astype(object),
        "race": race.astype(object),
        "age": rng.integers(20, 60, n) + 3 * woman,
        "skill": np.round(8 * (rng.normal(size=n) - woman + (race == "white"))) / 8,
        "hours": np.round(8 * (rng.normal(size=n) * (1 + woman) + woman)) / 8,
        "part_time": rng.permutation(n) % 4 == 0,
    }


def target(columns: dict[str, Any], seed: int = 1) -> Any:
    """A target that depends on the sensitive columns, directly and through the others."""
    rng = np.random.default_rng(seed)
    woman = columns["sex"] == "f"
    noise = rng.normal(size=len(woman))
    return columns["skill"] + 0.5 * columns["hours"] - woman + 0.02 * columns["age"] + noise


def numbers(columns: dict[str, Any]) -> Any:
    """The columns that every container of plain numbers can hold: sex as 1 and 2, age, skill, hours."""
    coded = np.where(columns["sex"] == "f", 1.0, 2.0)
    return np.column_stack([coded, columns["age"], columns["skill"], columns["hours"]])


def frame(columns: dict[str, Any] | None = None, **more: Any) -> pd.DataFrame:
    """The people as a pandas data frame, with further or other columns."""
    return pd.DataFrame((people() if columns is None else columns) | more)


def _plain(columns: dict[str, Any]) -> dict[str, list[Any]]:
    return {name: np.asarray(values).tolist() for name, values in columns.items()}


def _pandas(text: Any) -> Any:
    return lambda c: pd.DataFrame(c).astype({"sex": text, "race": text})


def _polars(text: Any) -> Any:
    return lambda c: pl.DataFrame(_plain(c)).with_columns(pl.col("sex", "race").cast(text))


# Each takes the columns of `people` and gives the same table; the names of the columns stay where there are any.
CONTAINERS: dict[str, Any] = {
    "pandas object": _pandas(object),
    "pandas string": _pandas("string"),
    "pandas arrow string": _pandas("string[pyarrow]"),
    "pandas category": _pandas("category"),
    "pandas nullable": lambda c: pd.DataFrame(c).astype({"age": "Int64", "part_time": "boolean", "hours": "Float64"}),
    "pandas arrow": lambda c: pd.DataFrame(c).astype({"age": "int64[pyarrow]", "part_time": "bool[pyarrow]"}),
    "polars": lambda c: pl.DataFrame(_plain(c)),
    "polars Categorical": _polars(pl.Categorical),
    "polars Enum": lambda c: pl.DataFrame(_plain(c)).with_columns(
        pl.col("sex").cast(pl.Enum(["m", "x", "f"])), pl.col("race").cast(pl.Enum(["white", "other", "black"]))
    ),
    "polars chunks": lambda c: pl.concat([pl.DataFrame(_plain(c))[:7], pl.DataFrame(_plain(c))[7:]], rechunk=False),
    "pyarrow": lambda c: pa.table(_plain(c)),
    "pyarrow dictionary": lambda c: pa.table(
        {k: pa.array(v).dictionary_encode() if k in ("sex", "race") else v for k, v in _plain(c).items()}
    ),
    "pyarrow chunks": lambda c: pa.concat_tables([pa.table(_plain(c)).slice(0, 7), pa.table(_plain(c)).slice(7)]),
    "dict of arrays": dict,
    "dict of lists": _plain,
    "dict of Series": lambda c: {name: pd.Series(values) for name, values in c.items()},
}
NAMELESS: dict[str, Any] = {
    "list of rows": lambda c: [list(row) for row in zip(*_plain(c).values(), strict=True)],
    "list of tuples": lambda c: list(zip(*_plain(c).values(), strict=True)),
    "object array": lambda c: np.array(list(zip(*_plain(c).values(), strict=True)), dtype=object),
    "pandas without names": lambda c: pd.DataFrame(c).set_axis(range(len(c)), axis=1),
}
# Each takes an array of floats and gives the same numbers.
NUMERIC: dict[str, Any] = {
    "float64, by row": np.ascontiguousarray,
    "float64, by column": np.asfortranarray,
    "every second row of a larger array": lambda a: np.repeat(a, 2, axis=0)[::2],
    "float32": lambda a: a.astype(np.float32),
    "read-only": lambda a: _locked(a.copy()),
    "object": lambda a: a.astype(object),
    "list of lists": lambda a: a.tolist(),
    "csr_matrix": sp.csr_matrix,
    "csc_matrix": sp.csc_matrix,
    "coo_matrix": sp.coo_matrix,
    "csr_array": sp.csr_array,
    "csc_array": sp.csc_array,
    "coo_array": sp.coo_array,
    "csr_array of float32": lambda a: sp.csr_array(a.astype(np.float32)),
}


def _locked(a: Any) -> Any:
    a.flags.writeable = False
    return a


@contextmanager
def refused(kind: type[Exception], *words: str) -> Iterator[Any]:
    """The block raises one of our own errors, and its text holds every one of the words."""
    with pytest.raises(kind) as caught:
        yield caught
    assert isinstance(caught.value, TwosdrError)
    text = str(caught.value)
    missing = [word for word in words if word not in text]
    assert not missing, f"the error does not say {missing}: {text}"
    assert "Traceback" not in text


def answer(call: Any, kind: type[Exception], *words: str) -> Any:
    """What the call gives; None when it is refused by one of our errors, whose text holds every one of the words."""
    try:
        return call()
    except kind as error:
        refusal = error
    with refused(kind, *words):
        raise refusal


def same(a: Any, b: Any, tolerance: float = CLOSE) -> bool:
    """Equal numbers, to `tolerance` of the largest."""
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    assert a.shape == b.shape
    return bool(np.abs(a - b).max() <= tolerance * max(1.0, float(np.abs(b).max())))
