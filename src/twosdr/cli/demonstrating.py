"""The work of `demo`: the bundled Adult table, its official division, the report in the current folder."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from twosdr.cli import codes, describing, fitting, reading, saying, showing, writing

NEXT = (
    "twosdr datasets export adult -o adult.csv",
    "twosdr fit adult.csv --target income --sensitive sex --explanatory hours_per_week --drop fnlwgt,education_num "
    "--handle-missing category -o model.json",
    "twosdr predict model.json adult.csv -o predictions.csv",
)
QUESTION = fitting.Asked(
    "income", ("sex",), drop=("fnlwgt", "education_num"), positive=">50K", settings={"handle_missing": "category"}
)


def run(path: str, *, as_json: bool = False) -> int:
    """Fit, show, write, and say what to try next."""
    from twosdr import report
    from twosdr.datasets import load_adult

    if path != writing.STDOUT:
        writing.check(path)
    with saying.waiting("Fitting on Adult, 32,561 people"):
        adult = load_adult()
        [(train, test)] = adult.splits
        found = fitting.fit(adult.table.take(train), adult.table.take(test), QUESTION)
    rows = reading.Data(adult.table, (), f"Adult ({adult.provenance.copy} copy)")
    if as_json:
        saying.put_json(showing.as_plain(found, rows, None, None, path))
    elif path != writing.STDOUT:
        showing.told(found, rows, None)
    files = tuple(report.File(name, sha, adult.n_rows) for name, sha in adult.provenance.sha256.items())
    contents = replace(describing.contents(found, rows, None, "twosdr demo"), files=files)
    writing.put(path, report.render(contents))
    if path != writing.STDOUT:
        saying.note(f"\nThe report: {Path(path).resolve()} (open it in a browser)")
    saying.note("Data: " + adult.provenance.citation)
    saying.note("Try next:\n  " + "\n  ".join(NEXT))
    return codes.FINE
