"""The fitted model as a value: an affine map with all that is needed to apply it, and files of it that a person can read.

No rows, no moments and no estimators: what is here is what travels. Fitting needs the map alone; the rest is looked up on
first use (PEP 562).
"""
# SPDX-License-Identifier: MIT

from importlib import import_module
from typing import TYPE_CHECKING

from twosdr.model.affine import FAR, Affine

if TYPE_CHECKING:
    from twosdr.model.files import read, write
    from twosdr.model.value import Facts, Model

__all__ = ["FAR", "Affine", "Facts", "Model", "read", "write"]

_HOME = {"Facts": "value", "Model": "value", "read": "files", "write": "files"}


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'twosdr.model' has no attribute {name!r}; it has {', '.join(__all__)}")
    found: object = getattr(import_module(f"twosdr.model.{_HOME[name]}"), name)
    globals()[name] = found
    return found
