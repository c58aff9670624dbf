"""Linking a program's object files into this process, and calling what is in them."""

import ctypes
from collections.abc import Callable

import llvmlite.binding as llvm

from relay.runtime.pool import door, pool
from relay.runtime.program import Program
from relay.support.errors import RunError

EntryPoint = Callable[[int, int, int, int, int], int]
"""The native program: addresses of inputs, outputs, constants, arena, workspace; a trap code."""

_ENTRY = ctypes.CFUNCTYPE(ctypes.c_int32, *[ctypes.c_size_t] * 5)


class Library:
    """The linked native code of one program.

    It owns the memory of the code: whoever calls one of its functions must hold it until the call
    returns. The functions hold it too, so holding a function is enough.
    """

    def __init__(self, program: Program, threads: int | None = None) -> None:
        program.machine.check_runs_here()
        self.threads = pool().threads(threads)
        self._engine = llvm.create_lljit_compiler(use_jit_link=True, suppress_errors=True)
        self._library = self._link(program)
        ctypes.c_int64.from_address(self._library["relay_threads"]).value = self.threads

    def _link(self, program: Program) -> llvm.ResourceTracker:
        builder = llvm.JITLibraryBuilder().add_object_img(door())
        for item in program.objects:
            builder.add_object_img(item.code)
        for symbol in {"relay_threads", *program.symbols}:
            builder.export_symbol(symbol)
        builder.import_symbol("relay_pool_run", pool().run_address).add_current_process()
        try:
            return builder.link(self._engine, "program")
        except RuntimeError as error:
            raise RunError(
                "R012",
                f"the program's native code does not link: {error}",
                help="compile the model again with this version of Relay",
            ) from error

    def kernel(self, symbol: str, pointers: int, scalars: int) -> Callable[..., int]:
        """Return the kernel of a step; it takes `pointers`, then `scalars`, then the workspace."""
        arguments = [ctypes.c_size_t] * pointers + [ctypes.c_int64] * scalars + [ctypes.c_size_t]
        return self._function(symbol, ctypes.CFUNCTYPE(ctypes.c_int32, *arguments))

    def measure(self, symbol: str, scalars: int) -> Callable[..., int]:
        """Return what tells a kernel's workspace; it takes `scalars` and a number of workers."""
        kind = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_int64] * (scalars + 1))
        return self._function(symbol, kind)

    def _function(self, symbol: str, kind: type) -> Callable[..., int]:
        function = kind(self._library[symbol])
        function.memory = (self._library, self._engine)  # no cycle: `self` would close one
        return function


class Code(Library):
    """The linked native code of a program that is one native function."""

    def __init__(self, program: Program, threads: int | None = None) -> None:
        super().__init__(program, threads)
        self.entry: EntryPoint = self._function(program.entry, _ENTRY)
