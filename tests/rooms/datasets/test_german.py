"""german.py: 1,000 x 47; bad is the positive label, s is age above 25."""

import numpy as np
import pytest

from tests.rooms.datasets.originals import FILES
from tests.rooms.samples import refused
from twosdr import datasets
from twosdr.errors import DataWarning, NotReadable

LINE = "A11 6 A34 A43 1169 A65 A75 4 A93 A101 4 A121 67 A143 A152 2 A173 1 A192 A201 1"


@pytest.fixture(params=["bundled", "original"])
def copy(request, originals):
    if request.param == "original":
        originals(*FILES["german"])
    return request.param


def test_the_raw_table_is_the_published_one(copy):
    data = datasets.load_german()
    assert data.provenance.copy == copy
    assert data.table.shape == (1000, 21)
    assert data.splits == ()
    frame = data.to_pandas()
    assert not frame.isna().any().any()
    assert frame.credit_risk.value_counts().to_dict() == {"good": 700, "bad": 300}
    assert data.positive == "bad"
    assert [frame[name].iloc[0] for name in ("checking_account", "credit_amount", "age")] == ["A11", 1169, 67]


def test_the_papers_table_has_1000_rows_of_47_attributes(copy):
    data = datasets.load_german(paper=True)
    assert (data.n_rows, data.n_attributes) == (1000, 47)
    assert not {"age", "age_above_25"} & set(data.attributes)
    frame = data.to_pandas()
    assert (frame.age_above_25 == (frame.age > 25)).all()
    assert frame.age_above_25.sum() == 810  # from 25 on it would be more
    assert (frame.age >= 25).sum() > 810
    assert data.sensitive == ("age_above_25",)
    assert "age" in data.left_out
    assert data.y.sum() == 300
    indicators = [name for name in data.attributes if set(np.unique(frame[name])) == {0.0, 1.0}]
    assert len(indicators) == 41
    assert "purpose_A40" not in data.attributes  # the alphabetically first code
    assert "purpose_A41" in data.attributes


def test_a_wrong_file_is_refused_by_line(monkeypatch, tmp_path):
    monkeypatch.setenv("TWOSDR_DATA", str(tmp_path))
    (tmp_path / "german.data").write_text(f"{LINE}\n{LINE} 5\n")
    with refused(NotReadable, str(tmp_path / "german.data"), "line 2", "22 fields, expected 21"):
        datasets.load_german()
    (tmp_path / "german.data").write_text(LINE[:-1] + "3\n")
    with refused(NotReadable, "line 1", '"credit_risk"', '"3"', '"1", "2"'):
        datasets.load_german()


@pytest.mark.parametrize(
    ("value", "column"), [("A34", "credit_history"), ("1169", "credit_amount"), ("1", "credit_risk")]
)
def test_a_gap_is_a_gap_and_the_papers_table_has_none(value, column, monkeypatch, tmp_path):
    monkeypatch.setenv("TWOSDR_DATA", str(tmp_path))
    fields = LINE.split()
    fields[-1 if value == "1" else fields.index(value)] = "?"
    (tmp_path / "german.data").write_text(f"{LINE}\n{' '.join(fields)}\n")
    with pytest.warns(DataWarning):
        assert datasets.load_german().table.column(column).null_count == 1
    with pytest.warns(DataWarning), refused(NotReadable, str(tmp_path / "german.data"), f'"{column}"', "1 row"):
        datasets.load_german(paper=True)
