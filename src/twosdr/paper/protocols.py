"""Which rows train and which test, split by split; ranks and balance where a protocol asks for them.

Every split has its own stream of chance, from the seed and its number, so that neither the number of processes nor
the other splits change it.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

import warnings
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np

from twosdr.datasets import Dataset, load
from twosdr.errors import DataWarning
from twosdr.estimators import GroupRanks
from twosdr.paper.plan import Protocol, Setting
from twosdr.tables import Array

TRAINS = 2 / 3


@lru_cache(maxsize=8)
def dataset(name: str) -> Dataset:
    """The data set in the paper's form, read once a process."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # said on the page, beside the numbers
        return load(name, paper=True)


def sensitive(setting: Setting) -> tuple[str, ...]:
    """The sensitive columns of a setting."""
    return setting.sensitive or dataset(setting.data).sensitive


def columns(setting: Setting) -> list[str]:
    """The columns that a model sees: s, x and z."""
    data, s = dataset(setting.data), sensitive(setting)
    # Where s is the column that the paper cuts from another, that other one is no attribute beside it.
    gone = {*s, *setting.without, *(() if setting.sensitive else data.left_out)}
    x = setting.only or (*data.attributes, *setting.also)
    return [*s, *(name for name in x if name not in gone)]


def splits_in(setting: Setting, protocol: Protocol) -> int:
    """How many (train, test) pairs the protocol has on this data set."""
    return protocol.n * (1 if protocol.kind == "random" else len(dataset(setting.data).splits))


def rounds(setting: Setting, protocol: Protocol, seed: int, numbers: range) -> Iterator[tuple[Any, Array, Any, Array]]:
    """(training table, its y, test table, its y) of the splits with these numbers."""
    data = dataset(setting.data)
    whole, y = data.table.select(columns(setting)), data.y
    repetition, table = -1, whole
    for k in numbers:
        train, test = _split(data, protocol, seed, k)
        if protocol.ranks == "jointly" and repetition != k // len(data.splits):
            repetition = k // len(data.splits)
            table = _ranked(whole, setting, _chance(seed, repetition, 1))
        if protocol.balanced:
            train = _balance(train, y, _chance(seed, k, 2))
        here, there = table.take(train), table.take(test)
        if protocol.ranks == "apart":
            chance = _chance(seed, k, 1)
            here, there = _ranked(here, setting, chance), _ranked(there, setting, chance)
        yield here, y[train], there, y[test]


def _split(data: Dataset, protocol: Protocol, seed: int, k: int) -> tuple[Array, Array]:
    if protocol.kind == "random":
        order = _chance(seed, k, 0).permutation(data.n_rows)
        cut = round(TRAINS * data.n_rows)
        return order[:cut], order[cut:]
    train, test = data.splits[k % len(data.splits)]
    if protocol.kind == "shuffled":  # the same sizes, other rows
        order = _chance(seed, k // len(data.splits), 0).permutation(data.n_rows)
        return order[train], order[test]
    return train, test


def _chance(seed: int, k: int, purpose: int) -> np.random.Generator:
    return np.random.default_rng([seed, k, purpose])


def _balance(train: Array, y: Array, chance: np.random.Generator) -> Array:
    classes, counts = np.unique(y[train], return_counts=True)
    rare = train[y[train] == classes[np.argmin(counts)]]
    return np.concatenate([train, chance.choice(rare, counts.max() - counts.min())])


def _ranked(table: Any, setting: Setting, chance: np.random.Generator) -> Any:
    import pyarrow as pa

    ranks = GroupRanks(
        sensitive=list(sensitive(setting)), ties="ordinal", random_state=int(chance.integers(2**31))
    ).set_output(transform="default")
    values = ranks.fit_transform(table)
    return pa.table({name: values[:, j] for j, name in enumerate(ranks.get_feature_names_out())})
