"""Heap blocks of the virtual machine, as Python objects."""

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, TypeAlias

from relay.runtime.arguments import Array
from relay.runtime.code.check_values import ValueChecker, around_field
from relay.runtime.code.interface_types import (
    Data,
    DataField,
    DataType,
    Field,
    OpaqueField,
    TensorField,
    TupleField,
    Variant,
    parts_of,
)
from relay.runtime.code.read_values import read_value
from relay.runtime.code.register_kinds import Kind, Object, Scalar, Tensor
from relay.runtime.interruptible_copies import copied
from relay.runtime.json_fields import malformed
from relay.support.errors import RunError


class Block:
    """A value of a data type or a mutable reference; `tag` is the index of its constructor."""

    __slots__ = ("fields", "tag")

    def __init__(self, tag: int, fields: "list[Held]") -> None:
        self.tag = tag
        self.fields = fields

    def __repr__(self) -> str:
        inner = ("…" if isinstance(field, Block) else repr(field) for field in self.fields)
        return f"#{self.tag}({', '.join(inner)})"


class Closure(Block):
    """A closure: `tag` is the index of its function, and the fields are captured values."""

    __slots__ = ()


Held: TypeAlias = Array | Block
"""The contents of a register: a tensor (also of rank 0), or a block."""


def has_kind(kind: Kind, held: Held) -> bool:
    """Whether the value `held` in a register has a kind; dynamic sizes match any size."""
    match kind:
        case Object():
            return isinstance(held, Block)
        case Scalar(element):
            shape: tuple[int | None, ...] = ()
        case Tensor(shape, element):
            pass
    if isinstance(held, Block) or held.dtype != element.numpy or len(held.shape) != len(shape):
        return False
    return held.shape == shape or all(
        own in (None, size) for own, size in zip(shape, held.shape, strict=True)
    )


_Around: TypeAlias = "tuple[str, _Around] | None"
"""The constructor around a field, and those around its value; None if there is none."""


def make_block(types: Sequence[DataType], ty: int, given: Any, name: str) -> Block:
    """Return the block for a Python value passed as input `name`; sharing is preserved."""
    return _BlockBuilder(types, name).block(ty, given)


class _BlockBuilder:
    def __init__(self, types: Sequence[DataType], name: str) -> None:
        self._checker = ValueChecker(types, name)
        self._made: dict[tuple[int, int], Block] = {}
        self._shares = False
        self._alive: list[Any] = []  # keeps objects alive, so that ids stay unique
        self._waiting: list[tuple[Variant, tuple[Any, ...], Block, _Around]] = []
        self._around: _Around = None

    def block(self, ty: int, given: Any) -> Block:
        try:
            root = self._begin(ty, given)
            while self._waiting:
                variant, fields, block, self._around = self._waiting.pop()
                for field, part in zip(variant.fields, fields, strict=True):
                    block.fields.extend(self._parts(field, part))
        except RunError as error:
            error.notes = (*error.notes, *around_field(_names(self._around)))
            raise
        if self._shares and _is_cyclic(root):
            raise self._checker.cyclic(given)
        return root

    def _begin(self, ty: int, given: Any) -> Block:
        """Return the block for a value; its fields are filled in later."""
        known = self._made.get((ty, id(given)))
        if known is not None:
            self._shares = True
            return known
        tag, variant, fields = self._checker.variant(ty, given)
        block = self._made[ty, id(given)] = Block(tag, [])
        self._alive.append(given)
        taken = parts_of(given)
        around = (taken[0], self._around) if taken else self._around
        self._waiting.append((variant, fields, block, around))
        return block

    def _parts(self, field: Field, given: Any) -> Iterator[Held]:
        """Yield the register values for a field; nested tuples bound the recursion."""
        match field:
            case TupleField(fields):
                for inner, part in zip(fields, self._checker.parts(field, given), strict=True):
                    yield from self._parts(inner, part)
            case TensorField():
                yield self._checker.array(field, given)
            case DataField(ty):
                yield self._begin(ty, given)
            case OpaqueField():
                raise self._checker.opaque(field, given)


def _names(around: _Around) -> Sequence[str]:
    """Return the constructors around a field, the innermost of which is the last."""
    found: list[str] = []
    while around is not None:
        name, around = around
        found.append(name)
    return found[::-1]


def _is_cyclic(root: Block) -> bool:
    """Whether the blocks that are reachable from a block form a cycle."""
    begun: set[Block] = set()
    done: set[Block] = set()
    pending = [(root, False)]
    while pending:
        block, written = pending.pop()
        if written:
            done.add(block)
        elif block in begun and block not in done:
            return True
        elif block not in done:
            begun.add(block)
            pending.append((block, True))
            pending.extend((each, False) for each in block.fields if isinstance(each, Block))
    return False


def read_block(types: Sequence[DataType], ty: int, block: Block) -> Data:
    """Return a block converted to `Data`; its tensors are copied."""
    return read_value(types, ty, block, _look)


def _look(ty: DataType, block: Block) -> tuple[Variant, list[Any]]:
    if block.tag >= len(ty.variants) or not _matches(ty.variants[block.tag], block):
        raise malformed(f"a result of the code, or a part of it, is not a {ty.name}")
    fields = [each if isinstance(each, Block) else copied(each) for each in block.fields]
    return ty.variants[block.tag], fields


def _matches(variant: Variant, block: Block) -> bool:
    """Whether the fields of a block have the kinds that a constructor requires."""
    kinds = _kinds(variant)
    return len(kinds) == len(block.fields) and all(map(has_kind, kinds, block.fields))


@cache
def _kinds(variant: Variant) -> tuple[Kind, ...]:
    return variant.layout.kinds
