"""T11: logistic regression as second stage, on Adult and German."""
# SPDX-License-Identifier: MIT

from twosdr.paper.plan import HUNDRED, OFFICIAL, TWO_STAGE_LOGISTIC, Row, Setting, Table

MEASURED = ("P%", "acc")

TABLE = Table(
    "T11",
    "Logistic regression as second stage",
    "As T3 and T4, with logistic regression (penalty L2 with C = 1 *inferred*) on the standardised residuals.",
    (
        Row("2SDR+LR Adult", Setting("adult"), OFFICIAL, TWO_STAGE_LOGISTIC, MEASURED),
        Row("2SDR+LR German", Setting("german"), HUNDRED, TWO_STAGE_LOGISTIC, MEASURED),
    ),
)
