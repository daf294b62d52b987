"""T10: ordinal transformation on Communities and Crime."""
# SPDX-License-Identifier: MIT

from twosdr.paper.plan import OFFICIAL, OLS, TWO_STAGE, Protocol, Row, Setting, Table

HERE = Setting("communities")
RANKS = Protocol("official", 10, ranks="jointly")
MEASURED = ("MD", "RMSE")

TABLE = Table(
    "T10",
    "Ordinal transformation on Communities and Crime",
    "All attributes that are not binary become ranks among the communities of the same s, over all rows before the folds *inferred*, "
    "ties broken by chance *inferred*: ten times, and the mean is shown. Otherwise as T2.",
    (
        Row("OLS", HERE, OFFICIAL, OLS, MEASURED),
        Row("2SDR", HERE, OFFICIAL, TWO_STAGE, MEASURED),
        Row("OLS ordinal", HERE, RANKS, OLS, MEASURED),
        Row("2SDR ordinal", HERE, RANKS, TWO_STAGE, MEASURED),
    ),
)
