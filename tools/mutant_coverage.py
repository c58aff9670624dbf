"""A pytest plug-in that records which functions each test enters, and each test's time.

    PYTHONPATH=. CI=1 pytest -p tools.mutant_coverage --coverage-file FILE tests/semantics …

The plug-in writes FILE: `tests` with the processor time of each test that passed, and `functions`
with the numbers of the tests that entered each function of the package, as `path:name`. The number
-1 represents code that ran before the first test: imports, and the parametrisation of tests. The
cache of kernels is empty at first, so that tests enter the functions that compile kernels.
"""

import cProfile
import json
import os
import sys
import tempfile
import threading
from collections import defaultdict
from collections.abc import Generator, Mapping
from pathlib import Path
from time import process_time
from types import CodeType

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = f"{ROOT / 'relay'}{os.sep}"
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
        self._cache = tempfile.TemporaryDirectory()
        os.environ["RELAY_CACHE_DIR"] = self._cache.name
        self._profiler = cProfile.Profile(subcalls=False, builtins=False)
        self._threads: list[_Thread] = []
        self._failed = False
        self._tests: list[tuple[str, float]] = []
        self._functions: dict[str, list[int]] = defaultdict(list)
        if sys.version_info < (3, 12):  # later, a profiler watches all threads
            threading.setprofile(self._watch_thread)
        self._profiler.enable()

    def pytest_collection_finish(self) -> None:
        """Record the functions that ran during collection."""
        self._record(COLLECTION)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Record the functions that a test and its fixtures run."""
        self._failed = False
        self._entered()  # between tests
        start = process_time()
        self._profiler.enable()
        outcome = yield
        self._profiler.disable()
        if not self._failed:
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
        self._cache.cleanup()

    def _watch_thread(self, *event: object) -> None:
        """Watch the thread that calls this: a profiler takes the place of this function."""
        self._threads.append(_Thread())

    def _record(self, test: int) -> None:
        for function in self._entered():
            self._functions[function].append(test)

    def _entered(self) -> list[str]:
        """Return the functions of the package that ran since the last call."""
        self._profiler.disable()
        found = set(_counts(self._profiler)).union(*(each.news() for each in self._threads))
        self._profiler.clear()
        self._threads = [each for each in self._threads if each.is_alive()]
        return sorted(map(_name, found))


class _Thread:
    """The current thread; `news` are the functions that ran in it since the last call.

    The counts of a profiler are compared and never cleared: its thread may be running.
    """

    def __init__(self) -> None:
        self.is_alive = threading.current_thread().is_alive
        self._known: Mapping[CodeType, int] = {}
        self._profiler = cProfile.Profile(subcalls=False, builtins=False)
        self._profiler.enable()

    def news(self) -> list[CodeType]:
        before, self._known = self._known, _counts(self._profiler)
        return [code for code, count in self._known.items() if count > before.get(code, 0)]


def _counts(profiler: cProfile.Profile) -> Mapping[CodeType, int]:
    """Return how often each function of the package has returned."""
    return {
        entry.code: entry.callcount
        for entry in profiler.getstats()
        if not isinstance(entry.code, str) and entry.code.co_filename.startswith(PACKAGE)
    }


def _name(code: CodeType) -> str:
    return f"{os.path.relpath(code.co_filename, ROOT)}:{code.co_qualname}"
