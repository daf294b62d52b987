"""`twosdr demo`: offline, on the bundled Adult table; its words are borne out by its numbers, and what it says to try next works."""

import json
import shlex
import socket
from pathlib import Path

import pytest

from twosdr.audit import Comparison
from twosdr.cli import demonstrating


@pytest.fixture
def no_network(monkeypatch, tmp_path):
    def refuse(*_, **__):
        raise AssertionError("the demo opened a connection")

    for name in ("connect", "connect_ex", "send", "sendto"):
        monkeypatch.setattr(socket.socket, name, refuse)
    monkeypatch.delenv("TWOSDR_DATA", raising=False)
    monkeypatch.setenv("TWOSDR_HOME", str(tmp_path / "home"))


def test_it_shows_the_disparity_before_and_after_without_a_network(shell, no_network):
    said = shell("demo", "--json")
    assert said.code == 0, said.err
    found = Comparison.from_dict(json.loads(said.out)["comparison"])
    before, after = found["baseline"], found["2SDR"]
    assert before.n == after.n == 16_281
    assert before["sex"].measures["p_rule"].value < 0.35 < 0.75 < after["sex"].measures["p_rule"].value < 1
    assert before["sex"].measures["correlation"].value > 0.3
    assert after["sex"].measures["correlation"].value < 0.03
    assert 0 < before.overall["accuracy"].value - after.overall["accuracy"].value < 0.02
    page = Path("twosdr-demo.html")
    assert str(page.resolve()) in "".join(said.err.split())
    assert "Becker" in said.err
    assert not Path("home").exists()
    assert page.read_text().count("<section") >= 8
    for command in demonstrating.NEXT:
        assert command in said.err


def test_what_it_says_to_try_next_works(shell):
    for command in demonstrating.NEXT[::2]:  # the fit between them is the demo's own with one option more
        words = shlex.split(command.replace("model.json", "mine.json"))[1:]
        if words[0] == "predict":
            fit = shlex.split(demonstrating.NEXT[1].replace("model.json", "mine.json"))[1:]
            small = Path("adult.csv").read_text().splitlines()[:3000]
            Path("adult.csv").write_text("\n".join(small) + "\n")
            assert shell(*fit).code == 0
        said = shell(*words)
        assert said.code == 0, said.err
    assert len(Path("predictions.csv").read_text().splitlines()) == 3000
