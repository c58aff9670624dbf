"""A program for several devices as plain data: kernel launches and copies in order."""

from typing import Any, TypeAlias

from relay.runtime.artefact import Container, Packer
from relay.runtime.data_json import Json, fields_from_json, fields_to_json
from relay.runtime.json_fields import malformed
from relay.runtime.program import Constants, Location, MemoryRegion, ObjectCode, Program
from relay.runtime.program_json import check_constants, check_program, storable
from relay.support.node import Value, node, replace, value

HOST = 0
"""The number of the host; devices are numbered from 1."""


@value
class Place(Value):
    """The location of a tensor of `nbytes` bytes: a device, and an address in its memory."""

    device: int
    location: Location
    nbytes: int


@value
class Launch(Value):
    """A kernel call on a device: the tensors that it reads and writes, and its cost.

    It waits for the steps of other devices in `after`. The traps of a host kernel are numbered
    after `trap`.
    """

    device: int
    symbol: str
    label: str
    reads: tuple[Place, ...]
    writes: tuple[Place, ...]
    after: tuple[int, ...] = ()
    flops: int = 0
    bytes: int = 0
    trap: int = 0

    @property
    def arguments(self) -> tuple[Place, ...]:
        """Return the arguments of the kernel: the tensors read, then those written."""
        return (*self.reads, *self.writes)


@value
class Transfer(Value):
    """A copy between the host and a device; it waits for the steps in `after`."""

    source: Place
    target: Place
    after: tuple[int, ...] = ()

    @property
    def device(self) -> int:
        """Return the number of the device whose queue performs the copy."""
        return max(self.source.device, self.target.device)


PlacedStep: TypeAlias = Launch | Transfer


@node
class DevicePart:
    """The part of a program on one device: its code, constants, and memory per call."""

    name: str
    objects: tuple[ObjectCode, ...]
    constants: Constants
    arena_bytes: int


@node
class PlacedProgram:
    """A program for several devices: the host's kernels, the parts of devices, and the steps.

    Device `n` is `parts[n - 1]`. Results are on the host after the last step. The host's program
    has no entry function.
    """

    native: Program
    parts: tuple[DevicePart, ...]
    steps: tuple[PlacedStep, ...]


def placed_to_json(program: PlacedProgram, packer: Packer) -> dict[str, Any]:
    """Return a program as JSON; code and constants are added as sections to `packer`."""
    return fields_to_json(replace(program, native=storable(program.native)), packer)


def placed_from_json(given: Json, container: Container) -> PlacedProgram:
    """Return the program that `placed_to_json` encoded; raises `A006` for invalid JSON."""
    program = fields_from_json(PlacedProgram, given, container)
    check_program(program.native)
    for part in program.parts:
        check_constants(part.constants)
    for number, step in enumerate(program.steps):
        _check(step, number, program)
    return program


def _check(step: PlacedStep, number: int, program: PlacedProgram) -> None:
    """Raise `A006` if a step has an invalid device or memory, or waits for a later step."""
    if any(each >= number for each in step.after):
        raise malformed("a step waits for a later step")
    match step:
        case Launch(device=device, symbol=symbol):
            places = step.arguments
            known = [program.native, *program.parts]
            names = {each.symbol for each in known[device].objects} if device < len(known) else ()
            if symbol not in names or any(place.device != device for place in places):
                raise malformed(f"step '{step.label}' uses code or memory of another device")
        case Transfer(source=source, target=target):
            places = (source, target)
            if HOST not in (source.device, target.device) or source.nbytes != target.nbytes:
                raise malformed(
                    "a copy does not connect the host and a device, or its two sizes differ"
                )
    for place in places:
        if place.location.offset + place.nbytes > _memory_bytes(place, program):
            raise malformed("a tensor lies outside its memory block")


def _memory_bytes(place: Place, program: PlacedProgram) -> int:
    """Return the size in bytes of the memory block that a tensor is in, or -1 if it is invalid."""
    region, index = place.location.region, place.location.index
    if place.device > len(program.parts):
        return -1
    part = program.parts[place.device - 1] if place.device else program.native
    match region:
        case MemoryRegion.ARENA:
            return part.arena_bytes
        case MemoryRegion.CONSTANT:
            return part.constants.block.nbytes
        case MemoryRegion.INPUT | MemoryRegion.OUTPUT:
            signature = program.native.signature
            specs = signature.inputs if region is MemoryRegion.INPUT else signature.outputs
            is_known = place.device == HOST and index < len(specs) and specs[index].is_static
            return specs[index].nbytes if is_known else -1
