"""Fitted models of every kind that travels, each with new rows to predict and what has to stand beside them."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from tests.rooms.samples import numbers, people, target
from twosdr import TwoStageClassifier, TwoStageRegressor
from twosdr.errors import TwosdrWarning

ODD = {  # names and values that would break out of a statement or a page that does not quote them
    "drop": 'a"; drop table people; --',
    "tick": "it's `this`",
    "slash": "back\\slash' OR 1=1 --",
    "script": "<script>alert(1)</script> | [x](y)",
    "lines": "two\nlines\r\n\ttab",
    "umlaut": "größe 👩\u200d🔬 שלום",
    "percent": "{x} %s $1 :name ?",
}


@dataclass(frozen=True)
class Case:
    """A fitted model and rows that training did not see; `beside` goes to predict by keyword."""

    model: Any
    rows: Any
    beside: dict[str, Any] = field(default_factory=dict)

    def raw(self) -> Any:
        """The scores or predictions."""
        method = "decision_function" if hasattr(self.model, "decision_function") else "predict"
        return getattr(self.model, method)(self.rows, **self.beside)


def frame(seed: int, n: int = 90) -> pd.DataFrame:
    """People with categories of numbers and of booleans too."""
    rng = np.random.default_rng(seed + 100)
    found = pd.DataFrame(people(n, seed))
    found["district"] = pd.Categorical(rng.integers(1, 4, n))
    found["grade"] = pd.Categorical(rng.choice([0.5, 1.0, 2.25], n))
    found["member"] = pd.Categorical(rng.random(n) < 0.5)
    return found


def holes(rows: pd.DataFrame, names: tuple[str, ...], seed: int = 5) -> pd.DataFrame:
    """The same rows with every seventh value of these columns missing."""
    rng = np.random.default_rng(seed)
    out = rows.copy()
    for name in names:
        out[name] = out[name].astype("boolean") if out[name].dtype == bool else out[name]
        out.loc[rng.random(len(out)) < 1 / 7, name] = None
    return out


def three(y: Any) -> Any:
    return np.array(["high", "low", "middle"])[np.digitize(y, [-0.5, 1.0])]


def strange(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows with levels that training did not see."""
    out = rows.copy()
    out.loc[::11, "race"] = "Martian"
    out.loc[::13, "sex"] = "x"
    return out


def odd_frame(seed: int) -> pd.DataFrame:
    """A table whose names and levels are all traps."""
    plain = people(90, seed)
    rng = np.random.default_rng(seed)
    text = np.array(["", *ODD.values()], dtype=object)
    return pd.DataFrame(
        {
            ODD["drop"]: plain["sex"],
            ODD["tick"]: plain["skill"],
            ODD["slash"]: text[rng.permutation(90) % len(text)],
            ODD["umlaut"]: plain["hours"],
            ODD["script"]: plain["race"],
            ODD["lines"]: plain["part_time"],
            ODD["percent"]: plain["age"],
        }
    )


def _regressor(X: Any, y: Any = None, **settings: Any) -> Any:
    return TwoStageRegressor(**({"sensitive": "sex"} | settings)).fit(X, target(people(90, 0)) if y is None else y)


def _classifier(X: Any, y: Any, **settings: Any) -> Any:
    return TwoStageClassifier(**({"sensitive": "sex", "alphas": 1.0} | settings)).fit(X, y)


def _grown() -> Case:
    """Levels that were declared and never came, and one whose rows were taken out again."""
    X = pd.DataFrame(people(90, 0))
    y = target(people(90, 0))
    model = TwoStageRegressor(sensitive="sex", handle_unknown="mean")
    model.partial_fit(X, y, levels={"race": ["black", "never", "other", "white"]})
    gone = (X["race"] == "black").to_numpy()
    return Case(model.forget(X[gone], y[gone]), pd.DataFrame(people(40, 7)))


def _beside() -> Case:
    X, new = pd.DataFrame(people(90, 0)), pd.DataFrame(people(40, 7))
    model = TwoStageRegressor().fit(
        X.drop(columns=["sex", "hours"]),
        target(people(90, 0)),
        sensitive_features=X["sex"],
        explanatory_features=X["hours"],
    )
    return Case(
        model,
        new.drop(columns=["sex", "hours"]),
        {"sensitive_features": new["sex"], "explanatory_features": new["hours"]},
    )


