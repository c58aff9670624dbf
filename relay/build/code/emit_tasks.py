"""Tasks as LLVM text: calls that waited are carried out, as many at once as there are forms for.

The inputs of several calls are copied side by side, the form for so many runs, and its results are
copied to where the calls promised them. When fewer calls are left than a form takes, the last one
stands in for those that are missing.
"""

from importlib import resources
from string import Template

from relay.build.code.batches import (
    CAPACITY_OFFSET,
    COUNT_OFFSET,
    MOST_BYTES,
    NEXT_OFFSET,
    REFERENCE_BYTES,
    TAKEN_OFFSET,
    BatchLayout,
)
from relay.build.code.emit_batches import batch_texts
from relay.build.code.function_writer import function_name, slot_types
from relay.build.code.text_writer import TextWriter
from relay.runtime.code.function import Code, CodeFunction, Task
from relay.runtime.code.kinds import DATA_OFFSET, LEVEL_OFFSET, Scalar, Tensor
from relay.runtime.code.traps import NO_MEMORY

_CELL_BYTES = 16


def tasks_text(code: Code) -> list[str]:
    """Return the functions that carry out tasks, and those that let calls wait."""
    count = len(code.tasks)
    waiting = (resources.files("relay.build.code") / "waiting.ll").read_text()
    text = Template(waiting).substitute(
        tasks=count,
        row_bytes=_CELL_BYTES * count,
        level_offset=LEVEL_OFFSET,
        count_offset=COUNT_OFFSET,
        taken_offset=TAKEN_OFFSET,
        capacity_offset=CAPACITY_OFFSET,
        next_offset=NEXT_OFFSET,
        reference_bytes=REFERENCE_BYTES,
        no_memory=NO_MEMORY,
        most_bytes=MOST_BYTES,
    )
    listed = ", ".join(f"ptr @relay_task{number}" for number in range(count))
    table = f"@relay_tasks = internal constant [{count} x ptr] [{listed}]"
    parts = [text, table]
    for number, task in enumerate(code.tasks):
        layout = BatchLayout(code, task)
        parts += batch_texts(layout, number)
        parts += [_Form(code, layout, number, *form).text() for form in task.functions]
        if task.once is not None:
            width = task.functions[0][0]
            parts.append(_Form(code, layout, number, width, task.once, task.alike).text())
        parts.append(_driver(layout, task, number))
    return parts


