"""Linking of object code into this process."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType

import llvmlite.binding as llvm

from relay.support.worker_thread import in_worker_thread, on_finalize


class Linked:
    """Native code that is linked into this process, with its symbol table.

    The code is freed when the object is.
    """

    def __init__(
        self, library: llvm.ResourceTracker, engine: llvm.LLJIT, symbols: set[str]
    ) -> None:
        self._addresses = {symbol: library[symbol] for symbol in symbols}
        on_finalize(self, [engine, library].clear)  # the list is cleared from the end

    def __getitem__(self, symbol: str) -> int:
        """Return the address of an exported symbol."""
        return self._addresses[symbol]


@in_worker_thread
def linked(
    name: str,
    codes: Iterable[bytes],
    symbols: Iterable[str],
    imports: Mapping[str, int] = MappingProxyType({}),
) -> Linked:
    """Link object files into this process.

    Undefined symbols are resolved by `imports` or the process.

    Raises `RuntimeError` if linking fails.
    """
    engine = llvm.create_lljit_compiler(use_jit_link=True, suppress_errors=True)
    builder = llvm.JITLibraryBuilder()
    for code in codes:
        builder.add_object_img(code)
    exported = set(symbols)
    for symbol in exported:
        builder.export_symbol(symbol)
    for symbol, where in imports.items():
        builder.import_symbol(symbol, where)
    return Linked(builder.add_current_process().link(engine, name), engine, exported)
