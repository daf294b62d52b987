"""A small table as text, HTML and data frames."""

import pytest

from twosdr.audit.sheet import Sheet
from twosdr.metrics import Estimate

SHEET = Sheet(
    "Title",
    ("who", "n", "rate"),
    (
        ("women", 1234, Estimate(0.5, (0.4, 0.6), 10, method="a rate")),
        ("men", 5, Estimate(None, why="nobody")),
        ("x", None, None),
    ),
    ("A note.",),
)


def test_text_aligns_numbers_and_shows_holes_as_dashes():
    assert repr(SHEET).splitlines() == [
        "Title",
        "=====",
        "who        n               rate",
        "women  1,234  .500 [.400, .600]",
        "men        5                  -",
        "x          -                  -",
        "A note.",
    ]


@pytest.mark.parametrize("width", [40, 60, 100])
def test_words_are_cut_to_the_width_and_numbers_are_not(width):
    wide = Sheet("t" * 150, ("name", "n"), (("word " * 40, 123456789), ("b", 1)), ("note " * 50,))
    lines = wide.text(width).splitlines()
    assert max(map(len, lines)) <= width
    assert any("123,456,789" in line for line in lines)
    assert any("…" in line for line in lines)


def test_a_name_with_line_breaks_does_not_tear_the_table():
    assert len(Sheet("", ("a",), (("one\ntwo\r\n\tthree",),)).lines()) == 2


def test_html_escapes_all_text():
    evil = "<script>alert('x')</script>\"&"
    html = Sheet(evil, (evil,), ((evil,),), (evil,))._repr_html_()
    assert "<script>" not in html
    assert html.count("&lt;script&gt;") == 4


def test_plain_data_and_frames_hold_estimates_in_full():
    row = SHEET.to_dict()["rows"][0]
    assert row["rate"] == {"value": 0.5, "low": 0.4, "high": 0.6, "n": 10, "why": "", "how": "a rate"}
    frame = SHEET.to_pandas()
    assert list(frame.columns) == ["who", "n", "rate", "rate low", "rate high", "rate why", "rate how"]
    assert frame["rate why"].tolist() == ["", "nobody", ""]
    assert SHEET.to_polars().shape == (3, 7)
    assert SHEET.to_arrow().column("rate low").to_pylist() == [0.4, None, None]


def test_rows_can_be_walked():
    assert len(SHEET) == 3
    assert [row["who"] for row in SHEET] == ["women", "men", "x"]
    assert SHEET.titled("Other").title == "Other"
