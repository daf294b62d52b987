"""twosdr fit: from a table to a model, its audit on rows that it has not seen, and a report."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

import typer

from twosdr.cli import options as o

LISTED: dict[str, Any] = {
    "name": "fit",
    "epilog": "Example: twosdr fit people.csv --target income --sensitive sex --explanatory hours_per_week --drop id "
    "-o model.json --report report.html",
}


class Goal(StrEnum):
    parity = "parity"
    discrimination_free = "discrimination_free"
    equal_opportunity = "equal_opportunity"
    equalized_odds = "equalized_odds"


class Task(StrEnum):
    auto = "auto"
    regression = "regression"
    classification = "classification"


class Gaps(StrEnum):
    error = "error"
    mean = "mean"
    category = "category"


class Strangers(StrEnum):
    error = "error"
    mean = "mean"


def run(
    data: o.Data,
    target: Annotated[
        str, typer.Option(help="The column to predict.", autocompletion=o.column_names, rich_help_panel=o.ROLES)
    ],
    sensitive: o.Sensitive,
    explanatory: o.Explanatory = None,
    drop: Annotated[
        list[str] | None,
        typer.Option(help="Columns to leave out.", autocompletion=o.column_names, rich_help_panel=o.ROLES),
    ] = None,
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", help="The model, as JSON; - for standard output.", rich_help_panel=o.OUT),
    ] = None,
    report: o.Report = None,
    goal: Annotated[
        Goal,
        typer.Option(
            help="What is to be equal: parity, discrimination_free, equal_opportunity or equalized_odds.",
            metavar="GOAL",
            rich_help_panel=o.MODEL,
        ),
    ] = Goal.parity,
    removal: Annotated[
        str,
        typer.Option(
            help="How much to remove: 1 all, 0 nothing; or a target, md=.1 or r2=.05.", rich_help_panel=o.MODEL
        ),
    ] = "1",
    without_sensitive: Annotated[
        bool,
        typer.Option("--without-sensitive", help="Predict without the sensitive columns.", rich_help_panel=o.MODEL),
    ] = False,
    task: Annotated[
        Task,
        typer.Option(
            help="Number or class; auto: classes where the target is text or has two values.", rich_help_panel=o.MODEL
        ),
    ] = Task.auto,
    positive: o.Positive = None,
    test_size: Annotated[
        float,
        typer.Option(
            help="The share of rows held out for the audit; 0 audits the rows fitted on.", rich_help_panel=o.AUDIT
        ),
    ] = 0.3,
    test: Annotated[
        str | None, typer.Option(help="Audit the rows of this file instead.", rich_help_panel=o.AUDIT)
    ] = None,
    seed: Annotated[
        int, typer.Option(help="Of the division into fitted and held-out rows.", rich_help_panel=o.AUDIT)
    ] = 0,
    alphas: Annotated[
        str | None,
        typer.Option(
            help="Ridge penalties, separated by commas; of several, ten folds choose.", rich_help_panel=o.MODEL
        ),
    ] = None,
    threshold: Annotated[
        str | None,
        typer.Option(help="Where scores are cut: a number, quantile=.8 or cost_ratio=2.", rich_help_panel=o.MODEL),
    ] = None,
    handle_missing: Annotated[
        Gaps, typer.Option(help="What a missing value is answered with.", rich_help_panel=o.MODEL)
    ] = Gaps.error,
    handle_unknown: Annotated[
        Strangers,
        typer.Option(help="What a level that training did not see is answered with.", rich_help_panel=o.MODEL),
    ] = Strangers.error,
    max_levels: Annotated[
        int, typer.Option(help="A category with more levels than this is refused.", rich_help_panel=o.MODEL)
    ] = 1000,
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
    jobs: Annotated[int, typer.Option(help="Threads; the numbers do not depend on it.", rich_help_panel=o.MODEL)] = 1,
    json: o.Json = False,
    delimiter: o.Delimiter = None,
    encoding: o.Encoding = "utf-8",
    missing: o.Missing = None,
) -> int:
    """Fit a model whose predictions are uncorrelated with the sensitive columns, and audit it.

    Prints the roles as understood, what the fit chose and left out, and the audit on held-out rows beside the
    baseline, the same model with every column. The model that -o writes is the one that was audited.
    """
    from twosdr.cli import fitting, reading, showing, writing
    from twosdr.cli.saying import waiting
    from twosdr.errors import ParameterError

    settings = fitting_settings(
        goal, removal, without_sensitive, alphas, threshold, handle_missing, handle_unknown, max_levels, jobs
    )
    line, sure, form = o.rule(rule, fail_under, 0.8), o.percent_of(confidence), o.form(delimiter, encoding, missing)
    if json and writing.STDOUT in (output, report):
        raise ParameterError("--json and - both want standard output. Give the model or the report a file.")
    for path in (output, report):
        if path not in (None, writing.STDOUT):
            writing.check(path)
    with waiting("Reading"):
        rows = reading.whole(data, form)
        other = None if test is None else reading.whole([test], form)
    asked = fitting.asked(
        rows.names,
        {
            "target": target,
            "sensitive": sensitive,
            "explanatory": explanatory,
            "drop": drop,
            "weight": weight,
            "cluster": cluster,
        },
        task=task.value,
        positive=positive,
        settings=settings,
        rule=line,
        confidence=sure,
        min_group_size=min_group_size,
    )
    with waiting("Fitting and auditing"):
        fitted = fitting.fit_rows(rows, other, asked, test_size, seed)
    return showing.fit(
        fitted, rows, other, output=output, report=report, fail_under=fail_under, strict=strict, as_json=json
    )


def fitting_settings(
    goal: Goal,
    removal: str,
    without_sensitive: bool,
    alphas: str | None,
    threshold: str | None,
    handle_missing: Gaps,
    handle_unknown: Strangers,
    max_levels: int,
    jobs: int,
) -> dict[str, Any]:
    """Words as constructor parameters; what was not asked for keeps the library's default."""
    found: dict[str, Any] = {"goal": goal.value, "removal": level(removal), "max_levels": max_levels, "n_jobs": jobs}
    found |= {"handle_missing": handle_missing.value, "handle_unknown": handle_unknown.value}
    if without_sensitive:
        found["at_predict"] = "without"
    if alphas is not None:
        found["alphas"] = numbers(alphas, "alphas")
    if threshold is not None:
        found["threshold"] = setting(threshold, "threshold", ("quantile", "cost_ratio"))
    return found


def level(text: str) -> Any:
    """`1`, `.5`, `md=.1`, `r2=.05`, and of several sensitive columns `md=sex:.1,race:.2`."""
    if text.startswith("md=") and ":" in text:
        parts = [part.rpartition(":") for part in text[3:].split(",")]
        return {"md": {name: number(value, "removal") for name, _, value in parts}}
    return setting(text, "removal", ("md", "r2"))


def setting(text: str, option: str, keys: tuple[str, ...]) -> Any:
    """A number, or `key=number`."""
    key, equals, value = text.partition("=")
    if equals and key in keys:
        return {key: number(value, option)}
    return number(text, option)


def numbers(text: str, option: str) -> list[float]:
    """Numbers between commas."""
    return [number(part, option) for part in text.split(",")]


def number(text: str, option: str) -> float:
    """One number, or the error that names the option."""
    try:
        return float(text)
    except ValueError:
        from twosdr.errors import ParameterError

        raise ParameterError(f"--{option} {text!r:.40} is no number.") from None
