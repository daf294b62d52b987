"""A card says what is known, asks for what is not, and shows untrusted text as text."""

import json
import re

import numpy as np
import pytest
from markdown_it import MarkdownIt

import twosdr
from tests.rooms.model.cases import MAKERS, ODD, case, frame
from tests.rooms.samples import people, refused, target
from twosdr import TwoStageClassifier, export
from twosdr.errors import NotReadable, ParameterError
from twosdr.export.markdown import plain

# Annex IV of the EU AI Act by its numbers, and the words of SR 11-7, each somewhere in every card.
ASKED = [
    *(
        "Intended purpose",
        "Provider, owner and contact",
        "Version of the system",
        "Hardware, software",
        "instructions for use",
    ),
    *(
        "Method and design choices",
        "Alternatives",
        "Computation",
        "Input data",
        "Training data",
        "Origin, scope",
        "labelled",
    ),
    *(
        "What training promised",
        "Coefficients",
        "Audit",
        "Limits",
        "unintended outcomes",
        "Human oversight",
        "Risk management system",
    ),
    *("Security", "Monitoring and changes", "Changes foreseen", "standards", "declaration of conformity"),
    *(
        "inventory",
        "conceptual soundness",
        "data quality",
        "outcomes analysis",
        "ongoing monitoring",
        "limitations and assumptions",
    ),
    *("validation", "governance"),
]
HTML = MarkdownIt("commonmark", {"html": True, "linkify": False}).enable("table")


def rendered(card):
    return HTML.render(card)


def words(html):
    """The text of a page, as a reader sees it."""
    text = re.sub(r"<[^>]*>", " ", html)
    for entity, mark in (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&amp;", "&")):
        text = text.replace(entity, mark)
    return " ".join(text.split())


def audited(model, X, y):
    from twosdr.audit import audit

    return audit(
        model.predict(X), sensitive_features=X[list(model.roles_.columns("s"))], y_true=y, pos_label=y[0], rule=0.8
    )


@pytest.mark.parametrize("name", MAKERS)
def test_every_field_that_reviewers_ask_for_is_there_and_what_is_unknown_is_asked_for(name):
    card = export.model_card(case(name).model)
    missing = [field for field in ASKED if field.lower() not in card.lower()]
    assert not missing
    assert card.count("**to be filled in by ") + card.count("**To be filled in by ") >= 20
    assert [line for line in card.splitlines() if "nan" in line.split() or "None" in line] == []


@pytest.mark.parametrize("name", ["missing as a level", "several y", "three classes"])
def test_a_card_is_the_same_from_a_loaded_model(name, tmp_path):
    model = case(name).model
    model.save(tmp_path / "m.json")
    card = export.model_card(twosdr.load(tmp_path / "m.json"), path=tmp_path / "card.md")
    assert card == export.model_card(model)
    assert (tmp_path / "card.md").read_text("utf-8") == card
    fingerprint = json.loads((tmp_path / "m.json").read_text("utf-8"))["sha256"]
    assert fingerprint in card


def test_numbers_of_the_model_are_in_the_card():
    model = case("regressor").model
    text = words(rendered(export.model_card(model)))
    assert f"{model.coef_[list(model.encoded_names_).index('skill')]:.4g}" in text
    assert "Rows: 90" in text
    assert "sex=f 50.0 %" in text
    assert "parity" in text
    assert "No audit was given" in text


def test_an_audit_fills_its_section():
    X, y = frame(3), np.where(target(people(90, 3)) > 0.3, "yes", "no")
    model = case("yes and no").model
    found = audited(model, X, y)
    card = export.model_card(model, found)
    assert card == export.model_card(model, json.loads(found.to_json()))
    text = words(rendered(card))
    assert "No audit was given" not in text
    assert found["sex"].verdict.text in text
    for group in found["sex"].groups:
        assert group.name in text
    for note in found.notes:
        assert note in text
    for gap in found.not_estimated:
        assert gap.why in text


def test_names_and_levels_are_shown_as_text_and_do_nothing():
    rng = np.random.default_rng(0)
    more = {
        "image": "![x](http://evil.example/a.png)",
        "auto": "http://evil.example www.evil.example a@evil.example <http://evil.example>",
        "rule": "---",
        "list": "- [ ] task",
        "first": "1. one",
        "code": "`` ` `` ```",
        "table": "a | b \\| c",
        "html": "<img src=x onerror=alert(1)>&amp;<!-- -->",
        "sum": "$x^2$ ~~gone~~ **bold** __under__ #12 @you",
        "entity": "&lt;script&gt; &#60;",
    }
    traps = [*ODD.values(), *more.values()]
    X = frame(0)[["sex", "age"]].assign(**{trap: rng.normal(size=90) for trap in traps})
    X = X.assign(level=np.array(traps, dtype=object)[np.arange(90) % len(traps)])
    y = np.array([traps[0], traps[3], traps[8]])[rng.integers(0, 3, 90)]
    model = TwoStageClassifier(sensitive=["sex", "level"], alphas=1.0).fit(X, y)
    found = audited(model, X, y)
    for card in (export.model_card(model, title=more["html"]), export.model_card(model, found)):
        html = rendered(card)
        assert set(re.findall(r"<\s*/?\s*([a-zA-Z!][a-zA-Z0-9]*)", html)) <= {
            *("h1", "h2", "h3", "p", "ul", "li", "em", "strong", "code", "table", "thead", "tbody", "tr", "th", "td"),
        }
        assert not re.search(r"(?<!\\)://|(?<!\\)@", card)  # what other readers make links and mentions of
        text = words(html)
        for trap in traps:
            assert " ".join(trap.split()) in text
        rows = [line for line in card.splitlines() if line.startswith("| ")]
        widths = {len(re.findall(r"(?<!\\)\|", row)) for row in rows}
        assert max(widths) < 16


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("a\nb\r\n\tc", "a b c"),
        ("", "(empty)"),
        ("\u202egnp.exe", "gnp.exe"),
        ("x" * 500, "x" * 200 + "…"),
        ("👩\u200d🔬", "👩\u200d🔬"),
        ("- a", r"\- a"),
        ("1. a", r"1\. a"),
    ],
)
def test_text_on_one_line_of_bounded_length(given, shown):
    assert plain(given) == shown


def test_what_is_no_audit_is_refused():
    model = case("regressor").model
    with refused(NotReadable, "This is no audit"):
        export.model_card(model, {"type": "other"})
    with refused(ParameterError, "Got dict"):
        export.model_card({})
