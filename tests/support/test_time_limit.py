"""Blocks of code whose time is limited."""

import cProfile
import threading
import time
import weakref
from contextlib import suppress

import pytest

from relay.support import time_limit
from relay.support.time_limit import LimitError, limited


def endless():
    while True:
        with suppress(Exception):  # as a careless pass may do
            time.sleep(0.001)


def test_an_endless_block_is_stopped_and_the_thread_goes_on():
    with pytest.raises(LimitError, match=r"it takes more than 0\.05 s"), limited(0.05):
        endless()
    with limited(5):
        assert sum(range(1000)) == 499500


def test_a_block_within_its_limit_is_not_stopped_afterwards():
    for _ in range(200):
        with suppress(LimitError), limited(0.001):
            pass
    assert sum(time.sleep(0.001) is None for _ in range(20)) == 20


def test_profilers_make_progress_after_a_limit():
    with pytest.raises(LimitError), limited(0.02):
        endless()
    profiler = cProfile.Profile()
    assert profiler.runcall(lambda: sum(each for each in range(10))) == 45


def test_a_limit_inside_another_one():
    def inner():
        with pytest.raises(LimitError, match=r"0\.05 s"), limited(0.05):
            endless()
        endless()

    with pytest.raises(LimitError, match=r"0\.2 s"), limited(0.2):
        inner()


def test_a_stopped_block_that_goes_on_is_stopped_again(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(time_limit, "PATIENCE", 0.05)
    caught: list[BaseException] = []

    def careless():
        try:
            endless()
        except BaseException as error:  # noqa: BLE001 - as a finaliser may lose it
            caught.append(error)
        endless()

    with pytest.raises(LimitError), limited(0.02):
        careless()
    assert len(caught) == 1


def test_memory_is_limited(monkeypatch: pytest.MonkeyPatch):
    used = iter(range(10**9))
    monkeypatch.setattr(time_limit, "physical_memory", lambda: 2**31)
    monkeypatch.setattr(time_limit, "peak_memory", lambda: next(used) * 2**31)
    with pytest.raises(LimitError, match=r"it takes more than 1\.0 GiB of memory"), limited(60):
        endless()


class Large:
    """An object that takes much memory."""


@pytest.mark.parametrize("error", [None, MemoryError()])
def test_what_a_stopped_block_holds_is_freed(error: Exception | None):
    held: list[weakref.ref[Large]] = []

    def fill():
        large = Large()
        held.append(weakref.ref(large))
        if error is not None:
            raise error
        endless()

    with pytest.raises(LimitError) as found, limited(0.05):
        fill()
    assert found.value is not None
    assert held[0]() is None


def test_threads_have_limits_of_their_own():
    found: list[str] = []

    def run(seconds: float):
        with pytest.raises(LimitError) as error, limited(seconds):
            endless()
        found.append(str(error.value))

    threads = [threading.Thread(target=run, args=(each,)) for each in (0.05, 0.1)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert found == ["it takes more than 0.05 s", "it takes more than 0.1 s"]
