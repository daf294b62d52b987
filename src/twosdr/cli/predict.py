"""twosdr predict: a saved model and new rows to predictions, piece by piece, in constant memory."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from typing import Annotated, Any

import typer

from twosdr.cli import options as o

LISTED: dict[str, Any] = {
    "name": "predict",
    "epilog": "Example: twosdr predict model.json new.parquet -o predictions.parquet --keep id",
}


def run(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="What twosdr fit -o wrote.")],
    data: o.Data,
    output: Annotated[
        str,
        typer.Option(
            "--output", "-o", help="A .csv or .parquet file; - for CSV on standard output.", rich_help_panel=o.OUT
        ),
    ] = "-",
    keep: Annotated[
        list[str] | None, typer.Option(help="Columns of DATA to write beside the predictions.", rich_help_panel=o.OUT)
    ] = None,
    delimiter: o.Delimiter = None,
    encoding: o.Encoding = "utf-8",
    missing: o.Missing = None,
) -> int:
    """Predict new rows, in their order.

    Writes the columns of --keep, then "prediction" and, of a classifier, "score" (one for each class where there are several). The
    columns of DATA go by name; their order does not matter. The file appears whole or not at all.
    """
    from twosdr.cli import predicting

    return predicting.predict(model, data, output, keep, o.form(delimiter, encoding, missing))
