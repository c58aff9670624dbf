"""The plan of a program's calls: where its arguments and results lie in the memory of a call."""

import ctypes
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from relay.runtime.code.border import DataField, Field, TensorField, TupleField, leaves_of
from relay.runtime.code.forms import Forms
from relay.runtime.crossing.describing import Descriptions
from relay.runtime.crossing.records import (
    CallRecord,
    FieldRecord,
    Kind,
    PlanRecord,
)
from relay.runtime.program import Dimension

_SLOT_BYTES = 24
_SLOTS = 128  # a power of two
_PENDING_BYTES, _HELD_BYTES, _BLOCKS_BYTES = 1536, 2048, 8192


@dataclass(frozen=True)
class Functions:
    """The addresses of a program's functions and constants; `finish` is 0 if there is nothing."""

    entry: int
    constants: int
    finish: int
    stoppable: bool


class Plan:
    """What native code must know to call a program: fields in, fields out."""

    def __init__(
        self, functions: Functions, forms: Forms, inputs: Sequence[Field], result: Field
    ) -> None:
        self._forms = forms
        self._learned = 0
        self._lock = threading.Lock()
        self._room = _Room()
        self._described = Descriptions(forms)
        self._symbols: dict[str, int] = {}
        self._made: list[FieldRecord] = []
        leaves_in = sum(len(list(leaves_of(field))) for field in inputs)
        self._inputs = iter(self._room.table("inputs", leaves_in + 1))
        self._sizes_at = self._room.taken  # for those that inputs leave open
        opened = sum(_open(leaf) for field in inputs for leaf in leaves_of(field))
        self._sizes = iter(self._room.words(opened))
        self._outputs = iter(self._room.table("outputs", len(list(leaves_of(result)))))
        entered = [self._entered(field) for field in inputs]
        self._room.point(next(self._inputs), self._sizes_at)
        left = self._left(result)
        self._room.table("symbols", len(self._symbols))
        if forms.types:
            self._room.homes()
        self.record = PlanRecord(
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
        """Take objects of the classes that are known by now for values from now on."""
        with self._lock:
            known = list(self._forms.known.items())
            for (ty, cls), each in known[self._learned :]:
                self._described.learn(ty, cls, each)
            self._learned = len(known)

    def memory(self, arena: int, workspace: int, stop: int) -> npt.NDArray[np.int64]:
        """Return the memory of one call at a time, whose address native code is given."""
        memory = self._room.copy()
        memory[:4] = ctypes.addressof(self.record), arena, workspace, stop
        return memory

    def _entered(self, field: Field) -> FieldRecord:
        """Describe an argument: the program finds elements, or a word, by its table of inputs."""
        if isinstance(field, TupleField):
            return self._described.tuple([self._entered(each) for each in field.fields])
        place = next(self._inputs)
        if isinstance(field, TensorField) and field.shape:
            record = self._tensor(Kind.TENSOR, field)
            record.offset = place
            opened = [next(self._sizes) for _ in range(_open(field))]
            record.sizes_offset = opened[0] if opened else 0
            return record
        (word,) = self._room.words(1)
        self._room.point(place, word)
        record = self._word(field)
        record.offset = word
        return record

    def _word(self, field: Field) -> FieldRecord:
        if isinstance(field, TensorField):
            return self._described.number(field.dtype)
        assert isinstance(field, DataField), "nothing else crosses"
        return self._described.value(field.type)

    def _left(self, field: Field) -> FieldRecord:
        """Describe a result: an array that is made before, or what the program tells in words."""
        if isinstance(field, TupleField):
            return self._described.tuple([self._left(each) for each in field.fields])
        place = next(self._outputs)
        if isinstance(field, TensorField) and not _open(field):
            return self._made_before(field, place)
        words = self._room.words(1 + _open(field))
        self._room.point(place, words[0])
        if isinstance(field, TensorField):
            record = self._described.tensor(Kind.TENSOR, field.shape, field.dtype)
            record.sizes_offset = words[1]
        else:
            record = self._word(field)
        record.offset = words[0]
        return record

    def _made_before(self, field: TensorField, place: int) -> FieldRecord:
        made = self._described.tensor(Kind.READY, field.shape, field.dtype)
        (made.offset,) = self._room.words(1)
        made.sizes_offset = place
        for size in field.shape:
            assert isinstance(size, int), "the size is known"
            made.bytes *= size
        self._made.append(made)
        return made

    def _tensor(self, kind: Kind, field: TensorField) -> FieldRecord:
        return self._described.tensor(kind, field.shape, field.dtype, self._symbol)

    def _symbol(self, name: str) -> int:
        return -2 - self._symbols.setdefault(name, len(self._symbols))


class _Room:
    """The memory of a call, as it is laid out: words behind the record, and pointers between."""

    def __init__(self) -> None:
        self._record = CallRecord()
        self._pointers: list[tuple[int, int]] = []
        self.taken = ctypes.sizeof(CallRecord)

    def words(self, count: int) -> list[int]:
        """Take words, and return their offsets."""
        begin = self.taken
        self.taken += 8 * count
        return list(range(begin, self.taken, 8))

    def table(self, name: str, count: int) -> list[int]:
        """Take words that a field of the record points to."""
        begin: Any = getattr(CallRecord, name)
        self.point(begin.offset, self.taken)
        return self.words(count)

    def point(self, place: int, to: int) -> None:
        """Have the word at an offset hold the address of another."""
        self._pointers.append((place, to))

    def homes(self) -> None:
        """Take the memory with which each call begins that walks through values."""
        self._vector(CallRecord.pending.offset, self._record.pending, _PENDING_BYTES)
        self._vector(CallRecord.held.offset, self._record.held, _HELD_BYTES)
        places, table = CallRecord.places.offset, self._record.places
        table.mask = table.first_mask = _SLOTS - 1
        self._lent(places, (0, 24), _SLOTS * _SLOT_BYTES)
        chunks = CallRecord.chunks.offset
        self._lent(chunks, (0, 24), _BLOCKS_BYTES)
        for place in (8, 32):
            self.point(chunks + place, self.taken)

    def _vector(self, at: int, vector: Any, bytes_: int) -> None:
        vector.room = vector.first_room = bytes_
        self._lent(at, (0, 24), bytes_)

    def _lent(self, at: int, places: tuple[int, ...], bytes_: int) -> None:
        for place in places:
            self.point(at + place, self.taken)
        self.words(bytes_ // 8)

    def copy(self) -> npt.NDArray[np.int64]:
        """Return memory as it is before a call."""
        memory = np.zeros(self.taken // 8, np.int64)
        head = np.frombuffer(bytes(self._record), np.int64)
        memory[: head.size] = head
        base = memory.ctypes.data
        for place, to in self._pointers:
            memory[place // 8] = base + to
        return memory


def _open(field: Field) -> int:
    """Return how many sizes of a field are not fixed."""
    sizes: Sequence[Dimension] = field.shape if isinstance(field, TensorField) else ()
    return sum(isinstance(size, str) for size in sizes)
