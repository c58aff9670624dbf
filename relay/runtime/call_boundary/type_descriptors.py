"""Descriptors of fields and data types for the native call boundary."""

import ctypes
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from relay.runtime.call_boundary.structures import (
    CaseRecord,
    Convert,
    FieldKind,
    FieldRecord,
    FormRecord,
    TypeRecord,
)
from relay.runtime.code.external_types import (
    Data,
    DataField,
    Field,
    Opaque,
    OpaqueField,
    TensorField,
    TupleField,
)
from relay.runtime.code.value_writers import ConstructorLayout, Forms, Known
from relay.runtime.program import Dimension
from relay.support.dtype import DType
from relay.support.dtype import Kind as ElementKind

_OWN_SIZE = -1
_MOST_CLASSES = 32  # of one type: they are searched one by one, and never forgotten
_WIDEST = (1 << 63) - 1  # of the numbers that native code takes from Python


class Descriptions:
    """The data types of a program as native code reads them; they live as long as this does."""

    def __init__(self, forms: Forms) -> None:
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
        """Return what is given, and keep it alive."""
        self._alive.append(held)
        return held

    def learn(self, ty: int, cls: type, known: Known) -> None:
        """Take objects of a class for values of a type from now on, if there is room for it."""
        if len(self._cases[ty]) == _MOST_CLASSES:
            return
        names = self.keep([sys.intern(name) for name in known.names])
        table = self.keep((ctypes.c_size_t * max(1, len(names)))(*map(id, names)))
        place = ctypes.addressof(self._forms[ty]) + known.form.tag * ctypes.sizeof(FormRecord)
        cases = self._cases[ty]
        cases[self.keep(cls)] = CaseRecord(id(cls), place, ctypes.addressof(table))
        records = self.keep((CaseRecord * len(cases))(*cases.values()))
        self._types[ty].cases = ctypes.addressof(records)  # first: it has as many, or more
        self._types[ty].case_count = len(cases)

    def type_at(self, ty: int) -> int:
        """Return the address of a type's description."""
        return ctypes.addressof(self._types) + ty * ctypes.sizeof(TypeRecord)

    def array(self, fields: Sequence[FieldRecord]) -> int:
        """Return the address of descriptions, one behind the other."""
        return ctypes.addressof(self.keep((FieldRecord * max(1, len(fields)))(*fields)))

    def tensor(
        self,
        kind: FieldKind,
        shape: Sequence[Dimension],
        dtype: DType,
        named: Callable[[str], int] = lambda _: _OWN_SIZE,
    ) -> FieldRecord:
        """Describe a tensor; `named` returns the number of a size that is not fixed."""
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
        """Describe a number."""
        record = self.tensor(FieldKind.NUMBER, (), dtype)
        convert, record.low, record.high = _conversion(dtype)
        record.convert = convert
        if dtype.numpy.isbuiltin == 1:
            record.number_class = id(dtype.numpy.type)
        return record

    def tuple(self, parts: Sequence[FieldRecord]) -> FieldRecord:
        """Describe a tuple, whose parts count from the same base."""
        return FieldRecord(kind=FieldKind.TUPLE, parts=self.array(parts), count=len(parts))

    def value(self, ty: int) -> FieldRecord:
        """Describe a value of a data type."""
        return FieldRecord(kind=FieldKind.VALUE, parts=self.type_at(ty))

    def _describe(self, form: ConstructorLayout, record: FormRecord) -> None:
        """Describe a constructor."""
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
        """Describe a field of a block; recursion is bounded by the tuples in its type."""
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
    """Return the value of a field that takes no room: a tuple of nothing, or of such tuples."""
    assert isinstance(field, TupleField), "others take room"
    return tuple(map(_nothing, field.fields))


def _conversion(dtype: DType) -> tuple[Convert, int, int]:
    """Return what becomes of Python's numbers, and the smallest and largest integer."""
    match dtype.kind, dtype.bits:
        case ElementKind.BOOL, _:
            return Convert.TO_BOOL, 0, 0
        case ElementKind.FLOAT, 32:
            return Convert.TO_SINGLE, 0, 0
        case ElementKind.FLOAT, 64:
            return Convert.TO_DOUBLE, 0, 0
        case ((ElementKind.INT | ElementKind.UINT), (8 | 16 | 32 | 64)):
            low, high = dtype.limits
            return Convert.TO_INT, low, min(high, _WIDEST)
        case _:
            return Convert.REFUSE, 0, 0
