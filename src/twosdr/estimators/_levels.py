"""What the closed form says about levels: how identifiable s is, what a target means, and the frontier."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from twosdr import folds, levels, tables
from twosdr.engines.sources import is_source
from twosdr.errors import DegenerateWarning, IdentifiabilityWarning, MomentsError, ParameterError, listing, warn
from twosdr.estimators._reading import RolesMixin
from twosdr.estimators._streamed import by_name
from twosdr.levels import Attribute
from twosdr.moments import EPS, Moments
from twosdr.solve import GIVEN_Y, SAME_AS_S, Columns, Goal, Problem, Rank, Solution, identifiability, pose, solve
from twosdr.tables import Array, Table, Target

POOL = 0.1  # the last canonical correlation below which the classes of y get one constraint together
WEAK = 0.3  # a canonical correlation below which prediction without s is expensive
FEW = 10  # rows of a group within a class of y below which their mean says little
MANY = 3  # constraints beyond which a loss of DEAR is blamed on their number
DEAR = 0.25  # share of what the features explain
CURVES = ("parity", "parity without s", "discrimination_free")


class Levels(RolesMixin):
    """Identifiability, targets for removal, and frontier(), for both closed forms."""

    estimator: Any
    goal: str
    at_predict: str
    alpha_: float
    moments_: Moments
    _rank: Rank
    _flat: bool
    _target_names: tuple[str, ...]

    def _strata(self) -> int:
        """How many classes of y the moments are kept apart by."""
        return 2 if self.goal in GIVEN_Y and hasattr(self, "classes_") else 1

    def _celled(self, folding: Any, target: Target) -> dict[str, Any]:
        """The cell of every row: its fold, and its class where the goal holds the class fixed."""
        if self._strata() == 1:
            return {"cell_of": folding.cell_of, "n_cells": folding.n}
        positive = (target.values[:, 0] > 0).astype(np.int64)

        def cell_of(start: int, stop: int) -> Array:
            own = positive[start:stop]
            return (
                own if folding.cell_of is None else np.asarray(folding.cell_of(start, stop), dtype=np.int64) * 2 + own
            )

        return {"cell_of": cell_of, "n_cells": 2 * folding.n}

    def _classes_apart(self, cells: Moments) -> Moments | None:
        """One cell for each class of y, where the goal needs them."""
        n = self._strata()
        if n == 1:
            return None
        if cells.n_cells % n:
            raise MomentsError(
                f"goal={self.goal!r} needs moments by class of y: cell 2k + 1 for rows of the second class in fold k, 2k for the others. "
                f"These have {cells.n_cells} cells."
            )
        return folds.by_class(cells, n)

    def _settle(self, F: Array, whole: Moments, apart: Moments | None, c: Columns, goal: Goal, quiet: bool) -> Goal:
        """Learn how well s is told by the features, say so where it is badly, and choose whether classes share a constraint."""
        for name in ("identifiability_", "strata_"):
            self.__dict__.pop(name, None)
        if not goal.bound:
            return goal
        strata = None if apart is None else apart.scatter
        S, weight = whole.scatter[0], float(whole.weight[0])
        if apart is not None and not quiet:
            self._refuse_thin(apart, c, goal)
        elif goal.name in GIVEN_Y and not quiet:
            self._refuse_thin_given_number(whole, c, pose(S, F, weight, c, goal))

        def rho(goal: Goal) -> Array:
            return identifiability(F, c, pose(S, F, weight, c, goal, strata))

        found = rho(goal)
        if goal.name == "equalized_odds" and strata is not None and (not len(found) or found.min() < POOL):
            goal = replace(goal, pooled=True)
            found = rho(goal)
        self.identifiability_ = found
        if goal.name in GIVEN_Y:
            self.strata_ = "linear" if strata is None else "pooled" if goal.pooled else "each class"
            if goal.name == "equal_opportunity":
                self.strata_ = "second class"
        return goal

    def _refuse_thin(self, apart: Moments, c: Columns, goal: Goal) -> None:
        """A class of y in which s does not vary has nothing to equalise; one in which a group is tiny has little."""
        thin = []
        for k in [1] if goal.name == "equal_opportunity" else [0, 1]:
            label = self.classes_.tolist()[k]  # type: ignore[attr-defined]
            spread = np.diag(apart.scatter[k])[c.s]
            there = np.diag(apart.scatter.sum(axis=0))[c.s]
            still = [apart.names[j] for j in c.s[spread <= 16 * EPS * there]]
            if len(still) == len(c.s):
                raise ParameterError(
                    f"goal={self.goal!r} compares sensitive groups within y = {label!r}, and there {listing(still)} does not vary "
                    f"({int(apart.count[k])} rows). More rows of that class are needed, or goal='parity'."
                )
            thin += [
                f"{name} in y = {label!r} (about {round(rows)} of {int(apart.count[k])} rows)"
                for name, rows in self._group_sizes(apart, k)
                if rows < FEW
            ]
        if thin:
            warn(
                f"Groups with fewer than {FEW} rows within a class of y: {'; '.join(thin[:6])}. "
                "Their rates are hardly known, and equalising them fits noise.",
                DegenerateWarning,
            )

    def _refuse_thin_given_number(self, whole: Moments, c: Columns, problem: Problem) -> None:
        """The same where y is a number: what y leaves of s is compared, and there may be nothing of it, or little."""
        assert problem.H is not None
        if (np.diag(problem.H) <= SAME_AS_S * np.diag(whole.scatter[0])[c.s]).all():
            raise ParameterError(
                f"goal={self.goal!r} compares the sensitive columns at equal y, and y leaves nothing of "
                f"{listing(self.roles_.columns('s'))}: it is a linear function of y. Use goal='parity', or another y."
            )
        few = [
            f"{name} (about {round(rows)} of {int(whole.count[0])} rows)"
            for name, rows in self._group_sizes(whole, 0)
            if rows < FEW
        ]
        if few:
            warn(
                f"Groups with fewer than {FEW} rows: {'; '.join(few[:6])}. Their scores at equal y are hardly known, and equalising "
                "them fits noise.",
                DegenerateWarning,
            )

    def _group_sizes(self, apart: Moments, k: int) -> list[tuple[str, float]]:
        """About how many rows of class k each group has: of the levels that there are, and of both values of a 0/1 number."""
        found, anywhere = [], apart.total()
        for one in self._attributes(anywhere):
            shares = apart.mean[k, one.columns]
            if one.category:
                names, there = [apart.names[j] for j in one.columns], anywhere.mean[0, one.columns] > 0
            else:
                j, mean = one.columns[0], anywhere.mean[0, one.columns[0]]
                if abs(anywhere.scatter[0, j, j] - anywhere.weight[0] * mean * (1 - mean)) > 1e-9 * anywhere.weight[0]:
                    continue
                names, there = [f"{one.name}=1", f"{one.name}=0"], np.ones(2, dtype=bool)
                shares = np.append(shares, 1.0 - shares)
            found += [
                (name, share * apart.count[k]) for name, share, here in zip(names, shares, there, strict=True) if here
            ]
        return found

    def _warn_if_weak(self, whole: Moments, goal: Goal, solution: Solution) -> None:
        """How much of what the features explain the goal costs, where that is much."""
        S, weight = whole.scatter[0], float(whole.weight[0])
        kept = np.einsum("iq,ij,jq->q", solution.coef, S, solution.coef) / weight
        self._warn_of_weak(goal, float((solution.cost / np.maximum(kept + solution.cost, 1e-300)).max(initial=0.0)))

    def _warn_of_weak(self, goal: Goal, lost: float | None) -> None:
        rho = getattr(self, "identifiability_", np.ones(0))
        if not len(rho) or goal.removal == 0.0 or goal.between is not None or goal.at_predict == "with":
            return
        price = "" if lost is None else f" It costs {lost:.0%} of the variance that the model would explain otherwise."
        ways = "at_predict='with' is cheaper; so is removal below 1" + (
            ", and between=[a penalty] is a smoother way." if goal.name == "parity" else "."
        )
        names = listing(self.roles_.columns("s"))
        if rho.min() < WEAK:
            warn(
                f"The other columns hardly tell {names}: the smallest canonical correlation is {rho.min():.2g}, below {WEAK}, so a score "
                f"without s is badly determined.{price} {ways}",
                IdentifiabilityWarning,
            )
        elif len(rho) > MANY and lost is not None and lost > DEAR:
            warn(
                f"{len(rho)} constraints for {names}: many or rare groups make a score without s expensive.{price} {ways}",
                IdentifiabilityWarning,
            )

    def _attributes(self, m: Moments) -> list[Attribute]:
        """The sensitive columns as things that have groups, or have none."""
        found = []
        for field, span in self.roles_.spans():
            if field.role != "s":
                continue
            columns = np.arange(span.start, span.stop)
            if field.levels is not None:
                found.append(Attribute(field.name, columns, True, category=True))
                continue
            gap = self._gaps.get(field.name) if hasattr(self, "_gaps") else None
            if gap is None:
                j, mean = span.start, float(m.mean[0, span.start])
                zero_one = abs(m.scatter[0, j, j] - m.weight[0] * mean * (1 - mean)) <= 1e-9 * m.weight[0]
                gap = 1.0 if zero_one and 0 < mean < 1 else None
            found.append(Attribute(field.name, columns[:1], gap is not None, 1.0 if gap is None else gap))
        return found

    def _note_gaps(self, table: Table) -> None:
        """The distance of the two values of sensitive numbers that have two: what moments alone do not know."""
        self._gaps: dict[str, float] = {}
        for field in self.roles_.fields:
            column = table.column(field.name) if field.role == "s" and field.levels is None else None
            if column is None or column.levels is not None or not len(column.values):
                continue
            values = np.asarray(column.values, dtype=float)
            some = np.unique(values[:65])
            # Most columns are found out at once, and zeros and ones are known by their moments.
            if len(some) > 2 or np.array_equal(some, [0.0, 1.0]):
                continue
            low, high = values.min(), values.max()
            if ((values == low) | (values == high)).all() and high > low:
                self._gaps[field.name] = float(high - low)

    def _coded_target(self, y: Any) -> Target:
        """y as the moments hold it."""
        return tables.target(y)

    def _weighed(self, y: Any, weight: Array | None) -> Array | None:
        """The weights that a fit gives to these rows."""
        return weight

    def _at_hand(self, what: str, X: Any, y: Any, weight: Any) -> tuple[Any, Any, Target, Array | None]:
        """X, y, y as the moments hold it, and weights; y and the weights may be names of columns, as in fit."""
        if is_source(X):
            raise ParameterError(
                f"{what} reads rows at hand, and X is a source ({type(X).__name__}). Read its rows into a data frame first."
            )
        X, y, weight = by_name(X, y, weight)
        target = self._coded_target(y)
        return X, y, target, tables.weights(weight, len(target.values))


def resolved(
    model: Levels, asked: Any, whole: Moments, apart: Moments | None, c: Columns, goal: Goal, F: Array, alpha: float
) -> float:
    """The removal that a target means at this penalty."""
    if not isinstance(asked, levels.Level):
        return float(asked)
    S, weight = whole.scatter[0], float(whole.weight[0])
    strata = None if apart is None else apart.scatter
    ends = [solve(S, F, weight, c, replace(goal, removal=r), alpha, strata).coef for r in (1.0, 0.0)]
    return levels.resolve(asked, S, c, goal, strata, model._attributes(whole), (ends[0], ends[1]))
