"""T6: numeric s, on Communities and Crime, Adult and German."""
# SPDX-License-Identifier: MIT

from twosdr.paper.plan import HUNDRED, OFFICIAL, OLS, RIDGE, TWO_STAGE, TWO_STAGE_RIDGE, Row, Setting, Table

CRIME = Setting("communities", sensitive=("medIncome",))
ADULT = Setting("adult", sensitive=("age",), also=("sex_Male",))
GERMAN = Setting("german", sensitive=("age",))

TABLE = Table(
    "T6",
    "Numeric s",
    "s is the median income (C&C, ten official folds) or the age (Adult, official split; German, 100 random splits *inferred*). No "
    "variance correction: there are no groups. The share of black people (C&C) and sex (Adult) stay in x *inferred*. CC is the "
    "absolute Pearson correlation of s with the prediction, with the decision where that is a class.",
    (
        Row("OLS C&C", CRIME, OFFICIAL, OLS, ("CC", "RMSE")),
        Row("2SDR C&C", CRIME, OFFICIAL, TWO_STAGE, ("CC", "RMSE")),
        Row("OLS Adult", ADULT, OFFICIAL, RIDGE, ("CC", "acc")),
        Row("2SDR Adult", ADULT, OFFICIAL, TWO_STAGE_RIDGE, ("CC", "acc")),
        Row("OLS German", GERMAN, HUNDRED, RIDGE, ("CC", "acc")),
        Row("2SDR German", GERMAN, HUNDRED, TWO_STAGE_RIDGE, ("CC", "acc")),
    ),
)
