"""engines/kernels.py and crosstabs.py: the same moments with compiled loops and without, with codes and with indicator columns."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from twosdr import tables
from twosdr.engines import crosstabs, kernels, memory
from twosdr.errors import ParameterError
from twosdr.roles import resolve

pytest.importorskip("numba", reason="numba (the extra `fast`) is not installed")

# Counts of codes are whole numbers and exact; sums beside them are added in another order.
SAME = 1e-13
SIZES = (2, 7, 16, 42)


def rows(n=5000, levels=SIZES, numbers=6, seed=0, rare=False):
    rng = np.random.default_rng(seed)
    columns = {f"c{j}": rng.integers(0, size, n).astype(str) for j, size in enumerate(levels)}
    if rare:
        columns["c0"][:] = "most"
        columns["c0"][7] = "one"
    return columns | {f"x{j}": rng.normal(size=n) + 1e5 * j for j in range(numbers)}


def source(X, cells=1, weight=None, seed=1):
    table = tables.read(X)
    rng = np.random.default_rng(seed)
    n = table.n_rows
    y = rng.normal(size=(n, 2))
    codes = rng.integers(0, cells, n)
    roles = resolve(table, sensitive=0)
    return memory.Source(table, roles, y, ("a", "b"), weight, lambda a, b: codes[a:b], cells)


def gathered(one, setting, monkeypatch):
    monkeypatch.setenv(kernels.SETTING, setting)
    return memory.moments(one)


def close(a, b):
    scale = np.sqrt(np.einsum("kjj->kj", a.scatter).max(axis=0))
    scale = np.where(scale > 0, scale, 1.0)
    assert np.array_equal(a.count, b.count)
    assert np.abs((a.scatter - b.scatter) / np.outer(scale, scale)).max() < SAME
    assert np.abs((a.mean - b.mean) / np.maximum(1.0, np.abs(a.mean))).max() < 1e-15 * 50
    return True


def same_bytes(a, b):
    return all(
        getattr(a, n).tobytes() == getattr(b, n).tobytes() for n in ("shift", "weight", "count", "delta", "scatter")
    )


WEIGHTS = {
    "no weights": None,
    "weights": np.random.default_rng(2).random(5000) + 0.1,
    "some of them zero": np.random.default_rng(3).integers(0, 3, 5000).astype(float),
}


@pytest.mark.parametrize("weight", WEIGHTS)
@pytest.mark.parametrize("cells", [1, 7])
@pytest.mark.parametrize(
    "container",
    [np.ascontiguousarray, np.asfortranarray, lambda X: X.astype(np.float32), pd.DataFrame, lambda X: pl.DataFrame(X)],
    ids=["rows", "columns", "float32", "pandas", "polars"],
)
def test_numbers_give_the_same_bytes_with_compiled_loops(container, cells, weight, monkeypatch):
    X = np.random.default_rng(0).normal(size=(5000, 19)) + np.arange(19) * 100.0
    one = source(container(X), cells, WEIGHTS[weight])
    assert same_bytes(gathered(one, "on", monkeypatch), gathered(one, "off", monkeypatch))


@pytest.mark.parametrize("weight", WEIGHTS)
@pytest.mark.parametrize("cells", [1, 7])
@pytest.mark.parametrize("setting", ["on", "off"])
@pytest.mark.parametrize("rare", [False, True])
def test_codes_give_the_moments_of_indicator_columns(weight, cells, setting, rare, monkeypatch):
    one = source(pd.DataFrame(rows(rare=rare)), cells, WEIGHTS[weight])
    assert crosstabs.divide(one)[1] is not None
    structured = gathered(one, setting, monkeypatch)
    monkeypatch.setattr(crosstabs, "divide", lambda source: (source, None))
    assert close(gathered(one, "off", monkeypatch), structured)


def test_large_tables_of_two_categories_are_counted_sparsely(monkeypatch):
    one = source(pd.DataFrame(rows(levels=(40, 50, 60))), 3)
    assert crosstabs.divide(one)[1] is not None
    dense = gathered(one, "off", monkeypatch)
    monkeypatch.setattr(crosstabs, "LARGEST", 100)
    assert close(gathered(one, "off", monkeypatch), dense)


@pytest.mark.parametrize("policy", ["mean", "category"])
def test_missing_and_unknown_values_are_as_without_codes(policy, monkeypatch):
    frame = pd.DataFrame(rows())
    frame.loc[::5, "c2"] = None
    frame.loc[::9, "x3"] = np.nan
    table = tables.read(frame)
    roles = resolve(table, sensitive="c0", handle_missing=policy, handle_unknown="mean")
    one = memory.Source(table, roles, np.zeros((5000, 1)), ("y",))
    found = memory.moments(one)
    monkeypatch.setattr(crosstabs, "divide", lambda source: (source, None))
    assert close(memory.moments(one), found)


def test_few_levels_beside_many_numbers_stay_indicator_columns():
    plain, tabs = crosstabs.divide(source(pd.DataFrame(rows(levels=(2,), numbers=50))))
    assert tabs is None
    assert len(plain.roles.fields) == 51


def test_the_setting_decides_and_says_what_is_wrong(monkeypatch):
    monkeypatch.delenv(kernels.SETTING, raising=False)
    assert not kernels.wanted(kernels.REPAY - 1)
    assert kernels.wanted(kernels.REPAY)
    monkeypatch.setenv(kernels.SETTING, "off")
    assert not kernels.wanted(10**12)
    monkeypatch.setenv(kernels.SETTING, "maybe")
    with pytest.raises(ParameterError, match="auto, on or off"):
        kernels.wanted(1)
    monkeypatch.setattr(kernels.importlib.util, "find_spec", lambda name: None)
    monkeypatch.setenv(kernels.SETTING, "on")
    with pytest.raises(ParameterError, match=r"pip install 'twosdr\[fast\]'"):
        kernels.wanted(1)
    monkeypatch.setenv(kernels.SETTING, "auto")
    assert not kernels.wanted(10**12)
