"""One pass over the rows ends here; nothing below this file sees a row again.

Moments = (weight, mean, scatter) over named columns, for one cell of rows or for several (folds, groups).
`a + b` is the Moments of a's rows followed by b's, so an engine is anything that can cut a table into
chunks. Scatter stays centred and unnormalised: sums add up, averages do not. Means are kept relative to a
shift near the data, so a column with mean 1e9 and spread 1 keeps its digits.

Moments are personal data: the difference of two of them can be a single row.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

import hashlib
import io
import json
import os
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from twosdr.errors import MomentsError, NotReadable, listing, quoted
from twosdr.tables import Array

EPS = float(np.finfo(np.float64).eps)
FORMAT = "twosdr-moments-1"
LARGEST = 2**30  # bytes of scatter; a fit takes up to four times as much
# Removing rows subtracts nearly equal sums. Past this loss (a column keeps less than 1e-10 of its sum of
# squares about the mean) fewer than six digits would be left, and a refusal is more honest than a number.
LOST = 1e-10
# What Python's readers of zip files, arrays and JSON raise on bytes that are none.
DAMAGE = (
    *(zipfile.BadZipFile, zlib.error, struct.error, EOFError, NotImplementedError, RuntimeError, MemoryError),
    *(KeyError, ValueError, TypeError, AttributeError, IndexError),
)


@dataclass(frozen=True, eq=False)
class Moments:
    """Weight, mean and scatter of named columns in K cells; read-only.

    Attributes
    ----------
    names, blocks : the columns, and the role letter ("s", "x", "z" or "y") of each
    shift : (p,), near the data; `delta` is relative to it
    weight, count : (K,), summed weights, and rows with a weight above zero
    delta : (K, p), the mean of each cell minus the shift
    scatter : (K, p, p), sum of w (v - mean)(v - mean)' over the cell's rows
    """

    names: tuple[str, ...]
    blocks: tuple[str, ...]
    shift: Array
    weight: Array
    count: Array
    delta: Array
    scatter: Array

    def __post_init__(self) -> None:
        for array in (self.shift, self.weight, self.count, self.delta, self.scatter):
            array.flags.writeable = False

    @property
    def n_cells(self) -> int:
        """How many cells of rows are kept apart."""
        return len(self.weight)

    @property
    def mean(self) -> Array:
        """The means, shape (K, p); for columns far from zero the digits are in `delta`."""
        return np.asarray(self.shift + self.delta)

    def index(self, *letters: str) -> Array:
        """Positions of the columns in these blocks, in the order of the letters."""
        return np.array([j for letter in letters for j, b in enumerate(self.blocks) if b == letter], dtype=int)

    def cov(self, rows: str, columns: str) -> Array:
        """Covariance of two blocks over all rows, `cov("s", "x")` of shape (d_s, d_x)."""
        whole = self.total()
        return np.asarray(whole.scatter[0][np.ix_(self.index(rows), self.index(columns))] / whole.weight[0])

    def select(self, keep: Sequence[str] | Sequence[int] | Array) -> Moments:
        """The moments of some of the columns, by name or position, in the order asked for."""
        wanted = list(keep)
        missing = [name for name in wanted if isinstance(name, str) and name not in self.names]
        if missing:
            raise MomentsError(f"These moments have no column {listing(missing)}. They have {listing(self.names)}.")
        here = range(-len(self.names), len(self.names))
        outside = [k for k in wanted if not isinstance(k, str) and k not in here]
        if outside:
            raise MomentsError(f"There is no column {outside[0]}: these moments have {len(self.names)}, from 0.")
        place = [self.names.index(k) if isinstance(k, str) else int(k) % len(self.names) for k in wanted]
        if len(set(place)) < len(place):
            raise MomentsError(f"select names a column twice: {listing(self.names[j] for j in place)}.")
        return Moments(
            tuple(self.names[j] for j in place),
            tuple(self.blocks[j] for j in place),
            self.shift[place],
            self.weight.copy(),
            self.count.copy(),
            self.delta[:, place],
            self.scatter[:, place][:, :, place],
        )

    def cell(self, k: int) -> Moments:
        """One cell alone."""
        return self._with(self.weight[k : k + 1], self.count[k : k + 1], self.delta[k : k + 1], self.scatter[k : k + 1])

    def total(self) -> Moments:
        """All cells merged into one, in their order."""
        if self.n_cells == 1:
            return self
        sums = Cells(self.names, self.blocks, 1, self.shift)
        for k in range(self.n_cells):
            sums.merge(0, self.weight[k], self.count[k], self.delta[k], self.scatter[k])
        return sums.freeze()

    def scaled(self, factors: Iterable[float]) -> Moments:
        """Every row of cell k counted factors[k] times as much."""
        f = np.asarray(list(factors), dtype=float)
        return self._with(self.weight * f, self.count, self.delta, self.scatter * f[:, None, None])

    def __add__(self, other: Moments) -> Moments:
        if not isinstance(other, Moments):
            return NotImplemented
        self._comparable(other, "added")
        # The shift of no rows lies nowhere near the data.
        shift = self.shift if self.count.any() else other.shift
        sums = Cells(self.names, self.blocks, self.n_cells, shift)
        for part in (self, other):
            moved = part.delta + (part.shift - shift)
            for k in range(self.n_cells):
                sums.merge(k, part.weight[k], part.count[k], moved[k], part.scatter[k])
        return sums.freeze()

    def __sub__(self, other: Moments) -> Moments:
        """The moments of the rows that are left when other's rows are taken out, cell by cell."""
        if not isinstance(other, Moments):
            return NotImplemented
        self._comparable(other, "subtracted")
        weight = self.weight - other.weight
        count = self.count - other.count
        if (weight < -1e-9 * self.weight).any() or (count < 0).any():
            raise MomentsError(
                f"There is more weight to take out ({other.weight.sum():g} in {other.count.sum()} rows) than there is "
                f"({self.weight.sum():g} in {self.count.sum()} rows): these rows cannot all have been in."
            )
        rest = self._rest(other)
        self._plausible(other, rest)
        return rest

    def without(self, other: Moments) -> Moments:
        """`self - other` where other is known to be part of self, as a fold is.

        A column whose spread lay nearly all in `other` is left with rounding alone; it is constant in the rest.
        """
        rest = self._rest(other)
        scatter = rest.scatter.copy()
        for k in range(self.n_cells):
            gone = np.diag(scatter[k]) < LOST * np.diag(self.scatter[k])
            scatter[k][gone, :] = 0.0
            scatter[k][:, gone] = 0.0
        return self._with(rest.weight, rest.count, rest.delta, scatter)

    def _rest(self, other: Moments) -> Moments:
        """The merge of Cells.merge, undone."""
        moved = other.delta + (other.shift - self.shift)
        weight = self.weight - other.weight
        # Where the weight cancels to nothing no row is left that counts, whatever their number.
        count = np.where(weight > EPS * self.weight, self.count - other.count, 0)
        weight = np.where(count > 0, weight, 0.0)
        delta, scatter = np.zeros_like(self.delta), np.zeros_like(self.scatter)
        for k in np.flatnonzero(count > 0):
            delta[k] = (self.weight[k] * self.delta[k] - other.weight[k] * moved[k]) / weight[k]
            gap = moved[k] - delta[k]
            np.subtract(self.scatter[k], other.scatter[k], out=scatter[k])
            scatter[k] -= np.outer(gap * (other.weight[k] * weight[k] / self.weight[k]), gap)
        return self._with(weight, count, delta, scatter)

    def _plausible(self, other: Moments, rest: Moments) -> None:
        """Refuse a difference that no rows can have, or that subtraction has left without digits."""
        before, after = np.einsum("kjj->kj", self.scatter), np.einsum("kjj->kj", rest.scatter)
        some = (rest.count > 0)[:, None]
        # Where nothing would be left, what goes has to be what there is: as many rows of others are still others.
        spread = np.sqrt(before / np.maximum(self.weight, 1e-300)[:, None])
        moved = other.delta + (other.shift - self.shift)
        other_rows = abs(moved - self.delta) > 1e-6 * spread + 8 * EPS * abs(self.shift)
        other_rows |= abs(np.einsum("kjj->kj", other.scatter) - before) > 1e-6 * before
        other_rows &= ((rest.count == 0) & (self.count > 0) & (other.count > 0))[:, None]
        if other_rows.any():
            names = [self.names[j] for j in np.flatnonzero(other_rows.any(axis=0))]
            raise MomentsError(
                f"No row would be left, and yet {listing(names)} differ: these rows cannot all have been in."
            )
        impossible = (after < -1e-9 * before) & some
        if impossible.any():
            names = [self.names[j] for j in np.flatnonzero(impossible.any(axis=0))]
            raise MomentsError(
                f"The rest would have a negative variance in {listing(names)}: these rows cannot all have been in."
            )
        both = self._zero_one() & other._zero_one() & some
        # Of a column of zeros and ones the weight and mean say all, and they lose nothing.
        lost = (after < LOST * before) & (before > 0) & some & ~both
        if lost.any():
            names = [self.names[j] for j in np.flatnonzero(lost.any(axis=0))]
            raise MomentsError(
                f"Nearly all the spread of {listing(names)} lies in the rows to take out, and subtraction would leave "
                "no digits of the rest. Fit again on the rows that stay."
            )

    def _zero_one(self) -> Array:
        """Cells and columns whose variance is that of zeros and ones with their mean."""
        mean = self.mean
        gap = np.einsum("kjj->kj", self.scatter) - self.weight[:, None] * mean * (1.0 - mean)
        return np.asarray((np.abs(gap) <= 1e-9 * self.weight[:, None]) & (mean > -1e-9) & (mean < 1 + 1e-9))

    def _comparable(self, other: Moments, verb: str) -> None:
        if (self.names, self.blocks) != (other.names, other.blocks):
            here, there = set(self.names) - set(other.names), set(other.names) - set(self.names)
            said = (
                "the same columns in another order or role"
                if not here | there
                else (f"only here: {listing(sorted(here)) or 'none'}; only there: {listing(sorted(there)) or 'none'}")
            )
            raise MomentsError(
                f"Moments of different columns cannot be {verb}: {said}. Gather both with the same roles."
            )
        if self.n_cells != other.n_cells:
            raise MomentsError(
                f"Moments of {self.n_cells} and of {other.n_cells} cells cannot be {verb}. Call .total() on both first."
            )

    def _with(self, weight: Array, count: Array, delta: Array, scatter: Array) -> Moments:
        return Moments(self.names, self.blocks, self.shift, weight, count, delta, scatter)

    def __repr__(self) -> str:
        return f"Moments({len(self.names)} columns, {self.n_cells} cells, {int(self.count.sum())} rows, weight {self.weight.sum():g})"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a zip of plain arrays with a JSON header and a checksum; the file appears whole or not at all."""
        arrays = {name: np.asarray(getattr(self, name)) for name in _ARRAYS}
        header = {
            "format": FORMAT,
            "names": self.names,
            "blocks": self.blocks,
            "sha256": _digest(arrays, self.names, self.blocks),
        }
        target = Path(path)
        # The temporary file lies beside the target: a rename is atomic only within one file system.
        handle, temporary = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
        try:
            with os.fdopen(handle, "wb") as stream:
                text = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
                np.savez(stream, allow_pickle=False, header=text, **arrays)
            os.replace(temporary, target)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Moments:
        """Read what `save` wrote; nothing is unpickled, and a damaged file is an error."""
        raw = Path(path).read_bytes()
        try:
            stored = np.load(io.BytesIO(raw), allow_pickle=False)
            if isinstance(stored, np.ndarray):
                raise ValueError("one array")
            with stored:
                header = json.loads(stored["header"].tobytes().decode())
                arrays = {name: stored[name] for name in _ARRAYS}
            names, blocks, shapes = (
                tuple(header["names"]),
                tuple(header["blocks"]),
                [a.shape for a in arrays.values()],
            )
        except DAMAGE as trouble:
            raise NotReadable(f"{quoted(Path(path).name)} does not hold moments of twosdr ({trouble}).") from trouble
        p, cells = len(names), len(arrays["weight"]) if arrays["weight"].ndim else 0
        if header.get("format") != FORMAT:
            raise NotReadable(
                f"{quoted(Path(path).name)} has format {header.get('format')!r}; this version reads {FORMAT!r}."
            )
        if shapes != [(p,), (cells,), (cells,), (cells, p), (cells, p, p)] or len(blocks) != p:
            raise NotReadable(f"{quoted(Path(path).name)} is damaged: its arrays do not fit each other.")
        if header.get("sha256") != _digest(arrays, names, blocks):
            raise NotReadable(f"{quoted(Path(path).name)} is damaged: its checksum does not fit its content.")
        return cls(names, blocks, **arrays)


_ARRAYS = ("shift", "weight", "count", "delta", "scatter")


def _digest(arrays: dict[str, Array], names: Sequence[str], blocks: Sequence[str]) -> str:
    whole = hashlib.sha256(json.dumps([list(names), list(blocks)]).encode())
    for name in _ARRAYS:
        whole.update(np.ascontiguousarray(arrays[name]).tobytes())
    return whole.hexdigest()


class Cells:
    """The one mutable thing in this file: sums being gathered, cell by cell, until `freeze`."""

    def __init__(self, names: tuple[str, ...], blocks: tuple[str, ...], n_cells: int, shift: Array) -> None:
        p = len(names)
        if n_cells * p**2 * 8 > LARGEST:
            raise MomentsError(
                f"{p} encoded columns in {n_cells} cells need {n_cells} x {p}^2 x 8 bytes = {n_cells * p**2 * 8 / 2**30:.1f} GiB, several "
                f"times over while they are worked with; the guard is {LARGEST / 2**30:g} GiB. Use fewer folds (or one alpha), group "
                "levels, leave columns out, or raise twosdr.moments.LARGEST."
            )
        self.names, self.blocks, self.shift = names, blocks, np.array(shift, dtype=float)
        self.weight, self.count = np.zeros(n_cells), np.zeros(n_cells, dtype=np.int64)
        self.delta, self.scatter = np.zeros((n_cells, p)), np.zeros((n_cells, p, p))

    def merge(self, k: int, weight: float, count: int, delta: Array, scatter: Array) -> None:
        """Add rows to cell k: their weight, count, mean relative to the shift, and scatter."""
        if count == 0:
            return
        if self.count[k] == 0:
            self.weight[k], self.count[k], self.delta[k] = weight, count, delta
            self.scatter[k] += scatter
            return
        both = self.weight[k] + weight
        gap = delta - self.delta[k]
        # Move both scatters to the common mean; the cross term is what a plain sum forgets.
        self.scatter[k] += scatter
        self.scatter[k] += np.outer(gap * (self.weight[k] * weight / both), gap)
        self.delta[k] += gap * (weight / both)
        self.weight[k], self.count[k] = both, self.count[k] + count

    def merge_sums(self, k: int, centre: Array, sums: Array, count: int) -> None:
        """Add rows to cell k, given the sums of w d d' over d = (row - centre, 1), shape (p + 1, p + 1)."""
        if count == 0:
            return
        weight = float(sums[-1, -1])
        mean = sums[-1, :-1] / weight
        scatter = sums[:-1, :-1] - np.outer(sums[-1, :-1], mean)
        # centre and shift lie near the same data, so their difference is exact (Sterbenz).
        self.merge(k, weight, count, (centre - self.shift) + mean, scatter)

    def freeze(self) -> Moments:
        """The sums as a value; this object is not used afterwards."""
        return Moments(self.names, self.blocks, self.shift, self.weight, self.count, self.delta, self.scatter)
