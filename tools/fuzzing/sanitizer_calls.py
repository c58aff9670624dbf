"""LLVM text that calls AddressSanitizer before each access to memory.

LLVM's own pass is not part of llvmlite, so the calls are written into the text:

1. loads, stores and atomic operations through a register;
2. masked loads and stores of vectors: the lanes from the first to the last active one;
3. gathers and scatters: each active lane;
4. copies and fills of memory.

Accesses to global variables are not checked.
"""

import re
from collections.abc import Iterator

_POINTER = r"ptr (?:[a-z_]+(?:\(\d+\))? (?:\d+ )?)*(%[\w.$-]+)"
_WORD = r"(%[\w.$-]+|\d+)"
_TYPE = r"(<\d+ x \w+>|\w+)"
_LOAD = re.compile(rf" *%[\w.$\"-]+ = load (?:atomic |volatile )*{_TYPE}, ptr (%[\w.$-]+)(?=,| |$)")
_STORE = re.compile(rf" *store (?:atomic |volatile )*{_TYPE} .*, ptr (%[\w.$-]+)(?=,| |$)")
_ATOMIC = re.compile(rf" *%[\w.]+ = (?:atomicrmw \w+|cmpxchg) ptr (%[\w.$-]+), {_TYPE} ")
_MASKED = re.compile(r"@llvm\.masked\.(load|store|gather|scatter)\.v(\d+)[a-z]+(\d+)\.\w+\(")
_MASK = re.compile(r"<\d+ x i1> (%[\w.$-]+|splat \(i1 \w+\)|zeroinitializer|<[^>]*>)")
_POINTERS = re.compile(r"<\d+ x ptr> (?:align \d+ )?(%[\w.$-]+)")
_COPY = re.compile(rf"@llvm\.mem(?:cpy|move)\.[\w.]+\({_POINTER}, {_POINTER}, i64 {_WORD},")
_FILL = re.compile(rf"@llvm\.memset\.[\w.]+\({_POINTER}, i8 \S+, i64 {_WORD},")
_ONE_POINTER = re.compile(_POINTER)
_VECTOR = re.compile(r"<(\d+) x (\w+)>")
_BYTES = {
    "i1": 1,
    "i8": 1,
    "i16": 2,
    "half": 2,
    "bfloat": 2,
    "i32": 4,
    "float": 4,
    "i64": 8,
    "double": 8,
    "ptr": 8,
}
_CHECKS = """
declare void @__asan_loadN(i64, i64)
declare void @__asan_storeN(i64, i64)
define internal void @asan_check(ptr %at, i64 %bytes, ptr %check) {
  %address = ptrtoint ptr %at to i64
  call void %check(i64 %address, i64 %bytes)
  ret void
}
define internal void @asan_check_lanes(ptr %at, i64 %mask, i64 %each, ptr %check) {
  %first = call i64 @llvm.cttz.i64(i64 %mask, i1 false)
  %above = call i64 @llvm.ctlz.i64(i64 %mask, i1 false)
  %end = sub i64 64, %above
  %span = sub i64 %end, %first
  %lanes = call i64 @llvm.smax.i64(i64 %span, i64 0)
  %skipped = mul i64 %first, %each
  %bytes = mul i64 %lanes, %each
  %start = getelementptr i8, ptr %at, i64 %skipped
  call void @asan_check(ptr %start, i64 %bytes, ptr %check)
  ret void
}
"""


def instrumented(text: str) -> str:
    """Return LLVM text that calls the sanitizer before each access through a register."""
    lines: list[str] = []
    for number, line in enumerate(text.splitlines()):
        if not line.startswith(("declare", ";")):
            lines += _checks(line, f"%asan{number}")
        lines.append(line)
    return "\n".join(lines) + _CHECKS


def _checks(line: str, name: str) -> Iterator[str]:
    """Yield the checks of the access in a line; their registers begin with `name`."""
    masked = _MASKED.search(line)
    if masked is not None:
        yield from _masked_checks(masked, line, name)
    elif found := _LOAD.match(line):
        yield from _plain_check(found[2], found[1], "load")
    elif found := _STORE.match(line):
        yield from _plain_check(found[2], found[1], "store")
    elif found := _ATOMIC.match(line):
        yield from _plain_check(found[1], found[2], "store")
    elif found := _COPY.search(line):
        yield _check(found[1], found[3], "store")
        yield _check(found[2], found[3], "load")
    elif found := _FILL.search(line):
        yield _check(found[1], found[2], "store")


def _plain_check(pointer: str, ty: str, kind: str) -> Iterator[str]:
    nbytes = _type_bytes(ty)
    if nbytes is not None:
        yield _check(pointer, str(nbytes), kind)


def _check(pointer: str, nbytes: str, kind: str) -> str:
    return f"  call void @asan_check(ptr {pointer}, i64 {nbytes}, ptr @__asan_{kind}N)"


def _masked_checks(masked: re.Match[str], line: str, name: str) -> Iterator[str]:
    operation, lanes, bits = masked[1], int(masked[2]), int(masked[3])
    arguments = line[masked.end() :]
    kind = "load" if operation in {"load", "gather"} else "store"
    mask = _MASK.findall(arguments)[0 if kind == "load" else -1]
    # The larger type between them makes both conversions valid for vectors of 64 lanes, too.
    yield f"  {name}.bits = bitcast <{lanes} x i1> {mask} to i{lanes}"
    yield f"  {name}.mask = zext i{lanes} {name}.bits to i65"
    yield f"  {name}.word = trunc i65 {name}.mask to i64"
    if operation in {"load", "store"}:
        found = _ONE_POINTER.search(arguments)
        assert found is not None, line
        given = f"ptr {found[1]}, i64 {name}.word, i64 {bits // 8}, ptr @__asan_{kind}N"
        yield f"  call void @asan_check_lanes({given})"
        return
    (pointers,) = _POINTERS.findall(arguments)
    for lane in range(lanes):
        at, active, nbytes = (f"{name}.{part}{lane}" for part in ("at", "active", "bytes"))
        yield f"  {at} = extractelement <{lanes} x ptr> {pointers}, i64 {lane}"
        yield f"  {active} = extractelement <{lanes} x i1> {mask}, i64 {lane}"
        yield f"  {nbytes} = select i1 {active}, i64 {bits // 8}, i64 0"
        yield _check(at, nbytes, kind)


def _type_bytes(ty: str) -> int | None:
    """Return the size of an LLVM type in bytes; None for a structure."""
    vector = _VECTOR.fullmatch(ty)
    if vector is None:
        return _BYTES.get(ty)
    count, each = int(vector[1]), _BYTES.get(vector[2])
    return (count + 7) // 8 if vector[2] == "i1" else each and count * each
