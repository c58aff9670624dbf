"""Which functions each test enters: `pytest -p mutant_coverage --functions-of relay/transform …`.

The plug-in writes `FILE` of `--coverage-file FILE`: `tests` with the seconds of each test that
passed, and `functions` with the tests that entered each, as `path:name`.
"""

import json
import os
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the folder that is watched, and the file that is written."""
    parser.addoption("--functions-of", default="relay")
    parser.addoption("--coverage-file", type=Path)


def pytest_configure(config: pytest.Config) -> None:
    """Watch if a file is to be written."""
    path = config.getoption("--coverage-file")
    if path is not None:
        prefix = str(ROOT / str(config.getoption("--functions-of")))
        config.pluginmanager.register(Recorder(prefix, path))


class Recorder:
    """A plug-in that records calls of functions under a prefix, test by test."""

    def __init__(self, prefix: str, path: Path) -> None:
        self._prefix = prefix
        self._path = path
        self._entered: set[Any] = set()
        self._seconds: dict[str, float] = {}
        self._tests: dict[str, list[str]] = defaultdict(list)

    def _call(self, frame: FrameType, event: str, arg: object) -> None:
        """Record a call; no line inside it is watched."""
        del event, arg
        self._entered.add(frame.f_code)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[None]:
        """Watch a test."""
        self._entered.clear()
        start = time.process_time()
        sys.settrace(self._call)
        try:
            yield
        finally:
            sys.settrace(None)
            self._seconds[item.nodeid] = round(time.process_time() - start, 3)
            for code in self._entered:
                if code.co_filename.startswith(self._prefix):
                    path = os.path.relpath(code.co_filename, ROOT)
                    self._tests[f"{path}:{code.co_qualname}"].append(item.nodeid)

    def pytest_sessionfinish(self) -> None:
        """Write the file."""
        found = {"tests": self._seconds, "functions": self._tests}
        self._path.write_text(json.dumps(found), encoding="utf-8")
