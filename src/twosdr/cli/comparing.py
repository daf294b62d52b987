"""The work of `compare`."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from twosdr.cli import auditing, codes, csvs, judging, options, predicting, reading, saying, training, writing
from twosdr.errors import RoleError


def compare(
    data: Sequence[str],
    form: csvs.Form,
    words: dict[str, Any],
    *,
    predictions: Sequence[str] | None,
    models: Sequence[str],
    positive: str | None,
    rule: float | None,
    confidence: float,
    min_group_size: int,
    fail_under: float | None,
    strict: bool,
    report: str | None,
    as_json: bool,
) -> int:
    """Audit each, and the differences."""
    from twosdr.audit import compare as compare_rows

    auditing.check_outputs(report, as_json)
    with saying.waiting("Reading"):
        rows = reading.whole(data, form)
    names = options.columns(predictions, rows.names, "prediction")
    if len(names) + len(models) < 2:
        raise RoleError("Nothing to compare: name two or more, with --prediction (columns) or --model (files).")
    named = auditing.columns(rows, words | {"prediction": None})
    options.apart(
        {
            "prediction": names,
            **({"target": [named["target"]]} if named["target"] else {}),
            "sensitive": named["sensitive"],
        }
    )
    found = {name: auditing.one(rows.table, name) for name in names}
    for path, title in zip(models, _titles(models), strict=True):
        found[title] = _predicted(path, rows, form, names)
    labelled = [*names, *([named["target"]] if named["target"] else [])]
    label = auditing.pos_label(rows.table, labelled, positive) if labelled else positive
    decides = all(training.decides(rows.table, name, label) for name in names) and (bool(names) or label is not None)
    with saying.waiting("Auditing"):
        comparison = compare_rows(
            found,
            rule=rule or (auditing.USUAL_RULE if decides else None),
            confidence=confidence,
            min_group_size=min_group_size,
            pos_label=label,
            **auditing.beside(rows.table, named),
        )
    code = judging.code(comparison.sides[-1].audit, fail_under, strict)
    if as_json:
        saying.put_json(comparison.to_dict())
    elif report != writing.STDOUT:
        saying.out(comparison.table().text(saying.width()))
        for side in comparison.sides:
            for a in side.audit.attributes:
                if a.verdict is not None:
                    saying.out(saying.paragraph(f"{side.name}, {a.name}: {a.verdict.text}"))
    if report is not None:
        auditing.put_report(report, comparison, rows, {**named, "prediction": " and ".join(found)})
    if code == codes.BELOW:
        saying.note(
            f"{comparison.names[-1]}: below --fail-under {fail_under:g}"
            + (", or not shown to be above it" if strict else "")
            + ": exit code 1."
        )
    return code


def _titles(paths: Sequence[str]) -> list[str]:
    """The files' names without folder and ending, where those differ."""
    short = [Path(path).stem for path in paths]
    return short if len(set(short)) == len(short) else list(paths)


def _predicted(path: str, rows: reading.Data, form: csvs.Form, others: Sequence[str]) -> Any:
    model = predicting.load(path)
    needed = predicting.columns(model, [n for n in rows.names if n not in others], [], rows.given[0])
    return model.predict(rows.table.select(needed))
