"""The work of `monitor`."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from twosdr.cli import codes, csvs, files, predicting, reading, saying
from twosdr.errors import ColumnError, ParameterError, did_you_mean, listing, quoted

MOST = 12  # shifted columns in a terminal; --json has all


def monitor(
    path: str, data: Sequence[str], form: csvs.Form, fail_over: float | None, confidence: float, as_json: bool
) -> int:
    """Compare, print, and return the exit code."""
    from twosdr.monitoring import drift

    if fail_over is not None and not 0 <= fail_over < 1:
        raise ParameterError(f"--fail-over must be a correlation from 0 up and below 1. Got {fail_over:g} instead.")
    model, given, form = predicting.load(path), files.find(data), form.checked()
    if not model.roles_.columns("s"):
        raise ParameterError(f"The model in {quoted(path)} has no sensitive column: there is no promise to hold it to.")
    with saying.Rows("Comparing", reading.rows_of(given)) as bar:
        found = drift(model._portable(), _pieces(model, given, form, bar), confidence)
    if as_json:
        saying.put_json(found.to_dict())
    else:
        _tell(found)
    beyond = (
        []
        if fail_over is None
        else [k for k in found.links if k.correlation.interval and _least(k.correlation.interval) > fail_over]
    )
    if beyond:
        saying.note(f"Beyond --fail-over {fail_over:g}: {listing(dict.fromkeys(k.s for k in beyond))}: exit code 1.")
    return codes.BELOW if beyond else codes.FINE


def _least(interval: tuple[float, float]) -> float:
    """The smallest size that an interval admits."""
    low, high = interval
    return 0.0 if low <= 0 <= high else min(abs(low), abs(high))


def _pieces(model: Any, given: Sequence[files.Given], form: csvs.Form, bar: saying.Rows) -> Iterator[Any]:
    wanted = [f.name for f in model.roles_.fields]
    for one in given:
        names = reading.names(one, form)
        absent = [name for name in wanted if name not in names]
        if absent:
            sensitive = set(absent) & set(model.roles_.columns("s"))
            why = " What the score has to do with sensitive columns cannot be seen without them." if sensitive else ""
            raise ColumnError(f"{quoted(one.title)} lacks {listing(absent)}.{did_you_mean(absent[0], names)}{why}")
        for table in reading.pieces(one, form, predicting.kinds(model), wanted):
            yield table
            bar.add(table.num_rows)


def _tell(found: Any) -> None:
    from twosdr.audit import Sheet
    from twosdr.audit.words import number

    saying.out_heading(f"{found.n:,} rows against {found.training_rows:,} of training")
    saying.out()
    many = len({k.output for k in found.links}) > 1
    links = tuple(
        (k.s, *([k.output] if many else []), k.promised, k.covariance, k.promised_correlation, k.correlation)
        for k in found.links
    )
    _sheet(
        Sheet(
            "", ("sensitive", *(["score"] if many else []), "covariance then", "now", "correlation then", "now "), links
        )
    )
    if found.known_s < found.n:
        saying.out(f"(on the {found.known_s:,} rows whose sensitive values are known)")
    saying.out()
    sensitive = [s for s in found.shifts if s.role == "s"]
    _sheet(
        Sheet(
            "",
            ("groups", "share or mean then", "now"),
            tuple((s.column, s.then, s.now) for s in sorted(sensitive, key=lambda s: s.column)),
        )
    )
    saying.out()
    rows = [("decided for " + name, then, now) for name, then, now in found.rates] or [
        ("mean " + name, then, now) for name, then, now in found.scores
    ]
    _sheet(Sheet("", ("predictions", "then", "now"), tuple(rows)))
    moved = [s for s in found.shifts if s.role != "s" and s.deviations][:MOST]
    if moved:
        saying.out()
        _sheet(
            Sheet(
                "",
                ("columns that moved most", "then", "now", "deviations"),
                tuple((s.column, s.then, s.now, s.deviations) for s in moved),
            )
        )
    if found.strange:
        saying.out()
        rows_of = tuple((s.column, s.level or "(missing)", s.rows) for s in found.strange[:MOST])
        _sheet(Sheet("", ("unknown in training", "value", "rows"), rows_of))
        if len(found.strange) > MOST:
            saying.out(f"and {len(found.strange) - MOST} more, in --json")
    firm = [k for k in found.links if k.drifted]
    saying.out()
    if firm:
        worst = max(firm, key=lambda k: abs(float(k.correlation) - k.promised_correlation))
        saying.out(
            saying.paragraph(
                f"Drift: the correlation of the score with {quoted(worst.s)} was {number(worst.promised_correlation)} in training, and its "
                "interval leaves that out now. Look at the columns above, and fit again on newer rows."
            )
        )
    else:
        saying.out(
            saying.paragraph(
                "No correlation of the score with a sensitive column can be told from what training promised."
            )
        )


def _sheet(sheet: Any) -> None:
    for k, line in enumerate(sheet.lines(saying.width())):
        (saying.out_heading if k == 0 else saying.out)(line)
