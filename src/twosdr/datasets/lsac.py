"""LSAC: who of 20,800 law students of 1991 passed the bar examination at the first try. Never bundled."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from twosdr.datasets._reading import Text, dummies, numbers, numeric_table, texts, with_header
from twosdr.datasets.base import Dataset, File, Original, Recipe, Roles, load, register
from twosdr.errors import DataNotFound, NotReadable, listing

CRAN = "https://cran.r-project.org/src/contrib"
CSV = File("law_school_admissions.csv", "680d9c0e4b8c5c57f1b8b90a110d7d9273b13f97bd5c72cdcb1eb1a32f4ded17")
RDA = File(
    "law.school.admissions.rda",
    "d270972df4787b2da3650f01e9176be53cdbcef2fd3032c8045a2a8d029c4308",
    # CRAN moves a version to its archive when the next one comes.
    urls=(f"{CRAN}/fairml_0.8.tar.gz", f"{CRAN}/Archive/fairml/fairml_0.8.tar.gz"),
    member="fairml/data/law.school.admissions.rda",
)

NUMBERS = ("age", "decile1", "decile3", "fam_inc", "lsat", "ugpa")
LABELS = ("gender", "race1", "cluster", "fulltime")
COLUMNS = (*NUMBERS, *LABELS, "bar")


def read_csv(folder: Path) -> Any:
    """The table as text."""
    return _table(with_header(folder / CSV.name, COLUMNS))


def read_rda(folder: Path) -> Any:
    """The table as R stores it; the reader is rdata, in the extra `lsac`."""
    path = folder / RDA.name
    try:
        rdata = import_module("rdata")
    except ImportError:
        raise DataNotFound(
            f'{path} is there, but reading it needs rdata: pip install "twosdr[lsac]". Or put {CSV.name} beside it.'
        ) from None
    try:
        frame = rdata.read_rda(path)["law.school.admissions"]
        names = [str(name) for name in frame.columns]
        rows = zip(*(frame[name].tolist() for name in names), strict=True)
        lines = [(i, [str(value) for value in row]) for i, row in enumerate(rows, start=1)]
    except Exception as error:  # rdata raises whatever the bytes lead it to
        raise NotReadable(
            f"{path} is no R file with the table law.school.admissions: {type(error).__name__}: {error}."
        ) from None
    absent = [name for name in COLUMNS if name not in names]
    if absent:
        raise NotReadable(f"{path} lacks the columns {listing(absent)}. It holds: {listing(names)}.")
    return _table(Text(path, names, lines))


def _table(text: Text) -> Any:
    import pyarrow as pa

    columns = {name: text.floats(name) for name in NUMBERS} | {name: text.labels(name) for name in LABELS}
    passed = text.labels("bar", allowed=("TRUE", "FALSE")).to_pylist()
    columns["bar"] = pa.array([None if p is None else p == "TRUE" for p in passed])
    return pa.table(columns)


def suggest(table: Any) -> Roles:
    return Roles(target="bar", positive=True, sensitive=("race1", "gender", "age"))


def prepare(table: Any) -> tuple[Any, Roles]:
    """All rows; s is black, and the other levels of race1 are no attributes."""
    columns: dict[str, Any] = {name: numbers(table, name) for name in NUMBERS}
    for name in ("gender", "cluster", "fulltime"):
        columns |= dummies(name, texts(table, name))
    attributes = tuple(columns)
    columns["race1_black"] = (texts(table, "race1") == "black").astype(np.float64)
    columns["bar"] = numbers(table, "bar")
    return numeric_table(columns), Roles("bar", 1.0, ("race1_black",), attributes=attributes)


RECIPE = register(
    Recipe(
        name="lsac",
        title="LSAC (law school admissions, survey of 1991)",
        source="CRAN package fairml 0.8, data set law.school.admissions",
        licence="MIT (the package; the survey is the Law School Admission Council's)",
        citation="Wightman, L. F. (1998). LSAC National Longitudinal Bar Passage Study. Law School Admission Council. Table: Scutari, M., "
        "R package fairml 0.8.",
        card="""
20,800 students; 89 % passed at the first try, 62 % of the black students.
- age is not an age, whatever its description says: its mean is 59 and it runs from 3 to 69, as years of birth since 1900 do (62: born
  in 1962). Its order is the reverse of age's. Some values (3) are errors.
- cluster is the tier of the school, fulltime 1 or 2; both are codes, and read as labels.
- decile1 and decile3 are ranks within a school, so they do not compare across schools.
- Whoever left school or took no examination is not in the table.
- Names are those of the file; labels are stripped.

paper=True: 20,800 rows; s is race1_black. The paper counts 20,798 rows and D = 24; this table has D = 13, since columns such as DOB_yr and
decile1b are not in it. The paper's figures come out all the same. It balances the training rows by drawing with replacement.
""",
        originals=(Original((CSV,), read_csv), Original((RDA,), read_rda)),
        roles=suggest,
        prepare=prepare,
    )
)


def load_lsac(*, paper: bool = False) -> Dataset:
    """LSAC, 20,800 rows, where its CSV or .rda is on this machine; `fetch("lsac")` gets the latter."""
    return load("lsac", paper=paper)
