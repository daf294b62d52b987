"""synthetic.py: the paper's world and six others; what they take, refuse and repeat."""

import math

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from tests.rooms.samples import refused
from twosdr import datasets, tables
from twosdr.datasets import synthetic
from twosdr.errors import ParameterError
from twosdr.roles import resolve

MAKERS = {name.removeprefix("make_"): getattr(synthetic, name) for name in dir(synthetic) if name.startswith("make_")}
# Closed forms against linear algebra on covariances of order one.
CLOSE = 1e-9


def test_every_generator_is_at_the_door():
    assert len(MAKERS) == 7
    assert all(getattr(datasets, f"make_{name}") is maker for name, maker in MAKERS.items())


@pytest.mark.parametrize("name", MAKERS)
def test_a_world_is_a_table_with_roles_and_its_truth(name):
    world = MAKERS[name](5000, random_state=3)  # enough for the group of one in a thousand to be there
    assert isinstance(world.table, pa.Table)
    assert isinstance(world.to_pandas(), pd.DataFrame)
    assert isinstance(world.to_polars(), pl.DataFrame)
    assert world.table.num_rows == world.n == len(world.y) == 5000
    assert world.X.column_names == [c for c in world.table.column_names if c != "y"]
    roles = resolve(tables.read(world.X), sensitive=world.sensitive, explanatory=world.explanatory)
    # The truth is about the encoded columns that an estimator makes, less the reference level of each category.
    assert set(world.truth.names) - {"y"} <= set(roles.names)
    assert world.truth.cov.shape == (len(world.truth.names),) * 2
    assert name in repr(world)
    assert "random_state=3" in repr(world)


# The paper's world


def test_the_papers_parameters_give_the_papers_population():
    truth = datasets.make_two_stage().truth
    assert truth.names == ("s1", *(f"x{j}" for j in range(1, 6)), *(f"z{j}" for j in range(1, 6)), "y")
    assert math.isclose(truth.ols.cc, 1.25 / math.sqrt(3.5), abs_tol=CLOSE)
    assert math.isclose(truth.ols.rmse, math.sqrt(3), abs_tol=CLOSE)
    assert math.isclose(truth.two_stage.rmse, math.sqrt(3 + 1.5625), abs_tol=CLOSE)
    assert truth.two_stage.cc < CLOSE
    for other in (truth.joint, truth.raw):  # z is independent of s: the readings are one
        assert math.isclose(other.rmse, truth.two_stage.rmse, abs_tol=CLOSE)


@pytest.mark.parametrize(
    "changed",
    [
        *({"d_x": d} for d in (1, 2, 3, 7, 10, 11)),
        *({"sigma_eta_s": c} for c in (0.0, 0.1, 0.2, 0.4, 0.44)),
        *({"sigma_s": v} for v in (0.46, 0.5, 0.75, 1.5, 2.0, 3.0, 5.0, 10.0)),
    ],
    ids=str,
)
def test_the_points_of_figure_2_follow_the_formulas(changed):
    asked = {"d_x": 5, "sigma_eta_s": 0.3, "sigma_s": 1.0, **changed}
    truth = datasets.make_two_stage(**asked).truth
    with_s = 0.2 * asked["sigma_s"] + asked["sigma_eta_s"]  # Cov(x_k, s)
    at = list(truth.names).index
    assert math.isclose(truth.cov[at("x1"), at("s1")], with_s, abs_tol=CLOSE)
    excess = (0.5 * asked["d_x"] * with_s) ** 2 / asked["sigma_s"]
    assert math.isclose(truth.two_stage.rmse, math.sqrt(3 + excess), abs_tol=CLOSE)
    assert math.isclose(truth.ols.rmse, math.sqrt(3), abs_tol=CLOSE)


