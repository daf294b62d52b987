"""A SELECT answers as predict does, in databases that run; and no name or level gets out of its quotes."""

import re
import sqlite3
from contextlib import closing
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import sqlglot

import twosdr
from tests.rooms.export.databases import in_duckdb, in_sqlite, postgres, why_no_postgres
from tests.rooms.model.cases import MAKERS, ODD, Case, case, frame
from tests.rooms.samples import people, refused, target
from twosdr import TwoStageClassifier, TwoStageRegressor, export
from twosdr.errors import ParameterError
from twosdr.export.dialects import DIALECTS, dialect_of
from twosdr.export.sql import TERMS
from twosdr.model import Affine
from twosdr.roles import Field, Roles

# A sum of a few dozen products in another order: rounding, and a hundredfold of it.
CLOSE = 1e-12


def translated(dialect):
    """Dialects whose servers nobody can start here, parsed by sqlglot and run by DuckDB."""

    def run(sql, rows, name="people"):
        [found] = sqlglot.transpile(sql, read=dialect, write="duckdb", error_level=sqlglot.ErrorLevel.RAISE)
        return in_duckdb(found, rows, name)

    return run


@pytest.fixture(scope="module")
def server():
    if why := why_no_postgres():
        pytest.skip(why)
    with postgres() as run:
        yield run


@pytest.fixture
def run(request, dialect):
    found = {"duckdb": in_duckdb, "sqlite": in_sqlite}
    return request.getfixturevalue("server") if dialect == "postgres" else found.get(dialect) or translated(dialect)


SERVED = ["duckdb", "sqlite", "postgres"]
EVERY = pytest.mark.parametrize("dialect", DIALECTS)
REAL = pytest.mark.parametrize("dialect", SERVED)
# sqlglot takes its time, so the many-fold tests ask it under the mark.
MANY = pytest.mark.parametrize(
    "dialect", [d if d in SERVED else pytest.param(d, marks=pytest.mark.slow) for d in DIALECTS]
)


def rows_of(c):
    """The case's rows with what stands beside them as columns."""
    rows = c.rows if isinstance(c.rows, pd.DataFrame) else pd.DataFrame(c.rows).add_prefix("x")
    return rows.assign(**{values.name: values for values in c.beside.values()})


def numbers(answer, but=("row", "decision")):
    return answer[[name for name in answer if name not in but]].to_numpy(dtype=float)


@MANY
@pytest.mark.parametrize("name", MAKERS)
def test_the_answers_are_those_of_predict(name, dialect, run):
    c = case(name)
    answer = run(export.to_sql(c.model, dialect=dialect, table="people", keep=["row"]), rows_of(c))
    expected = np.reshape(c.raw(), (len(c.rows), -1))
    assert np.abs(numbers(answer) - expected).max() <= CLOSE * expected.std()
    if hasattr(c.model, "classes_"):
        assert answer["decision"].tolist() == c.model.predict(c.rows, **c.beside).tolist()


@REAL
def test_a_loaded_model_gives_the_same_statement(dialect, tmp_path):
    c = case("missing as a level")
    c.model.save(tmp_path / "m.json")
    loaded = twosdr.load(tmp_path / "m.json")
    assert export.to_sql(loaded, dialect=dialect, table="t") == export.to_sql(c.model, dialect=dialect, table="t")


SPOILT = [
    *(("race", "Martian"), ("race", None), ("sex", None), ("skill", None), ("skill", np.inf), ("skill", -np.inf)),
    *(("part_time", None), ("district", None), ("district", 9), ("grade", 0.75), ("member", None)),
]
KINDS = {"part_time": "boolean", "member": "boolean", "district": "category", "grade": "category", "skill": float}


@EVERY
@pytest.mark.parametrize("kind", ["regressor", "yes and no"])
def test_where_predict_raises_the_row_has_null_and_the_others_their_answer(kind, dialect, run):
    model, rows = case(kind).model, frame(7, 2 * len(SPOILT))
    expected = Case(model, rows).raw()
    spoilt = rows.astype({name: object for name, _ in SPOILT})
    for j, (name, value) in enumerate(SPOILT):
        spoilt.loc[2 * j, name] = value
    spoilt = spoilt.astype(KINDS)
    for j in range(len(SPOILT)):
        with pytest.raises(twosdr.errors.TwosdrError):
            model.predict(spoilt[2 * j : 2 * j + 1])
    answer = run(export.to_sql(model, dialect=dialect, table="people", keep=["row"]), spoilt)
    found = numbers(answer)[:, 0]
    assert np.isnan(found[::2]).all()
    assert np.abs(found - expected)[1::2].max() <= CLOSE * expected.std()
    if kind == "yes and no":
        assert answer["decision"][::2].isna().all()
        assert answer["decision"][1::2].tolist() == model.predict(rows[1::2]).tolist()


