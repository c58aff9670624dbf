"""Every test here needs JAX."""

from pathlib import Path

import pytest

pytest.importorskip("jax")

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of this folder."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.jax)
