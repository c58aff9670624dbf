"""Compute where native code finds the arguments and results of a program's calls in memory."""

import ctypes
import threading
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from relay.runtime.call_boundary.frame_layout import FrameLayout
from relay.runtime.call_boundary.structures import FieldKind, FieldRecord, PlanRecord
from relay.runtime.call_boundary.type_descriptors import TypeDescriptors
from relay.runtime.code.interface_types import DataField, Field, TensorField, TupleField, leaves_of
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


class CallLayout:
    """The call descriptor that native code uses to call a program, and the layout of its frame."""

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
        self._reserve_tables(inputs, result)
        entered = [self._argument_descriptor(field) for field in inputs]
        left = self._result_descriptor(result)
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

    def _argument_descriptor(self, field: Field) -> FieldRecord:
        """Return the descriptor of an argument, for marshalling.

        Its entry in the input table points to a tensor's elements, or to the word (8 bytes) that
        holds a scalar or represents a data value.
        """
        if isinstance(field, TupleField):
            return self._described.tuple([self._argument_descriptor(each) for each in field.fields])
        place = next(self._inputs)
        if isinstance(field, TensorField) and field.shape:
            return self._tensor_argument(field, place)
        (word,) = self._frame.words(1)
        self._frame.point(place, word)
        record = self._word(field)
        record.offset = word
        return record

    def _tensor_argument(self, field: TensorField, place: int) -> FieldRecord:
        record = self._described.tensor(FieldKind.TENSOR, field.shape, field.dtype, self._symbol)
        record.offset = place
        opened = [next(self._sizes) for _ in range(_dynamic_sizes(field))]
        record.sizes_offset = opened[0] if opened else 0
        return record

    def _word(self, field: Field) -> FieldRecord:
        if isinstance(field, TensorField):
            return self._described.number(field.dtype)
        assert isinstance(field, DataField), "nothing else crosses"
        return self._described.value(field.type)

    def _result_descriptor(self, field: Field) -> FieldRecord:
        """Return the descriptor of a result, for unmarshalling.

        The result is a preallocated array, or words that the program fills in.
        """
        if isinstance(field, TupleField):
            return self._described.tuple([self._result_descriptor(each) for each in field.fields])
        place = next(self._outputs)
        if isinstance(field, TensorField) and not _dynamic_sizes(field):
            return self._preallocated(field, place)
        words = self._frame.words(1 + _dynamic_sizes(field))
        self._frame.point(place, words[0])
        if isinstance(field, TensorField):
            record = self._described.tensor(FieldKind.TENSOR, field.shape, field.dtype)
            record.sizes_offset = words[1]
        else:
            record = self._word(field)
        record.offset = words[0]
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
