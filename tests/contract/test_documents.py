"""The documents are executed: their examples run, and the files they name exist."""

import re
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted(ROOT.glob("docs/**/*.md"))]
EXECUTED = [page for page in PAGES if page.name != "CHANGELOG.md"]  # the past may show what no longer runs


def title(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def python_blocks(text: str) -> list[tuple[int, str, str | None]]:
    """The ```python blocks of a page: lines above it, the code, and what a ```text block right after it says is printed."""
    fence = re.compile(r"^([ ]*)```(python|text)[ ]*\n(.*?)^\1```[ ]*$", flags=re.MULTILINE | re.DOTALL)
    found: list[tuple[int, str, str | None]] = []
    code = False
    for m in fence.finditer(text):
        body = textwrap.dedent(m[3])
        if m[2] == "python":
            found.append((text.count("\n", 0, m.start(3)), body, None))
        elif code:
            found[-1] = (*found[-1][:2], body)
        code = m[2] == "python"
    return found


def repository_paths(text: str) -> list[str]:
    """What stands in backticks and looks like a path; `metrics/<name>.py` counts up to its placeholder."""
    found = []
    for word in re.findall(r"(?<!`)`([^`\s]+)`(?!`)", text):
        path = re.split(r"[^/]*[<*{]", word)[0]
        is_file = re.search(r"\.(py|md|toml|json|lock|html|csv|typed)$", word)
        if re.fullmatch(r"\.?[A-Za-z][\w.\-]*(/[\w.\-]*)*", path) and ("/" in path or is_file):
            found.append(path)
    return found


def machine_paths(text: str) -> list[str]:
    """Absolute paths: they lead nowhere on the reader's machine."""
    found = re.findall(r"(?:^|(?<=[\s`'\"(=]))(?:/[\w.\-]+){2,}|\b[A-Z]:\\\w+", text, flags=re.MULTILINE)
    return [path for path in found if not path.startswith(("/path/to/", "/dev/"))]


@pytest.mark.parametrize("page", EXECUTED, ids=title)
def test_the_examples_run_in_order_and_print_what_the_page_says(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "__main__"}
    for above, block, printed in python_blocks(page.read_text(encoding="utf-8")):
        # The empty lines in front make a traceback name the page's own line.
        exec(compile("\n" * above + block, title(page), "exec"), names)
        said = capsys.readouterr().out
        assert printed is None or said == printed


def test_contributing_names_only_paths_that_exist():
    paths = repository_paths((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))
    homes = (ROOT, ROOT / "src" / "twosdr")
    assert paths
    assert [path for path in paths if not any((home / path).exists() for home in homes)] == []


@pytest.mark.parametrize("page", PAGES, ids=title)
def test_no_page_links_to_a_missing_file(page):
    links = re.findall(r"\]\((?!\w+:|#)([^)#\s]+)", page.read_text(encoding="utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=title)
def test_no_page_names_a_path_of_one_machine(page):
    assert machine_paths(page.read_text(encoding="utf-8")) == []


def test_the_readers_see_what_they_should():
    text = "one\n```python\na = 1\n```\n- two\n  ```python\n  b = 2\n  ```\n```text\nc\n```\n"
    assert python_blocks(text) == [(2, "a = 1\n", None), (6, "b = 2\n", "c\n")]
    words = "`src/twosdr/solve.py` `metrics/<name>.py` `tests/` `.ci/run` `README.md` `make test` `0/1` `x.T`"
    assert repository_paths(words) == ["src/twosdr/solve.py", "metrics/", "tests/", ".ci/run", "README.md"]
    seen = "at /some/where/else, `/a/b`; but not a/b/c, 1 / 2, https://a.org/b/c, /path/to/python, /dev/null"
    assert machine_paths(seen) == ["/some/where/else", "/a/b"]
