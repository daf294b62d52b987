"""Write the saved models that tests/contract/test_saved_models.py keeps readable, with rows and what was predicted for them.

Run once for a release, and never again for a version that was released: `python tools/save_models.py`.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

import twosdr  # noqa: E402
from tests.rooms.model.cases import MAKERS, fresh  # noqa: E402
from twosdr.tables import read  # noqa: E402


def plain(rows: Any) -> dict[str, list[Any]]:
    """Columns as lists, with None for what is missing."""
    table = read(rows)
    found: dict[str, list[Any]] = {}
    for name in table.names:
        column = table.column(name)
        if column.levels is None:
            found[name] = [None if v != v else v for v in column.values.tolist()]
        else:
            found[name] = [None if code < 0 else column.levels[code] for code in column.values]
    return found


def main() -> None:
    """Write a folder named for this version."""
    folder = ROOT / "tests" / "contract" / "saved_models" / twosdr.__version__
    folder.mkdir(parents=True, exist_ok=True)
    for name in MAKERS:
        case = fresh(name)
        stem = name.replace(" ", "-")
        case.model.save(folder / f"{stem}.json")
        rows = case.rows[:12] if isinstance(case.rows, (pd.DataFrame, np.ndarray)) else case.rows
        beside = {key: values[:12] for key, values in case.beside.items()}
        said = {
            "rows": plain(rows),
            "beside": {key: plain(values.to_frame()) for key, values in beside.items()},
            "scores": np.asarray(type(case)(case.model, rows, beside).raw()).tolist(),
            "predictions": np.asarray(case.model.predict(rows, **beside)).tolist(),
        }
        text = json.dumps(said, ensure_ascii=False, indent=1) + "\n"
        (folder / f"{stem}.expected").write_text(text, encoding="utf-8")
    print(f"{len(MAKERS)} models in {folder.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
