"""base.py: a data set is a frozen value that says where its rows came from; originals come first, the network never."""

import dataclasses
import socket
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from tests.rooms.datasets import toy
from tests.rooms.datasets.originals import FILES
from tests.rooms.samples import refused
from twosdr import datasets, tables
from twosdr.datasets import base
from twosdr.errors import DataNotFound, DataWarning, NotReadable, ParameterError
from twosdr.roles import resolve

BUNDLED = ("adult", "communities", "compas", "german")
EVERY = [(name, paper) for name in BUNDLED for paper in (False, True)]


@pytest.fixture
def toys(monkeypatch, tmp_path):
    """A registry with the toy in it, and a folder for its file that TWOSDR_DATA names."""
    monkeypatch.setattr(base, "RECIPES", {**base.RECIPES, "toy": toy.recipe()})
    monkeypatch.setenv("TWOSDR_DATA", str(tmp_path))
    return tmp_path


def test_the_five_sets_of_the_paper_have_a_loader_each():
    assert datasets.names() == ("adult", "communities", "compas", "german", "lsac")
    for name in datasets.names():
        assert getattr(datasets, f"load_{name}").__doc__


@pytest.mark.parametrize(("name", "paper"), EVERY)
def test_a_loader_gives_a_frozen_value_with_a_pyarrow_table(name, paper):
    data = getattr(datasets, f"load_{name}")(paper=paper)
    assert isinstance(data, datasets.Dataset)
    assert isinstance(data.table, pa.Table)
    assert data.n_rows == data.table.num_rows
    assert name in repr(data)
    with pytest.raises(dataclasses.FrozenInstanceError):
        data.target = "another"
    with pytest.raises(dataclasses.FrozenInstanceError):
        data.provenance.rows = 1


@pytest.mark.parametrize(("name", "paper"), EVERY)
def test_the_table_goes_to_pandas_and_polars(name, paper):
    data = datasets.load(name, paper=paper)
    for frame, kind in ((data.to_pandas(), pd.DataFrame), (data.to_polars(), pl.DataFrame)):
        assert isinstance(frame, kind)
        assert frame.shape == data.table.shape
        assert list(frame.columns) == data.table.column_names


@pytest.mark.parametrize(("name", "paper"), EVERY)
def test_the_suggested_roles_divide_the_columns(name, paper):
    data = datasets.load(name, paper=paper)
    columns = set(data.table.column_names)
    assert {data.target, *data.sensitive, *data.explanatory, *data.left_out, *data.attributes} <= columns
    assert all(reason for reason in data.left_out.values())
    assert not {*data.left_out, data.target} & set(data.X.column_names)
    assert columns == {data.target, *data.left_out, *data.X.column_names}
    # An estimator takes them as they are: nothing but missing values has to be decided.
    roles = resolve(
        tables.read(data.X), sensitive=data.sensitive, explanatory=data.explanatory, handle_missing="category"
    )
    assert set(roles.columns("s")) == set(data.sensitive)
    assert roles.columns("x")


@pytest.mark.parametrize(("name", "paper"), EVERY)
def test_the_positive_label_is_one_of_two_or_the_target_is_a_number(name, paper):
    data = datasets.load(name, paper=paper)
    levels = set(np.unique(data.y).tolist())
    if data.positive is None:
        assert len(levels) > 10
    else:
        assert len(levels) == 2
        assert data.positive in levels


@pytest.mark.parametrize("name", BUNDLED)
def test_the_papers_table_is_numbers_without_gaps(name):
    table = datasets.load(name, paper=True).table
    assert set(table.schema.types) == {pa.float64()}
    assert all(np.isfinite(column.to_numpy()).all() for column in table.columns)


@pytest.mark.parametrize("paper", [False, True])
@pytest.mark.parametrize("name", BUNDLED)
def test_names_have_underscores_and_labels_are_stripped(name, paper):
    table = datasets.load(name, paper=paper).table
    assert all(column.isidentifier() for column in table.column_names)
    for column in table.columns:
        if column.type == pa.string():
            labels = [label for label in column.unique().to_pylist() if label is not None]
            assert labels == [label.strip() for label in labels]
            assert "?" not in labels