@pytest.mark.parametrize(
    ("edge", "inside", "bound"),
    [
        ({"sigma_eta_s": math.sqrt(1 / 5) + 1e-9}, {"sigma_eta_s": math.sqrt(1 / 5) - 1e-9}, "|sigma_eta_s| < 0.4472"),
        ({"sigma_eta_s": -0.45}, {"sigma_eta_s": -0.44}, "|sigma_eta_s| < 0.4472"),
        ({"d_x": 12}, {"d_x": 11}, "d_x * d_s < 11.11"),
        ({"d_s": 3}, {"d_s": 2}, "d_x * d_s < 11.11"),
        ({"sigma_s": 0.45}, {"sigma_s": 0.46}, "sigma_s > 0.45"),
    ],
    ids=str,
)
def test_beyond_the_bound_the_error_states_it(edge, inside, bound):
    with refused(ParameterError, "if and only if sigma_s * sigma_eta > d_x * d_s * sigma_eta_s**2", bound):
        datasets.make_two_stage(**edge)
    assert np.isfinite(datasets.make_two_stage(100, **inside, random_state=0).y).all()


def test_noise_is_a_variance_or_a_deviation():
    variance, deviation = (
        datasets.make_two_stage(noise=noise, sigma_z=2.0).truth for noise in ("variance", "deviation")
    )
    assert math.isclose(variance.ols.rmse, math.sqrt(3), abs_tol=CLOSE)
    assert math.isclose(deviation.ols.rmse, 3, abs_tol=CLOSE)
    assert math.isclose(deviation.two_stage.rmse, math.sqrt(9 + 1.5625), abs_tol=CLOSE)
    at = variance.names.index("z1")
    assert math.isclose(variance.cov[at, at], 2, abs_tol=CLOSE)
    assert math.isclose(deviation.cov[at, at], 4, abs_tol=CLOSE)
    s = slice(0, 6)  # the joint law is a covariance matrix in either case
    assert np.allclose(variance.cov[s, s], deviation.cov[s, s])


def test_no_z_and_several_s():
    world = datasets.make_two_stage(50, d_z=0, d_s=2, random_state=0)
    assert world.sensitive == ("s1", "s2")
    assert world.explanatory == ()
    assert set(world.truth.two_stage.cc_by_s) == {"s1", "s2"}


# The others


def test_near_copies_let_the_raw_reading_rebuild_s():
    near, far = (datasets.make_near_copies(distance=d).truth for d in (0.01, 10.0))
    assert near.raw.cc > 0.99 * near.ols.cc
    assert far.raw.cc < 0.9 * far.ols.cc
    assert near.two_stage.cc < 0.6 * near.ols.cc
    # What is left is what z explains: its own effect times Cov(s, z).
    assert math.isclose(
        near.two_stage.coef["z1"] + near.two_stage.coef["x1"] + near.two_stage.coef["x2"], 1, abs_tol=CLOSE
    )


def test_an_idle_z_takes_over_the_effect_of_s_when_read_jointly():
    truth = datasets.make_idle_z().truth
    assert truth.two_stage.cc < CLOSE
    assert abs(truth.ols.coef["z1"]) < CLOSE
    assert truth.joint.cc > 0.5


def test_interactions_leave_a_gap_that_neither_s_shows():
    truth = datasets.make_interactions().truth
    assert truth.two_stage.cc < CLOSE
    means = {(labels["sex"], labels["origin"]): mean for labels, mean in truth.means()}
    assert abs(means["m", "b"] - means["m", "a"]) > 1
    none = datasets.make_interactions(interaction=0.0).truth
    assert max(mean for _, mean in none.means()) - min(mean for _, mean in none.means()) < CLOSE


def test_groups_of_unequal_size_get_the_same_mean_score():
    truth = datasets.make_unequal_groups().truth
    assert [cell.share for cell in truth.cells] == [0.7, 0.25, 0.049, 0.001]
    means = [mean for _, mean in truth.means()]
    assert (
        max(means) - min(means) < CLOSE * 1e3
    )  # a group of one in a thousand: the covariance holds fewer digits of it
    worst = [mean for _, mean in truth.means("ols")]
    assert max(worst) - min(worst) > 1


