"""errors.py: the tree is what scikit-learn's users catch, and names in a message stay short and quoted."""

import inspect
import pickle

import pytest

from twosdr import errors
from twosdr.errors import did_you_mean, listing, quoted

CLASSES = [c for _, c in inspect.getmembers(errors, inspect.isclass) if issubclass(c, Exception)]
RAISED = [c for c in CLASSES if not issubclass(c, Warning)]
WARNED = [c for c in CLASSES if issubclass(c, Warning)]


@pytest.mark.parametrize("kind", RAISED)
def test_every_error_has_one_root_and_is_a_value_error(kind):
    assert issubclass(kind, errors.TwosdrError)
    assert kind is errors.TwosdrError or issubclass(kind, ValueError)


def test_a_changed_kind_of_values_is_a_type_error_too():
    assert issubclass(errors.KindError, TypeError)


@pytest.mark.parametrize("kind", WARNED)
def test_every_warning_has_one_root_and_is_a_user_warning(kind):
    assert issubclass(kind, errors.TwosdrWarning)
    assert issubclass(kind, UserWarning)


@pytest.mark.parametrize("kind", CLASSES)
def test_every_class_is_drawn_in_the_tree_says_what_it_is_for_and_travels(kind):
    assert kind.__name__ in errors.__doc__
    assert kind.__doc__
    assert str(pickle.loads(pickle.dumps(kind("what was seen")))) == "what was seen"


def test_a_listing_is_bounded():
    assert listing([]) == ""
    assert listing(["a"]) == '"a"'
    assert listing("abcdefgh") == '"a", "b", "c", "d", "e", "f", "g", "h"'
    assert listing(range(10_000)).endswith('"7" and 9992 more')


def test_a_long_name_is_cut():
    assert quoted("x" * 60) == '"' + "x" * 60 + '"'
    assert len(quoted("x" * 10_000)) < 70


def test_a_near_name_is_offered_and_a_far_one_is_not():
    assert did_you_mean("incme", ["income", "age"]) == ' Did you mean "income"?'
    assert did_you_mean("zzz", ["income", "age"]) == ""
    assert did_you_mean(3, [3, 4]) == ' Did you mean "3"?'
    assert did_you_mean("a", []) == ""
