"""GroupRanks: the paper's ordinal transformation, ranks within the groups of s."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn import get_config
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from twosdr.errors import KindError, ParameterError, listing, quoted
from twosdr.estimators._groups import Groups, forms_groups
from twosdr.estimators._reading import RolesMixin, check_choice
from twosdr.tables import Array, Table

TIES = ("average", "strict", "ordinal")


class GroupRanks(RolesMixin, TransformerMixin, BaseEstimator, auto_wrap_output_keys=None):  # type: ignore[call-arg]
    """Replace every numeric column of x by its rank, from 0 to 1, among the training rows of the same group of s.

    Text, booleans, columns with at most two values, explanatory and sensitive columns pass unchanged; the groups are
    the combinations of the sensitive columns.

    Parameters
    ----------
    sensitive, explanatory, drop : names, indices, mask, callable or column selector
        The roles of X's columns.
    ties : "average", "strict" or "ordinal"
        average: the share of the group below, and half of those equal. strict: the share below. ordinal: the position in the sorted group,
        ties broken by chance; it has no answer for new rows, so it acts in fit_transform on the rows at hand.
    bins : int, optional
        Cut every numeric s with more than two values into this many groups of equal size. Nothing is cut unasked.
    random_state : int, RandomState or None
        Breaks ties with ties="ordinal".
    handle_unknown, handle_missing : "error"
        Here every row needs its group; only "error" is offered.

    Examples
    --------
    >>> from twosdr import GroupRanks
    >>> X = {"sex": ["f", "m", "f", "m", "f"], "pay": [10.0, 50.0, 20.0, 70.0, 20.0]}
    >>> GroupRanks(sensitive="sex").set_output(transform="pandas").fit_transform(X)["pay"].round(2).tolist()
    [0.17, 0.25, 0.67, 0.75, 0.67]
    """

    handle_missing = "error"
    handle_unknown = "error"

    def __init__(
        self,
        *,
        sensitive: Any = (),
        explanatory: Any = (),
        drop: Any = (),
        ties: str = "average",
        bins: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.sensitive = sensitive
        self.explanatory = explanatory
        self.drop = drop
        self.ties = ties
        self.bins = bins
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None, *, sensitive_features: Any = None) -> Self:
        """Learn the distribution of every numeric column within every group."""
        check_choice("ties", self.ties, TIES)
        table = self._read_fit(X, sensitive_features, None, None, ())
        self._finite(table)
        self._groupings = [self._grouping(table, name) for name in self.roles_.columns("s")]
        if self.bins is not None and not any(f.role == "s" and f.levels is None for f in self.roles_.fields):
            raise ParameterError(f"bins={self.bins!r} has no effect: no sensitive column is a number.")
        try:
            check_random_state(self.random_state)
        except ValueError as trouble:
            raise ParameterError(f"random_state must be None, a whole number or a RandomState. {trouble}") from None
        self.ranked_ = tuple(
            f.name
            for f in self.roles_.fields
            if f.role == "x" and f.levels is None and len(np.unique(table.column(f.name).values)) > 2
        )
        groups = self._codes(table)
        self._sorted = {
            name: {int(g): np.sort(table.column(name).values[groups == g].astype(float)) for g in np.unique(groups)}
            for name in self.ranked_
        }
        return self

    def _finite(self, table: Table) -> None:
        if table.sparse is not None:
            raise KindError("X is a sparse matrix, and ranks are dense: pass X.toarray() if it fits in memory.")
        self.roles_.refuse_missing_numbers(table)

    def _grouping(self, table: Table, name: str) -> Groups | tuple[str, Array]:
        field = next(f for f in self.roles_.fields if f.name == name)
        if forms_groups(table, self.roles_, field):
            return Groups.of(table, self.roles_, name)
        if self.bins is None:
            raise ParameterError(
                f"Sensitive column {quoted(name)} is a number with more than two values, and ranks need groups. Say how many: bins=5, say."
            )
        if isinstance(self.bins, bool) or not isinstance(self.bins, (int, np.integer)) or self.bins < 2:
            raise ParameterError(f"bins must be a whole number from 2 up. Got {self.bins!r} instead.")
        values = np.asarray(table.column(name).values, dtype=float)
        return name, np.unique(np.quantile(values, np.linspace(0, 1, self.bins + 1)[1:-1]))

    def _codes(self, table: Table) -> Array:
        whole = np.zeros(table.n_rows, dtype=np.int64)
        for grouping in self._groupings:
            if isinstance(grouping, Groups):
                whole = whole * (grouping.n + 1) + grouping.codes(table, self.roles_)
            else:
                name, cuts = grouping
                whole = whole * (len(cuts) + 1) + np.searchsorted(cuts, table.column(name).values, side="left")
        return whole

    def transform(self, X: Any, *, sensitive_features: Any = None) -> Any:
        """Ranks of new rows by the training distribution of their group."""
        check_is_fitted(self, "_sorted")
        if self.ties == "ordinal":
            raise ParameterError(
                'ties="ordinal" ranks the rows at hand against each other, so it has only fit_transform; for new rows use ties="average".'
            )
        table = self._match(X, sensitive_features)
        groups = self._codes(table)
        return self._assemble(table, {name: self._rank(table, name, groups) for name in self.ranked_})

    def _match(self, X: Any, sensitive_features: Any) -> Table:
        table = self._read_new(X, sensitive_features, None, needs_s=True)
        self._finite(table)
        return table

    def _rank(self, table: Table, name: str, groups: Array) -> Array:
        values = np.asarray(table.column(name).values, dtype=float)
        out = np.empty(len(values))
        for g in np.unique(groups):
            known = self._sorted[name].get(int(g))
            if known is None:
                raise ParameterError(
                    f"{int((groups == g).sum())} rows belong to a combination of {listing(self.roles_.columns('s'))} that training "
                    "did not see and have no ranks. Drop them, or name fewer sensitive columns."
                )
            here = groups == g
            below = np.searchsorted(known, values[here], side="left")
            if self.ties == "average":
                below = (below + np.searchsorted(known, values[here], side="right")) / 2
            out[here] = below / len(known)
        return out

    def fit_transform(self, X: Any, y: Any = None, *, sensitive_features: Any = None) -> Any:
        """fit, and the ranks of the same rows; the only way for ties="ordinal"."""
        self.fit(X, y, sensitive_features=sensitive_features)
        if self.ties != "ordinal":
            return self.transform(X, sensitive_features=sensitive_features)
        return self._ordinal(X, sensitive_features=sensitive_features)

    def _ordinal(self, X: Any, *, sensitive_features: Any) -> Any:
        table = self._match(X, sensitive_features)
        groups, chance = self._codes(table), check_random_state(self.random_state)
        ranks = {}
        for name in self.ranked_:
            values, out = table.column(name).values, np.empty(table.n_rows)
            for g in np.unique(groups):
                here = np.flatnonzero(groups == g)
                order = np.lexsort([chance.random_sample(len(here)), values[here]])
                out[here[order]] = np.arange(len(here)) / len(here)
            ranks[name] = out
        return self._assemble(table, ranks)

    def _assemble(self, table: Table, ranks: dict[str, Array]) -> Any:
        columns = {}
        for name in self.get_feature_names_out():
            column = table.column(name)
            if name in ranks:
                columns[name] = ranks[name]
            elif column.levels is None:
                columns[name] = np.asarray(column.values)
            elif column.kind == "bool" and not column.missing().any():
                columns[name] = column.values.astype(bool)
            else:
                columns[name] = np.array([*column.levels, None], dtype=object)[column.values]
        wanted = getattr(self, "_output", None) or get_config()["transform_output"]
        if wanted == "polars":
            import polars

            return polars.DataFrame({name: values.tolist() for name, values in columns.items()})
        if wanted == "pandas":
            import pandas

            return pandas.DataFrame(columns, index=getattr(table.native, "index", None))
        kind = object if any(values.dtype == object for values in columns.values()) else float
        out = np.empty((table.n_rows, len(columns)), dtype=kind)
        for j, values in enumerate(columns.values()):
            out[:, j] = values
        return out

    def set_output(self, *, transform: str | None = None) -> Self:
        """The container that transform answers with: "default" (an array), "pandas" or "polars"; None changes nothing.

        scikit-learn's own way goes through one array, in which ranks beside text would become objects.
        """
        if transform is not None:
            check_choice("transform", transform, ("default", "pandas", "polars"))
            self._output = transform
        return self

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """The columns of X, without those left out."""
        check_is_fitted(self, "_sorted")
        beside = {name for names in self._beside_.values() for name in names}
        return np.array([f.name for f in self.roles_.fields if f.name not in beside], dtype=object)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_sorted")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = tags.input_tags.categorical = True
        return tags
