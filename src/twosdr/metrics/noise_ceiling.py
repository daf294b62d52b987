"""The P% that groups of one true rate would show on average in a sample of this size; no observed one can be asked to exceed it."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import Any

import numpy as np

from twosdr.errors import MetricError

DRAWS = 4000  # for three groups or more; the mean of their ratios is known to about .002


def noise_ceiling(n_by_group: Sequence[float] | Any, rate: float) -> float:
    """E[min rate / max rate] when every group is selected at `rate` and only chance makes them differ.

    Two groups: the log ratio is nearly normal with variance v = (1 - q)/q (1/n1 + 1/n0), and E exp(-|N(0, v)|) = 2 exp(v/2) Φ(-√v).
    More: the mean over draws with a fixed seed.

    >>> round(noise_ceiling([300, 700], 0.5), 2)
    0.95
    """
    sizes = np.asarray(n_by_group, dtype=float).ravel()
    if len(sizes) < 2 or not (np.isfinite(sizes).all() and (sizes > 0).all()):
        raise MetricError(f"noise_ceiling needs the sizes of two groups or more, each above 0. Got {n_by_group!r:.80}.")
    if not 0 < rate <= 1:
        raise MetricError(f"noise_ceiling needs a rate above 0 and at most 1. Got {rate!r}.")
    if len(sizes) == 2:
        v = (1 - rate) / rate * float((1 / sizes).sum())
        return 2 * math.exp(v / 2 + _log_below(math.sqrt(v)))
    whole = np.maximum(np.round(sizes), 1).astype(np.int64)
    drawn = np.random.default_rng(0).binomial(whole, rate, size=(DRAWS, len(whole))) / whole
    top = drawn.max(axis=1)
    return float(np.divide(drawn.min(axis=1), top, out=np.ones(DRAWS), where=top > 0).mean())


def _log_below(x: float) -> float:
    """log Φ(-x); beyond 30, where Φ underflows, its leading term."""
    if x > 30:
        return -x * x / 2 - math.log(x * math.sqrt(2 * math.pi))
    return math.log(NormalDist().cdf(-x))