@pytest.mark.parametrize("dialect", ["duckdb", "postgres"])
@pytest.mark.parametrize("name", ["regressor", "unknown and missing as average"])
def test_nan_is_missing_as_null_is(name, dialect, run):
    c = case(name)
    rows = frame(7, 6)
    sql = export.to_sql(c.model, dialect=dialect, table="people", keep=["row"])
    # The same SELECT on a table that holds NaN: what was NULL is made one on the way.
    as_nan = sql.replace('FROM "people"', "FROM (SELECT * REPLACE (CAST('NaN' AS DOUBLE) AS skill) FROM people)")
    if dialect == "postgres":
        others = ", ".join(f'"{n}"' for n in ["row", *rows] if n != "skill")
        as_nan = sql.replace('FROM "people"', f"FROM (SELECT {others}, 'NaN'::float8 AS skill FROM people)")
    found = numbers(run(as_nan, rows))[:, 0]
    if name == "regressor":
        assert np.isnan(found).all()
    else:
        assert np.abs(found - c.model.predict(rows.assign(skill=np.nan))).max() <= CLOSE


@REAL
def test_a_column_that_the_model_does_not_use_need_not_be_there(dialect, run):
    c = case("without s")
    sql = export.to_sql(c.model, dialect=dialect, table="people", keep="row")
    assert '"sex"' not in sql
    assert '"race"' not in sql
    assert not np.isnan(numbers(run(sql, c.rows))).any()


@REAL
def test_all_columns_are_kept_unless_some_are_named(dialect, run):
    c = case("three classes")
    answer = run(export.to_sql(c.model, dialect=dialect, table="people", prefix="new_"), c.rows)
    assert list(answer) == ["new_decision", "new_score_high", "new_score_low", "new_score_middle", "row", *c.rows]
    answer = run(export.to_sql(c.model, dialect=dialect, table="people", keep=["age", "row"]), c.rows)
    assert list(answer)[:2] == ["age", "row"]


def wide(columns):
    """A model of so many columns, which nobody fitted."""
    rng = np.random.default_rng(0)
    names = tuple(f"c{j}" for j in range(columns))
    fields = tuple(Field(name, "x", "number") for name in names)
    affine = Affine(names, rng.normal(size=(columns, 1)), rng.normal(size=1), np.zeros(columns))
    return replace(case("regressor").model._portable(), roles=Roles(fields), affine=affine)


@pytest.mark.parametrize("dialect", ["duckdb", "sqlite"])
def test_a_column_that_the_model_does_not_know_does_not_hide_the_score(dialect, run):
    """The decision rests on the model's score, also where the table has one of its own; PostgreSQL refuses such a table."""
    c = case("yes and no")
    rows = c.rows.assign(score=99.0)
    answer = run(export.to_sql(c.model, dialect=dialect, table="people"), rows)
    assert answer.iloc[:, 0].tolist() == c.model.predict(c.rows).tolist()
    assert np.abs(answer.iloc[:, 1].to_numpy(dtype=float) - c.raw()).max() <= CLOSE * c.raw().std()


def test_postgres_refuses_a_table_with_a_score_of_its_own(server):
    c = case("yes and no")
    with pytest.raises(Exception, match="ambiguous"):
        server(export.to_sql(c.model, dialect="postgres", table="people"), c.rows.assign(score=99.0))


@pytest.mark.parametrize("columns", [TERMS - 1, TERMS, 1100])
@pytest.mark.parametrize("run", [in_sqlite, in_duckdb])
def test_more_terms_than_a_parser_can_stack(columns, run):
    model = wide(columns)
    rows = pd.DataFrame(np.random.default_rng(1).normal(size=(3, columns)).round(3)).add_prefix("c")
    expected = model.affine(rows.to_numpy())[:, 0]
    answer = run(export.to_sql(model, dialect=run.__name__[3:], table="people", keep=["row"]), rows)
    assert np.abs(numbers(answer)[:, 0] - expected).max() <= CLOSE * expected.std()


def test_more_classes_than_a_parser_can_stack():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"s": rng.normal(size=400), "x": rng.normal(size=400)})
    y = np.arange(400) % (TERMS + 2)
    model = TwoStageClassifier(sensitive="s", alphas=1.0).fit(X, y)
    for dialect, run in (("sqlite", in_sqlite), ("duckdb", in_duckdb)):
        answer = run(export.to_sql(model, dialect=dialect, table="people", keep=["row"]), X[:5])
        assert answer["decision"].tolist() == model.predict(X[:5]).tolist()


# Injection

TRAPS = [
    *(ODD["drop"], ODD["slash"], ODD["lines"], "'; DROP TABLE people; --"),
    *(ODD["tick"], ODD["script"], ODD["umlaut"], ODD["percent"]),
    *("''", "\\'", "\\", "a\\' OR ''='", "/* */", "%(a)s", "}}"),
]


