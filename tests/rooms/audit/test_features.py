"""How well other columns give s away."""

import numpy as np
import pandas as pd
import pytest

from twosdr.audit import audit

RNG = np.random.default_rng(0)
N = 4000
SEX = RNG.integers(0, 2, N)
NAMES = np.array(["f", "m"])[SEX]


def read_off(s, **features):
    found = audit(np.arange(N) % 2, sensitive_features={"s": s}, features=pd.DataFrame(features))
    return found["s"].measures["read_from_features"]


def test_noise_gives_nothing_away_however_many_columns_of_it():
    assert read_off(NAMES, **{f"x{j}": RNG.normal(size=N) for j in range(30)}).value < 0.02


def test_a_copy_gives_all_away_and_a_noisy_one_its_share():
    assert read_off(NAMES, x=SEX).value > 0.99
    assert read_off(NAMES, x=SEX + 0.5 * RNG.normal(size=N)).value == pytest.approx(0.5, abs=0.05)


def test_text_and_gaps_are_read_as_they_are():
    assert read_off(NAMES, x=np.where(SEX == 1, "he", "she")).value > 0.99
    assert read_off(NAMES, x=np.where(SEX == 1, 1.0, np.nan)).value > 0.99  # what is missing tells, too


def test_numbers_and_several_groups():
    age = RNG.normal(size=N)
    assert read_off(age, x=age + RNG.normal(size=N)).value == pytest.approx(0.5, abs=0.05)
    three = np.array(["a", "b", "c"])[RNG.integers(0, 3, N)]
    assert read_off(three, x=three).value > 0.99


def test_the_column_of_s_itself_does_not_count():
    frame = pd.DataFrame({"s": NAMES, "x": RNG.normal(size=N)})
    found = audit(np.arange(N) % 2, sensitive_features=frame[["s"]], features=frame)
    assert found["s"].measures["read_from_features"].value < 0.02


def test_what_cannot_be_read_says_why():
    constant = read_off(NAMES, x=np.ones(N))
    assert constant.value == 0.0
    assert "constant" in constant.method
    infinite = read_off(NAMES, x=np.where(SEX == 1, np.inf, 0.0))
    assert infinite.value is None
    assert "infinite" in infinite.why
    few = audit([0, 1] * 4, sensitive_features=["f", "m"] * 4, features=pd.DataFrame({"x": range(8)}))
    assert "too few" in few["s"].measures["read_from_features"].why


def test_rows_of_unknown_s_are_left_out():
    s = NAMES.astype(object)
    s[:100] = None
    x = SEX.astype(float)
    x[:100] = 1e6  # would drown the rest
    assert read_off(s, x=x).value > 0.99
