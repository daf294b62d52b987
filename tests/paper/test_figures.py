"""The figures: the shapes that the captions state, the theory's curves, and bytes that a second run repeats."""

import numpy as np
import pytest

from twosdr.errors import ParameterError
from twosdr.paper.drawing import draw
from twosdr.paper.figure1 import AGE, ENTRY, UNEMPLOYED
from twosdr.paper.figure2 import ENTRY as SYNTHETIC
from twosdr.paper.figure2 import FLOOR, SWEEPS, Point, Runs, floor, point_at


def histograms():
    return ENTRY.finish({task: task.run() for task in ENTRY.tasks(0, False)}, 0, False)


def test_figure_1_holds_every_row_once():
    result = histograms()
    c1, c2 = UNEMPLOYED.run()
    men, women = AGE.run()
    assert (len(men), len(women)) == (30_527, 14_695)
    for drawing, groups in zip(result.drawings, ({"c1": c1, "c2": c2}, {"women": women, "men": men}), strict=True):
        for name, values in groups.items():
            assert sum(drawing.numbers[name]) == len(values)


def test_figure_1_shows_what_is_true_of_its_caption_and_says_what_is_not():
    holds = [claim.holds for claim in histograms().claims]
    assert holds == [True, True, False, True, True, False]


def test_the_sweeps_end_where_the_process_ends():
    for name, values in SWEEPS.items():
        for value in values:
            point_at(name, value).world(0)
    for name, beyond in (("d_x", 12), ("sigma_eta_s", 0.45), ("sigma_s", 0.45)):
        with pytest.raises(ParameterError, match="positive definite if and only if"):
            point_at(name, beyond).world(0)


def test_theory_at_the_papers_parameters():
    truth = Point().world(0).truth
    assert truth.ols.cc == pytest.approx(0.668, abs=0.001)
    assert truth.ols.rmse == pytest.approx(np.sqrt(3))
    assert truth.joint.cc == pytest.approx(0.0, abs=1e-12)
    assert truth.joint.rmse == pytest.approx(np.sqrt(3 + 1.5625))  # (.5 d_x (.2 sigma_s + sigma_eta_s))² / sigma_s


@pytest.mark.parametrize(("name", "value"), [("d_x", 9), ("sigma_eta_s", 0.1), ("sigma_s", 5.0)])
def test_the_price_of_2sdr_is_the_formula(name, value):
    at = point_at(name, value)
    truth = at.world(0).truth
    price = (0.5 * at.d_x * (0.2 * at.sigma_s + at.sigma_eta_s)) ** 2 / at.sigma_s
    assert truth.joint.rmse**2 - truth.ols.rmse**2 == pytest.approx(price)


def test_runs_come_to_what_theory_says():
    at = Point(n=5000)
    found = Runs(at, 0, 0, 12).run()
    truth = at.world(0).truth
    mean, error = found.mean(axis=0), found.std(axis=0, ddof=1) / np.sqrt(12)
    for j, expected in ((0, truth.ols.cc), (2, truth.ols.rmse), (3, truth.joint.rmse)):
        assert abs(mean[j] - expected) < 4 * error[j] + 0.005  # O(d / n) of overfitting
    assert mean[1] < 2 * floor(at)


def test_the_noise_floor_is_the_mean_of_unrelated_columns():
    chance = np.random.default_rng(0)
    a, b = chance.normal(size=(2, 2000, 333))
    seen = np.mean([abs(np.corrcoef(u, v)[0, 1]) for u, v in zip(a, b, strict=True)])
    assert floor(Point()) == pytest.approx(seen, rel=0.05)


def test_a_run_is_a_function_of_the_seed_and_its_number():
    assert np.array_equal(Runs(Point(n=100), 3, 5, 8).run()[1:], Runs(Point(n=100), 3, 6, 8).run())
    assert not np.array_equal(Runs(Point(n=100), 4, 6, 8).run(), Runs(Point(n=100), 3, 6, 8).run())


def test_a_drawing_has_the_same_bytes_twice_and_ids_of_its_own():
    def fill(axes):
        axes[0, 0].plot([1, 2], [3, 4], label="line", clip_on=True)
        axes[0, 0].legend()

    first, again, other = (draw(name, "c", (1, 1), (2.0, 2.0), fill, at=np.arange(2)) for name in ("a", "a", "b"))
    assert (first.svg, first.png) == (again.svg, again.png)
    assert first.svg != other.svg
    assert first.numbers == {"at": [0, 1]}
    assert first.svg.startswith("<svg")


@pytest.mark.slow
def test_a_hundred_runs_bear_out_the_captions_but_for_sigma_s():
    tasks = SYNTHETIC.tasks(0, False)
    result = SYNTHETIC.finish({task: task.run() for task in tasks}, 0, False)
    assert [claim.holds for claim in result.claims] == [True, True, True, True, False]
    [drawing] = result.drawings
    for i, n in enumerate(SWEEPS["n"]):
        if n >= 1000:
            assert drawing.numbers["n"]["mean"][i][1] <= FLOOR * floor(point_at("n", n))
