"""Fits that grow and shrink: more rows, fewer rows, moments from elsewhere, and the same fit with s as an ordinary column."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from twosdr import folds
from twosdr.engines import memory
from twosdr.errors import MomentsError, ParameterError, RoleError, listing
from twosdr.estimators._choosing import cheap, check_alphas, choose_folding
from twosdr.estimators._closed_form import ClosedForm
from twosdr.estimators._reading import check_jobs, says_nothing
from twosdr.estimators._saving import without
from twosdr.estimators._showing import Showing
from twosdr.estimators._summary import Summaries
from twosdr.moments import Moments
from twosdr.roles import Field, Roles, check_rows, select
from twosdr.tables import Array, Table, Target


def closed_form(model: Any) -> bool:
    """Only what is made of moments can grow, shrink, or come from moments."""
    if model.estimator is not None:
        raise AttributeError(
            f"This is for the closed form, which is made of moments; {type(model.estimator).__name__} is fitted on rows. Leave "
            "estimator out."
        )
    return True


class Growing(Showing, ClosedForm, Summaries):
    """partial_fit, forget, fit_from_moments and baseline_, for both closed forms."""

    def _grow(
        self,
        X: Any,
        target: Target,
        weight: Array | None,
        beside: dict[str, Any],
        levels: dict[str, Any] | None,
        sign: int,
    ) -> None:
        """Add the moments of these rows to those that are there (sign 1), or take them out (sign -1)."""
        self._refuse_loaded()
        first = not hasattr(self, "moments_")
        if first:
            self._start(target)
            table = self._read_fit(X, **beside, weight=weight, target=self._target_names, levels=levels)
        else:
            if levels is not None:
                raise ParameterError("levels= has no effect after the first call, which fixed the levels.")
            self._check_settings()
            table = self._read_new(X, **beside, needs_s=True, target=self._target_names, growing=True)
            self._refuse_other_roles(table)
        check_rows(table)
        goal, alphas = self._question(), check_alphas(self.alphas)
        seen = 0 if first else self.rows_seen_
        folding = choose_folding(self, table, len(alphas), start=seen, growing=True)
        if sign < 0 and folding.n > 1 and self.fold_key is None:
            raise ParameterError(
                "forget cannot tell which fold a row was in: folds go by row numbers. Fit with fold_key=[a column that every row "
                "keeps], or with one alpha."
            )
        source = self._gather(table, target, weight, **self._celled(folding, target))
        cells = memory.moments(source, n_jobs=check_jobs(self.n_jobs))
        self._refuse_infinite(table, cells)
        if not first:
            if self.moments_.n_cells != cells.n_cells:
                n = self._strata()
                raise MomentsError(
                    f"The fit so far has {self.moments_.n_cells // n} folds and cv asks for {cells.n_cells // n}: it was fitted on fewer "
                    "rows than folds, or with explicit folds, and cannot go on."
                )
            cells = self.moments_ + cells if sign > 0 else self.moments_ - cells
            if not cells.count.any():
                raise MomentsError("No row would be left. Fit anew instead.")
        if sign > 0:
            self.rows_seen_ = seen + table.n_rows
        fill = self.roles_.fill
        self.__dict__.pop("decision_rates_", None)  # they spoke of the rows of an earlier fit
        self._learn(cells, goal, alphas, None, quiet=True)
        if not first:
            # A gap goes out with the number that it came in with, so what it counts as stays that of the first call.
            self.roles_ = replace(self.roles_, fill=fill)

    def _refuse_other_roles(self, table: Table) -> None:
        """Roles were fixed by the first call; naming others now would have no effect."""
        for role, letter in (("sensitive", "s"), ("explanatory", "z")):
            named = getattr(self, role)
            if says_nothing(named) or role in self._beside_:
                continue
            now, then = select(table, named, role), self.roles_.columns(letter)
            if set(now) != set(then):
                raise ParameterError(
                    f"{role}= names {listing(now)} now and named {listing(then) or 'nothing'} in the first call, which fixed the "
                    "roles. Fit anew."
                )

    def _from_moments(self, m: Moments, roles: Roles | None, target: Target) -> None:
        """Fit on moments gathered elsewhere; without roles every column is a number, in the block that the moments say."""
        if not isinstance(m, Moments):
            raise MomentsError(
                f"fit_from_moments takes Moments, as another fit's moments_. Got {type(m).__name__} instead."
            )
        self._start(target)
        columns = [j for j, b in enumerate(m.blocks) if b != "y"]
        if columns != list(range(len(columns))) or len(columns) == len(m.names):
            raise MomentsError(
                "The moments must hold the columns of the table first and at least one target (block y) after them."
            )
        names, blocks = tuple(m.names[j] for j in columns), tuple(m.blocks[j] for j in columns)
        if roles is None:
            roles = Roles(tuple(Field(n, b, "number") for n, b in zip(names, blocks, strict=True)))
        if (roles.names, roles.blocks) != (names, blocks):
            raise RoleError(
                f"The roles encode {listing(roles.names)}; the moments hold {listing(names)}, or in other roles."
            )
        if "x" not in blocks:
            raise RoleError("The moments hold no ordinary column x to predict from.")
        self.roles_, self._beside_ = roles, {}
        for role, letter in (("sensitive", "s"), ("explanatory", "z")):
            named = getattr(self, role)
            named = [named] if isinstance(named, str) else named
            if not says_nothing(named) and (callable(named) or set(named) != set(roles.columns(letter))):
                raise ParameterError(
                    f"{role}={getattr(self, role)!r} has no effect here: the moments say who is {letter}: "
                    f"{listing(roles.columns(letter)) or 'none'}."
                )
        self.n_features_in_ = len(roles.fields) + len(roles.left_out)
        if roles.named:
            self.feature_names_in_ = np.array([*(f.name for f in roles.fields), *roles.left_out], dtype=object)
        goal, alphas = self._question(), check_alphas(self.alphas)
        apart = self._classes_apart(m)
        if len(alphas) > 1 and m.n_cells == self._strata():
            raise MomentsError(
                "Several alphas are compared by folds, and these moments have one cell. Gather them by fold, or give one alpha."
            )
        self.rows_seen_ = int(m.count.sum())
        self._learn(m if len(alphas) > 1 else m.total() if apart is None else apart, goal, alphas, None)

    @property
    def baseline_(self) -> Self:
        """The same fit with s and z as ordinary columns: what the paper calls OLS. Made from the moments when asked for."""
        check_is_fitted(self)
        if self.estimator is not None:
            raise AttributeError(
                "baseline_ comes from moments, which a wrapped estimator has not: fit it with sensitive=() instead."
            )
        if hasattr(self, "saved_"):
            raise AttributeError(without("baseline_ is not there"))
        if not cheap(self.scoring) and len(check_alphas(self.alphas)) > 1:
            raise AttributeError(
                f"baseline_ comes from moments, and scoring={self.scoring!r} chooses alpha by predictions: fit with sensitive=() instead."
            )
        if getattr(self, "_baseline", None) is None:
            self._baseline = self._without_roles()
        twin: Self = self._baseline
        return twin

    def _without_roles(self) -> Self:
        twin: Self = clone(self).set_params(
            sensitive=(),
            explanatory=(),
            goal="parity",
            removal=1.0,
            at_predict="with",
            between=None,
            explanatory_mode=None,
        )
        m = folds.by_fold(self.moments_, self._strata())
        plain = tuple("x" if b in "sz" else b for b in m.blocks)
        for name in (
            "n_features_in_",
            "feature_names_in_",
            "classes_",
            "rows_seen_",
            "threshold_",
            "_beside_",
            "_target_names",
            "_flat",
        ):
            if hasattr(self, name):
                setattr(twin, name, getattr(self, name))
        twin.roles_ = replace(self.roles_, fields=tuple(replace(f, role="x") for f in self.roles_.fields))
        cells = Moments(m.names, plain, m.shift, m.weight, m.count, m.delta, m.scatter)
        twin._learn(cells, twin._question(), check_alphas(self.alphas), None, quiet=True)
        return twin


def target_names(m: Any) -> list[str]:
    """What moments that a visitor passed call their targets."""
    if not isinstance(m, Moments):
        raise MomentsError(
            f"fit_from_moments takes Moments, as another fit's moments_. Got {type(m).__name__} instead."
        )
    return [m.names[j] for j in m.index("y")]


def no_rows(y: Any) -> Target:
    """A target that stands for moments: names alone."""
    return Target(np.empty((0, len(y))), tuple(y), len(y) == 1, False)
