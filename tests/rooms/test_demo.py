"""demo.py: quick, offline, on the bundled Adult table; its words are borne out by its numbers."""

import socket

from twosdr import datasets, demo


def test_it_shows_the_disparity_before_and_after_without_a_network(monkeypatch, tmp_path, capsys):
    def no_network(*_, **__):
        raise AssertionError("the demo opened a connection")

    for name in ("connect", "connect_ex", "send", "sendto"):
        monkeypatch.setattr(socket.socket, name, no_network)
    monkeypatch.delenv("TWOSDR_DATA", raising=False)
    monkeypatch.setenv("TWOSDR_HOME", str(tmp_path))
    monkeypatch.setenv("COLUMNS", "200")
    found = demo.measured(datasets.load_adult())
    monkeypatch.setattr(demo, "measured", lambda adult: found)
    demo.main()
    said = capsys.readouterr().out
    before, after = (
        dict(zip(("men", "women", "ratio", "correlation", "accuracy"), row[1:], strict=True)) for row in found
    )
    for numbers in (before, after):
        line = f"{numbers['men']:.1%} │ {numbers['women']:.1%} │  {numbers['ratio']:.2f} │"
        assert line.replace(" ", "") in said.replace(" ", "")
    assert "16,281 people" in said
    assert "bundled copy" in said
    assert list(tmp_path.iterdir()) == []
    # What its words say.
    assert before["ratio"] < 0.35 < 0.75 < after["ratio"] < 1
    assert before["correlation"] > 0.3
    assert abs(after["correlation"]) < 0.03
    assert 0 < before["accuracy"] - after["accuracy"] < 0.02
