"""Anything that turns rows into Moments lives here, one file an engine.

An engine is a module with one function: run(source, task) brings a task to every piece of the source's rows and adds the
values in their order. With the task `Gather(plan)`, the plan being roles, target, weights and folds, the sum is the Moments of
all rows. `memory` is the one that all others have to equal; it works on a table at hand and is called directly.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from importlib import import_module
from typing import Any

from twosdr.engines.databases import Query
from twosdr.engines.plan import Plan
from twosdr.engines.sources import Rows, is_source, open_source
from twosdr.engines.tasks import Gather
from twosdr.moments import Moments

# A new engine: its module's name here, and a line in `sources.open_source` that says whose rows it reads.
ENGINES = ("embedded", "dask", "spark")


def run(source: Rows, task: Any, **how: Any) -> tuple[Any, int]:
    """The task's values over all rows, added up by the source's engine, and the number of rows."""
    value, n_rows = import_module(f"twosdr.engines.{source.engine}").run(source, task, **how)
    return value, n_rows


def moments(source: Any, plan: Plan, **how: Any) -> Moments | None:
    """The Moments of a source under a plan; None where it has no row."""
    found: Moments | None = run(open_source(source), Gather(plan), **how)[0]
    return found


__all__ = ["ENGINES", "Query", "Rows", "is_source", "moments", "open_source", "run"]
