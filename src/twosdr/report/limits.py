"""What the numbers of a report do not show: sentences, chosen by what was measured."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from twosdr.audit.words import MAY_BE_A_PRODUCT, MODEL_AS_GIVEN, NOT_INDEPENDENT, ONE_CUT
from twosdr.report.contents import Contents

ZERO_IS_OF_SCORES = (
    "The method makes the score uncorrelated with the sensitive columns, exactly on the rows it was fitted on and as nearly as the "
    "sample allows on others. Decisions, scores cut at a threshold, carry no such guarantee: they are measured here."
)
NOT_INDEPENDENCE = (
    "Uncorrelated is not independent: a sensitive column can still shape the spread of the scores, or their tails."
)
USES_S = (
    "The model uses the sensitive columns at prediction: two people who differ in them alone can get different scores."
)
WITHOUT_S = "The model does not read the sensitive columns at prediction."
NOT_ON_NEW = "The audit was made on the rows that the model was fitted on: on new rows it will look worse than here."
ONE_DATA_SET = (
    "All numbers are of the rows named below. Other people, another time or another place can differ, and so can the true disparity where "
    "the target itself was recorded with bias."
)


def limits(contents: Contents) -> list[str]:
    """One sentence a limit."""
    audit, model = contents.audit, contents.model
    found = [ONE_DATA_SET, MODEL_AS_GIVEN]
    if model is not None:
        found.append(ZERO_IS_OF_SCORES)
        found.append(NOT_INDEPENDENCE)
        found.append(USES_S if model.needs_sensitive else WITHOUT_S)
    if "fitted on" in contents.rows_of:
        found.append(NOT_ON_NEW)
    if any(a.explained for a in audit.attributes) and not any(n.startswith(MAY_BE_A_PRODUCT) for n in audit.notes):
        found.append(MAY_BE_A_PRODUCT)
    if any(a.cut is not None for a in audit.attributes):
        found.append(ONE_CUT)
    found += [note for note in audit.notes if note not in found]
    return [*found, NOT_INDEPENDENT]