def test_base_rates_are_the_ones_asked_for():
    world = datasets.make_binary_y(200_000, (0.1, 0.3, 0.7), shares=(0.5, 0.3, 0.2), random_state=0)
    assert world.truth.more["base_rates"] == {"g0": 0.1, "g1": 0.3, "g2": 0.7}
    assert world.positive == 1
    frame = world.to_pandas()
    assert set(frame.y) == {0, 1}
    for group, rate in world.truth.more["base_rates"].items():
        y = frame.y[frame.group == group]
        assert abs(y.mean() - rate) < 5 * math.sqrt(rate * (1 - rate) / len(y))


def test_a_spread_that_depends_on_s_is_uncorrelated_and_not_independent():
    truth = datasets.make_numeric_s(spread=0.5).truth
    assert truth.two_stage.cc < CLOSE
    assert truth.more["cc_of_squares"] > 0.25
    assert datasets.make_numeric_s(spread=0.0).truth.more["cc_of_squares"] == 0


@pytest.mark.parametrize(
    ("maker", "asked", "words"),
    [
        ("two_stage", {"n": 0}, ["n must be a whole number, 1 or more", "0"]),
        ("two_stage", {"n": 2.5}, ["n must", "2.5"]),
        ("two_stage", {"d_x": True}, ["d_x", "True"]),
        ("two_stage", {"d_s": 0}, ["d_s"]),
        ("two_stage", {"d_z": -1}, ["d_z"]),
        ("two_stage", {"sigma_s": 0.0}, ["sigma_s must be above 0"]),
        ("two_stage", {"sigma_epsilon": -1.0}, ["sigma_epsilon must be above 0 or 0"]),
        ("two_stage", {"sigma_eta_s": math.nan}, ["sigma_eta_s must be a finite number"]),
        ("two_stage", {"beta_x": "half"}, ["beta_x must be a finite number", "'half'"]),
        ("two_stage", {"noise": "sd"}, ['"variance" or "deviation"', "'sd'"]),
        ("two_stage", {"random_state": -1}, ["random_state"]),
        ("two_stage", {"random_state": "one"}, ["random_state", "'one'"]),
        ("two_stage", {"sigma_eta_s": 1e200}, ["if and only if", "|sigma_eta_s| < 0.4472"]),
        ("two_stage", {"sigma_eta_s": 10**400}, ["sigma_eta_s must be a finite number"]),
        ("two_stage", {"sigma_s": 1e-200, "sigma_eta": 1e-200}, ["if and only if", "|sigma_eta_s| < 4.472e-201"]),
        ("interactions", {"association": 0.3}, ["association", "-0.25 and 0.25"]),
        ("interactions", {"association": "much"}, ["association must be a finite number", "'much'"]),
        ("near_copies", {"correlation": None}, ["correlation must be a finite number", "None"]),
        ("numeric_s", {"spread": 40.0}, ["spread must be between -10 and 10"]),
        ("unequal_groups", {"shares": 3}, ["shares must be a list of numbers", "3"]),
        ("binary_y", {"base_rates": ("a", 0.5)}, ["base_rates must be a list of numbers"]),
        ("binary_y", {"shares": 0.5}, ["shares must be a list of numbers"]),
        ("near_copies", {"correlation": 1.0}, ["correlation", "between -1 and 1"]),
        ("near_copies", {"distance": 0.0}, ["distance", "above 0"]),
        ("idle_z", {"correlation": -1.0}, ["correlation"]),
        ("unequal_groups", {"shares": (0.5, 0.4)}, ["shares", "sum 1"]),
        ("unequal_groups", {"shares": (1.0,)}, ["two or more"]),
        ("unequal_groups", {"shares": (1.5, -0.5)}, ["positive"]),
        ("binary_y", {"base_rates": (0.0, 0.5)}, ["base_rates", "between 0 and 1"]),
        ("binary_y", {"shares": (0.2, 0.3, 0.5)}, ["shares must be 2"]),
        ("numeric_s", {"sigma": 0.0}, ["sigma"]),
    ],
)
def test_parameters_are_checked(maker, asked, words):
    with refused(ParameterError, *words):
        MAKERS[maker](**asked)
