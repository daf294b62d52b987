"""_reading.py: text files are read strictly; whatever is odd is named with its file and line."""

import pytest

from tests.rooms.samples import refused
from twosdr.datasets._reading import complete, dummies, numbers, numeric_table, texts, with_header, without_header
from twosdr.datasets.recipes import Unfit
from twosdr.errors import NotReadable


@pytest.fixture
def file(tmp_path):
    def write(content):
        path = tmp_path / "table.csv"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def test_blanks_are_stripped_and_gaps_are_missing(file):
    text = without_header(file(" 1, a \r\n?,\n\n3.0,NA\n"), ("n", "label"))
    assert text.integers("n").to_pylist() == [1, None, 3]
    assert text.labels("label").to_pylist() == ["a", None, None]


def test_a_byte_order_mark_and_quotes_are_no_part_of_a_name(file):
    text = with_header(file(b'\xef\xbb\xbf"day",b\n2013-08-14 06:03:42,"x, y"\n'), ("day", "b"))
    assert [str(day) for day in text.days("day").to_pylist()] == ["2013-08-14"]
    assert text.labels("b").to_pylist() == ["x, y"]


def test_of_two_columns_of_one_name_the_first_counts(file):
    assert with_header(file("a,b,a\n1,2,3\n"), ("a",)).integers("a").to_pylist() == [1]


@pytest.mark.parametrize("content", ["", "\n\n", "a,b\n"])
def test_no_rows_are_refused(file, content):
    with refused(NotReadable, "table.csv", "holds no rows"):
        with_header(file(content), ("a",))


def test_bytes_and_open_quotes_are_refused(file):
    with refused(NotReadable, "table.csv", "no text file", "byte 2"):
        with_header(file(b"a\n\xff\xfe"), ("a",))
    with refused(NotReadable, "table.csv", "line 2"):
        with_header(file('a\n"1'), ("a",))


@pytest.mark.parametrize(
    ("read", "value", "expected"),
    [
        ("integers", "1.5", "a whole number"),
        ("integers", "9" * 20, "a whole number"),
        ("integers", "1e300", "a whole number"),
        ("integers", "nan", "a whole number"),
        ("floats", "one", "a number"),
        ("floats", "inf", "a number"),
        ("days", "14/08/2013", "a date such as"),
    ],
)
def test_a_value_of_another_kind_is_named(file, read, value, expected):
    text = with_header(file(f"a\n\n{value}\n"), ("a",))
    with refused(NotReadable, "table.csv", "line 3", '"a"', f'"{value}"', expected):
        getattr(text, read)("a")


def test_labels_can_be_limited_and_lose_what_ends_them(file):
    text = with_header(file("a\nyes.\nno\n"), ("a",))
    assert text.labels("a", allowed=("yes", "no"), strip=".").to_pylist() == ["yes", "no"]
    with refused(NotReadable, '"yes."', 'one of "no", "yes"'):
        text.labels("a", allowed=("yes", "no"))


def test_dummies_leave_out_the_alphabetically_first_level():
    table = numeric_table({"a": ["b c", "A-b", None, "d-e"], "n": [1.0, 2.0, 3.0, None]})
    table = complete(table)
    assert table.num_rows == 2
    found = dummies("a", texts(table, "a"))
    assert {name: values.tolist() for name, values in found.items()} == {"a_b_c": [1.0, 0.0]}
    assert complete(numeric_table({"a": [None, 1], "b": [1, None]}), ["a"]).num_rows == 1


def test_a_first_line_that_is_no_header_is_not_repeated(file):
    # It may be a person's: Compas begins with a number, a name and a birth date.
    path = file("1,miguel someone,1947-04-18\n")
    with pytest.raises(NotReadable) as caught:
        with_header(path, ("sex", "age"))
    assert "miguel" not in str(caught.value)
    for part in (str(path), "names none of the columns expected", '"sex", "age"'):
        assert part in str(caught.value)


def test_a_table_with_gaps_is_not_made_numeric():
    table = numeric_table({"a": ["b", None], "n": [None, 2.0]})
    for read, name in ((texts, "a"), (numbers, "n")):
        with pytest.raises(Unfit, match=f'"{name}" is missing in 1 row'):
            read(table, name)
    with pytest.raises(Unfit, match=r'no row is complete.*"a", "n"'):
        complete(table)
