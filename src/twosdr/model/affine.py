"""The arithmetic of a fitted model: one affine map of the encoded columns.

    ŷ = base + (rows - origin) coef

The origin is zero but for columns whose mean exceeds ten deviations: there it is a value near the data, so
that the first difference is exact and a mean of 1e9 costs no digits.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from twosdr.moments import Moments
from twosdr.tables import Array

# Deviations from zero past which a column is centred before it is multiplied. Coefficients of nearly dependent columns
# cancel, and the rounding of a mean with them: at condition 1e3 a mean of 1e3 deviations would cost three digits.
FAR = 10.0


@dataclass(frozen=True, eq=False)
class Affine:
    """Coefficients by encoded column, shape (p, d_y), with the origin (p,) and the value there (d_y,)."""

    names: tuple[str, ...]
    coef: Array
    base: Array
    origin: Array

    @classmethod
    def through_means(cls, m: Moments, coef: Array) -> Affine:
        """The map with these coefficients that takes the mean of the rows to the mean of y.

        `coef` has a row for every column of the table, none for y.
        """
        p = len(coef)
        shift, delta, y = m.shift[:p], m.delta[0, :p], m.mean[0, p:]
        spread = np.sqrt(np.maximum(np.diag(m.scatter[0])[:p], 0.0) / m.weight[0])
        origin = np.where(np.abs(shift) > FAR * spread, shift, 0.0)
        # In rows, so that a copy read from a file is laid out alike and BLAS adds in the same order.
        coef = np.ascontiguousarray(coef)
        return cls(m.names[:p], coef, y - ((shift - origin) + delta) @ coef, origin)

    @property
    def intercept(self) -> Array:
        """The value at zero, (d_y,)."""
        return np.asarray(self.base - self.origin @ self.coef)

    def __call__(self, rows: Array) -> Array:
        """Predictions for encoded rows, shape (rows, d_y)."""
        if rows.dtype != np.float64:
            rows = rows.astype(np.float64)
        far = np.flatnonzero(self.origin)
        near = self.coef.copy()
        near[far] = 0.0
        with np.errstate(all="ignore"):  # a result that is not finite is looked into by whoever asked
            out = _product(rows, near)
            if len(far):
                out += (rows[:, far] - self.origin[far]) @ self.coef[far]
            out += self.base
        return out


def _product(rows: Array, coef: Array) -> Array:
    # One target is a matrix-vector product, which BLAS does faster when it is told so.
    return np.asarray(rows @ coef if coef.shape[1] != 1 else (rows @ coef[:, 0])[:, None])
