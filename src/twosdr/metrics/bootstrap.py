"""A seeded bootstrap, as a check of the intervals that formulas give."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from twosdr.errors import MetricError, ParameterError
from twosdr.metrics import _intervals as ci
from twosdr.metrics import _reading as reading
from twosdr.metrics import _rows
from twosdr.metrics.estimate import Estimate
from twosdr.tables import Table

# The worst over groups or bins is biased by what it searches for: a percentile bootstrap of it covers nothing.
SEARCHING = (
    "p_rule",
    "mean_distance",
    "parity_difference",
    "tpr_gap",
    "fpr_gap",
    "standardised_difference",
    "quantile_rates",
)


def bootstrap(
    metric: str | Callable[..., Estimate],
    y_pred: Any,
    *,
    repeats: int = 1000,
    random_state: int = 0,
    cluster: Any = None,
    confidence: float = 0.95,
    **arguments: Any,
) -> Estimate:
    """The metric with an interval of its standard deviation over resampled rows (or whole clusters), normal, not percentile.

    Needs: rows, `repeats` times. Refused for a worst case over more than two groups, or over bins: resampling adds to each group's
    noise, the worst of them drifts away from the truth, and the interval with it.

    >>> bootstrap("accuracy", [1, 1, 0, 0] * 10, y_true=[1, 0, 0, 0] * 10, repeats=200).interval[0] < 0.75
    True
    """
    from twosdr.metrics.registry import find

    function = find(metric)
    y = _rows.as_table(y_pred, "y_pred")
    given = _rows.read(arguments, y.n_rows)
    rows = reading.beside(y.n_rows, None, cluster, confidence)
    if not isinstance(repeats, (int, np.integer)) or isinstance(repeats, bool) or repeats < 20:
        raise ParameterError(f"repeats must be a whole number, 20 or more. Got {repeats!r} instead.")
    name = getattr(function, "__name__", "")
    if name in SEARCHING and "s" in given:
        many = 3 if name == "quantile_rates" else len(reading.groups(given["s"], y.n_rows))
        if many > 2:
            raise MetricError(
                f"{name} is the worst over {many} groups; a bootstrap of a worst case covers nothing. Its own interval holds for all pairs "
                "at once; pairwise_ratios shows them."
            )
    whole: Estimate = function(y, confidence=confidence, **given)
    if whole.value is None:
        return Estimate(None, None, whole.n, whole.why)
    chance = np.random.default_rng(random_state)
    drawn = [_value(function, y, given, at) for at in _draws(rows, int(repeats), chance)]
    values = np.array([value for value in drawn if value is not None])
    if len(values) < 0.9 * repeats:
        why = f"no interval: {repeats - len(values)} of {repeats} resamples have no value"
        return Estimate(whole.value, None, whole.n, why)
    reach = ci.normal_quantile(confidence) * float(values.std(ddof=1))
    method = f"{name}; bootstrap standard error, {repeats} resamples, seed {random_state}, {len(drawn) - len(values)} without a value"
    return Estimate(whole.value, (whole.value - reach, whole.value + reach), whole.n, method=method)


def _draws(rows: reading.Beside, repeats: int, chance: np.random.Generator) -> Any:
    if rows.cluster is None:
        for _ in range(repeats):
            yield chance.integers(0, rows.n, rows.n)
        return
    order = np.argsort(rows.cluster, kind="stable")
    members = np.split(order, np.cumsum(np.bincount(rows.cluster))[:-1])
    for _ in range(repeats):
        yield np.concatenate([members[c] for c in chance.integers(0, len(members), len(members))])


def _value(function: Callable[..., Estimate], y: Table, given: dict[str, Any], at: Any) -> float | None:
    try:
        return function(_rows.some(y, at), **_rows.take(given, at)).value
    except MetricError:  # a resample without one of the groups
        return None
