"""What a run of all tests consists of."""

from fnmatch import fnmatch
from pathlib import Path

import pytest

TESTS = Path(__file__).parent


def test_no_folder_with_tests_is_passed_over(pytestconfig: pytest.Config) -> None:
    """pytest's own list of folders that it does not enter has names such as `build`."""
    patterns = pytestconfig.getini("norecursedirs")
    folders = {folder for path in TESTS.rglob("test_*.py") for folder in path.parents}
    names = {folder.name for folder in folders if TESTS in folder.parents}
    assert "build" in names
    assert not [name for name in names for pattern in patterns if fnmatch(name, pattern)]
