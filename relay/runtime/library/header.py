"""Write the C header of an exported library: structs for inputs and outputs, and functions."""

import math
from collections.abc import Iterator, Sequence
from importlib import resources
from string import Template

from relay.runtime.code.traps import COMMON_TRAPS, INTERRUPTED, NO_MEMORY
from relay.runtime.library.c_identifiers import identifiers
from relay.runtime.program import Program, TensorSpec, Trap
from relay.support.dtype import DType, Kind
from relay.support.version import version

_FLOATS = {32: "float", 64: "double"}

_OWN = ("inputs", "outputs", "sizes", "run", "stop", "workspace_bytes", "set_threads", "error")
"""The names of structs, members and functions that the header itself defines."""

_GIVEN = "/* The sizes that inputs have in a call. */"
_COUNTS = "/* How many elements each tensor of known sizes has. */"
_FILLED = "/* An output that a call fills in; its elements are memory from malloc, to be freed. */"


def header_text(program: Program, name: str, file: str, needs: frozenset[str] | None) -> str:
    """Return the header of the library `file`, whose functions start with `name`.

    `needs` are the external functions that the library calls, if known. Both structs contain only
    pointers, in the order of the signature: the native code uses them directly as its tables of
    inputs and outputs. Dynamic inputs are followed by the address of their sizes; each dynamic
    output has a struct type of its own.
    """
    inputs, outputs = program.signature.inputs, program.signature.outputs
    sizes = [f"  int64_t {word}; /* {note} */" for word, note in _open_sizes(inputs)]
    of_sizes = [f"  const {name}_sizes *sizes;"] if sizes else []
    return Template(
        (resources.files("relay.runtime.library") / "header.h").read_text("utf-8")
    ).substitute(
        name=name,
        NAME=name.upper(),
        file=_in_comment(file),
        version=version(),
        needs=", ".join(sorted(needs)) if needs else "the C library",
        machine=program.machine.triple,
        cpu=program.machine.cpu,
        sizes=_section(_COUNTS, [*_sizes(inputs, name, "INPUT"), *_sizes(outputs, name, "OUTPUT")]),
        open="".join(
            [_struct(f"{name}_sizes", sizes, _GIVEN), *_open_outputs(outputs, name)],
        ),
        inputs="\n".join([*_fields(inputs, name, "const "), *of_sizes]),
        outputs="\n".join(_fields(outputs, name, "")),
        statuses="\n".join(f" *   {n:<3} {_in_comment(t)}" for n, t in statuses(program).items()),
    )


def _named(specs: Sequence[TensorSpec]) -> Iterator[tuple[TensorSpec, str]]:
    """Yield each tensor specification with a unique C identifier."""
    words = identifiers((spec.name for spec in specs), _OWN)
    return zip(specs, words, strict=True)


def _sizes(specs: Sequence[TensorSpec], name: str, side: str) -> Iterator[str]:
    """Write macros with the number of elements of each tensor of static size."""
    for spec, word in _named(specs):
        if spec.is_static:
            macro = f"{name}_{side}_{word}_SIZE".upper()
            yield f"#define {macro} {math.prod(spec.static_shape)}"


def _section(note: str, lines: Sequence[str]) -> str:
    """Write lines below a comment; nothing if there are no lines."""
    return "\n".join([note, *lines, "", ""]) if lines else ""


def _open_sizes(specs: Sequence[TensorSpec]) -> Iterator[tuple[str, str]]:
    """Yield a struct member and a comment for each dynamic size of an input."""
    found = [(spec, axis) for spec in specs for axis in spec.open_axes]
    for word, (spec, axis) in zip(
        identifiers(f"{spec.name}_{axis}" for spec, axis in found), found, strict=True
    ):
        yield word, _in_comment(f"{spec.shape[axis]}, axis {axis} of {spec.name}")


def _open_outputs(specs: Sequence[TensorSpec], name: str) -> Iterator[str]:
    """Write a struct for each output of dynamic size."""
    for spec, word in _named(specs):
        if not spec.is_static:
            sizes = [
                f"  int64_t size{axis}; /* {_in_comment(str(spec.shape[axis]))} */"
                for axis in spec.open_axes
            ]
            members = [f"  {c_type(spec.dtype)} *elements;", *sizes]
            yield _struct(f"{name}_{word}", members, _FILLED)


def _struct(name: str, members: Sequence[str], note: str) -> str:
    """Write a C struct definition; nothing if it has no members."""
    lines = [note, f"typedef struct {name} {{", *members, f"}} {name};", "", ""]
    return "\n".join(lines) if members else ""


def _fields(specs: Sequence[TensorSpec], name: str, const: str) -> Iterator[str]:
    for spec, word in _named(specs):
        is_struct = not const and not spec.is_static
        ty = f"{name}_{word}" if is_struct else f"{const}{c_type(spec.dtype)}"
        yield f"  {ty} *{word}; /* {_in_comment(str(spec))} */"
    if not specs:
        yield f"  {const}void *nothing; /* a struct of C has a member */"


def _in_comment(text: str) -> str:
    """Return text that is safe inside of a C comment."""
    return text.replace("*/", "* /").replace("/*", "/ *").replace("\n", " ")


def c_type(dtype: DType) -> str:
    """Return the C type of an element; types that C does not have become unsigned integers.

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
    """Return the meaning of each return value of the run function, in one line."""
    every = [trap for trap in COMMON_TRAPS if trap.number in {NO_MEMORY, INTERRUPTED}]
    found = {0: "success"} | {trap.number: _meaning(trap) for trap in (*every, *program.traps)}
    return dict(sorted(found.items()))


def _meaning(trap: Trap) -> str:
    place = f" (at {trap.span})" if trap.span else ""
    return f"{trap.error}: {trap.message}{place}".replace("\n", " ")
