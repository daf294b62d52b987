"""The paper, reproduced: every table and figure on real data, by the library's own public classes and metrics.

A table or figure is a short file; what the paper prints is in expected.toml. `reproduce` runs them, and `python -m twosdr.paper` is
it on the command line. Nothing here computes a coefficient or a metric: the classes and `twosdr.metrics` do.
"""
# SPDX-License-Identifier: MIT

from twosdr.paper.reproducing import reproduce as reproduce
from twosdr.paper.results import Cell as Cell
from twosdr.paper.results import Result as Result

__all__ = ["Cell", "Result", "reproduce"]
