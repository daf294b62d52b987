"""An audit as text: what a terminal of 100 columns shows, and the table of every number."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from twosdr.audit.sheet import WIDTH, Cell, Sheet, wrapped
from twosdr.audit.values import Attribute, Explanation, Gap, Measures
from twosdr.audit.words import bare, count, estimate, number, percent, printable
from twosdr.errors import listing
from twosdr.metrics import Estimate

if TYPE_CHECKING:
    from twosdr.audit.result import Audit

BEST = "the highest"
ESTIMATE = 22  # columns that a number with its interval takes
SHOWN = 24  # groups of one s in a terminal; the table has them all
TITLES = {
    "accuracy": "accuracy",
    "auc": "AUC with s",
    "auc_y": "AUC with y",
    "balanced_accuracy": "balanced accuracy",
    "base_rate": "true rate",
    "conditional_disparity": "conditional disparity",
    "correlation": "correlation",
    "distance_correlation": "distance correlation",
    "fpr": "FPR",
    "fpr_gap": "FPR gap",
    "homogeneity": "p of equal rates",
    "impact_ratio": "ratio to best",
    "mean": "mean prediction",
    "mean_distance": "mean distance",
    "mean_y": "mean y",
    "multiple_r2": "R² of s",
    "noise_ceiling": "noise ceiling",
    "p_rule": "P%-rule (impact ratio)",
    "parity_difference": "parity difference",
    "partial_correlation": "partial correlation",
    "quantile_rates": "lowest / highest rate by bin",
    "r2": "R²",
    "rate_difference": "difference of rates",
    "read_from_features": "read from the features (R²)",
    "rmse": "RMSE",
    "scoring_rate": "above the median",
    "selection_rate": "selection rate",
    "standardised_difference": "standardised difference",
    "to_best": "standardised to best",
    "tpr": "TPR",
    "tpr_gap": "TPR gap",
}


def title(measure: str) -> str:
    """A measure's name as people read it."""
    return TITLES.get(measure, measure.replace("_", " "))


def headline(audit: Audit) -> str:
    """What was audited, in a line."""
    what = {"decisions": "decisions", "scores": "scores", "numbers": "numeric predictions"}[audit.kind]
    positive = (
        f", positive: {audit.settings.pos_label}" if audit.kind == "decisions" and audit.settings.pos_label else ""
    )
    weights = f", weight {number(audit.weight)}" if audit.settings.weighted else ""
    clusters = ", intervals by cluster" if audit.settings.clustered else ""
    return f"Audit of {what}: {count(audit.n)}{weights}{positive}; intervals at {percent(audit.settings.confidence)}{clusters}"


def of_audit(audit: Audit) -> str:
    """The whole audit; numbers without an interval or value are listed with their reasons at the end."""
    out = [*wrapped(headline(audit)), *_inline(audit.overall)]
    if audit.findings:
        out += ["", "To look at first"]
        out += [line for f in audit.findings for line in _item(f.text)]
    for attribute in audit.attributes:
        out += ["", *_attribute(attribute)]
    if audit.together:
        out += ["", "all s together", *_inline(audit.together)]
    if audit.not_estimated:
        out += ["", "Not estimated"]
        out += [line for g in audit.not_estimated for line in _item(missing(g))]
    return "\n".join([*out, "", *(line for note in audit.notes for line in wrapped(note))])


def missing(g: Gap) -> str:
    """A number that there is not, in a sentence."""
    return f"{g.about}: {title(g.measure)}: {g.why}" if g.about else f"{title(g.measure)}: {g.why}"


def _item(text: str) -> list[str]:
    first, *rest = wrapped(text, WIDTH - 4)
    return [f"  - {first}", *(f"    {line}" for line in rest)]


def _inline(measures: Measures) -> list[str]:
    """`accuracy .827 [.821, .833]` and so on, as many to a line as fit."""
    lines: list[str] = []
    for name, found in measures.items():
        said = f"{title(name)} {estimate(found)}"
        if lines and len(lines[-1]) + len(said) + 3 <= WIDTH:
            lines[-1] += f"   {said}"
        else:
            lines.append(f"  {said}")
    return lines


def _attribute(attribute: Attribute) -> list[str]:
    kind = "a number" if attribute.kind == "number" else count(len(attribute.groups), "group")
    unknown = f", {attribute.unknown:,} unknown" if attribute.unknown else ""
    out = wrapped(f"{' '.join(attribute.name.split())} ({kind}, {count(attribute.n)}{unknown})")
    if attribute.verdict is not None:
        out += wrapped(f"Rule: {attribute.verdict.text}", indent=2)
    for sheet in tables(attribute, SHOWN):
        out += sheet.lines(indent=2)
    if (hidden := len(attribute.groups) - SHOWN) > 0:
        out.append(f"  and {hidden} more groups, in .table()")
    out += _inline(attribute.measures)
    if attribute.explained:
        out += explained(attribute).lines(indent=2)
    return out


