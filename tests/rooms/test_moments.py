"""moments.py: what cannot be added or subtracted, and files: whole, or not there, or refused."""

import json
import zipfile

import numpy as np
import pytest

from tests.rooms.samples import answer, numbers, people, refused
from twosdr import Moments, tables
from twosdr.engines import memory
from twosdr.errors import MomentsError, NotReadable
from twosdr.moments import Cells
from twosdr.roles import resolve

ARRAYS = ("shift", "weight", "count", "delta", "scatter")


def moments_of(rows, *, cells=1, sensitive=0, y=True, weight=None):
    table = tables.read(rows)
    target = rows[:, -1:] * 2 + 1 if y else np.empty((len(rows), 0))
    codes = np.arange(len(rows)) % cells
    source = memory.Source(
        table,
        resolve(table, sensitive=sensitive),
        np.asarray(target, dtype=float),
        ("y",) if y else (),
        weight,
        cell_of=lambda a, b: codes[a:b],
        n_cells=cells,
    )
    return memory.moments(source)


@pytest.fixture
def some():
    return moments_of(numbers(people()), cells=3)


def test_moments_are_a_value(some):
    for name in ARRAYS:
        with pytest.raises(ValueError, match="read-only"):
            getattr(some, name)[...] = 0
    with pytest.raises(AttributeError):
        some.weight = None


def test_they_introduce_themselves(some):
    assert repr(some) == "Moments(5 columns, 3 cells, 60 rows, weight 60)"


def test_means_and_covariances_are_numpys(some):
    rows = numbers(people())
    assert np.allclose(some.total().mean[0, :4], rows.mean(axis=0), rtol=1e-14)
    expected = np.cov(rows.T, bias=True)
    assert np.allclose(some.cov("s", "x"), expected[:1, 1:], rtol=1e-12)
    assert some.cov("x", "y").shape == (3, 1)
    assert some.index("y", "s").tolist() == [4, 0]


def test_select_by_name_and_place_in_the_order_asked_for(some):
    picked = some.select(["x3", "y", "x0"])
    assert picked.names == ("x3", "y", "x0")
    assert picked.blocks == ("x", "y", "s")
    assert np.array_equal(picked.scatter, some.select([3, 4, 0]).scatter)
    assert np.array_equal(picked.mean, some.mean[:, [3, 4, 0]])
    assert some.select([]).names == ()
    assert some.select([-1]).names == ("y",)


@pytest.mark.parametrize(
    ("keep", "words"), [(["wage"], ['"wage"', '"x0"']), ([9], ["9"]), ([-9], ["-9"]), ([1.5], ["1.5"])]
)
def test_select_refuses_what_is_not_there(some, keep, words):
    with refused(MomentsError, *words):
        some.select(keep)


def test_cells_are_kept_apart(some):
    rows = numbers(people())
    assert some.n_cells == 3
    assert np.allclose(some.cell(1).mean[0, :4], rows[1::3].mean(axis=0), rtol=1e-14)
    assert some.cell(1).count.tolist() == [20]


def test_scaled_counts_a_cell_more_often(some):
    twice = some.scaled([2, 1, 1])
    assert twice.weight.tolist() == [40, 20, 20]
    assert np.array_equal(twice.scatter[0], 2 * some.scatter[0])
    assert np.array_equal(twice.delta, some.delta)


def test_different_columns_do_not_add():
    one = moments_of(numbers(people()))
    other = moments_of(numbers(people())[:, :3])
    with refused(MomentsError, "added", '"x3"'):
        one + other
    with refused(MomentsError, "subtracted", "same columns in another order or role"):
        one - moments_of(numbers(people()), sensitive=1)


def test_different_cells_do_not_add(some):
    with refused(MomentsError, "3", "1", ".total()"):
        some + some.total()


def test_a_number_does_not_add(some):
    with pytest.raises(TypeError):
        some + 1
    with pytest.raises(TypeError):
        some - 1


def test_more_rows_than_there_are_cannot_be_taken_out():
    rows = numbers(people())
    with refused(MomentsError, "60 rows", "30 rows", "cannot all have been in"):
        moments_of(rows[:30]) - moments_of(rows)


def test_other_rows_cannot_be_taken_out():
    rows = numbers(people())
    with refused(MomentsError, "negative variance", '"x2"', "cannot all have been in"):
        moments_of(rows) - moments_of(rows[:30] * [1, 1, 100, 1])


