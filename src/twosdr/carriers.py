"""Which columns carry s into the predictions, and how much of it is left after stage 1: sums over moments, no rows.

What s explains of a score is E_lin[ŷ | s], a sum over the columns of the table. A column's part is its share in that sum, measured
against the whole of the baseline's: the parts of the baseline add up to 1, those of 2SDR to what is left.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from twosdr.moments import Moments
from twosdr.roles import Field
from twosdr.tables import Array

CUT = 1e-10  # of an eigenvalue of the correlations of s, below which a direction of s is none


@dataclass(frozen=True)
class Carrier:
    """One column of the table.

    `told` is the share of its variance that s explains, as it came and as the model uses it (the residual u for an ordinary column);
    `part` is what it adds to what s explains of the score, in shares of the baseline's, before and after.
    """

    column: str
    role: str
    told_before: float
    told_after: float
    part_before: float
    part_after: float


@dataclass(frozen=True)
class Carriers:
    """All columns, those that carry most first; `rows_of` says on which rows, `n` how many."""

    columns: tuple[Carrier, ...]
    rows_of: str
    n: int

    def __repr__(self) -> str:
        head = f"What s explains, by column ({self.rows_of}, {self.n:,} rows)"
        lines = [
            f"{'':24}{'told by s':>18}{'part of the gap':>22}",
            f"{'column':24}{'before':>9}{'after':>9}{'before':>12}{'after':>10}",
        ]
        for c in self.columns:
            name = c.column if len(c.column) <= 22 else c.column[:21] + "…"
            lines.append(
                f"{name:24}{c.told_before:>9.3f}{c.told_after:>9.3f}{c.part_before:>12.3f}{c.part_after:>10.3f}"
            )
        return "\n".join([head, *lines])


def carriers(
    m: Moments,
    spans: Sequence[tuple[Field, slice]],
    *,
    before: Array,
    after: Array,
    B: Array,
    effect_u: Array,
    effect_z: Array,
    dropped: Collection[str] = (),
    rows_of: str,
) -> Carriers:
    """Parts of every field, from moments of one cell over the encoded table.

    `before` and `after` are the coefficients of two models by encoded column, (p,); B is stage 1, shape (d_s + d_z, d_x), in the order of
    the moments; `effect_u` and `effect_z` the effects of u and z in the second model, `dropped` the encoded columns that are not in it.
    """
    S = m.scatter[0] / m.weight[0]
    s, z, x = m.index("s"), m.index("z"), m.index("x")
    p = len(before)
    inverse = _inverse(S[np.ix_(s, s)])
    turn = np.eye(p)
    turn[np.ix_(m.index("s", "z"), x)] = -B
    crossed, own = S[np.ix_(s, np.arange(p))], np.diag(S)[:p]
    left = crossed @ turn  # Cov(s, u) in the columns of x
    left_own = np.einsum("ij,ik,kj->j", turn, S[:p, :p], turn)
    effect = np.zeros(p)
    effect[x], effect[z] = effect_u, effect_z
    whole = crossed @ before
    size = float(whole @ inverse @ whole)

    def part(g: Array) -> float:
        return float(g @ inverse @ whole) / size if size > 0 else 0.0

    found = []
    for field, span in spans:
        j = np.arange(span.start, span.stop)
        is_x = field.role == "x"
        used = np.array([k for k in j if m.names[k] not in dropped], dtype=int) if is_x else j
        then = (left if is_x else crossed)[:, j]
        found.append(
            Carrier(
                field.name,
                field.role,
                _told(crossed[:, j], own[j], inverse),
                _told(
                    (left if is_x else crossed)[:, used], (left_own if is_x else own)[used], inverse, floor=own[used]
                ),
                part(crossed[:, j] @ before[j]),
                part(then @ effect[j]) if field.role != "s" else 0.0,
            )
        )
    rest = part(crossed @ after) - sum(c.part_after for c in found)
    direct = [k for k, c in enumerate(found) if c.role == "s"]
    for k in direct:  # what is not due to u and z is due to s; of several s it is shared alike
        c = found[k]
        found[k] = Carrier(c.column, c.role, c.told_before, c.told_after, c.part_before, rest / len(direct))
    found.sort(key=lambda c: (-abs(c.part_before), c.column))
    return Carriers(tuple(found), rows_of, int(m.count.sum()))


def _inverse(S: Array) -> Array:
    """The pseudo-inverse of a covariance, its cut free of scale."""
    unit = np.sqrt(np.where(np.diag(S) > 0, np.diag(S), 1.0))
    return np.asarray(np.linalg.pinv(S / np.outer(unit, unit), rcond=CUT, hermitian=True) / np.outer(unit, unit))


def _told(crossed: Array, own: Array, inverse: Array, floor: Array | None = None) -> float:
    """The share of a field's variance that s explains; of a column that is s itself nothing is left, and that is 0."""
    most = float(own.sum())
    if most <= 1e-12 * float((own if floor is None else floor).sum()) or most <= 0:
        return 0.0
    return float(np.clip(np.einsum("sj,st,tj->", crossed, inverse, crossed) / most, 0.0, 1.0))
