"""An audit on a terminal, in a notebook and as a figure: complete, in bounds, and safe whatever a column is called."""

import re
import subprocess
import sys
from html.parser import HTMLParser

import numpy as np
import pytest

from tests.rooms.audit.worlds import audited, company, usual
from twosdr.audit import audit

ROWS = company()
EVIL = "<img src=x onerror=alert(1)> $\\frac{1}{2}$ \"'&\n\x1b[31m" + "z" * 80
PROMISES = re.compile(r"\b(certif\w*|unbiased|debias\w*|fair|fairness|guarantee\w*|solved)\b", re.IGNORECASE)


def evil():
    """An audit whose every name and level tries to do harm."""
    sex = np.where(ROWS["sex"] == "man", EVIL, EVIL + "2")
    race = ROWS["race"].astype(object)
    race[:40] = None
    return audit(
        np.where(ROWS["hired"] == 1, EVIL, "no"),
        sensitive_features={EVIL: sex, EVIL + "race": race, EVIL + "age": ROWS["age"]},
        y_true=np.where(ROWS["y"] == 1, EVIL, "no"),
        scores=ROWS["score"],
        explanatory_features={EVIL + "z": ROWS["hours"]},
        features={EVIL + "f": ROWS["hours"]},
        pos_label=EVIL,
        rule=0.8,
    )


@pytest.mark.parametrize("make", [usual, evil, lambda: audited(explanatory_features={"hours": ROWS["hours"]})])
def test_the_text_fits_a_terminal(make):
    lines = repr(make()).splitlines()
    assert max(map(len, lines)) <= 100
    assert "\x1b" not in repr(make())


def test_the_text_leads_with_what_was_audited_and_holds_every_group_and_verdict():
    text = repr(usual())
    assert text.startswith("Audit of decisions: 1,200 rows")
    for word in ("woman", "man", "black", "other", "white", "woman x black", "Rule: Impact ratio", "noise ceiling"):
        assert word in text
    for a in usual().attributes:
        for g in a.groups:
            assert f"{g.n:,}" in text


def test_no_word_promises_what_a_measurement_cannot():
    for shown in (
        repr(usual()),
        usual()._repr_html_(),
        usual().to_json(),
        *(repr(usual().as_table(o)) for o in ("ll144", "ugesp", "lending")),
    ):
        assert not PROMISES.findall(shown.replace("fairlearn", ""))


def test_a_rate_is_never_printed_without_its_interval_or_its_n():
    for line in repr(usual()).splitlines():
        if re.match(r"\s+(woman|man|black|other|white)\b", line):
            for rate in re.findall(r"(?<![\d,.\[])-?\d*\.\d{3}\b(?! \[)", line):
                assert re.search(rf"[\d,]+\s+{re.escape(rate)}\s+\d", line) or re.search(
                    r"\[[^\]]*" + re.escape(rate), line
                ), line


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.seen = [], set()

    def handle_starttag(self, tag, attrs):
        self.seen.add(tag)
        assert not any(name.startswith("on") for name, _ in attrs)
        if tag not in ("img", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_html_is_balanced_and_everything_in_it_is_escaped():
    reader = Tags()
    reader.feed(evil()._repr_html_())
    assert not reader.open
    assert not reader.seen & {"img", "script", "iframe", "a"}
    assert "&lt;img src=x onerror=alert(1)&gt;" in evil()._repr_html_()


def test_a_figure_has_a_panel_for_every_picture_and_needs_no_window():
    figure = usual().plot()
    assert len(figure.axes) == 3 + 3 + 1 + 3  # sex, race and their crossing: groups, scores, cuts; age: its curve
    figure.canvas.draw()


def test_a_figure_draws_names_that_would_be_formulas():
    evil().plot().canvas.draw()


def test_a_figure_of_numbers_of_constants_and_of_one_group():
    for found in (
        audit(ROWS["score"], sensitive_features={"sex": ROWS["sex"], "age": ROWS["age"]}),
        audit(None, scores=np.ones(100), sensitive_features=["f", "m"] * 50),
        audit([1, 0] * 50, sensitive_features=["f"] * 100),
        audit([1, 0] * 50, sensitive_features=[3.0] * 100),
    ):
        found.plot().canvas.draw()
        assert repr(found)
        assert found._repr_html_()


def test_matplotlib_is_loaded_when_a_figure_is_asked_for_and_not_before():
    code = (
        "import sys; from twosdr.audit import audit; found = audit([0, 1] * 50, sensitive_features=['f', 'm'] * 50); repr(found); "
        "assert 'matplotlib' not in sys.modules; found.plot(); assert 'matplotlib.pyplot' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_table_has_every_number_once():
    sheet = usual().table()
    keys = [(row["s"], row["group"], row["measure"]) for row in sheet]
    assert len(set(keys)) == len(keys)
    assert len(sheet) == (
        len(usual().overall)
        + sum(len(a.measures) + sum(len(g.measures) for g in a.groups) for a in usual().attributes)
        + len(usual().together)
    )
    frame = sheet.to_pandas()
    assert {
        "s",
        "group",
        "measure",
        "estimate",
        "estimate low",
        "estimate high",
        "estimate why",
        "estimate how",
        "n",
    } <= set(frame.columns)


def test_many_groups_are_cut_on_a_terminal_and_kept_in_the_table():
    s = np.array([f"g{j:02d}" for j in range(40)])[np.arange(4000) % 40]
    found = audit(np.arange(4000) % 3 == 0, sensitive_features={"town": s})
    assert "and 16 more groups, in .table()" in repr(found)
    assert len({row["group"] for row in found.table()}) == 41
