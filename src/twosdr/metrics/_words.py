"""How an answer says how it was made. The same few sentences everywhere, so that a report can be read across metrics."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from dataclasses import replace

from twosdr.metrics.estimate import Estimate

AS_GIVEN = "for the model as given, on rows it was not chosen on"


def percent(confidence: float) -> str:
    """`95 %`.

    >>> percent(0.95), percent(0.999)
    ('95 %', '99.9 %')
    """
    return f"{100 * confidence:.6g} %"


def told(estimate: Estimate, what: str, how: str, confidence: float, clustered: bool = False) -> Estimate:
    """The estimate, with words on what it is and how its interval was made."""
    if estimate.interval is None:
        return replace(estimate, method=f"{what}; no interval")
    robust = ", by clusters" if clustered else ""
    return replace(estimate, method=f"{what}; {how}{robust}, {percent(confidence)}, {AS_GIVEN}")
