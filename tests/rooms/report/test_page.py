"""The page: every section, nothing from elsewhere, every text escaped, readable by all, the same bytes again."""

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise

import numpy as np
import pytest

from tests.rooms.report.contents import of_numbers, people, whole
from twosdr import report
from twosdr.audit import audit
from twosdr.report import wording
from twosdr.report.page import HERE, render

VOID = {"meta", "link", "input", "br", "img"}


class Page(HTMLParser):
    """Elements in their order, text by element, and whether all that was opened was closed in its turn."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict]] = []
        self.open: list[str] = []
        self.words: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] not in ("style", "script"):
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())

    def all(self, tag: str) -> list[dict]:
        return [attrs for name, attrs in self.elements if name == tag]


@pytest.fixture(scope="module")
def contents():
    return whole(people())


@pytest.fixture(scope="module")
def page(contents):
    return render(contents)


def test_every_section_is_there_under_its_heading(page):
    text = Page(page).text
    for heading in (
        *(
            "What was asked",
            "Verdict, with its uncertainty",
            "All rows together",
            "By group",
            "Explained and unexplained",
        ),
        *("Accuracy against distance, level by level", "Which columns carried s, before and after"),
        *("Coefficients, in the columns of the table", "Data and model", "Limits of what is shown", "How to reproduce"),
    ):
        assert heading in text
    for picture in (
        "Selection rate by",
        "Impact ratio along the cut",
        "Scores by",
        "Selection rate along",
        "What each column adds to the gap",
    ):
        assert picture in text
    assert "not an independent audit" in text
    assert "0" * 64 in text


def test_verdicts_and_numbers_are_those_of_the_audit(page, contents):
    text = Page(page).text
    for attribute in contents.audit.attributes:
        if attribute.verdict is not None:
            assert attribute.verdict.text in text
    for finding in contents.audit.findings:
        assert " ".join(finding.text.split()) in text
    drawn = json.loads(re.search(r'id="levels">(.*?)</script>', page, re.DOTALL)[1])
    assert [c["label"] for c in drawn["curves"]] == [c.label.replace("_", "-") for c in contents.frontier.curves]
    assert drawn["levels"] == 11


def test_nothing_is_from_elsewhere(page):
    parsed = Page(page)
    for _, attrs in parsed.elements:
        for name in ("src", "href", "action", "data", "srcset", "poster"):
            assert name not in attrs or attrs[name].startswith(("#", "data:,"))
    assert "url(" not in page
    assert "@import" not in page
    assert not re.search(r"https?://", re.sub(r"https?://\S*w3\.org\S*", "", page))
    [policy] = [m["content"] for m in parsed.all("meta") if m.get("http-equiv") == "Content-Security-Policy"]
    assert policy.startswith("default-src 'none'")
    assert "unsafe-inline" not in policy.split("script-src")[1]


def test_the_same_contents_give_the_same_bytes(page):
    assert render(whole(people())) == page


HOSTILE = {
    "markup": "<script>alert(1)</script><img src=x onerror=alert(2)>",
    "quotes": "\"'><svg onload=alert(3)>`{{7*7}}{% raw %}",
    "emoji": "👩‍👩‍👧 pay 💰",
    "right to left": "\u202eשכר \u05d4\u05d5\u05d2\u05df",
    "control": "a\x00b\x1b[31mc\ud800",
    "script end": "</script><script>alert(4)</script>]]>-->",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_names_and_values_are_text_whatever_they_hold(name, page):
    odd = HOSTILE[name].replace("\ud800", "") if name == "control" else HOSTILE[name]
    table = people(names=(odd, f"{odd} age", f"{odd} skill", f"{odd} city", f"{odd} hours"), levels=(odd, f"{odd} too"))
    found = render(whole(table, classes=(f"a {odd}", f"b {odd}"), title=odd))
    here, plain = Page(found), Page(page)
    # The same elements as with plain names, in the same order: no text has become an element.
    assert [tag for tag, _ in here.elements] == [tag for tag, _ in plain.elements]
    assert not any(key.startswith("on") for _, attrs in here.elements for key in attrs)
    assert "\x00" not in found
    assert "\x1b" not in found
    assert "\u202e" not in found
    assert " ".join(wording.clean(odd).split())[:20] in here.text.replace("\u2068", "").replace("\u2069", "")
    assert "49" not in wording.clean(HOSTILE["quotes"])
    assert found.encode()


def test_a_name_of_ten_thousand_characters_is_told_in_a_line():
    long = "x" * 10_000
    table = people(names=(long, "age", "skill", "city", "hours"), levels=(f"f{long}", f"m{long}"))
    found = render(whole(table))
    assert "x… (10,000 characters)" in found
    assert max(map(len, re.findall(r"x+", Page(found).text))) <= wording.LONGEST
    assert len(found) < 600_000


def test_headings_are_in_order_tables_have_headers_and_pictures_have_words(page):
    parsed = Page(page)
    levels = [int(tag[1]) for tag, _ in parsed.elements if re.fullmatch(r"h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(b <= a + 1 for a, b in pairwise(levels))
    assert all(cell.get("scope") in ("col", "row") for cell in parsed.all("th"))
    tables = len(parsed.all("table"))
    assert tables == page.count("<tbody>")
    for picture in parsed.all("svg"):
        assert picture["role"] == "img"
        assert len(picture["aria-label"]) > 20
    assert len(parsed.all("svg")) == len(parsed.all("title")) - 1 == len(parsed.all("desc"))
    assert parsed.all("html")[0]["lang"] == "en"
    ids = [attrs["id"] for _, attrs in parsed.elements if "id" in attrs]
    assert len(ids) == len(set(ids))
    for attrs in parsed.all("section"):
        assert attrs["aria-labelledby"] in ids
    for link in parsed.all("a"):
        assert link["href"][1:] in ids
    assert not parsed.open


def colours(block: str) -> dict[str, str]:
    return dict(re.findall(r"--([\w]+):(#[0-9a-f]{3,6})\b", block))


def luminance(colour: str) -> float:
    digits = colour[1:] if len(colour) == 7 else "".join(2 * c for c in colour[1:])
    parts = np.array([int(digits[k : k + 2], 16) / 255 for k in (0, 2, 4)])
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def contrast(a: str, b: str) -> float:
    light, dark = sorted((luminance(a), luminance(b)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_text_can_be_told_from_what_is_behind_it_by_day_by_night_and_in_print():
    style = (HERE / "style.css").read_text()
    light, dark, paper = (colours(part) for part in re.findall(r":root\{([^}]*)\}", style))
    for found in (light, {**light, **dark}, {**light, **paper}):
        for text in ("ink", "soft", "below", "above", "open", "after", "before"):
            for behind in ("card", "page", "faint"):
                if text == "before" and behind != "card":  # strokes alone, and those on cards
                    continue
                assert contrast(found[text], found[behind]) >= (3.0 if text == "before" else 4.5), (text, behind)
        for k in range(6):
            assert contrast(found[f"g{k}"], found["card"]) >= 3.0  # strokes


def test_predictions_of_a_number_have_means_and_no_rule():
    text = Page(render(of_numbers(people()))).text
    assert "No rule was held against these predictions" in text
    assert "these are numbers" in text
    assert "Mean prediction by" in text


def test_an_audit_alone_is_a_report():
    found = audit([1, 0, 1, 1, 0, 1] * 20, sensitive_features={"s": ["f", "m", "x"] * 40}, rule=0.8)
    text = Page(render(report.Contents(found))).text
    assert "Coefficients" not in text
    assert "slider" not in text
    assert found["s"].verdict.text in text


def test_what_cannot_be_estimated_says_why():
    found = audit([0] * 100, sensitive_features={"s": ["f", "m"] * 50}, rule=0.8)
    text = Page(render(report.Contents(found))).text
    assert "What has no number or no interval, and why" in text
    for gap in found.not_estimated:
        assert " ".join(gap.why.split()) in text


def test_a_million_rows_and_many_groups_make_a_small_file():
    n = 1_000_000
    rng = np.random.default_rng(0)
    s = {"group": rng.integers(0, 190, n).astype(str).astype(object)}
    found = audit(rng.integers(0, 2, n), sensitive_features=s, scores=rng.normal(size=n), rule=0.8)
    page = render(report.Contents(found))
    assert len(page.encode()) < 2_000_000
    assert "more groups" in page


def test_a_saved_model_and_carriers_are_optional_parts(contents):
    less = render(replace(contents, model=None, carriers=None, frontier=None, columns=(), flips=None))
    text = Page(less).text
    assert "Coefficients" not in text
    assert "<script" not in less
