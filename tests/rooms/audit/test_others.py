"""A metric that is registered later takes part without a change here."""

import numpy as np

from tests.rooms.audit.worlds import audited, company
from twosdr.audit.others import PLACED
from twosdr.metrics import METRICS, Estimate, Metric

ROWS = company(400)


def spread_of_s(y_pred, *, s, confidence=0.95):
    return Estimate(float(np.std(y_pred)), None, len(y_pred), "", "standard deviation")


def needs_z(y_pred, *, s, z):
    return Estimate(1.0)


def test_every_metric_of_today_has_its_place():
    assert {name for name, metric in METRICS.items() if metric.takes("s")} <= PLACED


def test_a_new_metric_is_a_row_of_every_s(monkeypatch):
    monkeypatch.setitem(METRICS, "spread_of_s", Metric(spread_of_s, "scores", "moments"))
    found = audited(ROWS)
    for a in found.attributes:
        assert a.measures["spread_of_s"].value == np.std(ROWS["score"])
    assert "spread of s" in repr(found)
    assert any(row["measure"] == "spread of s" for row in found.table())


def test_what_it_needs_and_is_not_there_leaves_it_out(monkeypatch):
    monkeypatch.setitem(METRICS, "needs_z", Metric(needs_z, "decisions", "moments"))
    assert "needs_z" not in audited(ROWS)["sex"].measures
    assert audited(ROWS, explanatory_features={"hours": ROWS["hours"]})["sex"].measures["needs_z"].value == 1.0
