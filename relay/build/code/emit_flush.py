"""LLVM text that flushes the deferred calls of one region by a single batched call.

The inputs of the calls are gathered into contiguous buffers, the batched version of the region runs
on them, and its results are copied to the addresses promised to the calls.
"""

from relay.build.code.batch_layout import (
    CAPACITY_OFFSET,
    TAKEN_OFFSET,
    BatchLayout,
)
from relay.build.code.emit_batches import batch_texts, result_row
from relay.build.code.llvm_function_writer import function_name, slot_types
from relay.build.code.llvm_text_writer import TextWriter
from relay.runtime.code.function import CodeFunction, ProgramCode, Task
from relay.runtime.code.register_kinds import DATA_OFFSET, Kind, Scalar, Tensor
from relay.runtime.code.traps import NO_MEMORY
from relay.support.node import node


def tasks_text(code: ProgramCode, convention: str) -> list[str]:
    """Return the LLVM functions that flush the calls of each task, and those that defer calls."""
    parts: list[str] = []
    for number, task in enumerate(code.tasks):
        layout = BatchLayout(code, task)
        parts += batch_texts(code, layout, number)
        parts += [
            _VersionWriter(code, layout, number, form).text(convention) for form in _versions(task)
        ]
        parts.append(_driver(code, layout, number))
    return parts


def _driver(code: ProgramCode, layout: BatchLayout, number: int) -> str:
    """Return the LLVM function that flushes a task's calls, beginning with a given batch."""
    to, task = TextWriter(), code.tasks[number]
    cursor = to.value("alloca ptr")
    to.put(f"store ptr {to.value('call ptr @relay_full_first(ptr %batch)')}, ptr {cursor}")
    to.put("br label %next")
    to.label("next")
    to.put("%left = phi i64 [ %count, %entry ], [ %others, %done ]")
    part = to.value(f"call i64 @relay_part(ptr {to.load('ptr', cursor)}, i64 %left)")
    is_one = to.value(f"icmp eq i64 {part}, 1")
    to.put(f"br i1 {is_one}, label %single, label %many")
    to.label("single")
    to.guarded(f"call i32 @{_name(number, 'single')}(ptr %ctx, ptr {cursor}, i64 1)")
    to.put("br label %done")
    to.label("many")
    form = f"@{_name(number, 'many')}"
    if task.once is not None:
        form = _chosen(code, layout, number, cursor, part, to)
    to.guarded(f"call i32 {form}(ptr %ctx, ptr {cursor}, i64 {part})")
    to.put("br label %done")
    to.label("done")
    to.put(f"%others = sub i64 %left, {part}")
    any_left = to.value("icmp ne i64 %others, 0")
    to.put(f"br i1 {any_left}, label %next, label %end")
    to.label("end")
    to.put("ret i32 0")
    head = f"define internal i32 @relay_task{number}(ptr %ctx, ptr %batch, i64 %count)"
    return to.definition(head)


def _chosen(
    code: ProgramCode, layout: BatchLayout, number: int, cursor: str, count: str, to: TextWriter
) -> str:
    """Write code that chooses the function that runs the next `count` deferred calls of a task.

    It is `once` if all calls have equal uniform inputs, else `many` (see `Task`).
    """
    batch, same, task = to.load("ptr", cursor), "true", code.tasks[number]
    fixed = {index: code.constants.table[constant].offset for index, constant in task.fixed}
    for index in sorted({*task.uniform, *fixed}):
        place = f"ptr {batch}, i64 {layout.base}, i64 {layout.each(index)}"
        tensor = "null"  # the tensor of the first call
        if index in fixed:
            tensor = to.at(to.load("ptr", to.context(0)), fixed[index])
        uniform = to.value(f"call i32 @relay_alike({place}, ptr {tensor}, i64 {count})")
        same = to.value(f"and i1 {same}, {to.value(f'icmp ne i32 {uniform}, 0')}")
    once, many = _name(number, "once"), _name(number, "many")
    return to.value(f"select i1 {same}, ptr @{once}, ptr @{many}")


def _name(task: int, form: str) -> str:
    return f"relay_task{task}_{form}"


@node
class _TaskVersion:
    """A function that runs one deferred call (`is_single`) or many with equal `uniform` inputs.

    It omits the inputs `left_out`, and takes the inputs `indirect` as lists of addresses.
    """

    name: str
    function: int
    is_single: bool = False
    uniform: frozenset[int] = frozenset()
    left_out: frozenset[int] = frozenset()
    indirect: frozenset[int] = frozenset()


def _versions(task: Task) -> list[_TaskVersion]:
    single = _TaskVersion("single", task.single, is_single=True)
    found = [single, _TaskVersion("many", task.many, indirect=task.indirect)]
    if task.once is not None:
        fixed = frozenset(index for index, _ in task.fixed)
        found.append(_TaskVersion("once", task.once, uniform=task.uniform, left_out=fixed))
    return found


