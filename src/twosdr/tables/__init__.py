"""Any table becomes named columns here; nothing below this room knows pandas from polars.

columns.py reads one column, reading.py a whole table, targets.py what stands beside it: y and the weights. A column
is numbers (missing values are NaN) or codes into levels (missing is -1). Numeric columns are views of the visitor's
memory wherever their dtype allows; nothing is written to.
"""
# SPDX-License-Identifier: MIT

from twosdr.tables.columns import Array, Column, of_values
from twosdr.tables.reading import Table, read
from twosdr.tables.targets import Target, labels, target, weights

__all__ = ["Array", "Column", "Table", "Target", "labels", "of_values", "read", "target", "weights"]
