"""copies.py: originals come first, then the bundled file; the network never, and the error names the file."""

import errno
import os
import socket
import sys
from pathlib import Path

import pytest

from tests.rooms.datasets import toy
from tests.rooms.datasets.originals import FILES
from tests.rooms.samples import refused
from twosdr import datasets
from twosdr.datasets import base, copies
from twosdr.datasets.recipes import digest
from twosdr.errors import DataNotFound, DataWarning, NotReadable

BUNDLED = ("adult", "communities", "compas", "german")


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


def test_the_data_home_is_read_and_TWOSDR_DATA_comes_before_it(toy_folder, monkeypatch, tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    (home / toy.NAME).write_bytes(toy.CONTENT)
    assert str(home) in datasets.load("toy").provenance.note
    (toy_folder / toy.NAME).write_bytes(toy.CONTENT)
    [path] = datasets.load("toy").provenance.sha256
    assert path == str(toy_folder / toy.NAME)


def test_other_line_ends_are_the_same_contents(toy_folder):
    (toy_folder / toy.NAME).write_bytes(toy.CONTENT.replace(b"\n", b"\r\n"))
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


def test_an_original_with_other_contents_is_read_with_a_warning_and_says_so(toy_folder):
    (toy_folder / toy.NAME).write_bytes(b"s,y\n1,2\n")
    with pytest.warns(DataWarning, match="not those that were published") as caught:
        data = datasets.load("toy")
    assert toy.NAME in str(caught[0].message)
    assert not data.provenance.verified
    assert "Not the published contents" in data.provenance.note
    assert data.n_rows == 1


def test_what_is_nowhere_says_the_one_call_that_gets_it(toy_folder):
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


@pytest.mark.parametrize(
    "damage", [lambda b: b[:-1], lambda b: b"", lambda b: b"x" + b[1:]], ids=["cut", "empty", "bit"]
)
def test_a_damaged_bundled_file_is_named_with_what_was_expected(damage, monkeypatch, tmp_path):
    bundle = base.RECIPES["german"].bundle
    content = damage((copies.BUNDLED / bundle.file).read_bytes())
    (tmp_path / bundle.file).write_bytes(content)
    monkeypatch.setattr(copies, "BUNDLED", tmp_path)
    with refused(NotReadable, str(tmp_path / bundle.file), "damaged", bundle.sha256, digest(content)):
        datasets.load_german()


def test_a_bundled_file_that_is_gone_is_named(monkeypatch, tmp_path):
    monkeypatch.setattr(copies, "BUNDLED", tmp_path)
    with refused(NotReadable, str(tmp_path / "adult.parquet"), "Install twosdr again"):
        datasets.load_adult()


# A machine without a home


def without_a_home():
    raise RuntimeError("Could not determine home directory.")


def test_whoever_has_no_home_folder_has_what_is_bundled(monkeypatch):
    for name in ("TWOSDR_HOME", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", staticmethod(without_a_home))
    assert datasets.load_german().provenance.copy == "bundled"
    with refused(DataNotFound, 'twosdr.datasets.fetch("lsac")', "TWOSDR_HOME", "set here"):
        datasets.load_lsac()
    for ask in (datasets.data_home, lambda: datasets.fetch("german")):
        with refused(DataNotFound, "no home folder", "TWOSDR_HOME="):
            ask()


def no_look(path, **_):
    raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))


def test_a_platforms_cache_that_is_anothers_is_passed_over(monkeypatch, tmp_path):
    monkeypatch.delenv("TWOSDR_HOME")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(Path, "stat", no_look)
    assert datasets.load_german().provenance.copy == "bundled"


@pytest.mark.parametrize("variable", ["TWOSDR_HOME", "TWOSDR_DATA"])
def test_a_named_folder_that_may_not_be_looked_into_is_not_passed_over(variable, monkeypatch, tmp_path):
    monkeypatch.setenv(variable, str(tmp_path))
    monkeypatch.setattr(Path, "stat", no_look)
    with refused(NotReadable, str(tmp_path), "cannot be looked at", "Permission denied"):
        datasets.load_german()


def test_a_folder_under_the_name_of_an_original_is_none(toy_folder):
    (toy_folder / toy.NAME).mkdir()
    with refused(DataNotFound, toy.NAME):
        datasets.load("toy")


def test_an_original_that_cannot_be_read_is_named(toy_folder, monkeypatch):
    (toy_folder / toy.NAME).write_bytes(toy.CONTENT)
    monkeypatch.setattr(Path, "read_bytes", no_look)
    with refused(NotReadable, str(toy_folder / toy.NAME), "cannot be read", "Permission denied"):
        datasets.load("toy")
