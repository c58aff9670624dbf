"""Convert programs to the JSON header and sections of a file, and back.

When a program is decoded, all sizes, offsets and shapes that native code relies on are checked.
"""

import math
from typing import Any

from relay.runtime.aligned_memory import ALIGNMENT
from relay.runtime.artefact import Container, Packer
from relay.runtime.code.heap_layout import ARENA_BYTES
from relay.runtime.compilation_report import timeless
from relay.runtime.data_json import Json, fields_from_json, fields_to_json
from relay.runtime.json_fields import LARGEST, malformed
from relay.runtime.program import (
    Constants,
    MemoryRegion,
    Program,
    Signature,
    TensorSpec,
    Trap,
)
from relay.support.dtype import float32, float64
from relay.support.node import replace
from relay.support.span import Source


def program_to_json(program: Program, packer: Packer) -> dict[str, Any]:
    """Return a program as JSON; its code and constants are added as sections to `packer`."""
    return fields_to_json(storable(program), packer)


def storable(program: Program) -> Program:
    """Return a program without what files omit: source texts, and the times of its compilation."""
    traps = tuple(map(_without_text, program.traps))
    return replace(program, traps=traps, metadata=timeless(program))


def _without_text(trap: Trap) -> Trap:
    if trap.span is None:
        return trap
    return replace(trap, span=replace(trap.span, source=Source(trap.span.source.name)))


def program_from_json(given: Json, container: Container) -> Program:
    """Return the program that `program_to_json` encoded; raises `A006` for invalid JSON."""
    program = fields_from_json(Program, given, container)
    check_program(program)
    return program


def signature_from_json(given: Json, container: Container) -> Signature:
    """Return the signature that `fields_to_json` encoded; raises `A006` for invalid JSON."""
    signature = fields_from_json(Signature, given, container)
    _check_specs((*signature.inputs, *signature.outputs))
    return signature


def check_program(program: Program) -> None:
    """Raise `A006` if sizes, offsets or shapes of a program are invalid."""
    _check_specs((*program.signature.inputs, *program.signature.outputs))
    check_constants(program.constants)
    for part in program.external:
        _check_specs((*part.inputs, *part.outputs))
        if not all(spec.is_static for spec in (*part.inputs, *part.outputs)):
            raise malformed(f"the external part '{part.symbol}' has symbolic dimensions")
    for output, given in program.in_place:
        _check_in_place(program.signature, output, given)
    if program.worker_bytes >= LARGEST >> 16:
        raise malformed("the workspace of a thread is larger than any memory")
    _check_arena(program)
    _check_steps(program)


def _check_specs(specs: tuple[TensorSpec, ...]) -> None:
    """Raise `A006` for a tensor without parts of complex numbers, or larger than any memory."""
    for spec in specs:
        is_real = spec.shape[-1:] != (2,) or spec.dtype not in (float32, float64)
        if spec.is_complex and is_real:
            raise malformed(f"'{spec.name}' is not a complex tensor")
        numbers = [d for d in spec.shape if isinstance(d, int)]
        if math.prod(numbers) * spec.dtype.itemsize >= LARGEST:
            raise malformed(f"'{spec.name}' is larger than any memory")


def check_constants(constants: Constants) -> None:
    """Raise `A006` if a constant lies outside the block of all constants."""
    for constant in constants.table:
        if constant.offset + constant.nbytes > constants.block.nbytes:
            raise malformed(f"constant '{constant.name}' lies outside its block")


def _check_in_place(signature: Signature, output: int, given: int) -> None:
    """Raise `A006` if an output and the donated input whose memory it reuses differ in type."""
    if output >= len(signature.outputs) or given >= len(signature.inputs):
        raise malformed("an output or input that shares memory does not exist")
    left, right = signature.outputs[output], signature.inputs[given]
    if (left.shape, left.dtype) != (right.shape, right.dtype) or not left.is_static:
        raise malformed("an output differs in type from the input whose memory it reuses")


def _check_arena(program: Program) -> None:
    """Raise `A006` if the arena is too small for the program's heap or control block."""
    if program.stop is not None and program.arena_bytes < ALIGNMENT:
        raise malformed("the workspace has no room for the stop flag")
    if program.keeps_heap and program.arena_bytes < ARENA_BYTES:
        raise malformed("the workspace has no room for the program's heap")


def _check_steps(program: Program) -> None:
    """Raise `A006` if arguments of kernel calls are outside of their region, or sizes dynamic."""
    if not program.steps:
        return
    if not program.signature.is_static:
        raise malformed("a program of steps has symbolic dimensions")
    blocks = {
        MemoryRegion.INPUT: [spec.nbytes for spec in program.signature.inputs],
        MemoryRegion.OUTPUT: [spec.nbytes for spec in program.signature.outputs],
        MemoryRegion.CONSTANT: [program.constants.block.nbytes],
        MemoryRegion.ARENA: [program.arena_bytes],
    }
    external = {part.symbol: part.pointers for part in program.external}
    for step in program.steps:
        if len(step.arguments) != external.get(step.symbol, len(step.arguments)):
            raise malformed(f"step '{step.label}' does not have the arguments of its external part")
        if len(step.sizes) != len(step.arguments):
            raise malformed(f"step '{step.label}' does not have a size for each argument")
        for place, nbytes in zip(step.arguments, step.sizes, strict=True):
            sizes = blocks[place.region]
            if place.index >= len(sizes) or place.offset + nbytes > sizes[place.index]:
                raise malformed(f"step '{step.label}' has an argument outside its memory")
