"""One table of people, the ways to cut it, and the engines and containers that read it; a new one is a line in a list here."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from twosdr import TwoStageClassifier, TwoStageRegressor

# Sums of a few hundred products in another order, in units of the columns' deviations.
SAME = 1e-12
N = 240

Parts = list[pd.DataFrame]


def people(n: int = N) -> pd.DataFrame:
    """Categories (one level of which is rare), numbers far from zero and near, weights (some zero), and a key for folds."""
    rng = np.random.default_rng(5)
    sex = rng.choice(["f", "m"], n)
    race = rng.choice(["black", "other", "white"], n)
    race[-3:] = "rare"  # in the last rows alone: a late category
    skill = rng.normal(size=n) + (sex == "m")
    frame = pd.DataFrame(
        {
            "sex": sex,
            "race": race,
            "year": 1.0e6 + rng.normal(size=n),
            "skill": skill,
            "age": rng.integers(20, 60, n),
            "night": rng.random(n) < 0.3,
            "key": rng.integers(0, 40, n),
            "weight": rng.integers(0, 4, n).astype(float),
        }
    )
    frame["pay"] = skill + 0.1 * frame["age"] + (race == "white") + rng.normal(size=n)
    frame["hired"] = np.where(frame["pay"] > frame["pay"].median(), "yes", "no")
    return frame


def _every(frame: pd.DataFrame, size: int) -> Parts:
    return [frame.iloc[a : a + size] for a in range(0, len(frame), size)]


def _shuffled(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.sample(frac=1.0, random_state=3)


CHUNKINGS: dict[str, Callable[[pd.DataFrame], Parts]] = {
    "whole": lambda f: [f],
    "sevenths": lambda f: _every(f, len(f) // 7),
    "one row first": lambda f: [f.iloc[:1], f.iloc[1:]],
    "another order": lambda f: _every(_shuffled(f), 50),
    "empty ones between": lambda f: [f.iloc[:0], f.iloc[:100], f.iloc[:0], f.iloc[100:], f.iloc[:0]],
    "one level in each": lambda f: [part for _, part in f.groupby("sex")],
    "a late category": lambda f: [f.iloc[:-3], f.iloc[-3:]],
    "one without weight": lambda f: [f[f["weight"] == 0], f[f["weight"] > 0]],
}


def _files(parts: Parts, folder: Path, write: Callable[[pd.DataFrame, Path], Any], ending: str) -> str:
    for k, part in enumerate(parts):
        write(part, folder / f"part-{k:03}.{ending}")
    return str(folder / f"*.{ending}")


def _table(part: pd.DataFrame) -> pa.Table:
    return pa.Table.from_pandas(part, schema=SCHEMA, preserve_index=False)


SCHEMA = pa.Schema.from_pandas(people(4), preserve_index=False)


def _parquet(parts: Parts, folder: Path) -> str:
    return _files(parts, folder, lambda part, path: pq.write_table(_table(part), path, row_group_size=33), "parquet")


def _csv(parts: Parts, folder: Path) -> Any:
    # An empty file has no types to go by, so the first one has rows.
    full = [part for part in parts if len(part)]
    return _files(full, folder, lambda part, path: part.to_csv(path, index=False), "csv")


def _dataset(parts: Parts, folder: Path) -> Any:
    import pyarrow.dataset as ds

    return ds.dataset(str(Path(_parquet(parts, folder)).parent), format="parquet")


def _polars(parts: Parts, folder: Path) -> Any:
    pl = pytest.importorskip("polars", reason="Polars is not installed")
    return pl.concat([pl.from_arrow(_table(part)) for part in parts], rechunk=False).lazy()


def _duckdb(parts: Parts, folder: Path) -> Any:
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is not installed")
    return duckdb.from_arrow(pa.concat_tables([_table(part) for part in parts]))


class _Capsule:
    """Of which nothing is known but that Arrow can read it."""

    def __init__(self, table: pa.Table) -> None:
        self._table = table

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._table.__arrow_c_stream__(requested_schema)


def _dask(parts: Parts, folder: Path) -> Any:
    dd = pytest.importorskip("dask.dataframe", reason="Dask (the extra `dask`) is not installed")
    return dd.from_delayed([_delayed(part) for part in parts], meta=parts[0].iloc[:0])


def _delayed(part: pd.DataFrame) -> Any:
    dask = pytest.importorskip("dask", reason="Dask (the extra `dask`) is not installed")
    return dask.delayed(lambda: part)()


# Those that keep the order of the rows, so that folds may go by row numbers.
ORDERED: dict[str, Callable[[Parts, Path], Any]] = {
    "a function of batches": lambda parts, _: lambda: iter(parts),
    "Parquet": _parquet,
    "CSV": _csv,
    "a dataset": _dataset,
    "an Arrow stream": lambda parts, _: _Capsule(pa.concat_tables([_table(part) for part in parts])),
    "Polars": _polars,
    "DuckDB": _duckdb,
    "Parquet on Dask": lambda parts, folder: _on_dask(parts, folder),
}


def _on_dask(parts: Parts, folder: Path) -> Any:
    pytest.importorskip("dask", reason="Dask (the extra `dask`) is not installed")
    from twosdr.engines.dask import OnDask

    return OnDask(_parquet(parts, folder))


UNORDERED: dict[str, Callable[[Parts, Path], Any]] = {
    "Dask": _dask,
    "delayed tables": lambda parts, _: [_delayed(part) for part in parts],
}


def regressor(**more: Any) -> TwoStageRegressor:
    """Several penalties, so that folds matter; the key divides rows whatever their order."""
    settings = {
        "sensitive": ["sex", "race"],
        "drop": ["hired"],
        "alphas": [0.1, 1.0, 10.0, 100.0, 1e3],
        "cv": 3,
        "fold_key": "key",
    }
    return TwoStageRegressor(**(settings | more))


def classifier(**more: Any) -> TwoStageClassifier:
    """The same for classes."""
    settings = {"sensitive": ["sex"], "drop": ["pay"], "alphas": [0.1, 1.0, 10.0], "cv": 3, "fold_key": "key"}
    return TwoStageClassifier(**(settings | more))


def same_fit(one: Any, other: Any) -> bool:
    """The same roles, cells of moments and coefficients, up to the order of sums."""
    a, b = one.moments_, other.moments_
    assert (a.names, a.blocks) == (b.names, b.blocks)
    assert np.array_equal(a.count, b.count)
    assert np.allclose(a.weight, b.weight, rtol=1e-13)
    scale = np.sqrt(np.einsum("kjj->kj", a.scatter).max(axis=0))
    scale = np.where(scale > 0, scale, 1.0)
    assert np.abs((a.scatter - b.scatter) / np.outer(scale, scale)).max() < SAME
    gap = np.abs(a.delta - b.delta + (a.shift - b.shift)) / (scale / np.sqrt(a.weight.max()))
    assert gap.max() < SAME * 1e3  # a mean of 1e6 deviations holds ten digits of its spread
    assert one.alpha_ == other.alpha_
    # Coefficients: rounding times the condition, which is small here.
    assert np.allclose(one.coef_, other.coef_, rtol=0, atol=1e-9)
    assert np.allclose(one.cv_results_["mse"], other.cv_results_["mse"], rtol=1e-9)
    return True
