"""Laws hold on tables that nobody would predict from without s; that it is expensive there is said elsewhere."""

from pathlib import Path

import pytest

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.parent == HERE:
            item.add_marker(pytest.mark.filterwarnings("ignore::twosdr.errors.IdentifiabilityWarning"))
