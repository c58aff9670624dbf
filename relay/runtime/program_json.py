"""Convert programs to the JSON header and sections of a file, and back.

When a program is decoded, all sizes, offsets and shapes that native code relies on are checked.
"""

import math
from typing import Any

from relay.runtime.aligned_memory import ALIGNMENT
from relay.runtime.artefact import Container, Packer
from relay.runtime.code.heap_layout import ARENA_BYTES
from relay.runtime.compilation_report import timeless
from relay.runtime.host_requirements import HostRequirements
from relay.runtime.json_fields import LARGEST, Record, malformed
from relay.runtime.program import (
    Constant,
    Constants,
    ExternalPart,
    Location,
    MemoryRegion,
    ObjectCode,
    Program,
    Signature,
    Step,
    TensorSpec,
    Trap,
)
from relay.support.dtype import float32, float64
from relay.support.error_codes import ErrorCode
from relay.support.span import Source, Span

Json = dict[str, Any]
"""A JSON object."""


def program_to_json(program: Program, packer: Packer) -> Json:
    """Return a program as JSON; its code and constants are added as sections to `packer`."""
    return {
        "entry": program.entry,
        "signature": signature_to_json(program.signature),
        "constants": constants_to_json(program.constants, packer),
        "objects": [{"symbol": o.symbol, "section": packer.add(o.code)} for o in program.objects],
        "external": [_external_to_json(part, packer) for part in program.external],
        "machine": {
            "triple": program.machine.triple,
            "cpu": program.machine.cpu,
            "features": program.machine.features,
        },
        "arena_bytes": program.arena_bytes,
        "workspace_bytes": program.workspace_bytes,
        "worker_bytes": program.worker_bytes,
        "steps": [_step_to_json(s) for s in program.steps],
        "traps": [_trap_to_json(trap) for trap in program.traps],
        "metadata": dict(timeless(program)),
        "exports": list(program.exports),
        "asked": program.interruptible,
        "in_place": [{"output": output, "input": given} for output, given in program.in_place],
    }


def program_from_json(record: Record, container: Container) -> Program:
    """Return the program that `program_to_json` encoded; raises `A006` for invalid JSON."""
    signature = signature_from_json(record.record("signature"))
    program = Program(
        entry=record.text("entry"),
        signature=signature,
        constants=constants_from_json(record.record("constants"), container),
        objects=tuple(object_from_json(o, container) for o in record.records("objects")),
        machine=_machine_from_json(record.record("machine")),
        arena_bytes=record.number("arena_bytes"),
        workspace_bytes=record.number("workspace_bytes"),
        worker_bytes=record.number("worker_bytes", LARGEST >> 16),
        steps=tuple(_step_from_json(s) for s in record.records("steps")),
        traps=tuple(_trap_from_json(t) for t in record.records("traps")),
        metadata=tuple(record.texts("metadata").items()),
        exports=tuple(record.names("exports")),
        interruptible=record.flag("asked"),
        in_place=tuple(_in_place(pair, signature) for pair in record.records("in_place")),
        external=tuple(_external_from_json(e, container) for e in record.records("external")),
    )
    _check_arena(program)
    _check_steps(program)
    return program


def _check_arena(program: Program) -> None:
    """Raise `A006` if the arena is too small for the program's heap or control block."""
    if program.stop is not None and program.arena_bytes < ALIGNMENT:
        raise malformed("the workspace has no room for the stop flag")
    if program.keeps_heap and program.arena_bytes < ARENA_BYTES:
        raise malformed("the workspace has no room for the program's heap")


def _external_to_json(part: ExternalPart, packer: Packer) -> Json:
    return {
        "symbol": part.symbol,
        "compiler": part.compiler,
        "section": packer.add(part.code),
        "inputs": [_spec_to_json(spec) for spec in part.inputs],
        "outputs": [_spec_to_json(spec) for spec in part.outputs],
    }


def _external_from_json(record: Record, container: Container) -> ExternalPart:
    part = ExternalPart(
        record.text("symbol"),
        record.text("compiler"),
        container.section(record.number("section")).tobytes(),
        tuple(_spec_from_json(spec) for spec in record.records("inputs")),
        tuple(_spec_from_json(spec) for spec in record.records("outputs")),
    )
    if not all(spec.is_static for spec in (*part.inputs, *part.outputs)):
        raise malformed(f"the external part '{part.symbol}' has symbolic dimensions")
    return part


def _in_place(record: Record, signature: Signature) -> tuple[int, int]:
    """Return an output and the donated input whose memory it reuses; their types must be equal."""
    output = record.number("output", len(signature.outputs))
    given = record.number("input", len(signature.inputs))
    left, right = signature.outputs[output], signature.inputs[given]
    if (left.shape, left.dtype) != (right.shape, right.dtype) or not left.is_static:
        raise malformed("an output differs in type from the input whose memory it reuses")
    return output, given


def _trap_to_json(trap: Trap) -> Json:
    texts = {"error": trap.error, "message": trap.message, "detail": trap.detail}
    return {"number": trap.number, **texts, **_span_to_json(trap.span)}


def _trap_from_json(record: Record) -> Trap:
    message, detail = record.text("message"), record.text("detail")
    error = record.text("error")
    if error not in ErrorCode.__members__:
        raise malformed(f"a trap has the unknown code {error!r}")
    return Trap(record.number("number"), ErrorCode(error), message, _span_from_json(record), detail)


def _span_to_json(span: Span | None) -> Json:
    """Return a source location as JSON, without the source text."""
    if span is None:
        return {"source": "", "range": ()}
    where = (span.line, span.column, span.end_line, span.end_column)
    return {"source": span.source.name, "range": where}


