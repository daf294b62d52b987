"""roles/: who is who, decided once; later tables are matched to it, and every stranger is named at once."""

import numpy as np
import pandas as pd
import polars as pl
import polars.selectors as cs
import pytest
import scipy.sparse as sp
from sklearn.compose import make_column_selector

from tests.rooms.samples import CONTAINERS, NAMELESS, answer, frame, numbers, people, refused, same
from twosdr import tables
from twosdr.errors import (
    ColumnError,
    KindError,
    MissingValueError,
    ParameterError,
    RoleError,
    TableError,
    UnknownLevelError,
)
from twosdr.roles import check_rows, resolve


def roles_of(X, **settings):
    table = tables.read(X)
    return resolve(table, **settings)


def encoded(roles, X):
    table = roles.match(tables.read(X), needs_s=True)
    return roles.encode(table, slice(0, table.n_rows))


WAYS = {
    "a name": "sex",
    "a list": ["sex"],
    "a tuple": ("sex",),
    "an index": 0,
    "a negative index": -6,
    "a NumPy integer": np.int64(0),
    "indices": [0],
    "an array of indices": np.array([0]),
    "an array of names": np.array(["sex"]),
    "a pandas Index": pd.Index(["sex"]),
    "a generator": "generator",
    "a mask": [True, False, False, False, False, False],
    "a mask array": np.array([True, False, False, False, False, False]),
    "a callable": lambda X: [name for name in X.columns if name == "sex"],
    "a callable that gives one name": lambda X: "sex",
    "a callable that gives one index": lambda X: 0,
    "a callable that gives a mask": lambda X: np.array(list(X.columns)) == "sex",
}


@pytest.mark.parametrize("container", ["pandas object", "polars"])
@pytest.mark.parametrize("way", WAYS)
def test_a_column_can_be_named_in_many_ways(way, container):
    spec = (name for name in ["sex"]) if way == "a generator" else WAYS[way]
    found = roles_of(CONTAINERS[container](people()), sensitive=spec)
    assert found.columns("s") == ("sex",)
    assert found.columns("x") == ("race", "age", "skill", "hours", "part_time")


def test_scikit_learns_column_selector_selects():
    rows = frame()
    assert roles_of(rows, sensitive=make_column_selector(pattern="^s")).columns("s") == ("sex", "skill")
    assert roles_of(rows, sensitive=make_column_selector(dtype_include=bool)).columns("s") == ("part_time",)


@pytest.mark.parametrize(
    ("selector", "names"),
    [
        (cs.string(), ("sex", "race")),
        (cs.boolean(), ("part_time",)),
        (cs.starts_with("s") - cs.string(), ("skill",)),
        (pl.col("race"), ("race",)),
        (pl.col("sex", "race"), ("sex", "race")),
        ([pl.col("sex"), pl.col("race")], ("sex", "race")),
        (cs.temporal(), ()),
    ],
    ids=["string", "boolean", "difference", "col", "cols", "list of cols", "none"],
)
def test_polars_selectors_select(selector, names):
    assert roles_of(pl.DataFrame(people()), sensitive=selector).columns("s") == names


def test_a_polars_selector_on_another_table_is_refused():
    with refused(RoleError, "sensitive"):
        roles_of(frame(), sensitive=cs.string())


def test_an_array_has_indices_and_invented_names():
    rows = numbers(people())
    assert roles_of(rows, sensitive=0, explanatory=-1).columns("z") == ("x3",)
    assert roles_of(rows, sensitive="x0").columns("s") == ("x0",)
    with refused(RoleError, "sensitive", '"sex"', "index"):
        roles_of(rows, sensitive="sex")


def test_columns_labelled_by_numbers_go_by_label():
    labelled = frame().set_axis(range(10, 16), axis=1)
    assert roles_of(labelled, sensitive=10).columns("s") == ("x10",)
    with pytest.raises(RoleError, match="names column 0; X has the labels"):
        roles_of(labelled, sensitive=0)


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("sx", ['"sx"', 'Did you mean "sex"?', '"race"']),
        (["sex", "hight"], ['"hight"']),
        ("", ['""']),
        (6, ["index 6", "6 columns", "0 to 5"]),
        (-7, ["index -7"]),
        ([True, False], ["mask of 2", "6 columns"]),
        (["sex", "sex"], ['"sex"', "twice"]),
        (["sex", 0], ['"sex"', "twice"]),
        ([1.5], ["1.5", "float"]),
        ([None], ["None"]),
        ([["sex"]], ["['sex']"]),
        (None, ["None", "names"]),
        (True, ["True", "names"]),
        (1.5, ["1.5", "names"]),
        (slice(0, 1), ["slice", "names"]),
        (lambda X: X.no_such_thing, ["selector", "no_such_thing"]),
        (lambda X: None, ["selector"]),
        (lambda X: 1.5, ["1.5"]),
        (lambda X: ["no such column"], ["no such column"]),
    ],
)
def test_a_role_that_names_no_column_says_so(spec, words):
    with refused(RoleError, *words):
        roles_of(frame(), sensitive=spec)


