"""truth.py: what follows from means and covariances; that rows tend to it is tests/laws/test_synthetic_truth.py."""

import numpy as np

from tests.rooms.samples import refused
from twosdr import datasets
from twosdr.datasets.truth import Cell, mixture
from twosdr.errors import ParameterError


def test_a_mixture_has_the_moments_of_its_cells():
    cells = [
        Cell({}, share, np.array([m, 2.0 * m]), np.diag([1.0, sigma]))
        for share, m, sigma in ((0.25, 4.0, 2.0), (0.75, 0.0, 0.0))
    ]
    truth = mixture(("x1", "y"), "xy", cells)
    assert truth.mean.tolist() == [1.0, 2.0]
    assert truth.cov.tolist() == [[1 + 3.0, 6.0], [6.0, 1.0 + 12.0]]


def test_a_score_without_spread_is_correlated_with_nothing():
    truth = datasets.make_two_stage(beta_x=0.0, beta_z=0.0, sigma_epsilon=0.0).truth
    assert (truth.ols.cc, truth.ols.rmse, truth.two_stage.cc) == (0.0, 0.0, 0.0)


def test_a_score_of_no_model_is_refused():
    with refused(ParameterError, "model must be", "'ridge'"):
        datasets.make_idle_z().truth.means("ridge")
