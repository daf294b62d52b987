"""docs/benchmarks.md from benchmarks/results.json: what was measured, on which machine, and which ratios are of different work."""

import json
import os
import platform
from pathlib import Path

from benchmarks.__main__ import owner
from benchmarks.harness import ROOT

PAGE = ROOT / "docs" / "benchmarks.md"


def machine() -> str:
    """Processor, cores, memory and Python, as far as the system tells."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    name = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.machine())
    try:
        memory = f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.0f} GiB"
    except (ValueError, OSError, AttributeError):
        memory = "unknown memory"
    return f"{name}, {os.cpu_count()} cores, {memory}, {platform.system()}, Python {platform.python_version()}"


def verdict(result: dict) -> str:
    if "no bar" in result["note"]:
        return "reported"
    if result["holds"]:
        return "holds"
    return "above, advisory" if result["advisory"] else "above"


def text(results: list[dict], where: str) -> str:
    rows = [
        f"| {r['name'].partition(': ')[2].replace('|', '/')} | {r['value']:.4g} | "
        f"{'' if 'no bar' in r['note'] else format(r['bar'], '.4g')} | {verdict(r)} | {r['note'].replace('|', '/')} |"
        for r in results
    ]
    groups: dict[str, list[str]] = {}
    for r, row in zip(results, rows, strict=True):
        groups.setdefault(owner(r) or "others", []).append(row)
    tables = "\n\n".join(
        f"## {name}\n\n| what | measured | bar | | |\n|---|---|---|---|---|\n" + "\n".join(lines)
        for name, lines in groups.items()
    )
    return f"""# What was measured

`make bench` measures, and `.venv/bin/python -m benchmarks.page` writes this page from `benchmarks/results.json`.
Times are ratios within one interleaved run; a bar marked advisory needs an idle machine. Where a note says
"different work", the ratio compares a whole task with something that any such task contains (a product of
matrices, a decode), and says how far from the unavoidable the rest is.

Machine: {where}.

![Seconds of a fit against rows, columns, folds and penalties](../benchmarks/growth.svg)

{tables}
"""


def main() -> None:
    results = json.loads((ROOT / "benchmarks" / "results.json").read_text())
    PAGE.write_text(text(results, machine()), encoding="utf-8")
    print(f"{PAGE.relative_to(ROOT)}: {len(results)} results")


if __name__ == "__main__":
    main()
