"""T8: several s at once on Adult, sex and age."""
# SPDX-License-Identifier: MIT

from twosdr.paper.plan import OFFICIAL, RIDGE, TWO_STAGE_RIDGE, Row, Setting, Table

BOTH = Setting("adult", sensitive=("sex_Male", "age"))
MEASURED = ("P%", "CC", "acc")

TABLE = Table(
    "T8",
    "Several s on Adult",
    "s is (sex, age), both in stage 1; the variance correction is by sex *inferred*. P% is of sex, CC of age and the decision. "
    "Otherwise as T3.",
    (Row("OLS", BOTH, OFFICIAL, RIDGE, MEASURED), Row("2SDR", BOTH, OFFICIAL, TWO_STAGE_RIDGE, MEASURED)),
)