def test_the_selector_that_failed_is_named_by_its_parameter():
    with refused(RoleError, "explanatory", "ZeroDivisionError"):
        roles_of(frame(), explanatory=lambda X: 1 / 0)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"sensitive": "sex", "explanatory": "sex"}, ['"sex"', "sensitive=", "explanatory=", "one role"]),
        ({"sensitive": "sex", "drop": 0}, ['"sex"', "sensitive=", "drop="]),
        ({"explanatory": ["age", "sex"], "drop": ["sex"]}, ['"sex"', "explanatory=", "drop="]),
    ],
)
def test_a_column_has_one_role(settings, words):
    with refused(RoleError, *words):
        roles_of(frame(), **settings)


def test_some_x_has_to_be_left():
    with refused(RoleError, "no ordinary column x is left", "6 feature(s)", "fewer columns"):
        roles_of(frame(), sensitive=["sex", "race"], explanatory=["age", "skill"], drop=["hours", "part_time"])
    with refused(RoleError, "0 feature(s)"):
        roles_of(frame()[[]])


def test_the_target_in_x_is_refused_and_left_out_on_request():
    with refused(RoleError, '"hours"', "target", 'drop=["hours"]'):
        roles_of(frame(), target=("hours",))
    assert roles_of(frame(), target=("hours",), drop="hours").left_out == ("hours",)


@pytest.mark.parametrize("name", ["handle_missing", "handle_unknown"])
@pytest.mark.parametrize("value", ["ignore", None, 1, ["mean"]])
def test_an_unheard_of_handling_is_refused(name, value):
    with refused(ParameterError, name, "'error'", "'mean'", repr(value)):
        roles_of(frame(), **{name: value})


@pytest.mark.parametrize("value", [0, -1, 2.5, "many", None, True])
def test_max_levels_is_a_whole_number(value):
    with refused(ParameterError, "max_levels", repr(value)):
        roles_of(frame(), max_levels=value)


def test_an_identifier_is_refused_with_its_figures():
    rows = frame(person=[f"id {k}" for k in range(60)])
    with refused(ParameterError, '"person"', "60 levels", "60 rows", "max_levels=59", "drop="):
        roles_of(rows, max_levels=59)
    assert len(roles_of(rows, max_levels=60).names) == 2 + 3 + 3 + 2 + 60


def test_two_encoded_columns_of_one_name_are_refused():
    with refused(ColumnError, '"c=a"', "rename"):
        roles_of(pd.DataFrame({"c": ["a", "b"], "c=a": [1.0, 2.0], "s": [0, 1]}), sensitive="s")


def test_a_category_is_one_indicator_for_every_level():
    found = roles_of(frame(), sensitive=["race", "part_time"])
    assert found.names == (
        *("sex=f", "sex=m", "race=black", "race=other", "race=white", "age", "skill", "hours"),
        *("part_time=False", "part_time=True"),
    )
    assert "".join(found.blocks) == "xxsssxxxss"


@pytest.mark.parametrize("container", CONTAINERS)
def test_every_container_is_encoded_alike(container):
    rows = CONTAINERS[container](people())
    found = roles_of(rows, sensitive="sex")
    expected = encoded(roles_of(frame(), sensitive="sex"), frame())
    assert np.array_equal(encoded(found, rows), expected)
    assert expected[:, 0].tolist() == [float(s == "f") for s in people()["sex"]]


@pytest.mark.parametrize("container", NAMELESS)
def test_every_container_without_names_is_encoded_alike(container):
    rows = NAMELESS[container](people())
    assert np.array_equal(encoded(roles_of(rows, sensitive=0), rows), encoded(roles_of(frame()), frame()))


