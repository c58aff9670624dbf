"""Build the descriptors of fields and data types for the native call boundary."""

import ctypes
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from relay.runtime.call_boundary.structures import (
    CaseRecord,
    FieldKind,
    FieldRecord,
    FormRecord,
    TypeRecord,
)
from relay.runtime.code.interface_types import (
    Data,
    DataField,
    Field,
    Opaque,
    OpaqueField,
    TensorField,
    TupleField,
)
from relay.runtime.code.value_writers import ConstructorLayout, ConstructorLayouts, ReadableClass
from relay.runtime.number_conversion import number_rule
from relay.runtime.program import Dimension
from relay.support.dtype import DType

_OWN_SIZE = -1
_MOST_CLASSES = 32  # per type: the search is linear, and classes are never removed
_WIDEST = (1 << 63) - 1  # the largest integer that native code converts from Python


class TypeDescriptors:
    """A builder of the descriptors of a program's data types, which owns their memory."""

    def __init__(self, forms: ConstructorLayouts) -> None:
        self._alive: list[object] = []
        self._types = (TypeRecord * max(1, len(forms.types)))()
        self._forms = [self.keep((FormRecord * max(1, len(ty.variants)))()) for ty in forms.types]
        self._cases: list[dict[type, CaseRecord]] = [{} for _ in forms.types]
        for ty, records in enumerate(self._forms):
            for form in forms.listed(ty):
                self._describe(form, records[form.tag])
            self._types[ty].form_count = len(forms.types[ty].variants)
            self._types[ty].forms = ctypes.addressof(records)

    def keep(self, held: Any) -> Any:
        """Keep an object alive as long as the descriptors, and return it."""
        self._alive.append(held)
        return held

    def learn(self, ty: int, cls: type, known: ReadableClass) -> None:
        """Let native code read objects of a class as values of type `ty`, up to 32 classes."""
        if len(self._cases[ty]) == _MOST_CLASSES:
            return
        names = self.keep([sys.intern(name) for name in known.names])
        table = self.keep((ctypes.c_size_t * max(1, len(names)))(*map(id, names)))
        place = ctypes.addressof(self._forms[ty]) + known.form.tag * ctypes.sizeof(FormRecord)
        cases = self._cases[ty]
        cases[self.keep(cls)] = CaseRecord(id(cls), place, ctypes.addressof(table))
        records = self.keep((CaseRecord * len(cases))(*cases.values()))
        self._types[ty].cases = ctypes.addressof(records)  # set before the count
        self._types[ty].case_count = len(cases)

    def type_at(self, ty: int) -> int:
        """Return the address of the descriptor of the data type with number `ty`."""
        return ctypes.addressof(self._types) + ty * ctypes.sizeof(TypeRecord)

    def array(self, fields: Sequence[FieldRecord]) -> int:
        """Return the address of an array of field descriptors."""
        return ctypes.addressof(self.keep((FieldRecord * max(1, len(fields)))(*fields)))

    def tensor(
        self,
        kind: FieldKind,
        shape: Sequence[Dimension],
        dtype: DType,
        named: Callable[[str], int] = lambda _: _OWN_SIZE,
    ) -> FieldRecord:
        """Return the descriptor of a tensor; `named` maps a symbolic size to its number."""
        numpy = self.keep(dtype.numpy)
        sizes = [named(size) if isinstance(size, str) else size for size in shape]
        table = self.keep((ctypes.c_int64 * max(1, len(sizes)))(*sizes))
        return FieldRecord(
            kind=kind,
            type=id(numpy),
            count=len(sizes),
            sizes=ctypes.addressof(table),
            bytes=numpy.itemsize,
        )

    def number(self, dtype: DType) -> FieldRecord:
        """Return the descriptor of a scalar."""
        record = self.tensor(FieldKind.NUMBER, (), dtype)
        rule = number_rule(dtype)
        record.convert, record.low, record.high = rule.convert, rule.low, min(rule.high, _WIDEST)
        if dtype.numpy.isbuiltin == 1:
            record.number_class = id(dtype.numpy.type)
        return record

    def tuple(self, parts: Sequence[FieldRecord]) -> FieldRecord:
        """Return the descriptor of a tuple; offsets of its parts have the same base address."""
        return FieldRecord(kind=FieldKind.TUPLE, parts=self.array(parts), count=len(parts))

    def value(self, ty: int) -> FieldRecord:
        """Return the descriptor of a value of data type number `ty`."""
        return FieldRecord(kind=FieldKind.VALUE, parts=self.type_at(ty))

    def _describe(self, form: ConstructorLayout, record: FormRecord) -> None:
        """Fill in `record`, the descriptor of a constructor with the layout `form`."""
        offsets = iter(form.variant.layout.offsets)
        fields = [self._in_block(field, offsets) for field in form.variant.fields]
        blank = self.keep(np.array(form.blank, np.int64))
        name = self.keep(sys.intern(form.variant.name))
        record.tag, record.count = form.tag, len(fields)
        record.fields = self.array(fields)
        record.bytes, record.blank = blank.nbytes, blank.ctypes.data
        record.name = id(name)
        if not form.variant.layout.kinds:
            fields_of_nothing = tuple(map(_nothing, form.variant.fields))
            record.empty = id(self.keep(Data(name, fields_of_nothing)))

    def _in_block(self, field: Field, offsets: Iterator[int]) -> FieldRecord:
        """Return the descriptor of a field in a heap block; recursion follows nested tuples."""
        match field:
            case TupleField(fields):
                return self.tuple([self._in_block(each, offsets) for each in fields])
            case TensorField((), dtype):
                record = self.number(dtype)
            case TensorField(shape, dtype):
                record = self.tensor(FieldKind.TENSOR, shape, dtype)
            case DataField(ty):
                record = self.value(ty)
            case OpaqueField(ty):
                record = FieldRecord(kind=FieldKind.FIXED, type=id(self.keep(Opaque(ty))))
        record.offset = next(offsets)
        record.sizes_offset = record.offset + 16
        return record


def _nothing(field: Field) -> tuple[Any, ...]:
    """Return the value of a field that needs no storage: an empty tuple, or a tuple of them."""
    assert isinstance(field, TupleField), "others take room"
    return tuple(map(_nothing, field.fields))
