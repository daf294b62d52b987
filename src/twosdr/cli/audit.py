"""twosdr audit: predictions of any model, held against what must not matter."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

import typer

from twosdr.cli import options as o

LISTED: dict[str, Any] = {
    "name": "audit",
    "epilog": "Example: twosdr audit scored.csv --prediction hired --sensitive sex,age --target qualified --fail-under .8 "
    "--report audit.html",
}


class Office(StrEnum):
    ll144 = "ll144"
    ugesp = "ugesp"
    lending = "lending"


def run(
    data: o.Data,
    sensitive: o.Sensitive,
    prediction: Annotated[
        str | None,
        typer.Option(
            help="The column of decisions, or of predicted numbers.",
            autocompletion=o.column_names,
            rich_help_panel=o.ROLES,
        ),
    ] = None,
    scores: Annotated[
        str | None,
        typer.Option(
            help="The column of scores that decisions were cut from, or that only rank.",
            autocompletion=o.column_names,
            rich_help_panel=o.ROLES,
        ),
    ] = None,
    target: Annotated[
        str | None,
        typer.Option(
            help="What came true; adds accuracy and the gaps in errors.",
            autocompletion=o.column_names,
            rich_help_panel=o.ROLES,
        ),
    ] = None,
    explanatory: o.Explanatory = None,
    features: Annotated[
        list[str] | None,
        typer.Option(
            help="Columns a model may have used, to see how well they give the sensitive ones away.",
            autocompletion=o.column_names,
            rich_help_panel=o.ROLES,
        ),
    ] = None,
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
    bins: Annotated[
        int | None,
        typer.Option(help="Of equal size, that a numeric sensitive column is shown in (10).", rich_help_panel=o.AUDIT),
    ] = None,
    form: Annotated[
        Office | None,
        typer.Option("--as", help="The form of an office: ll144, ugesp or lending.", rich_help_panel=o.OUT),
    ] = None,
    report: o.Report = None,
    json: o.Json = False,
    delimiter: o.Delimiter = None,
    encoding: o.Encoding = "utf-8",
    missing: o.Missing = None,
) -> int:
    """Measure what predictions have to do with sensitive columns: every number with its interval, or the reason why not."""
    from twosdr.cli import auditing

    return auditing.audit(
        data,
        o.form(delimiter, encoding, missing),
        {
            "prediction": prediction,
            "scores": scores,
            "target": target,
            "sensitive": sensitive,
            "explanatory": explanatory,
            "features": features,
            "weight": weight,
            "cluster": cluster,
        },
        positive=positive,
        rule=o.rule(rule, fail_under),
        confidence=o.percent_of(confidence),
        min_group_size=min_group_size,
        bins=bins,
        office=None if form is None else form.value,
        fail_under=fail_under,
        strict=strict,
        report=report,
        as_json=json,
    )
