"""Layouts: the order and the blocking of the axes of a tensor in memory.

A layout is written with one upper-case letter per axis, and `16c` for an inner block of 16 of axis
`C`: `NCHW16c` has rank 5 and holds channel `c` at outer index `c // 16` and inner index `c % 16`.
Operators are defined on *plain* coordinates, one per letter; the layout maps them to indices and
back.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from relay.ir.dims import Dim, Shape, floor_divide, multiply, static
from relay.ir.expr import Array
from relay.opdef.checks import divides, size
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayTypeError
from relay.support.node import Value, value

_AXIS = re.compile(r"([A-Z])|(\d+)([a-z])")


@value
class LayoutAxis(Value):
    """One axis in memory: the outer part of the axis `letter`, or one of its blocks.

    `block` is the size of the block; it is 0 for the outer part.
    """

    letter: str
    block: int = 0

    def __str__(self) -> str:
        return f"{self.block}{self.letter.lower()}" if self.block else self.letter


@value
class Layout(Value):
    """The axes of a tensor in memory, from the outermost to the innermost.

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
    """The order of the plain axes in the program, if it differs from their order in the layout."""

    @staticmethod
    def parse(text: str) -> "Layout":
        """Parse the text of a layout, such as `NCHW16c`; raises `T106` if it is invalid."""
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
        """Return the letters of the layout's axes without blocks, in their order in memory."""
        return tuple(axis.letter for axis in self.axes if not axis.block)

    @property
    def plain(self) -> tuple[str, ...]:
        """Return the letters of the axes in the order that they have in the program."""
        return self.order or self.letters

    def of(self, order: Sequence[str]) -> "Layout":
        """Return this layout for a tensor whose axes have the letters `order` in the program.

        >>> Layout.parse("NHWC").of("NCHW").plain
        ('N', 'C', 'H', 'W')
        """
        plain = tuple(order)
        return Layout(self.axes, () if plain == self.letters else plain)

    @property
    def is_plain(self) -> bool:
        """Whether no axis is split into blocks."""
        return not any(axis.block for axis in self.axes)

    def permuted(self, axes: Sequence[int]) -> "Layout | None":
        """Return the layout whose axis `i` in memory is axis `axes[i]` of this one.

        The result is None if there is no such layout: the blocks of an axis come after its outer
        part, in the order of this layout.

        >>> Layout.parse("NCHW4c").permuted((0, 2, 3, 1, 4)), Layout.parse("C4c").permuted((1, 0))
        (NHWC4c, None)
        """
        parts = {letter: self._positions(letter) for letter in self.letters}
        kept = all([at for at in axes if at in part] == part for part in parts.values())
        return Layout(tuple(self.axes[at] for at in axes)) if kept else None

    def blocks(self, letter: str) -> tuple[int, ...]:
        """Return the block sizes of the axis `letter`, outermost first; empty if unblocked."""
        return tuple(axis.block for axis in self.axes if axis.letter == letter and axis.block)

    def block(self, letter: str) -> int:
        """Return the product of all block sizes of the axis `letter`; 1 if it is not blocked."""
        return int(np.prod(self.blocks(letter), dtype=np.int64))

    def position(self, letter: str) -> int:
        """Return the index, among the axes in memory, of the outer part of the axis `letter`."""
        return self.axes.index(LayoutAxis(letter))

    def without(self, letters: Sequence[str]) -> "Layout":
        """Return this layout with the axes `letters` and their blocks removed."""
        rest = Layout(tuple(axis for axis in self.axes if axis.letter not in letters))
        return rest.of([letter for letter in self.plain if letter not in letters])

    def sizes(self, shape: Shape) -> dict[str, Dim]:
        """Return the size of each axis by letter, for a tensor that has `shape` in this layout.

        Raises `T105` if the size of a block axis differs from the layout's block size.
        """
        assert len(shape) == self.rank, f"{self}: {shape}"
        result: dict[str, Dim] = dict.fromkeys(self.letters, 1)
        for axis, dim in zip(self.axes, shape, strict=True):
            if axis.block:
                size(f"layout {self}", f"size of the block axis {axis}", axis.block, dim)
            result[axis.letter] = multiply(result[axis.letter], dim)
        return result

    def static_sizes(self, shape: Sequence[int]) -> dict[str, int]:
        """Return the size of each axis by letter, for a static `shape` in this layout."""
        sizes = self.sizes(tuple(shape))
        return dict(zip(sizes, static(tuple(sizes.values())), strict=True))

    def shape(self, sizes: Mapping[str, Dim]) -> Shape:
        """Return the shape in this layout, given axis sizes by letter.

        `T105` if a block does not divide.
        """
        for letter in self.letters:
            whole, block = sizes[letter], self.block(letter)
            message = (
                f"the size {whole} of axis {letter} must be a multiple of the block size {block}"
            )
            divides(f"layout {self}", whole, block, message)
        return tuple(
            axis.block or floor_divide(sizes[axis.letter], self.block(axis.letter))
            for axis in self.axes
        )

    def indices(self, coordinates: Mapping[str, Any]) -> tuple[Any, ...]:
        """Return the index in this layout of the element at coordinates by letter.

        Coordinates are numbers, arrays, expressions, or `SplitCoordinate`, which needs no division
        if its blocks are those of this layout.
        """
        parts = {letter: iter(self._parts(letter, coordinates[letter])) for letter in self.letters}
        return tuple(next(parts[axis.letter]) for axis in self.axes)

    def _parts(self, letter: str, coordinate: Any) -> tuple[Any, ...]:
        blocks = self.blocks(letter)
        if isinstance(coordinate, SplitCoordinate):
            if coordinate.blocks == blocks:
                return coordinate.parts
            coordinate = coordinate.flat
        inner: list[Any] = []
        for block in reversed(blocks):
            inner.append(coordinate % block)
            coordinate = coordinate // block
        return (coordinate, *reversed(inner))

    def coordinates(self, indices: Sequence[Any]) -> dict[str, "SplitCoordinate"]:
        """Return the coordinates by letter of the element at an index: the inverse of `indices`."""
        return {
            letter: SplitCoordinate(
                tuple(indices[i] for i in self._positions(letter)), self.blocks(letter)
            )
            for letter in self.letters
        }

    def to_plain(self, array: Array, order: Sequence[str]) -> Array:
        """Rearrange an array in this layout to an unblocked array with the axes `order`."""
        positions = [i for letter in order for i in self._positions(letter)]
        sizes = self.sizes(array.shape)
        return array.transpose(positions).reshape(static(tuple(sizes[letter] for letter in order)))

    def from_plain(self, array: Array, order: Sequence[str]) -> Array:
        """Rearrange an unblocked array with the axes `order` to this layout."""
        split: list[int] = []
        for letter, whole in zip(order, array.shape, strict=True):
            split += [whole // self.block(letter), *self.blocks(letter)]
        positions = [i for letter in order for i in self._positions(letter)]
        return array.reshape(split).transpose(np.argsort(positions))

    def _positions(self, letter: str) -> list[int]:
        return [i for i, axis in enumerate(self.axes) if axis.letter == letter]


class SplitCoordinate:
    """A coordinate along a blocked axis: its index in the outer part, then in each block."""

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
            f"'{text}' is not a valid layout",
            help=(
                "write each axis once as an upper-case letter, and a block as its size and the "
                "letter: NCHW16c"
            ),
        )
    return layout


def _is_sound(axes: tuple[LayoutAxis, ...]) -> bool:
    """Whether each letter has one outer axis, and all its blocks come after that."""
    seen: set[str] = set()
    for axis in axes:
        if (axis.block > 0) != (axis.letter in seen):
            return False
        seen.add(axis.letter)
    return True
