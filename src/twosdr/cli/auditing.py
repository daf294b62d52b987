"""The work of `audit` and `compare`: columns of a file as arguments of the library's own functions."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from twosdr.cli import codes, csvs, judging, options, reading, saying, training, writing
from twosdr.errors import ParameterError, RoleError, did_you_mean, listing, quoted

ONE, SEVERAL = ("prediction", "scores", "target", "weight", "cluster"), ("sensitive", "explanatory", "features")
USUAL_RULE = 0.8


def audit(
    data: Sequence[str],
    form: csvs.Form,
    words: dict[str, Any],
    *,
    positive: str | None,
    rule: float | None,
    confidence: float,
    min_group_size: int,
    bins: int | None,
    office: str | None,
    fail_under: float | None,
    strict: bool,
    report: str | None,
    as_json: bool,
) -> int:
    """Audit the predictions in a file."""
    from twosdr.audit import audit as audit_rows

    check_outputs(report, as_json)
    with saying.waiting("Reading"):
        rows = reading.whole(data, form)
    named = columns(rows, words)
    if named["prediction"] is None and named["scores"] is None:
        raise RoleError("Name the column to audit: --prediction, or --scores for a model that only ranks.")
    label = pos_label(rows.table, [named["prediction"], named["target"]], positive)
    decides = named["prediction"] is not None and training.decides(rows.table, named["prediction"], label)
    settings = beside(rows.table, named) | {
        "confidence": confidence,
        "min_group_size": min_group_size,
        "bins": bins,
        "pos_label": label,
    }
    prediction = None if named["prediction"] is None else one(rows.table, named["prediction"])
    scores = None if named["scores"] is None else one(rows.table, named["scores"])
    with saying.waiting("Auditing"):
        found = audit_rows(prediction, scores=scores, rule=rule or (USUAL_RULE if decides else None), **settings)
    code = judging.code(found, fail_under, strict)
    shown = found if office is None else found.as_table(office)
    if as_json:
        saying.put_json(shown.to_dict())
    elif report != writing.STDOUT:
        saying.out(repr(shown))
    if report is not None:
        put_report(report, found, rows, named)
    if code == codes.BELOW:
        saying.note(
            f"Below --fail-under {fail_under:g}"
            + (", or not shown to be above it" if strict else "")
            + ": exit code 1."
        )
    return code


def columns(rows: reading.Data, words: dict[str, Any]) -> dict[str, Any]:
    """Each role's columns, looked up among those that there are."""
    named: dict[str, Any] = {role: options.column(words.get(role), rows.names, role) for role in ONE}
    named |= {role: options.columns(words.get(role), rows.names, role) for role in SEVERAL}
    options.apart(
        {role: [named[role]] if role in ONE else named[role] for role in named if named[role] and role != "features"}
    )
    training.refuse_identifiers(rows.table, tuple(named["sensitive"]), "sensitive")
    return named


def beside(table: Any, named: dict[str, Any]) -> dict[str, Any]:
    """What stands beside the predictions, as the library's functions take it."""
    found: dict[str, Any] = {"sensitive_features": table.select(named["sensitive"])}
    if named["target"] is not None:
        found["y_true"] = one(table, named["target"])
    if named["explanatory"]:
        found["explanatory_features"] = table.select(named["explanatory"])
    if named["features"]:
        found["features"] = table.select(named["features"])
    if named["weight"] is not None:
        found["sample_weight"] = table.column(named["weight"]).to_numpy()
    if named["cluster"] is not None:
        found["cluster"] = table.column(named["cluster"]).to_numpy()
    return found


def one(table: Any, name: str) -> Any:
    """A column as a table of its own, so that errors call it by its name."""
    return table.select([name])


def pos_label(table: Any, names: Sequence[str | None], word: str | None) -> Any:
    """The value that a word of the command line means, in the kind of the columns; None where nothing was said and nothing is needed."""
    from twosdr import tables

    read = tables.read(table.select([n for n in names if n is not None]))
    levels: list[Any] = []
    for name in read.names:
        levels += [v for v in training.few_values(read.column(name)) if v not in levels]
    if word is None:
        texts = [v for v in levels if isinstance(v, str)]
        if texts:
            raise ParameterError(
                f"{listing(read.names)} holds {listing(texts)}: say which counts as positive, --positive."
            )
        return None
    found = [v for v in levels if str(v) == word or training.same_number(v, word)]
    if not found:
        shown = [f"{v:g}" if isinstance(v, float) else v for v in levels]
        raise ParameterError(
            f"--positive {quoted(word)} is no value of {listing(read.names)}.{did_you_mean(word, shown)} There are {listing(shown)}."
        )
    return found[0]


def check_outputs(report: str | None, as_json: bool) -> None:
    """Refuse before any work what could not be written after it."""
    if report == writing.STDOUT and as_json:
        raise ParameterError("--json and --report - both want standard output. Give the report a file.")
    if report not in (None, writing.STDOUT):
        writing.check(str(report))


def put_report(path: str, found: Any, rows: reading.Data, named: dict[str, Any]) -> None:
    """The page, and where it is."""
    from twosdr import report
    from twosdr.cli import describing, showing

    contents = report.Contents(
        found,
        title=f"Audit of {named['prediction'] or named['scores']}",
        asked=_asked(named),
        rows_of=f"{rows.title}",
        files=tuple(
            report.File(one.title, one.sha256(), rows.table.num_rows if len(rows.given) == 1 else None)
            for one in rows.given
        ),
        command=showing.spoken(sys.argv),
        versions=describing.versions(),
    )
    writing.put(path, report.render(contents))
    if path != writing.STDOUT:
        saying.note(f"Written: {path} (report)")


def _asked(named: dict[str, Any]) -> tuple[str, ...]:
    what = quoted(named["prediction"] or named["scores"])
    sentences = [f"What do the predictions in {what} have to do with {listing(named['sensitive'])}?"]
    if named["target"]:
        sentences.append(f"What came true is in {quoted(named['target'])}.")
    if named["explanatory"]:
        sentences.append(f"Differences that go with {listing(named['explanatory'])} are shown apart, as explained.")
    return tuple(sentences)
