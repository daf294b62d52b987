"""A value in a document with the way to it, so that every refusal says where: `columns[3].terms[0].mean`.

Checks of form live here; which keys there are is for schema.py.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from twosdr.errors import did_you_mean, listing
from twosdr.model.text import whole_text
from twosdr.tables import Array


@dataclass(frozen=True)
class Node:
    """One value; each method returns it as what it has to be, or raises ValueError."""

    value: Any
    path: str

    def fail(self, said: str) -> NoReturn:
        """Raise with the place in front."""
        raise ValueError(f"{self.path[:200]} {said}")

    def keys(self, required: Iterable[str], optional: Iterable[str] = ()) -> dict[str, Node]:
        """The values of an object that has all the required keys and no other than the optional ones."""
        if not isinstance(self.value, dict):
            self.fail(f"must be an object, and is {_kind(self.value)}")
        required = tuple(required)
        known = {*required, *optional}
        missing = [name for name in required if name not in self.value]
        strange = [name for name in self.value if name not in known]
        if missing:
            self.fail(f"lacks {listing(missing)}")
        if strange:
            self.fail(f"has {listing(strange)}, which is not in the schema.{did_you_mean(strange[0], known)}")
        return {name: Node(v, f"{self.path}.{name}".lstrip(".")) for name, v in self.value.items()}

    def items(self, least: int = 0, most: int | None = None) -> list[Node]:
        """The parts of a list of allowed length."""
        if not isinstance(self.value, list):
            self.fail(f"must be a list, and is {_kind(self.value)}")
        n = len(self.value)
        if n < least or (most is not None and n > most):
            span = f"{least}" if most == least else f"{least} or more" if most is None else f"{least} to {most}"
            self.fail(f"must have {span} entries, and has {n}")
        return [Node(v, f"{self.path}[{j}]") for j, v in enumerate(self.value)]

    def text(self, choices: Iterable[str] | None = None) -> str:
        """A string, of the choices where there are any."""
        if not isinstance(self.value, str) or not whole_text(self.value):
            self.fail(f"must be text, and is {_kind(self.value)}")
        if choices is not None and self.value not in set(choices):
            self.fail(f"must be one of {listing(choices)}, and is {self.value[:60]!r}")
        return self.value

    def texts(self) -> tuple[str, ...]:
        """A list of strings, each once."""
        found = tuple(part.text() for part in self.items())
        if len(set(found)) < len(found):
            self.fail("names something twice")
        return found

    def number(self, low: float = -math.inf, high: float = math.inf) -> float:
        """A number in a range."""
        if isinstance(self.value, bool) or not isinstance(self.value, (int, float)):
            self.fail(f"must be a number, and is {_kind(self.value)}")
        value = float(self.value)
        if not low <= value <= high:
            self.fail(f"must lie between {low:g} and {high:g}, and is {value:g}")
        return value

    def numbers(self, count: int) -> list[float]:
        """So many numbers."""
        return [part.number() for part in self.items(count, count)]

    def whole(self, low: int = 0, high: int = 2**63 - 1) -> int:
        """An integer in a range."""
        if isinstance(self.value, bool) or not isinstance(self.value, int):
            self.fail(f"must be a whole number, and is {_kind(self.value)}")
        if not low <= self.value <= high:
            self.fail(f"must lie between {low} and {high}, and is {self.value}")
        return self.value

    def flag(self) -> bool:
        """true or false."""
        if not isinstance(self.value, bool):
            self.fail(f"must be true or false, and is {_kind(self.value)}")
        return self.value

    def scalar(self) -> Any:
        """A level or class: text, a number, true or false, with its type; {"number": "inf"} for an infinite one."""
        if isinstance(self.value, dict):
            return float(self.keys(["number"])["number"].text(["inf", "-inf"]))
        if isinstance(self.value, (bool, int)):
            if abs(self.value) >= 2**64:
                self.fail("is a whole number beyond 64 bits")
            return self.value
        return self.value if isinstance(self.value, float) else self.text()

    def scalars(self) -> list[Any]:
        """A list of levels or classes, each once."""
        found = [part.scalar() for part in self.items()]
        if len(set(found)) < len(found):
            self.fail("holds something twice")
        return found


def _kind(value: Any) -> str:
    names = {type(None): "null", bool: "true or false", int: "a whole number", float: "a number", list: "a list"}
    return "an object" if isinstance(value, dict) else names.get(type(value), "text")


def of_scalar(value: Any) -> Any:
    """What `Node.scalar` reads: a Python value for one of NumPy's, an object for infinity."""
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, float) and not math.isfinite(value):
        return {"number": str(value)}
    if isinstance(value, (str, bool, int, float)):
        return value
    raise TypeError(f"{value!r:.60} ({type(value).__name__}) is neither text, a number nor a boolean")


LABELS = (
    *("bool", "text", "object", "float32", "float64"),
    *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)),
)


def of_labels(classes: Array) -> dict[str, Any]:
    """Class labels with their dtype, so that predictions come back as what y was."""
    dtype = "text" if classes.dtype.kind == "U" else str(classes.dtype)
    if dtype not in LABELS:
        raise TypeError(f"classes of dtype {dtype} have no form in JSON")
    return {"dtype": dtype, "values": [of_scalar(v) for v in classes.tolist()]}


def labels(node: Node) -> Array:
    """What `of_labels` wrote."""
    found = node.keys(["dtype", "values"])
    dtype, values = found["dtype"].text(LABELS), found["values"].scalars()
    wanted = {"b": bool, "i": int, "u": int, "f": float, "U": str, "O": object}
    kind = np.dtype({"text": "U", "object": "O"}.get(dtype, dtype))
    if len(values) < 2 or not all(type(v) is wanted[kind.kind] or kind.kind == "O" for v in values):
        found["values"].fail(f"must be two or more values of dtype {dtype}")
    try:
        array = np.array(values, dtype=kind)
    except OverflowError:
        found["values"].fail(f"does not fit into dtype {dtype}")
    if array.tolist() != values or len(set(array.tolist())) < len(values):
        found["values"].fail(f"does not fit into dtype {dtype}")
    return array
