"""A generated world's truth is what its rows tend to: moments, and the scores of least squares and of 2SDR."""

import math

import numpy as np
import pytest
from hypothesis import strategies as st

from tests.laws.tools import law
from twosdr import TwoStageRegressor, datasets
from twosdr.errors import ParameterError

ROWS = 60_000
# Standard errors that a mean of 60,000 may stray: in some 500 comparisons, with fixed seeds, none should.
STRAY = 5.0
# The same rows in other sums: rounding, times the condition of near-copies at a distance of .05, squared.
CLOSE = 1e-9
WORLDS = {
    "the paper's": datasets.make_two_stage,
    "the paper's, several s": lambda n, **k: datasets.make_two_stage(n, d_x=3, d_s=2, d_z=1, **k),
    "the paper's, deviations": lambda n, **k: datasets.make_two_stage(n, noise="deviation", **k),
    "numeric s": datasets.make_numeric_s,
    "interactions": datasets.make_interactions,
    "near copies": datasets.make_near_copies,
    "idle z": datasets.make_idle_z,
    "unequal groups": lambda n, **k: datasets.make_unequal_groups(n, (0.7, 0.25, 0.05), **k),
    "binary y": datasets.make_binary_y,
}
READINGS = {"two_stage": "controlled", "joint": "joint", "raw": "raw"}


@pytest.fixture(scope="module", params=WORLDS)
def world(request):
    return WORLDS[request.param](ROWS, random_state=8)


def encoded(world):
    """The rows as the truth names them."""
    columns = []
    for name in world.truth.names:
        head, _, level = name.partition("=")
        values = world.table.column(head).to_numpy()
        columns.append((values == level).astype(float) if level else values.astype(float))
    return np.column_stack(columns)


def test_means_and_covariances_are_those_of_the_rows(world):
    rows, truth = encoded(world), world.truth
    gap = rows - truth.mean
    assert (abs(gap.mean(axis=0)) <= STRAY * gap.std(axis=0) / math.sqrt(ROWS) + 1e-12).all()
    for j in range(rows.shape[1]):
        products = gap * gap[:, [j]]
        error = products.std(axis=0) / math.sqrt(ROWS)
        assert (abs(products.mean(axis=0) - truth.cov[j]) <= STRAY * error + 1e-12).all()


@pytest.mark.parametrize("model", ["ols", *READINGS])
def test_fitted_scores_tend_to_the_expected_ones(world, model):
    rows, truth = encoded(world), world.truth
    if model == "ols":
        estimator = TwoStageRegressor()
    elif world.explanatory:
        estimator = TwoStageRegressor(
            sensitive=world.sensitive, explanatory=world.explanatory, explanatory_mode=READINGS[model]
        )
    else:
        estimator = TwoStageRegressor(sensitive=world.sensitive)
    score = estimator.fit(world.X, world.y.astype(float)).predict(world.X)
    expected = getattr(truth, model)
    loss = (score - rows[:, -1]) ** 2
    assert abs(loss.mean() - expected.rmse**2) <= STRAY * loss.std() / math.sqrt(ROWS) + 1e-12
    for name, cc in expected.cc_by_s.items():
        found = abs(np.corrcoef(rows[:, truth.names.index(name)], score)[0, 1])
        assert abs(found - cc) <= STRAY / math.sqrt(ROWS)
    by_formula = expected.intercept + rows[:, :-1] @ np.array(list(expected.coef.values()))
    # The score itself, in its own deviations: parameters stray by some sqrt(columns / n) noises.
    room = STRAY * math.sqrt(rows.shape[1] / ROWS) * rows[:, -1].std()
    assert np.sqrt(np.mean((score - by_formula) ** 2)) <= room


def test_means_and_shares_of_cells_are_those_of_the_rows(world):
    rows, frame = encoded(world), world.to_pandas()
    for model in ("ols", "two_stage"):
        expected = getattr(world.truth, model)
        score = expected.intercept + rows[:, :-1] @ np.array(list(expected.coef.values()))
        for cell, (labels, mean), (_, above) in zip(
            world.truth.cells, world.truth.means(model), world.truth.above(0.5, model), strict=True
        ):
            inside = np.ones(ROWS, dtype=bool)
            for name, label in labels.items():
                inside &= (frame[name] == label).to_numpy()
            n = inside.sum()
            assert abs(n / ROWS - cell.share) <= STRAY * math.sqrt(cell.share * (1 - cell.share) / ROWS)
            assert abs(score[inside].mean() - mean) <= STRAY * score[inside].std() / math.sqrt(n) + 1e-12
            assert abs((score[inside] > 0.5).mean() - above) <= STRAY * math.sqrt(0.25 / n)


def test_the_correlation_with_a_squared_residual_is_the_written_one():
    world = datasets.make_numeric_s(ROWS, d_x=1, spread=0.3, random_state=4)
    rows = encoded(world)
    u = rows[:, 1] - 0.5 * rows[:, 0]
    assert abs(np.corrcoef(rows[:, 0], u**2)[0, 1] - world.truth.more["cc_of_squares"]) < 0.02


@pytest.mark.parametrize("make", [datasets.make_two_stage, datasets.make_interactions, datasets.make_near_copies])
def test_a_model_that_sees_chunks_is_the_one_that_sees_the_table(make):
    world = make(10_000, random_state=5)
    whole, grown = (TwoStageRegressor(sensitive=world.sensitive, explanatory=world.explanatory) for _ in range(2))
    whole.fit(world.X, world.y)
    for piece in world.chunks(3000):
        grown.partial_fit(piece.drop_columns(["y"]), piece["y"].to_numpy())
    expected = whole.predict(world.X)
    assert np.abs(grown.predict(world.X) - expected).max() <= CLOSE * np.abs(expected).max()


@law(
    few=20,
    d_x=st.integers(1, 8),
    d_s=st.integers(1, 4),
    c=st.floats(-1.0, 1.0),
    v_s=st.floats(0.05, 4.0),
    v_eta=st.floats(0.05, 4.0),
)
def test_the_joint_law_is_accepted_if_and_only_if_it_is_positive_definite(d_x, d_s, c, v_s, v_eta):
    joint = np.diag([v_eta] * d_x + [v_s] * d_s)
    joint[:d_x, d_x:] = joint[d_x:, :d_x] = c
    smallest = np.linalg.eigvalsh(joint)[0]
    if abs(smallest) < 1e-9:
        return  # a matter of rounding
    asked = {"d_x": d_x, "d_s": d_s, "sigma_eta_s": c, "sigma_s": v_s, "sigma_eta": v_eta}
    if smallest > 0:
        assert datasets.make_two_stage(**asked).truth.cov.shape == (d_s + d_x + 6,) * 2
    else:
        with pytest.raises(ParameterError, match="if and only if"):
            datasets.make_two_stage(**asked)


@law(start=st.integers(0, 9000), length=st.integers(0, 5000), size=st.integers(1, 9000), seed=st.integers(0, 2**64))
@pytest.mark.parametrize("make", [datasets.make_two_stage, datasets.make_numeric_s, datasets.make_binary_y])
def test_rows_do_not_depend_on_how_they_are_cut(make, start, length, size, seed):
    world = make(start + length + 1, random_state=seed)
    stop = start + length
    assert world.rows(start, stop).equals(world.table.slice(start, length))
    size = max(size, world.n // 50)
    pieces = [piece.column("y").to_numpy() for piece in world.chunks(size)]
    assert np.array_equal(np.concatenate(pieces), world.y)
