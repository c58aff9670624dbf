"""A pytest plug-in that records which functions each test enters, and each test's time.

    PYTHONPATH=. CI=1 pytest -p tools.mutant_coverage --coverage-file FILE tests/semantics …

The plug-in writes FILE: `tests` with the processor time of each test that passed, and `functions`
with the numbers of the tests that entered each function of the package, as `path:name`. The number
-1 represents code that ran before the first test: imports, and the parametrisation of tests.
"""

import cProfile
import json
import os
from collections import defaultdict
from collections.abc import Generator
from pathlib import Path
from time import process_time

import pytest

ROOT = Path(__file__).parents[1]
COLLECTION = -1


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the option for the output file."""
    parser.addoption("--coverage-file", type=Path)


def pytest_configure(config: pytest.Config) -> None:
    """Start recording if an output file is requested."""
    path = config.getoption("--coverage-file")
    if path is not None:
        config.pluginmanager.register(Recorder(path))


class Recorder:
    """A plug-in that records with Python's profiler which functions each test runs."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._prefix = f"{ROOT / 'relay'}{os.sep}"
        self._profiler = cProfile.Profile(subcalls=False, builtins=False)
        self._failed = False
        self._tests: list[tuple[str, float]] = []
        self._functions: dict[str, list[int]] = defaultdict(list)
        self._profiler.enable()

    def pytest_collection_finish(self) -> None:
        """Record the functions that ran during collection."""
        self._record(COLLECTION)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Record the functions that a test and its fixtures run."""
        self._failed = False
        start = process_time()
        self._profiler.enable()
        outcome = yield
        self._profiler.disable()
        if self._failed:
            self._profiler.clear()
        else:
            self._tests.append((item.nodeid, round(process_time() - start, 3)))
            self._record(len(self._tests) - 1)
        return outcome

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Omit tests that do not pass."""
        self._failed |= not report.passed

    def pytest_sessionfinish(self) -> None:
        """Write the file."""
        found = {"tests": self._tests, "functions": self._functions}
        self._path.write_text(json.dumps(found), encoding="utf-8")

    def _record(self, test: int) -> None:
        self._profiler.disable()
        for entry in self._profiler.getstats():
            code = entry.code
            if not isinstance(code, str) and code.co_filename.startswith(self._prefix):
                path = os.path.relpath(code.co_filename, ROOT)
                self._functions[f"{path}:{code.co_qualname}"].append(test)
        self._profiler.clear()
