"""inference.py at its edges: what is counted, drawn, shown and refused; the laws have a folder of their own."""

import numpy as np
import pytest

from tests.rooms.samples import refused
from twosdr.errors import MetricError, ParameterError
from twosdr.inference import Meat, Summary, bootstrap, check_confidence, cluster_codes, collinear, resampled


def test_clusters_of_any_kind_become_numbers():
    assert cluster_codes(["b", "a", "b"], 3).tolist() == [1, 0, 1]
    assert cluster_codes(np.array([2.5, 1.0, 2.5]), 3).tolist() == [1, 0, 1]
    assert cluster_codes(np.array(["b", None, 3], dtype=object), 3).tolist() == [2, 1, 0]
    for bad in ([1, 2], np.ones((3, 1))):
        with refused(ParameterError, "3 rows"):
            cluster_codes(bad, 3)
    with refused(ParameterError, "1 missing"):
        cluster_codes([1.0, np.nan, 2.0], 3)


@pytest.mark.parametrize("bad", [0.0, 1.0, 95, "0.9", None, float("nan")])
def test_confidence_is_a_share(bad):
    with refused(ParameterError, "confidence"):
        check_confidence(bad)


def test_meat_counts_rows_that_have_weight_and_sums_clusters():
    psi = np.array([[1.0], [2.0], [-3.0]])
    rows = Meat()
    rows.add(psi, np.array([1.0, 0.0, 2.0]), None)
    assert (rows.n, rows.weight, rows.total.item()) == (2, 3.0, 37.0)
    groups = Meat(2)
    groups.add(psi, np.ones(3), np.array([0, 0, 1]))
    covariance, df = groups.covariance(1)
    assert df == 1
    assert covariance.item() == pytest.approx(18.0 / 9.0 * 2.0)
    with refused(MetricError, "2 rows", "2 coefficients"):
        rows.covariance(2)
    with refused(MetricError, "One cluster"):
        Meat(1, 5, 5.0, np.zeros((1, 1))).covariance(1)


def test_draws_are_seeded_and_take_clusters_whole():
    draws = list(resampled(6, 5, 3))
    assert all(d.sum() == 6 for d in draws)
    assert all((a == b).all() for a, b in zip(draws, resampled(6, 5, 3), strict=True))
    for counts in resampled(6, 5, 3, np.array([0, 0, 1, 1, 2, 2])):
        assert (counts[::2] == counts[1::2]).all()


def test_what_a_draw_left_out_is_left_out_of_the_covariance():
    def fit(counts):
        return np.array([counts[0], np.nan if counts[1] == 0 else 1.0 * counts[1]])

    found = bootstrap(fit, 5, times=40, random_state=0)
    assert np.isfinite(found).all()
    assert found[0, 0] > 0


def test_a_summary_without_errors_says_why():
    why = collinear(np.array([0.9, 0.01]), ("sex",))
    assert "0.01" in why
    assert '"sex"' in why
    assert collinear(np.array([0.9]), ("sex",)) == collinear(np.ones(0), ("sex",)) == ""
    summary = Summary(("a",), np.ones(1), None, 9, 0, "none", why=why)
    assert (summary.se, summary.low, summary.high) == (None, None, None)
    assert why in repr(summary)


def test_names_are_text_and_not_markup():
    summary = Summary(("<b>x</b>",), np.ones(1), np.eye(1), 9, 8, "sandwich")
    assert "<b>" not in summary._repr_html_()
    assert summary.low < summary.estimate < summary.high
