"""Rows of every odd kind: an audit that shows itself, or a refusal by name; never a warning, never an error of another's."""

import json
from collections import Counter
from typing import Any

import numpy as np
import pytest

from twosdr.audit import Audit, audit
from twosdr.errors import TwosdrError

KINDS = ("constant", "two", "many", "number", "integer", "boolean", "gaps", "number with gaps", "constant number")


def column(kind: str, n: int, rng: np.random.Generator) -> Any:
    gap = rng.random(n) < 0.3
    if kind == "gaps":
        return np.where(gap, None, np.array(["a", "b", "c"])[rng.integers(0, 3, n)].astype(object))
    if kind == "number with gaps":
        return np.where(gap, np.nan, rng.normal(size=n))
    return {
        "constant": np.array(["a"] * n),
        "two": np.array(["a", "b"])[rng.integers(0, 2, n)],
        "many": np.array(list("abcdefg"))[rng.integers(0, 7, n)],
        "number": rng.normal(size=n) * rng.choice([1e-8, 1, 1e8]) + rng.choice([0, 1e6]),
        "integer": rng.integers(0, 5, n),
        "boolean": rng.random(n) < 0.5,
        "constant number": np.full(n, 3.5),
    }[kind]


def odd(rng: np.random.Generator) -> dict[str, Any]:
    """The arguments of an audit, drawn from all that visitors may bring."""
    n = int(rng.choice([1, 2, 3, 4, 5, 8, 20, 60, 200]))
    score = np.round(rng.normal(size=n), rng.choice([0, 1, 6])) * rng.choice([1, 0, 1e-9, 1e7])
    given: dict[str, Any] = {
        "sensitive_features": {f"s{j}": column(str(rng.choice(KINDS)), n, rng) for j in range(rng.integers(1, 4))},
        "min_group_size": int(rng.choice([1, 2, 5, 30])),
    }
    kind = rng.choice(["decisions", "decisions and scores", "numbers", "scores"])
    if kind.startswith("decisions"):
        given |= {"y_pred": (rng.random(n) < rng.choice([0, 0.02, 0.3, 0.5, 0.98, 1])).astype(int), "rule": 0.8}
    else:
        given["y_pred"] = score + 0.25 if kind == "numbers" else None
    if "scores" in kind:
        given["scores"] = score
    if rng.random() < 0.5:
        binary = (rng.random(n) < rng.choice([0, 0.3, 0.5, 1])).astype(int)
        given["y_true"] = rng.normal(size=n) if kind == "numbers" and rng.random() < 0.7 else binary
    if rng.random() < 0.5:
        z = rng.choice(["two", "number", "integer", "constant number", "many"])
        given["explanatory_features"] = {"z": column(str(z), n, rng)}
    if rng.random() < 0.3:
        given["features"] = {"f": column(str(rng.choice(KINDS)), n, rng), "g": column("number", n, rng)}
    if rng.random() < 0.5:
        given["sample_weight"] = rng.integers(0, 3, n) * rng.choice([1.0, 1e-3])
    if rng.random() < 0.3:
        given["cluster"] = rng.integers(0, max(1, n // 3), n)
    return given


def answered(seed: int) -> str:
    given = odd(np.random.default_rng(seed))
    try:
        found = audit(**given)
    except TwosdrError as refusal:
        return "refused" if len(str(refusal)) > 20 else f"refused without words: {refusal!r}"
    assert repr(found)
    assert found._repr_html_()
    assert len(found.table())
    assert Audit.from_dict(json.loads(found.to_json())) == found
    for form in ("ll144", "ugesp", "lending"):
        try:
            assert repr(found.as_table(form))
        except TwosdrError:
            pass
    if seed % 25 == 0:
        found.plot().canvas.draw()
    return "answered"


def test_every_odd_table_is_answered_or_refused():
    said = Counter(answered(seed) for seed in range(60))
    assert set(said) == {"answered", "refused"}
    assert said["answered"] > said["refused"]


@pytest.mark.slow
def test_a_thousand_odd_tables_are_answered_or_refused():
    said = Counter(answered(seed) for seed in range(60, 1060))
    assert set(said) == {"answered", "refused"}
    assert said["answered"] > said["refused"]
