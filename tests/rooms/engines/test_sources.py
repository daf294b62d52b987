"""engines/: what is wrong with a source is said with the file and the column, and threads do not change a byte."""

import io
import itertools
import signal
import subprocess
import sys
import textwrap

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.engines.samples import CHUNKINGS, ORDERED, people, regressor
from twosdr import TwoStageClassifier, TwoStageRegressor
from twosdr.engines import embedded, progress
from twosdr.errors import (
    ColumnError,
    DataNotFound,
    KindError,
    MissingValueError,
    NotReadable,
    ParameterError,
    SecondPassWarning,
    TableError,
    UnknownLevelError,
)

FILES = 40
BYTES = ("shift", "weight", "count", "delta", "scatter")


def model(**more):
    return TwoStageRegressor(sensitive="sex", drop=["race", "key", "hired"], **more)


@pytest.fixture
def files(tmp_path):
    """Forty files, each of six rows, and a way to spoil one of them."""
    frame = people(6 * FILES)

    def write(number, part):
        pq.write_table(pa.Table.from_pandas(part, preserve_index=False), tmp_path / f"rows-{number:02}.parquet")

    for number in range(FILES):
        write(number, frame.iloc[6 * number : 6 * number + 6])

    def spoil(number, change):
        write(number, change(frame.iloc[6 * number : 6 * number + 6].copy()))
        return str(tmp_path / "rows-*.parquet")

    return spoil


def refused(kind, source, *words, fit=None):
    with pytest.raises(kind) as caught:
        (fit or model()).fit(source, "pay", "weight")
    for word in words:
        assert word in str(caught.value)


class TestOneFileOfMany:
    def test_without_a_column_is_named_with_the_column(self, files):
        refused(
            ColumnError, files(17, lambda f: f.drop(columns="skill")), "rows-17.parquet", '"skill"', "rows-00.parquet"
        )

    def test_with_another_column_too(self, files):
        refused(ColumnError, files(17, lambda f: f.assign(height=1.8)), "rows-17.parquet", '"height"')

    def test_whose_numbers_became_text(self, files):
        source = files(17, lambda f: f.assign(age=f["age"].astype(str)))
        refused(KindError, source, "rows-17.parquet", '"age"', "text", "number")

    def test_whose_whole_numbers_became_fractions_is_fine(self, files):
        model().fit(files(17, lambda f: f.assign(age=f["age"] + 0.5)), "pay")

    def test_with_a_category_that_levels_do_not_declare(self, files):
        source = files(17, lambda f: f.assign(sex="x"))
        with pytest.raises(UnknownLevelError) as caught:
            model().fit(source, "pay", levels={"sex": ["f", "m"]})
        assert "rows-17.parquet" in str(caught.value)
        assert "\"sex\" = 'x' (6 rows)" in str(caught.value)

    def test_with_a_new_category_at_predict(self, files):
        fitted = model().fit(files(17, lambda f: f), "pay")
        source = files(17, lambda f: f.assign(sex="x"))
        with pytest.raises(UnknownLevelError, match=r"rows-17.parquet.*\"sex\" = 'x'"):
            fitted.predict(source)

    def test_with_a_missing_number_or_an_infinite_one(self, files):
        refused(MissingValueError, files(17, lambda f: f.assign(skill=np.nan)), "rows-17.parquet", '"skill" (')
        refused(MissingValueError, files(17, lambda f: f.assign(skill=np.inf)), "rows-17.parquet", "infinity")
        refused(
            MissingValueError,
            files(17, lambda f: f.assign(pay=np.nan)),
            "rows-17.parquet",
            "missing or infinite values",
        )
        refused(MissingValueError, files(17, lambda f: f.assign(sex=None)), "rows-17.parquet", '"sex" (')

    def test_with_a_negative_weight(self, files):
        refused(TableError, files(17, lambda f: f.assign(weight=-1.0)), "rows-17.parquet", "negative")

    def test_that_was_cut_short(self, files, tmp_path):
        source = files(17, lambda f: f)
        path = tmp_path / "rows-17.parquet"
        path.write_bytes(path.read_bytes()[:-50])
        refused(NotReadable, source, "rows-17.parquet", "no whole Parquet file")

    def test_whose_pages_are_damaged(self, files, tmp_path):
        source = files(17, lambda f: f)
        path = tmp_path / "rows-17.parquet"
        raw = bytearray(path.read_bytes())
        raw[4:400] = bytes(396)
        path.write_bytes(raw)
        refused(NotReadable, source, "rows-17.parquet")


