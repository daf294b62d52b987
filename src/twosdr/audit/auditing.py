"""`audit`: predictions and what stands beside them -> an `Audit`. The order of the work, and nothing else."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from twosdr import __version__
from twosdr.audit import explaining, findings, measuring
from twosdr.audit.given import Given, read
from twosdr.audit.parts import Asked
from twosdr.audit.result import Audit
from twosdr.audit.text import between
from twosdr.audit.values import Attribute, Finding, Gap, Group, Measures, Settings
from twosdr.audit.verdict import along_cut, judge
from twosdr.audit.words import MAY_BE_A_PRODUCT, MODEL_AS_GIVEN, ONE_CUT, WEIGHTED, short
from twosdr.errors import ParameterError, listing

MIN_GROUP_SIZE = 30  # below, a rate says more of chance than of the group
BINS = 10  # of a numeric s


def audit(
    y_pred: Any,
    *,
    sensitive_features: Any,
    y_true: Any = None,
    scores: Any = None,
    explanatory_features: Any = None,
    features: Any = None,
    sample_weight: Any = None,
    cluster: Any = None,
    pos_label: Any = None,
    rule: float | None = None,
    confidence: float = 0.95,
    min_group_size: int = MIN_GROUP_SIZE,
    bins: int | None = None,
) -> Audit:
    """Measure what predictions have to do with s: every number with its interval, or the reason why not.

    Parameters
    ----------
    y_pred : decisions (0/1, booleans, or labels with pos_label), or numbers; None for a model that only ranks, with scores=
    sensitive_features : one s or a table of several; text and booleans form groups, numbers are numbers (two-valued ones form groups
        too). A missing value is counted as unknown and takes no part in what is said about that s
    y_true : what came true; adds accuracy and the gaps in errors. Numbers beside a two-valued y are read as scores
    scores : what the decisions were cut from
    explanatory_features : z, which may explain a difference
    features : the columns beside s, to see how well they give s away; columns named as an s are left out
    sample_weight, cluster : weights of rows; what tells rows apart that are independent (a person, a court)
    pos_label : the label that counts as positive, in y_pred and y_true
    rule : such as 0.8, held against the impact ratio of decisions; the answer is in words and respects the interval
    confidence : of the intervals
    min_group_size : groups with fewer rows are shown, and stand in no ratio
    bins : how many bins of equal size a numeric s is shown in; 10 by default. Nothing else is binned

    Examples
    --------
    >>> import numpy as np
    >>> from twosdr.audit import audit
    >>> sex = np.repeat(["f", "m"], 500)
    >>> selected = np.concatenate([np.arange(500) % 10 < 3, np.arange(500) % 10 < 5])
    >>> found = audit(selected, sensitive_features={"sex": sex}, rule=0.8)
    >>> print(found["sex"].verdict.text)
    Impact ratio .600 [.511, .703]. As counted: below .8. With uncertainty: below .8 at 95 %.
    """
    settings = _settings(confidence, min_group_size, bins, rule, pos_label, sample_weight, cluster)
    given = read(
        y_pred,
        sensitive_features=sensitive_features,
        y_true=y_true,
        scores=scores,
        explanatory_features=explanatory_features,
        features=features,
        sample_weight=sample_weight,
        cluster=cluster,
        pos_label=pos_label,
        confidence=confidence,
    )
    return of_given(given, settings)


def of_given(given: Given, settings: Settings) -> Audit:
    """The audit of what was read."""
    if settings.rule is not None and given.kind == "numbers":
        raise ParameterError(
            f"rule={settings.rule!r} is held against a ratio of selection rates, and y_pred holds numbers. Cut them into decisions first, "
            "or leave rule out; mean_distance and correlation are measured without it."
        )
    asked = Asked(settings.confidence, settings.min_group_size, settings.bins)
    whole = measuring.overall(given, asked)
    attributes = [measuring.attribute(given, s, asked) for s in given.sensitive]
    by_groups = [s for s in given.sensitive if not s.is_number]
    gaps: list[Gap] = []
    if len(by_groups) > 1:
        both = measuring.crossed(given, by_groups, asked)
        if both is None:
            name = " x ".join(s.name for s in by_groups)
            gaps.append(
                Gap(
                    name,
                    "p_rule" if given.decided is not None else "mean_distance",
                    "the groups crossed are too many, or no row has all of them",
                )
            )
        else:
            attributes.append(both)
    if given.z is not None:
        attributes = [replace(a, explained=explaining.of_attribute(given, a, asked)) for a in attributes]
    if settings.rule is not None:
        attributes = [_judged(a, settings, given.kind) for a in attributes]
        gaps += [
            Gap(
                a.name,
                "p_rule",
                f"a rule of {short(settings.rule)} compares groups, and {a.name} is a number: see its rates by bin",
            )
            for a in attributes
            if a.kind == "number"
        ]
    together = measuring.together(given, asked)
    found = tuple(attributes)
    return Audit(
        kind=given.kind,
        n=given.n,
        weight=given.total,
        settings=settings,
        overall=whole,
        attributes=found,
        together=together,
        findings=tuple(_findings(given, whole, found, settings)),
        not_estimated=(*gaps, *_gaps(whole, found, together)),
        notes=_notes(given, found),
    )


def _settings(
    confidence: float,
    min_group_size: int,
    bins: int | None,
    rule: float | None,
    pos_label: Any,
    weight: Any,
    cluster: Any,
) -> Settings:
    size = isinstance(min_group_size, (int, np.integer)) and not isinstance(min_group_size, bool)
    if not size or min_group_size < 1:
        raise ParameterError(
            f"min_group_size must be a whole number of rows, 1 or more. Got {min_group_size!r} instead."
        )
    many = BINS if bins is None else bins
    if not isinstance(many, (int, np.integer)) or isinstance(many, bool) or not 2 <= many <= 1000:
        raise ParameterError(f"bins must be a whole number from 2 to 1000. Got {bins!r} instead.")
    number = isinstance(rule, (int, float, np.integer, np.floating)) and not isinstance(rule, bool)
    if rule is not None and not (number and 0 < rule <= 1):
        raise ParameterError(f"rule must be a ratio above 0 and at most 1, such as 0.8. Got {rule!r} instead.")
    return Settings(
        confidence=float(confidence) if isinstance(confidence, (int, float)) else confidence,
        min_group_size=int(min_group_size),
        bins=int(many),
        rule=None if rule is None else float(rule),
        pos_label=None if pos_label is None else str(pos_label),
        weighted=weight is not None,
        clustered=cluster is not None,
        twosdr=__version__,
    )


def _judged(a: Attribute, settings: Settings, kind: str) -> Attribute:
    assert settings.rule is not None
    if a.kind == "number":
        return a
    if kind == "scores":
        return replace(a, verdict=along_cut(a.cut, settings.rule))
    sizes = [g.n for g in a.groups if g.counted] or [g.n for g in a.groups]
    ceiling = a.measures["noise_ceiling"].value
    verdict = judge(
        a.measures["p_rule"],
        settings.rule,
        confidence=settings.confidence,
        smallest=min(sizes),
        ceiling=ceiling,
        groups=len(sizes),
    )
    return replace(a, verdict=verdict)


def _findings(
    given: Given, whole: Measures, attributes: tuple[Attribute, ...], settings: Settings
) -> Iterator[Finding]:
    yield from findings.of_decisions(given, whole)
    yield from findings.of_numbers(given)
    for s in given.sensitive:
        yield from findings.of_kind(s)
    for a in attributes:
        yield from findings.of_groups(a, settings.min_group_size)
        yield from findings.of_features(a)
    margins = [a for a in attributes if a.kind == "groups"]
    for a in attributes:
        if a.kind == "crossed":
            yield from findings.of_crossing(a, margins)


def _gaps(whole: Measures, attributes: tuple[Attribute, ...], together: Measures) -> Iterator[Gap]:
    """Every number that is not there, or that has no interval for a reason. Small groups are in the findings already."""
    yield from (Gap("", name, e.why) for name, e in whole.items() if e.why)
    for a in attributes:
        yield from (Gap(a.name, name, e.why) for name, e in a.measures.items() if e.why)
        for g in a.groups:
            if g.counted:
                yield from _of_group(a, g)
        for e in a.explained:
            about = f"{a.name}, {between(e)}" if e.group else a.name
            parts = {
                "gap": e.total,
                "unexplained": e.unexplained,
                "explained": e.explained,
                "excess": e.excess,
                "among like z": e.cells,
            }
            yield from (Gap(about, name, part.why) for name, part in (parts | dict(e.more)).items() if part.why)
    yield from (Gap("all s together", name, e.why) for name, e in together.items() if e.why)


def _of_group(a: Attribute, g: Group) -> Iterator[Gap]:
    yield from (Gap(f"{a.name} = {g.name}", name, e.why) for name, e in g.measures.items() if e.why)


def _notes(given: Given, attributes: tuple[Attribute, ...]) -> tuple[str, ...]:
    notes = [MODEL_AS_GIVEN]
    if given.weight is not None:
        notes.append(WEIGHTED)
    if any(len(a.groups) > 2 for a in attributes) and given.decided is not None:
        notes.append(
            "For more than two groups the impact ratio is that of the worst pair, and its interval holds for all pairs at once; a "
            "group's ratio to the best is for that pair alone."
        )
    if any(a.cut is not None for a in attributes):
        notes.append(ONE_CUT)
        if given.cluster is not None:
            notes.append("Intervals along the cut take rows as independent; all others go by cluster.")
    if given.z is not None:
        notes.append(f"{MAY_BE_A_PRODUCT} z here: {listing(given.z.names)}.")
    return tuple(notes)
