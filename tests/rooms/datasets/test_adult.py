"""adult.py: 45,222 x 49, the official split, and the paper's Figure 1b."""

import numpy as np
import pytest

from tests.rooms.datasets.originals import FILES
from tests.rooms.samples import refused
from twosdr import datasets
from twosdr.errors import DataWarning, NotReadable

LINE = "39, State-gov, 77516, Bachelors, 13, Never-married, Adm-clerical, Not-in-family, White, Male, 2174, 0, 40, United-States"


@pytest.fixture(params=["bundled", "original"])
def copy(request, originals):
    if request.param == "original":
        originals(*FILES["adult"])
    return request.param


def test_the_raw_table_is_the_published_one(copy):
    data = datasets.load_adult()
    assert data.provenance.copy == copy
    assert data.table.shape == (48_842, 15)
    assert [len(rows) for pair in data.splits for rows in pair] == [32_561, 16_281]
    frame = data.to_pandas()
    assert (frame.isna().any(axis=1)).sum() == 3620
    assert set(frame.columns[frame.isna().any()]) == {"workclass", "occupation", "native_country"}
    assert set(frame.income) == {"<=50K", ">50K"}
    rich = frame.income == ">50K"
    assert round(rich.mean(), 2) == 0.24  # as the card says
    assert round(rich[frame.sex == "Female"].mean(), 2) == 0.11


def test_the_papers_table_has_45222_rows_of_49_attributes(copy):
    data = datasets.load_adult(paper=True)
    assert (data.n_rows, data.n_attributes) == (45_222, 49)
    assert "sex_Male" not in data.attributes
    [(train, test)] = data.splits
    assert (len(train), len(test)) == (30_162, 15_060)
    assert set(train).isdisjoint(test)
    assert data.provenance.rows == 48_842


def test_numbers_categories_and_groupings_are_as_in_the_paper():
    raw, data = datasets.load_adult().to_pandas().dropna(), datasets.load_adult(paper=True)
    frame = data.to_pandas()
    indicators = [name for name in data.attributes if set(np.unique(frame[name])) <= {0.0, 1.0}]
    assert len(indicators) == 44
    assert set(data.attributes) - set(indicators) == {
        *("age", "education_num", "capital_gain", "capital_loss", "hours_per_week"),
    }
    assert np.allclose(frame.capital_gain, np.log1p(raw.capital_gain.to_numpy()))
    assert np.allclose(frame.capital_loss, np.log1p(raw.capital_loss.to_numpy()))
    assert (frame.native_country_United_States == (raw.native_country == "United-States").to_numpy()).all()
    # Against the alphabetically first level: it has no column, all others have one, those of schooling after grouping.
    for name, first in {"workclass": "Federal-gov", "race": "Amer-Indian-Eskimo", "relationship": "Husband"}.items():
        levels = sorted(raw[name].unique())
        assert levels[0] == first
        for level in levels[1:]:
            assert (frame[f"{name}_{level.replace('-', '_')}"] == (raw[name] == level).to_numpy()).all()
    assert sum(name.startswith("education_") for name in indicators) == 9
    low = raw.education.isin(["Preschool", "1st-4th", "5th-6th", "7th-8th"]).to_numpy()
    assert (frame.education_prim_middle_school == low).all()


def test_ages_are_those_of_figure_1b():
    frame = datasets.load_adult(paper=True).to_pandas()
    women, men = frame.age[frame.sex_Male == 0], frame.age[frame.sex_Male == 1]
    assert (len(women), len(men)) == (14_695, 30_527)
    assert (round(women.mean(), 2), round(women.std(), 2)) == (36.98, 13.70)
    assert (round(men.mean(), 2), round(men.std(), 2)) == (39.30, 12.91)


def test_one_sex_alone_serves_in_the_armed_forces_of_the_training_rows():
    # The one column that the paper drops for having no variance in a group, on the official split.
    data = datasets.load_adult(paper=True)
    train = data.to_pandas().iloc[data.splits[0][0]]
    spread = train.groupby("sex_Male")[list(data.attributes)].var(ddof=0)
    assert list(spread.columns[(spread < 1e-10).any()]) == ["occupation_Armed_Forces"]


def user_supplied(monkeypatch, folder, train, test=f"|1x3 Cross validator\n{LINE}, <=50K.\n"):
    (folder / "adult.data").write_text(train)
    (folder / "adult.test").write_text(test)
    monkeypatch.setenv("TWOSDR_DATA", str(folder))


def test_another_number_of_fields_is_refused_by_file_and_line(monkeypatch, tmp_path):
    user_supplied(monkeypatch, tmp_path, f"{LINE}, <=50K\n{LINE}\n")
    with refused(NotReadable, str(tmp_path / "adult.data"), "line 2", "14 fields, expected 15", '"hours_per_week"'):
        datasets.load_adult()


def test_a_word_for_a_number_and_a_strange_label_are_refused(monkeypatch, tmp_path):
    user_supplied(monkeypatch, tmp_path, f"{LINE.replace('39', 'old')}, <=50K\n")
    with refused(NotReadable, "adult.data", "line 1", '"age"', '"old"', "a whole number"):
        datasets.load_adult()
    user_supplied(monkeypatch, tmp_path, f"{LINE}, <=50K\n", f"|1x3 Cross validator\n{LINE}, rich.\n")
    with refused(NotReadable, "adult.test", "line 2", '"income"', '"rich."', '"<=50K", ">50K"'):
        datasets.load_adult()


def test_half_of_an_original_is_none(monkeypatch, tmp_path):
    (tmp_path / "adult.data").write_text(f"{LINE}, <=50K\n")
    monkeypatch.setenv("TWOSDR_DATA", str(tmp_path))
    assert datasets.load_adult().provenance.copy == "bundled"


def test_rows_of_which_none_will_do_for_the_paper_are_refused(monkeypatch, tmp_path):
    incomplete = LINE.replace("State-gov", "?")
    user_supplied(monkeypatch, tmp_path, f"{incomplete}, <=50K\n", f"{incomplete}, <=50K.\n")
    with pytest.warns(DataWarning), refused(NotReadable, "adult.data", "adult.test", "no row is complete"):
        datasets.load_adult(paper=True)
    user_supplied(monkeypatch, tmp_path, f"{LINE.replace('2174', '-1')}, <=50K\n")
    with pytest.warns(DataWarning), refused(NotReadable, "adult.data", '"capital_gain" has values below 0'):
        datasets.load_adult(paper=True)
