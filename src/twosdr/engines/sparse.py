"""A sparse table -> Moments: products of the sparse block as it is, never densified; the means are corrected afterwards."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from twosdr.moments import Cells, Moments
from twosdr.roles import Roles

if TYPE_CHECKING:
    from twosdr.engines.memory import Source

DENSE_SHARE = 0.5  # a sparse column with more stored entries than this is treated as the dense column it is


def moments(source: Source, sample: int) -> Moments:
    """Moments of a sparse table: products of the sparse block as it is, means corrected afterwards."""
    table, n = source.table, source.table.n_rows
    stored = dict(
        zip(
            table.sparse_names,
            np.bincount(table.sparse.indices, minlength=table.sparse.shape[1]),
            strict=True,
        )
    )
    # A column that is mostly stored, or that stage 1 regresses on, is dense: it can be centred before it is squared.
    thin = [f for f in source.roles.fields if f.role == "x" and stored.get(f.name, n) <= DENSE_SHARE * n]
    thick = Roles(tuple(f for f in source.roles.fields if f not in thin), handle_unknown=source.roles.handle_unknown)
    place = {name: j for j, name in enumerate(source.names)}
    thin_at = [place[f.name] for f in thin]
    thick_at = [place[name] for name in (*thick.names, *source.names[len(source.roles.names) :])]
    dense = np.column_stack([thick.encode(table, slice(0, n)), source.y])
    sparse = sp.csr_array(table.sparse[:, [table.names.index(f.name) for f in thin]], dtype=np.float64)
    w = np.ones(n) if source.weight is None else source.weight
    cell = np.zeros(n, dtype=int) if source.cell_of is None else source.cell_of(0, n).astype(int)
    shift = np.zeros(len(source.names))
    some = np.flatnonzero(w > 0)[:sample]
    shift[thick_at] = np.median(dense[some[: len(some) - 1 + len(some) % 2]], axis=0)
    shift = np.where(np.isfinite(shift), shift, 0.0)
    cells = Cells(source.names, source.blocks, source.n_cells, shift)
    at = np.array([*thin_at, *thick_at, len(source.names)])
    for k in range(source.n_cells):
        here = np.flatnonzero((cell == k) & (w > 0))
        root = np.sqrt(w[here])[:, None]
        thin_rows = sparse[here].multiply(root).tocsr()
        thick_rows = np.column_stack([dense[here] - shift[thick_at], np.ones(len(here))]) * root
        cross = thin_rows.T @ thick_rows
        sums = np.empty((len(at), len(at)))
        sums[np.ix_(at, at)] = np.block(
            [[(thin_rows.T @ thin_rows).toarray(), cross], [cross.T, thick_rows.T @ thick_rows]]
        )
        cells.merge_sums(k, shift, sums, len(here))
    return cells.freeze()
