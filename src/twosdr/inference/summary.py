"""Summary: coefficients with standard errors and intervals as a value; or the reason why there are none."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
from scipy import stats

from twosdr.errors import ParameterError, listing
from twosdr.tables import Array

COLLINEAR = (
    0.05  # the smallest canonical correlation below which the sandwich no longer covers (.73 at .004, nominal .95)
)


def check_confidence(confidence: Any) -> float:
    """A share between 0 and 1."""
    if not isinstance(confidence, (float, np.floating)) or not 0.0 < confidence < 1.0:
        raise ParameterError(f"confidence must be a number between 0 and 1, such as .95. Got {confidence!r} instead.")
    return float(confidence)


@dataclass(frozen=True, eq=False)
class Summary:
    """Coefficients by encoded column, with standard errors and intervals; or with the reason why there are none.

    Attributes
    ----------
    names, estimate : the encoded columns, "(intercept)" last, and their coefficients
    se, low, high : standard errors and intervals; None where `why` says what is missing
    covariance : of the estimates, or None
    n, df : rows that counted, and the degrees of freedom of the intervals
    method, confidence, why : how the errors were made, for what confidence, and the reason where there are none
    """

    names: tuple[str, ...]
    estimate: Array
    covariance: Array | None
    n: int
    df: int
    method: str
    confidence: float = 0.95
    why: str = ""

    @property
    def se(self) -> Array | None:
        """Standard errors."""
        return None if self.covariance is None else np.sqrt(np.maximum(np.diag(self.covariance), 0.0))

    @property
    def low(self) -> Array | None:
        """Lower ends of the intervals."""
        return None if self.se is None else self.estimate - self._factor() * self.se

    @property
    def high(self) -> Array | None:
        """Upper ends of the intervals."""
        return None if self.se is None else self.estimate + self._factor() * self.se

    def _factor(self) -> float:
        return float(stats.t.ppf(0.5 + self.confidence / 2, self.df))

    def rows(self) -> list[dict[str, Any]]:
        """A dict for each coefficient: what `pandas.DataFrame(...)` or `polars.DataFrame(...)` takes."""
        parts = {"estimate": self.estimate, "se": self.se, "low": self.low, "high": self.high}
        # A coefficient that is zero by construction has no error.
        known = np.ones(len(self.names)) if self.se is None else self.se > 0
        return [
            {"name": name}
            | {k: None if v is None or (k != "estimate" and not known[j]) else float(v[j]) for k, v in parts.items()}
            for j, name in enumerate(self.names)
        ]

    def to_pandas(self) -> Any:
        """The rows as a pandas data frame."""
        import pandas as pd

        return pd.DataFrame(self.rows()).set_index("name")

    def _head(self) -> str:
        said = f"{self.n} rows; {self.method}"
        return said + (f"; no standard errors: {self.why}" if self.why else f"; intervals at {self.confidence:g}")

    def _cells(self) -> list[list[str]]:
        return [
            [row["name"], *("" if row[k] is None else f"{row[k]:.5g}" for k in ("estimate", "se", "low", "high"))]
            for row in self.rows()
        ]

    def __repr__(self) -> str:
        table = [["", "estimate", "se", "low", "high"], *self._cells()]
        wide = [max(len(row[j]) for row in table) for j in range(5)]
        lines = [
            f"{row[0]:<{wide[0]}}  " + "  ".join(f"{cell:>{w}}" for cell, w in zip(row[1:], wide[1:], strict=True))
            for row in table
        ]
        return "\n".join([self._head(), *lines])

    def _repr_html_(self) -> str:
        body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in self._cells())
        top = "".join(f"<th>{name}</th>" for name in ("", "estimate", "se", "low", "high"))
        return f"<table><caption>{escape(self._head())}</caption><tr>{top}</tr>{body}</table>"


def collinear(rho: Array, names: tuple[str, ...]) -> str:
    """Why there are no standard errors where the constraint's columns are hardly told by the features; "" where they are."""
    if not len(rho) or rho.min() >= COLLINEAR:
        return ""
    return (
        f"the smallest canonical correlation of the features with the constraint's columns (of {listing(names)}) is {rho.min():.2g}, "
        f"below {COLLINEAR}, and there intervals do not cover what they claim"
    )
