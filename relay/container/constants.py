"""Constants as sections of a file: a large one has its own section, small ones share one."""

import math

import numpy as np

from relay.ir.dims import is_static
from relay.ir.expr import Array
from relay.ir.types import TensorType
from relay.runtime.artefact import Container, Packer, Section
from relay.runtime.json_fields import malformed

UNIT = 16
"""The alignment of small constants; the largest element type has 8 bytes."""

SMALL = 1024
"""The number of bytes below which a section and its checksum would be larger than the constant."""


class ConstantWriter:
    """The arrays of a program, arranged in sections."""

    def __init__(self, packer: Packer) -> None:
        self._packer = packer
        self._block = bytearray()

    def place(self, data: Array) -> tuple[int, int]:
        """Return a constant's place: 0 and a unit in the shared section, or section + 1 and 0."""
        plain = np.ascontiguousarray(data)
        if plain.nbytes >= SMALL:
            return self._packer.add(plain.reshape(-1).view(np.uint8)) + 1, 0
        at = len(self._block) // UNIT
        self._block += plain.tobytes()
        self._block += bytes(-len(self._block) % UNIT)
        return 0, at

    def finish(self) -> int:
        """Add the shared section to the file and return its number."""
        return self._packer.add(bytes(self._block))


def read_constant(
    container: Container, block: Section, place: tuple[int, int], ty: TensorType
) -> Array:
    """Return a constant, mapped into memory; raises `A006` if it extends beyond the file."""
    section, unit = place
    data = container.section(section - 1) if section else block
    if not is_static(ty.shape):
        raise malformed("a constant of unknown size")
    try:
        element = ty.dtype.numpy
    except TypeError as error:
        raise malformed(f"a constant of type {ty.dtype}") from error
    start, size = unit * UNIT, math.prod(ty.static_shape) * element.itemsize
    if start + size > data.nbytes:
        raise malformed("a constant lies outside of its section")
    return data[start : start + size].view(element).reshape(ty.static_shape)
