"""The page that explains the file and the code that writes it name the same keys."""

import json
import re
from pathlib import Path

from tests.rooms.model.cases import MAKERS, case
from twosdr.model import files, schema
from twosdr.model.nodes import LABELS

PAGE = (Path(__file__).parents[3] / "docs" / "model-schema.md").read_text("utf-8")


def keys(value):
    """Every key of a document, settings' values aside."""
    if isinstance(value, dict):
        for key, part in value.items():
            yield key
            yield from keys(part)
    elif isinstance(value, list):
        for part in value:
            yield from keys(part)


def test_every_key_that_is_written_is_explained():
    explained = set(re.findall(r"`(\w+)`", PAGE))
    written = {key for name in MAKERS for key in keys(json.loads(files.dumps(case(name).model._portable())))}
    assert written - explained - {"number"} == set()
    rows = {word for row in re.findall(r"^\|(.*?)\|", PAGE, flags=re.MULTILINE) for word in re.findall(r"`(\w+)`", row)}
    assert rows - written == set()


def test_the_page_is_about_this_version():
    assert f"version {schema.VERSION}" in PAGE.splitlines()[0]
    assert f'"{schema.FORMAT}"' in PAGE
    assert all(f'"{role}"' in PAGE for role in schema.ROLES.values())
    assert {"text", "bool", "int64"} <= set(LABELS)


def test_a_person_can_read_a_term_on_one_line():
    text = files.dumps(case("regressor").model._portable()).decode()
    [line] = [line for line in text.splitlines() if '"sex=m"' in line]
    term = json.loads(line.strip().rstrip(","))
    assert term["level"] == "m"
    assert term["coefficient"] == [case("regressor").model.coef_[1]]