@pytest.mark.parametrize("train", ["pandas object", "polars Enum", "pyarrow"])
@pytest.mark.parametrize("later", CONTAINERS)
def test_the_container_may_change_between_fit_and_predict(train, later):
    found = roles_of(CONTAINERS[train](people()), sensitive="sex")
    assert np.array_equal(encoded(found, CONTAINERS[later](people())), encoded(found, frame()))


def test_one_row_encodes_as_it_does_among_others():
    found, rows = roles_of(frame(), sensitive="sex"), frame()
    whole = encoded(found, rows)
    for k in (0, 17, 59):
        assert np.array_equal(encoded(found, rows[k : k + 1]), whole[k : k + 1])


def test_chosen_rows_are_encoded_in_the_order_asked_for():
    found, table = roles_of(frame(), sensitive="sex"), tables.read(frame())
    assert np.array_equal(
        found.encode(table, np.array([5, 0, 5])), found.encode(table, slice(0, table.n_rows))[[5, 0, 5]]
    )


class TestMatching:
    """What predict is given, against what fit saw."""

    def test_columns_are_found_by_name_in_any_order(self):
        found, rows = roles_of(frame(), sensitive="sex"), frame()
        assert np.array_equal(encoded(found, rows[rows.columns[::-1]]), encoded(found, rows))

    def test_absent_and_surplus_columns_are_named_together(self):
        found = roles_of(frame(), sensitive="sex")
        rows = frame().rename(columns={"hours": "Hours"}).assign(extra=1)
        with refused(ColumnError, '"hours"', '"Hours"', '"extra"', 'Did you mean "Hours"?', "this model"):
            encoded(found, rows)

    def test_left_out_columns_may_be_there_or_not_whatever_they_hold(self):
        found = roles_of(frame(hired=pd.Timestamp("2020-01-01")), sensitive="sex", drop="hired")
        for rows in (frame(), frame(hired=pd.Timestamp("2021-01-01")), frame(hired="long ago"), frame(hired=None)):
            assert np.array_equal(encoded(found, rows), encoded(roles_of(frame()), frame()))

    def test_the_target_may_be_there(self):
        found = roles_of(frame(), sensitive="sex")
        assert found.match(tables.read(frame(wage=1.0)), needs_s=True, target=("wage",))

    def test_s_may_be_absent_where_it_is_not_used(self):
        found = roles_of(frame(), sensitive="sex")
        table = tables.read(frame().drop(columns="sex"))
        rows = found.encode(found.match(table, needs_s=False), slice(0, 60))
        assert not rows[:, :2].any()
        with refused(ColumnError, 'Missing: "sex"'):
            found.match(table, needs_s=True)

    @pytest.mark.parametrize("sex", ["x", None, 1, pd.Timestamp("2020-01-01")], ids=["level", "none", "kind", "date"])
    def test_s_may_hold_anything_where_it_is_not_used(self, sex):
        found = roles_of(frame(), sensitive="sex")
        table = found.match(tables.read(frame(sex=sex)), needs_s=False)
        rows = found.encode(table, slice(0, 60))
        assert np.array_equal(rows[:, 2:], encoded(found, frame())[:, 2:])

    CHANGES = (
        ("sex", [1, 2], "text", "numbers"),
        ("sex", [True, False], "text", "booleans"),
        ("age", ["20", "30"], "numbers", "text"),
        ("age", [True, False], "numbers", "booleans"),
        ("part_time", [0, 1], "booleans", "numbers"),
        ("part_time", ["yes", "no"], "booleans", "text"),
    )

    @pytest.mark.parametrize(("name", "now", "was", "holds"), CHANGES)
    def test_another_kind_of_values_is_named(self, name, now, was, holds):
        found = roles_of(frame(), sensitive="sex")
        with refused(KindError, f'"{name}"', was, holds, "in training"):
            encoded(found, frame(**{name: now * 30}))

    def test_every_changed_column_is_named_at_once(self):
        found = roles_of(frame(), sensitive="sex")
        with refused(KindError, '"sex"', '"age"', '"part_time"'):
            encoded(found, frame(sex=1, age="old", part_time=0.5))

    def test_s_coded_by_numbers_and_later_by_their_text(self):
        coded = (people()["sex"] == "f").astype(int)
        with refused(KindError, '"sex"', "numbers", "text"):
            encoded(roles_of(frame(sex=coded), sensitive="sex"), frame(sex=coded.astype(str)))
        with refused(KindError, '"sex"', "text", "numbers"):
            encoded(roles_of(frame(sex=coded.astype(str)), sensitive="sex"), frame(sex=coded))

    def test_whole_and_broken_numbers_are_one_kind(self):
        found = roles_of(frame(age=20), sensitive="sex")
        assert encoded(found, frame(age=20.5))[0, 5] == 20.5

    def test_numbers_in_training_and_categories_of_them_later_are_the_same_numbers_or_refused(self):
        coded = np.where(people()["sex"] == "f", 1, 2)
        found = roles_of(frame(sex=coded), sensitive="sex")
        later = frame(sex=pd.Categorical(coded))
        rows = answer(lambda: encoded(found, later), KindError, '"sex"')
        assert rows is None or np.array_equal(rows, encoded(found, frame(sex=coded)))

    def test_categories_of_numbers_in_training_and_plain_numbers_later_are_refused(self):
        coded = np.where(people()["sex"] == "f", 1, 2)
        with refused(KindError, '"sex"', "category"):
            encoded(roles_of(frame(sex=pd.Categorical(coded)), sensitive="sex"), frame(sex=coded))

    def test_a_category_may_declare_other_levels_and_another_order(self):
        found, sex = roles_of(frame(), sensitive="sex"), people()["sex"]
        later = frame(sex=pd.Categorical(sex, categories=["x", "m", "f"]))
        assert np.array_equal(encoded(found, later), encoded(found, frame()))

    def test_positions_stand_for_names_where_there_are_none(self):
        found = roles_of(frame(), sensitive="sex")
        rows = frame().to_numpy(dtype=object)
        assert np.array_equal(encoded(found, rows), encoded(found, frame()))
        with refused(ColumnError, "5 features", "6 features"):
            encoded(found, rows[:, :5])

    def test_an_array_keeps_its_places_when_some_are_left_out(self):
        rows = numbers(people())
        found = roles_of(rows, sensitive=0, drop=[1])
        assert np.array_equal(encoded(found, rows), rows[:, [0, 2, 3]])
        assert np.array_equal(encoded(found, rows[:, [0, 2, 3]]), rows[:, [0, 2, 3]])
        with refused(ColumnError, "2 features"):
            encoded(found, rows[:, :2])


