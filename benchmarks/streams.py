"""Files, streams and engines against the decoding that nobody can avoid; compiled kernels, codes of categories, memory.

QUICK=1 measures smaller tables against twice the bars, in less than two minutes: it fails on a regression of twofold.
"""

import os
import tempfile
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from benchmarks.core import table
from benchmarks.harness import Result, interleaved, peak_growth

QUICK = os.environ.get("QUICK", "") not in ("", "0")
GENEROUS = 2.0 if QUICK else 1.0
COLUMNS, FOLDS = 52, 10
GRID = np.logspace(-3, 6, 25)
GROUP = 250_000  # rows of a Parquet row group
MIB = 2**20
LEVELS = (2, 5, 7, 16, 15, 6, 9, 37)  # of Adult's categories: 97


@contextmanager
def kernels(setting: str) -> Iterator[None]:
    """With compiled loops or without."""
    before = os.environ.get("TWOSDR_KERNELS")
    os.environ["TWOSDR_KERNELS"] = setting
    try:
        yield
    finally:
        os.environ.pop("TWOSDR_KERNELS") if before is None else os.environ.update(TWOSDR_KERNELS=before)


def fitting(model: object, setting: str, *rows: object) -> object:
    """A fit to be timed, with compiled loops or without."""

    def call() -> None:
        with kernels(setting):
            model.fit(*rows)

    return call


def result(name: str, ratio: float, bar: float, note: str, *, advisory: bool = False) -> Result:
    return Result.at_most(name, ratio, bar * GENEROUS, note=note, advisory=advisory)


def versions(*names: str) -> str:
    from importlib.metadata import version

    return ", ".join(f"{name} {version(name)}" for name in names)


def whole_fit() -> list[Result]:
    """The fit of a table at hand against one product of it with itself."""
    from twosdr import TwoStageRegressor

    n, p = (400_000, 50) if QUICK else (800_000, 50)
    X, y = table(n, p)
    models = {jobs: TwoStageRegressor(sensitive=[0], alphas=GRID, cv=FOLDS, n_jobs=jobs) for jobs in (1, 2)}
    tasks = {"product": lambda: X.T @ X} | {
        f"{setting} {jobs}": fitting(model, setting, X, y)
        for jobs, model in models.items()
        for setting in ("on", "off")
    }
    least = interleaved(tasks, repeats=7)

    def against(what: str, which: str, bar: float) -> Result:
        note = (
            f"{least[which] * 1e3:.0f} ms against {least['product'] * 1e3:.0f} ms for X.T @ X on one thread; different work; "
            f"{versions('numba', 'numpy')}"
        )
        idle = not QUICK or "two" in what  # two threads need two cores that are free
        return result(f"fit {n} x {p}, {what}", least[which] / least["product"], bar, note, advisory=idle)

    return [
        against("two threads, numba", "on 2", 0.9),
        against("two threads", "off 2", 1.4),
        against("one thread, numba", "on 1", 1.3),
        against("one thread", "off 1", 2.2),
    ]


def against_leace() -> list[Result]:
    """Residuals against least-squares concept erasure, where torch and concept-erasure are installed."""
    if find_spec("torch") is None or find_spec("concept_erasure") is None:
        return []
    import torch
    from concept_erasure import LeaceEraser

    from twosdr import Residualizer

    X, _ = table(45_000, 50)
    ours = Residualizer(sensitive=[0]).fit(X)
    rest, s = torch.from_numpy(X[:, 1:].copy()), torch.from_numpy(X[:, 0].copy())
    eraser = LeaceEraser.fit(rest, s)
    torch.set_num_threads(1)
    least = interleaved({"ours": lambda: ours.transform(X), "theirs": lambda: eraser(rest)}, repeats=9)
    note = (
        f"{least['ours'] * 1e3:.1f} ms against {least['theirs'] * 1e3:.1f} ms; {versions('torch', 'concept-erasure')}"
    )
    return [result("transform / LEACE, 45000 x 50", least["ours"] / least["theirs"], 0.8, note, advisory=True)]


