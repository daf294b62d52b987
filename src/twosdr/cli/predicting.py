"""The work of `predict`: which columns are read, as what, and what is written of each piece."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import closing
from typing import Any

from twosdr.cli import codes, csvs, files, options, reading, saying, writing
from twosdr.errors import ColumnError, TableError, listing, quoted

NOTHING = {"sensitive_features": None, "explanatory_features": None}  # all roles are columns of the file


def predict(model_path: str, words: Sequence[str], output: str, keep: Sequence[str] | None, form: csvs.Form) -> int:
    """Predict and write; prints how many rows on standard error."""
    writing.format_of(output)
    if output != writing.STDOUT:
        writing.check(output)
    model, given = load(model_path), files.find(words)
    form = form.checked()
    n = 0
    with saying.Rows("Predicting", reading.rows_of(given)) as bar, writing.opened(output) as stream:
        out = writing.Tables(stream, output)
        with closing(answers(model, given, form, keep)) as tables:
            for table in tables:
                out.write(table)
                n += table.num_rows
                bar.add(table.num_rows)
        reading.refuse_no_rows(n, given)
        out.close()
    if output != writing.STDOUT:
        saying.note(f"Written: {output} ({n:,} rows)")
    return codes.FINE


def load(path: str) -> Any:
    """A fitted estimator from a file of ours, or from standard input."""
    from twosdr.estimators.loading import estimator
    from twosdr.estimators.loading import load as load_file

    if path == files.STDIN:
        import sys

        from twosdr.model.files import loads

        return estimator(loads(sys.stdin.buffer.read(), "standard input"))
    return load_file(path)


def answers(model: Any, given: Sequence[files.Given], form: csvs.Form, keep: Sequence[str] | None) -> Generator[Any]:
    """Tables of predictions for all files, in order."""
    for one in given:
        names = reading.names(one, form)
        kept = options.columns(keep, names, "keep")
        _refuse_clash(model, kept)
        wanted = columns(model, names, kept, one)
        start = 0
        with closing(reading.ahead(reading.pieces(one, form, kinds(model), wanted))) as pieces:
            for table in pieces:
                if table.num_rows:
                    yield _answer(model, table, kept, one, start)
                start += table.num_rows


def _answer(model: Any, table: Any, kept: list[str], given: files.Given, start: int) -> Any:
    import pyarrow as pa

    used = [f.name for f in model.roles_.fields if f.name in table.column_names]
    try:
        scores = _scores(model, table.select(used))
    except TableError as trouble:
        where = f"{quoted(given.title)}, rows {start + 1:,} to {start + table.num_rows:,}: "
        raise type(trouble)(where + str(trouble)) from trouble
    found = [*([_labels(model, scores)] if hasattr(model, "classes_") else []), *scores.T]
    return pa.table({name: table.column(name) for name in kept} | dict(zip(model._written(), found, strict=True)))


def _labels(model: Any, scores: Any) -> Any:
    """The decisions as an Arrow column: codes first, so that no label is made twice."""
    import pyarrow as pa

    from twosdr.model.columns import decided

    classes = pa.array(model.classes_.tolist())
    return pa.DictionaryArray.from_arrays(pa.array(decided(scores, model.threshold_)), classes)


def _scores(model: Any, table: Any) -> Any:
    """Scores column by column; where a row has none, the library's own way says why."""
    import numpy as np

    from twosdr.model.columns import by_columns, plain

    if plain(model.roles_):
        read = model._read_new(table, None, None, needs_s=model.needs_sensitive_, target=model._target_names)
        scores = by_columns(model.model_, model.roles_, read)
        if np.isfinite(scores).all():
            return scores
    return model._scores(table, NOTHING)


def kinds(model: Any) -> dict[str, Any]:
    """How a CSV's columns are read: as they were in training, whatever the rows look like."""
    import pyarrow as pa

    types = {"number": pa.float64(), "text": pa.string(), "bool": pa.bool_()}
    return {f.name: types[f.kind] for f in model.roles_.fields if f.kind in types}


def columns(model: Any, names: Sequence[str], kept: Sequence[str], given: files.Given) -> list[str]:
    """The columns that are read; refused where one that the model needs is not there, or one is there that nobody knows."""
    roles = model.roles_
    wanted = [f.name for f in roles.fields if model.needs_sensitive_ or f.role != "s"]
    absent = [name for name in wanted if name not in names]
    known = {*(f.name for f in roles.fields), *roles.left_out, *model._target_names, *kept}
    surplus = [name for name in names if name not in known]
    if absent:
        from twosdr.errors import did_you_mean

        sensitive = [name for name in absent if name in roles.columns("s")]
        why = (
            " This model uses the sensitive columns at prediction; one fitted with --without-sensitive does not."
            if sensitive
            else ""
        )
        raise ColumnError(
            f"{quoted(given.title)} lacks {listing(absent)}.{did_you_mean(absent[0], surplus) if surplus else ''}{why}"
        )
    if surplus:
        raise ColumnError(
            f"{quoted(given.title)} has {listing(surplus)}, which training did not see. Take it out, copy it to the predictions "
            "with --keep, or fit with --drop."
        )
    return list(dict.fromkeys([*wanted, *kept]))


def _refuse_clash(model: Any, kept: Sequence[str]) -> None:
    clash = [name for name in kept if name in model._written()]
    if clash:
        raise ColumnError(
            f"--keep names {listing(clash)}, which is what predictions are called. Rename it in the file."
        )
