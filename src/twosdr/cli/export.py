"""twosdr export: a saved model in the words of other systems."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

import typer

LISTED: dict[str, Any] = {
    "name": "export",
    "epilog": "Example: twosdr export model.json --to sql --dialect postgres --table people -o model.sql",
}


class Form(StrEnum):
    sql = "sql"
    onnx = "onnx"
    card = "card"


def run(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="What twosdr fit -o wrote; - for standard input.")],
    to: Annotated[Form, typer.Option(help="sql: one SELECT; onnx: a graph; card: a model card in Markdown.")],
    output: Annotated[str, typer.Option("--output", "-o", help="A file; - for standard output.")] = "-",
    dialect: Annotated[str | None, typer.Option(help="Of SQL: duckdb, postgres, sqlite, bigquery, snowflake.")] = None,
    table: Annotated[str | None, typer.Option(help="Of SQL: the table to select from.")] = None,
    double: Annotated[bool, typer.Option("--double", help="Of ONNX: 64-bit numbers.")] = False,
    audit: Annotated[
        str | None, typer.Option(help="Of a card: an audit, as twosdr audit --json or twosdr fit --json wrote it.")
    ] = None,
) -> int:
    """Write a saved model as SQL, as an ONNX graph, or as a model card."""
    from twosdr.cli import exporting

    return exporting.export(model, to.value, output, dialect=dialect, table=table, double=double, audit=audit)
