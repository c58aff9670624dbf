"""The C header of a library: what goes in, what comes out, and how to call it."""

import math
from collections.abc import Iterator, Sequence
from importlib import resources
from string import Template

from relay.runtime.code.traps import COMMON_TRAPS, INTERRUPTED, NO_MEMORY
from relay.runtime.library.names import identifiers
from relay.runtime.program import Program, TensorSpec, Trap
from relay.support.dtype import DType, Kind
from relay.support.version import version

_FLOATS = {32: "float", 64: "double"}


def header_text(program: Program, name: str, file: str, needs: frozenset[str] | None) -> str:
    """Return the header of the library `file`, whose functions begin with `name`.

    `needs` are the functions that it calls, where they are known. Both structs hold pointers only,
    in the order of the signature: to the native code they are the tables of its inputs and outputs.
    """
    inputs, outputs = program.signature.inputs, program.signature.outputs
    return Template((resources.files("relay.runtime.library") / "header.h").read_text()).substitute(
        name=name,
        NAME=name.upper(),
        file=_in_comment(file),
        version=version(),
        needs=", ".join(sorted(needs)) if needs else "the C library",
        machine=program.machine.triple,
        cpu=program.machine.cpu,
        sizes="\n".join([*_sizes(inputs, name, "INPUT"), *_sizes(outputs, name, "OUTPUT")]),
        inputs="\n".join(_fields(inputs, "const ")),
        outputs="\n".join(_fields(outputs, "")),
        statuses="\n".join(f" *   {n:<3} {_in_comment(t)}" for n, t in statuses(program).items()),
    )


def _sizes(specs: Sequence[TensorSpec], name: str, side: str) -> Iterator[str]:
    for spec, word in zip(specs, identifiers(spec.name for spec in specs), strict=True):
        macro = f"{name}_{side}_{word}_SIZE".upper()
        yield f"#define {macro} {math.prod(spec.static_shape)}"


def _fields(specs: Sequence[TensorSpec], const: str) -> Iterator[str]:
    for spec, word in zip(specs, identifiers(spec.name for spec in specs), strict=True):
        yield f"  {const}{c_type(spec.dtype)} *{word}; /* {_in_comment(str(spec))} */"
    if not specs:
        yield f"  {const}void *nothing; /* a struct of C has a member */"


def _in_comment(text: str) -> str:
    """Return text that cannot end the comment that it stands in."""
    return text.replace("*/", "* /").replace("/*", "/ *").replace("\n", " ")


def c_type(dtype: DType) -> str:
    """Return the type of C for an element; one that C does not have is its bits.

    >>> from relay.support.dtype import dtype
    >>> c_type(dtype("float32")), c_type(dtype("bfloat16")), c_type(dtype("int64"))
    ('float', 'uint16_t', 'int64_t')
    """
    if dtype.kind is Kind.BOOL:
        return "bool"
    if dtype.kind is Kind.FLOAT and dtype.bits in _FLOATS:
        return _FLOATS[dtype.bits]
    sign = "" if dtype.kind is Kind.INT else "u"
    return f"{sign}int{8 * dtype.itemsize}_t"


def statuses(program: Program) -> dict[int, str]:
    """Return the meanings of what a run returns, each in one line."""
    every = [trap for trap in COMMON_TRAPS if trap.number in {NO_MEMORY, INTERRUPTED}]
    return {0: "success"} | {trap.number: _meaning(trap) for trap in (*every, *program.traps)}


def _meaning(trap: Trap) -> str:
    place = f" (at {trap.span})" if trap.span else ""
    return f"{trap.error}: {trap.message}{place}".replace("\n", " ")
