"""base.py: a data set is a frozen value that says where its rows came from; originals come first, the network never."""

import dataclasses
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from tests.rooms.samples import refused
from twosdr import datasets, tables
from twosdr.datasets import base
from twosdr.errors import ParameterError
from twosdr.roles import resolve

BUNDLED = ("adult", "communities", "compas", "german")
EVERY = [(name, paper) for name in BUNDLED for paper in (False, True)]


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
    "compas": ["leak the outcome", "dropped", "underscores", "stripped"],
    "lsac": ["age is not an age", "stripped"],
    "communities": ["970 to 1,024", "stand-in", "stripped"],
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


# What is refused


@pytest.mark.parametrize("call", [datasets.load, datasets.fetch])
def test_an_unknown_name_is_told_the_nearest_and_all(call):
    with refused(ParameterError, '"adlut"', 'Did you mean "adult"?', '"communities"', '"lsac"'):
        call("adlut")
    with refused(ParameterError, 'Did you mean "adult"?'):
        call("ADULT")
    with refused(ParameterError, "There are"):
        call(3)


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