def test_rows_that_hold_nearly_all_the_spread_cannot_be_taken_out():
    rows = numbers(people())
    rows[0, 2] = 1e9
    with refused(MomentsError, '"x2"', "digits", "Fit again"):
        moments_of(rows) - moments_of(rows[:2])


def test_all_rows_taken_out_leave_nothing():
    whole = moments_of(numbers(people()))
    rest = whole - whole
    assert rest.count.tolist() == [0]
    assert rest.weight.tolist() == [0]
    assert not rest.scatter.any()


def test_an_empty_cell_adds_nothing(some):
    empty = Cells(some.names, some.blocks, 3, np.zeros(5)).freeze()
    for both in (some + empty, empty + some):
        assert np.array_equal(both.weight, some.weight)
        assert np.allclose(both.mean, some.mean, rtol=1e-14)
        assert np.allclose(both.scatter, some.scatter, rtol=1e-13)


FOREIGN = {
    "nothing": b"",
    "text": b"a,b\n1,2\n",
    "json": b'{"format": "twosdr-moments-1"}',
    "bytes": bytes(range(256)),
    "a pickle": b"\x80\x04K\x01.",
    "an npy header": b"\x93NUMPY",
}


@pytest.mark.parametrize("weight", [1e-8, 1.0, 1e8])
def test_the_one_row_that_is_left_is_where_it_was(weight):
    """Of any weight: a row is there as long as its weight is more than the rounding of the whole."""
    rows = np.column_stack([[0.0, 1.0, 0.0], [1.0, 2.0, 4.0]])
    w = np.full(3, weight)
    gone = w * [1, 1, 0]
    left = moments_of(rows, weight=w).without(moments_of(rows, weight=gone))  # a difference refuses: no spread is left
    assert left.count.tolist() == [1]
    assert np.isclose(left.weight[0], weight)
    assert np.allclose(left.mean[0], [0.0, 4.0, 9.0])
    assert np.allclose(left.scatter, 0.0, atol=1e-9 * weight)


class TestWhatCannotHaveBeenIn:
    """Rows to take out that were never there are refused as far as moments can tell, and the columns that tell are named."""

    ROWS = np.column_stack([np.repeat([0.0, 1.0], 10), np.arange(20.0), np.linspace(5, 6, 20) ** 2])

    def test_as_many_rows_with_another_mean(self):
        other = np.add(self.ROWS, [0, 1e-3, 0])
        with refused(MomentsError, "No row would be left", '"x1"', "cannot all have been in") as said:
            moments_of(self.ROWS, y=False) - moments_of(other, y=False)
        assert '"x2"' not in str(said.value)

    def test_as_many_rows_with_another_spread(self):
        other = self.ROWS.copy()
        other[:, 2] = other[:, 2].mean() + (other[:, 2] - other[:, 2].mean()) * (1 + 1e-5)
        with refused(MomentsError, "No row would be left", '"x2"', "cannot all have been in") as said:
            moments_of(self.ROWS, y=False) - moments_of(other, y=False)
        assert '"x1"' not in str(said.value)

    @pytest.mark.parametrize("factor", [1e-6, 1.0, 1e6])
    def test_the_same_rows_in_another_order_and_about_another_shift_may_go(self, factor):
        rows = np.add(self.ROWS * [1, factor, 1], [0, 1e3 * factor, 0])
        left = moments_of(rows, y=False) - moments_of(rows[::-1], y=False)
        assert left.count.tolist() == [0]
        assert not left.scatter.any()

    def test_a_single_row_goes_and_another_row_does_not(self):
        one, other = self.ROWS[:1], self.ROWS[1:2]
        whole = moments_of(self.ROWS, y=False, cells=1)
        assert (whole - moments_of_row(one)).count.tolist() == [19]
        alone = moments_of_row(one)
        assert (alone - moments_of_row(one)).count.tolist() == [0]
        with refused(MomentsError, "No row would be left", '"x1"'):
            alone - moments_of_row(other)

    def test_more_ones_than_there_are(self):
        """Three ones among thirty rows cannot give away five; nor can twenty-seven zeros give away twenty-nine."""
        few = np.column_stack([np.arange(30) < 3, np.arange(30.0)]).astype(float)
        five = np.column_stack([np.arange(6) < 5, np.linspace(1, 28, 6)]).astype(float)
        zeros = np.column_stack([np.zeros(29), np.linspace(1, 28, 29)])
        for gone in (five, zeros):
            with refused(MomentsError, "negative variance", '"x0"', "cannot all have been in") as said:
                moments_of(few, y=False) - moments_of(gone, y=False)
            assert '"x1"' not in str(said.value)

    @pytest.mark.parametrize("factor", [1e-8, 1.0, 1e8])
    def test_what_holds_the_spread_is_judged_in_its_own_unit(self, factor):
        rows = np.column_stack([np.repeat([0.0, 1.0], 10), np.r_[1e7, -1e7, np.linspace(0, 1, 18)] * factor])
        with refused(MomentsError, "Nearly all the spread", '"x1"', "Fit again"):
            moments_of(rows, y=False) - moments_of(rows[:2], y=False)

    def test_the_message_counts_what_would_go_and_what_there_is(self):
        weight = np.full(20, 2.5)
        with refused(MomentsError, "take out (100 in 40 rows)", "than there is (50 in 20 rows)"):
            moments_of(self.ROWS, weight=weight) - moments_of(
                np.vstack([self.ROWS, self.ROWS]), weight=np.full(40, 2.5)
            )
        with refused(MomentsError, "take out (60 in 20 rows)", "than there is (50 in 20 rows)"):
            moments_of(self.ROWS, weight=weight) - moments_of(self.ROWS, weight=np.full(20, 3.0))


