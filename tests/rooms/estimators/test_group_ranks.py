"""estimators/group_ranks.py: ranks by their definitions, checked by counting; new rows; and what has no rank."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline

from tests.rooms.samples import CONTAINERS, frame, numbers, people, refused, target
from twosdr import GroupRanks
from twosdr.errors import ColumnError, KindError, MissingValueError, ParameterError, TableError, UnknownLevelError

ROWS = frame()
RANKED = ["age", "skill", "hours"]
LATER = frame(people(n=40, seed=7))


def counted(train, groups, new, new_groups, ties):
    """Ranks by counting, row by row."""
    out = []
    for value, group in zip(new, new_groups, strict=True):
        mine = [t for t, g in zip(train, groups, strict=True) if g == group]
        below, equal = sum(t < value for t in mine), sum(t == value for t in mine)
        out.append((below + (equal / 2 if ties == "average" else 0)) / len(mine))
    return np.array(out)


@pytest.mark.parametrize("ties", ["average", "strict"])
@pytest.mark.parametrize("new", [ROWS, LATER, LATER[3:4]], ids=["training", "later", "one row"])
def test_ranks_are_what_counting_gives(ties, new):
    out = GroupRanks(sensitive="sex", ties=ties).fit(ROWS).set_output(transform="pandas").transform(new)
    for name in RANKED:
        expected = counted(ROWS[name], ROWS["sex"], new[name], new["sex"], ties)
        assert np.allclose(out[name].to_numpy(dtype=float), expected, rtol=0, atol=1e-15)


def test_groups_are_combinations_of_the_sensitive_columns():
    ranks = GroupRanks(sensitive=["sex", "race"]).set_output(transform="pandas").fit(ROWS)
    both = ROWS["sex"] + ROWS["race"]
    expected = counted(ROWS["skill"], both, ROWS["skill"], both, "average")
    assert np.allclose(ranks.transform(ROWS)["skill"].to_numpy(dtype=float), expected, rtol=0, atol=1e-15)


def test_average_ranks_have_the_same_mean_in_every_group():
    out = GroupRanks(sensitive="race").set_output(transform="pandas").fit_transform(ROWS)
    means = out.astype(dict.fromkeys(RANKED, float)).groupby("race")[RANKED].mean().to_numpy()
    assert np.allclose(means, 0.5, rtol=0, atol=1e-15)


def test_beyond_the_training_values_ranks_are_zero_and_one():
    ranks = GroupRanks(sensitive="sex").set_output(transform="pandas").fit(ROWS)
    assert set(ranks.transform(ROWS.assign(skill=-1e9))["skill"]) == {0.0}
    assert set(ranks.transform(ROWS.assign(skill=1e9))["skill"]) == {1.0}


def test_the_other_columns_pass_unchanged():
    X = ROWS.assign(two=np.arange(60) % 2)
    out = GroupRanks(sensitive="sex", explanatory="hours").set_output(transform="pandas").fit(X)
    assert out.ranked_ == ("age", "skill")
    passed = out.transform(X)
    for name in ("sex", "race", "hours", "part_time", "two"):
        assert passed[name].tolist() == X[name].tolist()
    assert out.get_feature_names_out().tolist() == list(X.columns)


def test_left_out_columns_are_left_out():
    ranks = GroupRanks(sensitive="sex", drop=["race", "part_time"]).fit(ROWS)
    assert ranks.get_feature_names_out().tolist() == ["sex", "age", "skill", "hours"]


class TestOrdinal:
    """Ties broken by chance, on the rows at hand."""

    def test_positions_in_the_sorted_group(self):
        out = GroupRanks(sensitive="sex", ties="ordinal", random_state=0).set_output(transform="pandas")
        found = out.fit_transform(ROWS)
        for group in ("f", "m"):
            here = (ROWS["sex"] == group).to_numpy()
            for name in RANKED:
                ranks, values = found[name].to_numpy(dtype=float)[here], ROWS[name].to_numpy()[here]
                assert sorted(ranks) == [k / here.sum() for k in range(here.sum())]
                assert (np.diff(values[np.argsort(ranks)]) >= 0).all()

    def test_the_seed_decides_the_ties(self):
        X = {"sex": ["f", "m"] * 30, "grade": [1, 1, 2, 2, 3, 3] * 10}
        one, again, other = (
            GroupRanks(sensitive="sex", ties="ordinal", random_state=seed).fit_transform(X)[:, 1].tolist()
            for seed in (0, 0, 1)
        )
        assert one == again
        assert one != other

    def test_a_generator_of_numpy_may_be_passed(self):
        X = {"sex": ["f", "m"] * 30, "grade": [1, 1, 2, 2, 3, 3] * 10}
        one, again = (
            GroupRanks(sensitive="sex", ties="ordinal", random_state=np.random.RandomState(3)).fit_transform(X).tolist()
            for _ in range(2)
        )
        assert one == again

    def test_every_tie_is_broken_fairly(self):
        X = {"sex": ["f"] * 3000 + ["m"] * 3, "grade": [1] * 1500 + [2] * 1500 + [1, 2, 3]}
        out = GroupRanks(sensitive="sex", ties="ordinal", random_state=0).fit_transform(X)[:3000, 1].astype(float)
        assert abs(np.corrcoef(np.arange(1500), out[:1500])[0, 1]) < 0.1

    def test_new_rows_have_no_answer(self):
        with refused(ParameterError, 'ties="ordinal"', "fit_transform", 'ties="average"'):
            GroupRanks(sensitive="sex", ties="ordinal").fit(ROWS).transform(LATER)


class TestBins:
    """A number as s is cut only when asked."""

    def test_a_number_is_not_cut_unasked(self):
        with refused(ParameterError, '"age"', "more than two values", "bins="):
            GroupRanks(sensitive="age").fit(ROWS)

    def test_groups_of_about_equal_size(self):
        X = {"age": np.arange(60.0), "skill": np.arange(60.0) % 7}
        out = GroupRanks(sensitive="age", bins=3).fit_transform(X)
        cut = np.repeat([0, 1, 2], 20)
        assert np.allclose(out[:, 1], counted(X["skill"], cut, X["skill"], cut, "average"), rtol=0, atol=1e-15)

    def test_new_rows_beyond_the_ends_belong_to_the_end_groups(self):
        X = {"age": np.arange(60.0), "skill": np.arange(60.0) % 7}
        ranks = GroupRanks(sensitive="age", bins=3).fit(X)
        new = ranks.transform({"age": [-100.0, 100.0], "skill": [3.0, 3.0]})[:, 1]
        assert np.allclose(new, ranks.transform(X)[[0, 59], 1] * 0 + [0.5, ranks.transform(X)[45, 1]], atol=1)
        assert new[0] == counted(X["skill"][:20], [0] * 20, [3.0], [0], "average")[0]
        assert new[1] == counted(X["skill"][40:], [0] * 20, [3.0], [0], "average")[0]

    def test_a_category_beside_it_forms_groups_as_ever(self):
        ranks = GroupRanks(sensitive=["sex", "age"], bins=2).fit(ROWS)
        assert ranks.transform(ROWS).shape == (60, 6)

    @pytest.mark.parametrize("bins", [1, 0, -3, 2.5, True, "3"])
    def test_bins_is_a_whole_number_from_two(self, bins):
        with refused(ParameterError, "bins", repr(bins)):
            GroupRanks(sensitive="age", bins=bins).fit(ROWS)

    @pytest.mark.parametrize("sensitive", ["sex", "part_time", ()])
    def test_bins_without_a_number_to_cut_has_no_effect_and_says_so(self, sensitive):
        with refused(ParameterError, "bins=3", "no effect"):
            GroupRanks(sensitive=sensitive, bins=3).fit(ROWS)

    def test_a_two_valued_number_forms_its_groups_uncut(self):
        coded = np.where(ROWS["sex"] == "f", 1, 2)
        out = GroupRanks(sensitive="sex").fit_transform(ROWS.assign(sex=coded))
        assert out[:, 2:5].tolist() == GroupRanks(sensitive="sex").fit_transform(ROWS)[:, 2:5].tolist()


@pytest.mark.parametrize("ties", ["min", None, 1])
def test_an_unheard_of_rule_for_ties_is_refused(ties):
    with refused(ParameterError, "ties", "'average', 'strict', 'ordinal'", repr(ties)):
        GroupRanks(sensitive="sex", ties=ties).fit(ROWS)


def test_an_odd_seed_is_refused():
    with refused(ParameterError, "random_state", "'lucky'"):
        GroupRanks(sensitive="sex", ties="ordinal", random_state="lucky").fit_transform(ROWS)


def test_an_unseen_combination_has_no_ranks():
    X = ROWS[~((ROWS["sex"] == "f") & (ROWS["race"] == "white"))]
    with refused(ParameterError, "combination", "training"):
        GroupRanks(sensitive=["sex", "race"]).fit(X).transform(ROWS)


class TestMissing:
    """Every row needs its numbers and its group."""

    def gapped(self, name, where=slice(0, 6)):
        rows = ROWS.astype({name: object})
        rows.iloc[where, rows.columns.get_loc(name)] = None
        return rows

    @pytest.mark.parametrize("name", ["hours", "race", "part_time", "sex"])
    def test_a_gap_is_refused_at_fit_and_at_transform(self, name):
        ranks = GroupRanks(sensitive="sex").fit(ROWS)
        for call in (GroupRanks(sensitive="sex").fit, ranks.transform):
            with refused(MissingValueError, f'"{name}" (6 rows)'):
                call(self.gapped(name))

    def test_a_number_missing_in_every_row_is_refused_at_transform(self):
        with refused(MissingValueError, '"hours" (60 rows)'):
            GroupRanks(sensitive="sex").fit(ROWS).transform(self.gapped("hours", slice(None)))

    def test_infinity_is_refused(self):
        with refused(MissingValueError, "infinity", '"hours" (60 rows)'):
            GroupRanks(sensitive="sex").fit(ROWS.assign(hours=np.inf))

    @pytest.mark.parametrize("spoil", [{"race": None}, {"race": "green"}])
    def test_the_text_offers_no_parameter_that_is_not_there(self, spoil):
        ranks = GroupRanks(sensitive="sex").fit(ROWS)
        with pytest.raises(TableError) as caught:
            ranks.transform(ROWS.assign(**spoil))
        for word in ("handle_missing", "handle_unknown"):
            assert word in ranks.get_params() or word not in str(caught.value)


def test_an_unknown_group_is_refused():
    with refused(UnknownLevelError, '"sex"', "'x' (60 rows)"):
        GroupRanks(sensitive="sex").fit(ROWS).transform(ROWS.assign(sex="x"))


def test_a_sparse_table_is_refused_at_fit_and_at_transform():
    X = numbers(people())
    with refused(KindError, "sparse", "toarray"):
        GroupRanks(sensitive=0).fit(sp.csr_array(X))
    with refused(KindError, "sparse", "toarray"):
        GroupRanks(sensitive=0).fit(X).transform(sp.csr_array(X))


def test_columns_are_matched_by_name():
    ranks = GroupRanks(sensitive="sex").fit(ROWS)
    assert np.array_equal(ranks.transform(ROWS[ROWS.columns[::-1]]), ranks.transform(ROWS))
    with refused(ColumnError, '"age"', "GroupRanks"):
        ranks.transform(ROWS.drop(columns="age"))


@pytest.mark.parametrize("container", CONTAINERS)
def test_every_container_gives_the_same_ranks(container):
    X = CONTAINERS[container](people())
    out, expected = GroupRanks(sensitive="sex").fit_transform(X), GroupRanks(sensitive="sex").fit_transform(ROWS)
    assert out.tolist() == expected.tolist()


@pytest.mark.parametrize("container", ["pandas object", "polars", "pyarrow", "dict of lists"])
def test_the_answer_comes_in_the_container_asked_for(container):
    X = CONTAINERS[container](people())
    plain = GroupRanks(sensitive="sex").fit_transform(X)
    assert isinstance(plain, np.ndarray)
    pandas = GroupRanks(sensitive="sex").set_output(transform="pandas").fit_transform(X)
    assert isinstance(pandas, pd.DataFrame)
    polars = GroupRanks(sensitive="sex").set_output(transform="polars").fit_transform(X)
    assert isinstance(polars, pl.DataFrame)
    assert list(pandas.columns) == polars.columns == list(ROWS.columns)
    assert pandas.to_numpy().tolist() == plain.tolist()


@pytest.mark.parametrize("output", ["pandas", "polars"])
def test_ranks_in_a_data_frame_are_numbers(output):
    out = GroupRanks(sensitive="sex").set_output(transform=output).fit_transform(ROWS)
    assert np.asarray(out["skill"]).dtype.kind == "f"


def test_the_index_of_pandas_is_kept():
    X = ROWS.set_axis(range(100, 160))
    assert (
        GroupRanks(sensitive="sex").set_output(transform="pandas").fit_transform(X).index.tolist() == X.index.tolist()
    )


def test_numbers_alone_come_back_as_numbers():
    assert GroupRanks(sensitive=0).fit_transform(numbers(people())).dtype == np.float64


def test_clone_pickle_and_pipeline():
    ranks = GroupRanks(sensitive="sex", ties="strict")
    assert clone(ranks).get_params() == ranks.get_params()
    back = pickle.loads(pickle.dumps(ranks.fit(ROWS)))
    assert np.array_equal(back.transform(LATER), ranks.transform(LATER))
    line = make_pipeline(GroupRanks(sensitive=0), LinearRegression()).fit(numbers(people()), target(people()))
    assert np.isfinite(line.predict(numbers(people()))).all()
