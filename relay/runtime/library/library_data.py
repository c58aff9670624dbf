"""Generate the LLVM text with the data of a C library, which its C functions read.

Space for the weights is only reserved: in the finished object file, it is found by a mark and
replaced by the weights.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from math import prod

from relay.runtime.aligned_memory import ALIGNMENT, align_up
from relay.runtime.library.header import statuses
from relay.runtime.program import Program

MARK = hashlib.sha256(b"weights").digest()
"""The marker in an object of the start of the weights, until they are filled in."""

FUNCTIONS = ("run", "stop", "workspace_bytes", "set_threads", "error")
"""The functions of a library, without the prefix of its name and an underscore."""


def library_text(program: Program) -> str:
    """Return the LLVM module that defines a library's data: `Library` of `c/library.h`."""
    arena = align_up(program.arena_bytes)
    if program.stop is None:  # reserve the stop word even if unused
        arena += ALIGNMENT
    opened = _open_outputs(program)
    fields = (
        "ptr @weights",
        f"i64 {arena}",
        f"i64 {align_up(program.workspace_bytes)}",
        f"i64 {align_up(program.worker_bytes)}",
        f"i64 {len(opened)}",
        "ptr @open",
        f"ptr {'@relay_finish' if opened else 'null'}",
        f"i64 {len(statuses(program))}",
        "ptr @statuses",
    )
    lines = [
        _weights(max(len(MARK), program.constants.block.nbytes)),
        _array("open", opened),
        *_meanings(statuses(program)),
        f"@relay_library = constant {_structure(fields)}",
        *(["declare i32 @relay_finish(ptr)"] if opened else []),
    ]
    return "\n".join(lines) + "\n"


def _weights(nbytes: int) -> str:
    """Write the reserved space for weights, which begins with a mark to find it by."""
    parts = f"[{len(MARK)} x i8]", f"[{nbytes - len(MARK)} x i8]"
    content = f'{parts[0]} c"{_escaped(MARK)}", {parts[1]} zeroinitializer'
    ty = f"<{{ {', '.join(parts)} }}>"
    return f"@weights = internal constant {ty} <{{ {content} }}>, align {ALIGNMENT}"


def _open_outputs(program: Program) -> list[str]:
    """Return a structure `OpenOutput` for each output of dynamic size."""
    found: list[str] = []
    for index, spec in enumerate(program.signature.outputs):
        if not spec.is_static:
            known = prod(size for size in spec.shape if isinstance(size, int)) * spec.dtype.itemsize
            numbers = index, known, len(spec.open_axes)
            found.append(_structure([f"i64 {number}" for number in numbers]))
    return found


def _meanings(texts: Mapping[int, str]) -> Iterator[str]:
    """Write the table of messages of return values."""
    for number, text in texts.items():
        content = text.encode() + b"\0"
        value = f'[{len(content)} x i8] c"{_escaped(content)}"'
        yield f"@text.{number} = private unnamed_addr constant {value}"
    yield _array("statuses", [_structure([f"i64 {n}", f"ptr @text.{n}"]) for n in texts])


def _structure(fields: Sequence[str]) -> str:
    """Return an LLVM structure constant with its type."""
    types = ", ".join(field.split(" ", 1)[0] for field in fields)
    return f"{{ {types} }} {{ {', '.join(fields)} }}"


def _array(name: str, items: Sequence[str]) -> str:
    """Return the definition of a global array of structures of one type."""
    if not items:
        return f"@{name} = internal constant [0 x i8] zeroinitializer"
    ty = items[0].split(" }", 1)[0] + " }"
    return f"@{name} = internal constant [{len(items)} x {ty}] [{', '.join(items)}]"


def _escaped(content: bytes) -> str:
    """Return bytes escaped for an LLVM string."""
    return "".join(f"\\{byte:02x}" for byte in content)
