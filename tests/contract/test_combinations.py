"""docs/combinations.md is executed: every row works, or raises the error that it quotes."""

import re
from pathlib import Path

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import KFold
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from twosdr import GroupRanks, Residualizer, TwoStageClassifier, TwoStageRegressor
from twosdr.errors import ParameterError

PAGE = Path(__file__).parents[2] / "docs" / "combinations.md"
ROWS = re.findall(r"^\| `(.+)` \| (works|error: .+?) \|$", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
NAMES = {
    "DecisionTreeClassifier": DecisionTreeClassifier,
    "DecisionTreeRegressor": DecisionTreeRegressor,
    "GroupRanks": GroupRanks,
    "KFold": KFold,
    "LogisticRegression": LogisticRegression,
    "Residualizer": Residualizer,
    "Ridge": Ridge,
    "TwoStageClassifier": TwoStageClassifier,
    "TwoStageRegressor": TwoStageRegressor,
}

CHANCE = np.random.default_rng(5)
N = 120
S = CHANCE.choice(["a", "b"], N)
Z = CHANCE.normal(size=N) + (S == "a")
X = {"s": S.astype(object), "x1": CHANCE.normal(size=N) + Z, "x2": CHANCE.normal(size=N), "z": Z}
SCORE = X["x1"] + X["x2"] + Z + (S == "a") + CHANCE.normal(size=N)


def test_the_page_has_its_table():
    assert len(ROWS) > 50
    assert {answer == "works" for _, answer in ROWS} == {True, False}


@pytest.mark.filterwarnings("ignore::twosdr.errors.ChoiceWarning", "ignore::twosdr.errors.IdentifiabilityWarning")
@pytest.mark.parametrize(("call", "answer"), ROWS, ids=[call for call, _ in ROWS])
def test_the_row_says_what_happens(call, answer):
    model = eval(call, dict(NAMES))
    y = np.where(np.median(SCORE) < SCORE, "yes", "no") if isinstance(model, TwoStageClassifier) else SCORE
    if answer != "works":
        with pytest.raises(ParameterError, match=re.escape(answer.removeprefix("error: "))):
            model.fit(X, y)
        return
    model.fit(X, y)
    if hasattr(model, "transform"):
        assert len(model.transform(X)) == N
    else:
        assert len(model.predict(X)) == N
        assert model.score(X, y) > 0.1  # everything has some use here
