"""worlds.py: rows from a law and a seed, the same however they are cut."""

import pickle
import tracemalloc

import numpy as np
import pyarrow as pa
import pytest

from tests.rooms.samples import refused
from twosdr.datasets import synthetic
from twosdr.datasets.worlds import BLOCK
from twosdr.errors import ParameterError

MAKERS = {name.removeprefix("make_"): getattr(synthetic, name) for name in dir(synthetic) if name.startswith("make_")}


@pytest.mark.parametrize("name", MAKERS)
def test_seeds_repeat_and_differ(name):
    make = MAKERS[name]
    assert make(50, random_state=1).table.equals(make(50, random_state=1).table)
    assert not make(50, random_state=1).table.equals(make(50, random_state=2).table)
    assert not make(50).table.equals(make(50).table)
    unseeded = make(50)
    assert unseeded.rows().equals(unseeded.rows())
    assert make(50, random_state=unseeded.seed).table.equals(unseeded.table)


@pytest.mark.parametrize("state", [np.random.default_rng, np.random.RandomState])
def test_a_generator_of_numpy_is_a_seed_that_moves_on(state):
    first, again = state(5), state(5)
    a, b = (MAKERS["two_stage"](20, random_state=first).table for _ in range(2))
    assert MAKERS["two_stage"](20, random_state=again).table.equals(a)
    assert not a.equals(b)


@pytest.mark.parametrize("name", MAKERS)
def test_the_table_is_the_same_whatever_the_chunks(name):
    world = MAKERS[name](2 * BLOCK + 3, random_state=0)
    for size in (1000, BLOCK, BLOCK + 1, 10 * BLOCK):
        chunks = list(world.chunks(size))
        assert [c.num_rows for c in chunks[:-1]] == [size] * (len(chunks) - 1)
        assert pa.concat_tables(chunks).combine_chunks().equals(world.table)
    assert MAKERS[name](100, random_state=0).table.equals(world.table.slice(0, 100))
    assert pa.concat_tables(MAKERS[name](5, random_state=0).chunks(1)).combine_chunks().equals(world.table.slice(0, 5))


@pytest.mark.parametrize("name", MAKERS)
def test_a_world_travels(name):
    world = MAKERS[name](10, random_state=1)
    assert pickle.loads(pickle.dumps(world)).table.equals(world.table)


def test_rows_of_a_table_larger_than_memory_come_at_once():
    world = MAKERS["two_stage"](10**12, random_state=0)
    assert world.rows(10**12 - 2).num_rows == 2
    assert next(world.chunks()).num_rows == 65_536
    assert world.rows(7, 7).num_rows == 0
    assert world.rows(7, 7).schema == world.rows(7, 8).schema


def test_chunks_are_let_go_of_one_after_the_other():
    world = MAKERS["two_stage"](50 * BLOCK, random_state=0)
    tracemalloc.start()
    try:
        sizes = [chunk.nbytes for chunk in world.chunks(BLOCK)]
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < sum(sizes) / 5  # ten chunks: one that is held, and what drawing the next one needs


def test_stretches_that_are_none_are_refused():
    world = MAKERS["two_stage"](10)
    for asked in ((3, 2), (0, 11)):
        with refused(ParameterError, "start and stop", "10"):
            world.rows(*asked)
    for asked in ((0, 2.5), ("a",), (None, 3), (-1, 2)):
        with refused(ParameterError, "must be a whole number"):
            world.rows(*asked)
    with refused(ParameterError, "size", "0"):
        world.chunks(0)
