"""A fit in words: what was asked, the columns as understood, the facts of the model. For the terminal and for the report alike."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

import platform
from importlib import metadata
from typing import TYPE_CHECKING, Any

from twosdr import report, tables
from twosdr.audit.words import count, number, percent
from twosdr.cli.fitting import Fitted
from twosdr.errors import listing

if TYPE_CHECKING:
    from twosdr.cli.reading import Data

LIBRARIES = ("twosdr", "numpy", "scipy", "scikit-learn", "pyarrow")
ROLES = {"s": "sensitive", "x": "ordinary", "z": "explanatory"}
GOALS = {
    "parity": "parity: the score has no covariance with the sensitive columns",
    "discrimination_free": "discrimination-free: the sensitive columns have no effect of their own on the score; no parity",
    "equal_opportunity": "equal opportunity: within the positive class the score has no covariance with the sensitive columns",
    "equalized_odds": "equalized odds: at equal target the score has no covariance with the sensitive columns",
}
REASONS = {
    "constant": "constant",
    "dependent": "a linear function of earlier columns",
    "explained by s": "determined by the sensitive columns",
}


def columns(found: Fitted) -> tuple[report.Column, ...]:
    """Each column with role, type, levels or range, and rows without a value; those without a role last."""
    roles = found.model.roles_
    read = tables.read(found.train)
    letters = {f.name: ROLES[f.role] for f in roles.fields}
    asked = found.asked
    other: dict[str | None, str] = {
        asked.target: "target",
        asked.weight: "weight",
        asked.cluster: "cluster",
        **{n: "left out" for n in asked.drop},
    }
    order = {"sensitive": 0, "explanatory": 1, "target": 2, "ordinary": 3}
    found_columns = []
    for name in read.names:
        role = other.get(name) or letters.get(name, "left out")
        if role == "left out":
            found_columns.append(
                report.Column(
                    name, role, str(found.train.schema.field(name).type), "", int(found.train.column(name).null_count)
                )
            )
            continue
        column = read.column(name)
        found_columns.append(
            report.Column(name, role, column.kind, _holds(column, found, name), int(column.missing().sum()))
        )
    return tuple(sorted(found_columns, key=lambda c: order.get(c.role, 4)))


def _holds(column: Any, found: Fitted, name: str) -> str:
    if column.levels is not None:
        shown = [
            f"{v} (positive)" if name == found.asked.target and v == found.positive else str(v)
            for v in column.levels[:6]
        ]
        more = len(column.levels) - 6
        return ", ".join(shown) + (f" and {more} more" if more > 0 else "")
    values = column.values[~column.missing()]
    return f"{values.min():,.6g} to {values.max():,.6g}" if len(values) else ""


def size(found: Fitted, rows: Data, other: Data | None) -> str:
    """How many rows, and which were held out."""
    said = f"{rows.title}: {rows.table.num_rows:,} rows, {len(rows.names)} columns"
    if other is not None:
        return f"{said}; audited on {other.title}, {other.table.num_rows:,} rows"
    if not found.held_out:
        return f"{said}; audited on the same rows"
    return f"{said}; {found.train.num_rows:,} fitted on, {found.test.num_rows:,} held out"


def facts(found: Fitted) -> dict[str, str]:
    """The model in a few lines."""
    model, asked = found.model, found.asked
    kind = f"{type(model).__name__}, of {asked.target}" + (
        f"; positive: {found.positive}" if found.is_classifier else ""
    )
    said = {"model": kind, "goal": f"{GOALS[model.goal]}; removal {model.removal_:.4g}"}
    said["sensitive"] = _used(found)
    said["alpha"] = _alpha(model)
    said["left out"] = _left_out(found)
    if found.moved:
        said["moved"] = f"{count(found.moved)} with a level that no other row has: fitted on, not held out"
    return {key: value for key, value in said.items() if value}


def _used(found: Fitted) -> str:
    names = listing(found.asked.sensitive)
    if found.flips is None:
        return f"{names}; not used at prediction"
    decisions, scores = found.flips.decisions, found.flips.scores
    if decisions.value is None:
        return f"{names}; used at prediction: a row's prediction moves by {number(scores.value)} on average when only that changes"
    low, high = decisions.interval or (decisions.value, decisions.value)
    return (
        f"{names}; used at prediction: {100 * decisions.value:.1f} % [{100 * low:.1f}, {100 * high:.1f}] of the decisions change when only "
        "that changes (--without-sensitive does not use it)"
    )


def _alpha(model: Any) -> str:
    tried = getattr(model, "cv_results_", None)
    if not isinstance(tried, dict):
        return f"{model.alpha_:g}" + (": least squares, no penalty" if model.alpha_ == 0 else ", as given")
    grid = [float(a) for a in next(v for k, v in tried.items() if "alpha" in k)]
    return f"{model.alpha_:g}, of {len(grid)} from {min(grid):g} to {max(grid):g}, by the squared error of cross-validation"


def _left_out(found: Fitted) -> str:
    """By the table's columns: what was asked to be dropped, and what the fit had to leave out."""
    by_reason: dict[str, list[str]] = {}
    for name, reason in found.model.dropped_.items():
        if reason != "reference":
            by_reason.setdefault(REASONS.get(reason, reason), []).append(name)
    said = [f"{listing(found.asked.drop)} (asked)"] if found.asked.drop else []
    said += [f"{listing(names)} ({reason})" for reason, names in by_reason.items()]
    return "; ".join(said)


def asked(found: Fitted) -> tuple[str, ...]:
    """The question in sentences."""
    a = found.asked
    who = f"Predict {_name(a.target)}" + (f" (positive: {found.positive})" if found.is_classifier else "")
    sentences = [
        f"{who} from {len(found.model.roles_.columns('x'))} ordinary columns so that {_names(a.sensitive)} must not matter."
    ]
    if a.explanatory:
        sentences.append(f"Differences that go with {_names(a.explanatory)} may stand.")
    sentences.append(f"Goal: {GOALS[found.model.goal]}. Removed: {percent(round(found.model.removal_, 4))}.")
    if found.model.needs_sensitive_:
        sentences.append("The sensitive columns are used at prediction, to take off what they explain of the others.")
    return tuple(sentences)


def _name(name: str) -> str:
    return f'"{name}"'


def _names(names: tuple[str, ...]) -> str:
    return listing(names, 6)


def contents(found: Fitted, rows: Data, other: Data | None, command: str) -> report.Contents:
    """All of it, for the report."""
    where = "on held-out rows" if found.held_out else "on the rows that the model was fitted on"
    given = [(one, data) for data in (rows, other) if data is not None for one in data.given]
    return report.Contents(
        found.comparison,
        title=f"{found.asked.target} without {', '.join(found.asked.sensitive)}",
        asked=asked(found),
        rows_of=where,
        columns=columns(found),
        model=found.model._portable(),
        flips=found.flips,
        frontier=found.frontier,
        carriers=found.carriers,
        training={"rows": size(found, rows, other), **facts(found)},
        files=tuple(
            report.File(one.title, one.sha256(), data.table.num_rows if len(data.given) == 1 else None)
            for one, data in given
        ),
        command=command,
        versions=versions(),
    )


def versions() -> dict[str, str]:
    """What it was made with."""
    return {"Python": platform.python_version(), **{name: metadata.version(name) for name in LIBRARIES}}
