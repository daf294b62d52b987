"""docs/planning.md, with synthetic cells: what travels does not grow with rows, and a thousand cells add up without loss."""

import pickle

import numpy as np
import pandas as pd

from tests.engines.samples import people, regressor
from twosdr.engines.dask import FAN_IN, _join
from twosdr.engines.plan import Plan
from twosdr.engines.tasks import Gather
from twosdr.moments import Moments

WORKERS, ROWS = 1000, 10**7
P, FOLDS = 12, 5
# 10^10 rows are weighed in 53 bits; the mean and scatter of a thousand cells are sums of a thousand numbers.
SAME = 1e-12


def cells():
    """Cells of ten million rows each, whose moments together are known in closed form."""
    rng = np.random.default_rng(0)
    half = rng.normal(size=(P, P))
    covariance = half @ half.T
    centres = rng.normal(size=(WORKERS, P)) + 1e6
    names = tuple(f"x{j}" for j in range(P))
    count = np.full(FOLDS, ROWS // FOLDS)
    found = []
    for centre in centres:
        shift = np.round(centre)  # every worker has a shift of its own
        scatter = np.broadcast_to(covariance * count[0], (FOLDS, P, P)).copy()
        delta = np.broadcast_to(centre - shift, (FOLDS, P)).copy()
        found.append(Moments(names, ("x",) * P, shift, count.astype(float), count.copy(), delta, scatter))
    return found, centres, covariance


def test_a_thousand_workers_add_up_to_ten_thousand_million_rows():
    found, centres, covariance = cells()
    values = [(one, ROWS) for one in found]
    rounds = 0
    while len(values) > 1:
        values = [_join(values[a : a + FAN_IN]) for a in range(0, len(values), FAN_IN)]
        rounds += 1
    whole, n_rows = values[0]
    assert rounds == 4
    assert n_rows == whole.count.sum() == 10**10
    total = whole.total()
    around = centres - centres.mean(axis=0)
    expected = covariance + around.T @ around / WORKERS
    assert np.allclose(total.mean[0], centres.mean(axis=0), rtol=1e-15)
    size = np.sqrt(np.diag(expected))
    assert np.abs((total.scatter[0] / 1e10 - expected) / np.outer(size, size)).max() < SAME


def test_what_a_worker_sends_does_not_grow_with_its_rows():
    fitted = regressor(fold_key=None, alphas=1.0).fit(people(), "pay")
    task = Gather(Plan(fitted.roles_, ("pay",), n_folds=FOLDS))
    one, many = people(), pd.concat([people()] * 20)
    small, large = (len(pickle.dumps(task(frame, 0))) for frame in (one, many))
    p = len(fitted.moments_.names)
    assert small == large
    assert 0 < small - 8 * FOLDS * p**2 < 8 * FOLDS * p**2  # the rest is names, means and counts
