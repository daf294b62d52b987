"""Who trains and who tests: what each protocol promises, and that no split knows of another."""

import numpy as np
import pytest

from twosdr.paper.jobs import jobs
from twosdr.paper.plan import HUNDRED, OFFICIAL, TWO_STAGE, Protocol, Setting
from twosdr.paper.protocols import columns, dataset, rounds, sensitive, splits_in

GERMAN, CRIME, ADULT = Setting("german"), Setting("communities"), Setting("adult")


def rows_of(table):
    return {tuple(row) for row in np.column_stack([c.to_numpy() for c in table.columns]).tolist()}


def test_the_columns_are_those_that_the_paper_counts():
    assert len(columns(ADULT)) == 49 + 1  # D, and s
    assert len(columns(GERMAN)) == 47 + 1
    assert len(columns(CRIME)) == 101 - 1 + 1  # the share that s is cut from makes room for s
    assert "racepctblack" not in columns(CRIME)
    assert "racepctblack" in columns(Setting("communities", sensitive=("medIncome",)))
    assert "age_above_25" not in columns(Setting("german", sensitive=("age",)))
    assert "sex_Male" in columns(Setting("adult", sensitive=("age",), also=("sex_Male",)))
    assert sensitive(GERMAN) == ("age_above_25",)


def test_a_random_split_trains_on_two_thirds_and_tests_on_the_rest():
    for here, y, there, truth in rounds(GERMAN, HUNDRED, 0, range(3)):
        assert (here.num_rows, len(y), there.num_rows, len(truth)) == (667, 667, 333, 333)
        whole = np.sort(np.concatenate([here["credit_amount"].to_numpy(), there["credit_amount"].to_numpy()]))
        assert np.array_equal(whole, np.sort(dataset("german").table["credit_amount"].to_numpy()))


def test_a_split_is_a_function_of_the_seed_and_its_number_alone():
    alone = next(rounds(GERMAN, HUNDRED, 0, range(7, 8)))
    amongst = list(rounds(GERMAN, HUNDRED, 0, range(9)))[7]
    other = next(rounds(GERMAN, HUNDRED, 1, range(7, 8)))
    assert alone[0].equals(amongst[0])
    assert not alone[0].equals(other[0])


def test_the_official_split_and_folds_are_used_as_they_are():
    assert splits_in(ADULT, OFFICIAL) == 1
    assert splits_in(CRIME, OFFICIAL) == 10
    [(here, _, there, _)] = rounds(ADULT, OFFICIAL, 0, range(1))
    assert (here.num_rows, there.num_rows) == (30_162, 15_060)
    folds = [there for _, _, there, _ in rounds(CRIME, OFFICIAL, 0, range(10))]
    assert sum(fold.num_rows for fold in folds) == dataset("communities").n_rows
    assert all(len(set(fold["fold"].to_pylist())) == 1 for fold in folds)


def test_shuffled_parts_have_the_official_sizes_and_other_rows():
    [(here, _, there, _)] = rounds(ADULT, Protocol("shuffled"), 0, range(1))
    [(official, _, _, _)] = rounds(ADULT, OFFICIAL, 0, range(1))
    assert (here.num_rows, there.num_rows) == (30_162, 15_060)
    assert not here.equals(official)
    folds = [there.num_rows for _, _, there, _ in rounds(CRIME, Protocol("shuffled"), 0, range(10))]
    assert sum(folds) == dataset("communities").n_rows


def test_balance_repeats_the_rarer_class_of_the_training_rows_and_leaves_the_test_rows():
    balanced = Protocol("random", 1, balanced=True)
    [(here, y, there, truth)] = rounds(GERMAN, balanced, 0, range(1))
    [(plain, _, as_it_was, _)] = rounds(GERMAN, HUNDRED, 0, range(1))
    assert (y == 1).sum() == (y == 0).sum() > len(truth)
    assert rows_of(here) == rows_of(plain)
    assert there.equals(as_it_was)


def test_ranks_apart_are_taken_in_train_and_in_test_by_themselves():
    ranks = Protocol("official", 2, ranks="apart")
    [(here, _, there, _), (again, _, _, _)] = rounds(ADULT, ranks, 0, range(2))
    for part in (here, there):
        for s in (0.0, 1.0):
            values = np.sort(part["age"].to_numpy()[part["sex_Male"].to_numpy() == s])
            assert np.allclose(values, np.arange(len(values)) / len(values))
    assert not again.equals(here)  # other ties
    assert set(np.unique(here["race_White"].to_numpy())) == {0.0, 1.0}


def test_ranks_jointly_are_taken_once_for_all_folds():
    ranks = Protocol("official", 2, ranks="jointly")
    parts = list(rounds(CRIME, ranks, 0, range(20)))
    first = np.sort(np.concatenate([there["population"].to_numpy() for _, _, there, _ in parts[:10]]))
    for s in (0.0, 1.0):
        n = sum((there[sensitive(CRIME)[0]].to_numpy() == s).sum() for _, _, there, _ in parts[:10])
        assert np.isclose(first, 1 / n).any()
    assert parts[0][2].equals(next(rounds(CRIME, ranks, 0, range(1)))[2])
    assert not parts[0][2].equals(parts[10][2])


@pytest.mark.parametrize("protocol", [HUNDRED, Protocol("official", 10, ranks="apart")])
def test_jobs_cover_every_split_once(protocol):
    setting = GERMAN if protocol is HUNDRED else ADULT
    cut = jobs(setting, protocol, TWO_STAGE, 0)
    assert [k for job in cut for k in range(job.first, job.last)] == list(range(splits_in(setting, protocol)))


def test_quick_takes_few_splits():
    assert HUNDRED.quick().n == 5
    assert OFFICIAL.quick() == OFFICIAL
    assert Protocol("official", 10, ranks="apart").quick().n == 2
