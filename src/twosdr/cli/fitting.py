"""What `fit` and `demo` do: divide rows, fit, predict rows that were not fitted on, audit them beside the baseline.

Calls to the library in their order. What is learned of the data here is its shape (which column is what), never a statistic of ours.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from twosdr import tables
from twosdr.audit import Comparison, compare
from twosdr.cli import options, training
from twosdr.errors import ParameterError, RoleError, TableError, listing, quoted
from twosdr.errors import rows as count_rows
from twosdr.tables import Array

if TYPE_CHECKING:
    from twosdr.cli.reading import Data

BASELINE, OURS = "baseline", "2SDR"


@dataclass(frozen=True)
class Asked:
    """The question, in columns and settings."""

    target: str
    sensitive: tuple[str, ...]
    explanatory: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    task: str = "auto"
    positive: str | None = None
    weight: str | None = None
    cluster: str | None = None
    settings: dict[str, Any] = field(default_factory=dict)  # of the estimator
    rule: float | None = 0.8
    confidence: float = 0.95
    min_group_size: int = 30


@dataclass(frozen=True, eq=False)
class Fitted:
    """A model, the rows it was judged on, and what was found about them."""

    asked: Asked
    model: Any
    train: Any
    test: Any
    comparison: Comparison
    positive: Any
    flips: Any
    frontier: Any
    carriers: Any
    held_out: bool
    moved: int = 0

    @property
    def audit(self) -> Any:
        """That of our model."""
        return self.comparison[OURS]

    @property
    def is_classifier(self) -> bool:
        """Whether it decides."""
        return hasattr(self.model, "classes_")


def asked(names: Sequence[str], words: dict[str, Any], **settings: Any) -> Asked:
    """The question, its columns looked up among those that there are."""
    target = options.column(words["target"], names, "target")
    weight, cluster = (options.column(words.get(role), names, role) for role in ("weight", "cluster"))
    several: dict[str, Any] = {
        role: options.columns(words.get(role), names, role) for role in ("sensitive", "explanatory", "drop")
    }
    if not several["sensitive"]:
        raise RoleError("--sensitive names no column: say what must not matter.")
    single = {"target": target, "weight": weight, "cluster": cluster}
    options.apart({**{k: [v] for k, v in single.items() if v is not None}, **several})
    assert target is not None
    roles: dict[str, Any] = {role: tuple(names) for role, names in several.items()}
    return Asked(target, weight=weight, cluster=cluster, **roles, **settings)


def fit_rows(rows: Data, other: Data | None, question: Asked, share: float, seed: int) -> Fitted:
    """Fit on the rows of one table and audit those of another, or a share of the same that was held out."""
    training.refuse_identifiers(rows.table, question.sensitive, "sensitive")
    training.task_of(rows.table, question)
    if other is not None:
        unknown = [n for n in rows.names if n not in other.names and n not in question.drop]
        if unknown:
            raise TableError(
                f"{quoted(other.title)} lacks {listing(unknown)}: the rows to audit need the columns of the others, target included."
            )
        return fit(rows.table, other.table, question)
    train, test, moved = divide(rows.table, share, seed, (question.target, *question.drop))
    return fit(train, test, question, held_out=share > 0, moved=moved)


def divide(table: Any, share: float, seed: int, keep: tuple[str, ...] = ()) -> tuple[Any, Any, int]:
    """Rows to fit on and rows to hold out, each in the order of the file, and how many were moved to the former: those whose
    level in some column no fitted row has.

    `keep` names columns that are not read.
    """
    if not 0 <= share < 1:
        raise ParameterError(f"--test-size must be a share from 0 up and below 1, such as .3. Got {share:g} instead.")
    n = table.num_rows
    held = round(share * n)
    if share and n - held < 2:
        raise TableError(
            f"{count_rows(n)} cannot be divided with --test-size {share:g}: too few would be left to fit on."
        )
    if not held:
        return table, table, 0
    order = np.random.default_rng(seed).permutation(n)
    out = np.zeros(n, dtype=bool)
    out[order[:held]] = True
    alone = _levels_only_in(table, out, keep)
    out &= ~alone
    return table.filter(_mask(~out)), table.filter(_mask(out)), int(alone.sum())


def _mask(rows: Array) -> Any:
    import pyarrow as pa

    return pa.array(rows)


def _levels_only_in(table: Any, out: Array, keep: tuple[str, ...]) -> Array:
    """Rows held out whose level in some column no other row has."""
    alone = np.zeros(len(out), dtype=bool)
    read = tables.read(table)
    for name in read.names:
        if name in keep:
            continue
        kind = table.schema.field(name).type
        if not training.is_text(kind):
            continue
        column = read.column(name)
        if not column.levels:
            continue
        seen = np.bincount(column.values[~out & (column.values >= 0)], minlength=len(column.levels)) > 0
        alone |= out & np.append(~seen, False)[column.values]
    return alone


def fit(train: Any, test: Any, asked: Asked, *, held_out: bool = True, moved: int = 0) -> Fitted:
    """The model, and its audit on `test` beside the baseline's."""
    from threadpoolctl import threadpool_limits

    # One BLAS thread: the last digits of a product depend on their number, and the same rows are to give the same bytes.
    with threadpool_limits(1):
        return _fit(train, test, asked, held_out, moved)


