"""Layouts: the order and the blocking of the axes of a tensor in memory.

A layout is written with one upper-case letter per axis, and `16c` for an inner block of 16 of axis
`C`: `NCHW16c` has rank 5 and holds channel `c` at outer index `c // 16` and inner index `c % 16`.
The semantics of operators uses *plain* coordinates, one per letter; the layout maps them to indices
and back.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from relay.ir.dims import Dim, Shape, floor_divide, multiply, static
from relay.ir.expr import Array
from relay.opdef.checks import size
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayTypeError
from relay.support.node import Value, value

_AXIS = re.compile(r"([A-Z])|(\d+)([a-z])")


@value
class LayoutAxis(Value):
    """One axis of a layout: a primal axis (`block` is 0), or a block of its elements."""

    letter: str
    block: int = 0

    def __str__(self) -> str:
        return f"{self.block}{self.letter.lower()}" if self.block else self.letter


@value
class Layout(Value):
    """The axes of a tensor from the outermost to the innermost.

    >>> blocked = Layout.parse("NCHW16c")
    >>> blocked.shape({"N": 1, "C": 64, "H": 7, "W": 7})
    (1, 4, 7, 7, 16)
    >>> blocked.sizes((1, 4, 7, 7, 16))
    {'N': 1, 'C': 64, 'H': 7, 'W': 7}
    >>> blocked.indices({"N": 0, "C": 35, "H": 1, "W": 2})
    (0, 2, 1, 2, 3)
    """

    axes: tuple[LayoutAxis, ...]
    order: tuple[str, ...] = ()
    """The program's order of the axes, where it differs from the layout's order."""

    @staticmethod
    def parse(text: str) -> "Layout":
        """Parse a layout; raises `T106` for an invalid one."""
        return _parse(text)

    def __str__(self) -> str:
        return "".join(map(str, self.axes))

    __repr__ = __str__

    @property
    def rank(self) -> int:
        """Return the rank of a tensor in this layout."""
        return len(self.axes)

    @property
    def letters(self) -> tuple[str, ...]:
        """Return the plain axes in the order of their outer parts."""
        return tuple(axis.letter for axis in self.axes if not axis.block)

    @property
    def plain(self) -> tuple[str, ...]:
        """Return the plain axes in the program's order."""
        return self.order or self.letters

    def of(self, order: Sequence[str]) -> "Layout":
        """Return the layout for a tensor whose axes have this order in the program.

        >>> Layout.parse("NHWC").of("NCHW").plain
        ('N', 'C', 'H', 'W')
        """
        plain = tuple(order)
        return Layout(self.axes, () if plain == self.letters else plain)

    @property
    def is_plain(self) -> bool:
        """Whether no axis is blocked."""
        return not any(axis.block for axis in self.axes)

    def blocks(self, letter: str) -> tuple[int, ...]:
        """Return the block sizes of one plain axis, outermost first; empty if it is not blocked."""
        return tuple(axis.block for axis in self.axes if axis.letter == letter and axis.block)

    def block(self, letter: str) -> int:
        """Return the product of the block sizes of a plain axis."""
        return int(np.prod(self.blocks(letter), dtype=np.int64))

    def position(self, letter: str) -> int:
        """Return the position of the outer part of a plain axis."""
        return self.axes.index(LayoutAxis(letter))

    def without(self, letters: Sequence[str]) -> "Layout":
        """Return the layout without some plain axes."""
        rest = Layout(tuple(axis for axis in self.axes if axis.letter not in letters))
        return rest.of([letter for letter in self.plain if letter not in letters])

    def sizes(self, shape: Shape) -> dict[str, Dim]:
        """Return the size of every plain axis of a tensor with this shape.

        Raises `T105` if a block has another length than in the layout.
        """
        assert len(shape) == self.rank, f"{self}: {shape}"
        result: dict[str, Dim] = dict.fromkeys(self.letters, 1)
        for axis, dim in zip(self.axes, shape, strict=True):
            if axis.block:
                size(f"layout {self}", f"length of block {axis}", axis.block, dim)
            result[axis.letter] = multiply(result[axis.letter], dim)
        return result

    def static_sizes(self, shape: Sequence[int]) -> dict[str, int]:
        """Return the size of every plain axis of a tensor with a static shape."""
        sizes = self.sizes(tuple(shape))
        return dict(zip(sizes, static(tuple(sizes.values())), strict=True))

    def shape(self, sizes: Mapping[str, Dim]) -> Shape:
        """Return the shape of a tensor with these plain sizes (`T105` if a block does not fit)."""
        for letter in self.letters:
            whole, block = sizes[letter], self.block(letter)
            what = f"rest of axis {letter}, of size {whole}, by {block}"
            size(f"layout {self}", what, 0, whole % block)
        return tuple(
            axis.block or floor_divide(sizes[axis.letter], self.block(axis.letter))
            for axis in self.axes
        )

    def indices(self, coordinates: Mapping[str, Any]) -> tuple[Any, ...]:
        """Return the index of the element at plain coordinates.

        Coordinates are numbers, arrays, expressions, or `Blocked` ones, which need no division if
        their blocks are those of this layout.
        """
        parts = {letter: iter(self._parts(letter, coordinates[letter])) for letter in self.letters}
        return tuple(next(parts[axis.letter]) for axis in self.axes)

    def _parts(self, letter: str, coordinate: Any) -> tuple[Any, ...]:
        blocks = self.blocks(letter)
        if isinstance(coordinate, Blocked):
            if coordinate.blocks == blocks:
                return coordinate.parts
            coordinate = coordinate.flat
        inner: list[Any] = []
        for block in reversed(blocks):
            inner.append(coordinate % block)
            coordinate = coordinate // block
        return (coordinate, *reversed(inner))

    def coordinates(self, indices: Sequence[Any]) -> dict[str, "Blocked"]:
        """Return the plain coordinates of the element at an index; the inverse of `indices`."""
        return {
            letter: Blocked(tuple(indices[i] for i in self._positions(letter)), self.blocks(letter))
            for letter in self.letters
        }

    def to_plain(self, array: Array, order: Sequence[str]) -> Array:
        """Rearrange an array from this layout to the axes in `order`."""
        positions = [i for letter in order for i in self._positions(letter)]
        sizes = self.sizes(array.shape)
        return array.transpose(positions).reshape([int(str(sizes[letter])) for letter in order])

    def from_plain(self, array: Array, order: Sequence[str]) -> Array:
        """Rearrange an array whose axes are those in `order` to this layout."""
        split: list[int] = []
        for letter, whole in zip(order, array.shape, strict=True):
            split += [whole // self.block(letter), *self.blocks(letter)]
        positions = [i for letter in order for i in self._positions(letter)]
        return array.reshape(split).transpose(np.argsort(positions))

    def _positions(self, letter: str) -> list[int]:
        return [i for i, axis in enumerate(self.axes) if axis.letter == letter]


class Blocked:
    """A plain coordinate in parts: the outer index, then the index in each block."""

    def __init__(self, parts: tuple[Any, ...], blocks: tuple[int, ...] = ()) -> None:
        self.parts = parts
        self.blocks = blocks

    @property
    def flat(self) -> Any:
        """Return the coordinate as one number."""
        whole = self.parts[0]
        for block, part in zip(self.blocks, self.parts[1:], strict=True):
            whole = whole * block + part
        return whole


@cache
def _parse(text: str) -> Layout:
    axes = tuple(
        LayoutAxis(match[1] or match[3].upper(), int(match[2] or 0))
        for match in _AXIS.finditer(text)
    )
    layout = Layout(axes)
    if not axes or str(layout) != text or not _is_sound(axes):
        raise RelayTypeError(
            ErrorCode.T106,
            f"'{text}' is not a layout",
            help="write each axis once in upper case, and blocks as a size and the letter: NCHW16c",
        )
    return layout


def _is_sound(axes: tuple[LayoutAxis, ...]) -> bool:
    """Whether every letter occurs once as a primal axis, and its blocks come after it."""
    seen: set[str] = set()
    for axis in axes:
        if (axis.block > 0) != (axis.letter in seen):
            return False
        seen.add(axis.letter)
    return True
