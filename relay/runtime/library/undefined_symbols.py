"""Find the undefined symbols of object files, by reading ELF and WebAssembly.

LLVM adds calls that are not in the program, such as `memcpy` or a rounding function that the
processor does not have, so the symbols are read from the finished files.
"""

import struct
from collections.abc import Iterator

_SYMBOL_TABLE = 2


def needed(*codes: bytes) -> frozenset[str] | None:
    """Return the symbols that none of the objects defines; None if a format is unknown."""
    undefined, defined = set[str](), set[str]()
    for code in codes:
        if code.startswith(b"\x7fELF\x02"):
            for name, is_defined in _elf_symbols(code):
                (defined if is_defined else undefined).add(name)
        elif code.startswith(b"\0asm"):
            undefined.update(_wasm_functions(code))
        else:
            return None
    return frozenset(undefined - defined)


def _elf_symbols(code: bytes) -> Iterator[tuple[str, bool]]:
    """Yield the global names in an ELF symbol table, and whether each is defined."""
    (start,) = struct.unpack_from("<Q", code, 0x28)
    size, count = struct.unpack_from("<HH", code, 0x3A)
    sections = [struct.unpack_from("<IIQQQQII", code, start + i * size) for i in range(count)]
    for _, kind, _, _, offset, length, link, _ in sections:
        if kind != _SYMBOL_TABLE:
            continue
        names = sections[link][4]
        for at in range(offset + 24, offset + length, 24):  # the first symbol is null
            name, info, _, section = struct.unpack_from("<IBBH", code, at)
            if name and info >> 4:
                begin = names + name
                yield code[begin : code.index(b"\0", begin)].decode(), section != 0


def _wasm_functions(code: bytes) -> Iterator[str]:
    """Yield the names of the functions that a WebAssembly module imports."""
    at = 8
    while at < len(code):
        kind = code[at]
        size, at = _number(code, at + 1)
        if kind == 2:
            yield from _imports(code, at)
        at += size


def _imports(code: bytes, at: int) -> Iterator[str]:
    count, at = _number(code, at)
    for _ in range(count):
        _, at = _text(code, at)
        name, at = _text(code, at)
        kind = code[at]
        at += 1
        if kind == 0:
            yield name
            _, at = _number(code, at)
        else:
            at = _skip(code, at, kind)


def _skip(code: bytes, at: int, kind: int) -> int:
    """Return the offset after the descriptor of an imported table, memory or global."""
    if kind == 3:
        return at + 2
    at += kind == 1  # element type of a table
    limited = code[at]
    _, at = _number(code, at + 1)
    return _number(code, at)[1] if limited & 1 else at


def _text(code: bytes, at: int) -> tuple[str, int]:
    size, at = _number(code, at)
    return code[at : at + size].decode(), at + size


def _number(code: bytes, at: int) -> tuple[int, int]:
    """Read a LEB128 number; return it and the offset after it."""
    number = shift = 0
    while True:
        byte = code[at]
        number |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return number, at