@pytest.mark.parametrize("name", BUNDLED)
def test_provenance_says_what_was_read(name):
    data = datasets.load(name)
    said = data.provenance
    assert said.copy == ("stand-in" if name == "communities" else "bundled")
    assert said.source
    assert said.licence
    assert said.citation
    assert "tools/bundle_datasets.py" in said.note
    assert said.rows == data.n_rows
    [(path, sha)] = said.sha256.items()
    assert base.digest(Path(path).read_bytes()) == sha
    assert said.verified
    assert datasets.load(name, paper=True).provenance == said


CAVEATS = {
    "adult": ["50,000 dollars of 1994", "underscores", "stripped"],
    "german": ["contested", "underscores"],
    "compas": ["leak the outcome", "dropped"],
    "lsac": ["age is not an age", "stripped"],
    "communities": ["970 to 1,024", "stand-in"],
}


@pytest.mark.parametrize("name", CAVEATS)
def test_the_card_tells_the_known_caveats_and_whom_to_cite(name):
    recipe = base.RECIPES[name]
    for words in [*CAVEATS[name], "paper=True"]:
        assert words in recipe.card
    if name in BUNDLED:
        data = datasets.load(name)
        for part in (recipe.title, recipe.source, recipe.licence, recipe.citation, data.provenance.note):
            assert part in data.card


def test_one_load_does_not_share_what_can_be_changed_with_the_next():
    first = datasets.load_adult()
    first.left_out["age"] = "changed"
    assert "age" not in datasets.load_adult().left_out


# Where rows come from


@pytest.mark.parametrize("name", ["adult", "compas", "german"])
def test_the_original_is_preferred_and_holds_the_same_table(name, originals):
    bundled = datasets.load(name)
    folder = originals(*FILES[name])
    original = datasets.load(name)
    assert original.provenance.copy == "original"
    assert str(folder) in original.provenance.note
    assert original.provenance.verified
    assert set(original.provenance.sha256) == {str(folder / file) for file in FILES[name]}
    assert original.table.equals(bundled.table)
    assert original.splits == () or (original.part == bundled.part).all()


