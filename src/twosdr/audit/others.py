"""A metric that is registered and not yet known to the audit takes part all the same: wherever its arguments are at hand.

So a new file in metrics/ and its line in the registry bring a row here without a change; measuring.py places those that have a place.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from functools import partial
from inspect import Parameter, signature
from typing import Any

from twosdr.audit.parts import Asked, Part, taken, tried
from twosdr.metrics import METRICS, Estimate, Metric

# What measuring.py, groups.py, shapes.py and explaining.py ask by name, and what asks a model.
PLACED = frozenset(
    {
        *("p_rule", "parity_difference", "tpr_gap", "fpr_gap", "quantile_rates", "noise_ceiling", "ratio_along_cut"),
        *("mean_distance", "standardised_difference", "auc", "correlation", "distance_correlation", "multiple_r2"),
        *("accuracy", "balanced_accuracy", "selection_rate", "true_positive_rate", "false_positive_rate"),
        *(
            "rmse",
            "r2",
            "mean_score",
            "explained_disparity",
            "partial_correlation",
            "conditional_disparity",
            "flip_rate",
        ),
    }
)


def about(part: Part, asked: Asked) -> dict[str, Estimate]:
    """Metrics of one s that no other file asks."""
    found = {}
    for name, metric in METRICS.items():
        if name in PLACED or not metric.takes("s"):
            continue
        arguments = _arguments(metric, part, asked)
        if arguments is not None:
            answer = tried(partial(metric.function, **arguments))
            if isinstance(answer, Estimate):
                found[name] = answer
    return found


def _arguments(metric: Metric, part: Part, asked: Asked) -> dict[str, Any] | None:
    """What the metric asks for, or None where something that it needs is not there."""
    y_pred = part.score if metric.of == "scores" and part.score is not None else part.decided
    if y_pred is None or metric.of == "model":
        return None
    have = {
        "y_pred": y_pred,
        "s": part.table,
        "y_true": part.y,
        "z": None if part.given.z is None else taken(part.given.z, part.known),
        "sample_weight": part.weight,
        "cluster": part.cluster,
        "confidence": asked.confidence,
        "min_group_size": asked.min_group_size,
        "bins": asked.bins,
    }
    wanted = signature(metric.function).parameters
    missing = [name for name, p in wanted.items() if p.default is Parameter.empty and have.get(name) is None]
    return None if missing else {name: value for name, value in have.items() if name in wanted}
