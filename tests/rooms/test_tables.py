"""tables/: any container becomes named columns, and what is no table is told what it is."""

import datetime
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

from tests.rooms.samples import CONTAINERS, NAMELESS, NUMERIC, frame, numbers, people, refused, same
from twosdr import tables
from twosdr.errors import ColumnError, KindError, MissingValueError, TableError

KINDS = {"sex": "text", "race": "text", "age": "number", "skill": "number", "hours": "number", "part_time": "bool"}


def values(column):
    """What a column says, row by row, with None for what is missing."""
    if column.levels is None:
        return [None if v != v else float(v) for v in column.values.tolist()]
    return [None if code < 0 else column.levels[code] for code in column.values.tolist()]


@pytest.mark.parametrize("container", CONTAINERS)
def test_every_container_gives_the_same_columns(container):
    columns = people()
    table = tables.read(CONTAINERS[container](columns))
    assert table.names == tuple(columns)
    assert table.named
    assert table.n_rows == 60
    for name, expected in columns.items():
        column = table.column(name)
        assert column.kind == KINDS[name]
        assert values(column) == expected.tolist()
        assert not column.missing().any()


@pytest.mark.parametrize("container", NAMELESS)
def test_without_names_columns_are_called_by_their_place(container):
    columns = people()
    table = tables.read(NAMELESS[container](columns))
    assert table.names == ("x0", "x1", "x2", "x3", "x4", "x5")
    assert not table.named
    for name, expected in zip(table.names, columns.values(), strict=True):
        assert values(table.column(name)) == expected.tolist()


@pytest.mark.parametrize("container", NUMERIC)
def test_every_container_of_numbers_gives_the_same_numbers(container):
    rows = numbers(people())
    table = tables.read(NUMERIC[container](rows))
    assert table.n_rows == len(rows)
    assert same(np.column_stack([table.column(name).values for name in table.names]), rows)


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int64", "float16", "float32", ">f8", "bool"])
def test_every_number_type_of_numpy_is_read(dtype):
    rows = np.array([[0, 1], [1, 0], [1, 1]], dtype=dtype)
    table = tables.read(rows)
    assert [values(table.column(n)) for n in table.names] == [[0, 1, 1], [1, 0, 1]]


def test_numbers_are_views_of_the_visitors_memory():
    rows = numbers(people())
    table = tables.read(rows)
    assert np.shares_memory(table.column("x1").values, rows)
    polars = pl.DataFrame({"a": [1.0, 2.0]})
    assert np.shares_memory(tables.read(polars).column("a").values, polars["a"].to_numpy())


def test_levels_are_sorted_and_only_those_that_occur():
    column = tables.read(pd.DataFrame({"c": pd.Categorical(["b", "a", "b"], categories=["z", "b", "a"])})).column("c")
    assert column.levels == ("a", "b")
    assert column.values.tolist() == [1, 0, 1]


@pytest.mark.parametrize(
    "column",
    [
        pd.Series(["a", None, "b", np.nan], dtype=object),
        pd.Series(["a", None, "b", None], dtype="string"),
        pd.Series(["a", pd.NA, "b", pd.NA], dtype=object),
        pd.Series(["a", None, "b", None], dtype="category"),
        pl.Series(["a", None, "b", None]),
        pl.Series(["a", None, "b", None], dtype=pl.Categorical),
        pa.array(["a", None, "b", None]),
        pa.array(["a", None, "b", None]).dictionary_encode(),
    ],
    ids=["object", "string", "NA", "category", "polars", "Categorical", "arrow", "dictionary"],
)
def test_nothing_written_as_nan_none_or_na_is_one_thing_in_text(column):
    table = tables.read(pa.table({"c": column}) if isinstance(column, pa.Array) else column.rename("c").to_frame())
    assert values(table.column("c")) == ["a", None, "b", None]
    assert table.column("c").missing().tolist() == [False, True, False, True]


