"""Choosing alpha: how rows fall into folds, and what the folds are compared by.

Squared error and R² come from the moments that are there anyway. Any other scorer needs predictions, which is a second
pass over the rows.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.metrics import get_scorer

from twosdr import folds
from twosdr.engines import memory
from twosdr.errors import ParameterError, quoted
from twosdr.model import Affine
from twosdr.moments import Moments
from twosdr.solve import Columns, Goal
from twosdr.tables import Array, Table

SQUARED = (None, "neg_mean_squared_error")


def default(model: Any, name: str) -> Any:
    """The default of a constructor parameter: what a visitor who said nothing gets."""
    return inspect.signature(type(model)).parameters[name].default


def check_alphas(given: Any) -> Array:
    """The penalties as an array."""
    try:
        alphas = np.atleast_1d(np.asarray(given, dtype=float))
    except (TypeError, ValueError):
        alphas = np.zeros(0)
    if alphas.ndim != 1 or not len(alphas) or not np.isfinite(alphas).all() or (alphas < 0).any():
        raise ParameterError(f"alphas must be one or more numbers from 0 up. Got {given!r} instead.")
    return alphas


@dataclass(frozen=True, eq=False)
class Folding:
    """`n` folds, and the fold of rows start..stop; None where there is nothing to choose.

    `lasting` says that a row's fold will be the same in a later call: by its number, or by its key.
    """

    n: int
    cell_of: Callable[[int, int], Array] | None
    lasting: bool = True


def choose_folding(
    model: Any, table: Table, n_alphas: int, labels: Any = None, *, start: int = 0, growing: bool = False
) -> Folding:
    """The folds that `cv` and `fold_key` ask for; `start` is the number of the first row."""
    cv, key = model.cv, model.fold_key
    if isinstance(key, (int, np.integer)) and not isinstance(key, bool) and not table.named:
        key = f"x{key}"
    if key is not None and not isinstance(key, str):
        raise ParameterError(f"fold_key must be the name of a column. Got {key!r} instead.")
    if n_alphas == 1:
        # Not cv: scikit-learn's own tools set it wherever there is one.
        idle = [n for n in ("fold_key", "scoring") if not _same(getattr(model, n), default(model, n))]
        if idle:
            raise ParameterError(
                f"{' and '.join(idle)} {'have' if len(idle) > 1 else 'has'} no effect with one alpha: there is nothing to choose. "
                "Leave it out, or give several alphas."
            )
        return Folding(1, None)
    whole = isinstance(cv, (int, np.integer)) and not isinstance(cv, bool)
    if whole and cv < 2:
        raise ParameterError(f"cv must be a whole number of folds from 2 up. Got {cv!r} instead.")
    if key is not None:
        if not whole:
            raise ParameterError(
                f"fold_key={key!r} divides rows by a column; cv must be a number of folds then. Got {cv!r}."
            )
        return Folding(int(cv), _by_key(table, key, int(cv)))
    if whole:
        n = int(cv) if growing else min(int(cv), table.n_rows)
        return Folding(n, lambda a, b: folds.fold_of_rows(start + a, start + b, n))
    if growing:
        raise ParameterError(
            "partial_fit and forget divide later rows as well, so cv must be a number of folds. Got " + f"{cv!r}."
        )
    ids = _explicit(list(cv) if inspect.isgenerator(cv) else cv, table, labels)
    return Folding(int(ids.max()) + 1, lambda a, b: ids[a:b], lasting=False)


def _same(a: Any, b: Any) -> bool:
    return a is b or (type(a) is type(b) and isinstance(a, (int, float, str)) and a == b)


def _by_key(table: Table, key: str, n: int) -> Callable[[int, int], Array]:
    if key not in table.names:
        raise ParameterError(f"fold_key names column {quoted(key)}, which X does not have.")
    ids = folds.fold_of_keys(table.column(key), n)
    return lambda a, b: ids[a:b]


def _explicit(cv: Any, table: Table, labels: Any) -> Array:
    n = table.n_rows
    if hasattr(cv, "split") and hasattr(cv, "get_n_splits"):
        try:
            splits = list(cv.split(np.zeros((n, 1)), labels))
        except (TypeError, ValueError) as trouble:
            raise ParameterError(
                f"cv={type(cv).__name__} could not split {n} rows: {trouble}. Where it needs groups, use fold_key=, or pass "
                "the fold of every row as an array."
            ) from trouble
        return _from_splits(splits, n, type(cv).__name__)
    if (
        isinstance(cv, (list, tuple))
        and cv
        and all(isinstance(s, (list, tuple)) and len(s) == 2 for s in cv)
        and len(cv) != n
    ):
        return _from_splits(list(cv), n, "the list of splits")
    try:
        ids = np.asarray(cv)
    except ValueError:
        ids = np.zeros(0, dtype=object)
    if isinstance(cv, str) or ids.ndim != 1 or len(ids) != n or ids.dtype.kind not in "iufUSOb":
        raise ParameterError(
            f"cv must be a number of folds, an array with the fold of each of the {n} rows, a list of (train, test) or a splitter. "
            f"Got {cv!r:.80} instead."
        )
    if any(fold is None or fold != fold for fold in ids.tolist()):
        raise ParameterError("cv gives some rows no fold (None or NaN). Every row needs one.")
    found, codes = np.unique(ids.astype(str) if ids.dtype == object else ids, return_inverse=True)
    if len(found) < 2:
        raise ParameterError("cv puts every row into one fold; at least two are needed.")
    return np.asarray(codes)


def _positions(part: Any, n: int, what: str) -> Array:
    """Row numbers, from row numbers or a mask."""
    found = np.asarray(part)
    if found.dtype == bool and len(found) == n:
        return np.flatnonzero(found)
    if found.ndim != 1 or found.dtype.kind not in "iu" or ((found < 0) | (found >= n)).any():
        raise ParameterError(f"{what} must hold row numbers from 0 to {n - 1}, or masks of {n} rows.")
    return found


def _from_splits(splits: list[Any], n: int, what: str) -> Array:
    ids = np.full(n, -1)
    for k, (train, test) in enumerate(splits):
        train, test = _positions(train, n, what), _positions(test, n, what)
        if (ids[test] >= 0).any() or len(train) + len(test) != n or len(np.intersect1d(train, test)):
            ids[:] = -1
            break
        ids[test] = k
    if (ids < 0).any() or len(splits) < 2:
        raise ParameterError(
            f"{what} does not divide the rows: cross-validation from moments needs every row in one test fold, and all others in its "
            "training part. Use KFold or StratifiedKFold, or an array of folds."
        )
    return ids


def _scored(scorer: Any, scoring: Any, guess: Any, rows: Array, y: Array, weight: Array | None) -> float:
    """What a scorer says of predictions; its own complaint, where it has one, with the setting that asked for it."""
    try:
        return float(scorer(guess, rows, y) if weight is None else scorer(guess, rows, y, sample_weight=weight))
    except (ValueError, TypeError, AttributeError) as trouble:
        if "predict_proba" in str(trouble):
            reason = (
                "it asks for probabilities, and the closed form has scores: use estimator=LogisticRegression(), say"
            )
        elif weight is not None and isinstance(trouble, TypeError):
            reason = "there are weights, and this scorer takes none"
        else:
            reason = str(trouble)
        raise ParameterError(f"scoring={scoring!r} cannot compare these fits: {reason}.") from trouble


def _deviation(values: Array) -> Array:
    """Over folds; squares of squared errors of 1e298 would overflow, so they are taken of shares."""
    size = float(abs(values).max(initial=0.0))
    return np.asarray((values / size).std(axis=0) * size) if 0.0 < size < np.inf else values.std(axis=0)


def cheap(scoring: Any) -> bool:
    """Whether the moments answer it, without a second pass."""
    return scoring is None or scoring in ("neg_mean_squared_error", "r2")


class Predicted(RegressorMixin, BaseEstimator):
    """Predictions already made: what a scorer asks is answered, whatever X it passes."""

    def __init__(self, values: Any = None) -> None:
        self.values = values

    def fit(self, X: Any, y: Any) -> Predicted:  # pragma: no cover - scorers look for it, none calls it
        """Nothing to do."""
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def predict(self, X: Any) -> Any:
        """The values."""
        return self.values


class Decided(ClassifierMixin, BaseEstimator):
    """Scores already made and cut."""

    def __init__(self, scores: Any = None, decisions: Any = None, classes: Any = None) -> None:
        self.scores = scores
        self.decisions = decisions
        self.classes = classes
        self.classes_ = classes

    def fit(self, X: Any, y: Any) -> Decided:  # pragma: no cover - scorers look for it, none calls it
        """Nothing to do."""
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def predict(self, X: Any) -> Any:
        """The decisions."""
        return self.decisions

    def decision_function(self, X: Any) -> Any:
        """The scores."""
        return self.scores

    def right(self, y: Any, weight: Array | None) -> float:
        """The share of decisions that are y: what the scorer "accuracy" would say, without its checks of types on every call."""
        return float(np.average(self.decisions == y, weights=weight))


@dataclass(frozen=True, eq=False)
class Choice:
    """What there is to choose from: cells of moments, the columns that take part, the goal and the penalties."""

    cells: Moments
    whole: Moments
    columns: Columns
    goal: Goal
    alphas: Array
    strata: int = 1

    def by_moments(self, scoring: Any) -> tuple[dict[str, Any], int] | None:
        """Squared error or R², averaged over folds; None when no fold can be tested."""
        errors = folds.fold_errors(self.cells, self.columns, self.goal, self.alphas, self.whole, self.strata)
        used = ~np.isnan(errors).any(axis=(1, 2))
        if not used.any():
            return None
        mse = errors.mean(axis=2)
        found: dict[str, Any] = {
            "alpha": self.alphas,
            "mse": mse,
            "mean_mse": mse[used].mean(axis=0),
            "std_mse": _deviation(mse[used]),
        }
        if scoring != "r2":
            found |= {"score": -mse, "mean_score": -found["mean_mse"]}  # as scikit-learn: the greater, the better
            return found, int(np.argmax(found["mean_score"]))
        y = self.columns.y
        by_fold = folds.by_fold(self.cells, self.strata)
        spread = np.einsum("kjj->kj", by_fold.scatter)[:, y] / np.maximum(by_fold.weight, 1e-300)[:, None]
        r2 = (1.0 - errors / np.where(spread > 0, spread, np.nan)[:, None, :]).mean(axis=2)
        scored = used & ~np.isnan(r2).any(axis=1)
        if not scored.any():
            return None
        return found | {"score": r2, "mean_score": r2[scored].mean(axis=0)}, int(np.argmax(r2[scored].mean(axis=0)))

    def by_scorer(
        self, scoring: Any, source: memory.Source, y: Array, shim: Callable[[Array], Any]
    ) -> tuple[dict[str, Any], int] | None:
        """Any scorer of scikit-learn, on the predictions for every fold by every penalty."""
        try:
            scorer = get_scorer(scoring)
        except (ValueError, TypeError, KeyError) as trouble:
            raise ParameterError(
                f"scoring must be a scorer of scikit-learn, by name or as an object. {trouble}"
            ) from None
        cell = np.asarray(source.cell_of(0, source.table.n_rows)) if source.cell_of else np.zeros(source.table.n_rows)
        cell = cell // self.strata
        if source.weight is not None:
            cell = np.where(source.weight > 0, cell, -1)
        p, q = len(source.roles.names), len(self.columns.y)
        score = np.full((self.cells.n_cells // self.strata, len(self.alphas)), np.nan)
        parts = folds.fold_coefficients(self.cells, self.columns, self.goal, self.alphas, self.whole, self.strata)
        for k, rest, coef in parts:
            here = np.flatnonzero(cell == k)
            # One map with a column for every penalty and target.
            maps = [Affine.through_means(rest, coef[:p, a]) for a in range(len(self.alphas))]
            every = Affine(
                maps[0].names, np.hstack([m.coef for m in maps]), np.concatenate([m.base for m in maps]), maps[0].origin
            )
            fitted = every(np.asarray(source.rows(here), dtype=np.float64)).reshape(len(here), -1, q)
            rows = np.empty((len(here), 0))
            for a in range(len(self.alphas)):
                guess = shim(np.ascontiguousarray(fitted[:, a]))
                # Ten folds by 25 penalties are 250 calls; the checks in scikit-learn's take most of the time of a fit.
                plain = scoring == "accuracy" and isinstance(guess, Decided)
                w = None if source.weight is None else source.weight[here]
                score[k, a] = guess.right(y[here], w) if plain else _scored(scorer, scoring, guess, rows, y[here], w)
        used = ~np.isnan(score).any(axis=1)
        if not used.any():
            return None
        mean = score[used].mean(axis=0)
        found = {"alpha": self.alphas, "score": score, "mean_score": mean, "std_score": _deviation(score[used])}
        return found, int(np.argmax(mean))
