"""The closed form behind the regressor and the classifier: moments in, one affine map out.

Which goals and readings make sense together is decided here, once.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from twosdr import levels
from twosdr.engines import memory
from twosdr.errors import ChoiceWarning, DegenerateWarning, ParameterError, PrecisionWarning, listing, warn
from twosdr.estimators._choosing import Choice, Predicted, cheap, check_alphas, choose_folding
from twosdr.estimators._levels import Levels, resolved
from twosdr.estimators._reading import check_choice, check_jobs, warn_of_dropped, warn_of_near_copies
from twosdr.estimators._saving import Saving
from twosdr.model import Affine
from twosdr.moments import Moments
from twosdr.solve import ACCEPT, GIVEN_Y, REREAD, Goal, Rank, Solution, decide_rank, rows_of, solve
from twosdr.tables import Array, Table, Target

GOALS = ("parity", "discrimination_free", *GIVEN_Y)
READINGS = ("controlled", "joint", "raw")
# With rows at hand the triangle of a QR holds six digits down to this eigenvalue ratio (a condition of 1e8).
HOPELESS = 1e-16


class ClosedForm(Saving, Levels):
    """What TwoStageRegressor and TwoStageClassifier share; y is a number, or one score column a class."""

    estimator: Any
    removal: Any
    between: float | None
    explanatory_mode: str | None
    alphas: Any
    cv: Any
    fold_key: str | None
    scoring: Any
    max_levels: int
    n_jobs: int | None

    def _start(self, target: Target) -> None:
        """Forget an earlier fit, and refuse settings that no table can make right."""
        for learned in [name for name in vars(self) if name.endswith("_") and not name.startswith("__")]:
            delattr(self, learned)
        self._check_settings()
        self._target_names = target.names if target.named else ()
        self._flat = target.flat

    def _check_settings(self) -> None:
        """Refuse what no table can make right; asked again at every later call, for settings may be set between two."""
        check_choice("goal", self.goal, GOALS)
        check_choice("at_predict", self.at_predict, ("with", "without"))
        check_choice("explanatory_mode", self.explanatory_mode, (None, *READINGS))
        levels.level(self.removal)
        if self.between is not None and (not levels.is_number(self.between) or self.between < 0):
            raise ParameterError(f"between must be a penalty from 0 up, or None. Got {self.between!r} instead.")

    def __sklearn_is_fitted__(self) -> bool:
        # Not by any attribute that fit sets: one that failed half-way has set some of them.
        return hasattr(self, "model_" if self.estimator is None else "estimator_")

    def _fit_closed(self, table: Table, target: Target, weight: Array | None, labels: Any = None) -> None:
        """Gather moments by fold, choose alpha, solve, and keep what was learned."""
        goal, alphas = self._question(), check_alphas(self.alphas)
        folding = choose_folding(self, table, len(alphas), labels)
        self._note_gaps(table)
        source = self._gather(table, target, weight, **self._celled(folding, target))
        cells = memory.moments(source, n_jobs=check_jobs(self.n_jobs))
        self._refuse_infinite(table, cells)
        self.rows_seen_ = table.n_rows
        self._learn(cells, goal, alphas, source, labels)

    def _question(self) -> Goal:
        removal = levels.level(self.removal)
        has_s, has_z = bool(self.roles_.columns("s")), bool(self.roles_.columns("z"))
        if self.explanatory_mode is not None and not has_z:
            raise ParameterError(
                f"explanatory_mode={self.explanatory_mode!r} has no effect without explanatory columns. Name some, or leave it out."
            )
        plain = self.goal == "parity" and self.at_predict == "with"
        if self.explanatory_mode in ("controlled", "raw") and not plain:
            raise ParameterError(
                f"explanatory_mode={self.explanatory_mode!r} is defined for goal='parity' with at_predict='with'. Elsewhere the "
                "reading is 'joint': leave explanatory_mode out."
            )
        if not has_s and (self.goal, self.at_predict, removal) != ("parity", "with", 1.0):
            raise ParameterError(
                "goal, removal and at_predict have no effect without sensitive columns. Name some, or leave them out."
            )
        if self.goal == "discrimination_free" and self.at_predict == "without" and removal != 1.0:
            raise ParameterError(
                "removal below 1 keeps part of the effect of s, which at_predict='without' does not have."
            )
        if self.between is not None and ((self.goal, self.at_predict) != ("parity", "without") or removal != 1.0):
            raise ParameterError(
                "between= penalises what s explains of a score that does not use s: it is defined for goal='parity' with "
                "at_predict='without', and takes the place of removal."
            )
        if self.goal in GIVEN_Y:
            self._refuse_given_y()
        reading = self.explanatory_mode or ("controlled" if plain else "joint")
        # A target is turned into a number once there are coefficients to measure.
        known = removal if isinstance(removal, float) else 1.0
        return Goal(self.goal, self.at_predict, reading, known, between=self.between)

    def _refuse_given_y(self) -> None:
        """Goals that hold y fixed are about one y."""
        if self.goal == "equal_opportunity" and not hasattr(self, "classes_"):
            raise ParameterError(
                "goal='equal_opportunity' looks at one class of y, and here y is a number. Use goal='equalized_odds', which holds it "
                "fixed, or TwoStageClassifier."
            )
        if not self._flat:
            raise ParameterError(
                f"goal={self.goal!r} holds y fixed, and here y has several columns. Fit one at a time."
            )

    def _learn(
        self,
        cells: Moments,
        goal: Goal,
        alphas: Array,
        source: memory.Source | None,
        labels: Any = None,
        quiet: bool = False,
    ) -> None:
        """From moments to everything that is kept; `quiet` while a fit is still growing."""
        whole = cells.total()
        scatter, weight = whole.scatter[0], float(whole.weight[0])
        references = self.roles_.references(whole.mean[0])
        penalised = bool((alphas > 0).all())
        rank = decide_rank(whole, references, penalised=penalised, reading=goal.reading)
        rows = None
        if not penalised and rank.before < REREAD and source is not None:
            rows = source.triangle(whole)
            rank = decide_rank(whole, references, penalised=penalised, reading=goal.reading, rows=rows)
        self._say_what_went(whole, rank, quiet)
        self._rank, apart = rank, self._classes_apart(cells)
        F = rows_of(scatter, rank.columns.features)
        goal = self._settle(F if rows is None else rows, whole, apart, rank.columns, goal, quiet)
        self.alpha_ = self._choose(cells, whole, rank, goal, alphas, source, labels, quiet)
        if rank.rcond < (ACCEPT if rows is None else HOPELESS) and self.alpha_ == 0.0:
            warn(
                f"Columns are so nearly dependent (eigenvalue ratio {rank.rcond:.1e} of their correlations) that coefficients have "
                "few or no digits. Drop one of each near-copy, or give alphas above 0.",
                PrecisionWarning,
            )
        F = rows if rows is not None and self.alpha_ == 0.0 else F
        asked = levels.level(self.removal)
        if isinstance(asked, levels.Level):
            level = resolved(self, asked, whole, apart, rank.columns, goal, F, self.alpha_)
            if len(alphas) > 1:  # what suits a full removal may not suit a mild one
                goal = replace(goal, removal=level)
                self.alpha_ = self._choose(cells, whole, rank, goal, alphas, source, labels, quiet)
                level = resolved(self, asked, whole, apart, rank.columns, goal, F, self.alpha_)
            goal = replace(goal, removal=level)
        self.removal_ = goal.removal
        strata = None if apart is None else apart.scatter
        solution = solve(scatter, F, weight, rank.columns, goal, self.alpha_, strata)
        if not quiet:
            self._warn_if_weak(whole, goal, solution)
            if goal.reading == "raw":
                warn_of_near_copies(whole, rank.columns, solution.v, solution.B)
        self._keep(whole, cells, rank, goal, solution)

    def _say_what_went(self, whole: Moments, rank: Rank, quiet: bool) -> None:
        self.dropped_ = warn_of_dropped(self.roles_, rank, whole.names, quiet=quiet)
        if quiet:
            return
        if not len(rank.columns.x):
            warn(
                "Nothing is left of x once constant columns and what s determines are out: predictions rest on "
                + (f"{listing(self.roles_.columns('z'))} alone." if len(rank.columns.z) else "the mean of y alone."),
                DegenerateWarning,
            )
        elif whole.count[0] <= len(rank.columns.s) + 1 and len(rank.columns.s):
            warn(
                f"{whole.count[0]} rows and {len(rank.columns.s)} sensitive columns: s explains every x, and u is zero.",
                DegenerateWarning,
            )

    def _choose(
        self,
        cells: Moments,
        whole: Moments,
        rank: Rank,
        goal: Goal,
        alphas: Array,
        source: memory.Source | None,
        labels: Any,
        quiet: bool,
    ) -> float:
        self.cv_results_: dict[str, Any] | None = None
        if len(alphas) == 1:
            return float(alphas[0])
        task = Choice(cells, whole, rank.columns, goal, alphas, self._strata())
        if source is None and not cheap(self.scoring):
            raise ParameterError(
                f"scoring={self.scoring!r} needs predictions for rows, and here there are moments alone. Compare alphas by squared error "
                "(scoring=None) or 'r2', or give one alpha."
            )
        if source is None or cheap(self.scoring):
            found = task.by_moments(self.scoring)
        else:
            found = self._by_scorer(task, source, labels)
        if found is None:
            if quiet:  # not enough rows yet: the most careful answer
                return float(alphas.max())
            reason = "y is constant in every fold" if self.scoring == "r2" else "all rows are in one fold"
            raise ParameterError(
                f"{int(cells.count.sum())} rows in these folds give no error to compare {len(alphas)} alphas by: {reason}. Give one alpha."
            )
        self.cv_results_, best = found
        if not quiet and alphas[best] in (alphas.min(), alphas.max()):
            warn(
                f"alpha = {alphas[best]:g} was chosen, at the edge of the grid {alphas.min():g} to {alphas.max():g}: a wider grid "
                "may predict better.",
                ChoiceWarning,
            )
        return float(alphas[best])

    def _by_scorer(self, task: Choice, source: memory.Source, labels: Any) -> tuple[dict[str, Any], int] | None:
        """Choose by a scorer that needs predictions, which is a second pass over the rows."""
        return task.by_scorer(self.scoring, source, source.y if labels is None else labels, self._shim)

    def _shim(self, scores: Array) -> Any:
        """A stand-in with predictions already made, for a scorer to ask."""
        return Predicted(scores[:, 0] if self._flat else scores)

    def _keep(self, whole: Moments, cells: Moments, rank: Rank, goal: Goal, solution: Solution) -> None:
        p = len(self.roles_.names)
        self._baseline: Any = None  # of an earlier fit
        self.model_ = Affine.through_means(whole, solution.coef[:p])
        self._absent = tuple(np.array(self.roles_.names)[whole.mean[0, :p] <= 0]) if whole.count[0] else ()
        if self.handle_missing != "error" or self.handle_unknown != "error":
            self.roles_ = self.roles_.with_fill(whole.mean[0, :p])
        flat = self._flat
        self.encoded_names_ = np.array(self.roles_.names, dtype=object)
        self.coef_ = self.model_.coef[:, 0] if flat else self.model_.coef.T
        self.intercept_ = float(self.model_.intercept[0]) if flat else self.model_.intercept
        every_v, every_x = whole.index("s", "z"), whole.index("x")
        B = np.zeros((p, p))
        B[np.ix_(solution.v, rank.columns.x)] = solution.B
        self.B_ = B[np.ix_(every_v, every_x)]
        self.B_names_ = tuple(whole.names[j] for j in every_v), tuple(whole.names[j] for j in every_x)
        effect = solution.effect[:, 0] if flat else solution.effect.T
        self.beta_u_, self.beta_z_ = effect[..., every_x], effect[..., whole.index("z")]
        self.cost_ = float(solution.cost[0]) if flat else solution.cost
        self.rank_, self.rcond_ = len(rank.columns.features), rank.rcond
        self.moments_, self._goal = cells, goal
        s_coef = solution.coef[whole.index("s")]
        # A level that is not in the fit has no coefficient, but its row still has to be read to be known as such.
        self.needs_sensitive_ = (
            bool(s_coef.any()) if goal.at_predict == "without" or goal.name != "parity" else bool(len(s_coef))
        )

    def _scores(self, X: Any, beside: dict[str, Any]) -> Array:
        """The affine map of new rows, shape (n, d_y)."""
        check_is_fitted(self)
        table = self._read_new(X, **beside, needs_s=self.needs_sensitive_, target=self._target_names)
        out = self._apply(table)
        if not np.isfinite(out).all():
            self.roles_.refuse_missing_numbers(table, needs_s=self.needs_sensitive_)
            if not self.needs_sensitive_:  # NaN in s, which is not used: zero times NaN is NaN
                out = self._apply(table.without(self.roles_.columns("s")))
        return out

    def _apply(self, table: Table) -> Array:
        out = np.empty((table.n_rows, self.model_.coef.shape[1]))
        if table.sparse is None:
            for rows, block in self._encoded_blocks(table):
                out[rows] = self.model_(block)
            return out
        # The stored entries as they are; what joined the matrix, or lies far from zero, goes the dense way.
        inside = {name: j for j, name in enumerate(table.sparse_names)}
        names, far = self.roles_.names, self.model_.origin != 0
        thin = [j for j, name in enumerate(names) if name in inside and not far[j]]
        out[:] = table.sparse[:, [inside[names[j]] for j in thin]] @ self.model_.coef[thin] + self.model_.base
        thick = [(f, span) for f, span in self.roles_.spans() if span.start not in thin and f.name in table.names]
        if thick:
            some = replace(self.roles_, fields=tuple(f for f, _ in thick))
            at = [j for _, span in thick for j in range(span.start, span.stop)]
            out += (some.encode(table, slice(0, table.n_rows)) - self.model_.origin[at]) @ self.model_.coef[at]
        return out