def _fit(train: Any, test: Any, asked: Asked, held_out: bool, moved: int) -> Fitted:
    from twosdr.estimators import TwoStageClassifier, TwoStageRegressor
    from twosdr.metrics import flip_rate

    task = training.task_of(train, asked)
    X, y, w = training.parts(train, asked)
    kind: Any = TwoStageClassifier if task == "classification" else TwoStageRegressor
    settings = dict(asked.settings)
    if task == "regression":
        for idle in ("threshold", "class_weight"):
            if idle in settings:
                raise ParameterError(
                    f"--{idle.replace('_', '-')} is for classes, and {quoted(asked.target)} is a number."
                )
    model = kind(sensitive=asked.sensitive, explanatory=asked.explanatory, drop=asked.drop, **settings).fit(
        X, y, sample_weight=w
    )
    positive = training.positive_of(model, asked) if task == "classification" else None
    baseline = _baseline(model, kind, X, y, w, asked)
    new, truth, weight = training.parts(test, asked)
    comparison = _audited({BASELINE: baseline, OURS: model}, test, new, truth, weight, asked, positive)
    return Fitted(
        asked,
        model,
        train,
        test,
        comparison,
        positive,
        flip_rate(model, new, sample_weight=weight) if model.needs_sensitive_ else None,
        model.frontier(new, truth, sample_weight=weight, levels=41) if _one_output(model) else None,
        model.carriers(new, sample_weight=weight) if _one_output(model) else None,
        held_out,
        moved,
    )


def _one_output(model: Any) -> bool:
    return int(model.model_.coef.shape[1]) == 1


def _baseline(model: Any, kind: Any, X: Any, y: Any, w: Any, asked: Asked) -> Any:
    """The same fit with s among the ordinary columns: from the same moments, but where the threshold needs rows."""
    threshold = asked.settings.get("threshold")
    if not (isinstance(threshold, dict) and "quantile" in threshold):
        return model.baseline_
    settings = {
        k: v for k, v in asked.settings.items() if k not in ("goal", "removal", "at_predict", "explanatory_mode")
    }
    return kind(drop=asked.drop, **settings).fit(X, y, sample_weight=w)


def _audited(models: dict[str, Any], test: Any, X: Any, y: Any, weight: Any, asked: Asked, positive: Any) -> Comparison:
    predictions = {name: model.predict(X) for name, model in models.items()}
    scores = None
    if positive is not None:
        scores = {name: training.scores_for(model, X, positive) for name, model in models.items()}
    features = [n for n in X.column_names if n not in (*asked.sensitive, *asked.drop)]
    return compare(
        predictions,
        scores=scores,
        sensitive_features=test.select(list(asked.sensitive)),
        y_true=y,
        explanatory_features=test.select(list(asked.explanatory)) if asked.explanatory else None,
        features=X.select(features) if features else None,
        sample_weight=weight,
        cluster=None if asked.cluster is None else test.column(asked.cluster).to_numpy(),
        pos_label=positive,
        rule=asked.rule if positive is not None else None,
        confidence=asked.confidence,
        min_group_size=asked.min_group_size,
    )
