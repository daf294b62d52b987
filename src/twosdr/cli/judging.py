"""From verdicts to an exit code."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from typing import TYPE_CHECKING

from twosdr.cli import codes
from twosdr.errors import ParameterError

if TYPE_CHECKING:
    from twosdr.audit import Audit


def code(audit: Audit, fail_under: float | None, strict: bool) -> int:
    """1 where a verdict is "below", and with strict where any is not "above"; 0 otherwise, and where nothing was asked."""
    if fail_under is None:
        if strict:
            raise ParameterError("--strict has no effect without --fail-under.")
        return codes.FINE
    found = [a.verdict.status for a in audit.attributes if a.verdict is not None]
    if not found:
        raise ParameterError(
            "--fail-under compares the rates of groups, and no sensitive column here forms groups with decisions."
        )
    low = [status for status in found if status == "below" or (strict and status != "above")]
    return codes.BELOW if low else codes.FINE
