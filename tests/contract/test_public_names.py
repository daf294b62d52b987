"""The door: what `import twosdr` promises, and that opening it loads nothing."""

import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import twosdr

ROOT = Path(__file__).parents[2]

# What only some visitors need, and all would wait for.
ELSEWHERE = {"pandas", "polars", "pyarrow", "matplotlib", "jinja2", "typer", "rich"}


def loaded_by(statement: str) -> set[str]:
    """Top-level packages that a fresh interpreter loads for `statement`."""
    code = f"import sys; before = set(sys.modules); {statement}; print(*(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return {name.split(".")[0] for name in done.stdout.split()}


@pytest.mark.parametrize("name", twosdr.__all__)
def test_every_public_name_is_importable_and_explained(name):
    assert getattr(twosdr, name).__doc__


def test_nothing_of_ours_is_public_unless_listed():
    listed = set(twosdr.__all__)
    assert len(listed) == len(twosdr.__all__)
    assert listed <= set(dir(twosdr))
    ours = {
        name
        for name in dir(twosdr)
        if not name.startswith("_")
        and not isinstance(getattr(twosdr, name), ModuleType)  # rooms appear as soon as anyone enters them
        and getattr(twosdr, name).__module__.startswith("twosdr")
    }
    assert ours <= listed


def test_an_unknown_name_is_an_attribute_error_that_names_it():
    with pytest.raises(AttributeError, match="no_such_thing"):
        _ = twosdr.no_such_thing


def test_importing_the_package_loads_nothing_heavy():
    heavy = {"numpy", "scipy", "sklearn", "narwhals"} | ELSEWHERE
    assert not loaded_by("import twosdr; dir(twosdr); twosdr.__version__") & heavy


def test_an_estimator_loads_no_more_than_it_stands_on():
    # Without pandas, which scikit-learn loads where it finds it, and which brings pyarrow along.
    no_pandas = "sys.modules['pandas'] = None"
    theirs = loaded_by(f"{no_pandas}; import sklearn.linear_model")
    assert not (loaded_by(f"{no_pandas}; from twosdr import TwoStageRegressor") - theirs) & ELSEWHERE


def test_the_changelog_leads_with_this_version():
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    # "## [0.2.0] - 2030-01-31", or "## [Unreleased]: 0.3.0 in progress" above it
    versions = re.findall(r"^## \[(?:Unreleased\]: )?(\d+\.\d+\.\d+)", changelog, flags=re.MULTILINE)
    assert versions[0] == twosdr.__version__