class TestStrangers:
    """Levels that training did not see."""

    def test_every_column_level_and_count_is_listed_at_once(self):
        found = roles_of(frame(), sensitive="sex")
        rows = frame(sex=["X"] * 3 + ["f"] * 57, race=["Samoan", "Tongan", "Tongan"] + ["black"] * 57)
        with refused(
            UnknownLevelError,
            *("2 columns hold levels", '"sex"', "'X' (3 rows)", '"race"', "'Samoan' (1 row", "'Tongan' (2 rows)"),
            *("'f', 'm'", "'black', 'other', 'white'", 'handle_unknown="mean"'),
        ):
            encoded(found, rows)

    def test_one_column_is_said_in_the_singular(self):
        with refused(UnknownLevelError, "1 column holds levels", "'X' (1 row)"):
            encoded(roles_of(frame(), sensitive="sex"), frame()[:1].assign(sex="X"))

    def test_a_thousand_strangers_are_counted_not_listed(self):
        found = roles_of(frame(), sensitive="sex")
        rows = pd.concat([frame()] * 20).assign(race=[f"race {k:04}" for k in range(1200)])
        with pytest.raises(UnknownLevelError, match="and 1192 more") as caught:
            encoded(found, rows)
        assert len(str(caught.value)) < 1000

    def test_the_mean_of_training_stands_for_a_stranger(self):
        columns = people(seed=3)
        columns["race"] = np.where(np.arange(60) < 45, "white", "black").astype(object)
        found = roles_of(columns, sensitive="sex", handle_unknown="mean")
        table = tables.read(columns)
        found = found.with_fill(found.encode(table, slice(0, 60)).mean(axis=0))
        row = encoded(found, {name: v[:1] for name, v in columns.items()} | {"race": ["green"]})
        assert row[0, found.names.index("race=black")] == 0.25
        assert row[0, found.names.index("race=white")] == 0.75

    def test_strangers_are_handled_by_settings_of_their_own(self):
        found = roles_of(frame(), sensitive="sex", handle_unknown="mean")
        with refused(MissingValueError, '"race"'):
            encoded(found, frame(race=["green", None] * 30))

    def test_the_word_nan_is_a_stranger_and_not_a_gap(self):
        with refused(UnknownLevelError, "'nan' (60 rows)"):
            encoded(roles_of(frame(), sensitive="sex", handle_missing="mean"), frame(race="nan"))

    def test_a_boolean_has_both_levels_even_if_training_saw_one(self):
        found = roles_of(frame(part_time=True), sensitive="sex")
        assert encoded(found, frame(part_time=False))[0, -2:].tolist() == [1.0, 0.0]


