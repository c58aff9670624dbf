"""What every test may rely on."""

import gc
import os

os.environ["RELAY_FREEZE_NODES"] = "1"  # before anything imports relay: nodes reject assignment
os.environ["RELAY_STRICT"] = "1"  # a schedule that fails is an error, not a slower kernel

from collections.abc import Callable, Generator
from functools import partial
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from examples.pretrained_models import fetch
from relay.kernels.llvm.emitter_context import Options

# No deadline: machines are shared, and timing is never asserted. CI draws the same examples each
# time, so that a red run can be repeated, and fewer; at a desk every run draws new ones.
settings.register_profile(
    "default", deadline=None, max_examples=50, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("ci", settings.get_profile("default"), derandomize=True, max_examples=25)
settings.register_profile("thorough", settings.get_profile("default"), max_examples=2000)
settings.load_profile(
    os.environ.get("HYPOTHESIS_PROFILE", "ci" if os.environ.get("CI") else "default")
)

RealModel = Callable[[str], Path]
Golden = Callable[[Path, str], None]

COMPARE_VALUES = tuple(
    f"tests/{folder}/"
    for folder in (
        *("autodiff", "benchmarks", "build", "classic", "cli", "frontend", "interop", "layers"),
        *("numpy", "ops", "prelude", "runtime", "semantics", "testing", "tools", "transform"),
    )
)
"""Folders of tests that compare what programs compute: these are marked `values`."""

OPTIMISED = ("tests/build/library/",)
"""Folders within those whose tests are not: what an exported library needs is in optimised code."""

COMPILING = ("relay.build.compile", "relay.build.vm", "relay.testing.compile_operator")
"""Modules that compile with LLVM's default optimisations."""

gc.disable()  # until the tests are collected: every one of their objects stays


def pytest_collection_finish() -> None:
    """Leave the many thousand objects that describe the tests out of every garbage collection.

    Collections are rare, because most objects of a compiler are freed without them.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000)  # with Python's 700, collections take up to 5 % of the time
    gc.enable()


@pytest.hookimpl(trylast=True)  # after `-m` has selected tests
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep every N-th test with `--every N`: a sample of all folders."""
    items[:] = items[:: config.getoption("--every")]


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark the tests of values."""
    if item.nodeid.startswith(COMPARE_VALUES) and not item.nodeid.startswith(OPTIMISED):
        item.add_marker(pytest.mark.values)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Compile the programs of tests marked `values` without LLVM's optimisations.

    With `OPTIMISED_VALUES=1`, as in `make conformance`, with them. Only tests in tests/kernels
    start processes that compile: elsewhere the other cores have tests.
    """
    with pytest.MonkeyPatch.context() as patch:
        if not item.nodeid.startswith("tests/kernels/"):
            patch.setattr("relay.kernels.llvm.worker_processes.available_cpus", lambda: 1)
        if item.get_closest_marker("values") and not os.environ.get("OPTIMISED_VALUES"):
            for module in COMPILING:
                patch.setattr(f"{module}.Options", partial(Options, level=0))
        return (yield)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Offer `--update-golden` and `--every`."""
    help_ = "run every N-th of the selected tests only"
    parser.addoption("--every", type=int, default=1, metavar="N", help=help_)
    parser.addoption(
        "--update-golden", action="store_true", help="write what golden tests compute as expected"
    )


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    """Return a check that a text equals a file's; with `--update-golden` it writes the file."""
    update = bool(request.config.getoption("--update-golden"))

    def check(path: Path, actual: str) -> None:
        if update:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(actual, encoding="utf-8")
        elif not path.exists():
            pytest.fail(f"{path} is missing: run pytest with --update-golden and read it")
        assert actual == path.read_text(encoding="utf-8")

    return check


@pytest.fixture
def real_model() -> RealModel:
    """Return `fetch`, which skips the test where the registry is out of reach.

    At a desk that may happen; in CI the registry is there, and a failure is a failure.
    """

    def fetch_or_skip(name: str) -> Path:
        try:
            return fetch(name)
        except ConnectionError as error:
            if os.environ.get("CI"):
                raise
            pytest.skip(str(error))

    return fetch_or_skip
