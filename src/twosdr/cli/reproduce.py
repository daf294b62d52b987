"""twosdr reproduce: the paper's tables and figures beside the paper's numbers."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from typing import Annotated, Any

import typer

LISTED: dict[str, Any] = {
    "name": "reproduce",
    "epilog": "Example: twosdr reproduce --only T3 --only T8 --quick --html paper.html",
}


def run(
    only: Annotated[
        list[str] | None,
        typer.Option(help="These tables and figures alone: T3, F1, ...; separated by commas or repeated."),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Few splits: a look in less than a minute.")] = False,
    jobs: Annotated[int, typer.Option(help="Processes; the numbers do not depend on it.")] = 1,
    beyond: Annotated[
        bool,
        typer.Option(
            "--beyond", help="The goals that the paper leaves open, with their bars, in the place of its tables."
        ),
    ] = False,
    html: Annotated[str | None, typer.Option(help="One self-contained page.")] = None,
    out: Annotated[str | None, typer.Option(help="A folder for numbers as JSON and figures as SVG and PNG.")] = None,
    seed: Annotated[int, typer.Option(help="Of every random split and tie.")] = 0,
    json: Annotated[bool, typer.Option("--json", help="One JSON object for each cell, on standard output.")] = False,
) -> int:
    """Reproduce the paper: every table and figure, run on real data, beside what was printed."""
    from twosdr.cli import codes
    from twosdr.paper import reproduce
    from twosdr.paper.reproducing import OUT

    chosen = [part.strip() for word in only for part in word.split(",")] if only else None
    reproduce(chosen, quick, jobs, beyond, json, html, OUT if out is None else out, seed=seed)
    return codes.FINE
