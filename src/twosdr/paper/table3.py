"""T3: classification on Adult, s is sex."""
# SPDX-License-Identifier: MIT

from twosdr.paper.plan import OFFICIAL, RIDGE, TWO_STAGE_RIDGE, Row, Setting, Table

HERE = Setting("adult")
MEASURED = ("P%", "acc")

TABLE = Table(
    "T3",
    "Classification on Adult",
    "s is sex; y is an income above 50,000 dollars. The official split *inferred*, 30,162 to 15,060 complete rows; log(1 + value) for both "
    "capital attributes *inferred*; ridge penalties .1, 1 and 10 *inferred*; every category coded against its alphabetically "
    "first level *inferred*.",
    (Row("OLS", HERE, OFFICIAL, RIDGE, MEASURED), Row("2SDR", HERE, OFFICIAL, TWO_STAGE_RIDGE, MEASURED)),
)
