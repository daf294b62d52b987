"""Runs all benchmarks or those named, prints a table, and writes benchmarks/results.json."""

import argparse
import json
import os
import sys
from collections.abc import Iterable
from dataclasses import asdict, replace
from importlib import import_module
from pathlib import Path

from threadpoolctl import threadpool_limits

from benchmarks import BENCHMARKS
from benchmarks.harness import ONE_THREAD, ROOT, Result


def run(benchmark: str) -> list[Result]:
    """The results of one module; its name goes in front of theirs, so that the file knows whose they are."""
    module = import_module(f"benchmarks.{benchmark}")
    with threadpool_limits(1):  # for a BLAS that was loaded before ONE_THREAD was set
        return [replace(result, name=f"{benchmark}: {result.name}") for result in module.run()]


def merged(old: Iterable[dict], new: Iterable[Result], benchmark: str) -> list[dict]:
    """`new` in the place of the old results of `benchmark`; those of the others stay."""
    kept = [result for result in old if owner(result) not in (None, benchmark)]
    return sorted([*kept, *map(asdict, new)], key=lambda result: BENCHMARKS.index(owner(result)))


def owner(result: dict) -> str | None:
    """The benchmark a stored result belongs to; None when there is no such benchmark any more."""
    name = result["name"].partition(":")[0]
    return name if name in BENCHMARKS else None


def line(result: Result) -> str:
    verdict = "holds" if result.holds else "above, advisory" if result.advisory else "ABOVE"
    held = f"{result.value:>9.4g} <= {result.bar:<9.4g} {verdict:<15}"
    return f"{result.name:<60} {held} {result.note}".rstrip()


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="name", help=f"of {', '.join(BENCHMARKS)}; or all")
    parser.add_argument("--results", type=Path, default=ROOT / "benchmarks" / "results.json")
    chosen = parser.parse_args()
    if unknown := set(chosen.names) - set(BENCHMARKS):
        parser.error(f"no benchmark {', '.join(sorted(unknown))}; there is {', '.join(BENCHMARKS)}")

    os.environ.update(ONE_THREAD)  # before the first benchmark loads NumPy
    broken = False
    for benchmark in chosen.names or BENCHMARKS:
        results = run(benchmark)
        print(*map(line, results), sep="\n", flush=True)
        broken |= any(not (result.holds or result.advisory) for result in results)
        # After each one, so that a later failure does not cost the earlier results.
        old = json.loads(chosen.results.read_text()) if chosen.results.exists() else []
        chosen.results.write_text(json.dumps(merged(old, results, benchmark), indent=2) + "\n")
    return int(broken)


if __name__ == "__main__":
    sys.exit(main())