@pytest.mark.parametrize(
    "column",
    [
        pd.Series([1.5, None, 2.5, np.nan]),
        pd.Series([1.5, None, 2.5, np.nan], dtype=object),
        pd.Series([1.5, pd.NA, 2.5, None], dtype="Float64"),
        pl.Series([1.5, None, 2.5, float("nan")]),
    ],
    ids=["float", "object", "Float64", "polars"],
)
def test_nothing_is_one_thing_in_numbers(column):
    assert values(tables.read(column.rename("c").to_frame()).column("c")) == [1.5, None, 2.5, None]


@pytest.mark.parametrize(
    "column",
    [pd.Series([True, None, False], dtype="boolean"), pd.Series([True, None, False]), pl.Series([True, None, False])],
    ids=["boolean", "object", "polars"],
)
def test_a_boolean_with_gaps_stays_a_boolean(column):
    found = tables.read(column.rename("c").to_frame()).column("c")
    assert found.kind == "bool"
    assert values(found) == [True, None, False]


def test_the_word_nan_is_a_word():
    assert values(tables.read({"c": ["nan", "None", "", None]}).column("c")) == ["nan", "None", "", None]


@pytest.mark.parametrize("nothing", [None, np.nan, pd.NA])
def test_a_column_of_nothing_is_empty_not_a_kind(nothing):
    column = tables.read(pd.DataFrame({"c": pd.Series([nothing] * 3, dtype=object)})).column("c")
    assert column.kind == "empty"
    assert column.missing().all()
    for X in ({"c": [nothing] * 3}, [[nothing]] * 3, np.array([[nothing]] * 3, dtype=object)):
        table = tables.read(X)
        assert table.column(table.names[0]).missing().all()


def test_objects_that_are_all_numbers_are_numbers():
    table = tables.read(
        pd.DataFrame(
            {
                "a": pd.Series([1, 2.5, None], dtype=object),
                "b": pd.Series([True, 2, 3.0], dtype=object),
                "c": pd.Series([Decimal(1), Decimal("2.5"), None], dtype=object),
                "d": pd.Series([np.int64(1), np.float32(2.5), None], dtype=object),
                "e": pd.Series([10**30, 2, None], dtype=object),
                "f": pd.Series([Fraction(1, 4), 2, None], dtype=object),
            }
        )
    )
    assert values(table.column("a")) == [1.0, 2.5, None]
    assert values(table.column("b")) == [1.0, 2.0, 3.0]
    assert values(table.column("c")) == [1.0, 2.5, None]
    assert values(table.column("d")) == [1.0, 2.5, None]
    assert values(table.column("e")) == [1e30, 2.0, None]
    assert values(table.column("f")) == [0.25, 2.0, None]


@pytest.mark.parametrize(
    "column",
    [
        np.array([1.5, 2.5]).astype(np.longdouble),
        pd.arrays.SparseArray([1.5, 2.5]),
        pd.arrays.ArrowExtensionArray(pa.array(np.array([1.5, 2.5], dtype=np.float16))),
    ],
    ids=["long double", "pandas sparse", "arrow half"],
)
def test_rarer_numbers_of_pandas_are_numbers(column):
    assert values(tables.read(pd.DataFrame({"c": column})).column("c")) == [1.5, 2.5]


def test_the_widest_whole_numbers_of_polars_are_numbers():
    column = pl.Series([10**30, 2, None], dtype=pl.Int128)
    assert values(tables.read(column.rename("c").to_frame()).column("c")) == [1e30, 2.0, None]


def test_whole_numbers_past_the_last_signed_one_are_numbers():
    for given in (pd.Series([2**63, 1]), pl.Series([2**63, 1]), pd.Series([2**63, 1], dtype=object)):
        assert values(tables.read(given.rename("c").to_frame()).column("c")) == [2.0**63, 1.0]


def test_categories_of_numbers_keep_their_numbers_as_levels():
    column = tables.read(pd.DataFrame({"c": pd.Categorical([20, 10, 20])})).column("c")
    assert (column.kind, column.levels) == ("number", (10, 20))


