"""What least squares and 2SDR come to on a whole population, from its means and covariances.

Linear algebra on a law that is written down: nothing here draws rows, or fits a model to them.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from twosdr.datasets.recipes import Array
from twosdr.errors import ParameterError


@dataclass(frozen=True)
class Expected:
    """A linear score on the whole population: intercept + sum of coef times column.

    `cc` is the largest |correlation| of the score with a column of s, `cc_by_s` that of each; `rmse` the root of E[(score - y)²].
    """

    intercept: float
    coef: Mapping[str, float]
    cc: float
    cc_by_s: Mapping[str, float]
    rmse: float


@dataclass(frozen=True, eq=False)
class Cell:
    """A part of the population within which all columns are jointly normal: mean + root @ (standard normal).

    `labels` says who they are: the values of the categories, and of y where it has two.
    """

    labels: Mapping[str, Any]
    share: float
    mean: Array
    root: Array


@dataclass(frozen=True, eq=False)
class Truth:
    """Means and covariances of the population over encoded columns (the last is y), and what follows from them.

    `ols` is least squares on s, x and z. The three readings of 2SDR are `two_stage` (controlled), `joint` and `raw`; without
    z they are one. `cells` are the parts that the population is a mixture of, where it is one; `more` what a world adds.
    """

    names: tuple[str, ...]
    blocks: tuple[str, ...]
    mean: Array
    cov: Array
    cells: tuple[Cell, ...] = ()
    more: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def ols(self) -> Expected:
        """Least squares on every column, s among them: the paper's baseline."""
        return self._expected(self._effects("sxz"))

    @cached_property
    def two_stage(self) -> Expected:
        """2SDR, controlled: least squares on (s, x, z), less what s determines beside z."""
        w = self._effects("sxz")
        w[self._at("s")] -= self._effects("sz")[self._at("s")]
        return self._expected(w)

    @cached_property
    def joint(self) -> Expected:
        """2SDR, joint: x less what s and z explain of it, then y on that and z."""
        return self._two_stages("sz")

    @cached_property
    def raw(self) -> Expected:
        """2SDR as Algorithm 1 is printed: x less what s alone explains of it, then y on that and z."""
        return self._two_stages("s")

    def means(self, model: str = "two_stage") -> tuple[tuple[Mapping[str, Any], float], ...]:
        """The mean score in each cell, for "ols", "two_stage", "joint" or "raw": (labels, mean)."""
        w, intercept = self._weights(model)
        return tuple((cell.labels, float(intercept + w @ cell.mean[:-1])) for cell in self.cells)

    def above(self, threshold: float, model: str = "two_stage") -> tuple[tuple[Mapping[str, Any], float], ...]:
        """The share of each cell with a score above the threshold: (labels, share)."""
        w, intercept = self._weights(model)
        found = []
        for cell in self.cells:
            gap = intercept + float(w @ cell.mean[:-1]) - threshold
            deviation = float(np.linalg.norm(w @ cell.root[:-1]))
            share = 0.5 * math.erfc(-gap / deviation / math.sqrt(2)) if deviation else float(gap > 0)
            found.append((cell.labels, share))
        return tuple(found)

    def _weights(self, model: str) -> tuple[Array, float]:
        if model not in ("ols", "two_stage", "joint", "raw"):
            raise ParameterError(f'model must be "ols", "two_stage", "joint" or "raw". Got {model!r} instead.')
        expected: Expected = getattr(self, model)
        return np.array(list(expected.coef.values())), expected.intercept

    def _at(self, blocks: str) -> Array:
        return np.flatnonzero([b in blocks for b in self.blocks[:-1]])

    def _effects(self, blocks: str) -> Array:
        # y regressed on these blocks; zero for all other columns.
        w, at = np.zeros(len(self.names) - 1), self._at(blocks)
        w[at] = _regression(self.cov[np.ix_(at, at)], self.cov[at, -1])
        return w

    def _two_stages(self, v: str) -> Expected:
        at_v, x, z = self._at(v), self._at("x"), self._at("z")
        d = len(self.names) - 1
        left = np.eye(d)[:, x]  # columns: u in terms of the table's columns
        left[at_v] -= _regression(self.cov[np.ix_(at_v, at_v)], self.cov[np.ix_(at_v, x)])
        features = np.hstack([left, np.eye(d)[:, z]])
        inside = features.T @ self.cov[:-1, :-1] @ features
        return self._expected(features @ _regression(inside, features.T @ self.cov[:-1, -1]))

    def _expected(self, w: Array) -> Expected:
        inside, toward = self.cov[:-1, :-1], self.cov[:-1, -1]
        variance = float(w @ inside @ w)
        cc = {}
        for j in self._at("s"):
            c = float(abs(inside[j] @ w))
            scale = math.sqrt(inside[j, j] * variance)
            cc[self.names[j]] = c / scale if scale > 0 else 0.0
        rmse = math.sqrt(max(float(self.cov[-1, -1] - 2 * w @ toward) + variance, 0.0))
        coef = dict(zip(self.names[:-1], w.tolist(), strict=True))
        return Expected(float(self.mean[-1] - w @ self.mean[:-1]), coef, max(cc.values()), cc, rmse)


def _regression(inside: Array, toward: Array) -> Array:
    return np.asarray(np.linalg.lstsq(inside, toward, rcond=None)[0])


def mixture(names: Sequence[str], blocks: str, cells: Sequence[Cell], **more: Any) -> Truth:
    mean = np.sum([c.share * c.mean for c in cells], axis=0)
    cov = np.sum(
        [c.share * (c.root @ c.root.T + np.multiply.outer(c.mean - mean, c.mean - mean)) for c in cells], axis=0
    )
    return Truth(tuple(names), tuple(blocks), mean, cov, tuple(cells), more)
