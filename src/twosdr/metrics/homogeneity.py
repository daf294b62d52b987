"""Whether all groups have one rate: Pearson's chi-squared test of homogeneity."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from twosdr.metrics import _comparing as comparing
from twosdr.metrics._cells import Tally
from twosdr.metrics._contrasts import clusters_of


@dataclass(frozen=True)
class Homogeneity:
    """The statistic, its degrees of freedom, and the chance of one as large when all rates are equal."""

    statistic: float
    df: int
    p_value: float


def homogeneity(
    y_pred: Any, *, s: Any, sample_weight: Any = None, cluster: Any = None, pos_label: Any = None
) -> Homogeneity | None:
    """Chi-squared test that every group is selected at one rate; None when all or none are selected.

    Needs: counts by group. With weights each group counts as the rows that its rate is worth; with clusters it is Wald's
    test on the clusters' sums.

    >>> homogeneity([1, 0, 0, 0, 1, 1, 0, 0], s=list("ffffmmmm")).p_value.__round__(3)
    0.465
    """
    tally = comparing.decisions(y_pred, s=s, sample_weight=sample_weight, cluster=cluster, pos_label=pos_label)
    found, _ = comparing.large_enough(tally, 1, 0.95)
    return of_tally(found)


def of_tally(tally: Tally) -> Homogeneity | None:
    """The test on a tally of decisions."""
    from scipy.special import chdtrc

    rate = np.array([s.mean for s in tally.cells.values()])
    size = np.array([s.size for s in tally.cells.values()])
    overall = float((rate * size).sum() / size.sum())
    if not 0 < overall < 1:
        return None
    df = len(rate) - 1
    if tally.within is None:
        statistic = float((size * (rate - overall) ** 2).sum() / (overall * (1 - overall)))
    else:
        if (clusters_of(tally.within) < 2).any():
            return None
        parts = np.nan_to_num(tally.within)
        gaps, parts = rate[1:] - rate[0], parts[:, 1:] - parts[:, :1]
        statistic = float(gaps @ np.linalg.pinv(parts.T @ parts, hermitian=True) @ gaps)
    return Homogeneity(statistic, df, float(chdtrc(df, statistic)))