def test_the_data_home_is_read_and_TWOSDR_DATA_comes_before_it(toys, monkeypatch, tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    (home / toy.NAME).write_bytes(toy.CONTENT)
    assert str(home) in datasets.load("toy").provenance.note
    (toys / toy.NAME).write_bytes(toy.CONTENT)
    [path] = datasets.load("toy").provenance.sha256
    assert path == str(toys / toy.NAME)


def test_other_line_ends_are_the_same_contents(toys):
    (toys / toy.NAME).write_bytes(toy.CONTENT.replace(b"\n", b"\r\n"))
    assert datasets.load("toy").provenance.verified


@pytest.mark.parametrize("name", ["communities", "compas"])
def test_an_original_with_its_crlf_turned_into_lf_is_the_original(name, originals, monkeypatch, tmp_path):
    folder = originals(*FILES[name])
    for file in FILES[name]:
        content = (folder / file).read_bytes()
        assert b"\r\n" in content
        (tmp_path / file).write_bytes(content.replace(b"\r\n", b"\n"))
    expected = datasets.load(name).table
    monkeypatch.setenv("TWOSDR_DATA", str(tmp_path))
    other = datasets.load(name)
    assert other.provenance.verified
    assert other.table.equals(expected)


def test_an_original_with_other_contents_is_read_with_a_warning_and_says_so(toys):
    (toys / toy.NAME).write_bytes(b"s,y\n1,2\n")
    with pytest.warns(DataWarning, match="not those that were published") as caught:
        data = datasets.load("toy")
    assert toy.NAME in str(caught[0].message)
    assert not data.provenance.verified
    assert "Not the published contents" in data.provenance.note
    assert data.n_rows == 1


def test_what_is_nowhere_says_the_one_call_that_gets_it(toys):
    with refused(DataNotFound, 'twosdr.datasets.fetch("toy")', str(datasets.data_home()), toy.NAME, "TWOSDR_DATA"):
        datasets.load("toy")
    with refused(DataNotFound, 'twosdr.datasets.fetch("lsac")', "law_school_admissions.csv"):
        datasets.load_lsac()


def test_loaders_never_touch_the_network(monkeypatch):
    def no_network(*_, **__):
        raise AssertionError("a loader opened a connection")

    for name in ("connect", "connect_ex", "send", "sendto"):
        monkeypatch.setattr(socket.socket, name, no_network)
    monkeypatch.setattr(socket, "getaddrinfo", no_network)
    for name in BUNDLED:
        datasets.load(name)
    with pytest.raises(DataNotFound):
        datasets.load_lsac()


def test_a_folder_that_is_none_is_not_passed_over(monkeypatch, tmp_path):
    monkeypatch.setenv("TWOSDR_DATA", str(tmp_path / "absent"))
    with refused(DataNotFound, "TWOSDR_DATA", str(tmp_path / "absent"), "no folder"):
        datasets.load_adult()


def test_an_empty_variable_is_an_unset_one(monkeypatch):
    monkeypatch.setenv("TWOSDR_DATA", "")
    assert datasets.load_german().provenance.copy == "bundled"


@pytest.mark.parametrize(
    ("platform", "variables", "expected"),
    [
        ("linux", {"TWOSDR_HOME": "mine"}, "mine"),
        ("linux", {"XDG_CACHE_HOME": "cache"}, "cache/twosdr"),
        ("linux", {"HOME": "me"}, "me/.cache/twosdr"),
        ("darwin", {"HOME": "me"}, "me/Library/Caches/twosdr"),
        ("win32", {"LOCALAPPDATA": "local"}, "local/twosdr/Cache"),
    ],
)
def test_the_data_home_is_the_platforms_cache_folder(platform, variables, expected, monkeypatch):
    for name in ("TWOSDR_HOME", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "platform", platform)
    assert datasets.data_home() == Path(expected)


# What is refused


@pytest.mark.parametrize("call", [datasets.load, datasets.fetch])
def test_an_unknown_name_is_told_the_nearest_and_all(call):
    with refused(ParameterError, '"adlut"', 'Did you mean "adult"?', '"communities"', '"lsac"'):
        call("adlut")
    with refused(ParameterError, "There are"):
        call(3)


@pytest.mark.parametrize(
    "damage", [lambda b: b[:-1], lambda b: b"", lambda b: b"x" + b[1:]], ids=["cut", "empty", "bit"]
)
def test_a_damaged_bundled_file_is_named_with_what_was_expected(damage, monkeypatch, tmp_path):
    bundle = base.RECIPES["german"].bundle
    content = damage((base.BUNDLED / bundle.file).read_bytes())
    (tmp_path / bundle.file).write_bytes(content)
    monkeypatch.setattr(base, "BUNDLED", tmp_path)
    with refused(NotReadable, str(tmp_path / bundle.file), "damaged", bundle.sha256, base.digest(content)):
        datasets.load_german()


def test_a_bundled_file_that_is_gone_is_named(monkeypatch, tmp_path):
    monkeypatch.setattr(base, "BUNDLED", tmp_path)
    with refused(NotReadable, str(tmp_path / "adult.parquet"), "Install twosdr again"):
        datasets.load_adult()


# What it costs


def test_importing_loads_neither_pyarrow_nor_pandas_and_loading_needs_no_pandas():
    code = (
        "import sys\n"
        "class Without:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name in ('pandas', 'polars'):\n"
        "            raise ImportError(name)\n"
        "sys.meta_path.insert(0, Without())\n"
        "import twosdr; twosdr.datasets\n"
        "assert not {'pyarrow', 'rich', 'rdata', 'scipy', 'sklearn', 'urllib3'} & set(sys.modules)\n"
        "for name in ('adult', 'communities', 'compas', 'german'):\n"
        "    for paper in (False, True):\n"
        "        twosdr.datasets.load(name, paper=paper)\n"
        "twosdr.datasets.make_two_stage(10, random_state=0).table\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
