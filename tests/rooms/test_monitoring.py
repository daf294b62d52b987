"""monitoring.py: the same moments on new rows, however they are cut, against what training promised."""

import numpy as np
import pyarrow as pa
import pytest

from tests.rooms.report.contents import people
from twosdr import TwoStageClassifier, TwoStageRegressor
from twosdr.errors import TableError
from twosdr.monitoring import drift

CLOSE = 1e-10  # the same sums in other pieces


def fitted(**settings):
    table = people()
    y = table["skill"] + 0.1 * table["hours"]
    return TwoStageRegressor(sensitive=["sex", "age"], **settings).fit(table, y), table


def test_the_training_rows_keep_the_promise():
    model, table = fitted(removal=0.5)
    found = drift(model._portable(), [pa.table(table)])
    assert found.n == found.known_s == found.training_rows == 600
    for link in found.links:
        assert link.covariance == pytest.approx(link.promised, abs=CLOSE)
        assert link.correlation.value == pytest.approx(link.promised_correlation, abs=CLOSE)
        assert not link.drifted
    assert all(abs(shift.deviations or 0) < CLOSE for shift in found.shifts)
    [(_, then, now)] = found.scores
    assert now == pytest.approx(then)


def test_it_does_not_matter_how_the_rows_are_cut():
    model, _ = fitted()
    new = pa.table(people(seed=4))
    whole = drift(model._portable(), [new])
    cut = drift(model._portable(), [new.slice(0, 1), new.slice(1, 0), new.slice(1, 250), new.slice(251)])
    for a, b in zip(whole.links, cut.links, strict=True):
        assert a.covariance == pytest.approx(b.covariance, abs=CLOSE)
        assert a.correlation.value == pytest.approx(b.correlation.value, abs=CLOSE)


def test_the_correlation_is_numpy_s_and_drift_is_seen():
    model, _ = fitted()
    new = people(seed=5)
    new["skill"] = new["skill"] - (new["sex"] == "f")
    found = {link.s: link for link in drift(model._portable(), [pa.table(new)]).links}
    score = model.predict(new)
    assert found["age"].correlation.value == pytest.approx(np.corrcoef(new["age"], score)[0, 1], abs=CLOSE)
    assert found["sex=f"].correlation.value == pytest.approx(np.corrcoef(new["sex"] == "f", score)[0, 1], abs=CLOSE)
    assert found["sex=f"].drifted


def test_strangers_are_counted_and_take_no_part_in_what_is_said_of_s():
    model, _ = fitted()
    new = people(seed=6)
    new["sex"][:3] = "x"
    new["city"] = np.where(np.arange(600) == 9, None, new["city"])
    new["city"][10] = "D"
    found = drift(model._portable(), [pa.table(new)])
    assert {(s.column, s.level): s.rows for s in found.strange} == {("sex", "x"): 3, ("city", ""): 1, ("city", "D"): 1}
    assert (found.n, found.known_s) == (600, 597)


def test_shares_of_decisions_are_counted():
    table = people()
    y = np.where(table["skill"] > 0, "yes", "no")
    model = TwoStageClassifier(sensitive="sex", alphas=1.0).fit(table, y)
    found = drift(model._portable(), [pa.table(table)])
    for name, then, now in found.rates:
        assert now == pytest.approx(np.mean(model.predict(table) == name))
        assert then == pytest.approx(now)
    assert found.to_dict()["n"] == 600


def test_no_rows_are_an_error():
    model, table = fitted()
    with pytest.raises(TableError, match="no row"):
        drift(model._portable(), [pa.table(table).slice(0, 0)])
