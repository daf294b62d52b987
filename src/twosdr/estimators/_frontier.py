"""frontier(): every level of several goals side by side, from the moments of a fit or of other rows."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from twosdr import folds
from twosdr.engines import memory
from twosdr.errors import ParameterError, TwosdrWarning
from twosdr.estimators._levels import Levels
from twosdr.estimators._linear import Whole
from twosdr.moments import Moments
from twosdr.roles import check_rows
from twosdr.solve import GIVEN_Y, Goal, identifiability, pose, rows_of, solve
from twosdr.tables import Array

if TYPE_CHECKING:
    from twosdr.frontier import Curve, Frontier


class Frontiers(Levels):
    """`frontier`, for both closed forms."""

    def frontier(
        self,
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
        *,
        levels: Any = 101,
        held_out: bool = False,
        sensitive_features: Any = None,
        explanatory_features: Any = None,
    ) -> Frontier:
        """Every level of removal for several goals side by side: the distance that it leaves and the error that it costs.

        By default on the training moments; with `held_out`, on rows that each fold's fit did not see (where several alphas competed,
        folds are there); with X and y, on those rows. No goal is fitted on rows again. Levels: how many, or a sequence of removals.
        """
        check_is_fitted(self)
        if self.estimator is not None:
            raise ParameterError(
                f"frontier compares levels by moments, and {type(self.estimator).__name__} is fitted on rows. Leave estimator out."
            )
        removal = _removals(levels)
        n, goals = self._strata(), self._curves()
        fit = folds.by_class(self.moments_, n) if n > 1 else self.moments_.total()
        if X is not None:
            rows, said = self._other_rows(X, y, sample_weight, sensitive_features, explanatory_features), "given rows"
            measured = {label: self._scored(fit, rows, goal) for label, goal in goals.items()}
        elif held_out:
            if self.moments_.n_cells == n:
                raise ParameterError("held_out=True needs moments by fold: fit with several alphas, or pass X and y.")
            said = f"{self.moments_.n_cells // n} folds, each by a fit on the others"
            measured = {label: self._scored_by_fold(goal, n) for label, goal in goals.items()}
        else:
            said, measured = "the training rows", {label: self._scored(fit, fit, goal) for label, goal in goals.items()}
        curves = (
            replace(self._curve(label, goals[label], m, removal), identifiability=self._told(fit, goals[label]))
            for label, m in measured.items()
        )
        from twosdr.frontier import Frontier

        return Frontier(
            tuple(curves),
            said,
            int(next(iter(measured.values())).count.sum()),
        )

    def preview(self, X: Any, y: Any, sample_weight: Any = None, **beside: Any) -> Frontier:
        """Before a goal is chosen: how well the other columns tell s (`identifiability`), and what every goal costs on these rows.

        One least-squares fit with these settings, of which nothing is kept; the goals at equal y join where `goal` names one.
        """
        trial: Any = clone(self).set_params(estimator=None, removal=1.0, between=None)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", TwosdrWarning)  # they are about a fit, and none was asked for
            trial.fit(X, y, sample_weight, **beside)
        found: Frontier = trial.frontier(levels=[0.0, 1.0])
        return found

    def _told(self, fit: Moments, goal: Goal) -> Array:
        """The canonical correlations of the columns that the goal may use with its constraint's; none where it is no constraint."""
        if not goal.bound:
            return np.zeros(0)
        whole, c = fit.total(), self._rank.columns
        S, F = whole.scatter[0], rows_of(whole.scatter[0], c.features)
        strata = fit.scatter if fit.n_cells > 1 else None
        return identifiability(F, c, pose(S, F, float(whole.weight[0]), c, goal, strata))

    def _curves(self) -> dict[str, Goal]:
        with_z = bool(self.roles_.columns("z"))
        reading = getattr(self, "explanatory_mode", None) or ("controlled" if with_z else "joint")
        goals = {
            "parity": Goal("parity", "with", reading),
            "parity without s": Goal("parity", "without", "joint"),
            "discrimination_free": Goal("discrimination_free", "with", "joint"),
        }
        if self.goal in GIVEN_Y:
            pooled = getattr(self, "strata_", "") == "pooled"
            goals[self.goal] = Goal(self.goal, "with", "joint", pooled=pooled)
            goals[f"{self.goal} without s"] = Goal(self.goal, "without", "joint", pooled=pooled)
        if not self.roles_.columns("s"):
            raise ParameterError("frontier compares levels of removal, and there are no sensitive columns.")
        return goals

    def _ends(self, fit: Moments, goal: Goal) -> list[Array]:
        """Coefficients with everything removed, and with nothing."""
        whole = fit.total()
        S, c = whole.scatter[0], self._rank.columns
        F = rows_of(S, c.features)
        strata = fit.scatter if fit.n_cells > 1 else None
        return [
            solve(S, F, float(whole.weight[0]), c, replace(goal, removal=r), self.alpha_, strata).coef
            for r in (1.0, 0.0)
        ]

    def _scored(self, fit: Moments, rows: Moments, goal: Goal) -> Moments:
        from twosdr.frontier import of_scores

        return of_scores(rows, fit.total(), self._ends(fit, goal))

    def _scored_by_fold(self, goal: Goal, n: int) -> Moments:
        m = self.moments_
        found: Moments | None = None
        for k, rest in folds.rests_by_class(m, n).items():
            own = slice(k * n, (k + 1) * n)
            part = Moments(m.names, m.blocks, m.shift, m.weight[own], m.count[own], m.delta[own], m.scatter[own])
            scored = self._scored(rest, part, goal)
            found = scored if found is None else found + scored
        assert found is not None
        return found

    def _curve(self, label: str, goal: Goal, m: Moments, removal: Array) -> Curve:
        # Names, not positions: of the table's columns only s, z and y are left.
        at = {name: j for j, name in enumerate(m.names)}
        attributes = [
            replace(one, columns=np.array([at[self.roles_.names[j]] for j in one.columns]))
            for one in self._attributes(self.moments_.total())
        ]
        from twosdr.frontier import curve

        return curve(label, goal, m, attributes, removal, goal.name in GIVEN_Y)

    def _other_rows(self, X: Any, y: Any, sample_weight: Any, s: Any, z: Any) -> Moments:
        if y is None:
            raise ParameterError("frontier(X) needs y as well: what a level costs is an error.")
        X, y, target, weight = self._at_hand("frontier", X, y, sample_weight)
        table = self._read_new(
            X, sensitive_features=s, explanatory_features=z, needs_s=True, target=self._target_names, growing=True
        )
        check_rows(table)
        source = self._gather(table, target, self._weighed(y, weight), **self._celled(Whole, target))
        found = memory.moments(source)
        self._refuse_infinite(table, found)
        return found


def _removals(asked: Any) -> Array:
    if isinstance(asked, (int, np.integer)) and not isinstance(asked, bool):
        if asked < 2:
            raise ParameterError(
                f"levels must be a number from 2 up, or the removals themselves. Got {asked!r} instead."
            )
        return np.linspace(0.0, 1.0, int(asked))
    found = np.asarray(asked, dtype=float)
    if found.ndim != 1 or not len(found) or not ((found >= 0) & (found <= 1)).all():
        raise ParameterError(f"levels must be removals from 0 to 1. Got {asked!r} instead.")
    return found