class TestNothingThere:
    def test_a_glob_that_matches_nothing(self, tmp_path):
        refused(DataNotFound, str(tmp_path / "*.parquet"), "No file matches")

    def test_a_file_that_is_not_there_and_one_like_it(self, tmp_path):
        (tmp_path / "people.csv").write_text("a,b\n1,2\n")
        refused(DataNotFound, tmp_path / "poeple.csv", 'Did you mean "people.csv"?')

    def test_a_folder_without_files(self, tmp_path):
        refused(DataNotFound, tmp_path, "holds no Parquet or CSV file")

    def test_an_iterator_that_yields_nothing(self):
        refused(TableError, iter([]), "yields nothing")

    def test_files_without_rows(self, tmp_path):
        people().iloc[:0].to_parquet(tmp_path / "none.parquet")
        refused(TableError, tmp_path / "none.parquet", "no row")

    def test_rows_without_weight(self, tmp_path):
        people().assign(weight=0.0).to_parquet(tmp_path / "light.parquet")
        refused(TableError, tmp_path / "light.parquet", "sample_weight is zero")

    @pytest.mark.filterwarnings("ignore::twosdr.errors.ChoiceWarning")
    def test_rows_without_weight_may_hold_anything(self, tmp_path):
        frame = people()
        frame.loc[frame["weight"] == 0, ["sex", "skill"]] = ["of no known sex", np.inf]
        frame.to_parquet(tmp_path / "a.parquet")
        settings = {"alphas": [0.1, 1.0, 10.0, 100.0], "cv": 4}
        found = model(**settings).fit(tmp_path / "a.parquet", "pay", "weight")
        assert found.encoded_names_[0] == "sex=f"
        whole = model(**settings).fit(people(), "pay", "weight")
        assert np.array_equal(found.moments_.count, whole.moments_.count)
        assert np.allclose(found.coef_, whole.coef_, atol=1e-10)

    def test_one_row(self):
        refused(TableError, lambda: iter([people()[people()["weight"] > 0][:1]]), "minimum of 2")

    def test_a_file_of_unknown_kind(self, tmp_path):
        (tmp_path / "rows.xlsx").write_text("")
        refused(TableError, tmp_path / "rows.xlsx", "Parquet or CSV")

    def test_parquet_and_csv_at_once(self, tmp_path):
        people().to_parquet(tmp_path / "a.parquet")
        people().to_csv(tmp_path / "a.csv")
        refused(TableError, tmp_path, "Parquet and CSV files at once")