def moments_of_row(row):
    return moments_of(np.vstack([row, row]), y=False, weight=np.array([1.0, 0.0]))


class TestFiles:
    """A file is whole, or not there, or refused."""

    @pytest.mark.parametrize("path", ["m.npz", "m", "a name with spaces and ü.moments"])
    def test_what_is_read_is_what_was_written_to_the_bit(self, some, tmp_path, path):
        some.save(tmp_path / path)
        assert [p.name for p in tmp_path.iterdir()] == [path]
        back = Moments.load(tmp_path / path)
        assert (back.names, back.blocks) == (some.names, some.blocks)
        for name in ARRAYS:
            mine, theirs = getattr(some, name), getattr(back, name)
            assert mine.dtype == theirs.dtype
            assert np.ascontiguousarray(mine).tobytes() == np.ascontiguousarray(theirs).tobytes()
        assert np.array_equal((some + back).count, 2 * some.count)
        with pytest.raises(ValueError, match="read-only"):
            back.weight[0] = 1

    def test_a_path_may_be_text(self, some, tmp_path):
        some.save(str(tmp_path / "m"))
        assert Moments.load(str(tmp_path / "m")).names == some.names

    def test_odd_names_and_odd_numbers_survive(self, tmp_path):
        rows = numbers(people())
        rows[:, 1] += 1e9
        odd = moments_of(rows).select([0, 1, 2])
        odd = Moments(('"', "ü\n", "x" * 1000), odd.blocks, *(getattr(odd, a).copy() for a in ARRAYS))
        odd.save(tmp_path / "m")
        assert Moments.load(tmp_path / "m").names == odd.names
        assert np.array_equal(Moments.load(tmp_path / "m").mean, odd.mean)

    def test_a_file_is_replaced(self, some, tmp_path):
        some.save(tmp_path / "m")
        some.total().save(tmp_path / "m")
        assert Moments.load(tmp_path / "m").n_cells == 1

    @pytest.mark.parametrize("trouble", [OSError("disk full"), KeyboardInterrupt()], ids=["disk full", "interrupt"])
    @pytest.mark.parametrize("before", [False, True], ids=["new", "replaced"])
    def test_a_write_that_fails_leaves_nothing_half_written(self, some, tmp_path, monkeypatch, trouble, before):
        if before:
            some.save(tmp_path / "m")
        old = (tmp_path / "m").read_bytes() if before else None

        def fails(stream, **arrays):
            stream.write(b"half of it")
            raise trouble

        monkeypatch.setattr(np, "savez", fails)
        with pytest.raises(type(trouble)):
            some.total().save(tmp_path / "m")
        assert [p.name for p in tmp_path.iterdir()] == (["m"] if before else [])
        assert not before or (tmp_path / "m").read_bytes() == old

    def test_a_file_that_is_not_there_is_pythons_own_error(self, some, tmp_path):
        with pytest.raises(FileNotFoundError):
            Moments.load(tmp_path / "nowhere")
        with pytest.raises(FileNotFoundError):
            some.save(tmp_path / "nowhere" / "m")

    def test_a_file_cut_short_anywhere_is_refused(self, some, tmp_path):
        some.save(tmp_path / "m")
        whole = (tmp_path / "m").read_bytes()
        for length in [*range(0, len(whole), max(1, len(whole) // 60)), len(whole) - 1]:
            (tmp_path / "cut").write_bytes(whole[:length])
            with refused(NotReadable, "cut"):
                Moments.load(tmp_path / "cut")

    def test_a_garbled_file_is_refused_or_unharmed(self, some, tmp_path):
        some.save(tmp_path / "m")
        whole = (tmp_path / "m").read_bytes()
        rng = np.random.default_rng(0)
        for _ in range(200):
            garbled = bytearray(whole)
            garbled[rng.integers(len(whole))] ^= 1 << int(rng.integers(8))
            (tmp_path / "bad").write_bytes(garbled)
            back = answer(lambda: Moments.load(tmp_path / "bad"), NotReadable, "bad")
            if back is not None:  # a flipped time stamp, say
                assert back.names == some.names
                assert all(np.array_equal(getattr(back, a), getattr(some, a)) for a in ARRAYS)

    @pytest.mark.parametrize("content", FOREIGN)
    def test_a_foreign_file_is_refused(self, tmp_path, content):
        (tmp_path / "foreign").write_bytes(FOREIGN[content])
        with refused(NotReadable, "foreign", "moments of twosdr"):
            Moments.load(tmp_path / "foreign")

    def test_a_plain_array_file_is_refused(self, tmp_path):
        np.save(tmp_path / "foreign.npy", np.zeros(3))
        with refused(NotReadable, "foreign", "moments of twosdr"):
            Moments.load(tmp_path / "foreign.npy")

    def test_a_foreign_zip_is_refused(self, tmp_path):
        np.savez(tmp_path / "foreign.npz", a=np.zeros(3))
        with refused(NotReadable, "foreign", "moments of twosdr"):
            Moments.load(tmp_path / "foreign.npz")
        with zipfile.ZipFile(tmp_path / "foreign.zip", "w") as z:
            z.writestr("header", "{}")
        with refused(NotReadable, "foreign", "moments of twosdr"):
            Moments.load(tmp_path / "foreign.zip")

    def rewritten(self, some, path, *, header=None, **arrays):
        """A file with another header or other arrays, and its checksum as it was."""
        some.save(path)
        with np.load(path) as stored:
            parts = {name: stored[name] for name in stored.files}
        said = json.loads(parts["header"].tobytes()) | (header or {})
        parts |= arrays
        parts["header"] = np.frombuffer(json.dumps(said).encode(), dtype=np.uint8)
        with open(path, "wb") as stream:
            np.savez(stream, **parts)
        return path

    def test_a_later_format_is_named(self, some, tmp_path):
        path = self.rewritten(some, tmp_path / "m", header={"format": "twosdr-moments-2"})
        with refused(NotReadable, "twosdr-moments-2", "twosdr-moments-1"):
            Moments.load(path)

    @pytest.mark.parametrize("header", [{"names": ["a"]}, {"blocks": []}, {"names": None}, {"names": 3}])
    def test_a_header_that_does_not_fit_is_refused(self, some, tmp_path, header):
        with refused(NotReadable, "m"):
            Moments.load(self.rewritten(some, tmp_path / "m", header=header))

    def test_other_names_of_the_same_number_do_not_pass_the_checksum(self, some, tmp_path):
        path = self.rewritten(some, tmp_path / "m", header={"names": list(some.names)[::-1]})
        with refused(NotReadable, "m", "damaged"):
            Moments.load(path)

    def test_a_header_that_is_no_object_is_refused(self, some, tmp_path):
        path = self.rewritten(some, tmp_path / "m")
        with np.load(path) as stored:
            parts = {name: stored[name] for name in stored.files}
        with open(path, "wb") as stream:
            np.savez(stream, **(parts | {"header": np.frombuffer(b"[1, 2]", dtype=np.uint8)}))
        with refused(NotReadable, "m"):
            Moments.load(path)

    @pytest.mark.parametrize("name", ARRAYS)
    def test_an_array_of_another_shape_or_value_is_refused(self, some, tmp_path, name):
        old = getattr(some, name)
        for other in (old[:-1], np.zeros(()), old + 1):
            with refused(NotReadable, "m", "damaged"):
                Moments.load(self.rewritten(some, tmp_path / "m", **{name: other}))

    def test_nothing_is_unpickled(self, some, tmp_path):
        class Trap:
            def __reduce__(self):
                return (pytest.fail, ("a pickle was opened",))

        path = tmp_path / "m"
        some.save(path)
        with np.load(path) as stored:
            parts = {name: stored[name] for name in stored.files}
        with open(path, "wb") as stream:
            np.savez(stream, **(parts | {"shift": np.array([Trap()] * 5, dtype=object)}))
        with refused(NotReadable, "m"):
            Moments.load(path)
