"""Where the native border is, and where it is not."""

import subprocess
import sys
import sysconfig
from typing import Any

import numpy as np
import pytest

import relay
from relay.runtime import Data
from relay.runtime.call_boundary import native_boundary as native
from relay.support.errors import RunError

HEAD = '#[version = "0.0.5"]\n'


def built_now() -> Any:
    return native.native_cross.__wrapped__()


def test_it_is_here_on_cpython():
    usual = sys.implementation.name == "cpython" and not hasattr(sys, "gettotalrefcount")
    locked = not sysconfig.get_config_var("Py_GIL_DISABLED")
    assert (native.native_cross() is not None) == (usual and locked)


def test_it_is_not_where_python_is_another(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys.implementation, "name", "other")
    assert built_now() is None
    monkeypatch.undo()
    monkeypatch.setattr(sys, "gettotalrefcount", lambda: 0, raising=False)
    assert built_now() is None


def test_it_is_not_where_there_is_no_lock(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sysconfig, "get_config_var", lambda name: name == "Py_GIL_DISABLED")
    assert built_now() is None


@pytest.mark.parametrize("name", ["data", "rank", "descr", "flags", "class"])
def test_it_is_not_where_arrays_are_laid_out_otherwise(monkeypatch: pytest.MonkeyPatch, name: str):
    other = {"flags": "shape", "rank": "data"}.get(name, "rank")
    monkeypatch.setitem(native._OFFSETS, name, native._OFFSETS[other])
    assert built_now() is None


def test_it_is_not_where_numpy_has_no_table(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(native, "_numpy_table", lambda: None)
    assert built_now() is None


FORKING = """
import os, signal, sys, threading, time
import numpy as np, relay
signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job ignores it
endless = relay.compile(relay.parse(sys.argv[1]))
def interrupt():
    time.sleep(0.3)
    os.kill(os.getpid(), signal.SIGINT)
def child():
    if os.fork() == 0:
        try:
            threading.Thread(target=interrupt, daemon=True).start()
            endless(np.int32(0))
        except KeyboardInterrupt:
            os._exit(7)
    print(os.waitstatus_to_exitcode(os.wait()[1]))
worker = threading.Thread(target=child)
worker.start()
worker.join()
"""


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_the_main_thread_of_a_child_is_the_one_that_forked():
    text = HEAD + "def @main(%n: int32) -> int32 { @main(add(%n, 2)) }"
    command = [sys.executable, "-W", "ignore", "-c", FORKING, text]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout.split() == ["7"], done.stderr


def test_machines_that_are_interpreted_refuse_cycles_too():
    text = "type Tree { Leaf, Node(Tree, Tree) }\ndef @main(%t: Tree) -> int32 { 1 }"
    machine = relay.create_executor("vm", relay.parse(HEAD + text))
    fields: list[Any] = [Data("Leaf"), Data("Leaf")]
    shared = Data("Node", (Data("Leaf"), Data("Leaf")))
    node = Data("Node", (shared, Data("Node", (shared, Data("Leaf")))))
    run = machine.evaluate()
    assert run(node) == np.int32(1)
    object.__setattr__(shared, "fields", (node, *fields[1:]))
    with pytest.raises(RunError, match="part of itself"):
        run(node)
