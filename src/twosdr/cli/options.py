"""Options that several commands share, each with its words, so that one thing is called one name everywhere."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import typer

READING, ROLES, MODEL, AUDIT, OUT = "Reading the files", "Columns", "Model", "Audit", "Output"


def column_names(ctx: typer.Context, incomplete: str) -> list[str]:
    """For the shell's completion: the columns of the DATA that was typed already."""
    from twosdr.cli import csvs, files, reading

    try:
        [first, *_] = files.find([word for word in ctx.params.get("data") or [] if word != files.STDIN][:1])
        *before, last = incomplete.split(",")
        found = [name for name in reading.names(first, csvs.Form()) if name.startswith(last)]
        return [",".join([*before, name]) for name in found]
    except Exception:  # completion never complains
        return []


def data_set_names(incomplete: str) -> list[str]:
    """For the shell's completion."""
    return [name for name in ("adult", "communities", "compas", "german", "lsac") if name.startswith(incomplete)]


Data = Annotated[
    list[str],
    typer.Argument(metavar="DATA", help="CSV, Parquet or Arrow files, a folder, a glob, or - for standard input."),
]
Delimiter = Annotated[
    str | None, typer.Option(help="What separates the values of a CSV: one character, or tab.", rich_help_panel=READING)
]
Encoding = Annotated[str, typer.Option(help="Of a CSV: utf-8, latin-1, cp1252, utf-16, ...", rich_help_panel=READING)]
Missing = Annotated[
    list[str] | None,
    typer.Option(
        "--missing",
        help="A word that means a missing value, such as '?'. Repeat it for several.",
        rich_help_panel=READING,
    ),
]
Json = Annotated[
    bool, typer.Option("--json", help="Print JSON on standard output, and nothing else there.", rich_help_panel=OUT)
]
Sensitive = Annotated[
    list[str],
    typer.Option(
        help="What must not matter: columns, separated by commas or repeated.",
        autocompletion=column_names,
        rich_help_panel=ROLES,
    ),
]
Explanatory = Annotated[
    list[str] | None,
    typer.Option(help="What may explain a difference: columns.", autocompletion=column_names, rich_help_panel=ROLES),
]
Weight = Annotated[
    str | None,
    typer.Option(help="The column with the rows' weights.", autocompletion=column_names, rich_help_panel=ROLES),
]
Cluster = Annotated[
    str | None,
    typer.Option(
        help="The column that tells independent units apart (a person, a court).",
        autocompletion=column_names,
        rich_help_panel=ROLES,
    ),
]
Positive = Annotated[
    str | None, typer.Option(help="The value that counts as positive, such as '>50K'.", rich_help_panel=ROLES)
]
Confidence = Annotated[float, typer.Option(help="Of the intervals.", rich_help_panel=AUDIT)]
MinGroup = Annotated[
    int,
    typer.Option(
        "--min-group-size", help="Groups with fewer rows are shown, and stand in no ratio.", rich_help_panel=AUDIT
    ),
]
FailUnder = Annotated[
    float | None,
    typer.Option(
        "--fail-under",
        help="Leave with code 1 when the impact ratio is below this, at the confidence asked for.",
        rich_help_panel=AUDIT,
    ),
]
Strict = Annotated[
    bool,
    typer.Option("--strict", help="With --fail-under: also when it is not shown to be above.", rich_help_panel=AUDIT),
]
Report = Annotated[str | None, typer.Option(help="Write the report to this file, one HTML page.", rich_help_panel=OUT)]


def columns(given: Sequence[str] | None, names: Sequence[str], option: str) -> list[str]:
    """The columns that an option names: whole words first, for a name may hold a comma; then what stands between commas."""
    from twosdr.errors import RoleError, did_you_mean, listing, quoted

    found: list[str] = []
    for word in given or ():
        for name in [word] if word in names else [part.strip() for part in word.split(",")]:
            if name not in names:
                raise RoleError(
                    f"--{option} names {quoted(name)}, which is no column.{did_you_mean(name, names)} The columns are {listing(names, 12)}."
                )
            if name not in found:
                found.append(name)
    return found


def column(given: str | None, names: Sequence[str], option: str) -> str | None:
    """One column, or None."""
    if given is None:
        return None
    [name] = columns([given] if given in names else [given.replace(",", "\ufffd")], names, option)
    return name


def apart(roles: dict[str, Sequence[str]]) -> None:
    """A column has one role."""
    from twosdr.errors import RoleError, quoted

    seen: dict[str, str] = {}
    for option, names in roles.items():
        for name in names:
            if name in seen:
                raise RoleError(f"{quoted(name)} is named by --{seen[name]} and by --{option}; a column has one role.")
            seen[name] = option


def form(delimiter: str | None, encoding: str, missing: Sequence[str] | None) -> Any:
    """How CSV is to be read."""
    from twosdr.cli.csvs import Form

    return Form(delimiter, encoding, tuple(missing or ()))


def rule(asked: float | None, fail_under: float | None, usual: float | None = None) -> float | None:
    """The ratio that decisions are held against: of --rule and --fail-under, which must not disagree."""
    from twosdr.errors import ParameterError

    for name, value in (("rule", asked), ("fail-under", fail_under)):
        if value is not None and not 0 < value <= 1:
            raise ParameterError(f"--{name} must be above 0 and at most 1, such as .8. Got {value:g} instead.")
    if asked is not None and fail_under is not None and asked != fail_under:
        raise ParameterError(f"--rule {asked:g} and --fail-under {fail_under:g} are two lines. Give one.")
    return fail_under if fail_under is not None else asked if asked is not None else usual


def percent_of(confidence: float) -> float:
    """A confidence between 0 and 1."""
    from twosdr.errors import ParameterError

    if not 0 < confidence < 1:
        raise ParameterError(f"--confidence must lie between 0 and 1, such as .95. Got {confidence:g} instead.")
    return confidence
