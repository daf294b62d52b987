"""communities.py: 1,994 x 101 from the original, 1,993 from the stand-in, and which of them it was."""

import numpy as np
import pyarrow as pa
import pytest

from tests.rooms.datasets.originals import FILES
from tests.rooms.samples import refused
from twosdr import datasets
from twosdr.datasets import communities
from twosdr.errors import DataWarning, NotReadable


def groups(data):
    """Sizes and mean crime rates of the communities above .06 and of the others."""
    frame = data.to_pandas()
    above = frame.racepctblack_above_06 == 1
    y = frame.ViolentCrimesPerPop
    return above.sum(), (~above).sum(), round(y[above].mean(), 3), round(y[~above].mean(), 3)


def test_the_original_has_1994_rows_and_the_paper_101_attributes(originals):
    originals(*FILES["communities"])
    raw, data = datasets.load_communities(), datasets.load_communities(paper=True)
    assert raw.provenance.copy == data.provenance.copy == "original"
    assert raw.table.shape == (1994, 128)
    assert (data.n_rows, data.n_attributes) == (1994, 101)
    assert groups(data) == (970, 1024, 0.350, 0.132)


def test_the_stand_in_has_1993_rows_and_says_so():
    raw, data = datasets.load_communities(), datasets.load_communities(paper=True)
    for found in (raw, data):
        assert found.provenance.copy == "stand-in"
        assert "1,993 of the 1,994 rows" in found.provenance.note
        assert "stand-in" in repr(found)
        assert 'fetch("communities")' in found.card
    assert raw.table.shape == (1993, 103)
    assert (data.n_rows, data.n_attributes) == (1993, 101)
    assert groups(data) == (970, 1023, 0.350, 0.132)


def test_the_stand_in_is_the_original_without_its_first_row_in_another_order(originals):
    stand_in = datasets.load_communities().to_pandas()
    originals(*FILES["communities"])
    original = datasets.load_communities().to_pandas()
    assert original.communityname[0] == "Lakewoodcity"
    columns = list(stand_in.columns)
    assert columns == [name for name in original.columns if name in columns]
    expected = original[columns].iloc[1:].sort_values(columns).reset_index(drop=True)
    assert stand_in.sort_values(columns).reset_index(drop=True).equals(expected)
    assert list(stand_in.communityname) != list(original.communityname[1:])


def test_the_folds_are_the_official_ten():
    data = datasets.load_communities(paper=True)
    assert sorted(set(data.part)) == list(range(1, 11))
    assert len(data.splits) == 10
    assert sorted(np.concatenate([test for _, test in data.splits])) == list(range(data.n_rows))
    for train, test in data.splits:
        assert len(train) + len(test) == data.n_rows
        assert 198 <= len(test) <= 200
    assert (data.to_pandas().fold == data.part).all()


def test_columns_count_as_in_the_paper():
    data = datasets.load_communities(paper=True)
    assert {"state", "fold", "racepctblack"} <= set(data.attributes)
    assert "OtherPerCap" not in data.attributes
    assert not set(communities.POLICE) & set(data.attributes)
    assert "racepctblack" in data.left_out
    assert "racepctblack" not in data.X.column_names
    assert data.X.num_columns == 101  # 100 of x, and s
    assert data.explanatory == ("FemalePctDiv", "PctImmigRecent")


def test_gaps_are_where_the_reasons_say(originals):
    originals(*FILES["communities"])
    table = datasets.load_communities().table
    missing = {name: table.column(name).null_count for name in table.column_names if table.column(name).null_count}
    assert missing.pop("OtherPerCap") == 1
    assert {round(missing.pop(name) / 1994, 2) for name in ("county", "community")} == {0.59}
    assert set(missing) == set(communities.POLICE)
    assert len(missing) == 22
    assert {round(count / 1994, 2) for count in missing.values()} == {0.84}
    assert set(table.schema.types) == {pa.int64(), pa.float64(), pa.string()}


def test_unemployment_is_that_of_figure_1a(originals):
    originals(*FILES["communities"])
    frame = datasets.load_communities(paper=True).to_pandas()
    first, second = (frame.PctUnemployed[frame.racepctblack_above_06 == k] for k in (1, 0))
    assert [round(first.mean(), 3), round(first.std(), 3), round(first.median(), 3)] == [0.416, 0.200, 0.395]
    assert [round(second.mean(), 3), round(second.std(), 3), round(second.median(), 3)] == [0.314, 0.191, 0.27]


def test_a_file_of_another_width_is_refused(monkeypatch, tmp_path):
    monkeypatch.setenv("TWOSDR_DATA", str(tmp_path))
    (tmp_path / "communities.data").write_text("8,?,?,Lakewoodcity,1,0.19\n")
    with refused(NotReadable, str(tmp_path / "communities.data"), "line 1", "6 fields, expected 128"):
        datasets.load_communities()


def test_a_gap_where_the_published_file_has_none_is_named(monkeypatch, tmp_path):
    monkeypatch.setenv("TWOSDR_DATA", str(tmp_path))

    def write(column):
        rows = [
            {**dict.fromkeys(communities.COLUMNS, "0.5"), **dict.fromkeys(communities.CODES, "1")} for _ in range(2)
        ]
        rows[1][column] = "?"
        (tmp_path / "communities.data").write_text("".join(",".join(row.values()) + "\n" for row in rows))

    write("medIncome")
    with pytest.warns(DataWarning):
        assert datasets.load_communities().table.column("medIncome").null_count == 1
    with pytest.warns(DataWarning), refused(NotReadable, str(tmp_path / "communities.data"), '"medIncome"', "1 row"):
        datasets.load_communities(paper=True)
    write("fold")  # without it a row is in no fold
    with pytest.warns(DataWarning), refused(NotReadable, str(tmp_path / "communities.data"), '"fold"', "1 row"):
        datasets.load_communities()
