"""What changes when only the recorded s of a row changes."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
import scipy.sparse as sp

from twosdr import tables
from twosdr.errors import MetricError, ParameterError, listing
from twosdr.metrics import _influence as influence
from twosdr.metrics import _intervals as ci
from twosdr.metrics import _reading as reading
from twosdr.metrics._cells import gather
from twosdr.metrics._contrasts import share_of
from twosdr.metrics._words import told
from twosdr.metrics.estimate import Estimate
from twosdr.tables import Array, Table

QUARTILES = (0.25, 0.5, 0.75)  # what a numeric s is set to


@dataclass(frozen=True)
class Flips:
    """`decisions`: the share of rows that are decided otherwise under some other s; `scores`: the mean absolute change of the score."""

    decisions: Estimate
    scores: Estimate


def flip_rate(
    model: Any,
    X: Any,
    *,
    sensitive: Any = None,
    sensitive_features: Any = None,
    sample_weight: Any = None,
    cluster: Any = None,
    confidence: float = 0.95,
    **beside: Any,
) -> Flips:
    """P(decision changes) and E|score changes| when the recorded s of a row is replaced and all else stays.

    Needs: rows and a fitted model. Each column of s in turn takes every other level that occurs (a number: its quartiles); a decision
    flips when any of them changes it, and the change of the score is averaged over them. s is named by `sensitive`
    (or is what the model was fitted with), or passed as `sensitive_features`. This is no causal statement: the other columns stay.

    >>> class Rule:
    ...     def predict(self, X):
    ...         return (X["age"] + 10 * (X["sex"] == "m") > 45).astype(int)
    >>> import pandas as pd
    >>> people = pd.DataFrame({"sex": ["f", "m", "f", "m"], "age": [20, 30, 40, 50]})
    >>> flip_rate(Rule(), people, sensitive=["sex"]).decisions.value
    0.25
    """
    keyword = sensitive_features is not None
    whole = reading.table(sensitive_features, "sensitive_features") if keyword else tables.read(X)
    names = list(whole.names) if keyword else _named(model, sensitive, whole)
    n = whole.n_rows
    rows = reading.beside(n, sample_weight, cluster, confidence)

    def ask(changed: Any) -> tuple[Array | None, Array | None]:
        if keyword:
            return _answers(model, X, n, {"sensitive_features": changed, **beside})
        return _answers(model, changed, n, beside)

    first_decision, first_score = ask(sensitive_features if keyword else X)
    flipped, moved, times = np.zeros(n, dtype=bool), np.zeros(n), np.zeros(n)
    for changed, differs in _alternatives(sensitive_features if keyword else X, whole, names):
        decision, score = ask(changed)
        if first_decision is not None and decision is not None:
            flipped |= differs & (decision != first_decision)
        if first_score is not None and score is not None:
            moved += np.where(differs, np.abs(score - first_score), 0.0)
        times += differs
    if not times.any():
        raise MetricError(f"{listing(names)} is constant: there is no other s to try.")
    moved = moved / np.maximum(times, 1)
    no_decision = Estimate(None, None, rows.n, "the model predicts numbers: nothing is decided")
    no_score = Estimate(None, None, rows.n, "the model has no score: neither decision_function nor predict_proba")
    return Flips(
        no_decision if first_decision is None else _share(rows.take(flipped), rows),
        no_score if first_score is None else _mean(rows.take(moved), rows),
    )


def _named(model: Any, sensitive: Any, table: Table) -> list[str]:
    if sensitive is None:
        roles = getattr(model, "roles_", None)
        names = list(roles.columns("s")) if roles is not None else []
        if not names:
            raise ParameterError(
                "flip_rate needs to know which columns are s: pass sensitive=[names], or sensitive_features=."
            )
        return names
    wanted = [sensitive] if isinstance(sensitive, (str, int)) else list(sensitive)
    names = [table.names[name] if isinstance(name, (int, np.integer)) else name for name in wanted]
    if unknown := [name for name in names if name not in table.names]:
        raise ParameterError(f"X has no column {listing(unknown)}; it has {listing(table.names)}.")
    return names


def _answers(model: Any, X: Any, n: int, beside: Mapping[str, Any]) -> tuple[Array | None, Array | None]:
    """Decisions and scores; a model that only predicts numbers has no decisions."""
    predicted = np.asarray(model.predict(X, **beside))
    score: Array | None = None
    for ask in ("decision_function", "predict_proba"):
        if hasattr(model, ask):
            score = np.asarray(getattr(model, ask)(X, **beside), dtype=float)
            break
    if score is not None and score.ndim == 2:
        # Of two classes the second; of more, how far all of them move together is half the sum of their moves: keep the largest.
        score = score[:, 1] if score.shape[1] == 2 else score.max(axis=1)
    numbers = predicted.dtype.kind == "f" and score is None and not hasattr(model, "classes_")
    if len(predicted) != n:
        raise MetricError(f"The model predicts {len(predicted)} values for {n} rows.")
    return (None, predicted.astype(float).reshape(n, -1)[:, 0]) if numbers else (predicted, score)


def _alternatives(X: Any, table: Table, names: list[str]) -> Iterator[tuple[Any, Array]]:
    """The table with one column of s set to one value, and which rows that changes."""
    for name in names:
        column = table.column(name)
        if column.levels is not None:
            places = [
                (int(np.argmax(column.values == code)), column.values != code) for code in range(len(column.levels))
            ]
        else:
            distinct = np.unique(column.values)
            wanted = distinct if len(distinct) == 2 else np.quantile(column.values, QUARTILES, method="nearest")
            places = [(int(np.argmax(column.values == v)), column.values != v) for v in np.unique(wanted)]
        for at, differs in places:
            yield _set(X, table, name, at), differs


def _set(X: Any, table: Table, name: str, at: int) -> Any:
    """A copy of X whose column holds everywhere what it holds in one row: the dtype and the kind stay."""
    everywhere = np.full(table.n_rows, at)
    if isinstance(X, Mapping):
        return {key: np.asarray(value)[everywhere] if str(key) == name else value for key, value in X.items()}
    frame = nw.from_native(X, pass_through=True, allow_series=True)
    if isinstance(frame, nw.Series):
        return frame[everywhere.tolist()].to_native()
    if isinstance(frame, nw.DataFrame):
        place = table.names.index(name)
        if hasattr(
            X, "iloc"
        ):  # pandas keeps its index, which the new column has to share, and may name columns by numbers
            copy = X.copy(deep=False)
            copy.isetitem(place, X.iloc[:, place].take(everywhere).set_axis(X.index))
            return copy
        label = frame.columns[place]
        return frame.with_columns(frame[label][everywhere.tolist()].alias(label)).to_native()
    if sp.issparse(X):
        place, copy = table.names.index(name), X.tolil(copy=True)
        copy[:, place] = copy[at, place]
        return copy.asformat(X.format)
    values = np.array(X, dtype=None if isinstance(X, np.ndarray) else object)
    if values.ndim == 1:
        return values[everywhere]
    values[:, table.names.index(name)] = values[at, table.names.index(name)]
    return values


def _share(flipped: Array, rows: reading.Beside) -> Estimate:
    tally = gather(flipped.astype(np.int8), reading.everyone(len(flipped)), rows.weight, rows.cluster)
    found = share_of(tally, "all", rows.confidence)
    what = "share of decisions that another recorded s would change"
    return told(found, what, "Wilson score interval", rows.confidence, rows.cluster is not None)


def _mean(moved: Array, rows: reading.Beside) -> Estimate:
    share = influence.shares(rows)
    value = float(share @ moved)
    error, df = influence.error(share * (moved - value), rows)
    what = "mean absolute change of the score under another recorded s"
    if math.isnan(error):
        return told(Estimate(value, None, rows.n, "no interval: one row shows no spread"), what, "", rows.confidence)
    reach = float(ci.t_quantile(rows.confidence, df)) * error
    found = Estimate(value, (max(value - reach, 0.0), value + reach), rows.n)
    return told(found, what, "Student's interval", rows.confidence, rows.cluster is not None)
