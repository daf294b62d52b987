"""Errors in the words of the command line, one to three lines each."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

import re
import shutil
import textwrap

from twosdr.cli import codes
from twosdr.cli.saying import clean
from twosdr.errors import ParameterError, RoleError, TwosdrError

LINES = 3
NARROW = 60
OPTIONS = {"pos_label": "positive", "sample_weight": "weight", "n_jobs": "jobs", "mirror": "mirror"}
PLACES = {  # what arguments of the library are called here
    "y_pred=None and scores= instead": "--scores instead",
    "y_pred": "--prediction",
    "y_true": "--target",
    "sensitive_features": "--sensitive",
    "explanatory_features": "--explanatory",
    "raise max_levels": "raise --max-levels",
    "Input X": "The table",
    "of X ": "of the table ",
}
_SETTING = re.compile(
    r"\b(sensitive|explanatory|drop|goal|removal|at_predict|alphas|cv|fold_key|handle_unknown|handle_missing|max_levels|threshold"
    r"|explanatory_mode|class_weight|pos_label|rule|min_group_size|sample_weight|cluster|bins|confidence|n_jobs|scores|mirror)"
    r"""=(\[[^\]]*\]|"[^"]*"|'[^']*'|\{[^}]*\}|-?[\w.]+)?"""
)


def told(trouble: BaseException) -> tuple[int, str]:
    """The exit code and the text of an error."""
    if isinstance(trouble, (ParameterError, RoleError)):
        return codes.USAGE, f"Error: {for_shell(str(trouble))}"
    if isinstance(trouble, TwosdrError):
        return codes.DATA, f"Error: {for_shell(str(trouble))}"
    if isinstance(trouble, OSError):
        name = f'"{trouble.filename}": ' if trouble.filename else ""
        return codes.DATA, f"Error: {name}{trouble.strerror or trouble}."
    if isinstance(trouble, MemoryError):
        return codes.DATA, "Error: the memory of this machine is not enough for these rows."
    return codes.BUG, (
        f"A bug of ours: {type(trouble).__name__}: {trouble} Run the command again with --debug and report what it prints, "
        "without your data."
    )


def for_shell(text: str) -> str:
    """Settings as options: drop=["id"] is --drop id."""
    for name, option in PLACES.items():
        text = text.replace(name, option)
    text = re.sub(r"as_table\(\"(\w+)\"\)", r"--as \1", text)
    return _SETTING.sub(_option, text)


def _option(found: re.Match[str]) -> str:
    name, value = found[1], (found[2] or "").strip("[]")
    if name == "at_predict":
        return "--without-sensitive" if "without" in value else "a fit that uses s at prediction"
    if name == "removal" and value.startswith("{"):
        value = value.strip("{}").replace(": ", "=").replace("'", "").replace('"', "")
    if name == "threshold" and value.startswith("{"):
        value = value.strip("{}").replace(": ", "=").replace("'", "").replace('"', "")
    option = "--" + OPTIONS.get(name, name).replace("_", "-")
    value = "COLUMN" if value == "..." else value
    names = re.findall(r"\"([^\"]*)\"|'([^']*)'", value)
    if names:
        value = ",".join(a or b for a, b in names)
        value = f'"{value}"' if re.search(r"\s", value) else value
    return f"{option} {value}".rstrip()


def in_lines(text: str) -> str:
    """The text in at most three lines, as wide as the terminal where that is enough; no control characters."""
    said = " ".join(clean(text).split())
    width = max(NARROW, shutil.get_terminal_size((100, 24)).columns)
    while len(lines := textwrap.wrap(said, width, break_long_words=False, break_on_hyphens=False)) > LINES:
        width += 20
    return "\n".join(lines)
