"""Files that are damaged, hostile, of another program or of the future: one clear error, and never a different model."""

import json
import os
import threading

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import twosdr
from tests.rooms.model.cases import MAKERS, case
from tests.rooms.samples import refused
from twosdr.errors import NotReadable, TwosdrError
from twosdr.estimators.loading import estimator
from twosdr.model import files, text

MANY = pytest.param(3000, marks=pytest.mark.slow)


def document(name="yes and no"):
    return json.loads(files.dumps(case(name).model._portable()))


def sealed(said):
    """The bytes of a document with a checksum that fits, as somebody would write it who means harm."""
    said = {key: value for key, value in said.items() if key != "sha256"}
    return json.dumps(said | {"sha256": text.digest(said)}).encode()


def refuse(raw, *words):
    with refused(NotReadable, *words):
        files.loads(raw, "m.json")


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (b"", ["holds no model"]),
        (b"{", ["holds no model"]),
        (b"\xff\xfe{}", ["not UTF-8 at byte 0"]),
        (b"null", ["format is 'twosdr-model'"]),
        (b"[]", ["format is 'twosdr-model'"]),
        (b'{"format": "other"}', ["format is 'twosdr-model'"]),
        (b'{"format": "twosdr-model"}', ["version is no whole number"]),
        (b'{"format": "twosdr-model", "version": true}', ["version is no whole number"]),
        (b'{"format": "twosdr-model", "version": 1.0}', ["version is no whole number"]),
        (b'{"format": "twosdr-model", "version": 1}', ["checksum"]),
        (b'{"a": 1, "b": {"c": 2, "c": 2}}', ['"c" stands there twice']),
        (b'{"a": NaN}', ["NaN, which is no number"]),
        (b'{"a": -Infinity}', ["-Infinity, which is no number"]),
        (b'{"a": 1e999}', ["1e999, which is out of range"]),
        (b'{"a": ' + b"1" * 5000 + b"}", ["a number of 5000 digits"]),
        (b'{"a": 0.' + b"1" * 5000 + b"}", ["out of range"]),
        (b"[" * 100000, ["nested 100000 deep"]),
        (b'{"a":' * 100000, ["nested 100000 deep"]),
        (b'"' + b"[" * 100, ["holds no model"]),
        (b"cposix\nsystem\n(S'true'\ntR.", ["holds no model"]),
        (b"PK\x03\x04" + b"\0" * 30, ["holds no model"]),
    ],
)
def test_what_is_no_model_says_why(raw, words):
    refuse(raw, '"m.json"', *words)


def test_a_file_of_a_later_version_says_who_wrote_it_and_what_to_do():
    later = document() | {"version": 2, "written_by": "twosdr 9.1.0", "novelty": [1]}
    refuse(sealed(later), '"twosdr 9.1.0"', "version 2", "up to version 1", "Update twosdr")
    refuse(sealed(later | {"written_by": ["x"] * 10**5}), "Update twosdr")


def test_ten_gigabytes_are_not_read(tmp_path, monkeypatch):
    path = tmp_path / "m.json"
    with open(path, "wb") as stream:
        stream.truncate(10 * 2**30)  # a hole: it takes no room on disk
    with refused(NotReadable, "10,737,418,240 bytes"):
        twosdr.load(path)


def test_what_has_no_size_is_not_read_without_end(tmp_path, monkeypatch):
    monkeypatch.setattr(text.read_bytes, "__defaults__", (1000,))
    with refused(NotReadable, "more than 1,000"):
        twosdr.load("/dev/zero")
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    raw = b"x" * 2000
    writer = threading.Thread(target=lambda: pipe.write_bytes(raw), daemon=True)
    writer.start()
    with refused(NotReadable, "more than 1,000"):
        twosdr.load(pipe)
    writer.join(5)


def test_a_missing_file_is_an_ordinary_missing_file(tmp_path):
    with pytest.raises(FileNotFoundError):
        twosdr.load(tmp_path / "no.json")
    with pytest.raises(IsADirectoryError):
        twosdr.load(tmp_path)


def test_layout_is_free_and_content_is_not():
    said = document()
    before = files.loads(sealed(said))
    for raw in (
        json.dumps(dict(sorted(said.items())), indent=7).encode(),
        b"\xef\xbb\xbf" + json.dumps(said).encode(),
        json.dumps(said, ensure_ascii=True).encode() + b"\n\n",
    ):
        assert np.array_equal(files.loads(raw).affine.coef, before.affine.coef)
    said["target"]["base"][0] += 1e-15
    refuse(json.dumps(said).encode(), "checksum", "a digit changed")


def at(said, path):
    for step in path[:-1]:
        said = said[step]
    return said, path[-1]


def places(said, path=()):
    """The way to every value in a document."""
    yield path
    parts = said.items() if isinstance(said, dict) else enumerate(said) if isinstance(said, list) else ()
    for key, value in parts:
        yield from places(value, (*path, key))


# May be absent: they stand there only where they say something.
OPTIONAL = ("decision_rates", "origin", "seen", "dropped", "between", "sha256")