def _driver(layout: BatchLayout, task: Task, number: int) -> str:
    """Write the function that carries out calls, beginning with a batch, by the widest that pays.

    That is one of which two thirds are used; of the narrowest two calls are enough, since they read
    the weights once.
    """
    to = TextWriter()
    cursor = to.value("alloca ptr")
    to.put(f"store ptr %batch, ptr {cursor}")
    to.put("br label %next")
    widths = [width for width, _ in task.functions]
    edges = ", ".join(f"[ %left{width}, %done{width} ]" for width in widths)
    to.label("next")
    to.put(f"%n = phi i64 [ %count, %entry ], {edges}")
    to.put(f"br label %try{widths[0]}")
    for width, narrower in zip(widths, [*widths[1:], widths[-1]], strict=True):
        to.label(f"try{width}")
        least = 1 if width == 1 else 2 if narrower == 1 else -(-2 * width // 3)
        enough = to.value(f"icmp uge i64 %n, {least}")
        to.put(f"br i1 {enough}, label %run{width}, label %try{narrower}")
        to.label(f"run{width}")
        taken = to.value(f"call i64 @llvm.umin.i64(i64 %n, i64 {width})")
        form = f"@{_form_name(number, width)}"
        if task.once is not None and width == widths[0]:
            form = _chosen(layout, task, number, cursor, taken, to)
        to.guarded(f"call i32 {form}(ptr %ctx, ptr {cursor}, i64 {taken})")
        to.put(f"br label %done{width}")
        to.label(f"done{width}")
        to.put(f"%left{width} = sub i64 %n, {taken}")
        any_left = to.value(f"icmp ne i64 %left{width}, 0")
        to.put(f"br i1 {any_left}, label %next, label %end")
    to.label("end")
    to.put("ret i32 0")
    head = f"define internal i32 @relay_task{number}(ptr %ctx, ptr %batch, i64 %count)"
    return to.definition(head)


def _chosen(
    layout: BatchLayout, task: Task, number: int, cursor: str, count: str, to: TextWriter
) -> str:
    """Return the widest form, or that for calls which are alike if these are."""
    batch, same = to.load("ptr", cursor), "true"
    for index in sorted(task.alike):
        place = f"ptr {batch}, i64 {layout.base}, i64 {layout.each(index)}"
        alike = to.value(f"call i1 @relay_alike({place}, i64 {count})")
        same = to.value(f"and i1 {same}, {alike}")
    width = task.functions[0][0]
    names = (_form_name(number, width, is_alike=True), _form_name(number, width))
    return to.value(f"select i1 {same}, ptr @{names[0]}, ptr @{names[1]}")


def _form_name(task: int, width: int, *, is_alike: bool = False) -> str:
    return f"relay_task{task}_x{width}{'_alike' if is_alike else ''}"


class _Form:
    """Writes the function that carries out some calls by one form of a task.

    `%cursor` leads to the first batch of which calls are left. The calls have the inputs of `alike`
    in common.
    """

    def __init__(
        self,
        code: Code,
        layout: BatchLayout,
        task: int,
        width: int,
        function: int,
        alike: frozenset[int] = frozenset(),
    ) -> None:
        self._layout, self._task, self._width, self._alike = layout, task, width, alike
        self._form: CodeFunction = code.functions[function]
        self._name = function_name(self._form, function)
        self._to = TextWriter()

    def text(self) -> str:
        """Return the definition: inputs, call, results."""
        to = self._to
        places = [(to.value("alloca ptr"), to.value("alloca ptr")) for _ in self._layout.results]
        batch = to.load("ptr", "%cursor")
        given = [self._input(index, batch) for index in range(len(self._layout.inputs))]
        arguments = ["ptr %ctx", *(part for parts in given for part in parts)]
        arguments += [f"ptr {place}" for pair in places for place in pair]
        to.guarded(f"call tailcc i32 {self._name}({', '.join(arguments)})")
        found = [to.load("ptr", elements) for elements, _ in places]
        results = "".join(f", ptr {each}" for each in found)
        to.put(f"call void @relay_finish{self._task}(ptr %ctx, ptr %cursor, i64 %count{results})")
        for _, owner in places:
            to.release(to.load("ptr", owner))
        to.put("ret i32 0")
        name = _form_name(self._task, self._width, is_alike=bool(self._alike))
        return to.definition(f"define internal i32 @{name}(ptr %ctx, ptr %cursor, i64 %count)")

    def _input(self, index: int, batch: str) -> list[str]:
        """Return what is passed for an input, which the form takes over a reference to."""
        if index in self._layout.shared:
            return self._as_it_is(index, self._to.at(batch, self._layout.shared_input(index)))
        if self._width == 1 or index in self._alike:
            return self._as_it_is(index, self._first(index, batch))
        return self._gathered(index, batch)

    def _first(self, index: int, batch: str) -> str:
        """Return the place of an input of the first call that is not carried out."""
        to, layout = self._to, self._layout
        place = f"ptr {batch}, i64 {layout.base}, i64 {layout.each(index)}"
        inputs = to.value(f"call ptr @relay_inputs({place})")
        taken = to.load("i64", to.at(batch, TAKEN_OFFSET))
        distance = to.value(f"mul i64 {taken}, {layout.size(index)}")
        return to.value(f"getelementptr i8, ptr {inputs}, i64 {distance}")

    def _as_it_is(self, index: int, place: str) -> list[str]:
        to, kind = self._to, self._layout.inputs[index]
        types = enumerate(slot_types(kind))
        parts = [(ty, to.load(ty, to.at(place, 8 * part))) for part, ty in types]
        if isinstance(kind, Tensor):
            to.retain(parts[1][1])
        return [f"{ty} {part}" for ty, part in parts]

    def _gathered(self, index: int, batch: str) -> list[str]:
        """Return a block of its own with an input of all calls."""
        to, layout, kind = self._to, self._layout, self._form.kinds[index]
        assert isinstance(kind, Tensor), "the inputs of many calls are tensors"
        block = to.allocate(DATA_OFFSET + kind.nbytes, 0, "null")
        rows = to.at(block, DATA_OFFSET)
        is_number = str(isinstance(layout.inputs[index], Scalar)).lower()
        place = f"i64 {layout.base}, i64 {layout.each(index)}, i64 {layout.size(index)}"
        counts = f"i64 {kind.nbytes // self._width}, i64 %count, i64 {self._width}"
        given = f"ptr {rows}, ptr {batch}, {place}, i1 {is_number}, {counts}"
        to.put(f"call void @relay_gather({given})")
        return [f"ptr {rows}", f"ptr {block}"]
