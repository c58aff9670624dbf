"""Layers and training: the tests of this folder compare what programs compute."""

import pytest


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark a test of this folder."""
    item.add_marker(pytest.mark.values)