@pytest.mark.parametrize("name", ["three classes", pytest.param("missing as a level", marks=pytest.mark.slow)])
def test_a_key_that_is_missing_or_strange_is_refused(name):
    for path in list(places(document(name)))[1:]:
        said = document(name)
        holder, last = at(said, path)
        taken = holder.pop(last) if isinstance(holder, dict) else holder[last]
        if isinstance(holder, dict) and last not in OPTIONAL and path[0] != "settings" and "beside" not in path:
            refuse(sealed(said), last)
        if isinstance(taken, dict):
            holder[last] = taken | {"novelty": 1}
            refuse(sealed(said), '"novelty"', "not in the schema")
        elif isinstance(taken, list) and path[0] != "settings":
            holder[last] = [*taken, {"strange": 1}]
            refuse(sealed(said))


WRONG = [None, True, "text", "", -1, 2**70, -(2**63), 1e308, -1e308, [], {}, [[]], [None], {"number": "inf"}, "\ud800"]


@pytest.mark.filterwarnings("ignore:X has feature names")  # a table without names is a table too
@pytest.mark.parametrize("each", [15, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", ["yes and no", "missing as a level"])
def test_a_value_of_another_type_is_refused_or_means_what_it_says(name, each):
    """Every value in the document replaced by wrong ones: an error, or a model that answers without a crash."""
    rows = case(name).rows
    for start, path in enumerate(list(places(document(name)))[1:]):
        for wrong in WRONG[start % each :: each]:
            said = document(name)
            holder, last = at(said, path)
            holder[last] = wrong
            try:
                raw = sealed(said)
            except UnicodeEncodeError:
                raw = json.dumps(said | {"sha256": "0" * 64}).encode()
            usable(raw, rows)


def usable(raw, rows):
    """The bytes are refused, or make a model whose answers are numbers or refusals of ours."""
    try:
        model = estimator(files.loads(raw, "m.json"))
    except NotReadable:
        return False
    repr(model)
    try:
        with np.errstate(all="ignore"):
            model.predict(rows)
    except TwosdrError:
        pass
    files.dumps(model._portable())
    return True


def flipped(data, raw):
    """Bytes changed, taken out, doubled or moved."""
    raw = bytearray(raw)
    for _ in range(data.draw(st.integers(1, 4))):
        a = data.draw(st.integers(0, len(raw) - 1))
        b = min(len(raw), a + data.draw(st.integers(1, 40)))
        kind = data.draw(st.sampled_from(["change", "cut", "double", "digit", "insert"]))
        if kind == "change":
            raw[a] ^= 1 << data.draw(st.integers(0, 7))
        elif kind == "cut":
            del raw[a:b]
        elif kind == "double":
            raw[a:a] = raw[a:b]
        elif kind == "digit":
            digits = [j for j in range(a, min(a + 200, len(raw))) if 48 <= raw[j] <= 57]
            if digits:
                raw[digits[0]] = 48 + (raw[digits[0]] - 47) % 10
        else:
            raw[a:a] = data.draw(st.sampled_from([b'"', b"[", b"{", b"\\u0000", b"1e999", b"NaN", b", ", b"null"]))
        if not raw:
            break
    return bytes(raw)


@pytest.mark.parametrize("examples", [120, MANY])
@pytest.mark.parametrize("name", ["yes and no", "traps"])
def test_changed_bytes_are_refused_or_are_the_same_model(name, examples):
    raw = files.dumps(case(name).model._portable())

    @settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.data())
    def run(data):
        changed = flipped(data, raw)
        try:
            found = files.loads(changed, "m.json")
        except NotReadable:
            return
        assert files.dumps(found) == raw

    run()


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=4,
)


@pytest.mark.filterwarnings("ignore:X has feature names")
@pytest.mark.parametrize("examples", [60, MANY])
def test_a_sealed_forgery_is_refused_or_is_a_model_that_answers(examples):
    """What a file can do whose author knows the format and the checksum: describe another model, and nothing else."""
    name = "missing as a level"
    original = document(name)
    every = list(places(original))[1:]

    @settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.data())
    def run(data):
        said = json.loads(json.dumps(original))
        for _ in range(data.draw(st.integers(1, 3))):
            path = data.draw(st.sampled_from(every))
            try:
                holder, last = at(said, path)
                other, from_there = at(said, data.draw(st.sampled_from(every)))
                kind = data.draw(st.sampled_from(["value", "swap", "cut"]))
                if kind == "value":
                    holder[last] = data.draw(values)
                elif kind == "swap":
                    holder[last], other[from_there] = other[from_there], holder[last]
                else:
                    del holder[last]
                raw = sealed(said)
            except (KeyError, IndexError, TypeError, ValueError, RecursionError):
                return  # the place is gone, or holds itself
            usable(raw, case(name).rows)

    run()


@pytest.mark.parametrize("name", MAKERS)
def test_nothing_in_a_file_is_evaluated(name, monkeypatch, tmp_path):
    path = tmp_path / "m.json"
    case(name).model.save(path)

    def never(*_, **__):
        raise AssertionError("a file must not reach this")

    for home, function in (("builtins", "eval"), ("builtins", "exec"), ("pickle", "loads"), ("pickle", "load")):
        monkeypatch.setattr(f"{home}.{function}", never)
    twosdr.load(path)
