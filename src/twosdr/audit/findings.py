"""What a reader should look at first: sentences about numbers that are there already. Nothing is estimated here."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from twosdr.audit.given import Given, Sensitive
from twosdr.audit.values import Attribute, Finding, Measures
from twosdr.audit.words import count, nearly, number, short
from twosdr.errors import listing

# Above this, or below its complement, nearly everyone is treated alike, and ratios look well whatever the model does.
ONE_SIDED = 0.99
# A linear reading with this R² names the group of most rows; half of it is worth a word.
READABLE, HINTED = 0.5, 0.25
# Crossed groups whose ratio is below this part of the worst of the margins.
MUCH_WORSE = 0.8
FEW_LEVELS = 10  # whole numbers of so few values may be codes of categories
MANY_UNKNOWN = 0.05


def of_decisions(given: Given, overall: Measures) -> Iterator[Finding]:
    """Decisions that hardly differ."""
    rate = overall["selection_rate"].value if "selection_rate" in overall else None
    if rate is None:
        return
    if rate in (0.0, 1.0):
        said = (
            "Everyone is selected, so that every ratio is 1: it says nothing of how a model would choose."
            if rate
            else "Nobody is selected: no ratio can tell groups apart."
        )
        yield Finding("constant", "", said)
    elif rate > ONE_SIDED or rate < 1 - ONE_SIDED:
        said = "nearly everyone" if rate > 0.5 else "nearly nobody"
        flattered = (
            "ratios of selection look near 1 whatever the model does to the rest; look at the ratio of those not selected "
            "(p_rule of the opposite decisions)"
            if rate > 0.5
            else "ratios rest on few rows"
        )
        yield Finding(
            "near_constant",
            "",
            f"{said.capitalize()} is selected ({nearly(rate, 1)}): {flattered}.",
        )


def of_numbers(given: Given) -> Iterator[Finding]:
    """Predictions that do not vary."""
    if given.score is not None and np.ptp(given.score) == 0:
        yield Finding("constant", "", "Every score is the same: it depends on nothing.")


def of_groups(a: Attribute, min_group_size: int) -> Iterator[Finding]:
    """Groups too small to stand in a ratio, and rows whose s is missing."""
    small = [f"{g.name} ({g.n:,})" for g in a.groups if not g.counted]
    if small and a.kind != "crossed":
        yield Finding(
            "tiny_groups",
            a.name,
            f"{len(small)} of {len(a.groups)} groups of {a.name} {'has' if len(small) == 1 else 'have'} fewer than {min_group_size} rows "
            f"and {'stands' if len(small) == 1 else 'stand'} in no ratio: "
            f"{listing(small, 5)}.",
        )
    total = a.n + a.unknown
    if a.unknown and a.unknown >= MANY_UNKNOWN * total and a.kind != "crossed":
        share = nearly(a.unknown / total, 1)
        yield Finding(
            "unknown",
            a.name,
            f"{count(a.unknown)} ({share}) have no {a.name}: whoever they are, they stand in none of its ratios.",
        )


def of_kind(s: Sensitive) -> Iterator[Finding]:
    """Whole numbers of few values are often codes, and were read as a number."""
    if not s.is_number:
        return
    values = s.codes if s.known is None else s.codes[s.known]
    if values.dtype.kind == "f" and (values[:1000] != np.round(values[:1000])).any():
        return
    levels = np.unique(values)
    if len(levels) <= FEW_LEVELS and (levels == np.round(levels)).all():
        yield Finding(
            "codes",
            s.name,
            f"{s.name} holds {len(levels)} different whole numbers and was read as a number. If they are codes of groups, pass them as "
            "text, for example with .astype(str).",
        )


def of_features(a: Attribute) -> Iterator[Finding]:
    """s that the other columns give away."""
    found = a.measures["read_from_features"].value if "read_from_features" in a.measures else None
    if found is None or found < HINTED:
        return
    how = "can be reconstructed from the features" if found >= READABLE else "is partly given away by the features"
    yield Finding(
        "reconstructible",
        a.name,
        f"{a.name} {how}: a linear reading explains {nearly(found)} of it on rows it did not see. Leaving {a.name} out "
        "of a model does not take it out of the predictions.",
    )


def of_crossing(crossed: Attribute, margins: list[Attribute]) -> Iterator[Finding]:
    """Groups of several s together that fare much worse than each s by itself shows, by intervals too."""
    ratios = [a.measures["p_rule"] for a in margins if "p_rule" in a.measures]
    values = [r.value for r in ratios if r.value is not None]
    if "p_rule" in crossed.measures and len(values) == len(margins):
        ours = crossed.measures["p_rule"]
        if ours.value is not None and ours.value < MUCH_WORSE * min(values):
            lows = [r.interval[0] for r in ratios if r.interval is not None]
            sure = ours.interval is not None and lows and ours.interval[1] < min(lows)
            ceiling = crossed.measures.get("noise_ceiling")
            chance = (
                f" Groups of these sizes with equal rates would show {number(ceiling.value)} on average."
                if ceiling is not None and ceiling.value is not None
                else ""
            )
            least = short(round(min(values), 3))
            shown = "the intervals do not meet" if sure else "the intervals meet, so it may be chance"
            yield Finding(
                "intersections",
                crossed.name,
                f"Groups of {crossed.name} have an impact ratio of {number(ours.value)}, where each s by itself has {least} or more; "
                f"{shown}.{chance}",
            )
    distances = [a.measures["mean_distance"].value for a in margins if "mean_distance" in a.measures]
    known = [d for d in distances if d is not None]
    if (
        "mean_distance" in crossed.measures
        and "p_rule" not in crossed.measures
        and len(known) == len(margins)
        and known
    ):
        ours = crossed.measures["mean_distance"]
        if ours.value is not None and ours.interval is not None and ours.interval[0] > max(known):
            yield Finding(
                "intersections",
                crossed.name,
                f"Groups of {crossed.name} have a mean distance of {number(ours.value)}, where each s by itself has "
                f"{number(max(known))} or less.",
            )
