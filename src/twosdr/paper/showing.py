"""Results on a terminal, and as JSON lines. No arithmetic but counting verdicts."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from typing import Any

from twosdr.paper.results import VERDICTS, Cell, Result

COLOURS = {
    "match": "green",
    "within noise": "yellow",
    "differs": "red",
    "no data": "dim",
    "meets": "green",
    "misses": "red",
}
COUNTED = frozenset(f"T{k}" for k in range(2, 12))  # the tables of results, 75 cells


def figure(value: float | None, metric: str = "") -> str:
    """A number as it is shown: counts whole, the rest to four places, a dash for none."""
    if value is None:
        return "-"
    return f"{value:,.0f}" if metric in ("N", "D") or value in (0.0, 1.0) else f"{value:.4f}"


def small(value: float | None) -> str:
    """A number of a bar, which may be as small as rounding."""
    return "-" if value is None else "0" if value == 0 else f"{value:.4f}" if abs(value) >= 5e-4 else f"{value:.1e}"


def printed(cell: Cell) -> str:
    """The paper's number, as the paper has it."""
    return f"{cell.paper:.2f}" if cell.table in COUNTED else f"{cell.paper:,.0f}"


def lines(result: Result) -> Iterable[str]:
    """One JSON object for each cell, or each bar."""
    for cell in (*result.cells, *result.bars):
        yield json.dumps(cell.public(), ensure_ascii=False)


def counts(results: Iterable[Result]) -> dict[str, int]:
    """How many of the cells of the tables of results have each verdict."""
    found = Counter(cell.verdict for r in results if r.id in COUNTED for cell in r.cells if not cell.quoted)
    return {verdict: found[verdict] for verdict in VERDICTS}


def summary(results: Iterable[Result]) -> str:
    """The counts in a sentence."""
    found = counts(results)
    said = ", ".join(f"{n} {verdict}" for verdict, n in found.items() if n or verdict != "no data")
    return f"{sum(found.values())} cells of the paper's tables of results: {said}."


def show(result: Result, console: Any) -> None:
    """One table or figure."""
    from rich import box
    from rich.markup import escape
    from rich.padding import Padding
    from rich.table import Table

    console.print()
    if result.cells:
        title = escape(f"{result.id}  {result.title} ({result.printed} of the paper)")
        table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
        table.add_column("row", min_width=18)
        table.add_column("metric", no_wrap=True)
        for heading in ("paper", "ours", "se", "tolerance", "closed form"):
            table.add_column(heading, justify="right", no_wrap=True)
        table.add_column("verdict", no_wrap=True)
        for cell in result.cells:
            colour = COLOURS[cell.verdict]
            table.add_row(
                escape(cell.row),
                cell.metric,
                printed(cell),
                figure(cell.ours, cell.metric),
                figure(cell.se),
                figure(cell.tolerance),
                figure(cell.closed),
                f"[{colour}]{cell.verdict}[/{colour}]",
            )
        console.print(table)
    else:
        console.print(f"[italic]{escape(f'{result.id}  {result.title} ({result.printed})')}[/italic]")
    notes = dict.fromkeys(c.note for c in result.cells if c.verdict == "no data")
    notes |= dict.fromkeys(p for p in result.provenance if "stand-in" in p)
    for text in (*notes, result.missing):
        if text:
            console.print(Padding(escape(text), (0, 0, 0, 1)), highlight=False)
    for claim in result.claims:
        mark = "[green]holds[/green]" if claim.holds else "[red]does not hold[/red]"
        console.print(
            Padding(f"{mark}: {escape(claim.text)} ({escape(claim.measured)})", (0, 0, 0, 1)), highlight=False
        )
    if result.spreads:
        _show_spreads(result, console)
    if result.bars:
        _show_bars(result, console)


def _show_bars(result: Result, console: Any) -> None:
    from rich import box
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("bar", "figure"):
        table.add_column(heading)
    for heading in ("ours", "se", "limit"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    for b in result.bars:
        colour = COLOURS[b.verdict]
        limit = f"{b.sense} {b.limit:g}"
        table.add_row(
            escape(b.bar), escape(b.figure), small(b.ours), small(b.se), limit, f"[{colour}]{b.verdict}[/{colour}]"
        )
    console.print(table)


def _show_spreads(result: Result, console: Any) -> None:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("table", "row", "metric"):
        table.add_column(heading, no_wrap=True)
    for heading in ("paper", "least", "median", "largest"):
        table.add_column(heading, justify="right")
    for spread in result.spreads:
        values = sorted(spread.values)
        shown = [f"{values[0]:.4f}", f"{values[len(values) // 2]:.4f}", f"{values[-1]:.4f}"] if values else ["-"] * 3
        table.add_row(spread.table, spread.row, spread.metric, f"{spread.paper:.2f}", *shown)
    console.print(table)
