"""Water flows down: a module imports only from the layers above its own (docs/architecture.md).

The source is parsed, not run, so that an import inside a function or under TYPE_CHECKING counts too.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "src" / "twosdr"

# From the spring to the sea. A new module takes its place here and in docs/architecture.md.
LAYERS = [
    *(
        "errors",
        "tables",
        "roles",
        "moments",
        "rank",
        "solve",
        "folds",
        "levels",
        "frontier",
        "carriers",
        "inference",
        "engines",
        "model",
        "metrics",
        "audit",
        "report",
    ),
    *("estimators", "export", "monitoring", "datasets", "paper", "cli", "demo"),
]


def imports(source: str, module: str, is_package: bool) -> Iterator[tuple[int, str]]:
    """Line and full dotted name of all that `module` imports, relative names resolved."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import():
                yield from ((node.lineno, alias.name) for alias in node.names)
            case ast.ImportFrom():
                home = module.split(".") if is_package else module.split(".")[:-1]
                above = home[: len(home) + 1 - node.level] if node.level else []
                room = [*above, *([node.module] if node.module else [])]
                yield from ((node.lineno, ".".join([*room, alias.name])) for alias in node.names)
            case ast.Call(
                func=ast.Name("import_module" | "__import__") | ast.Attribute(attr="import_module"),
                args=[ast.Constant(str(name)), *_],
            ):
                yield node.lineno, name


def violations(source: str, module: str, is_package: bool = False) -> list[str]:
    """What `module` must not import, one sentence each."""
    mine = module.split(".")[1]
    if mine not in LAYERS:
        return [f"{module}: {mine!r} has no layer yet; add it to LAYERS here and to docs/architecture.md"]
    found = []
    for line, target in imports(source, module, is_package):
        root, *rest = target.split(".")
        if root != "twosdr" or rest == ["__version__"]:
            continue
        if not rest or rest[0] not in LAYERS:
            found.append(f"{module}:{line} imports {target}, which is no layer: name the layer that has it")
        elif LAYERS.index(rest[0]) > LAYERS.index(mine):
            found.append(f"{module}:{line} imports {target}, but {rest[0]!r} is below {mine!r}")
    return found if mine != "demo" else []


def modules() -> Iterator[tuple[str, Path]]:
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        if name not in (
            "twosdr",
            "twosdr.__main__",
        ):  # the door knows every room; that it opens none early is test_public_names.py
            yield name, path


def test_every_module_imports_only_from_above():
    found = [
        sentence
        for name, path in modules()
        for sentence in violations(path.read_text(encoding="utf-8"), name, path.name == "__init__.py")
    ]
    assert not found, "\n" + "\n".join(found)


def test_what_is_measured_does_not_know_the_estimators():
    # The order says so already; this keeps a later reordering from undoing it unseen.
    for layer in ("metrics", "audit", "report"):
        assert LAYERS.index(layer) < LAYERS.index("estimators")


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("twosdr.moments", "from twosdr.solve import ridge"),
        ("twosdr.moments", "import twosdr.solve as solve"),
        ("twosdr.moments", "from twosdr import solve"),
        ("twosdr.moments", "from .solve import ridge"),
        ("twosdr.moments", "from . import solve"),
        ("twosdr.engines.arrow", "from ..estimators import TwoStageRegressor"),
        ("twosdr.engines.arrow", "from ..estimators.residualizer import Residualizer"),
        ("twosdr.audit", "def late():\n    from twosdr.estimators import TwoStageRegressor"),
        ("twosdr.audit", "if TYPE_CHECKING:\n    from twosdr.estimators import TwoStageRegressor"),
        ("twosdr.audit", "importlib.import_module('twosdr.estimators')"),
        ("twosdr.audit", "import twosdr"),
        ("twosdr.audit", "from twosdr import TwoStageRegressor"),
        ("twosdr.audit", "from twosdr import *"),
        ("twosdr.novelty", "import numpy"),
    ],
)
def test_the_checker_catches(module, source):
    assert len(violations(source, module)) == 1


@pytest.mark.parametrize(
    ("module", "is_package", "source"),
    [
        ("twosdr.solve", False, "import numpy\nfrom twosdr.moments import Moments\nfrom .errors import Oops"),
        ("twosdr.engines.arrow", False, "from .memory import blocks\nfrom ..moments import Moments"),
        ("twosdr.engines", True, "from .memory import blocks\nfrom ..moments import Moments"),
        ("twosdr.model", False, "from twosdr import __version__"),
        ("twosdr.demo", False, "from twosdr import TwoStageRegressor"),
    ],
)
def test_the_checker_allows(module, is_package, source):
    assert violations(source, module, is_package) == []


def test_a_module_without_a_layer_is_told_where_to_add_it():
    [sentence] = violations("", "twosdr.novelty")
    assert "LAYERS" in sentence
    assert "docs/architecture.md" in sentence
