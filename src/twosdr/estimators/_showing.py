"""What a fitted model shows of itself: which columns carry s, its frontier as a picture, and an HTML view for notebooks."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from twosdr import tables
from twosdr.engines import memory
from twosdr.errors import ParameterError
from twosdr.roles import check_rows

if TYPE_CHECKING:
    from twosdr.carriers import Carriers


def _baseline(model: Any) -> Any:
    """baseline_, also where it cannot decide: a quantile needs rows, and coefficients do not."""
    from twosdr.estimators._growing import Growing

    quantile = isinstance(getattr(model, "threshold", None), dict) and "quantile" in model.threshold
    return Growing._without_roles(model) if quantile else model.baseline_


class Showing:
    """carriers, plot_frontier and the HTML view, for both closed forms."""

    def carriers(
        self,
        X: Any = None,
        sample_weight: Any = None,
        *,
        sensitive_features: Any = None,
        explanatory_features: Any = None,
    ) -> Carriers:
        """Which columns carry s: what s explains of each, and what each adds to the gap, in the baseline and here.

        On the training moments by default, or on the rows of X.
        """
        me: Any = self
        me._refuse_loaded("what the columns carry is not known")
        check_is_fitted(me, "moments_")
        if me.model_.coef.shape[1] != 1:
            raise ParameterError("carriers are of one score; this model has several. Fit one target or two classes.")
        if not me.roles_.columns("s"):
            raise ParameterError("carriers say what sensitive columns explain, and there are none.")
        p = len(me.roles_.names)
        if X is None:
            whole = me.moments_.total()
            m, said = whole.select(np.arange(p)), "the training rows"
        else:
            weight = tables.weights(sample_weight, tables.read(X).n_rows)
            table = me._read_new(
                X, sensitive_features, explanatory_features, needs_s=True, target=me._target_names, growing=True
            )
            check_rows(table)
            m, said = memory.moments(me._gather(table, None, weight)), "given rows"
        from twosdr.carriers import carriers

        return carriers(
            m,
            me.roles_.spans(),
            before=_baseline(me).model_.coef[:, 0],
            after=me.model_.coef[:, 0],
            B=me.B_,
            effect_u=np.ravel(me.beta_u_),
            effect_z=np.ravel(me.beta_z_),
            dropped=tuple(me.dropped_),
            rows_of=said,
        )

    def plot_frontier(self, X: Any = None, y: Any = None, sample_weight: Any = None, **settings: Any) -> Any:
        """A matplotlib figure of `frontier(X, y)`: what every level of removal leaves of the distance, and what it costs."""
        from twosdr import report  # a fit does not wait for pictures

        me: Any = self
        return report.plot_frontier(me.frontier(X, y, sample_weight, **settings))

    @property
    def _repr_html_(self) -> Any:
        me: Any = self
        if getattr(me, "model_", None) is None:
            return super()._repr_html_  # type: ignore[misc]  # scikit-learn's, where nothing is fitted yet
        return self._as_html

    def _repr_mimebundle_(self, **asked: Any) -> dict[str, Any]:
        # What a notebook asks for first; scikit-learn's own would hide the view of a fitted model behind its diagram.
        if getattr(self, "model_", None) is None:
            return super()._repr_mimebundle_(**asked)  # type: ignore[misc, no-any-return]
        return {"text/plain": repr(self), "text/html": self._as_html()}

    def _as_html(self) -> str:
        from twosdr import report

        return report.of_model(self._portable())  # type: ignore[attr-defined]
