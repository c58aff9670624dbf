"""Prepared descriptions of constructors, for writing values to the memory of a program."""

import dataclasses
import struct
from collections.abc import Sequence
from typing import Any, NamedTuple, cast

import numpy as np

from relay.runtime.aligned_memory import is_dense
from relay.runtime.code.check_values import ValueChecker
from relay.runtime.code.interface_types import (
    Data,
    DataField,
    DataType,
    Field,
    OpaqueField,
    TensorField,
    TupleField,
    Variant,
    leaves_of,
    parts_of,
)
from relay.runtime.code.register_kinds import HEADER_BYTES, Tensor
from relay.runtime.number_conversion import Convert, number_rule

_FOREVER = 1 << 30  # references: more than a program can release
_HEADER = struct.Struct("<iHHqq")


class Leaf:
    """A field that is not a tuple, and its offset in 8-byte words in the heap block."""

    def __init__(self, field: Field, word: int) -> None:
        assert not isinstance(field, TupleField), "tuples are taken apart"
        self.field: TensorField | DataField | OpaqueField = field
        self.word = word
        self.data = field.type if isinstance(field, DataField) else None
        kind = field.kinds[0]
        self.carried = kind.carried if isinstance(kind, Tensor) else ()
        self._shape = field.shape if isinstance(field, TensorField) else ()
        self._dtype = field.dtype.numpy if isinstance(field, TensorField) else None
        rule = number_rule(field.dtype) if isinstance(field, TensorField) else None
        self._integers = rule if rule is not None and rule.convert is Convert.TO_INT else None

    def is_ready(self, given: Any) -> bool:
        """Whether a value is an array whose memory can be passed without copying."""
        return (
            type(given) is np.ndarray
            and given.dtype == self._dtype
            and given.shape == self._shape
            and is_dense(given)
        )

    def bits(self, given: Any, checker: ValueChecker) -> int:
        """Return the word that represents a scalar value."""
        field, integers = cast("TensorField", self.field), self._integers
        if type(given) is int and integers is not None and integers.takes(given):
            word = given & ((1 << field.dtype.bits) - 1)
            return word if word <= _WIDEST else word - (1 << 64)
        raw = checker.array(field, given).tobytes()
        return int.from_bytes(raw.ljust(8, b"\0"), "little", signed=True)


_WIDEST = (1 << 63) - 1


class ConstructorLayout:
    """A constructor: its tag, its fields and their offsets, and a block to copy and fill in."""

    def __init__(self, tag: int, variant: Variant) -> None:
        self.tag = tag
        self.fields = len(variant.fields)
        layout = variant.layout
        header = struct.unpack("<3q", _HEADER.pack(_FOREVER, 0, tag, 0, 0))
        self.blank = [*header, *[0] * ((layout.nbytes - HEADER_BYTES) // 8)]
        leaves = [leaf for field in variant.fields for leaf in leaves_of(field)]
        pairs = zip(leaves, layout.offsets, strict=True)
        self.leaves = [Leaf(leaf, offset // 8) for leaf, offset in pairs]
        self.variant = variant
        self._has_tuples = len(leaves) != self.fields or any(
            isinstance(field, TupleField) for field in variant.fields
        )

    def parts(self, fields: tuple[Any, ...], checker: ValueChecker) -> Sequence[Any]:
        """Return the values of the fields with tuples flattened."""
        if not self._has_tuples:
            return fields
        pairs = zip(self.variant.fields, fields, strict=True)
        return [part for field, given in pairs for part in _flattened(field, given, checker)]


def _flattened(field: Field, given: Any, checker: ValueChecker) -> list[Any]:
    """Return the values in a field with tuples flattened; nested tuples bound the recursion."""
    if not isinstance(field, TupleField):
        return [given]
    pairs = zip(field.fields, checker.parts(field, given), strict=True)
    return [part for inner, each in pairs for part in _flattened(inner, each, checker)]


class ReadableClass(NamedTuple):
    """A dataclass whose objects are values of a constructor, and the names of its fields."""

    form: ConstructorLayout
    names: tuple[str, ...]


class ConstructorLayouts:
    """The constructor layouts of a program's data types; `known` are the classes read so far."""

    def __init__(self, types: Sequence[DataType]) -> None:
        self.types = types
        self._listed = [
            [ConstructorLayout(tag, each) for tag, each in enumerate(ty.variants)] for ty in types
        ]
        self._of = [{form.variant.name: form for form in forms} for forms in self._listed]
        self.known: dict[tuple[int, type], ReadableClass] = {}

    def listed(self, ty: int) -> Sequence[ConstructorLayout]:
        """Return the constructor layouts of data type number `ty`, in the order of their tags."""
        return self._listed[ty]

    def destructured(self, ty: int, given: Any) -> tuple[ConstructorLayout, tuple[Any, ...]] | None:
        """Return the constructor layout and the fields of a value; None without a constructor."""
        name, fields = parts_of(given) or ("", ())
        form, cls = self._of[ty].get(name), cast("type[Any]", given.__class__)
        if form is None or len(fields) != form.fields:
            return None
        names = None if (ty, cls) in self.known else _names_of_fields(cls)
        if names is not None:
            self.known[ty, cls] = ReadableClass(form, names)
        return form, fields


def _names_of_fields(cls: type) -> tuple[str, ...] | None:
    """Return the field names of a dataclass; None if native code cannot read its objects."""
    if not dataclasses.is_dataclass(cls) or cls is Data or hasattr(cls, "constructor"):
        return None
    names = tuple(field.name for field in dataclasses.fields(cls))
    return None if "constructor" in names else names
