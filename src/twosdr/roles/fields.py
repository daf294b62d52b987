"""One column of a table with its role; of a category, the levels that training saw."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from twosdr.errors import KindError, quoted
from twosdr.tables import Array, Column


@dataclass(frozen=True)
class Field:
    """One column of the table: its role, its kind of values and, for a category, its levels.

    `gaps` says that training saw missing values and that they are kept apart (handle_missing="category").
    """

    name: str
    role: str
    kind: str
    levels: tuple[Any, ...] | None = None
    gaps: bool = False

    @property
    def encoded(self) -> tuple[str, ...]:
        """Names of the encoded columns: the number itself, or one for each level."""
        head = (self.name,) if self.levels is None else tuple(f"{self.name}={level}" for level in self.levels)
        return (*head, f"{self.name} is missing") if self.gaps else head

    def translate(self, column: Column, absent: tuple[str, ...] = ()) -> Array:
        """From the column's codes to this field's: -1 for an unknown level, and last, at index -1, for a missing one.

        `absent` names encoded levels that count as unknown.
        """
        assert self.levels is not None
        if column.levels is None:  # plain numbers where training had categories of numbers
            raise KindError(
                f"Column {quoted(self.name)} was a category in training and holds plain numbers now. Make it one again."
            )
        # A boolean has both its values by nature, whatever training saw of them.
        known = self.kind == "bool" or not absent
        place = {v: j for j, v in enumerate(self.levels) if known or self.encoded[j] not in absent}
        return np.array([*(place.get(level, -1) for level in column.levels), -1], dtype=int)
