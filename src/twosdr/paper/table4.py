"""T4: classification on German, s is an age above 25."""
# SPDX-License-Identifier: MIT

from twosdr.paper.plan import HUNDRED, RIDGE, TWO_STAGE_RIDGE, Row, Setting, Table

HERE = Setting("german")
MEASURED = ("P%", "acc")

TABLE = Table(
    "T4",
    "Classification on German",
    "s is an age above 25 (not at or above *inferred*), and age itself is not in x; y = 1 is a bad loan *inferred*: with good ones OLS "
    "has a P% near .77. 100 random splits, 2/3 to train; the P% is the mean of the splits' ratios *inferred*, not the "
    "ratio of their mean rates, and a split in which a group gets no positive prediction counts 0.",
    (Row("OLS", HERE, HUNDRED, RIDGE, MEASURED), Row("2SDR", HERE, HUNDRED, TWO_STAGE_RIDGE, MEASURED)),
)
