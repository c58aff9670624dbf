"""Ctrl-C stops a running program: a handler of signals for the time of a call, made of LLVM IR.

Python's own handler only notes a signal until native code returns, which may take hours. So in
the main thread, the one that Python gives signals to, a handler of ours stands before it while a
program runs, and stores into the word that the program looks at.
"""

import ctypes
import functools
import signal
import threading
from collections.abc import Callable
from importlib import resources
from string import Template
from typing import Any

import llvmlite.binding as llvm

from relay.runtime.pool import compile_for_host

_GUARDED = ctypes.CFUNCTYPE(ctypes.c_int32, *[ctypes.c_size_t] * 7)


def interruptible(entry: Callable[..., int]) -> Callable[..., int]:
    """Return an entry that takes one argument more: the address of the word that stops it.

    In a thread that is not the main one the entry runs to its end.
    """
    address = address_of(entry)
    guarded = _guarded()
    main = threading.main_thread

    def call(*given: int) -> int:
        if threading.get_ident() == main().ident:
            return guarded(address, *given)
        return entry(*given[:-1])

    return call


def guard_address() -> int:
    """Return the address of what calls an entry so that Ctrl-C stops it: see `interrupt.ll`."""
    return address_of(_guarded())


def address_of(function: Any) -> int:
    """Return the address of a native function."""
    found = ctypes.cast(function, ctypes.c_void_p).value
    assert found is not None, "functions have addresses"
    return found


@functools.cache
def _guarded() -> Callable[..., int]:
    text = (resources.files("relay.runtime") / "interrupt.ll").read_text()
    code = compile_for_host(Template(text).substitute(interrupt=int(signal.SIGINT)))
    engine = llvm.create_lljit_compiler(use_jit_link=True)
    builder = llvm.JITLibraryBuilder().add_object_img(code).add_current_process()
    library = builder.export_symbol("relay_guarded").link(engine, "interrupt")
    function: Any = _GUARDED(library["relay_guarded"])
    function.memory = (library, engine)
    return function
