"""A job: one method on some splits of one protocol, measured; what a process is given to do.

The metrics are the library's own. A job is a value, so that equal ones are done once, and its answer does not depend
on which process does it.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from twosdr import metrics
from twosdr.errors import TwosdrWarning
from twosdr.paper.methods import build
from twosdr.paper.plan import Method, Protocol, Setting
from twosdr.paper.protocols import rounds, sensitive, splits_in
from twosdr.tables import Array

CHUNK = 10  # splits a job: small enough that processes end together, large enough that handing out costs nothing

Numbers = dict[str, float]


@dataclass(frozen=True)
class Job:
    """`run()` gives for each of the splits `first` to `last` what every metric says of the test rows."""

    setting: Setting
    protocol: Protocol
    method: Method
    seed: int
    first: int
    last: int

    @property
    def data(self) -> str:
        """The data set that it cannot do without."""
        return self.setting.data

    def run(self) -> list[Numbers]:
        found = []
        with warnings.catch_warnings():
            # Dropped columns, a penalty at the edge of three: they come with the protocol, and its page says so.
            warnings.simplefilter("ignore", TwosdrWarning)
            warnings.simplefilter("ignore", ConvergenceWarning)
            for here, y, there, truth in rounds(self.setting, self.protocol, self.seed, range(self.first, self.last)):
                model = build(self.method, self.setting, here).fit(here, y)
                predicted = np.asarray(model.predict(there), dtype=float)
                found.append(measured(predicted, truth, there, sensitive(self.setting), self.method.second))
        return found


def jobs(setting: Setting, protocol: Protocol, method: Method, seed: int) -> list[Job]:
    """The whole protocol, cut into jobs."""
    n = splits_in(setting, protocol)
    return [Job(setting, protocol, method, seed, a, min(a + CHUNK, n)) for a in range(0, n, CHUNK)]


def measured(predicted: Array, truth: Array, there: Any, s_names: tuple[str, ...], second: str) -> Numbers:
    """Every metric of the paper that applies: by the kind of s, and by whether these are decisions."""
    decisions = second in ("ridge", "logistic")
    found: Numbers = {}
    for name in s_names:
        s = there[name].to_numpy()
        if len(np.unique(s)) > 2:
            found["CC"] = (
                metrics.correlation(predicted, s=s).value or 0.0
            )  # none where all decisions are one: no covariance
        elif decisions:
            # A split in which a group gets no positive prediction counts 0: the paper averages ratios.
            found["P%"] = float(metrics.p_rule(predicted, s=s, pos_label=1.0, zero_division=0.0))
        else:
            found["MD"] = float(metrics.mean_distance(predicted, s=s))
            found["AUC"] = float(metrics.auc(predicted, s=s))
    if decisions:
        found["acc"] = float(metrics.accuracy(predicted, y_true=truth))
    else:
        found["RMSE"] = float(metrics.rmse(predicted, y_true=truth))
    return found
