"""estimators/_groups.py: which column forms groups, and which group a row is in."""

import numpy as np
import pytest

from tests.rooms.samples import frame, people, refused
from twosdr import tables
from twosdr.errors import ParameterError, UnknownLevelError
from twosdr.estimators._groups import Groups, group_column
from twosdr.roles import resolve

CODED = np.where(people()["sex"] == "f", 1, 2)


def read(X, sensitive, **settings):
    table = tables.read(X)
    return table, resolve(table, sensitive=sensitive, **settings)


@pytest.mark.parametrize("sensitive", ["sex", "race", "part_time"])
def test_categories_and_booleans_form_groups(sensitive):
    assert group_column(*read(frame(), sensitive), True) == sensitive


def test_a_number_forms_groups_only_by_exactly_two_values():
    assert group_column(*read(frame(sex=CODED), "sex"), True) == "sex"
    for other in ([1] * 60, list(range(60))):
        with refused(ParameterError, "variance_correction", "groups", '"sex"'):
            group_column(*read(frame(sex=other), "sex"), True)


def test_the_one_that_forms_groups_is_meant_when_there_is_one():
    assert group_column(*read(frame(), ["age", "sex"]), True) == "sex"


def test_of_several_one_has_to_be_named():
    with refused(ParameterError, '"sex", "race"', "variance_correction='sex'"):
        group_column(*read(frame(), ["sex", "age", "race"]), True)
    assert group_column(*read(frame(), ["sex", "race"]), "race") == "race"


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ("hours", ['"hours"', "not a sensitive column", '"sex"']),
        ("nobody", ['"nobody"', '"sex"']),
        ("age", ['"age"', "more than two values"]),
        (1, ["True, False or the name", "1"]),
        (None, ["True, False or the name", "None"]),
        (["sex"], ["['sex']"]),
    ],
)
def test_another_answer_is_refused(asked, words):
    with refused(ParameterError, "variance_correction", *words):
        group_column(*read(frame(), ["sex", "age"]), asked)


def test_without_s_there_are_no_groups():
    with refused(ParameterError, "sensitive column", "none"):
        group_column(*read(frame(), ()), True)


def test_codes_follow_the_levels_and_a_stranger_comes_last():
    table, roles = read(frame(), "race", handle_unknown="mean")
    groups = Groups.of(table, roles, "race")
    assert groups.values == ("black", "other", "white")
    later = tables.read(frame()[:4].assign(race=["white", "black", "green", "other"]))
    assert groups.codes(later, roles).tolist() == [2, 0, 3, 1]


def test_missing_is_a_group_of_its_own_when_it_is_a_category():
    race = people()["race"].copy()
    race[:5] = None
    table, roles = read(frame(race=race), "race", handle_missing="category")
    groups = Groups.of(table, roles, "race")
    assert groups.n == 4
    assert groups.codes(table, roles)[:5].tolist() == [3] * 5


def test_numbers_are_looked_up_by_value():
    table, roles = read(frame(sex=CODED), "sex")
    groups = Groups.of(table, roles, "sex")
    assert groups.values == (1.0, 2.0)
    assert np.array_equal(groups.codes(table, roles), CODED - 1)


@pytest.mark.parametrize("value", [0, 1.5, 3])
def test_a_number_of_no_group_is_refused(value):
    table, roles = read(frame(sex=CODED), "sex")
    groups = Groups.of(table, roles, "sex")
    with refused(UnknownLevelError, '"sex"', "60 rows"):
        groups.codes(tables.read(frame(sex=value)), roles)
