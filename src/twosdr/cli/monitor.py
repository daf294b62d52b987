"""twosdr monitor: last month's rows against what training promised."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from typing import Annotated, Any

import typer

from twosdr.cli import options as o

LISTED: dict[str, Any] = {
    "name": "monitor",
    "epilog": "Example: twosdr monitor model.json march.parquet --fail-over .1",
}


def run(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="What twosdr fit -o wrote.")],
    data: o.Data,
    fail_over: Annotated[
        float | None,
        typer.Option(
            "--fail-over",
            help="Leave with code 1 when a correlation of a sensitive column with the score is beyond this, its interval included.",
        ),
    ] = None,
    confidence: o.Confidence = 0.95,
    json: o.Json = False,
    delimiter: o.Delimiter = None,
    encoding: o.Encoding = "utf-8",
    missing: o.Missing = None,
) -> int:
    """Compare new rows with what training saw: Cov(s, score), groups, columns, levels that training did not know.

    The sensitive columns are needed here also for a model that does not use them at prediction.
    """
    from twosdr.cli import watching

    return watching.monitor(
        model, data, o.form(delimiter, encoding, missing), fail_over, o.percent_of(confidence), json
    )