@EVERY
@pytest.mark.parametrize("text", [*TRAPS[:4], *(pytest.param(text, marks=pytest.mark.slow) for text in TRAPS[4:])])
def test_text_and_names_come_back_as_they_went_in(text, dialect, run):
    """Every trap as a level, as a class, as a column, as the table's name and as a kept column."""
    rng = np.random.default_rng(1)
    fits_name = not (dialect == "bigquery" and "." in text)
    name = text if fits_name else "plain"
    X = pd.DataFrame(
        {name: np.array(["other", text])[rng.integers(0, 2, 60)], "s": rng.normal(size=60), "x": rng.normal(size=60)}
    )
    y = np.where(X["x"] + (X[name] == text) > 0.4, text, "no")
    model = TwoStageClassifier(sensitive="s", alphas=0.1).fit(X, y)
    sql = export.to_sql(model, dialect=dialect, table=name, keep=["row", name])
    answer = run(sql, X, name)
    assert list(answer) == ["row", name, "score", "decision"]
    assert answer["decision"].tolist() == model.predict(X).tolist()
    assert {text, "no"} == set(answer["decision"])
    assert answer[name].tolist() == X[name].tolist()


@EVERY
def test_a_statement_is_one_statement(dialect):
    sql = export.to_sql(case("traps").model, dialect=dialect, table=('pu"b`lic', "peo\\ple'; --"))
    assert len(sqlglot.parse(sql, read=dialect)) == 1
    tree = sqlglot.parse_one(sql, read=dialect)
    assert {t.key for t in tree.find_all(sqlglot.exp.Drop, sqlglot.exp.Command, sqlglot.exp.Insert)} == set()
    assert not any(node.comments for node in tree.walk())


def test_postgres_reads_the_same_text_when_backslashes_escape(server):
    c = case("traps")
    sql = export.to_sql(c.model, dialect="postgres", table="people", keep=["row"])
    expected = server(sql, c.rows)
    with_escapes = server(sql, c.rows, settings="SET standard_conforming_strings = off")
    assert with_escapes.equals(expected)
    assert not np.isnan(numbers(expected)).any()


def test_two_minus_signs_never_meet():
    quote = dialect_of("duckdb")
    assert quote.number(-1.0) == "(-1.0e0)"
    for dialect in DIALECTS:
        sql = export.to_sql(case("far from zero").model, dialect=dialect, table="people")
        assert "--" not in sql
        assert not re.search(r"-\s+-", sql)


@pytest.mark.parametrize("value", [0.1, -0.0, 1e-300, 1.7976931348623157e308, 5e-324, 123456789.12345679, 1e22, -2 / 3])
def test_numbers_keep_every_digit(value):
    import duckdb

    with closing(duckdb.connect()) as db:
        [found] = db.execute(f"SELECT {dialect_of('duckdb').number(value)}").fetchone()
    assert found == value
    assert type(found) is float
    with closing(sqlite3.connect(":memory:")) as db:
        [found] = db.execute(f"SELECT {dialect_of('sqlite').number(value)}").fetchone()
    # SQLite's own reading of decimals may be off in the last digits; of subnormal ones in all.
    assert abs(found - value) <= 4e-16 * abs(value) + 1e-307


def test_numbers_keep_every_digit_in_postgres(server):
    values = [0.1, 1e-300, 1.7976931348623157e308, 123456789.12345679, 1e22, -2 / 3]
    shown = ", ".join(f"{dialect_of('postgres').number(v)} AS v{j}" for j, v in enumerate(values))
    found = server(f"SELECT row, {shown} FROM people", pd.DataFrame({"x": [1.0]}))
    assert found.iloc[0, 1:].tolist() == values


# Literal statements of the dialects that no server here reads


def test_bigquery_by_hand():
    sql = export.to_sql(case("traps").model, dialect="bigquery", table=("my-project", "set", "people"))
    assert "FROM `my-project`.`set`.`people` AS r" in sql
    assert "r.`it's \\`this\\``" in sql
    assert "'back\\\\slash\\' OR 1=1 --'" in sql
    assert "'two\\x0alines\\x0d\\x0a\\x09tab'" in sql
    assert "CAST(r.`größe 👩\u200d🔬 שלום` AS FLOAT64)" in sql


def test_nan_of_bigquery_equals_nothing():
    sql = export.to_sql(case("unknown and missing as average").model, dialect="bigquery", table="people")
    assert "r.`skill` IS NULL OR IS_NAN(CAST(r.`skill` AS FLOAT64))" in sql
    assert "'NaN'" not in sql


