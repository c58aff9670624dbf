"""Constants in a module's file: large ones have sections of their own, small ones share one."""

import math

import numpy as np

from relay.ir.dims import is_static
from relay.ir.expr import Array
from relay.ir.types import TensorType
from relay.runtime.artefact import Container, Packer, Section
from relay.runtime.json_fields import malformed

UNIT = 16
"""The alignment of small constants in bytes, a multiple of the largest element size (8)."""

SMALL = 1024
"""The size in bytes below which constants share a section, to save the overhead of a section."""


class ConstantWriter:
    """The constants of a program, arranged in sections of a file."""

    def __init__(self, packer: Packer) -> None:
        self._packer = packer
        self._block = bytearray()

    def place(self, data: Array) -> tuple[int, int]:
        """Store a constant in the file, and return its location as a pair of numbers.

        Small constants are at `(0, unit)`: an offset into the shared section, in units of `UNIT`
        bytes. Others are at `(section + 1, 0)`.
        """
        plain = np.ascontiguousarray(data)
        if plain.nbytes >= SMALL:
            return self._packer.add(plain.reshape(-1).view(np.uint8)) + 1, 0
        at = len(self._block) // UNIT
        self._block += plain.tobytes()
        self._block += bytes(-len(self._block) % UNIT)
        return 0, at

    def finish(self) -> int:
        """Add the section of small constants to the file, and return its number."""
        return self._packer.add(bytes(self._block))


def read_constant(
    container: Container, block: Section, place: tuple[int, int], ty: TensorType
) -> Array:
    """Return the constant of type `ty` at a location in a file, mapped into memory.

    `block` is the section of small constants. Raises `A006` if the constant extends beyond the
    file.
    """
    section, unit = place
    data = container.section(section - 1) if section else block
    if not is_static(ty.shape):
        raise malformed("the size of a constant is unknown")
    try:
        element = ty.dtype.numpy
    except TypeError as error:
        raise malformed(f"constants cannot have the element type {ty.dtype}") from error
    start, size = unit * UNIT, math.prod(ty.static_shape) * element.itemsize
    if start + size > data.nbytes:
        raise malformed("a constant lies outside of its section")
    return data[start : start + size].view(element).reshape(ty.static_shape)
