"""T2: regression on Communities and Crime, with and without explanatory attributes."""
# SPDX-License-Identifier: MIT

from twosdr.paper.plan import EQUAL_MEANS, EQUAL_MEANS_BY_STRATUM, OFFICIAL, OLS, TWO_STAGE, Row, Setting, Table

HERE = Setting("communities")
EXPLAINED = Setting("communities", explanatory=("FemalePctDiv", "PctImmigRecent"))
MEASURED = ("MD", "AUC", "RMSE")

TABLE = Table(
    "T2",
    "Regression on Communities and Crime",
    "s is a share of black people above .06; y is violent crimes per head. The ten official folds. x has state and fold, as D = 101 "
    "says; not the share that s is cut from. z: FemalePctDiv and PctImmigRecent, with x regressed on (1, s, z) *inferred*: with x "
    "regressed on s alone, near-copies of z in x rebuild s. SEM-S and SEM-MP, which the paper quotes from Calders et al., are run as least "
    "squares without s whose averages are equal between the groups: overall, or in every fifth of the propensity of s given z *inferred*.",
    (
        Row("OLS", HERE, OFFICIAL, OLS, MEASURED),
        Row("2SDR", HERE, OFFICIAL, TWO_STAGE, MEASURED),
        Row("2SDR expl", EXPLAINED, OFFICIAL, TWO_STAGE, MEASURED),
        Row("SEM-S", HERE, OFFICIAL, EQUAL_MEANS, MEASURED),
        Row("SEM-MP", EXPLAINED, OFFICIAL, EQUAL_MEANS_BY_STRATUM, MEASURED),
    ),
)
