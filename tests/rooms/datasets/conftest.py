"""Every test starts without originals and with an empty data home: what a new visitor has."""

import pytest


@pytest.fixture(autouse=True)
def a_new_machine(monkeypatch, tmp_path):
    monkeypatch.delenv("TWOSDR_DATA", raising=False)
    monkeypatch.setenv("TWOSDR_HOME", str(tmp_path / "home"))


@pytest.fixture
def originals(monkeypatch):
    """Called with names of files: TWOSDR_DATA is set to the folder that has them, or the test is skipped."""
    from tests.rooms.datasets.originals import folder_with

    def use(*names):
        folder = folder_with(*names)
        monkeypatch.setenv("TWOSDR_DATA", str(folder))
        return folder

    return use


@pytest.fixture
def toy_folder(monkeypatch, tmp_path):
    """A registry with the toy in it, and a folder for its file that TWOSDR_DATA names."""
    from tests.rooms.datasets import toy
    from twosdr.datasets import base

    monkeypatch.setattr(base, "RECIPES", {**base.RECIPES, "toy": toy.recipe()})
    monkeypatch.setenv("TWOSDR_DATA", str(tmp_path))
    return tmp_path
