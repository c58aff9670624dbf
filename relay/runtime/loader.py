"""Link a program's object files into this process, and access their functions."""

import ctypes
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType

from relay.runtime.external_parts import ExternalParts
from relay.runtime.host_compilation import runtime_part
from relay.runtime.program import Program
from relay.runtime.thread_pool import pool
from relay.support.error_codes import ErrorCode
from relay.support.errors import RunError
from relay.support.linking import Linked, linked

EntryPoint = Callable[[int, int, int, int, int], int]
"""The native entry: addresses of inputs, outputs, constants, arena, workspace; returns a trap."""

_ENTRY = ctypes.CFUNCTYPE(ctypes.c_int32, *[ctypes.c_size_t] * 5)


def link(
    codes: Iterable[bytes],
    exports: Iterable[str],
    threads: int,
    imports: Mapping[str, int] = MappingProxyType({}),
) -> Linked:
    """Link object files, with a limit on the threads of their loops; raises `R012` on failure.

    External symbols resolve to the addresses in `imports`, or to symbols of this process. The
    caller must keep the result alive while the code is in use.
    """
    others = {"relay_pool_run": pool().run_address, **imports}
    try:
        parts = [runtime_part("door"), *codes]
        library = linked("program", parts, ["relay_threads", *exports], others)
    except RuntimeError as error:
        raise RunError(
            ErrorCode.R012,
            f"the native code of the program cannot be linked: {error}",
            help="compile the model again with this version of Relay",
        ) from error
    ctypes.c_int64.from_address(library["relay_threads"]).value = threads
    return library


class Library:
    """The linked native code of one program; owns the memory of the code.

    A caller of one of its functions must keep it alive until the call returns. Function objects
    keep it alive, too.
    """

    def __init__(self, program: Program, threads: int | None = None) -> None:
        program.machine.check_runs_here()
        self.threads = pool().threads(threads)
        self.external = ExternalParts(program.external, self.threads)
        codes = [item.code for item in program.objects]
        imports = self.external.addresses
        self._library = link(codes, program.native_symbols, self.threads, imports)

    def kernel(self, symbol: str, pointers: int, scalars: int) -> Callable[..., int]:
        """Return a kernel: it takes `pointers` addresses, `scalars` integers, and the workspace."""
        arguments = [ctypes.c_size_t] * pointers + [ctypes.c_int64] * scalars + [ctypes.c_size_t]
        return self._function(symbol, ctypes.CFUNCTYPE(ctypes.c_int32, *arguments))

    def measure(self, symbol: str, scalars: int) -> Callable[..., int]:
        """Return a kernel's workspace function, which takes `scalars` sizes and a worker count."""
        kind = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_int64] * (scalars + 1))
        return self._function(symbol, kind)

    def _function(self, symbol: str, kind: type) -> Callable[..., int]:
        external = self.external.addresses.get(symbol)
        function = kind(self._library[symbol] if external is None else external)
        function.memory = self._library, self.external  # `self` would create a reference cycle
        return function


class NativeCode(Library):
    """The linked native code of a program that has a native entry function."""

    def __init__(self, program: Program, threads: int | None = None) -> None:
        super().__init__(program, threads)
        self.entry: EntryPoint = self._function(program.entry, _ENTRY)