DATES = {
    "datetime64": pd.Series(pd.to_datetime(["2020-01-01", "2020-02-01"])),
    "with a zone": pd.Series(pd.to_datetime(["2020-01-01", "2020-02-01"], utc=True)),
    "timedelta": pd.Series(pd.to_timedelta([1, 2], unit="D")),
    "date objects": pd.Series([datetime.date(2020, 1, 1), datetime.date(2020, 2, 1)], dtype=object),
    "time objects": pd.Series([datetime.time(1), datetime.time(2)], dtype=object),
    "datetime objects": pd.Series([datetime.datetime(2020, 1, 1), None], dtype=object),
    "period": pd.Series(pd.period_range("2020-01", periods=2, freq="M")),
    "category of dates": pd.Series(pd.to_datetime(["2020-01-01", "2020-02-01"])).astype("category"),
    "polars Date": pl.Series([datetime.date(2020, 1, 1), None]),
    "polars Datetime": pl.Series([datetime.datetime(2020, 1, 1), None]),
    "polars Duration": pl.Series([datetime.timedelta(1), None]),
    "polars Time": pl.Series([datetime.time(1), None]),
}


@pytest.mark.parametrize("column", DATES)
def test_a_date_is_told_how_to_become_a_number(column):
    table = tables.read(DATES[column].rename("hired").to_frame())
    with refused(KindError, '"hired"', "dates or times", "days since", "drop="):
        table.column("hired")


def test_a_numpy_array_of_dates_is_told_as_well():
    with refused(KindError, '"x0"', "dates or times"):
        tables.read(np.array([["2020-01-01"]], dtype="datetime64[D]")).column("x0")


MIXED = {
    "numbers and text": [1, "a", 2.5, "b"],
    "booleans and text": [True, "a", False, "b"],
    "dates and text": [datetime.date(2020, 1, 1), "a"],
    "complex": [1j, 2],
    "objects": [object(), object()],
}


@pytest.mark.parametrize("objects", MIXED)
def test_a_mixed_column_is_named_with_what_it_mixes(objects):
    column = pd.Series(MIXED[objects], dtype=object)
    with refused(KindError, '"odd"', *{type(v).__name__ for v in MIXED[objects]}, "one kind"):
        tables.read(pd.DataFrame({"odd": column})).column("odd")


def test_categories_of_several_kinds_are_refused_by_name():
    with refused(KindError, '"odd"', "one kind"):
        tables.read(pd.DataFrame({"odd": pd.Categorical([1, "a", 1])})).column("odd")


NO_USE = {
    "lists": pd.Series([[1], [2]]),
    "tuples": pd.Series([(1, 2), (3, 4)]),
    "dicts": pd.Series([{"a": 1}, {"a": 2}]),
    "sets": pd.Series([{"a"}, {"b"}]),
    "arrays": pd.Series([np.zeros(2), np.zeros(2)]),
    "bytes": pd.Series([b"a", b"b"]),
    "intervals": pd.Series(pd.cut(pd.Series([1.0, 5.0]), [0, 2, 9])),
    "complex dtype": pd.Series([1j, 2j]),
    "polars List": pl.Series([[1], [2]]),
    "polars Struct": pl.Series([{"a": 1}, {"a": 2}]),
    "polars Binary": pl.Series([b"a", b"b"]),
    "polars Object": pl.Series([object(), object()], dtype=pl.Object),
}


@pytest.mark.parametrize("column", NO_USE)
def test_values_without_use_here_are_refused_by_name(column):
    with refused(KindError, '"odd"'):
        tables.read(NO_USE[column].rename("odd").to_frame()).column("odd")


def test_bands_from_pd_cut_are_told_to_become_text():
    bands = pd.cut(pd.Series([1.0, 5.0, 7.0]), [0, 2, 9])
    with refused(KindError, '"odd"', ".astype(str)"):
        tables.read(bands.rename("odd").to_frame()).column("odd")