class TestNames:
    def test_y_must_name_a_column(self):
        source = lambda: iter([people()])  # noqa: E731
        with pytest.raises(ParameterError, match="y is the name of its target column"):
            model().fit(source, np.zeros(3))
        with pytest.raises(ColumnError, match=r"no column \"pya\". Did you mean \"pay\""):
            model().fit(source, "pya")
        with pytest.raises(ParameterError, match="sample_weight is the name of a column"):
            model().fit(source, "pay", np.ones(3))

    @pytest.mark.parametrize(
        "table",
        [people(), pl.from_pandas(people()), pa.Table.from_pandas(people()), people().to_dict("list")],
        ids=["pandas", "polars", "pyarrow", "dict"],
    )
    def test_strings_name_columns_of_a_table_at_hand_as_well(self, table):
        frame = people()
        expected = model().fit(frame.drop(columns=["pay", "weight"]), frame["pay"], frame["weight"])
        found = model().fit(table, "pay", "weight")
        assert np.allclose(found.coef_, expected.coef_, rtol=1e-12)
        assert found.encoded_names_.tolist() == expected.encoded_names_.tolist()

    def test_an_array_has_no_names(self):
        with pytest.raises(ColumnError, match="X has no names for"):
            TwoStageRegressor().fit(np.eye(3), "pay")

    def test_options_of_sources_are_refused_for_tables(self):
        with pytest.raises(ParameterError, match="state has no effect on a table at hand"):
            model().fit(people(), "pay", state="x")
        with pytest.raises(TypeError, match="unexpected keyword argument 'sate'"):
            model().fit(people(), "pay", sate="x")

    def test_a_wrapped_estimator_and_arrays_beside_are_refused(self):
        from sklearn.linear_model import LinearRegression

        source = lambda: iter([people()])  # noqa: E731
        with pytest.raises(ParameterError, match="LinearRegression is fitted on rows in memory"):
            TwoStageRegressor(LinearRegression()).fit(source, "pay")
        with pytest.raises(ParameterError, match="name columns"):
            TwoStageRegressor().fit(source, "pay", sensitive_features=[1, 2])

    def test_explicit_folds_are_refused_and_say_why(self):
        with pytest.raises(ParameterError, match="cv must be a whole number"):
            model(alphas=[1.0, 2.0], cv=np.zeros(240)).fit(lambda: iter([people()]), "pay")

    def test_too_many_levels_name_the_column(self, tmp_path):
        people().assign(who=[f"p{j}" for j in range(240)]).to_parquet(tmp_path / "a.parquet")
        with pytest.raises(ParameterError, match=r"\"who\".*max_levels=20"):
            model(max_levels=20).fit(tmp_path / "a.parquet", "pay")


class TestOnlyOnce:
    def test_levels_would_need_a_first_pass(self):
        with pytest.raises(TableError, match=r"can be read only once.*levels of \"sex\".*pass levels="):
            model().fit(iter([people()]), "pay")

    def test_declared_levels_spare_it(self):
        once = model().fit(iter(CHUNKINGS["sevenths"](people())), "pay", levels={"sex": ["f", "m"]})
        assert np.allclose(once.coef_, model().fit(people(), "pay").coef_, atol=1e-10)

    def test_classes_would_need_one_too(self):
        with pytest.raises(TableError, match="classes of the target"):
            TwoStageClassifier(sensitive="night", drop=["sex", "race"]).fit(iter([people()]), "hired")

    def test_partial_fit_with_classes_and_levels_needs_none(self):
        settings = {"sensitive": "sex", "drop": ["race", "pay"], "alphas": 1.0}
        once = TwoStageClassifier(**settings)
        for part in CHUNKINGS["sevenths"](people()):
            levels = None if hasattr(once, "moments_") else {"sex": ["f", "m"]}
            once.partial_fit(iter([part]), "hired", classes=["no", "yes"], levels=levels)
        assert np.allclose(once.coef_, TwoStageClassifier(**settings).fit(people(), "hired").coef_, atol=1e-10)

    def test_digits_that_a_second_pass_would_hold_are_said_to_be_lost(self):
        frame = people()[["year", "skill", "pay"]]
        frame["copy"] = frame["skill"] + 1e-4 * np.random.default_rng(0).normal(size=len(frame))
        with pytest.warns(SecondPassWarning, match="twice the digits"):
            TwoStageRegressor().fit(iter([frame]), "pay")

    def test_a_scorer_is_refused(self):
        asked = model(alphas=[1.0, 2.0], scoring="neg_median_absolute_error")
        with pytest.raises(ParameterError, match="can be read only once"):
            asked.fit(iter([people()]), "pay", levels={"sex": ["f", "m"]})

    def test_a_scorer_of_too_many_rows_is_refused_with_the_size(self, monkeypatch):
        from twosdr.estimators import _streamed

        monkeypatch.setattr(_streamed, "SCORED_BYTES", 100)
        with pytest.raises(ParameterError, match="GiB"):
            model(alphas=[1.0, 2.0], scoring="neg_median_absolute_error").fit(lambda: iter([people()]), "pay")

    def test_a_record_batch_reader_is_read_once(self):
        table = pa.Table.from_pandas(people().drop(columns=["sex", "race", "hired"]), preserve_index=False)
        found = TwoStageRegressor(sensitive="night").fit(table.to_reader(50), "pay")
        assert np.allclose(found.coef_, TwoStageRegressor(sensitive="night").fit(table, "pay").coef_, atol=1e-10)

    def test_a_later_batch_with_other_columns_is_named(self):
        with pytest.raises(ColumnError, match=r"batch 1.*\"skill\""):
            model().fit(iter([people(), people().drop(columns="skill")]), "pay", levels={"sex": ["f", "m"]})


