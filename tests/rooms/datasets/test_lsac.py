"""lsac.py: 20,800 rows from the CSV or from R's own file, where they are found; never bundled."""

import shutil
import sys

import pytest

from tests.rooms.datasets.originals import FILES, LSAC_RDA
from tests.rooms.samples import refused
from twosdr import datasets, tables
from twosdr.datasets import copies, lsac
from twosdr.errors import DataNotFound, DataWarning, NotReadable
from twosdr.roles import resolve


def test_it_is_not_bundled():
    assert lsac.RECIPE.bundle is None
    assert not list(copies.BUNDLED.glob("*l*sac*"))


def test_the_csv_has_20800_rows(originals):
    originals(*FILES["lsac"])
    raw, data = datasets.load_lsac(), datasets.load_lsac(paper=True)
    assert raw.provenance.copy == "original"
    assert raw.provenance.verified
    assert raw.table.shape == (20_800, 11)
    assert (data.n_rows, data.n_attributes) == (20_800, 13)
    frame = raw.to_pandas()
    passed = frame.groupby("race1").bar.mean()
    assert round(frame.bar.mean(), 2) == 0.89  # as the card says
    assert round(passed["black"], 2) == 0.62
    assert (frame.race1 == "black").sum() == data.to_pandas().race1_black.sum()
    assert (frame.age.min(), frame.age.max(), round(frame.age.mean())) == (3, 69, 59)
    assert raw.positive is True
    assert not [name for name in data.attributes if name.startswith("race1")]


def test_the_file_of_r_holds_the_same_table(originals, monkeypatch, tmp_path):
    pytest.importorskip("rdata", reason="reading .rda needs rdata: the extra lsac")
    folder = originals(*FILES["lsac"], LSAC_RDA)
    expected = datasets.load_lsac()
    shutil.copy(folder / LSAC_RDA, tmp_path)
    monkeypatch.setenv("TWOSDR_DATA", str(tmp_path))
    found = datasets.load_lsac()
    assert list(found.provenance.sha256) == [str(tmp_path / LSAC_RDA)]
    assert found.provenance.verified
    assert found.table.equals(expected.table)


def test_without_rdata_the_error_names_the_extra(monkeypatch, tmp_path):
    (tmp_path / LSAC_RDA).write_bytes(b"any")
    monkeypatch.setenv("TWOSDR_DATA", str(tmp_path))
    monkeypatch.setitem(sys.modules, "rdata", None)
    with refused(DataNotFound, LSAC_RDA, 'pip install "twosdr[lsac]"', "law_school_admissions.csv"):
        datasets.load_lsac()


def test_bytes_that_are_no_r_file_are_refused(monkeypatch, tmp_path):
    (tmp_path / LSAC_RDA).write_bytes(b"any")
    monkeypatch.setenv("TWOSDR_DATA", str(tmp_path))
    monkeypatch.setitem(sys.modules, "rdata", _Rdata())
    with refused(NotReadable, str(tmp_path / LSAC_RDA), "law.school.admissions", "KeyError"):
        datasets.load_lsac()


def test_a_few_rows_of_a_users_own_are_read_with_a_warning(monkeypatch, tmp_path):
    monkeypatch.setenv("TWOSDR_DATA", str(tmp_path))
    people = ["62,10,9,5,44,3.5,female,white,1,1,TRUE", "61,2,3,1,30,2.5,male,black,4,2,FALSE"]
    (tmp_path / "law_school_admissions.csv").write_text("\n".join([",".join(lsac.COLUMNS), *people]))
    with pytest.warns(DataWarning, match=r"law_school_admissions\.csv"):
        data = datasets.load_lsac()
    roles = resolve(tables.read(data.X), sensitive=data.sensitive)
    assert roles.columns("s") == ("age", "gender", "race1")
    assert data.y.tolist() == [True, False]
    with pytest.warns(DataWarning):
        paper = datasets.load_lsac(paper=True)
    assert paper.table.select(["race1_black", "bar", "gender_male", "cluster_4", "fulltime_2"]).to_pylist() == [
        {"race1_black": 0.0, "bar": 1.0, "gender_male": 0.0, "cluster_4": 0.0, "fulltime_2": 0.0},
        {"race1_black": 1.0, "bar": 0.0, "gender_male": 1.0, "cluster_4": 1.0, "fulltime_2": 1.0},
    ]


def test_wrong_columns_are_named(monkeypatch, tmp_path):
    monkeypatch.setenv("TWOSDR_DATA", str(tmp_path))
    (tmp_path / "law_school_admissions.csv").write_text(
        "age,decile1,decile3,fam_inc,lsat,ugpa,gender,race,cluster,fulltime,bar\n"
    )
    with refused(NotReadable, "law_school_admissions.csv", 'lacks the column "race1"', 'Did you mean "race"?'):
        datasets.load_lsac()
    row = "62,10,10,5,44,3.5,female,white,1,1,maybe\n"
    (tmp_path / "law_school_admissions.csv").write_text(",".join(lsac.COLUMNS) + "\n" + row)
    with refused(NotReadable, "line 2", '"bar"', '"maybe"'):
        datasets.load_lsac()


class _Rdata:
    @staticmethod
    def read_rda(path):
        return {}


@pytest.mark.parametrize("column", ["race1", "gender", "lsat", "bar"])
def test_a_gap_is_not_read_as_another_level(column, monkeypatch, tmp_path):
    monkeypatch.setenv("TWOSDR_DATA", str(tmp_path))
    row = dict(zip(lsac.COLUMNS, "62,10,9,5,44,3.5,female,white,1,1,TRUE".split(","), strict=True))
    lines = [lsac.COLUMNS, row.values(), {**row, column: "NA"}.values()]
    (tmp_path / lsac.CSV.name).write_text("".join(",".join(line) + "\n" for line in lines))
    with pytest.warns(DataWarning):
        assert datasets.load_lsac().table.column(column).null_count == 1
    with pytest.warns(DataWarning), refused(NotReadable, lsac.CSV.name, f'"{column}" is missing in 1 row'):
        datasets.load_lsac(paper=True)
