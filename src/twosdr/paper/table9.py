"""T9: ordinal transformation on Adult, of all attributes and of the numeric ones alone."""
# SPDX-License-Identifier: MIT

from twosdr.paper.plan import OFFICIAL, RIDGE, TWO_STAGE_RIDGE, Protocol, Row, Setting, Table

ALL = Setting("adult")
NUMERIC = Setting("adult", only=("age", "education_num", "capital_gain", "capital_loss", "hours_per_week"))
RANKS = Protocol("official", 10, ranks="apart")
MEASURED = ("P%", "acc")

TABLE = Table(
    "T9",
    "Ordinal transformation on Adult",
    "The five numeric attributes become ranks among those of the same sex, in train and in test each by itself *inferred*, with ties "
    "broken by chance *inferred*: ten times, and the mean is shown. Strict ranks, as the formula reads, give other numbers. "
    '"cont": these five attributes alone. Otherwise as T3.',
    (
        Row("OLS all", ALL, OFFICIAL, RIDGE, MEASURED),
        Row("2SDR all", ALL, OFFICIAL, TWO_STAGE_RIDGE, MEASURED),
        Row("OLS cont", NUMERIC, OFFICIAL, RIDGE, MEASURED),
        Row("2SDR cont", NUMERIC, OFFICIAL, TWO_STAGE_RIDGE, MEASURED),
        Row("OLS all, ordinal", ALL, RANKS, RIDGE, MEASURED),
        Row("2SDR all, ordinal", ALL, RANKS, TWO_STAGE_RIDGE, MEASURED),
        Row("OLS cont, ordinal", NUMERIC, RANKS, RIDGE, MEASURED),
        Row("2SDR cont, ordinal", NUMERIC, RANKS, TWO_STAGE_RIDGE, MEASURED),
    ),
)
