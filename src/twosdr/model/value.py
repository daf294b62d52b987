"""What travels: roles, affine map, classes, and the facts of the training, as one frozen value."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from twosdr.model.affine import Affine
from twosdr.moments import Moments
from twosdr.roles import Roles
from twosdr.tables import Array


@dataclass(frozen=True, eq=False)
class Facts:
    """What training saw, as aggregates: averages and deviations of single columns, never a product of two columns of x.

    The one covariance is that of s with the prediction, d_s x d_y numbers: the promise that later rows are compared with. From
    these no moments can be put together again, and a difference of two files is not a row's moments.

    Attributes
    ----------
    rows, weight : rows with a weight above zero, and their summed weights
    goal, removal, at_predict, reading, between : the question that was solved
    alpha, rank, rcond, cost : the penalty; columns in the fit; condition; rise of the squared error against removal=0
    mean, deviation : (p,), of the encoded columns; of a category's level the mean is its share
    covariance : (p, d_y), Cov(s, ŷ) in the rows of s, zero elsewhere
    effect : (p, d_y), stage 2 on u and z
    y_mean, y_deviation, prediction_deviation, mse : (d_y,); the mean of the prediction is that of y
    dropped : encoded column -> why it is not in the fit
    rates : (classes,), the share of training rows decided for each class, where rows were at hand
    """

    rows: int
    weight: float
    goal: str
    removal: float
    at_predict: str
    reading: str
    alpha: float
    rank: int
    rcond: float
    cost: Array
    mean: Array
    deviation: Array
    covariance: Array
    effect: Array
    y_mean: Array
    y_deviation: Array
    prediction_deviation: Array
    mse: Array
    dropped: dict[str, str]
    rates: Array | None = None
    between: float | None = None


@dataclass(frozen=True, eq=False)
class Model:
    """A fitted regressor or classifier without the rows and moments that made it.

    Attributes
    ----------
    affine, roles : the arithmetic, and how rows become its numbers; `roles.absent` holds the levels that lost their rows
    needs_sensitive : whether predict reads s
    n_features, feature_names : the columns of X in fit; names is None where X had none
    beside : the columns that came as sensitive_features= or explanatory_features=, by role
    target : names that y had, which X may hold at predict without harm
    flat : y was one-dimensional, and so is the prediction
    classes, threshold : of a classifier
    settings : constructor parameters that are not among the facts
    written_by : the version that fitted it
    """

    affine: Affine
    roles: Roles
    needs_sensitive: bool
    n_features: int
    feature_names: tuple[str, ...] | None
    beside: dict[str, tuple[str, ...]]
    target: tuple[str, ...]
    flat: bool
    classes: Array | None
    threshold: float
    settings: dict[str, Any]
    facts: Facts
    written_by: str

    @property
    def outputs(self) -> int:
        """How many numbers the affine map gives for a row."""
        return len(self.affine.base)

    def output_names(self) -> tuple[str, ...]:
        """A name for each of them: the classes, or the names of y, or their numbers."""
        if self.classes is not None:
            return tuple(_said(c) for c in (self.classes[1:] if self.flat else self.classes).tolist())
        return self.target if len(self.target) == self.outputs else tuple(f"y{j}" for j in range(self.outputs))


def _said(label: Any) -> str:
    return str(int(label)) if isinstance(label, float) and label.is_integer() else str(label)


def summaries(m: Moments, coef: Array) -> dict[str, Array]:
    """The facts that are sums over the training rows, from their moments (one cell, the table's columns before y)."""
    p, scatter, weight = len(coef), m.scatter[0], m.weight[0]
    deviation = np.sqrt(np.maximum(np.diag(scatter), 0.0) / weight)
    with_y = scatter[:p, p:] / weight
    with_prediction = scatter[:p, :p] @ coef / weight
    squares = np.einsum("jt,jt->t", coef, with_prediction)
    mse = deviation[p:] ** 2 - 2.0 * np.einsum("jt,jt->t", coef, with_y) + squares
    is_s = np.array([b == "s" for b in m.blocks[:p]])
    return {
        "mean": m.mean[0, :p],
        "deviation": deviation[:p],
        "covariance": np.where(is_s[:, None], with_prediction, 0.0),
        "y_mean": m.mean[0, p:],
        "y_deviation": deviation[p:],
        "prediction_deviation": np.sqrt(np.maximum(squares, 0.0)),
        "mse": np.maximum(mse, 0.0),
    }
