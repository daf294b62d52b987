"""Exit codes, as docs/cli.md lists them."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

FINE = 0
BELOW = 1  # --fail-under: the ratio is below it at the confidence asked for; with --strict also: not shown to be above
USAGE = 2  # the command line: an option, a value, a column that the table does not have
DATA = 3  # the data: a file that is missing, unreadable or unwritable, rows that cannot be used
BUG = 70  # ours
INTERRUPTED = 130
TERMINATED = 143
