"""A shell for the tests: words in, exit code and both outputs back; a folder with a few small tables and a saved model."""

import csv
import io
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from twosdr.cli import door

FIT = ("fit", "people.csv", "--target", "hired", "--sensitive", "sex", "--drop", "id,pay", "--alphas", "1,10")


@dataclass(frozen=True)
class Answer:
    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        return self.err.strip().splitlines()


def rows(n: int = 400, seed: int = 0) -> list[dict]:
    rng = np.random.default_rng(seed)
    found = []
    for k in range(n):
        woman = k % 2
        skill = round(float(rng.normal()) - 0.6 * woman, 3)
        hours = int(rng.integers(20, 50)) - 3 * woman
        score = skill + 0.03 * hours - 0.5 * woman + float(rng.normal())
        found.append(
            {
                "id": 1000 + k,
                "sex": "fm"[1 - woman],
                "age": int(rng.integers(18, 65)),
                "skill": skill,
                "hours": hours,
                "hired": "yes" if score > 0.8 else "no",
                "pay": round(20 + 4 * score, 2),
            }
        )
    return found


def write(path: Path, table: list[dict], **form: str) -> None:
    with path.open("w", newline="", encoding=form.pop("encoding", "utf-8")) as stream:
        out = csv.DictWriter(stream, list(table[0]), **form)
        out.writeheader()
        out.writerows(table)


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    """people.csv, others.csv (columns in another order), scored.csv, and model.json fitted on the first."""
    folder = tmp_path_factory.mktemp("shell")
    table = rows()
    write(folder / "people.csv", table)
    write(folder / "others.csv", [dict(reversed(row.items())) for row in rows(120, seed=1)])
    scored = [
        {
            "sex": r["sex"],
            "age": r["age"],
            "old": int(r["hired"] == "yes"),
            "new": int(r["skill"] > -0.3),
            "y": int(r["pay"] > 23),
        }
        for r in table
    ]
    write(folder / "scored.csv", scored)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setattr(sys, "stdout", io.StringIO())
        patch.setattr(sys, "stderr", io.StringIO())
        assert door.main([*FIT, "-o", "model.json"]) == 0, sys.stderr.getvalue()
    return folder


@pytest.fixture
def shell(made, tmp_path, monkeypatch, capsys):
    """Run words in a folder of the test's own that holds links to the made files."""
    for path in made.iterdir():
        (tmp_path / path.name).symlink_to(path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.delenv("TWOSDR_DEBUG", raising=False)

    def run(*words: str, stdin: bytes = b"") -> Answer:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        capsys.readouterr()
        code = door.main([str(word) for word in words])
        said = capsys.readouterr()
        return Answer(code, said.out, said.err)

    return run
