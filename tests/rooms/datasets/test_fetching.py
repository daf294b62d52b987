"""fetching.py against a server on 127.0.0.1 and file: URLs; nothing half-written ever stands under the final name."""

import errno
import gzip
import io
import math
import os
import subprocess
import sys
import tarfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.rooms.datasets import toy
from tests.rooms.datasets.originals import FILES, LSAC_RDA
from tests.rooms.samples import refused
from twosdr import datasets
from twosdr.datasets import base, fetching
from twosdr.errors import FetchError, ParameterError

BIG = b"x" * 5000


def archive(members):
    """A .tar.gz with these members."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as tar:
        for name, content in members.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            tar.addfile(entry, io.BytesIO(content))
    return out.getvalue()


CONTENTS = {
    "good": toy.CONTENT,
    "good%20b%C3%BCcher": toy.CONTENT,
    "wrong": b"s,y\n9,9\n",
    "big": BIG,
    "tar": archive({"toy/toy.csv": toy.CONTENT}),
    "empty-tar": archive({"toy/other.csv": toy.CONTENT}),
    "big-tar": archive({"toy/toy.csv": BIG}),
    "cut-tar": archive({"toy/toy.csv": BIG})[:60],
    "no-tar": gzip.compress(b"no archive"),
}


class Handler(BaseHTTPRequestHandler):
    """/good/toy.csv behaves well; the other first words name what goes wrong."""

    asked: list[str] = []  # noqa: RUF012
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.asked.append(self.path)
        how = self.path.split("/")[1]
        self.close_connection = True
        if how == "absent":
            return self.send_error(404)
        if how == "moved":
            self.send_response(302)
            self.send_header("Location", "/good/toy.csv")
            self.send_header("Content-Length", "0")
            return self.end_headers()
        if how == "moved-nowhere":
            self.send_response(302)
            self.send_header("Location", "http://[::1")
            self.send_header("Content-Length", "0")
            return self.end_headers()
        if how == "hangs":
            time.sleep(1.0)
            return None
        if how == "hangs-up":
            return None
        self.send_response(200)
        content = CONTENTS.get(how, toy.CONTENT)
        if how not in ("no-length", "big-no-length"):
            self.send_header("Content-Length", str(len(content) + 1000 * (how in ("cut", "stalls", "drips"))))
        self.end_headers()
        self.wfile.write(BIG if how == "big-no-length" else content)
        self.wfile.flush()
        try:
            if how == "stalls":
                time.sleep(1.0)
            for _ in range(100 * (how == "drips")):
                self.wfile.write(b"x")
                self.wfile.flush()
                time.sleep(0.02)
        except OSError:
            pass  # the client gave up, as it should
        return None

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def server():
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        running.daemon_threads = True
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{running.server_port}"
        running.shutdown()


@pytest.fixture(autouse=True)
def toys(monkeypatch):
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    Handler.asked.clear()

    def offer(*urls, **more):
        monkeypatch.setitem(base.RECIPES, "toy", toy.recipe(urls=urls or ("http://127.0.0.1:9/toy.csv",), **more))

    offer()
    return offer


@pytest.fixture
def home(tmp_path):
    """The data home, as every test here finds it: not there."""
    return tmp_path / "home"


def left_in(folder):
    return sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []


# Success


def test_what_was_fetched_is_loaded_as_the_original(server, home):
    assert datasets.fetch("toy", mirror=f"{server}/good") == (home / toy.NAME,)
    assert left_in(home) == [toy.NAME]
    assert (home / toy.NAME).read_bytes() == toy.CONTENT
    data = datasets.load("toy")
    assert data.provenance.copy == "original"
    assert data.provenance.verified


@pytest.mark.parametrize("how", ["good", "no-length", "moved"])
def test_the_public_address_is_used_without_a_mirror(how, server, home, toys):
    toys(f"{server}/{how}/toy.csv")
    datasets.fetch("toy")
    assert (home / toy.NAME).read_bytes() == toy.CONTENT


def test_a_home_can_be_named(server, tmp_path, home):
    [path] = datasets.fetch("toy", mirror=f"{server}/good/", home=str(tmp_path / "a" / "b"))
    assert path == tmp_path / "a" / "b" / toy.NAME
    assert not home.exists()


def test_what_is_there_is_not_fetched_again_unless_forced(server):
    for _ in range(2):
        datasets.fetch("toy", mirror=f"{server}/good")
    assert Handler.asked == ["/good/toy.csv"]
    datasets.fetch("toy", mirror=f"{server}/good", force=True)
    assert len(Handler.asked) == 2


def test_other_contents_under_the_name_are_replaced_by_the_published_ones(server, home):
    home.mkdir()
    (home / toy.NAME).write_bytes(b"half of i")
    datasets.fetch("toy", mirror=f"{server}/good")
    assert (home / toy.NAME).read_bytes() == toy.CONTENT


def test_the_next_address_is_tried_when_one_fails(server, home, toys):
    toys(f"{server}/absent/toy.csv", f"{server}/wrong/toy.csv", f"{server}/good/toy.csv")
    datasets.fetch("toy")
    assert left_in(home) == [toy.NAME]
    assert len(Handler.asked) == 3


def test_a_member_of_an_archive_is_taken_out(server, home, toys):
    toys(f"{server}/tar/toy.tar.gz", member="toy/toy.csv")
    datasets.fetch("toy")
    assert (home / toy.NAME).read_bytes() == toy.CONTENT
    # A mirror holds the file itself.
    datasets.fetch("toy", mirror=f"{server}/good", force=True)
    assert Handler.asked[-1] == "/good/toy.csv"


def test_blanks_and_letters_of_a_mirror_are_sent_as_codes(server, home):
    datasets.fetch("toy", mirror=f"{server}/good b\u00fccher/", timeout=1e12)
    assert Handler.asked == ["/good%20b%C3%BCcher/toy.csv"]
    assert left_in(home) == [toy.NAME]


@pytest.mark.parametrize("mirror", ["http://b\u00fccher..example/x", "http://127.0.0.1:port/x", "http:///x"])
def test_a_mirror_that_is_nowhere_is_a_failure(mirror, home):
    with refused(FetchError, "toy.csv cannot be reached", str(home)):
        datasets.fetch("toy", mirror=mirror)
    assert left_in(home) == []


def test_a_file_url_is_a_mirror(tmp_path, home):
    (tmp_path / "shelf").mkdir()
    (tmp_path / "shelf" / toy.NAME).write_bytes(toy.CONTENT.replace(b"\n", b"\r\n"))
    datasets.fetch("toy", mirror=(tmp_path / "shelf").as_uri())
    assert left_in(home) == [toy.NAME]


@pytest.mark.parametrize("name", sorted(FILES))
def test_each_set_comes_through_a_file_url_as_published(name, originals, monkeypatch, home):
    files = (LSAC_RDA,) if name == "lsac" else FILES[name]
    folder = originals(*files)
    paths = datasets.fetch(name, mirror=folder.as_uri())
    assert [path.name for path in paths] == list(files)
    assert left_in(home) == sorted(files)
    for path in paths:
        assert path.read_bytes() == (folder / path.name).read_bytes()
    monkeypatch.delenv("TWOSDR_DATA")
    if name != "lsac":
        assert datasets.load(name).provenance.copy == "original"


def test_each_set_has_a_public_address():
    for name in FILES:
        files = [file for original in base.RECIPES[name].originals for file in original.files]
        assert any(file.urls for file in files)
        assert all(url.startswith("https://") for file in files for url in file.urls)


# Failure

FAILURES = {
    "wrong": ["SHA-256 " + base.digest(CONTENTS["wrong"]), "expected " + base.digest(toy.CONTENT)],
    "absent": ["404", "Not Found"],
    "cut": ["broke off", f"{len(toy.CONTENT)} bytes of {len(toy.CONTENT) + 1000:,}"],
    "hangs": ["sent nothing for timeout=0.2 seconds"],
    "hangs-up": ["broke off"],
    "moved-nowhere": ["cannot be reached"],
    "stalls": ["sent nothing for timeout=0.2 seconds", f"after {len(toy.CONTENT)} bytes"],
    "drips": ["time_limit=0.4 seconds"],
    "big": ["5,000 bytes", "size_limit=2,000"],
    "big-no-length": ["more than size_limit=2,000"],
}


@pytest.mark.parametrize("before", [None, b"what stood here before"])
@pytest.mark.parametrize("how", FAILURES)
def test_a_failure_names_the_url_the_reason_and_the_place_and_leaves_nothing(how, before, server, home):
    if before is not None:
        home.mkdir()
        (home / toy.NAME).write_bytes(before)
    with refused(
        FetchError,
        *(f"{server}/{how}/toy.csv", *FAILURES[how], f"by hand to {home / toy.NAME}", base.digest(toy.CONTENT)),
    ):
        datasets.fetch("toy", mirror=f"{server}/{how}", timeout=0.2, time_limit=0.4, size_limit=2000)
    assert left_in(home) == ([] if before is None else [toy.NAME])
    if before is not None:
        assert (home / toy.NAME).read_bytes() == before


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ("empty-tar", ["archive without toy/toy.csv"]),
        ("big-tar", ["more than size_limit=2,000"]),
        ("cut-tar", ["no .tar.gz"]),
        ("no-tar", ["no .tar.gz"]),
        ("good", ["no .tar.gz"]),
    ],
)
def test_an_archive_that_does_not_hold_the_file_leaves_nothing(how, words, server, home, toys):
    toys(f"{server}/{how}/toy.tar.gz", member="toy/toy.csv")
    with refused(FetchError, f"{server}/{how}/toy.tar.gz", *words):
        datasets.fetch("toy", size_limit=2000)
    assert left_in(home) == []


def test_nobody_listening_is_a_failure(home):
    with refused(FetchError, "http://127.0.0.1:9/toy.csv cannot be reached", "refused"):
        datasets.fetch("toy", timeout=1)
    assert left_in(home) == []


def test_a_file_url_without_the_file_is_a_failure(home, tmp_path):
    with refused(FetchError, "toy.csv", "cannot be reached"):
        datasets.fetch("toy", mirror=tmp_path.as_uri())
    assert left_in(home) == []


def test_every_address_is_named_when_all_fail(server, toys):
    toys(f"{server}/absent/toy.csv", f"{server}/wrong/toy.csv")
    with refused(FetchError, f"{server}/absent/toy.csv answered 404", f"{server}/wrong/toy.csv gave 8 bytes"):
        datasets.fetch("toy")


def test_a_folder_that_cannot_be_made_is_known_before_anything_is_sent(server, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("in the way")
    with refused(FetchError, str(tmp_path / "file" / "home" / toy.NAME), "cannot be written", "TWOSDR_HOME"):
        datasets.fetch("toy", mirror=f"{server}/good", home=tmp_path / "file" / "home")
    assert Handler.asked == []


def no_room(*_):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def no_right(*_, **__):
    raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


@pytest.mark.parametrize(
    ("where", "name", "broken", "words"),
    [
        (fetching.tempfile, "mkstemp", no_right, "Permission denied"),
        (fetching.os, "fsync", no_room, "No space left"),
        (fetching.os, "replace", no_right, "Permission denied"),
    ],
    ids=["unwritable", "full", "name taken by another"],
)
def test_an_unwritable_or_full_folder_keeps_what_it_had(where, name, broken, words, server, home, monkeypatch):
    home.mkdir()
    (home / toy.NAME).write_bytes(b"before")
    monkeypatch.setattr(where, name, broken)
    with refused(FetchError, str(home / toy.NAME), words, "home="):
        datasets.fetch("toy", mirror=f"{server}/good")
    monkeypatch.undo()
    assert left_in(home) == [toy.NAME]
    assert (home / toy.NAME).read_bytes() == b"before"


def test_a_write_that_the_system_stops_half_way_keeps_what_was_there(server, home):
    resource = pytest.importorskip("resource", reason="limits of a process are a matter of POSIX")
    home.mkdir()
    (home / toy.NAME).write_bytes(b"before")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(toy.CONTENT) // 2, before[1]))
    try:
        with pytest.raises(FetchError) as caught:
            datasets.fetch("toy", mirror=f"{server}/good")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert f"{home / toy.NAME} cannot be written: {os.strerror(errno.EFBIG)}" in str(caught.value)
    assert left_in(home) == [toy.NAME]
    assert (home / toy.NAME).read_bytes() == b"before"


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_folder_is_named(server, home):
    home.mkdir(mode=0o555)
    with refused(FetchError, str(home / toy.NAME), "cannot be written"):
        datasets.fetch("toy", mirror=f"{server}/good")


def test_an_interruption_leaves_nothing(home, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(fetching, "_receive", interrupted)
    with pytest.raises(KeyboardInterrupt):
        datasets.fetch("toy")
    assert left_in(home) == []


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"mirror": "shelf/of/files"}, ["mirror", '"shelf/of/files"']),
        ({"mirror": "ftp://127.0.0.1"}, ["mirror", "http, https or file"]),
        ({"mirror": "http://[::1"}, ["mirror", '"http://[::1"']),
        ({"mirror": Path("shelf")}, ["mirror", "a folder"]),
        ({"timeout": 0}, ["timeout", "above 0"]),
        ({"timeout": None}, ["timeout", "a finite number above 0", "None"]),
        ({"time_limit": math.inf}, ["time_limit", "inf"]),
        ({"size_limit": "1 MB"}, ["size_limit", "'1 MB'"]),
        ({"time_limit": -1}, ["time_limit"]),
        ({"size_limit": 0}, ["size_limit"]),
    ],
)
def test_parameters_are_checked(asked, words):
    with refused(ParameterError, *words):
        datasets.fetch("toy", **asked)


def test_a_set_without_a_public_address_comes_from_a_mirror_alone(server, home, monkeypatch):
    monkeypatch.setitem(base.RECIPES, "toy", toy.recipe())
    with refused(ParameterError, "no public address", "mirror="):
        datasets.fetch("toy")
    datasets.fetch("toy", mirror=f"{server}/good")
    assert left_in(home) == [toy.NAME]


# The progress bar


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_on_a_terminal_a_bar_is_shown(server, monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    datasets.fetch("toy", mirror=f"{server}/good")
    assert toy.NAME in sys.stderr.getvalue()


def test_elsewhere_nothing_is_printed(server, capsys):
    datasets.fetch("toy", mirror=f"{server}/good")
    assert capsys.readouterr() == ("", "")


def test_no_bar_no_rich(tmp_path):
    code = (
        "import sys\n"
        "from twosdr.datasets import fetching\n"
        "with fetching._bar('a', 1, False) as advance: advance(1)\n"
        "assert 'rich' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
