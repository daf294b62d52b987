"""The fitted model as a value: an affine map with all that is needed to apply it, and files of it that a person can read.

No rows, no moments and no estimators: what is here is what travels.
"""
# SPDX-License-Identifier: MIT

from twosdr.model.affine import FAR, Affine
from twosdr.model.files import read, write
from twosdr.model.value import Facts, Model

__all__ = ["FAR", "Affine", "Facts", "Model", "read", "write"]