class _VersionWriter:
    """A writer of the LLVM function that flushes `%count` calls by one version of a task.

    `%cursor` points to the first batch with calls that are not flushed.
    """

    def __init__(
        self, code: ProgramCode, layout: BatchLayout, task: int, form: _TaskVersion
    ) -> None:
        self._layout, self._task, self._form = layout, task, form
        self._function: CodeFunction = code.functions[form.function]
        self._kinds = self._function.kinds[: self._function.parameters]
        self._to = TextWriter()
        self._owners: dict[int, str] = {}

    def text(self, convention: str) -> str:
        """Return the LLVM definition: it collects inputs, calls the version, copies results."""
        to = self._to
        places = [
            [to.value(f"alloca {ty}") for ty in slot_types(kind)] for kind in self._function.results
        ]
        self._owners = {index: to.value("alloca ptr") for index in sorted(self._form.indirect)}
        batch = to.load("ptr", "%cursor")
        slabs = [to.load("ptr", to.at(batch, self._layout.slab(i))) for i in range(len(places))]
        for index, (elements, *_) in enumerate(places):
            to.put(f"store ptr {self._destination(index, batch)}, ptr {elements}")
            to.retain(slabs[index])  # keep the slab alive even if the callers dropped their results
        inputs = [i for i in range(len(self._layout.inputs)) if i not in self._form.left_out]
        given = [self._input(i, kind, batch) for i, kind in zip(inputs, self._kinds, strict=True)]
        arguments = ["ptr %ctx", *(part for parts in given for part in parts)]
        arguments += [f"ptr {place}" for parts in places for place in parts]
        name = function_name(self._function, self._form.function)
        to.guarded(f"call {convention} i32 {name}({', '.join(arguments)})")
        found = [to.load("ptr", elements) for elements, *_ in places]
        results = "".join(f", ptr {each}" for each in found)
        to.put(f"call void @relay_finish{self._task}(ptr %ctx, ptr %cursor, i64 %count{results})")
        for slab, (_, owner, *_) in zip(slabs, places, strict=True):
            to.release(slab)
            to.release(to.load("ptr", owner))
        to.put("ret i32 0")
        symbol = _name(self._task, self._form.name)
        return to.definition(f"define internal i32 @{symbol}(ptr %ctx, ptr %cursor, i64 %count)")

    def _destination(self, index: int, batch: str) -> str:
        """Return the address to which to write a result: in the first batch's slab, or null.

        It is null if the batch has too little room. If it has room, results of calls in other
        batches are written after its own, then copied.
        """
        to = self._to
        room, taken = (to.load("i64", to.at(batch, at)) for at in (CAPACITY_OFFSET, TAKEN_OFFSET))
        fits = to.value(f"icmp uge i64 {to.value(f'sub i64 {room}, {taken}')}, %count")
        row = result_row(self._layout, index, batch, taken, to)
        return to.value(f"select i1 {fits}, ptr {row}, ptr null")

    def _input(self, index: int, kind: Kind, batch: str) -> list[str]:
        """Return the LLVM operands of an input; the callee takes over one reference to it."""
        if index in self._layout.shared:
            return self._as_it_is(index, self._to.at(batch, self._layout.shared_input(index)))
        if self._form.is_single or index in self._form.uniform:
            return self._as_it_is(index, self._first_input(index, batch))
        if index in self._form.indirect:
            return self._address_list(index, batch)
        return self._gathered(index, kind, batch)

    def _first_input(self, index: int, batch: str) -> str:
        """Write code that computes the address of an input of the first unflushed call."""
        to, layout = self._to, self._layout
        place = f"ptr {batch}, i64 {layout.base}, i64 {layout.each(index)}"
        inputs = to.value(f"call ptr @relay_inputs({place})")
        taken = to.load("i64", to.at(batch, TAKEN_OFFSET))
        return to.row(inputs, taken, layout.size(index))

    def _as_it_is(self, index: int, place: str) -> list[str]:
        to, kind = self._to, self._layout.inputs[index]
        types = enumerate(slot_types(kind))
        parts = [(ty, to.load(ty, to.at(place, 8 * part))) for part, ty in types]
        if isinstance(kind, Tensor):
            to.retain(parts[1][1])
        return [f"{ty} {part}" for ty, part in parts]

    def _address_list(self, index: int, batch: str) -> list[str]:
        """Write code that collects the addresses of one input of all calls in a list.

        The list is that of the batch, or a new block. The batches keep the inputs of calls alive
        until the calls are finished.
        """
        to, layout, owner = self._to, self._layout, self._owners[index]
        place = f"ptr {batch}, i64 {layout.base}, i64 {layout.each(index)}"
        listed = to.value(f"call ptr @relay_listed(ptr %ctx, {place}, i64 %count, ptr {owner})")
        to.trap_if(to.value(f"icmp eq ptr {listed}, null"), NO_MEMORY)
        return [f"ptr {listed}", f"ptr {to.load('ptr', owner)}", "i64 %count"]

    def _gathered(self, index: int, kind: Kind, batch: str) -> list[str]:
        """Write code that copies one input of all calls to a new block; return its operands."""
        to, layout = self._to, self._layout
        assert isinstance(kind, Tensor), "the inputs of many calls are tensors"
        rows_bytes = to.value(f"mul i64 %count, {kind.least_bytes}")
        block = to.allocate_bytes(to.value(f"add i64 {rows_bytes}, {DATA_OFFSET}"))
        rows = to.at(block, DATA_OFFSET)
        is_number = int(isinstance(layout.inputs[index], Scalar))
        place = f"i64 {layout.base}, i64 {layout.each(index)}"
        given = f"ptr {rows}, ptr {batch}, {place}, i64 {is_number}, i64 {kind.least_bytes}"
        to.put(f"call void @relay_gather({given}, i64 %count)")
        return [f"ptr {rows}", f"ptr {block}", "i64 %count"]
