"""Tasks to processes, answers to entries; each entry is finished, and handed on, as soon as its last answer is in.

Every process computes with one BLAS thread: the matrices are small, and answers must not depend on how many there are.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from typing import Any

from threadpoolctl import threadpool_limits

from twosdr.errors import DataNotFound
from twosdr.paper.entries import Entry
from twosdr.paper.protocols import dataset
from twosdr.paper.results import Absent, Result

Said = Callable[[int, int, str], None]  # tasks done, tasks in all, what is waited for


def results(
    entries: Sequence[Entry], *, seed: int, quick: bool, jobs: int, say: Said = lambda done, of, what: None
) -> Iterator[Result]:
    """The results of these entries, in their order, each as soon as it and those before it are done."""
    dataset.cache_clear()  # data may have come since the last run
    wanted = {entry.id: entry.tasks(seed, quick) for entry in entries}
    order = list(dict.fromkeys(task for tasks in wanted.values() for task in tasks))  # equal tasks are done once
    absent = _absent({task.data for task in order} - {""})
    answers: dict[Any, Any] = {task: absent[task.data] for task in order if task.data in absent}
    left = [task for task in order if task not in answers]
    stream = _done_here(left) if jobs == 1 else _done_by(left, jobs)
    try:
        for entry in entries:
            say(len(answers), len(order), entry.id)
            while any(task not in answers for task in wanted[entry.id]):
                task, answer = next(stream)
                answers[task] = answer
                say(len(answers), len(order), entry.id)
            yield entry.finish(answers, seed, quick)
    finally:
        stream.close()


def _absent(names: Iterable[str]) -> dict[str, Absent]:
    found = {}
    for name in sorted(names):
        try:
            dataset(name)
        except DataNotFound as error:
            found[name] = Absent(str(error))
    return found


def _done_here(tasks: Sequence[Any]) -> Generator[tuple[Any, Any], None, None]:
    for task in tasks:
        with threadpool_limits(1):
            answer = task.run()
        yield task, answer


def _done_by(tasks: Sequence[Any], jobs: int) -> Generator[tuple[Any, Any], None, None]:
    # Spawned, not forked: a fork beside threads of BLAS can hang.
    others = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn"), initializer=_start)
    waiting: dict[Future[Any], Any] = {}
    ahead = iter(tasks)
    try:
        while True:
            for task in ahead:
                waiting[pool.submit(_run, task)] = task
                if len(waiting) >= 2 * jobs:  # no more ahead than keeps everybody busy
                    break
            if not waiting:
                return
            done, _ = wait(waiting, return_when=FIRST_COMPLETED)
            for future in done:
                yield waiting.pop(future), future.result()
    finally:
        if waiting:  # given up: nobody waits for what the processes are at
            for process in set(multiprocessing.active_children()) - others:
                process.terminate()
        pool.shutdown(wait=True, cancel_futures=True)


def _start() -> None:
    # Ctrl-C reaches every process of the terminal; the parent alone decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threadpool_limits(1)


def _run(task: Any) -> Any:
    return task.run()
