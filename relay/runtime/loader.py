"""Linking a program's object files into this process, and calling what is in them."""

import ctypes
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType

from relay.runtime.pool import door, pool
from relay.runtime.program import Program
from relay.support.error_codes import ErrorCode
from relay.support.errors import RunError
from relay.support.linking import Linked, linked

EntryPoint = Callable[[int, int, int, int, int], int]
"""The native program: addresses of inputs, outputs, constants, arena, workspace; a trap code."""

_ENTRY = ctypes.CFUNCTYPE(ctypes.c_int32, *[ctypes.c_size_t] * 5)


def link(
    codes: Iterable[bytes],
    exports: Iterable[str],
    threads: int,
    imports: Mapping[str, int] = MappingProxyType({}),
) -> Linked:
    """Link object files, whose loops may use so many threads; `R012` if that cannot be.

    What they call of others is at the addresses of `imports`, or in this process. The result is
    held as long as the code is used.
    """
    others = {"relay_pool_run": pool().run_address, **imports}
    try:
        library = linked("program", [door(), *codes], ["relay_threads", *exports], others)
    except RuntimeError as error:
        raise RunError(
            ErrorCode.R012,
            f"the program's native code does not link: {error}",
            help="compile the model again with this version of Relay",
        ) from error
    ctypes.c_int64.from_address(library["relay_threads"]).value = threads
    return library


class Library:
    """The linked native code of one program.

    It owns the memory of the code: whoever calls one of its functions must hold it until the call
    returns. The functions hold it too, so holding a function is enough.
    """

    def __init__(self, program: Program, threads: int | None = None) -> None:
        program.machine.check_runs_here()
        self.threads = pool().threads(threads)
        codes = [item.code for item in program.objects]
        self._library = link(codes, program.symbols, self.threads)

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
        function.memory = self._library  # no cycle: `self` would close one
        return function


class NativeCode(Library):
    """The linked native code of a program that is one native function."""

    def __init__(self, program: Program, threads: int | None = None) -> None:
        super().__init__(program, threads)
        self.entry: EntryPoint = self._function(program.entry, _ENTRY)
