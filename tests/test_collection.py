"""What a run of all tests consists of."""

import os
from fnmatch import fnmatch
from importlib import import_module
from pathlib import Path

import pytest
from conftest import COMPARE_VALUES, COMPILING

TESTS = Path(__file__).parent


def test_no_folder_with_tests_is_passed_over(pytestconfig: pytest.Config) -> None:
    """pytest's own list of folders that it does not enter has names such as `build`."""
    patterns = pytestconfig.getini("norecursedirs")
    folders = {folder for path in TESTS.rglob("test_*.py") for folder in path.parents}
    names = {folder.name for folder in folders if TESTS in folder.parents}
    assert "build" in names
    assert not [name for name in names for pattern in patterns if fnmatch(name, pattern)]


@pytest.mark.parametrize(
    "expected",
    [3, pytest.param(3 if os.environ.get("OPTIMISED_VALUES") else 0, marks=pytest.mark.values)],
)
def test_llvm_optimises_all_but_tests_of_values(expected: int) -> None:
    for name in COMPILING:
        assert import_module(name).Options().level == expected


def test_folders_of_values_are_there() -> None:
    assert all((TESTS.parent / folder).is_dir() for folder in COMPARE_VALUES)
