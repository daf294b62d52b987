"""Every test starts with what a new visitor has: bundled data, no originals; `originals` gives the published files, or skips."""

import pytest


@pytest.fixture(autouse=True)
def a_new_machine(monkeypatch, tmp_path):
    from twosdr.paper.protocols import dataset

    monkeypatch.delenv("TWOSDR_DATA", raising=False)
    monkeypatch.setenv("TWOSDR_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("COLUMNS", "100")
    dataset.cache_clear()
    yield
    dataset.cache_clear()


@pytest.fixture
def originals(monkeypatch):
    """Called with names of files: TWOSDR_DATA is set to the folder that has them, or the test is skipped and says why."""
    from tests.rooms.datasets.originals import folder_with

    def use(*names):
        folder = folder_with(*names)
        monkeypatch.setenv("TWOSDR_DATA", str(folder))
        return folder

    return use
