"""twosdr demo: the bundled Adult table, the baseline against 2SDR, a report, and what to try next."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from typing import Annotated, Any

import typer

from twosdr.cli import options as o

LISTED: dict[str, Any] = {"name": "demo", "epilog": "Example: twosdr demo"}


def run(
    report: Annotated[str, typer.Option(help="Where to write the report.")] = "twosdr-demo.html",
    json: o.Json = False,
) -> int:
    """Fit on the bundled Adult table, show the disparity before and after, and write the report."""
    from twosdr.cli import demonstrating

    return demonstrating.run(report, as_json=json)