def _far() -> Case:
    X, new = frame(0), frame(7, 40)
    for rows in (X, new):
        rows["skill"] += 1e9
    return Case(_regressor(X), new)


def _odd() -> Case:
    X = odd_frame(0)
    y = np.array([ODD["script"], ODD["slash"], ODD["umlaut"]])[np.digitize(target(people(90, 0)), [-0.5, 1.0])]
    return Case(_classifier(X, y, sensitive=ODD["drop"]), odd_frame(7))


MAKERS: dict[str, Callable[[], Case]] = {
    "regressor": lambda: Case(_regressor(frame(0)), frame(7, 40)),
    "explanatory": lambda: Case(_regressor(frame(0), explanatory=["hours", "district"], alphas=2.0), frame(7, 40)),
    "without s": lambda: Case(
        _regressor(frame(0), at_predict="without", sensitive=["sex", "race"]),
        frame(7, 40).drop(columns=["sex", "race"]),
    ),
    "discrimination-free": lambda: Case(_regressor(frame(0), goal="discrimination_free"), frame(7, 40)),
    "half": lambda: Case(_regressor(frame(0), removal=0.5, drop="grade"), frame(7, 40)),
    "unknown and missing as average": lambda: Case(
        _regressor(
            holes(frame(0), ("race", "skill", "part_time", "grade")), handle_missing="mean", handle_unknown="mean"
        ),
        strange(holes(frame(7, 60), ("race", "skill", "part_time", "grade", "district", "hours"), 9)),
    ),
    "missing as a level": lambda: Case(
        _regressor(
            holes(frame(0), ("sex", "race", "skill", "part_time", "grade", "member")),
            handle_missing="category",
            handle_unknown="mean",
        ),
        strange(holes(frame(7, 60), ("sex", "race", "skill", "part_time", "grade", "member"), 9)),
    ),
    "levels without rows": _grown,
    "an array": lambda: Case(_regressor(numbers(people(90, 0)), sensitive=0), numbers(people(40, 7))),
    "s beside": _beside,
    "several y": lambda: Case(
        _regressor(frame(0), pd.DataFrame({"a": target(people(90, 0)), "b": target(people(90, 0), 2)})), frame(7, 40)
    ),
    "far from zero": _far,
    "yes and no": lambda: Case(
        _classifier(frame(0), np.where(target(people(90, 0)) > 0.3, "yes", "no"), threshold={"quantile": 0.6}),
        frame(7, 40),
    ),
    "0 and 1": lambda: Case(
        _classifier(
            frame(0),
            (target(people(90, 0)) > 0.3).astype(np.int8),
            class_weight={0: 1.0, 1: 2.0},
            alphas=[0.1, 1.0, 10.0],
        ),
        frame(7, 40),
    ),
    "booleans": lambda: Case(_classifier(frame(0), target(people(90, 0)) > 0.3, threshold=0.1), frame(7, 40)),
    "whole floats": lambda: Case(
        _classifier(frame(0), np.digitize(target(people(90, 0)), [-0.5, 1.0]).astype(float)), frame(7, 40)
    ),
    "three classes": lambda: Case(
        _classifier(pd.DataFrame(people(90, 0)), pd.Series(three(target(people(90, 0))), name="rank")),
        pd.DataFrame(people(40, 7)),
    ),
    "traps": _odd,
    "a target for removal": lambda: Case(_regressor(frame(0), removal={"md": 0.2}), frame(7, 40)),
    "between": lambda: Case(_regressor(frame(0), at_predict="without", between=10.0), frame(7, 40)),
    "equal opportunity": lambda: Case(
        _classifier(frame(0), np.where(target(people(90, 0)) > 0.3, "yes", "no"), goal="equal_opportunity"),
        frame(7, 40),
    ),
    "equalized odds": lambda: Case(_regressor(frame(0), goal="equalized_odds"), frame(7, 40)),
}
_made: dict[str, Case] = {}


def fresh(name: str) -> Case:
    """The case of that name, fitted now."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TwosdrWarning)
        return MAKERS[name]()


def case(name: str) -> Case:
    """The case of that name, fitted once."""
    if name not in _made:
        _made[name] = fresh(name)
    return _made[name]
