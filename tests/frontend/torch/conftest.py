"""Every test here needs PyTorch."""

import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

HERE = Path(__file__).parent


@pytest.fixture(autouse=True)
def _independent_of_other_tests():
    """Draw the same numbers whichever tests run, and forget what they passed to `torch.compile`.

    A function that was compiled for other shapes before is compiled for symbolic sizes.
    """
    torch.manual_seed(0)
    if dynamo := sys.modules.get("torch._dynamo"):
        dynamo.reset()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of this folder."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.torch)
