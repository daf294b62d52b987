"""Mutation testing of the core: which small breakages of solve.py, rank.py, moments.py and roles/ no test notices.

    make mutants                      all of them (hours on one core)
    make mutants ONLY="*_plausible*"  those of some functions

The tree is copied to a folder outside, mutmut is installed beside it, and nothing here is touched. What survives is listed
at the end with the share; `mutmut show NAME`, run there, prints one.
"""
# SPDX-License-Identifier: MIT

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
MUTMUT = "mutmut>=3.8,<4"
MUTATED = ["src/twosdr/solve.py", "src/twosdr/rank.py", "src/twosdr/moments.py", "src/twosdr/roles/*"]
JUDGES = [
    *(
        "tests/rooms/test_solve.py",
        "tests/rooms/test_moments.py",
        "tests/rooms/test_roles.py",
        "tests/rooms/test_folds.py",
    ),
    *("tests/laws", "tests/rooms/estimators"),
]


def settings() -> str:
    """What mutmut is told, as it stands in a pyproject.toml."""
    lines = {
        "source_paths": ["src"],
        "only_mutate": MUTATED,
        "also_copy": ["src/", "tests/", "benchmarks/", "docs/", "README.md", "Makefile"],
        "pytest_add_cli_args_test_selection": JUDGES,
        "pytest_add_cli_args": ["-p", "no:cacheprovider"],
    }
    return "\n[tool.mutmut]\n" + "".join(f"{name} = {value!r}\n".replace("'", '"') for name, value in lines.items())


def main(only: list[str]) -> int:
    """Run what was asked for; 0 when mutmut ran, whatever survived."""
    place = Path(tempfile.mkdtemp(prefix="twosdr-mutants-"))
    tree, library = place / "tree", place / "mutmut"
    shutil.copytree(
        ROOT, tree, ignore=shutil.ignore_patterns(".git", ".venv*", "__pycache__", ".hypothesis", "*_cache")
    )
    asked = tree / "pyproject.toml"
    # Doctests of src would be collected from the mutated copy, and are not among the judges.
    asked.write_text(
        asked.read_text(encoding="utf-8").replace('"--doctest-modules",', "") + settings(), encoding="utf-8"
    )
    subprocess.run([sys.executable, "-m", "pip", "install", "-qq", "--target", str(library), MUTMUT], check=True)
    env = os.environ | {"PYTHONPATH": str(library), "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run([sys.executable, "-m", "mutmut", "run", "--max-children", "2", *only], cwd=tree, env=env)
    listed = subprocess.run(
        [sys.executable, "-m", "mutmut", "results", "--all", "true"], cwd=tree, env=env, capture_output=True, text=True
    )
    ends = [line.rsplit(":", 1)[1].strip() for line in listed.stdout.splitlines() if ":" in line]
    judged = [end for end in ends if end in ("killed", "survived", "timeout")]
    print("\n".join(line for line in listed.stdout.splitlines() if line.endswith("survived")))
    print(
        f"{len(judged)} mutants judged, {judged.count('survived')} survived ({judged.count('survived') / max(1, len(judged)):.1%}); {tree}"
    )
    return done.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
