"""Our own worker threads: results in order, and a BLAS that keeps to one thread while they run."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import Any, TypeVar, cast

import numpy as np
from threadpoolctl import ThreadpoolController

Task = TypeVar("Task")
Done = TypeVar("Done")


class _OneThread:
    """BLAS on one thread for as long as anybody is inside: the limit is the whole process's, and passes may overlap."""

    def __init__(self) -> None:
        self.lock, self.inside, self.limit = Lock(), 0, cast(Any, None)

    def __enter__(self) -> None:
        with self.lock:
            self.inside += 1
            if self.inside == 1:
                self.limit = _blas().limit(limits=1, user_api="blas")

    def __exit__(self, *_: object) -> None:
        with self.lock:
            self.inside -= 1
            if not self.inside and self.limit is not None:
                self.limit.restore_original_limits()


_one_thread = _OneThread()


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """What every pass runs in. What is not finite shows in the sums, and is named by whoever asked: NumPy keeps quiet."""
    with _one_thread, np.errstate(all="ignore"):
        yield


@cache
def _blas() -> ThreadpoolController:
    # BLAS threads would compete with ours, and would make the bytes depend on their number. Finding the libraries takes
    # milliseconds, so it is done once.
    return ThreadpoolController()


def in_order(work: Callable[[Task], Done], tasks: Iterable[Task], n_jobs: int) -> Iterator[Done]:
    """Results in task order; one more task than there are workers is under way, so that none waits for the next to be read."""
    if n_jobs <= 1 or (isinstance(tasks, Sequence) and len(tasks) <= 1):
        yield from map(work, tasks)
        return
    with ThreadPoolExecutor(n_jobs) as pool:
        waiting: deque[Future[Done]] = deque()
        for task in tasks:
            waiting.append(pool.submit(work, task))
            if len(waiting) > n_jobs:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
