"""Records to plain data and back."""

import json
from dataclasses import replace

import pytest

from tests.rooms.audit.worlds import audited, company, usual
from twosdr.audit import SCHEMA, Audit
from twosdr.audit.plain import from_plain, to_plain
from twosdr.audit.values import AlongCut, Group, Measures
from twosdr.errors import NotReadable
from twosdr.metrics import Estimate


def test_an_audit_survives_json():
    rows = company()
    found = audited(
        rows, explanatory_features={"hours": rows["hours"]}, features={"hours": rows["hours"], "age": rows["age"]}
    )
    assert Audit.from_dict(json.loads(found.to_json())) == found
    assert found.to_json() == Audit.from_dict(json.loads(found.to_json(indent=1))).to_json()


def test_an_audit_that_came_back_shows_itself_the_same():
    found = usual()
    back = Audit.from_dict(found.to_dict())
    assert repr(back) == repr(found)
    assert back._repr_html_() == found._repr_html_()
    assert [back.as_table(o) for o in ("ll144", "ugesp", "lending")] == [
        found.as_table(o) for o in ("ll144", "ugesp", "lending")
    ]


def test_the_dict_is_plain_and_leads_with_its_schema():
    data = usual().to_dict()
    assert list(data)[:2] == ["type", "schema"]
    assert (data["type"], data["schema"]) == ("twosdr.audit", SCHEMA)
    json.dumps(data, allow_nan=False)


def test_infinity_has_a_word():
    group = Group("a", ("a",), 3, 1.0, None, True, Measures((("auc", Estimate(0.5, (0.0, float("inf")), 3)),)))
    data = json.loads(json.dumps(to_plain(group), allow_nan=False))
    assert from_plain(Group, data) == group


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda d: d.update(schema=99), "schema 99"),
        (lambda d: d.update(type="cake"), "This is no audit"),
        (lambda d: d.pop("findings"), 'lacks "findings"'),
        (lambda d: d.update(surplus=1), 'it has "surplus" too many'),
        (lambda d: d.update(n="many"), "audit.n should be a whole number"),
        (lambda d: d.update(n=True), "audit.n should be a whole number"),
        (lambda d: d.update(attributes=3), "audit.attributes should be a list"),
        (lambda d: d["attributes"][0].update(groups=[1]), r"audit.attributes\[0\].groups\[0\] should be an object"),
        (lambda d: d["overall"]["pairs"][0].append(1), "should be a list of 2"),
        (lambda d: d["settings"].update(confidence=None), "audit.settings.confidence should be a number"),
        (lambda d: d["settings"].update(weighted=1), "audit.settings.weighted should be true or false"),
    ],
)
def test_what_is_no_audit_is_refused_at_the_spot(change, said):
    data = json.loads(usual().to_json())
    change(data)
    with pytest.raises(NotReadable, match=said):
        Audit.from_dict(data)


def test_something_else_altogether_is_refused():
    for other in (None, [], "text", {}):
        with pytest.raises(NotReadable):
            Audit.from_dict(other)


def test_an_audit_is_frozen():
    found = usual()
    with pytest.raises(AttributeError):
        found.n = 3
    assert replace(found, n=3).n == 3
    assert hash(found) == hash(Audit.from_dict(found.to_dict()))


def test_a_cut_keeps_its_holes():
    cut = AlongCut((0.5,), (None,), (None,), (None,), (None,), ("a",), ((0.5,),))
    assert from_plain(AlongCut, to_plain(cut)) == cut