@pytest.mark.parametrize("engine", ["Parquet", "CSV", "Polars"])
def test_threads_do_not_change_a_byte(engine, tmp_path, monkeypatch):
    monkeypatch.setattr(embedded, "piece_rows", lambda width: 20)
    source = ORDERED[engine](CHUNKINGS["sevenths"](people()), tmp_path)
    one, three = (regressor(n_jobs=n).fit(source, "pay", "weight").moments_ for n in (1, 3))
    for name in BYTES:
        assert getattr(one, name).tobytes() == getattr(three, name).tobytes(), name


@pytest.mark.parametrize("sizes", [[1] * 9, [9], [4, 0, 5], [2, 7], []])
def test_batches_of_any_length_are_cut_at_the_same_rows(sizes):
    edges = np.cumsum([0, *sizes])
    batches = [pa.record_batch([pa.array(np.arange(a, b))], names=["a"]) for a, b in itertools.pairwise(edges)]
    cut = [t["a"].to_pylist() for t in embedded.cut(iter(batches), 4)]
    assert cut == ([[0, 1, 2, 3], [4, 5, 6, 7], [8]] if sizes else [])


def test_only_the_columns_that_are_needed_are_read(tmp_path):
    frame = people()
    frame["when"] = pd.Timestamp("2020-01-01")  # of no use, and never looked at
    frame.to_parquet(tmp_path / "a.parquet")
    regressor(drop=["hired", "when"]).fit(tmp_path / "a.parquet", "pay", "weight")
    with pytest.raises(KindError, match=r"\"when\" holds dates"):
        regressor().fit(tmp_path / "a.parquet", "pay")


def test_a_csv_whose_types_change_names_the_file_and_the_column(tmp_path):
    people().to_csv(tmp_path / "a.csv", index=False)
    people().assign(age="old").to_csv(tmp_path / "b.csv", index=False)
    with pytest.raises(KindError, match=r"b.csv\": column \"age\" changed its kind.*'old'"):
        model().fit(tmp_path / "*.csv", "pay")


def test_a_csv_with_empty_fields_and_a_torn_line(tmp_path):
    text = "sex,skill,pay\nf,1,1\nm,,2\nf,3,3\n"
    (tmp_path / "gap.csv").write_text(text)
    with pytest.raises(MissingValueError, match=r"gap.csv.*\"skill\" \(1 row\)"):
        TwoStageRegressor(sensitive="sex").fit(tmp_path / "gap.csv", "pay")
    (tmp_path / "torn.csv").write_text(text + "f,1\n")
    with pytest.raises(NotReadable, match=r"torn.csv"):
        TwoStageRegressor(sensitive="sex").fit(tmp_path / "torn.csv", "pay")


def test_partial_fit_goes_on_with_another_source(tmp_path):
    frame = people()
    settings = {"alphas": [1.0, 10.0, 100.0], "cv": 4}
    frame.iloc[:100].to_parquet(tmp_path / "a.parquet")
    frame.iloc[100:].to_parquet(tmp_path / "b.parquet")
    grown = model(**settings).partial_fit(tmp_path / "a.parquet", "pay").partial_fit(tmp_path / "b.parquet", "pay")
    at_once = model(**settings).partial_fit(frame, "pay")
    assert np.array_equal(grown.moments_.count, at_once.moments_.count)  # the same rows in the same folds
    assert np.allclose(grown.coef_, at_once.coef_, atol=1e-10)
    with pytest.raises(ColumnError, match="lacks"):
        grown.partial_fit(lambda: iter([frame[["sex"]]]), "pay")


