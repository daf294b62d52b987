"""Files of earlier versions stay readable: every one of them is loaded, and predicts what it predicted when it was written.

`tools/save_models.py` adds a folder for a release; folders of released versions are never written again.
"""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import twosdr
from twosdr.model import files
from twosdr.model.schema import VERSION

FOLDER = Path(__file__).parent / "saved_models"
SAVED = sorted(FOLDER.glob("*/*.json"))
# Products in another BLAS's order of addition: sixty roundings.
SAME = 1e-14


def table(model, columns):
    """The rows as the model's kinds of columns have them."""
    if not hasattr(model, "feature_names_in_"):
        return np.column_stack([np.array(values, dtype=float) for values in columns.values()])
    kinds = {field.name: field for field in model.roles_.fields}
    frame = pd.DataFrame({name: np.array(values, dtype=object) for name, values in columns.items()})
    for name in frame:
        field = kinds.get(name)
        if field is not None and field.kind == "number":
            frame[name] = frame[name].astype(float) if field.levels is None else pd.Categorical(frame[name])
        elif field is not None and field.kind == "bool":
            frame[name] = frame[name].astype("boolean")
    return frame


@pytest.mark.parametrize("path", SAVED, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_file_predicts_what_it_predicted_when_it_was_written(path):
    model = twosdr.load(path)
    said = json.loads(path.with_suffix(".expected").read_text("utf-8"))
    rows = table(model, said["rows"])
    beside = {key: table(model, columns) for key, columns in said["beside"].items()}
    scores = model.decision_function if hasattr(model, "classes_") else model.predict
    expected = np.array(said["scores"])
    assert np.abs(scores(rows, **beside) - expected).max() <= SAME * np.abs(expected).max() + SAME
    if hasattr(model, "classes_"):
        assert model.predict(rows, **beside).tolist() == said["predictions"]


@pytest.mark.parametrize("path", SAVED, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_file_of_this_format_is_written_as_it_was_read(path):
    raw = path.read_bytes()
    if json.loads(raw)["version"] == VERSION:
        assert files.dumps(files.loads(raw)) == raw


def test_this_version_and_every_earlier_one_have_their_folder():
    folders = sorted(folder.name for folder in FOLDER.iterdir() if folder.is_dir())
    changelog = (Path(__file__).parents[2] / "CHANGELOG.md").read_text("utf-8")
    released = [
        line.split("[")[1].split("]")[0]
        for line in changelog.splitlines()
        if line.startswith("## [") and "Unreleased" not in line
    ]
    assert set(released) | {twosdr.__version__} <= set(folders)
