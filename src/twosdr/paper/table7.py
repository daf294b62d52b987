"""T7: Compas, Compas without the columns that predict best, and LSAC."""
# SPDX-License-Identifier: MIT

from twosdr.paper.plan import HUNDRED, RIDGE, TWO_STAGE_RIDGE, Protocol, Row, Setting, Table

COMPAS = Setting("compas")
# Their correlation with y on all rows is above .3, three of them barely, so the list is fixed and not found again in every split.
STRONG = ("decile_score", "v_decile_score", "c_jail_in", "c_jail_out", "screening_date", "in_custody", "out_custody")
COMPAS_R = Setting("compas", without=STRONG)
LSAC = Setting("lsac")
BALANCED = Protocol("random", 100, balanced=True)
MEASURED = ("P%", "acc")

TABLE = Table(
    "T7",
    "Other data sets",
    "Compas: s is sex, y a new charge within two years; 12 attributes, priors_count not among them *inferred*. Compas-R: without the "
    "seven attributes that correlate with y by more than .3 on all rows *inferred*. LSAC: s is black, y passing the bar examination at "
    "the first try; the training rows are balanced by drawing failures with replacement *inferred*, the test rows stay as they are. "
    "100 random splits, 2/3 to train; P% is the mean of the splits' ratios.",
    (
        Row("OLS Compas", COMPAS, HUNDRED, RIDGE, MEASURED),
        Row("2SDR Compas", COMPAS, HUNDRED, TWO_STAGE_RIDGE, MEASURED),
        Row("OLS Compas-R", COMPAS_R, HUNDRED, RIDGE, MEASURED),
        Row("2SDR Compas-R", COMPAS_R, HUNDRED, TWO_STAGE_RIDGE, MEASURED),
        Row("OLS LSAC", LSAC, BALANCED, RIDGE, MEASURED),
        Row("2SDR LSAC", LSAC, BALANCED, TWO_STAGE_RIDGE, MEASURED),
    ),
)