def predicting() -> list[Result]:
    """predict against the pipeline that does the same job."""
    from fairlearn.preprocessing import CorrelationRemover
    from sklearn.linear_model import Ridge
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    from twosdr import TwoStageRegressor

    found = []
    for n, bar in ((45_000, 0.1), (400_000, 0.05)):
        X, y = table(n, 50)
        theirs = make_pipeline(CorrelationRemover(sensitive_feature_ids=[0]), StandardScaler(), Ridge()).fit(X, y)
        ours = TwoStageRegressor(sensitive=[0], alphas=1.0).fit(X, y)
        least = interleaved(
            {"ours": lambda m=ours, X=X: m.predict(X), "theirs": lambda m=theirs, X=X: m.predict(X)}, repeats=7
        )
        note = f"{least['ours'] * 1e3:.1f} ms against {least['theirs'] * 1e3:.1f} ms; {versions('fairlearn', 'scikit-learn')}"
        found.append(
            result(
                f"predict / CorrelationRemover + StandardScaler + Ridge, {n} x 50",
                least["ours"] / least["theirs"],
                bar,
                note,
            )
        )
    return found


def generate(path: Path, n: int) -> None:
    """n rows of COLUMNS doubles in row groups of GROUP rows; the first is s, the last y."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    chance = np.random.default_rng(0)
    b = chance.normal(size=COLUMNS - 1)
    schema = pa.schema([(name, pa.float64()) for name in (*(f"x{j}" for j in range(COLUMNS - 1)), "y")])
    with pq.ParquetWriter(path, schema) as writer:
        for start in range(0, n, GROUP):
            X = chance.normal(size=(min(GROUP, n - start), COLUMNS - 1))
            X[:, 0] = X[:, 0] > 0
            X[:, 1] += X[:, 0]
            y = X @ b + chance.normal(size=len(X))
            writer.write_table(pa.table([*X.T.copy(), y], schema=schema), row_group_size=GROUP)


def decode(path: Path) -> None:
    """Every column of every row group, by two workers, and nothing done with it."""
    from twosdr.engines import files

    rows = files.opened(path)

    def through(part: object) -> None:
        for _ in part.batches(rows.names):
            pass

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(through, rows.files[0].parts))


def parquet(folder: Path) -> list[Result]:
    """A fit from Parquet against a bare decode; Polars, DuckDB and Dask against that fit; peak memory."""
    import dask
    import dask.dataframe as dd
    import duckdb
    import polars as pl

    from twosdr import TwoStageRegressor
    from twosdr.engines.dask import OnDask

    n = 1_000_000 if QUICK else 5_000_000
    path = folder / "rows.parquet"
    generate(path, n)
    size = f"{n / 1e6:g}M x {COLUMNS}, {path.stat().st_size / 1e9:.1f} GB"
    model = TwoStageRegressor(sensitive="x0", alphas=GRID, cv=FOLDS, n_jobs=2)
    single = TwoStageRegressor(sensitive="x0", alphas=1.0, n_jobs=2)  # Dask's rows have no numbers to divide them by
    least = interleaved(
        {
            "decode": lambda: decode(path),
            "numba": fitting(model, "on", path, "y"),
            "plain": fitting(model, "off", path, "y"),
        },
        repeats=5,
    )
    found = [
        result(
            f"fit from Parquet / bare decode, {size}, {what}",
            least[which] / least["decode"],
            bar,
            f"{least[which]:.2f} s against {least['decode']:.2f} s, two workers each; {versions('pyarrow')}",
        )
        for what, which, bar in (("numba", "numba", 2.6), ("no numba", "plain", 3.2))
    ]
    streams = {
        "Polars": lambda: pl.scan_parquet(path),
        "DuckDB": lambda: duckdb.read_parquet(str(path)),
    }
    tasks = {"embedded": fitting(model, "auto", path, "y"), "single": fitting(single, "auto", path, "y")}
    tasks |= {name: fitting(model, "auto", source(), "y") for name, source in streams.items()}
    with dask.config.set(scheduler="threads", num_workers=2):
        tasks["Dask"] = fitting(model, "auto", OnDask(path), "y")
        tasks["pandas"] = fitting(single, "auto", dd.read_parquet(path, split_row_groups=1), "y")
        least = interleaved(tasks, repeats=5)
    for name, under, bar in (("Polars", "embedded", 1.3), ("DuckDB", "embedded", 1.3), ("Dask", "embedded", 1.4)):
        note = f"{least[name]:.2f} s against {least[under]:.2f} s; {versions(name.lower())}"
        found.append(result(f"fit through {name} / embedded, {size}", least[name] / least[under], bar, note))
    note = f"{least['pandas']:.2f} s against {least['single']:.2f} s, one penalty; pandas frames in between; reported, no bar"
    ratio = least["pandas"] / least["single"]
    found.append(
        Result(f"fit through dask.dataframe / embedded, {size}", float(f"{ratio:.4g}"), ratio, True, True, note)
    )
    for setting, bar in (("on", 300), ("off", 500)):
        setup = f"""
            import os, warnings
            warnings.simplefilter("ignore")
            os.environ["TWOSDR_KERNELS"] = "{setting}"
            import numba, numpy as np, pyarrow.parquet, scipy.linalg
            from twosdr import TwoStageRegressor
            from twosdr.engines import dask, embedded, files, looking, streams
            model = TwoStageRegressor(sensitive="x0", alphas=np.logspace(-3, 6, 25), cv={FOLDS}, n_jobs=2)
        """
        grown = peak_growth(setup, f"model.fit({str(path)!r}, 'y')")
        name = (
            f"peak memory of the fit from Parquet over {bar} MB, {size}, {'numba' if setting == 'on' else 'no numba'}"
        )
        found.append(
            result(name, grown / (bar * 1e6), 1.0, f"{grown / 1e6:.0f} MB beyond the process after its imports")
        )
    return [*found, *spark(path, single, least["single"], size)]


def spark(path: Path, model: object, embedded: float, size: str) -> list[Result]:
    """A job in a warm session; reported, no bar."""
    import shutil
    import sys
    import time

    if QUICK or find_spec("pyspark") is None or shutil.which("java") is None:
        return []
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from pyspark.sql import SparkSession

    session = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.memory", "4g")
        .config("spark.log.level", "OFF")
        .getOrCreate()
    )
    rows = session.read.parquet(str(path))
    model.fit(rows, "y")
    start = time.perf_counter()
    model.fit(rows, "y")
    took = time.perf_counter() - start
    session.stop()
    note = (
        f"{took:.1f} s against {embedded:.2f} s in a warm session of local[2]; reported, no bar; {versions('pyspark')}"
    )
    return [
        Result(
            f"fit through Spark / embedded, {size}", float(f"{took / embedded:.4g}"), took / embedded, True, True, note
        )
    ]


def categories() -> list[Result]:
    """Moments of categories by code against indicator columns and one product of them."""
    from twosdr import tables
    from twosdr.engines import memory
    from twosdr.roles import resolve

    n = 100_000 if QUICK else 300_000
    chance = np.random.default_rng(0)
    frame = {f"c{j}": chance.integers(0, size, n).astype(str) for j, size in enumerate(LEVELS)}
    frame |= {f"x{j}": chance.normal(size=n) for j in range(6)}
    rows = tables.read(frame)
    source = memory.Source(rows, resolve(rows, sensitive="c0"), chance.normal(size=(n, 1)), ("y",))
    codes = [(rows.column(f"c{j}").values, len(rows.column(f"c{j}").levels)) for j in range(len(LEVELS))]
    numbers = np.column_stack([*(frame[f"x{j}"] for j in range(6)), source.y[:, 0]])

    def one_hot() -> np.ndarray:
        """As well as NumPy can: blocks that stay in the cache."""
        width = sum(size for _, size in codes) + numbers.shape[1] + 1
        total, step = np.zeros((width, width)), 2**20 // (8 * width)
        block = np.empty((step, width))
        for a in range(0, n, step):
            part = block[: min(step, n - a)]
            part[:] = 0.0
            at, every = 0, np.arange(len(part))
            for values, size in codes:
                part[every, at + values[a : a + step]] = 1.0
                at += size
            part[:, at:-1] = numbers[a : a + step]
            part[:, -1] = 1.0
            total += part.T @ part
        return total

    def by_code(setting: str) -> object:
        def call() -> None:
            with kernels(setting):
                memory.moments(source)

        return call

    least = interleaved({"one-hot": one_hot, "numba": by_code("on"), "plain": by_code("off")}, repeats=7)
    return [
        result(
            f"moments of categories / one-hot + syrk, {n} rows, {sum(LEVELS)} levels, {what}",
            least[which] / least["one-hot"],
            bar,
            f"{least[which] * 1e3:.0f} ms against {least['one-hot'] * 1e3:.0f} ms",
        )
        for what, which, bar in (("no numba", "plain", 0.7), ("numba", "numba", 0.25))
    ]


def run() -> list[Result]:
    with warnings.catch_warnings(), tempfile.TemporaryDirectory(prefix="twosdr-bench-") as folder:
        warnings.simplefilter("ignore")  # an alpha at the edge of its grid is no matter here
        quick = [*whole_fit(), *predicting(), *categories(), *parquet(Path(folder))]
        return quick if QUICK else [*quick, *against_leace()]
