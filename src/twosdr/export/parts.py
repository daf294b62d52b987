"""A fitted model as a sum with one part for each column: what a number is multiplied by, what each level adds.

Shared by SQL and ONNX, so that both answer missing and unknown values as predict does. Where predict raises, a part has no
answer (None), and the sum has none.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from twosdr.errors import ParameterError
from twosdr.model import Model
from twosdr.roles import Field
from twosdr.tables import Array


@dataclass(frozen=True, eq=False)
class Part:
    """What one column adds to each output, shape (d_y,); None where there is no answer.

    Attributes
    ----------
    field : the column, its kind and levels
    slope, origin : of a number: slope * (value - origin)
    known : of a category: each level with what it adds
    there : of a number, what comes on top when it is not missing
    missing, unknown : what a missing value or an unknown level adds
    """

    field: Field
    slope: Array | None
    origin: float
    known: tuple[tuple[Any, Array], ...]
    there: Array
    missing: Array | None
    unknown: Array | None


def model_of(model: Any) -> Model:
    """The value of a fitted estimator, or the value itself."""
    if isinstance(model, Model):
        return model
    if not hasattr(model, "_portable"):
        raise ParameterError(
            f"A fitted TwoStageRegressor or TwoStageClassifier is needed, or what twosdr.load gives. Got {type(model).__name__}."
        )
    found: Model = model._portable()
    return found


def parts(model: Model) -> tuple[Array, list[Part]]:
    """The constant, shape (d_y,), and the parts of the columns that predict reads."""
    found = [
        _part(model, field, span) for field, span in model.roles.spans() if field.role != "s" or model.needs_sensitive
    ]
    base = np.array(model.affine.base)
    if not model.needs_sensitive:  # an absent column counts as zero, and its origin remains
        for field, span in model.roles.spans():
            if field.role == "s":
                base = base - model.affine.origin[span] @ model.affine.coef[span]
    return base, found


def _part(model: Model, field: Field, span: slice) -> Part:
    roles, coef, origin = model.roles, model.affine.coef[span], model.affine.origin[span]
    fill = np.zeros(len(coef)) if roles.fill is None else np.array(roles.fill[span])

    def adds(encoded: Array) -> Array:
        return np.asarray((encoded - origin) @ coef)

    def one(j: int) -> Array:
        return np.asarray(np.eye(len(coef))[j])

    as_average = roles.handle_missing == "mean" and field.role != "s"
    if field.levels is None:
        gap = np.zeros(coef.shape[1])
        missing = None
        if field.gaps:
            gap = -origin[1] * coef[1]
            missing = adds(np.array([fill[0], 1.0]))
        elif as_average:
            missing = adds(fill)
        return Part(field, coef[0], float(origin[0]), (), gap, missing, None)
    gone = () if field.kind == "bool" else roles.absent
    known = tuple((level, adds(one(j))) for j, level in enumerate(field.levels) if field.encoded[j] not in gone)
    missing = adds(one(len(coef) - 1)) if field.gaps else adds(fill) if as_average else None
    unknown = adds(fill) if roles.handle_unknown == "mean" else None
    return Part(field, None, 0.0, known, np.zeros(coef.shape[1]), missing, unknown)
