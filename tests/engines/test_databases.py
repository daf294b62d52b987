"""Queries through ADBC: SQLite in a file, and a PostgreSQL server that the test starts on loopback."""

import os
import shutil
import socket
import subprocess
import tempfile
from contextlib import closing
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from tests.engines.samples import people, regressor, same_fit
from twosdr.engines import Query
from twosdr.errors import ParameterError, TableError

pytestmark = pytest.mark.filterwarnings("ignore::twosdr.errors.ChoiceWarning")


def table():
    frame = people().drop(columns=["night"])
    frame["place"] = np.arange(len(frame))
    return pa.Table.from_pandas(frame, preserve_index=False)


def at_hand():
    return regressor(drop=["hired", "place"]).fit(table(), "pay", "weight")


def fill(connection):
    with connection.cursor() as cursor:
        cursor.adbc_ingest("people", table(), mode="create")
    connection.commit()


class TestSQLite:
    pytest.importorskip("adbc_driver_sqlite", reason="the ADBC driver of SQLite (the extra `sql`) is not installed")

    @pytest.fixture
    def uri(self, tmp_path):
        from adbc_driver_sqlite import dbapi

        with closing(dbapi.connect(str(tmp_path / "people.db"))) as connection:
            fill(connection)
        return f"sqlite:///{tmp_path / 'people.db'}"

    def test_a_query_equals_its_rows_at_hand(self, uri):
        model = regressor(drop=["hired", "place"])
        assert same_fit(model.fit(Query(uri, "SELECT * FROM people ORDER BY place;"), "pay", "weight"), at_hand())

    def test_an_open_connection_serves_as_well(self, uri):
        from adbc_driver_sqlite import dbapi

        with closing(dbapi.connect(uri.removeprefix("sqlite:///"))) as connection:
            found = regressor(drop=["hired", "place"]).fit(Query(connection, "SELECT * FROM people"), "pay", "weight")
        assert same_fit(found, at_hand())

    def test_only_the_columns_that_are_needed_are_asked_for(self, uri):
        # A column that SQLite cannot compute would fail if it were read.
        sql = "SELECT *, json(sex) AS broken FROM people"
        with pytest.raises(TableError, match="refused the query"):
            regressor(drop=["hired", "place"]).fit(Query(uri, sql), "pay", "weight")

    def test_what_is_wrong_is_said(self, uri, tmp_path):
        with pytest.raises(TableError, match=r"refused the query.*nobody"):
            regressor().fit(Query(uri, "SELECT * FROM nobody"), "pay")
        with pytest.raises(ParameterError, match=r"begins with.*Got \"mysql\""):
            regressor().fit(Query("mysql://root:secret@host/db", "SELECT 1"), "pay")
        with pytest.raises(ParameterError, match="text of a SELECT"):
            regressor().fit(Query(uri, ""), "pay")
        assert "secret" not in repr(Query("postgresql://me:secret@host/db", "SELECT 1"))


PROGRAMS = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb")) + (
    [Path(shutil.which("initdb"))] if shutil.which("initdb") else []
)


def as_user(command, **how):
    """The server refuses to run as root; Debian's package made a user for it."""
    prefix = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
    return [*prefix, *map(str, command)]


@pytest.fixture(scope="module")
def server():
    bin_ = PROGRAMS[-1].parent
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory(prefix="twosdr-pg-") as folder:
        data = Path(folder) / "data"
        if os.geteuid() == 0:
            shutil.chown(folder, "postgres")
        quiet = {"check": True, "capture_output": True, "cwd": folder}
        subprocess.run(as_user([bin_ / "initdb", "-D", data, "-U", "tester", "--auth=trust", "--no-sync"]), **quiet)
        options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off"
        control = [bin_ / "pg_ctl", "-D", data, "-w"]
        subprocess.run(as_user([*control, "-l", f"{folder}/log", "-o", options, "start"]), **quiet)
        try:
            from adbc_driver_postgresql import dbapi

            uri = f"postgresql://tester@127.0.0.1:{port}/postgres"
            with closing(dbapi.connect(uri)) as connection:
                fill(connection)
            yield uri
        finally:
            subprocess.run(as_user([*control, "-m", "immediate", "stop"]), **quiet)


@pytest.mark.skipif(not PROGRAMS, reason="no PostgreSQL on this machine (Debian: apt-get install postgresql)")
@pytest.mark.skipif(
    os.geteuid() == 0 and not shutil.which("runuser"), reason="root cannot start PostgreSQL without runuser"
)
class TestPostgreSQL:
    pytest.importorskip(
        "adbc_driver_postgresql", reason="the ADBC driver of PostgreSQL (the extra `sql`) is not installed"
    )

    def test_a_query_equals_its_rows_at_hand(self, server):
        query = Query(server, "SELECT * FROM people ORDER BY place")
        assert same_fit(regressor(drop=["hired", "place"]).fit(query, "pay", "weight"), at_hand())

    def test_predictions_stream_out_of_it(self, server, tmp_path):
        import pyarrow.parquet as pq

        model = at_hand()
        model.predict_to(Query(server, "SELECT * FROM people ORDER BY place"), tmp_path / "out.parquet", keep="place")
        found = pq.read_table(tmp_path / "out.parquet")
        assert found["place"].to_pylist() == list(range(240))
        expected = model.predict(table().drop_columns(["pay", "weight"]))
        assert np.allclose(found["prediction"], expected, rtol=1e-12)

    def test_a_server_that_is_not_there(self):
        with pytest.raises(TableError, match="cannot be reached"):
            regressor().fit(Query("postgresql://tester@127.0.0.1:1/postgres", "SELECT 1"), "pay")
