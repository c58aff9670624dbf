"""Convert values of data types to and from the memory of a native program.

An input value is converted to an *image*: one array with a heap block for each value, in the
program's layout, with reference counts so high that the program never frees a block. A result is
read from the program's heap before the heap is freed. Neither recurses, so lists may be as long as
memory allows.
"""

import ctypes
import struct
from collections.abc import Sequence
from functools import cache
from typing import Any, cast

import numpy as np

from relay.runtime.aligned_memory import address
from relay.runtime.code.check_values import ValueChecker, around_field
from relay.runtime.code.interface_types import (
    Data,
    DataType,
    OpaqueField,
    TensorField,
    Variant,
    parts_of,
)
from relay.runtime.code.read_values import read_value
from relay.runtime.code.register_kinds import TAGS, Kind, Object, Scalar, Tensor
from relay.runtime.code.value_writers import ConstructorLayout, ConstructorLayouts, Leaf
from relay.runtime.interruptible_copies import copy_bytes
from relay.support.errors import RunError

_WORD = struct.Struct("<q")
_WRITTEN = -1


class Image:
    """A value of a data type in the form that native code reads, as words of 8 bytes.

    `words[0]` represents the value itself; blocks with the fields of constructors follow.
    """

    def __init__(self, forms: ConstructorLayouts, ty: int, given: Any, name: str) -> None:
        self._forms = forms
        self._checker = ValueChecker(forms.types, name)
        self._words = [0]
        self._links: list[int] = []  # words that are relative to the start of the image
        self._places: dict[tuple[int, int], int] = {}  # by type and object
        self._alive: list[Any] = [given]
        self._pending: list[tuple[int, int, Any]] = [(0, ty, given)]
        try:
            self._write()
        except RunError as error:
            error.notes = (*error.notes, *self._around())
            raise
        self.words = np.array(self._words, np.int64)
        self.words[self._links] += address(self.words)

    def _around(self) -> Sequence[str]:
        """Return a note on the constructors around a field that is wrong."""
        objects = {id(each): each for each in self._alive}
        values = {start: objects.get(key[1]) for key, start in self._places.items()}
        around = [values.get(start) for start, ty, _ in self._pending if ty == _WRITTEN]
        return around_field([parts[0] for each in around if (parts := parts_of(each)) is not None])

    def _write(self) -> None:
        """Write a value and all values that it refers to, iteratively, because they may be deep.

        An entry of type `_WRITTEN` marks a block whose fields have been written.
        """
        words, links, places, alive = self._words, self._links, self._places, self._alive
        pending = self._pending
        begun: set[int] = set()
        while pending:
            place, ty, given = pending.pop()
            if ty == _WRITTEN:
                begun.remove(place)
                continue
            start = places.get((ty, id(given)))
            if start in begun:
                raise self._checker.cyclic(given)
            if start is None:
                form, fields = self._forms.destructured(ty, given) or self._plain_variant(ty, given)
                if not form.fields:
                    words[place] = form.tag
                    continue
                start = places[ty, id(given)] = len(words)
                words += form.blank
                alive.append(given)
                begun.add(start)
                pending.append((start, _WRITTEN, None))
                others: list[tuple[int, int, Any]] = []
                for leaf, part in zip(form.leaves, form.parts(fields, self._checker), strict=True):
                    if leaf.data is None:
                        self._field(leaf, part, start + leaf.word)
                    else:
                        others.append((start + leaf.word, leaf.data, part))
                pending += reversed(others)  # in traversal order, for locality
            words[place] = 8 * start
            links.append(place)

    def _plain_variant(self, ty: int, given: Any) -> tuple[ConstructorLayout, tuple[Any, ...]]:
        """Return constructor layout and fields of a Python list, content of an option, or None.

        Raises `R051` for other values.
        """
        tag, _, fields = self._checker.variant(ty, given)
        return self._forms.listed(ty)[tag], fields

    def _field(self, leaf: Leaf, given: Any, place: int) -> None:
        """Write a field that is not a value of a data type: a tensor or a scalar."""
        field = leaf.field
        if isinstance(field, OpaqueField):
            raise self._checker.opaque(field, given)
        assert isinstance(field, TensorField), "others refer to values"
        if not field.shape:
            self._words[place] = leaf.bits(given, self._checker)
            return
        array = given if leaf.is_ready(given) else self._checker.array(field, given)
        self._alive.append(array)
        self._words[place] = address(array)
        for number, axis in enumerate(leaf.carried):
            self._words[place + 2 + number] = array.shape[axis]


def read_data(types: Sequence[DataType], ty: int, root: int) -> Data:
    """Return the value of type number `ty` that the word `root` of a program represents."""
    return read_value(types, ty, root, _block)


def _block(ty: DataType, word: int) -> tuple[Variant, list[Any]]:
    """Return the constructor of the value `word`, and its fields as arrays or words."""
    if 0 <= word < TAGS:
        return ty.variants[word], []
    (tag,) = struct.unpack("<H", ctypes.string_at(word + 6, 2))
    variant = ty.variants[tag]
    nbytes, places = _places(variant)
    memory = ctypes.string_at(word, nbytes)
    return variant, [_held(kind, memory, offset) for kind, offset in places]


@cache
def _places(variant: Variant) -> tuple[int, tuple[tuple[Kind, int], ...]]:
    """Return the size of a constructor's blocks, and the kind and offset of each field."""
    layout = variant.layout
    return layout.nbytes, tuple(zip(layout.kinds, layout.offsets, strict=True))


def _held(kind: Kind, memory: bytes, offset: int) -> Any:
    match kind:
        case Scalar(dtype):
            return np.frombuffer(memory, dtype.numpy, 1, offset).reshape(()).copy()
        case Tensor(sizes, dtype):
            (start,) = _WORD.unpack_from(memory, offset)
            shape = _shape(sizes, memory, offset + 16)
            array = np.empty(shape, dtype.numpy)
            copy_bytes(address(array), start, array.nbytes)
            return array
        case Object():
            return _WORD.unpack_from(memory, offset)[0]


def _shape(sizes: tuple[int | None, ...], memory: bytes, offset: int) -> tuple[int, ...]:
    """Return the shape of a tensor, whose dynamic sizes are stored in memory at `offset`."""
    open_ = sizes.count(None)
    if not open_:
        return cast("tuple[int, ...]", sizes)
    given = iter(struct.unpack_from(f"<{open_}q", memory, offset))
    return tuple(next(given) if size is None else size for size in sizes)