class TestState:
    def test_a_killed_fit_goes_on_and_gives_the_same_bytes(self, files, tmp_path):
        source, state = files(0, lambda f: f), tmp_path / "fit.state"
        program = f"""
            import os, signal
            from twosdr import TwoStageRegressor
            from twosdr.engines import state
            keep, done = state.State.keep, []
            def counted(self, file, value, n_rows):
                keep(self, file, value, n_rows)
                done.append(file)
                if len(done) == 25:
                    os.kill(os.getpid(), signal.SIGKILL)
            state.State.keep = counted
            model = TwoStageRegressor(sensitive="sex", drop=["race", "key", "hired"], alphas=[1.0, 10.0, 100.0], n_jobs=2)
            model.fit({source!r}, "pay", "weight", state={str(state)!r})
        """
        killed = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], capture_output=True)
        assert killed.returncode == -signal.SIGKILL
        read = []
        with pytest.MonkeyPatch.context() as patched:
            from twosdr.engines import state as room

            keep = room.State.keep
            patched.setattr(
                room.State, "keep", lambda self, file, *rest: (read.append(file.name), keep(self, file, *rest))[1]
            )
            resumed = model(alphas=[1.0, 10.0, 100.0]).fit(source, "pay", "weight", state=state)
        assert len(read) == FILES - 25
        whole = model(alphas=[1.0, 10.0, 100.0]).fit(source, "pay", "weight")
        for name in BYTES:
            assert getattr(resumed.moments_, name).tobytes() == getattr(whole.moments_, name).tobytes(), name
        assert resumed.rows_seen_ == 6 * FILES

    def test_a_state_of_another_fit_or_other_files_is_refused(self, files, tmp_path):
        source, state = files(0, lambda f: f), tmp_path / "fit.state"
        model().fit(source, "pay", state=state)
        with pytest.raises(NotReadable, match="state of another fit"):
            model().fit(source, "pay", "weight", state=state)
        files(17, lambda f: f.assign(skill=f["skill"] + 1))
        with pytest.raises(NotReadable, match=r"rows-17.parquet\" has changed"):
            model().fit(source, "pay", state=state)
        (tmp_path / "rows-39.parquet").unlink()
        with pytest.raises(NotReadable, match=r"rows-39.parquet.*does not have any more"):
            model().fit(source, "pay", state=state)

    def test_what_is_no_state_is_refused(self, files, tmp_path):
        (tmp_path / "fit.state").write_text("not a database, though as long as the header of one would be" * 20)
        with pytest.raises(NotReadable, match="no state of a fit"):
            model().fit(files(0, lambda f: f), "pay", state=tmp_path / "fit.state")

    def test_a_stream_has_no_files_to_finish(self, tmp_path):
        with pytest.raises(ParameterError, match="state="):
            model().fit(iter([people()]), "pay", levels={"sex": ["f", "m"]}, state=tmp_path / "s")


