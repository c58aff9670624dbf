"""What is done aside is done there, in order, whatever signals come."""

import signal
import subprocess
import sys
import threading
import time
import weakref

import pytest

from relay.support.worker_thread import in_worker_thread, on_finalize, result_or_error


@in_worker_thread
def here() -> int:
    return threading.get_ident()


def settle() -> None:
    """Wait until what was to be done aside before is done."""
    here()


def test_the_main_thread_has_it_done_elsewhere_and_others_do_it_themselves():
    assert here() != threading.get_ident()
    assert here() == here()
    found: list[bool] = []
    thread = threading.Thread(target=lambda: found.append(here() == threading.get_ident()))
    thread.start()
    thread.join()
    assert found == [True]


def test_one_may_call_another_and_errors_are_the_callers():
    @in_worker_thread
    def fails() -> None:
        assert here() == threading.get_ident()
        raise KeyError("x")

    with pytest.raises(KeyError):
        fails()


class Thing:
    """Something that can be gone."""


def test_what_is_to_be_done_when_something_is_gone_is_done_aside():
    done: list[int] = []
    thing = Thing()
    on_finalize(thing, lambda: done.append(threading.get_ident()))
    settle()
    assert done == []
    del thing
    settle()
    assert done == [here()]


def test_an_action_that_fails_is_no_end():
    done: list[int] = []
    first, second = Thing(), Thing()
    on_finalize(first, lambda: 1 // 0)
    on_finalize(second, lambda: done.append(1))
    del first, second
    settle()
    assert done == [1]


def test_results_that_nobody_takes_are_not_kept():
    made: list[weakref.ref[Thing]] = []

    @in_worker_thread
    def make() -> Thing:
        made.append(weakref.ref(thing := Thing()))
        return thing

    make()
    settle()
    assert made[0]() is None


INTERRUPTED = """
import random, os, signal, sys, threading, time
import numpy as np, relay
swallowed = []
sys.unraisablehook = lambda lost: swallowed.append((lost.object, lost.exc_value))
signal.signal(signal.SIGINT, signal.default_int_handler)
module = relay.parse(sys.argv[1])
relay.compile(module)
random.seed(0)
def press():
    time.sleep(random.random() * 0.02)
    os.kill(os.getpid(), signal.SIGINT)
heard = 0
for _ in range(40):  # each lets the one before go, and is let go itself
    thread = threading.Thread(target=press)
    try:
        thread.start()
        made = relay.compile(module)
        made(np.int32(3))
        thread.join()
        time.sleep(0.2)
    except KeyboardInterrupt:
        heard += 1
    thread.join()
print(heard, [each for each in swallowed if "WeakValue" not in repr(each)])
"""


def test_no_interrupt_is_lost_while_programs_are_made_and_let_go():
    text = (
        '#[version = "0.0.5"]\ndef @main(%n: int32) -> int32 '
        "{ if (less(%n, 1)) { %n } else { @main(subtract(%n, 3)) } }"
    )
    command = [sys.executable, "-c", INTERRUPTED, text]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    heard, swallowed = done.stdout.split(maxsplit=1)
    assert (int(heard) >= 38, swallowed) == (True, "[]\n")


FORKED = """
import os, threading
from relay.support.worker_thread import in_worker_thread
there = in_worker_thread(threading.get_ident)()
if os.fork() == 0:
    os._exit(7 if in_worker_thread(threading.get_ident)() != threading.get_ident() else 8)
print(os.waitstatus_to_exitcode(os.wait()[1]))
"""


def test_a_child_of_a_fork_has_a_thread_of_its_own():
    command = [sys.executable, "-W", "ignore", "-c", FORKED]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout.split() == ["7"], done.stderr


def test_what_a_handler_raises_is_not_taken_for_an_error_of_the_work():
    class LateError(Exception):
        pass

    def stop(*_: object) -> None:
        raise LateError

    before = signal.signal(signal.SIGALRM, stop)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        with pytest.raises(LateError):
            result_or_error(lambda: time.sleep(0.5))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert isinstance(result_or_error(lambda: int("x")), ValueError)
