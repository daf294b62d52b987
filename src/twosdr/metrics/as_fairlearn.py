"""Our metrics as fairlearn and scikit-learn call theirs: plain functions of y_true and y_pred that return a float."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from twosdr.errors import ParameterError
from twosdr.metrics.registry import METRICS, find


def as_fairlearn(name: str, **options: Any) -> Callable[..., float]:
    """metric(y_true, y_pred, *, sample_weight=None), for MetricFrame; with s it takes sensitive_features= as fairlearn's do.

    `options` are those of the metric, such as pos_label. NaN where there is no number. Metrics that need z or a model, or answer
    with more than one number, have no such form.

    >>> as_fairlearn("selection_rate")([0, 1, 1, 0], [1, 1, 0, 1])
    0.75
    """
    function = find(name)
    of = METRICS[name]
    if of.takes("z") or of.takes("model") or of.takes("scores"):
        raise ParameterError(
            f"{name} is no function of y_true, y_pred and s with one number for an answer; call it as it is."
        )

    def metric(y_true: Any, y_pred: Any, *, sample_weight: Any = None) -> float:
        given = {"y_true": y_true} if of.takes("y_true") else {}
        return _number(function(y_pred, sample_weight=sample_weight, **given, **options))

    def comparing(y_true: Any, y_pred: Any, *, sensitive_features: Any, sample_weight: Any = None) -> float:
        given = {"y_true": y_true} if of.takes("y_true") else {}
        return _number(function(y_pred, s=sensitive_features, sample_weight=sample_weight, **given, **options))

    plain = comparing if of.takes("s") else metric
    plain.__name__ = plain.__qualname__ = name
    plain.__doc__ = function.__doc__
    return plain


def _number(estimate: Any) -> float:
    return math.nan if estimate.value is None else float(estimate.value)