NO_TABLES = {
    "a path": "people.csv",
    "bytes": b"people",
    "a number": 3,
    "nothing": None,
    "an object": object(),
    "a set": {1, 2},
    "a generator": (row for row in [[1, 2]]),
    "a 1-D array": np.zeros(3),
    "a 3-D array": np.zeros((3, 2, 2)),
    "an empty list": [],
    "a Series": pd.Series([1.0, 2.0], name="a"),
    "a polars Series": pl.Series("a", [1.0, 2.0]),
    "a 1-D sparse array": sp.coo_array(np.ones(3)),
}


@pytest.mark.parametrize("thing", NO_TABLES)
def test_what_is_no_table_is_told_what_it_is(thing):
    with refused(TableError, "X"):
        tables.read(NO_TABLES[thing])


@pytest.mark.parametrize("cells", [[[1], [2, 3]], [[1], [2]], [{"a": 1}, {"a": 2}], [[1], None]], ids=str)
@pytest.mark.parametrize("container", ["dict", "rows", "objects"])
def test_cells_that_hold_lists_are_refused(cells, container):
    objects = np.empty((2, 1), dtype=object)
    objects[:, 0] = cells
    X = {"dict": {"odd": cells}, "rows": [[cell] for cell in cells], "objects": objects}[container]
    with refused(TableError):
        tables.read(X).column("odd" if container == "dict" else "x0")


@pytest.mark.parametrize("rows", [[[1, 2], [3]], [["a", 1.0], ["b"]]], ids=["numbers", "mixed"])
def test_rows_of_unequal_length_are_refused(rows):
    with refused(TableError, "X"):
        tables.read(rows)


def test_a_lazy_frame_is_told_to_collect():
    with refused(TableError, "lazy", ".collect()"):
        tables.read(pl.LazyFrame({"a": [1]}))


def test_columns_of_a_dict_have_one_length():
    with refused(TableError, '"a": 2', '"b": 3'):
        tables.read({"a": [1, 2], "b": [1, 2, 3]})


def test_two_columns_of_one_name_are_refused_by_name():
    rows = frame()
    with refused(ColumnError, '"sex"', "Rename"):
        tables.read(pd.concat([rows, rows[["sex"]]], axis=1))
    with refused(ColumnError, '"a"', "Rename"):
        tables.read(pa.table([[1], [2]], names=["a", "a"]))


def test_names_of_several_types_are_refused_in_scikit_learns_words():
    with refused(KindError, "Feature names are only supported", ".astype(str)"):
        tables.read(frame().rename(columns={"sex": 0}))


def test_complex_numbers_are_refused_in_scikit_learns_words():
    for X in (np.ones((2, 2), dtype=complex), sp.csr_array(np.ones((2, 2), dtype=complex))):
        with refused(KindError, "Complex data not supported"):
            tables.read(X)
    with refused(KindError, "Complex data not supported", '"c"'):
        tables.read({"c": np.ones(2, dtype=complex)})


def test_hidden_values_of_a_masked_array_are_missing_not_read():
    rows = np.ma.masked_array([[1.0, 2.0], [3.0, 999.0]], mask=[[0, 0], [0, 1]])
    try:
        column = tables.read(rows).column("x1")
    except TableError:
        return
    assert values(column) == [2.0, None]


def test_a_record_batch_keeps_its_names():
    batch = pa.RecordBatch.from_pydict({"sex": ["f", "m"], "age": [1, 2]})
    assert tables.read(batch).names == ("sex", "age")


def test_a_read_table_is_read_as_it_is():
    table = tables.read(frame())
    assert tables.read(table) is table


def test_join_puts_columns_behind_and_compares_lengths():
    rows = frame()
    table = tables.read(rows[["age"]]).join(tables.read(rows[["sex", "race"]])).join(tables.read(rows[["hours"]]))
    assert table.names == ("age", "sex", "race", "hours")
    assert values(table.column("race")) == rows["race"].tolist()
    assert values(table.column("hours")) == rows["hours"].tolist()
    with refused(TableError, "60 rows", '"sex"', "3"):
        tables.read(rows[["age"]]).join(tables.read(rows[["sex"]][:3]))


