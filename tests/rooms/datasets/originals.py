"""Where the tests find the published files: TWOSDR_DATA, or the folder ../shared/data beside this checkout.

Tests that need one call `folder_with`, which skips them, and says why, where it is not.
"""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
FOLDER = Path(os.environ.get("TWOSDR_DATA") or ROOT.parent / "shared" / "data")

FILES = {
    "adult": ("adult.data", "adult.test"),
    "communities": ("communities.data",),
    "compas": ("compas-scores-two-years.csv",),
    "german": ("german.data",),
    "lsac": ("law_school_admissions.csv",),
}
LSAC_RDA = "law.school.admissions.rda"


def folder_with(*names: str) -> Path:
    """The folder of originals; skips the test where one of these files is not in it."""
    absent = [name for name in names if not (FOLDER / name).is_file()]
    if absent:
        pytest.skip(f"{', '.join(absent)} not in {FOLDER}: set TWOSDR_DATA to a folder that has the originals")
    return FOLDER
