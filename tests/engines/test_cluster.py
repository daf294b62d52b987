"""Dask on a cluster of processes, one of which is killed in the middle."""

import os
import signal
import time
import warnings

import numpy as np
import pandas as pd
import pytest

from tests.engines.samples import CHUNKINGS, people, regressor, same_fit

pytest.importorskip("distributed", reason="dask and distributed (the extra `dask`) are not installed")


@pytest.fixture
def cluster():
    import dask
    from distributed import Client, LocalCluster

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        quiet = {"distributed.admin.tick.limit": "1h", "logging.distributed": "critical"}
        with (
            dask.config.set(quiet),
            LocalCluster(
                n_workers=2, threads_per_worker=1, dashboard_address=None, host="127.0.0.1", silence_logs=50
            ) as found,
            Client(found),
        ):
            yield found


def slow(part, folder):
    """A partition that says when it is read, and takes its time."""
    with open(os.path.join(folder, f"{os.getpid()}.read"), "a") as said:
        said.write("x")
    time.sleep(0.05)
    return part


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_worker_killed_in_the_middle_changes_nothing(cluster, tmp_path):
    import threading

    import dask

    parts = CHUNKINGS["sevenths"](people()) * 6
    sources = [dask.delayed(slow)(part, str(tmp_path)) for part in parts]
    victim = (
        cluster.workers[0].process.process.pid
        if hasattr(cluster.workers[0].process, "process")
        else cluster.workers[0].pid
    )
    killed = []

    def kill():
        for _ in range(2000):
            mark = tmp_path / f"{victim}.read"
            if mark.exists() and len(mark.read_text()) > 3:
                os.kill(victim, signal.SIGKILL)
                killed.append(len(mark.read_text()))
                return
            time.sleep(0.005)

    hunter = threading.Thread(target=kill)
    hunter.start()
    found = regressor().fit(sources, "pay", "weight")
    hunter.join()
    assert killed
    whole = regressor().fit(pd.concat(parts), "pay", "weight")
    assert same_fit(found, whole)
    assert np.array_equal(found.moments_.count, whole.moments_.count)