def _span_from_json(record: Record) -> Span | None:
    where = record.numbers("range")
    if len(where) not in (0, 4):
        raise malformed("a source location needs four numbers")
    return Span(Source(record.text("source")), *where) if where else None


def signature_to_json(signature: Signature) -> Json:
    """Return a signature as JSON."""
    found: Json = {
        "inputs": [_spec_to_json(s) for s in signature.inputs],
        "outputs": [_spec_to_json(s) for s in signature.outputs],
        "is_tuple": signature.is_tuple,
    }
    return {**found, "holds_addresses": True} if signature.holds_addresses else found


def signature_from_json(record: Record) -> Signature:
    """Return the signature that `signature_to_json` encoded."""
    return Signature(
        tuple(_spec_from_json(s) for s in record.records("inputs")),
        tuple(_spec_from_json(s) for s in record.records("outputs")),
        record.flag("is_tuple"),
        "holds_addresses" in record.fields and record.flag("holds_addresses"),
    )


def _spec_to_json(spec: TensorSpec) -> Json:
    found = {"name": spec.name, "shape": spec.shape, "dtype": str(spec.dtype)}
    return {**found, "is_complex": True} if spec.is_complex else found


def _spec_from_json(record: Record) -> TensorSpec:
    is_complex = "is_complex" in record.fields and record.flag("is_complex")
    shape, dtype = record.dimensions("shape"), record.element_type("dtype")
    spec = TensorSpec(record.text("name"), shape, dtype, is_complex)
    if is_complex and (shape[-1:] != (2,) or dtype not in (float32, float64)):
        raise malformed(f"'{spec.name}' is not a complex tensor")
    numbers = [d for d in spec.shape if isinstance(d, int)]
    if math.prod(numbers) * spec.dtype.itemsize >= LARGEST:
        raise malformed(f"'{spec.name}' is larger than any memory")
    return spec


def _constant_to_json(constant: Constant) -> Json:
    return {
        "name": constant.name,
        "offset": constant.offset,
        "shape": constant.shape,
        "dtype": str(constant.dtype),
    }


def constants_to_json(constants: Constants, packer: Packer) -> Json:
    """Return constants as JSON; their bytes are added as a section to `packer`."""
    return {
        "section": packer.add(constants.block),
        "table": [_constant_to_json(each) for each in constants.table],
    }


def constants_from_json(record: Record, container: Container) -> Constants:
    """Return the constants that `constants_to_json` encoded."""
    block = container.section(record.number("section"))
    table: list[Constant] = []
    for entry in record.records("table"):
        constant = Constant(
            entry.text("name"),
            entry.number("offset"),
            entry.numbers("shape"),
            entry.element_type("dtype"),
        )
        if constant.offset + constant.nbytes > block.nbytes:
            raise malformed(f"constant '{constant.name}' lies outside its block")
        table.append(constant)
    return Constants(block, tuple(table))


def object_from_json(record: Record, container: Container) -> ObjectCode:
    """Return object code, read from a section of a file."""
    code = container.section(record.number("section")).tobytes()
    return ObjectCode(record.text("symbol"), code)


def _machine_from_json(record: Record) -> HostRequirements:
    return HostRequirements(record.text("triple"), record.text("cpu"), record.text("features"))


def _step_to_json(step: Step) -> Json:
    return {
        "symbol": step.symbol,
        "label": step.label,
        "arguments": [location_to_json(each) for each in step.arguments],
        "scalars": step.scalars,
        "flops": step.flops,
        "bytes": step.bytes,
        "trap": step.trap,
    }


def _step_from_json(record: Record) -> Step:
    return Step(
        record.text("symbol"),
        record.text("label"),
        tuple(location_from_json(a) for a in record.records("arguments")),
        record.numbers("scalars", lowest=-LARGEST),
        record.number("flops"),
        record.number("bytes"),
        record.number("trap"),
    )


def location_to_json(location: Location) -> Json:
    """Return the location of a kernel argument as JSON."""
    return {
        "region": location.region.value,
        "offset": location.offset,
        "index": location.index,
    }


def location_from_json(record: Record) -> Location:
    """Return the location that `location_to_json` encoded."""
    try:
        region = MemoryRegion(record.text("region"))
    except ValueError as error:
        raise malformed(str(error)) from error
    return Location(region, record.number("offset"), record.number("index"))


def _check_steps(program: Program) -> None:
    """Raise `A006` if arguments of kernel calls are outside of their region, or sizes dynamic."""
    if not program.steps:
        return
    if not program.signature.is_static:
        raise malformed("a program of steps has symbolic dimensions")
    blocks = {
        MemoryRegion.INPUT: [_spec_bytes(s) for s in program.signature.inputs],
        MemoryRegion.OUTPUT: [_spec_bytes(s) for s in program.signature.outputs],
        MemoryRegion.CONSTANT: [program.constants.block.nbytes],
        MemoryRegion.ARENA: [program.arena_bytes],
    }
    external = {part.symbol: part.pointers for part in program.external}
    for step in program.steps:
        if len(step.arguments) != external.get(step.symbol, len(step.arguments)):
            raise malformed(f"step '{step.label}' does not have the arguments of its external part")
        for place in step.arguments:
            sizes = blocks[place.region]
            if place.index >= len(sizes) or place.offset > sizes[place.index]:
                raise malformed(f"step '{step.label}' has an argument outside its memory")


def _spec_bytes(spec: TensorSpec) -> int:
    return math.prod(spec.static_shape) * spec.dtype.itemsize
