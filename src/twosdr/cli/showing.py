"""What `fit` says and writes: the roles as understood, the model, the audit beside the baseline, the files."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

import shlex
import sys
from typing import TYPE_CHECKING, Any

from twosdr.cli import codes, describing, failing, judging, saying, writing
from twosdr.cli.fitting import BASELINE, OURS, Fitted

if TYPE_CHECKING:
    from twosdr.cli.reading import Data

# In a terminal; the report and --json have every measure.
MAIN = (
    *("selection_rate", "accuracy", "balanced_accuracy", "rmse", "r2", "auc_y"),
    *("p_rule", "parity_difference", "mean_distance", "correlation", "multiple_r2", "auc", "tpr_gap", "fpr_gap"),
)


def fit(
    found: Fitted,
    rows: Data,
    other: Data | None,
    *,
    output: str | None,
    report: str | None,
    fail_under: float | None,
    strict: bool,
    as_json: bool,
    command: str | None = None,
) -> int:
    """Print it, write the model and the report, and return the exit code."""
    code = judging.code(found.audit, fail_under, strict)
    command = command or spoken(sys.argv)
    if as_json:
        saying.put_json(as_plain(found, rows, other, output, report))
    elif writing.STDOUT not in (output, report):
        told(found, rows, other)
    if output is not None:
        write_model(found.model, output)
    if report is not None:
        writing.put(report, page(found, rows, other, command))
    _where(output, report)
    if code == codes.BELOW:
        saying.note(
            f"Below --fail-under {fail_under:g}"
            + (", or not shown to be above it" if strict else "")
            + ": exit code 1."
        )
    return code


def spoken(argv: list[str]) -> str:
    """The command as one would type it again."""
    return " ".join(["twosdr", *(shlex.quote(word) for word in argv[1:])])


def write_model(model: Any, path: str) -> None:
    """The model as JSON."""
    if path != writing.STDOUT:
        model.save(writing.check(path))
        return
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory() as folder:
        model.save(Path(folder) / "model.json")
        writing.put(path, (Path(folder) / "model.json").read_bytes())


def page(found: Fitted, rows: Data, other: Data | None, command: str) -> str:
    """The report."""
    from twosdr import report

    return report.render(describing.contents(found, rows, other, command))


def _where(output: str | None, report: str | None) -> None:
    written = [
        (what, path) for what, path in (("model", output), ("report", report)) if path not in (None, writing.STDOUT)
    ]
    if written:
        saying.note("Written: " + ", ".join(f"{path} ({what})" for what, path in written))
    if output not in (None, writing.STDOUT):
        saying.note(f"Next: twosdr predict {shlex.quote(str(output))} NEW.csv -o predictions.csv")


def told(found: Fitted, rows: Data, other: Data | None) -> None:
    """The whole, for a terminal."""
    saying.out_heading(describing.size(found, rows, other))
    saying.out()
    _roles(found)
    saying.out()
    for key, value in describing.facts(found).items():
        saying.out(_item(key, value))
    saying.out()
    _compared(found)
    for a in found.audit.attributes:
        if a.verdict is not None:
            saying.out(saying.paragraph(f"{a.name}: {failing.for_shell(a.verdict.text)}"))
    for finding in found.audit.findings:
        saying.out(saying.paragraph(f"{finding.about}: {finding.text}" if finding.about else finding.text))


def _item(key: str, value: str) -> str:
    first, *rest = saying.paragraph(value, 16).splitlines() or [""]
    return "\n".join([f"{key:<15} {first[16:]}", *rest])


def _roles(found: Fitted) -> None:
    from twosdr.audit import Sheet

    rows = tuple((c.name, c.role, c.kind, c.holds, c.missing or None) for c in describing.columns(found))
    sheet = Sheet("", ("column", "role", "type", "holds", "missing"), rows)
    for k, line in enumerate(sheet.lines(saying.width())):
        (saying.out_heading if k == 0 else saying.out)(line)


def _compared(found: Fitted) -> None:
    from twosdr.audit import Sheet
    from twosdr.audit.text import title

    comparison = found.comparison
    ours, theirs = comparison[OURS], comparison[BASELINE]
    differences = {(d.about, d.measure): d.estimate for d in comparison.differences}
    rows = []
    for about, after, before in [
        ("", ours.overall, theirs.overall),
        *((a.name, a.measures, b.measures) for a, b in zip(ours.attributes, theirs.attributes, strict=True)),
    ]:
        for measure in after:
            if measure in MAIN:
                rows.append(
                    (about, title(measure), before.get(measure), after[measure], differences.get((about, measure)))
                )
        for a, b in zip(ours.attributes, theirs.attributes, strict=True):
            if a.name == about and a.kind == "groups":
                rows += [
                    (about, f"rate of {g.name}", h.measures["selection_rate"], g.measures["selection_rate"], None)
                    for g, h in zip(a.groups[:6], b.groups[:6], strict=True)
                    if "selection_rate" in g.measures
                ]
    where = "held-out rows" if found.held_out else "the rows that the model was fitted on"
    sheet = Sheet("", (f"on {where}", "", BASELINE, OURS, "difference"), tuple(rows))
    for k, line in enumerate(sheet.lines(saying.width())):
        (saying.out_heading if k == 0 else saying.out)(line)
    saying.out()


def as_plain(found: Fitted, rows: Data, other: Data | None, output: str | None, report: str | None) -> dict[str, Any]:
    """All that was said, for programs."""
    flips = found.flips
    return {
        "command": "fit",
        "rows": {"fitted": found.train.num_rows, "audited": found.test.num_rows, "held_out": found.held_out},
        "columns": [
            {"name": c.name, "role": c.role, "kind": c.kind, "holds": c.holds, "missing": c.missing}
            for c in describing.columns(found)
        ],
        "facts": describing.facts(found),
        "alpha": float(found.model.alpha_),
        "dropped": dict(found.model.dropped_),
        "uses_sensitive": bool(found.model.needs_sensitive_),
        "flip_rate": None if flips is None else flips.decisions.value if found.is_classifier else flips.scores.value,
        "verdicts": {a.name: a.verdict.status for a in found.audit.attributes if a.verdict is not None},
        "comparison": found.comparison.to_dict(),
        "written": {"model": output, "report": report},
    }
