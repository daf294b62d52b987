"""Who is s, x and z, which levels a category has, and how a table becomes blocks of numbers.

selecting.py finds the columns that a visitor names, resolving.py decides every role in fit, and fitted.py holds what
was decided: the same columns by name, the same kinds of values, the same levels. Nothing here knows y.
"""
# SPDX-License-Identifier: MIT

from twosdr.roles.fields import Field
from twosdr.roles.fitted import Roles
from twosdr.roles.resolving import HANDLE_MISSING, HANDLE_UNKNOWN, check_rows, resolve
from twosdr.roles.selecting import select

__all__ = ["HANDLE_MISSING", "HANDLE_UNKNOWN", "Field", "Roles", "check_rows", "resolve", "select"]