TARGETS = {
    "list": lambda y: y.tolist(),
    "tuple": lambda y: tuple(y.tolist()),
    "array": lambda y: y,
    "object array": lambda y: y.astype(object),
    "pandas": pd.Series,
    "pandas, shifted index": lambda y: pd.Series(y, index=range(5, 5 + len(y))),
    "polars": pl.Series,
    "arrow": pa.array,
    "arrow chunks": lambda y: pa.chunked_array([y[:1], y[1:]]),
}


@pytest.mark.parametrize("container", TARGETS)
def test_a_flat_target_is_one_column(container):
    y = np.array([1.0, 2.5, -3.0])
    found = tables.target(TARGETS[container](y))
    assert found.flat
    assert found.values.tolist() == [[1.0], [2.5], [-3.0]]


def test_a_target_of_columns_keeps_its_names():
    found = tables.target(pd.DataFrame({"wage": [1, 2], "hours": [True, False]}))
    assert not found.flat
    assert found.names == ("wage", "hours")
    assert found.values.tolist() == [[1.0, 1.0], [2.0, 0.0]]
    assert tables.target(np.ones((2, 3))).names == ("y0", "y1", "y2")
    assert tables.target(pd.Series([1.0], name="wage")).names == ("wage",)


def test_a_target_named_by_a_number_is_read():
    assert tables.target(pd.Series([1.0, 2.0], name=3)).values.tolist() == [[1.0], [2.0]]


@pytest.mark.parametrize(
    ("y", "kind", "words"),
    [
        (None, TableError, ["y", "None"]),
        (3.0, TableError, ["y"]),
        (np.zeros((2, 2, 2)), TableError, ["y", "(2, 2, 2)"]),
        (["a", "b"], KindError, ["text", "classifier"]),
        (pd.Series(["a", "b"], name="wage"), KindError, ['"wage"', "text", "classifier"]),
        (pd.Series(pd.to_datetime(["2020", "2021"]), name="wage"), KindError, ['"wage"', "dates"]),
        ([1.0, np.nan, 2.0, np.nan], MissingValueError, ["NaN", "2 missing", "row 1"]),
        ([1.0, None, 2.0], MissingValueError, ["NaN", "1 missing", "row 1"]),
        ([1.0, -np.inf], MissingValueError, ["infinity", "row 1"]),
        ([None, None], MissingValueError, ["y"]),
        ([True, None, False], MissingValueError, ["1 missing", "row 1"]),
        (pd.array([True, None, False], dtype="boolean"), MissingValueError, ["1 missing", "row 1"]),
        (np.zeros((3, 0)), TableError, ["y"]),
        ([1.0, [2.0, 3.0]], TableError, ["y"]),
    ],
)
def test_a_target_that_is_no_number_says_which_row(y, kind, words):
    with refused(kind, *words):
        tables.target(y)


def test_an_unnamed_target_is_called_y_in_its_errors():
    with refused(KindError, '"y"'):
        tables.target(["a", "b"])


def test_weights_may_be_a_number_a_list_or_a_series():
    assert tables.weights(None, 3) is None
    for given in (2, 2.0, [2, 2, 2], pd.Series([2, 2, 2], index=[5, 6, 7]), pl.Series([2, 2, 2]), pa.array([2, 2, 2])):
        assert tables.weights(given, 3).tolist() == [2.0, 2.0, 2.0]


@pytest.mark.parametrize(
    ("w", "words"),
    [
        ([1, -1, -2], ["2 negative", "row 1"]),
        ([1, np.nan, 1], ["1 missing or infinite"]),
        ([1, np.inf, 1], ["1 missing or infinite"]),
        ([1, None, 1], ["1 missing or infinite"]),
        ([0, 0, 0], ["zero", "no row"]),
        (0, ["zero", "no row"]),
        ([1, 1], ["(2,)", "(3,)"]),
        ([[1], [1], [1]], ["1D", "2D"]),
        (["a", "b", "c"], ["sample_weight"]),
        ("balanced", ["sample_weight"]),
        ([1j, 1, 1], ["sample_weight"]),
    ],
)
def test_odd_weights_are_refused(w, words):
    with refused(TableError, *words):
        tables.weights(w, 3)
