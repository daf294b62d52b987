"""A rule such as four fifths, held against a ratio and its interval: both readings, in words.

The number alone says "below" or "not below", which is how the rule is counted in practice. The interval says whether the rows can
tell: "below .8 at 95 %", "above .8 at 95 %", or neither. Neither reading hides the other.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from twosdr.audit.values import AlongCut, Verdict
from twosdr.audit.words import ONE_CUT, count, estimate, number, percent, short
from twosdr.metrics import Estimate


def judge(
    ratio: Estimate, rule: float, *, confidence: float, smallest: int, ceiling: float | None = None, groups: int = 2
) -> Verdict:
    """The verdict on one ratio; `smallest` is the number of rows in the smaller group, `ceiling` what equal rates would show.

    >>> judge(Estimate(0.72, (0.65, 0.79), n=900), 0.8, confidence=0.95, smallest=300).text
    'Impact ratio .720 [.650, .790]. As counted: below .8. With uncertainty: below .8 at 95 %.'
    """
    line, sure = short(rule), percent(confidence)
    if ratio.value is None:
        return Verdict(rule, "no number", None, f"No impact ratio to hold against {line}: {ratio.why}.")
    as_counted = "below" if ratio.value < rule else "not below"
    said = [f"Impact ratio {estimate(ratio, beside=rule)}.", f"As counted: {as_counted} {line}."]
    if ratio.interval is None:
        status, reading = "cannot tell", f"no interval ({ratio.why})"
    elif ratio.interval[1] < rule:
        status, reading = "below", f"below {line} at {sure}"
    elif ratio.interval[0] >= rule:
        status, reading = "above", f"above {line} at {sure}"
    else:
        status = "cannot tell"
        # First what the count suggests and the rows do not show; then the other half.
        unshown = ("below", "above") if as_counted == "below" else ("above", "below")
        which = "smaller" if groups == 2 else "smallest"
        reading = f"not shown to be {unshown[0]}, nor {unshown[1]}, at {sure}: {count(smallest)} in the {which} group cannot tell"
    said.append(f"With uncertainty: {reading}.")
    if status == "cannot tell" and ceiling is not None and rule > ceiling:
        said.append(
            f"Groups of this size with equal true rates would show {short(round(ceiling, 3))} on average, below the rule itself."
        )
    return Verdict(rule, status, as_counted, " ".join(said))


def along_cut(cut: AlongCut | None, rule: float) -> Verdict:
    """Scores have no impact ratio until they are cut: what the rule says of every cut."""
    known = [(r, p) for r, p in zip(cut.rate, cut.p_rule, strict=True) if p is not None] if cut is not None else []
    line = short(rule)
    if not known:
        return Verdict(
            rule, "no number", None, f"No impact ratio to hold against {line}: no cut of the scores gives one."
        )
    ratios = [p for _, p in known]
    below = sum(p < rule for p in ratios) / len(ratios)
    text = (
        f"No decisions to hold against {line}. Cut so that {number(known[0][0])} to {number(known[-1][0])} are selected, the scores give "
        f"impact ratios from {number(min(ratios))} to {number(max(ratios))}; {percent(round(100 * below) / 100)} of these cuts are below "
        f"{line}, as counted. {ONE_CUT}"
    )
    return Verdict(rule, "no number", None, text)
