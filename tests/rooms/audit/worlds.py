"""What the rooms of the audit share: a small company, and the audit of it."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from twosdr.audit import Audit, audit

Array = Any


def company(n: int = 1200, seed: int = 0) -> dict[str, Array]:
    """Applicants: sex, race, age, hours, what came true, a score that favours men, and decisions cut from it."""
    rng = np.random.default_rng(seed)
    sex = np.where(rng.random(n) < 0.4, "woman", "man")
    race = rng.choice(["black", "other", "white"], n, p=[0.2, 0.1, 0.7])
    age = rng.integers(18, 66, n)
    hours = np.round(38 + 4 * (sex == "man") + 5 * rng.normal(size=n))
    truth = rng.normal(size=n) + 0.05 * (hours - 40)
    score = truth + 0.5 * (sex == "man") - 0.4 * (race == "black") + 0.5 * rng.normal(size=n) + 0.01 * age
    y = (truth > 0.2).astype(int)
    return {
        "sex": sex,
        "race": race,
        "age": age,
        "hours": hours,
        "y": y,
        "score": score,
        "hired": (score > 1.0).astype(int),
        "truth": truth,
    }


def audited(rows: dict[str, Array] | None = None, *, s: tuple[str, ...] = ("sex", "race", "age"), **more: Any) -> Audit:
    """The audit of the company's decisions."""
    rows = company() if rows is None else rows
    settings: dict[str, Any] = {"y_true": rows["y"], "scores": rows["score"], "rule": 0.8} | more
    return audit(rows["hired"], sensitive_features={name: rows[name] for name in s}, **settings)


@cache
def usual() -> Audit:
    """The audit of the company as it is; frozen, so that tests can share it."""
    return audited()