def test_snowflake_by_hand():
    sql = export.to_sql(case("traps").model, dialect="snowflake", table=("DB", "PUBLIC", "people"))
    assert 'FROM "DB"."PUBLIC"."people" AS r' in sql
    assert "'back\\\\slash'' OR 1=1 --'" in sql
    assert 'r."a""; drop table people; --"' in sql
    assert re.search(r"'\d\.\d+'::FLOAT", sql)


# Refusals


def test_an_unknown_dialect_names_the_known_ones():
    with refused(ParameterError, "duckdb", "snowflake", "'mysql'"):
        export.to_sql(case("regressor").model, dialect="mysql", table="t")


def test_what_is_no_model_is_refused():
    with refused(ParameterError, "Got str"):
        export.to_sql("m.json", dialect="duckdb", table="t")


@pytest.mark.parametrize(("table", "keep"), [((), None), (7, None), ("", None), ("t", [7]), ("t", [""])])
def test_names_have_to_be_names(table, keep):
    with refused(ParameterError, "name"):
        export.to_sql(case("regressor").model, dialect="duckdb", table=table, keep=keep)


@pytest.mark.parametrize("prefix", [7, "a\0"])
def test_a_prefix_has_to_be_text(prefix):
    with refused(ParameterError):
        export.to_sql(case("yes and no").model, dialect="duckdb", table="t", prefix=prefix)


def model_with(*names):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(20, len(names))), columns=list(names))
    return TwoStageRegressor(sensitive=names[0]).fit(X, rng.normal(size=20))


@pytest.mark.parametrize("dialect", ["duckdb", "sqlite", "bigquery"])
def test_names_that_a_database_takes_for_one_are_refused(dialect):
    with refused(ParameterError, '"Age"', '"age"', "for one"):
        export.to_sql(model_with("s", "Age", "age"), dialect=dialect, table="t")
    export.to_sql(model_with("s", "Age", "age"), dialect="postgres", table="t")


def test_names_longer_than_postgres_reads_are_refused_where_they_meet():
    long = "x" * 63
    export.to_sql(model_with("s", long + "1"), dialect="postgres", table="t")
    with refused(ParameterError, "for one"):
        export.to_sql(model_with("s", long + "1", long + "2"), dialect="postgres", table="t")


def test_new_columns_do_not_hide_old_ones():
    model = model_with("s", "Prediction")
    with refused(ParameterError, '"prediction"', "prefix="):
        export.to_sql(model, dialect="duckdb", table="t")
    export.to_sql(model, dialect="duckdb", table="t", prefix="my_")
    export.to_sql(model, dialect="duckdb", table="t", keep=["id"])
    for keep in (["prediction"], ["id", "id"]):
        with refused(ParameterError, "for one"):
            export.to_sql(case("regressor").model, dialect="duckdb", table="t", keep=keep)


def test_what_no_sql_can_say_is_refused():
    X = pd.DataFrame({"s": [0.0, 1.0, 0.0, 1.0, 1.0], "g": ["a\0", "b", "b", "a\0", "b"], "x": [1.0, 2, 4, 3, 5]})
    model = TwoStageRegressor(sensitive="s").fit(X, [1.0, 2, 3, 4, 7])
    with refused(ParameterError, "NUL"):
        export.to_sql(model, dialect="sqlite", table="t")
    with refused(ParameterError, "dot"):
        export.to_sql(model_with("s", "a.b"), dialect="bigquery", table="t")


def test_a_missing_column_is_an_error_and_not_a_string():
    """SQLite reads a double-quoted name that is no column as text, unless it stands behind a table."""
    model = TwoStageRegressor(sensitive="sex").fit(frame(0), target(people(90, 0)))
    with pytest.raises(sqlite3.OperationalError, match="no such column"):
        in_sqlite(
            export.to_sql(model, dialect="sqlite", table="people", keep=["row"]), frame(7, 3).drop(columns="race")
        )


@REAL
def test_levels_are_compared_byte_by_byte(dialect, run):
    rows = frame(7, 6)
    rows.loc[0, "race"] = rows["race"][0].upper()
    answer = run(export.to_sql(case("regressor").model, dialect=dialect, table="people", keep=["row"]), rows)
    assert np.isnan(numbers(answer)[0, 0])
    assert not np.isnan(numbers(answer)[1:]).any()


def test_a_collation_of_the_column_does_not_change_levels():
    sql = export.to_sql(case("regressor").model, dialect="sqlite", table="people", keep=["row"])
    upper = frame(7, 3).assign(race=["WHITE"] * 3)
    plain = in_sqlite(sql, upper)
    folded = in_sqlite(sql.replace('"people"', "(SELECT *, race COLLATE NOCASE AS race FROM people)"), upper)
    assert np.isnan(numbers(plain)).all()
    assert np.isnan(numbers(folded)).all()
