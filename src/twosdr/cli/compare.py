"""twosdr compare: several predictions of the same rows side by side, by column or by saved model."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from typing import Annotated, Any

import typer

from twosdr.cli import options as o

LISTED: dict[str, Any] = {
    "name": "compare",
    "epilog": "Example: twosdr compare scored.csv --prediction old,new --sensitive sex --target hired",
}


def run(
    data: o.Data,
    sensitive: o.Sensitive,
    prediction: Annotated[
        list[str] | None,
        typer.Option(
            help="Columns of predictions; the first is the baseline.",
            autocompletion=o.column_names,
            rich_help_panel=o.ROLES,
        ),
    ] = None,
    model: Annotated[
        list[str] | None, typer.Option(help="Saved models, to predict DATA with; repeat it.", rich_help_panel=o.ROLES)
    ] = None,
    target: Annotated[
        str | None, typer.Option(help="What came true.", autocompletion=o.column_names, rich_help_panel=o.ROLES)
    ] = None,
    explanatory: o.Explanatory = None,
    positive: o.Positive = None,
    weight: o.Weight = None,
    cluster: o.Cluster = None,
    rule: Annotated[
        float | None,
        typer.Option(help="The impact ratio that decisions are held against (.8).", rich_help_panel=o.AUDIT),
    ] = None,
    fail_under: o.FailUnder = None,
    strict: o.Strict = False,
    confidence: o.Confidence = 0.95,
    min_group_size: o.MinGroup = 30,
    report: o.Report = None,
    json: o.Json = False,
    delimiter: o.Delimiter = None,
    encoding: o.Encoding = "utf-8",
    missing: o.Missing = None,
) -> int:
    """Compare predictions of the same rows: each audited, and the differences with paired intervals.

    The first is the baseline; --fail-under and the report are about the last.
    """
    from twosdr.cli import comparing

    return comparing.compare(
        data,
        o.form(delimiter, encoding, missing),
        {"target": target, "sensitive": sensitive, "explanatory": explanatory, "weight": weight, "cluster": cluster},
        predictions=prediction,
        models=model or [],
        positive=positive,
        rule=o.rule(rule, fail_under),
        confidence=o.percent_of(confidence),
        min_group_size=min_group_size,
        fail_under=fail_under,
        strict=strict,
        report=report,
        as_json=json,
    )
