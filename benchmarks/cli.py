"""What the shell waits for: the start, a report from a CSV, predictions of a large file; and how large a report becomes.

`twosdr --help` is held against the import of scikit-learn's linear models, in turns. Predictions are held against a bare decode of
the same file, numbers without compression, which is the least that a decode can be; the memory of three such files against that of one.
"""

import io
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import redirect_stderr
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.harness import ONE_THREAD, Result, interleaved, seconds

ROWS = 5_000_000
SMALL = ROWS // 10
PYTHON = [sys.executable]
HELP = [*PYTHON, "-m", "twosdr", "--help"]
SKLEARN = [*PYTHON, "-c", "import sklearn.linear_model"]


def quiet(command: list[str], folder: Path | None = None) -> None:
    """Run it; an error is one of ours."""
    env = os.environ | ONE_THREAD | {"NO_COLOR": "1"}
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{command} failed:\n{done.stderr}")


def peak(command: list[str], folder: Path) -> int:
    """The peak of resident memory of a command, in bytes; a process of its own asks, for the peak is that of all children."""
    code = "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, stdout=-3, stderr=-3); " + (
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    done = subprocess.run([*PYTHON, "-c", code, *command], cwd=folder, capture_output=True, text=True, check=True)
    return int(done.stdout) * (1 if sys.platform == "darwin" else 1024)


def processor(call: Callable[[], None]) -> float:
    """Processor seconds of a call and its threads."""
    before = time.process_time()
    call()
    return time.process_time() - before


def start() -> Result:
    least = interleaved({"help": HELP, "sklearn": SKLEARN}, repeats=9, measure=lambda c: seconds(lambda: quiet(c)))
    note = f"{least['help']:.3f} s against {least['sklearn']:.3f} s, least of 9"
    return Result.at_most(
        "twosdr --help / import sklearn.linear_model", least["help"] / least["sklearn"], 0.4, note=note
    )


def report(folder: Path) -> list[Result]:
    """From 45k rows of CSV to the report, cold: the process is new, its imports are counted."""
    quiet([*PYTHON, "-m", "twosdr", "datasets", "export", "adult", "-o", "adult.csv"], folder)
    lines = (folder / "adult.csv").read_text().splitlines(keepends=True)
    (folder / "adult45.csv").write_text("".join(lines[:45_223]))
    words = [
        "--target",
        "income",
        "--sensitive",
        "sex",
        "--explanatory",
        "hours_per_week",
        "--drop",
        "fnlwgt,education_num",
    ]
    fit = [
        *PYTHON,
        "-m",
        "twosdr",
        "fit",
        "adult45.csv",
        *words,
        "--handle-missing",
        "category",
        "-o",
        "m.json",
        "--report",
        "r.html",
    ]
    took = min(seconds(lambda: quiet(fit, folder)) for _ in range(2))
    demo = min(seconds(lambda: quiet([*PYTHON, "-m", "twosdr", "demo"], folder)) for _ in range(2))
    return [
        Result.at_most("a CSV of 45k rows to model and report, seconds", took, 20.0, note="cold, less of 2"),
        Result.at_most("twosdr demo, seconds", demo, 15.0, note="less of 2"),
        Result.at_most("report of that fit, MB", (folder / "r.html").stat().st_size / 1e6, 2.0),
    ]


def large(folder: Path, n: int, name: str) -> None:
    """A Parquet file of n people: eight numbers, two categories."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(0)
    writer = None
    for at in range(0, n, 500_000):
        k = min(500_000, n - at)
        columns = {f"x{j}": rng.normal(size=k) for j in range(8)}
        columns["sex"] = pa.array(np.array(["f", "m"])[rng.integers(0, 2, k)])
        columns["city"] = pa.array(np.array(["A", "B", "C", "D", "E"])[rng.integers(0, 5, k)])
        columns["y"] = columns["x0"] + rng.normal(size=k)
        table = pa.table(columns)
        writer = writer or pq.ParquetWriter(folder / name, table.schema)
        writer.write_table(table)
    assert writer is not None
    writer.close()


def predictions(folder: Path) -> list[Result]:
    """In one process, which has loaded what it needs: a start would take longer than the rows."""
    import pyarrow.parquet as pq

    from twosdr.cli import door

    large(folder, SMALL, "small.parquet")
    large(folder, ROWS, "large.parquet")
    fit = ["fit", "small.parquet", "--target", "y", "--sensitive", "sex", "-o", "y.json"]
    quiet([*PYTHON, "-m", "twosdr", *fit], folder)

    def ours(name: str) -> None:
        with redirect_stderr(io.StringIO()):
            assert (
                door.main(["predict", str(folder / "y.json"), str(folder / name), "-o", str(folder / "p.parquet")]) == 0
            )

    def theirs(name: str) -> None:
        form: dict[str, Any] = {"pre_buffer": False, "buffer_size": 2**16, "read_dictionary": ["sex", "city"]}
        with pq.ParquetFile(folder / name, **form) as file:
            for _ in file.iter_batches(2**17):
                pass

    # What either costs before its first row is measured on the small file, and taken off.
    files = ("small.parquet", "large.parquet")
    tasks = {(what, name): partial(what, name) for what in (ours, theirs) for name in files}
    wall, spent = interleaved(tasks, repeats=9), interleaved(tasks, repeats=5, measure=processor)
    (ours_wall, theirs_wall), (ours_spent, theirs_spent) = (
        [found[what, files[1]] - found[what, files[0]] for what in (ours, theirs)] for found in (wall, spent)
    )
    more = (ROWS - SMALL) / 1e6
    note = (
        f"{more / ours_wall:.1f} against {more / theirs_wall:.1f} million rows a second, least of 9; "
        f"processor time of all threads {ours_spent:.2f} s against {theirs_spent:.2f} s"
    )

    def predict(times: int) -> list[str]:
        return [*PYTHON, "-m", "twosdr", "predict", "y.json", *["large.parquet"] * times, "-o", "p.parquet"]

    growth = (peak(predict(3), folder) - peak(predict(1), folder)) / 1e6
    name = "decode rate / rate of twosdr predict, 5M rows of Parquet"
    return [
        Result.at_most(name, ours_wall / theirs_wall, 2.0, advisory=True, note=note),
        Result.at_most("memory of predict, 15M rows above 5M rows, MB", growth, 25.0),
    ]


def million(folder: Path) -> Result:
    """The report of an audit of a million rows."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(0)
    n = 1_000_000
    race = np.array(["a", "b", "c", "d", "e"])[rng.integers(0, 5, n)]
    columns = {
        "sex": np.array(["f", "m"])[rng.integers(0, 2, n)],
        "race": race,
        "age": rng.integers(18, 80, n),
        "score": rng.normal(size=n),
    }
    columns["hired"] = (columns["score"] > 0.3).astype(int)
    columns["y"] = rng.integers(0, 2, n)
    pq.write_table(pa.table(columns), folder / "audit.parquet")
    words = [
        "--prediction",
        "hired",
        "--scores",
        "score",
        "--sensitive",
        "sex,race,age",
        "--target",
        "y",
        "--report",
        "a.html",
    ]
    took = seconds(lambda: quiet([*PYTHON, "-m", "twosdr", "audit", "audit.parquet", *words], folder))
    size = (folder / "a.html").stat().st_size / 1e6
    return Result.at_most("report of an audit of 1M rows, MB", size, 2.0, note=f"audit and report in {took:.1f} s")


def run() -> list[Result]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        return [start(), *report(folder), *predictions(folder), million(folder)]
