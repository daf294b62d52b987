"""Weighted least squares of centred columns, as explained parts and residuals need it."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from twosdr.tables import Array

# A residual below this share of its column is rounding: the columns of the fit determine it.
NOTHING = 1e-10


@dataclass(frozen=True, eq=False)
class Fit:
    """Coefficients (by column of the design), residuals, and the rank of the design."""

    coef: Array
    residual: Array
    rank: int


def around(values: Array, share: Array) -> Array:
    """Values or columns about their weighted mean."""
    near = values - values[:1]  # a large common offset costs no digits
    return np.asarray(near - share @ near)


def fit(design: Array, target: Array, share: Array) -> Fit:
    """The least squares of a centred target on centred columns; dependent columns share the effect (least norm, scaled)."""
    if design.shape[1] == 1:  # one column needs no decomposition of a table of its length
        [column] = design.T
        weighed = share * column
        squares = float(weighed @ column)
        coef = np.array([weighed @ target / squares if squares > 0 else 0.0])
        return Fit(coef, target - column * coef[0], int(squares > 0))
    root = np.sqrt(share)
    scale = np.sqrt(share @ (design * design))
    scale[scale == 0] = 1.0
    coef, _, rank, _ = np.linalg.lstsq(root[:, None] * design / scale, root * target, rcond=NOTHING)
    coef = coef / scale
    return Fit(coef, target - design @ coef, int(rank))


def determined(residual: Array, whole: Array, share: Array) -> bool:
    """Whether the fit left nothing but rounding."""
    return bool(share @ (residual * residual) <= NOTHING**2 * (share @ (whole * whole)))
