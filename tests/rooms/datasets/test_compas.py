"""compas.py: 5,855 x 12, and nothing that points at a person, from whichever copy."""

import csv
import datetime
import re

import pyarrow as pa
import pytest

from tests.rooms.datasets.originals import FILES
from tests.rooms.samples import refused
from twosdr import datasets
from twosdr.datasets import base, compas
from twosdr.errors import NotReadable


@pytest.fixture(params=["bundled", "original"])
def copy(request, originals):
    if request.param == "original":
        originals(*FILES["compas"])
    return request.param


def test_the_raw_table_has_the_published_rows(copy):
    data = datasets.load_compas()
    assert data.provenance.copy == copy
    assert data.table.shape == (7214, 27)
    assert data.splits == ()
    frame = data.to_pandas()
    assert frame.two_year_recid.value_counts().to_dict() == {0: 3963, 1: 3251}
    assert frame.sex.value_counts().to_dict() == {"Male": 5819, "Female": 1395}
    assert not data.to_pandas()[data.X.column_names].isna().any().any()


def test_nothing_that_points_at_a_person_is_kept(copy):
    table = datasets.load_compas().table
    for name in ("id", "name", "first", "last", "dob", "c_case_number", "r_case_number", "vr_case_number"):
        assert name not in table.column_names
    assert not [name for name in table.column_names if re.search("name|dob|birth|case|desc|arrest_date", name)]
    # Labels are few, so that none is one person's; dates have no time of day, and none is a birth date.
    for name in table.column_names:
        values = table.column(name)
        if values.type == pa.string():
            assert len(values.unique()) <= 8
        elif name in compas.DAYS:
            assert values.type == pa.date32()
            assert min(day for day in values.to_pylist() if day) > datetime.date(1985, 1, 1)
        else:
            assert values.type == pa.int64()


def test_no_name_stands_in_the_bytes_of_the_bundled_file(originals):
    folder = originals(*FILES["compas"])
    with open(folder / FILES["compas"][0], encoding="utf-8", newline="") as stream:
        people = list(csv.DictReader(stream))
    table, _ = base._read_bundle(compas.RECIPE, compas.RECIPE.bundle)
    words = {str(v) for name in table.column_names for v in table.column(name).unique().to_pylist()}
    for column in ("name", "first", "last", "dob", "c_case_number", "r_case_number", "vr_case_number", "c_charge_desc"):
        told = {person[column] for person in people} - {""}
        assert not told & words or column == "dob"  # a birth date may be another person's day in jail
    assert not [name for name in table.column_names if name == "dob"]


def test_the_papers_table_has_5855_rows_of_12_attributes(copy):
    data = datasets.load_compas(paper=True)
    assert (data.n_rows, data.n_attributes) == (5855, 12)
    assert set(data.attributes) == {*compas.COUNTS, *compas.DAYS}
    assert "priors_count" not in data.table.column_names
    frame = data.to_pandas()
    for name in compas.DAYS:
        assert (frame[name].min(), frame[name].max()) == (0.0, 1.0)
    assert data.sensitive == ("sex_Male",)


def test_dates_after_the_screening_leak_the_outcome_and_are_left_out():
    data = datasets.load_compas()
    frame = data.to_pandas()
    later = frame.in_custody > frame.screening_date
    assert frame.two_year_recid[later].mean() > 2 * frame.two_year_recid[~later].mean()
    for name in ("in_custody", "out_custody", "is_recid", "event", "start", "end"):
        assert "leak" in data.left_out[name]


def test_missing_columns_are_named_with_the_nearest(monkeypatch, tmp_path):
    monkeypatch.setenv("TWOSDR_DATA", str(tmp_path))
    header = [name if name != "priors_count" else "prior_count" for name in compas.KEPT]
    (tmp_path / compas.FILE.name).write_text(",".join(header) + "\n")
    with refused(
        NotReadable, str(tmp_path / compas.FILE.name), 'lacks the column "priors_count"', 'Did you mean "prior_count"?'
    ):
        datasets.load_compas()
