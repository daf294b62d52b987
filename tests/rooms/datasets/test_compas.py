"""compas.py: 5,855 x 12, and nothing that points at a person, from whichever copy."""

import csv
import datetime
import re

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.rooms.datasets.originals import FILES
from tests.rooms.samples import refused
from twosdr import datasets
from twosdr.datasets import compas, copies
from twosdr.errors import DataWarning, NotReadable


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


def test_no_word_of_the_bundled_file_is_a_persons(originals):
    folder = originals(*FILES["compas"])
    with open(folder / FILES["compas"][0], encoding="utf-8", newline="") as stream:
        people = list(csv.DictReader(stream))
    file = pq.ParquetFile(copies.BUNDLED / compas.RECIPE.bundle.file)
    assert file.metadata.metadata is None  # nothing beside the table
    table = file.read()
    said = {str(v).lower() for name in table.column_names for v in table.column(name).unique().to_pylist()}
    words = said | {word for text in said for word in text.split()}
    for column in ("name", "first", "last", "c_case_number", "r_case_number", "vr_case_number", "c_charge_desc"):
        told = {person[column].lower() for person in people} - {""}
        assert len(told) > 50
        assert not told & words, column
    # A birth date may be the day of another's custody; it is in no column a person's own.
    born = [person["dob"] for person in people]
    for name in table.column_names:
        assert not [a for a, b in zip(table.column(name).to_pylist(), born, strict=True) if str(a) == b], name


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


def write(path, *rows):
    """A file with the columns that are kept; what a row does not say is 1."""
    lines = [compas.KEPT]
    for row in rows:
        said = {**dict.fromkeys(compas.KEPT, "1"), **dict.fromkeys(compas.DAYS, "2013-08-14"), "sex": "Male", **row}
        lines.append(said.values())
    (path / compas.FILE.name).write_text("".join(",".join(line) + "\n" for line in lines))


@pytest.mark.parametrize("value", ["1.5", "1e300", "one"])
def test_a_count_that_is_no_whole_number_is_named_by_line(value, monkeypatch, tmp_path):
    monkeypatch.setenv("TWOSDR_DATA", str(tmp_path))
    write(tmp_path, {}, {"juv_fel_count": value})
    with refused(NotReadable, str(tmp_path / compas.FILE.name), "line 3", '"juv_fel_count"', "a whole number"):
        datasets.load_compas()


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([{"in_custody": ""}], "no row is complete"),
        ([{}, {}], '"c_jail_in" is one day'),
        ([{}, {"sex": "", **dict.fromkeys(compas.DAYS, "2014-01-01")}], '"sex" is missing in 1 row'),
    ],
    ids=["dates", "one day", "sex"],
)
def test_rows_that_will_not_do_for_the_paper_are_refused(rows, words, monkeypatch, tmp_path):
    monkeypatch.setenv("TWOSDR_DATA", str(tmp_path))
    write(tmp_path, *rows)
    with pytest.warns(DataWarning), refused(NotReadable, str(tmp_path / compas.FILE.name), words):
        datasets.load_compas(paper=True)
