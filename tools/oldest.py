"""The oldest versions that pyproject.toml admits, as exact pins: `make oldest` tests with them.

What twosdr itself stands on, the libraries beside it whose tables and tools the tests use, and the test runner.
"""
# SPDX-License-Identifier: MIT

import re
import tomllib
from pathlib import Path

BESIDE = ("pandas", "polars", "statsmodels", "fairlearn", "pytest", "pytest-xdist", "hypothesis")


def pins() -> list[str]:
    """`name==bound` for each."""
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]
    bounds = dict(re.fullmatch(r"([\w-]+)>=([\w.]+)", need).groups() for need in project["dependencies"])
    dev = project["optional-dependencies"]["dev"]
    bounds |= {
        name: bound for need in dev for name, bound in re.findall(r"^([\w-]+)>=([\w.]+)$", need) if name in BESIDE
    }
    return [f"{name}=={bound}" for name, bound in bounds.items()]


if __name__ == "__main__":
    print("\n".join(pins()))
