"""Compute where a call's memory has the arguments and results of a program.

The layout is the one description of a call. Native code reads it as a `PlanRecord` (see
`c/boundary.c`); Python, for calls that native code does not make, as a `Slot` for each argument and
result (see `relay.runtime.frame_pool`).
"""

import ctypes
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
import numpy.typing as npt

from relay.runtime.call_boundary.frame_layout import FrameLayout
from relay.runtime.call_boundary.structures import FieldKind, FieldRecord, PlanRecord
from relay.runtime.call_boundary.type_descriptors import TypeDescriptors
from relay.runtime.code.interface_types import (
    DataField,
    Field,
    OpaqueField,
    TensorField,
    TupleField,
    leaves_of,
)
from relay.runtime.code.value_writers import ConstructorLayouts
from relay.runtime.program import Dimension


@dataclass(frozen=True)
class Functions:
    """The addresses of a program's entry, constants and `finish`, which frees results (or 0).

    Signals can interrupt the entry if `stoppable`.
    """

    entry: int
    constants: int
    finish: int
    stoppable: bool


@dataclass(frozen=True)
class Slot:
    """An argument or a result that is not a tuple, and the offsets of its words in a call's memory.

    Its `entry` in the table of inputs or outputs has the address of a tensor's elements; or, with a
    `word`, that of this word and those after it. They hold a scalar argument, represent a value of
    a data type, or have the address of a result's elements and its dynamic sizes. `sizes` are the
    words of the dynamic sizes.
    """

    field: TensorField | DataField
    entry: int
    word: int = 0
    sizes: tuple[int, ...] = ()

    @property
    def dtype(self) -> np.dtype[np.generic]:
        """Return the element type of a tensor."""
        assert isinstance(self.field, TensorField), "values of data types have none"
        return self.field.dtype.numpy

    @property
    def open_axes(self) -> list[int]:
        """Return the axes of the dynamic sizes."""
        sizes = self.field.shape if isinstance(self.field, TensorField) else ()
        return [axis for axis, size in enumerate(sizes) if isinstance(size, str)]

    def shape(self, sizes: Iterable[int]) -> tuple[int, ...]:
        """Return the shape of a tensor with these dynamic sizes."""
        assert isinstance(self.field, TensorField), "values of data types have none"
        rest = iter(sizes)
        return tuple(next(rest) if isinstance(size, str) else size for size in self.field.shape)


class CallLayout:
    """The layout of the memory of a program's calls: a slot for each argument and result."""

    def __init__(
        self,
        functions: Functions,
        forms: ConstructorLayouts,
        inputs: Sequence[Field],
        result: Field,
    ) -> None:
        self._forms = forms
        self._learned = 0
        self._lock = threading.Lock()
        self._frame = FrameLayout()
        self._described = TypeDescriptors(forms)
        self._symbols: dict[str, int] = {}
        self._made: list[FieldRecord] = []
        self.arguments: list[Slot] = []
        self.results: list[Slot] = []
        self._reserve_tables(inputs, result)
        entered = [self._argument(field) for field in inputs]
        left = self._result(result)
        self._frame.table("symbols", len(self._symbols))
        if forms.types:
            self._frame.reserve_buffers()
        self.record = self._record(functions, entered, left)

    def _reserve_tables(self, inputs: Sequence[Field], result: Field) -> None:
        """Reserve the input and output tables; the last input entry points to the dynamic sizes."""
        leaves = [leaf for field in inputs for leaf in leaves_of(field)]
        *places, last = self._frame.table("inputs", len(leaves) + 1)
        self._frame.point(last, self._frame.taken)
        self._inputs = iter(places)
        self._sizes = iter(self._frame.words(sum(map(_dynamic_sizes, leaves))))
        self._outputs = iter(self._frame.table("outputs", len(list(leaves_of(result)))))

    def _record(
        self, functions: Functions, entered: Sequence[FieldRecord], left: FieldRecord
    ) -> PlanRecord:
        return PlanRecord(
            entry=functions.entry,
            constants=functions.constants,
            input_count=len(entered),
            inputs=self._described.array(entered),
            output_count=len(self._made),
            outputs=self._described.array(self._made),
            result=self._described.array([left]),
            finish=functions.finish,
            stoppable=functions.stoppable,
            symbol_count=len(self._symbols),
        )

    def learn(self) -> None:
        """Let native calls read objects of the classes that earlier calls through Python read."""
        with self._lock:
            known = list(self._forms.known.items())
            for (ty, cls), each in known[self._learned :]:
                self._described.learn(ty, cls, each)
            self._learned = len(known)

    def memory(self, arena: int, workspace: int, stop: int) -> npt.NDArray[np.int64]:
        """Return the memory of one call; `stop` is the address of its control block, or 0."""
        memory = self._frame.copy()
        memory[:4] = ctypes.addressof(self.record), arena, workspace, stop
        return memory

    def _argument(self, field: Field) -> FieldRecord:
        """Return the descriptor of an argument, for marshalling, and add its slots."""
        if isinstance(field, TupleField):
            return self._described.tuple([self._argument(each) for each in field.fields])
        assert not isinstance(field, OpaqueField), "functions and references do not cross"
        entry = next(self._inputs)
        if isinstance(field, TensorField) and field.shape:
            sizes = tuple(islice(self._sizes, _dynamic_sizes(field)))
            self.arguments.append(Slot(field, entry, sizes=sizes))
            record = self._described.tensor(
                FieldKind.TENSOR, field.shape, field.dtype, self._symbol
            )
            record.offset, record.sizes_offset = entry, sizes[0] if sizes else 0
            return record
        (word,) = self._frame.words(1)
        self._frame.point(entry, word)
        self.arguments.append(Slot(field, entry, word))
        return self._word(field, word)

    def _result(self, field: Field) -> FieldRecord:
        """Return the descriptor of a result, for unmarshalling, and add its slots."""
        if isinstance(field, TupleField):
            return self._described.tuple([self._result(each) for each in field.fields])
        assert not isinstance(field, OpaqueField), "functions and references do not cross"
        entry = next(self._outputs)
        if isinstance(field, TensorField) and not _dynamic_sizes(field):
            self.results.append(Slot(field, entry))
            return self._preallocated(field, entry)
        word, *sizes = self._frame.words(1 + _dynamic_sizes(field))
        self._frame.point(entry, word)
        self.results.append(Slot(field, entry, word, tuple(sizes)))
        if isinstance(field, DataField):
            return self._word(field, word)
        record = self._described.tensor(FieldKind.TENSOR, field.shape, field.dtype)
        record.offset, record.sizes_offset = word, sizes[0]
        return record

    def _word(self, field: TensorField | DataField, word: int) -> FieldRecord:
        is_number = isinstance(field, TensorField)
        describe = self._described
        record = describe.number(field.dtype) if is_number else describe.value(field.type)
        record.offset = word
        return record

    def _preallocated(self, field: TensorField, place: int) -> FieldRecord:
        made = self._described.tensor(FieldKind.READY, field.shape, field.dtype)
        (made.offset,) = self._frame.words(1)
        made.sizes_offset = place
        for size in field.shape:
            assert isinstance(size, int), "the size is known"
            made.bytes *= size
        self._made.append(made)
        return made

    def _symbol(self, name: str) -> int:
        return -2 - self._symbols.setdefault(name, len(self._symbols))


def _dynamic_sizes(field: Field) -> int:
    """Return the number of dynamic sizes of a field."""
    sizes: Sequence[Dimension] = field.shape if isinstance(field, TensorField) else ()
    return sum(isinstance(size, str) for size in sizes)