GAPS = {"number": "hours", "text": "race", "bool": "part_time"}


def gapped(name, where=slice(0, 6)):
    rows = frame().astype({name: object})
    rows.iloc[where, rows.columns.get_loc(name)] = None
    return rows


class TestMissing:
    """NaN, None and NA."""

    @pytest.mark.parametrize("kind", ["text", "bool"])
    def test_a_gap_in_a_category_is_an_error_at_fit(self, kind):
        with refused(MissingValueError, f'"{GAPS[kind]}" (6 rows)', "handle_missing"):
            roles_of(gapped(GAPS[kind]), sensitive="sex")

    @pytest.mark.parametrize("kind", ["text", "bool"])
    def test_a_gap_in_a_category_is_an_error_at_predict(self, kind):
        found = roles_of(frame(), sensitive="sex")
        with refused(MissingValueError, f'"{GAPS[kind]}" (6 rows)', "handle_missing"):
            encoded(found, gapped(GAPS[kind]))

    def test_gaps_in_numbers_are_named_when_a_result_shows_them(self):
        found, rows = roles_of(frame(), sensitive="sex"), gapped("hours").assign(skill=np.inf)
        with refused(MissingValueError, "infinity", '"skill" (60 rows)'):
            found.refuse_missing_numbers(tables.read(rows))
        with refused(MissingValueError, "NaN", '"hours" (6 rows)', "handle_missing"):
            found.refuse_missing_numbers(tables.read(gapped("hours")))

    def test_a_number_that_is_missing_in_every_row_is_named_too(self):
        found = roles_of(frame(), sensitive="sex")
        with refused(MissingValueError, '"hours" (60 rows)'):
            found.refuse_missing_numbers(tables.read(gapped("hours", slice(None))))

    def test_all_gaps_of_all_columns_are_named_at_once(self):
        found = roles_of(frame(), sensitive="sex")
        rows = gapped("race").assign(part_time=pd.array([None] * 7 + [True] * 53, dtype="boolean"))
        with refused(MissingValueError, '"race" (6 rows)', '"part_time" (7 rows)'):
            encoded(found, rows)

    @pytest.mark.parametrize("name", ["sex", "age"])
    def test_an_average_person_has_no_sex(self, name):
        with refused(MissingValueError, "Sensitive", f'"{name}"', "6 rows", 'handle_missing="category"'):
            roles_of(gapped(name), sensitive=["sex", "age"], handle_missing="mean")

    @pytest.mark.parametrize("name", ["sex", "age"])
    def test_the_mean_is_refused_for_s_at_predict_too(self, name):
        found = roles_of(frame(), sensitive=["sex", "age"], handle_missing="mean")
        with refused(MissingValueError, f'"{name}" (6 rows)'):
            encoded(found, gapped(name))

    @pytest.mark.parametrize("kind", GAPS)
    def test_the_mean_of_what_is_there_stands_for_a_gap(self, kind):
        name, rows = GAPS[kind], gapped(GAPS[kind])
        found = roles_of(rows, sensitive="sex", handle_missing="mean")
        out = encoded(found, rows)
        there = encoded(found, rows.iloc[6:].assign(**{name: frame()[name].iloc[6:]}))
        at = [j for j, column in enumerate(found.names) if column == name or column.startswith(f"{name}=")]
        assert same(out[:6][:, at], np.tile(there[:, at].mean(axis=0), (6, 1)))
        assert np.array_equal(out[6:], there)

    @pytest.mark.parametrize("kind", GAPS)
    def test_the_mean_is_weighted_and_rows_of_weight_zero_have_no_say(self, kind):
        name, rows = GAPS[kind], gapped(GAPS[kind])
        weight = np.arange(len(rows), dtype=float) % 4
        found = roles_of(rows, sensitive="sex", handle_missing="mean", weight=weight)
        out = encoded(found, rows)
        at = [j for j, column in enumerate(found.names) if column == name or column.startswith(f"{name}=")]
        expected = np.average(out[6:][:, at], axis=0, weights=weight[6:])
        assert same(out[:6][:, at], np.tile(expected, (6, 1)))

    @pytest.mark.parametrize("kind", GAPS)
    @pytest.mark.parametrize("role", ["s", "x", "z"])
    def test_a_gap_can_be_a_category_of_its_own_in_every_role(self, kind, role):
        name, rows = GAPS[kind], gapped(GAPS[kind])
        settings = {"s": {"sensitive": ["sex", name]}, "x": {"sensitive": "sex"}, "z": {"explanatory": name}}[role]
        found = roles_of(rows, **settings, handle_missing="category")
        j = found.names.index(f"{name} is missing")
        assert found.blocks[j] == role
        out = encoded(found, rows)
        assert out[:, j].tolist() == [1.0] * 6 + [0.0] * 54
        assert np.isfinite(out).all()

    @pytest.mark.parametrize("kind", ["text", "bool"])
    def test_a_gap_that_training_had_none_of_is_refused_even_then(self, kind):
        found = roles_of(frame(), sensitive="sex", handle_missing="category")
        with refused(MissingValueError, f'"{GAPS[kind]}" (6 rows)', "raining had none"):
            encoded(found, gapped(GAPS[kind]))

    def test_a_number_whose_gaps_training_did_not_see_is_refused_even_then(self):
        found = roles_of(frame(), sensitive="sex", handle_missing="category")
        with refused(MissingValueError, '"hours" (6 rows)', "raining had none"):
            encoded(found, gapped("hours"))

    def test_a_column_of_nothing_but_gaps_is_refused_at_fit_and_filled_at_predict(self):
        with refused(MissingValueError, '"hours"', "no value in any row", "drop="):
            roles_of(gapped("hours", slice(None)), sensitive="sex", handle_missing="mean")
        found = roles_of(frame(), sensitive="sex", handle_missing="mean")
        for name in GAPS.values():
            assert np.isfinite(encoded(found, gapped(name, slice(None)))).all()

    @pytest.mark.parametrize("offered", ['handle_missing="mean"', 'handle_missing="category"'])
    def test_the_text_for_a_sensitive_gap_offers_only_what_works(self, offered):
        rows = gapped("sex")
        works = offered == 'handle_missing="category"'
        with pytest.raises(MissingValueError) as caught:
            roles_of(rows, sensitive="sex")
        assert (offered in str(caught.value)) == works

    def test_the_text_is_a_sentence(self):
        with pytest.raises(MissingValueError) as caught:
            roles_of(gapped("race"), sensitive="sex")
        assert 'fit with handle_missing="mean" counts' not in str(caught.value)

    def test_one_row_is_said_in_the_singular(self):
        with refused(MissingValueError, "(1 row)"):
            roles_of(gapped("race", slice(0, 1)), sensitive="sex")

    def test_a_sparse_table_takes_no_fill_and_its_errors_do_not_offer_one(self):
        rows = sp.csr_array(numbers(people()))
        with refused(ParameterError, "handle_missing", "sparse", "'mean'"):
            roles_of(rows, sensitive=0, handle_missing="mean")
        rows.data[:4] = np.nan
        with pytest.raises(MissingValueError, match="x0") as caught:
            roles_of(rows, sensitive=0).refuse_missing_numbers(tables.read(rows))
        assert "handle_missing" not in str(caught.value)


def test_rows_without_weight_have_no_say_in_levels():
    rows = frame(race=["green"] + ["black", "white"] * 29 + ["black"])
    found = roles_of(rows, sensitive="sex", weight=np.arange(60) > 0)
    assert next(f for f in found.fields if f.name == "race").levels == ("black", "white")


def test_references_are_the_first_level_with_weight():
    found = roles_of(frame(), sensitive="sex")
    mean = encoded(found, frame()).mean(axis=0)
    assert [found.names[j] for j in found.references(mean)] == ["sex=f", "race=black", "part_time=False"]
    mean[found.names.index("race=black")] = 0.0
    assert "race=other" in [found.names[j] for j in found.references(mean)]


def test_a_fit_needs_rows():
    with refused(TableError, "0 sample(s)"):
        check_rows(tables.read(frame()[:0]))
    with refused(TableError, "1 sample(s)", "no variance"):
        check_rows(tables.read(frame()[:1]), least=2)
    check_rows(tables.read(frame()[:1]))