def tables(attribute: Attribute, most: int | None = None, width: int | None = WIDTH) -> list[Sheet]:
    """The groups of one s (or the bins of a number) in tables of at most that width; None: one for sizes and rates, one for the rest."""
    if attribute.curve is not None:
        return [curve(attribute)]
    if not attribute.groups:
        return []
    known = list(dict.fromkeys(name for g in attribute.groups for name in g.measures))
    first = [
        m
        for m in known
        if m in ("selection_rate", "scoring_rate", "impact_ratio") or (m == "mean" and "selection_rate" not in known)
    ]
    rest = [m for m in known if m not in first]
    if not rest:
        return [groups(attribute, first, most)]
    if width is None:
        return [groups(attribute, first, most), groups(attribute, rest, most, sizes=False)]
    # As many to a table as a terminal holds beside the longest name.
    longest = min(max(len(g.name) for g in attribute.groups), width // 3)
    many = max(1, (width - 4 - longest) // ESTIMATE)
    many = -(-len(rest) // -(-len(rest) // many))  # evenly
    more = [rest[j : j + many] for j in range(0, len(rest), many)]
    return [groups(attribute, first, most), *(groups(attribute, few, most, sizes=False) for few in more)]


def groups(attribute: Attribute, measures: list[str], most: int | None = None, *, sizes: bool = True) -> Sheet:
    """The groups of one s, and the rows whose s is unknown."""
    unknown = attribute.missing_rows
    found = [*attribute.groups[:most], *([unknown] if unknown is not None else [])]
    selected = sizes and any(g.selected is not None for g in found)
    head = ("group", *(["n", "share"] if sizes else []), *(["selected"] if selected else []), *map(title, measures))
    rows = []
    for g in found:
        cells: list[Cell] = [g.name if g.counted or g is unknown else f"{g.name} (small)"]
        cells += [g.n, g.share] if sizes else []
        cells += [g.selected] if selected else []
        for m in measures:
            cells.append(BEST if m == "impact_ratio" and g.name == attribute.best else g.measures.get(m))
        rows.append(tuple(cells))
    return Sheet("", head, tuple(rows))


def curve(attribute: Attribute) -> Sheet:
    """Mean predictions, or rates, by bins of a numeric s."""
    c = attribute.curve
    assert c is not None
    rows = []
    for low, high, n, mean, a, b in zip(c.low, c.high, c.n, c.mean, c.mean_low, c.mean_high, strict=True):
        found = Estimate(mean, None if a is None or b is None else (a, b), n)
        rows.append((bare(low) if low == high else f"{bare(low)} to {bare(high)}", n, found))
    return Sheet("", (printable(attribute.name), "n", title(c.of)), tuple(rows))


def explained(attribute: Attribute) -> Sheet:
    """What z explains: the gap and its parts."""
    head = (f"gap, given {listing(attribute.explained[0].z, 3)}", *(between(e) for e in attribute.explained))
    parts = {
        "total": "total",
        "unexplained": "unexplained",
        "explained": "explained by z",
        "excess": "excess",
        "cells": "among like z",
    }
    rows = tuple((words, *(getattr(e, name) for e in attribute.explained)) for name, words in parts.items())
    if len(attribute.explained) <= 3:
        return Sheet("", head, rows)
    # Many groups, each against the rest: a row for each, whether it has the higher mean, and the parts that add up.
    short = tuple((e.group, _side(e), e.total, e.unexplained, e.explained, e.excess) for e in attribute.explained)
    return Sheet("", ("given z", "to rest", "total", "unexplained", "explained by z", "excess"), short)


def _side(e: Explanation) -> str:
    return "" if not e.between else "higher" if e.between[0] == e.group else "lower"


def between(e: Explanation) -> str:
    """Whose gap it is: the group with the higher mean comes first."""
    return f"{e.between[0]} over {e.between[1]}" if e.between else "a unit of s"


def every_number(audit: Audit) -> Sheet:
    """One row for each number of the audit."""
    rows = tuple(
        (about, group, title(name), found, found.n, found.why) for about, group, name, found in _numbers(audit)
    )
    return Sheet(headline(audit), ("s", "group", "measure", "estimate", "n", "why not"), rows, audit.notes)


def _numbers(audit: Audit) -> Iterator[tuple[str, str, str, Estimate]]:
    yield from (("", "", name, found) for name, found in audit.overall.items())
    for a in audit.attributes:
        yield from ((a.name, "", name, found) for name, found in a.measures.items())
        for g in (*a.groups, *([a.missing_rows] if a.missing_rows else [])):
            yield from ((a.name, g.name, name, found) for name, found in g.measures.items())
        for e in a.explained:
            parts = {
                "gap": e.total,
                "unexplained": e.unexplained,
                "explained": e.explained,
                "excess": e.excess,
                "among like z": e.cells,
            }
            parts |= {f"unexplained without {name}": found for name, found in e.without.items()}
            parts |= {f"gap of {name}": found for name, found in e.gaps.items()}
            yield from ((a.name, between(e), name, found) for name, found in (parts | dict(e.more)).items())
    yield from (("all", "", name, found) for name, found in audit.together.items())