class TestPredictTo:
    @pytest.fixture
    def fitted(self):
        return model().fit(people(), "pay", "weight")

    @pytest.mark.parametrize("ending", ["parquet", "csv"])
    @pytest.mark.parametrize("engine", [name for name in ORDERED if "Dask" not in name])
    def test_rows_keep_their_order(self, fitted, engine, ending, tmp_path, monkeypatch):
        monkeypatch.setattr(embedded, "piece_rows", lambda width: 17)
        fitted.n_jobs = 2
        (tmp_path / "in").mkdir()
        source = ORDERED[engine](CHUNKINGS["sevenths"](people()), tmp_path / "in")
        assert fitted.predict_to(source, tmp_path / f"out.{ending}", keep=["year", "sex"]) == 240
        found = pd.read_parquet(tmp_path / "out.parquet") if ending == "parquet" else pd.read_csv(tmp_path / "out.csv")
        assert found.columns.tolist() == ["year", "sex", "prediction"]
        frame = people()
        assert np.allclose(found["year"], frame["year"], rtol=1e-15)
        expected = fitted.predict(frame.drop(columns=["pay", "weight"]))
        assert np.allclose(found["prediction"], expected, rtol=1e-12)
        assert np.allclose(fitted.predict(source), expected, rtol=1e-12)

    def test_classes_come_with_their_scores(self, tmp_path):
        fitted = TwoStageClassifier(sensitive="sex", drop=["race", "pay"], alphas=1.0).fit(people(), "hired")
        fitted.predict_to(people(), tmp_path / "a.parquet")
        found = pd.read_parquet(tmp_path / "a.parquet")
        assert found["prediction"].tolist() == fitted.predict(people()).tolist()
        assert np.array_equal(found["score"], fitted.decision_function(people()))

    def test_a_full_disk_leaves_nothing_under_the_final_name(self, fitted, tmp_path):
        """A limit on the size of files stands in for the disk: writing fails in the middle with an OSError all the same."""
        people(60_000).to_parquet(tmp_path / "in.parquet")
        targets = [tmp_path / f"out.{ending}" for ending in ("parquet", "csv")]
        for target in targets:
            target.write_text("what was there before")
        program = f"""
            import resource, signal
            from twosdr import TwoStageRegressor
            source = {str(tmp_path / "in.parquet")!r}
            model = TwoStageRegressor(sensitive="sex", drop=["race", "key", "hired"]).fit(source, "pay", "weight")
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))
            for target in {list(map(str, targets))!r}:
                try:
                    model.predict_to(source, target)
                except OSError as trouble:
                    print("refused")
        """
        done = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True)
        assert done.stdout == "refused\nrefused\n", done.stderr
        assert all(target.read_text() == "what was there before" for target in targets)
        assert sorted(p.name for p in tmp_path.iterdir()) == ["in.parquet", "out.csv", "out.parquet"]

    def test_an_error_in_a_late_row_leaves_nothing_either(self, fitted, files, tmp_path):
        (tmp_path / "out").mkdir()
        with pytest.raises(UnknownLevelError, match=r"rows-39.parquet"):
            fitted.predict_to(files(39, lambda f: f.assign(sex="x")), tmp_path / "out" / "a.parquet")
        assert list((tmp_path / "out").iterdir()) == []

    def test_what_cannot_be_written_is_said_before_a_row_is_read(self, fitted, tmp_path):
        source = iter([])  # would say so if it were asked
        with pytest.raises(ParameterError, match="ending says the format"):
            fitted.predict_to(source, tmp_path / "out.json")
        with pytest.raises(ParameterError, match="no folder"):
            fitted.predict_to(source, tmp_path / "none" / "out.csv")
        with pytest.raises(ColumnError, match="keep= names"):
            fitted.predict_to(people(), tmp_path / "out.csv", keep="height")
        with pytest.raises(ColumnError, match="is what predictions are called"):
            fitted.predict_to(people().assign(prediction=1), tmp_path / "out.csv", keep="prediction")
        with pytest.raises(TableError, match="no row to predict"):
            fitted.predict_to(lambda: iter([people()[:0]]), tmp_path / "out.csv")
        with pytest.raises(ColumnError, match=r"Missing: \"skill\""):
            fitted.predict_to(people().drop(columns="skill"), tmp_path / "out.csv")


class TestProgress:
    def test_it_shows_rows_rate_and_time_left_on_a_terminal(self, monkeypatch, tmp_path):
        shown = io.StringIO()
        shown.isatty = lambda: True
        monkeypatch.setattr(sys, "stderr", shown)
        monkeypatch.setenv("TERM", "xterm")
        people().to_parquet(tmp_path / "a.parquet")
        model().fit(tmp_path / "a.parquet", "pay", progress=True)
        assert "240 rows" in shown.getvalue()
        assert "rows/s" in shown.getvalue()

    def test_it_is_silent_elsewhere(self, capsys, tmp_path):
        people().to_parquet(tmp_path / "a.parquet")
        model().fit(tmp_path / "a.parquet", "pay", progress=True)
        assert capsys.readouterr() == ("", "")
        with progress.bar("x", None, False) as advance:
            advance(3)
