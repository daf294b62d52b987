"""Every metric by name, with what it needs: one line a metric."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from inspect import signature
from typing import Any

from twosdr.errors import ParameterError, did_you_mean
from twosdr.metrics.accuracy import accuracy
from twosdr.metrics.auc import auc
from twosdr.metrics.balanced_accuracy import balanced_accuracy
from twosdr.metrics.conditional_disparity import conditional_disparity
from twosdr.metrics.correlation import correlation
from twosdr.metrics.distance_correlation import distance_correlation
from twosdr.metrics.explained_disparity import explained_disparity
from twosdr.metrics.false_positive_rate import false_positive_rate
from twosdr.metrics.flip_rate import flip_rate
from twosdr.metrics.fpr_gap import fpr_gap
from twosdr.metrics.mean_distance import mean_distance
from twosdr.metrics.mean_score import mean_score
from twosdr.metrics.multiple_r2 import multiple_r2
from twosdr.metrics.p_rule import p_rule
from twosdr.metrics.parity_difference import parity_difference
from twosdr.metrics.partial_correlation import partial_correlation
from twosdr.metrics.quantile_rates import quantile_rates
from twosdr.metrics.r2 import r2
from twosdr.metrics.ratio_along_cut import ratio_along_cut
from twosdr.metrics.rmse import rmse
from twosdr.metrics.selection_rate import selection_rate
from twosdr.metrics.standardised_difference import standardised_difference
from twosdr.metrics.tpr_gap import tpr_gap
from twosdr.metrics.true_positive_rate import true_positive_rate

MOMENTS, COUNTS, RANKS, ROWS = "moments", "counts", "ranks", "rows"
NEEDS = (MOMENTS, COUNTS, RANKS, ROWS)
INTERVAL = "its value follows from moments, its interval from every row's influence"
SORTED = "ranks are known when all rows are"
PAIRED = "it looks at pairs of rows"


@dataclass(frozen=True)
class Metric:
    """A metric with what its value needs: "moments", "counts" (by group and label), "ranks" or "rows".

    `tally` turns rows into a state that adds up, `answer` the state into the estimate, where the metric is additive; `why_not` says
    why, where it is not. `of` is what y_pred has to be: "decisions", "scores", "classes", or "model".
    """

    function: Callable[..., Any]
    of: str
    needs: str
    tally: Any = None
    answer: Any = None
    why_not: str = ""

    @property
    def name(self) -> str:
        return str(self.function.__name__)

    @property
    def additive(self) -> bool:
        """Whether it streams: `running(name)`."""
        return self.tally is not None

    def takes(self, argument: str) -> bool:
        """Whether the function has such an argument: s, y_true, z, pos_label, ..."""
        return argument in signature(self.function).parameters


def _additive(function: Callable[..., Any], of: str, needs: str = COUNTS) -> Metric:
    home = sys.modules[function.__module__]
    return Metric(function, of, needs, home.tally, home.answer)


def _whole(function: Callable[..., Any], of: str, needs: str, why_not: str) -> Metric:
    return Metric(function, of, needs, why_not=why_not)


_LIST = (
    _additive(p_rule, "decisions"),
    _additive(mean_distance, "scores"),
    _whole(auc, "scores", RANKS, SORTED),
    _whole(correlation, "scores", MOMENTS, INTERVAL),
    _additive(rmse, "scores", MOMENTS),
    _additive(accuracy, "classes"),
    _additive(selection_rate, "decisions"),
    _additive(mean_score, "scores", MOMENTS),
    _additive(parity_difference, "decisions"),
    _additive(true_positive_rate, "decisions"),
    _additive(false_positive_rate, "decisions"),
    _additive(tpr_gap, "decisions"),
    _additive(fpr_gap, "decisions"),
    _additive(balanced_accuracy, "classes"),
    _whole(r2, "scores", MOMENTS, INTERVAL),
    _whole(multiple_r2, "scores", MOMENTS, INTERVAL),
    _whole(partial_correlation, "scores", MOMENTS, INTERVAL),
    _whole(standardised_difference, "scores", COUNTS, INTERVAL),
    _whole(distance_correlation, "scores", ROWS, PAIRED),
    _whole(quantile_rates, "decisions", RANKS, SORTED),
    _whole(conditional_disparity, "decisions", COUNTS, INTERVAL),
    _whole(explained_disparity, "scores", MOMENTS, INTERVAL),
    _whole(ratio_along_cut, "scores", RANKS, SORTED),
    _whole(flip_rate, "model", ROWS, "it asks a model"),
)
METRICS: dict[str, Metric] = {metric.name: metric for metric in _LIST}


def find(metric: str | Callable[..., Any]) -> Callable[..., Any]:
    """The function of that name; a function stays what it is."""
    if callable(metric):
        return metric
    if metric not in METRICS:
        raise ParameterError(
            f"There is no metric {metric!r}; there are {', '.join(METRICS)}.{did_you_mean(metric, METRICS)}"
        )
    return METRICS[metric].function
