"""The findings of an audit in the forms that offices ask for. One function a form; each says that it is no independent audit.

Nothing is read from rows here: a form is made from the frozen audit, also from one that came back from JSON. What each law or
guideline asks for, and what we read into it, is in docs/audit.md.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from twosdr.audit.sheet import Cell, Sheet
from twosdr.audit.values import Attribute, Group
from twosdr.audit.words import NOT_INDEPENDENT, ONE_CUT, percent, short
from twosdr.errors import ParameterError, listing

if TYPE_CHECKING:
    from twosdr.audit.result import Audit

FOUR_FIFTHS = 0.8
TOO_FEW = 0.02  # LL144: a category below this share may be left out of the ratios
TWO_DEVIATIONS = 2.0
TOP = f"Top k %: the ratio if the k % with the highest scores were selected (ties together). {ONE_CUT}"
UNSCORED = "Without scores= the SMD is of the decisions, and there is no ratio by quantile."
# The Uniform Guidelines' own questions and answers doubt percentages of samples smaller than this.
SMALL = 30


def table(audit: Audit, office: str, **settings: Any) -> Sheet:
    """The form of that name."""
    if office not in OFFICES:
        raise ParameterError(f"as_table has the forms {listing(OFFICES)}. Got {office!r} instead.")
    return OFFICES[office](audit, **settings)


def ll144(audit: Audit, *, min_share: float = TOO_FEW) -> Sheet:
    """New York City, Local Law 144: rate and impact ratio of every category of sex, of race, and of both."""
    _needs_groups(audit, "ll144")
    scoring = audit.kind != "decisions"
    measure = "scoring_rate" if scoring else "selection_rate"
    rows: list[tuple[Cell, ...]] = []
    for a in _with_groups(audit):
        known = sum(g.n for g in a.groups)
        share = {g.name: g.n / known if known else 0.0 for g in a.groups}
        rates = {g.name: g.measures[measure].value for g in a.groups if measure in g.measures}
        top = max((r for name, r in rates.items() if r is not None and share[name] >= min_share), default=None)
        for g in a.groups:
            rate, few = rates.get(g.name), share[g.name] < min_share
            ratio = None if few or rate is None or not top else rate / top
            note = f"under {percent(min_share)}" if few else ("" if top else "none selected")
            cells: tuple[Cell, ...] = (a.name, g.name, g.n, share[g.name])
            rows.append((*cells, *(() if scoring else (g.selected,)), g.measures.get(measure), ratio, note))
        if a.unknown or a.kind != "crossed":
            rows.append((a.name, "(unknown)", a.unknown, None, *(() if scoring else (None,)), None, None, ""))
    return Sheet(
        "Impact ratios as in New York City's Local Law 144",
        (
            "s",
            "category",
            "n",
            "share",
            *(() if scoring else ("selected",)),
            _rate_name(scoring),
            "impact ratio",
            "note",
        ),
        tuple(rows),
        (
            "Impact ratio: a category's rate over that of the category with the highest."
            + (" Scoring rate: the share of a category that scores above the median of all rows." if scoring else ""),
            f"Categories under {percent(min_share)} of the rows with a known category are shown and left out of the ratios. "
            "Shares and counts are of rows, without weights."
            + (" Rates are weighted." if audit.settings.weighted else ""),
            *(
                []
                if any(a.kind == "crossed" for a in audit.attributes)
                else ["The law asks for sex by race as well: pass both as sensitive_features."]
            ),
            NOT_INDEPENDENT,
        ),
    )


def ugesp(audit: Audit) -> Sheet:
    """The Uniform Guidelines on Employee Selection Procedures: four fifths, two tests of significance, and the shortfall."""
    _needs_decisions(audit, "ugesp")
    rows: list[tuple[Cell, ...]] = []
    small = False
    for a in _with_groups(audit):
        best = _most_selected(a)
        for g in a.groups:
            if g.selected is None or not g.n:
                continue
            rate = g.selected / g.n
            if best is None or g.name == best.name:
                rows.append(
                    (a.name, g.name, g.n, g.selected, rate, None, "best" if best else "none selected", None, None, None)
                )
                continue
            ratio = (
                g.selected * best.n / (g.n * (best.selected or 1))
            )  # rounded once, so that four fifths are not below .8
            small |= g.n < SMALL or best.n < SMALL
            fifths = "below" if ratio < FOUR_FIFTHS else "not below"
            rows.append((a.name, g.name, g.n, g.selected, rate, ratio, fifths, *_tests(g, best)))
    return Sheet(
        "Adverse impact as in the Uniform Guidelines (29 CFR 1607)",
        ("s", "group", "n", "selected", "rate", "ratio", "four fifths", "Fisher p", "deviations", "shortfall"),
        tuple(rows),
        (
            "Each group is compared with the one of the highest rate (of at least 2 % of the rows, where one is). Four fifths: whether "
            "the ratio is below .8, as counted. Fisher p: exact test of equal rates, two-sided. Deviations: by how many standard "
            f"deviations the number selected falls short of equal rates; more than {short(TWO_DEVIATIONS)} is the usual line.",
            "Shortfall: how many more of the group would have been selected at the common rate of the two groups. Counts are of rows, "
            "without weights or clusters"
            + (" (the audit is weighted, and its own ratios differ)" if audit.settings.weighted else "")
            + "; several groups mean several tests.",
            *(
                [
                    f"Groups of fewer than {SMALL} rows are compared here: their percentages are unstable, and the guidelines say so."
                ]
                if small
                else []
            ),
            NOT_INDEPENDENT,
        ),
    )


def lending(audit: Audit, *, reference: str | None = None) -> Sheet:
    """Lending: adverse impact ratio, standardised mean difference of scores, and the ratio at each tenth of the scores."""
    _needs_groups(audit, "lending")
    decided = audit.kind == "decisions"
    scored = any(a.cut is not None for a in _with_groups(audit))
    named = {g.name for a in _with_groups(audit) for g in a.groups}
    if reference is not None and reference not in named:
        raise ParameterError(
            f"reference must be one of the groups, {listing(sorted(named))}. Got {reference!r} instead."
        )
    rows: list[tuple[Cell, ...]] = []
    few = False
    for a in _with_groups(audit):
        control = _control(a, reference, decided)
        for g in a.groups:
            if control is None or g.name == control.name:
                blank = [None] * (decided + 1 + 9 * scored)
                rows.append((a.name, g.name, g.n, "control" if control else "", *blank))
                continue
            ratio = [_quotient(_rate(g), _rate(control))] if decided else []
            tenths = _at_tenths(a, g, control) if scored else []
            few |= not g.counted
            rows.append((a.name, g.name, g.n, "" if g.counted else "small", *ratio, _standardised(g, control), *tenths))
    whom = (
        "the one with the highest " + ("rate" if decided else "mean score")
        if reference is None
        else f"{reference}, where there is one"
    )
    return Sheet(
        "Disparity as reviews of lending show it",
        (
            "s",
            "group",
            "n",
            "",
            *(["AIR"] if decided else []),
            "SMD",
            *([f"top {10 * k} %" for k in range(1, 10)] if scored else []),
        ),
        tuple(rows),
        (
            f"Control group: {whom}."
            + (" AIR: adverse impact ratio, a group's rate over the control group's." if decided else ""),
            "SMD: a group's mean score less the control group's, over the root of the mean of their variances; below 0 when the group "
            "scores lower.",
            *([TOP] if scored else [UNSCORED] * decided),
            *([f"small: fewer than {audit.settings.min_group_size} rows, whose ratio says little."] if few else []),
            NOT_INDEPENDENT,
        ),
    )


OFFICES: dict[str, Callable[..., Sheet]] = {"ll144": ll144, "ugesp": ugesp, "lending": lending}


def _with_groups(audit: Audit) -> Iterator[Attribute]:
    return (a for a in audit.attributes if a.groups)


def _needs_groups(audit: Audit, office: str) -> None:
    if not any(True for _ in _with_groups(audit)):
        raise ParameterError(
            f'as_table("{office}") compares groups, and every s of this audit is a number. Audit a categorical s, or one that you have cut '
            "into groups."
        )


def _needs_decisions(audit: Audit, office: str) -> None:
    _needs_groups(audit, office)
    if audit.kind != "decisions":
        raise ParameterError(
            f'as_table("{office}") counts who was selected, and this audit is of {audit.kind}. Cut the scores and pass the decisions as '
            "y_pred."
        )


def _rate_name(scoring: bool) -> str:
    return "scoring rate" if scoring else "selection rate"


def _rate(g: Group) -> float | None:
    return g.measures["selection_rate"].value if "selection_rate" in g.measures else None


def _quotient(a: float | None, b: float | None) -> float | None:
    return None if a is None or not b else a / b


def _most_selected(a: Attribute) -> Group | None:
    """The group of the highest rate by count; a handful of rows does not set the standard where larger groups are."""
    known = sum(g.n for g in a.groups)
    large = [g for g in a.groups if g.n >= TOO_FEW * known and g.selected]
    able = large or [g for g in a.groups if g.selected]
    return max(able, key=lambda g: (g.selected or 0) / g.n, default=None)


def _tests(g: Group, best: Group) -> tuple[float, float, float]:
    from scipy.stats import fisher_exact

    x, n, x0, n0 = g.selected or 0, g.n, best.selected or 0, best.n
    p = float(fisher_exact([[x, n - x], [x0, n0 - x0]]).pvalue)
    common = (x + x0) / (n + n0)
    shortfall = n * common - x
    # Under equal rates, with both numbers of rows given: the deviation of the number selected in the group from n times the common rate.
    deviation = math.sqrt(common * (1 - common) * n * n0 / (n + n0))
    return p, shortfall / deviation if deviation else 0.0, shortfall


def _control(a: Attribute, reference: str | None, decided: bool) -> Group | None:
    named = [g for g in a.groups if g.name == reference]
    if named:
        return named[0]
    able = [g for g in a.groups if g.counted] or list(a.groups)
    measure = "selection_rate" if decided else "mean"
    known = [g for g in able if g.measures[measure].value is not None]
    return max(known, key=lambda g: g.measures[measure].value or 0.0, default=None)


def _standardised(g: Group, control: Group) -> float | None:
    measure = "mean" if "mean" in g.measures else "selection_rate"
    mean, other = g.measures[measure].value, control.measures[measure].value
    if mean is None or other is None or g.spread is None or control.spread is None:
        return None
    spread = math.hypot(g.spread, control.spread) / math.sqrt(2)
    return (mean - other) / spread if spread else None


def _at_tenths(a: Attribute, g: Group, control: Group) -> list[float | None]:
    """The ratio at the cuts that select the shares nearest to 10, 20, ... 90 per cent."""
    c = a.cut
    if c is None or g.name not in c.groups or control.name not in c.groups:
        return [None] * 9
    mine, theirs = c.groups.index(g.name), c.groups.index(control.name)
    nearest = [min(range(len(c.rate)), key=lambda j: abs(c.rate[j] - k / 10)) for k in range(1, 10)]
    return [_quotient(c.by_group[j][mine], c.by_group[j][theirs]) for j in nearest]
