"""Tasks as LLVM text: calls that waited are carried out, as many at once as there are forms for.

The inputs of several calls are copied side by side, the form for so many runs, and its results are
copied to where the calls promised them. When fewer calls are left than a form takes, the last one
stands in for those that are missing.
"""

from collections.abc import Iterator
from importlib import resources
from string import Template

from relay.build.code.function_writer import function_name
from relay.build.code.heap import size_class
from relay.kernels.llvm.types import memory_type
from relay.runtime.code.function import Code, Task
from relay.runtime.code.kinds import DATA_OFFSET, LEVEL_OFFSET, Kind, Layout, Scalar, Tensor
from relay.runtime.code.traps import NO_MEMORY

MOST_BYTES = 16 << 20
"""What calls may hold while they wait: about what the caches do."""

_CELL_BYTES = 16


def tasks_text(code: Code) -> list[str]:
    """Return the functions that carry out tasks, and those that let calls wait."""
    count = len(code.tasks)
    waiting = (resources.files("relay.build.code") / "waiting.ll").read_text()
    text = Template(waiting).substitute(
        tasks=count,
        row_bytes=_CELL_BYTES * count,
        level_offset=LEVEL_OFFSET,
        no_memory=NO_MEMORY,
        most_bytes=MOST_BYTES,
    )
    listed = ", ".join(f"ptr @relay_task{number}" for number in range(count))
    table = f"@relay_tasks = internal constant [{count} x ptr] [{listed}]"
    functions = [_Form(code, task, number, form) for number, task in enumerate(code.tasks)
                 for form in range(len(task.functions))]  # fmt: skip
    drivers = ["\n".join(_driver(task, number)) for number, task in enumerate(code.tasks)]
    return [text, table, *(form.text() for form in functions), *drivers]


def _driver(task: Task, number: int) -> Iterator[str]:
    """Write the function that carries out a chain of calls, by the widest form that pays.

    That is one of which two thirds are used; of the narrowest two calls are enough, since they read
    the weights once.
    """
    yield f"define internal i32 @relay_task{number}(ptr %ctx, ptr %first, i64 %count) {{"
    yield from ("  %rest = alloca ptr", "  store ptr %first, ptr %rest", "  br label %next")
    widths = [width for width, _ in task.functions]
    edges = ", ".join(f"[ %left{width}, %more{width} ]" for width in widths)
    yield from ("next:", f"  %n = phi i64 [ %count, %0 ], {edges}", f"  br label %try{widths[0]}")
    for width, narrower in zip(widths, [*widths[1:], widths[-1]], strict=True):
        yield f"try{width}:"
        least = 1 if width == 1 else 2 if narrower == 1 else -(-2 * width // 3)
        yield f"  %enough{width} = icmp uge i64 %n, {least}"
        yield f"  br i1 %enough{width}, label %run{width}, label %try{narrower}"
        yield f"run{width}:"
        yield f"  %taken{width} = call i64 @llvm.umin.i64(i64 %n, i64 {width})"
        yield f"  %first{width} = load ptr, ptr %rest"
        arguments = f"ptr %ctx, ptr %first{width}, i64 %taken{width}, ptr %rest"
        yield f"  %status{width} = call i32 @relay_task{number}_x{width}({arguments})"
        yield f"  %bad{width} = icmp ne i32 %status{width}, 0"
        yield f"  br i1 %bad{width}, label %fail{width}, label %more{width}"
        yield from (f"fail{width}:", f"  ret i32 %status{width}", f"more{width}:")
        yield f"  %left{width} = sub i64 %n, %taken{width}"
        yield f"  %any{width} = icmp ne i64 %left{width}, 0"
        yield f"  br i1 %any{width}, label %next, label %end"
    yield from ("end:", "  ret i32 0", "}")


class _Form:
    """Writes the function that carries out the first calls of a chain by one form of a task."""

    def __init__(self, code: Code, task: Task, number: int, form: int) -> None:
        self._width, self._index = task.functions[form]
        self._name = f"@relay_task{number}_x{self._width}"
        self._form = code.functions[self._index]
        single = code.functions[task.single]
        self._inputs = single.kinds[: single.parameters]
        self._results = single.results
        self._offsets = Layout((*self._inputs, *self._results)).offsets
        everywhere = range(single.parameters)
        self._direct = set(everywhere if self._width == 1 else task.shared)
        self._gathered = [index for index in everywhere if index not in self._direct]

    def text(self) -> str:
        """Return the definition: gather, call, scatter."""
        parts = (self._begin(), self._gather(), self._call(), self._scatter())
        return "\n".join(line for part in parts for line in part)

    def _begin(self) -> Iterator[str]:
        yield f"define internal i32 {self._name}(ptr %ctx, ptr %first, i64 %count, ptr %rest) {{"
        yield "entry:"
        for index in range(len(self._results)):
            yield f"  %result{index}.at = alloca ptr"
            yield f"  %owner{index}.at = alloca ptr"
        for index in self._gathered:
            yield from self._room(index)
        yield "  br label %gather" if self._gathered else "  br label %call"

    def _room(self, index: int) -> Iterator[str]:
        """Make room for the inputs of all calls, side by side."""
        kind = self._form.kinds[index]
        assert isinstance(kind, Tensor)
        number, size = size_class(DATA_OFFSET + kind.nbytes)
        yield (
            f"  %all{index} = call ptr @relay_allocate(ptr %ctx, i64 {number}, i64 {size}, i16 0, "
            "ptr null)"
        )
        yield f"  %none{index} = icmp eq ptr %all{index}, null"
        yield f"  br i1 %none{index}, label %full{index}, label %room{index}"
        yield from (f"full{index}:", f"  ret i32 {NO_MEMORY}", f"room{index}:")
        yield f"  %rows{index} = getelementptr i8, ptr %all{index}, i64 {DATA_OFFSET}"

    def _gather(self) -> Iterator[str]:
        if not self._gathered:
            return
        entry = f"%room{self._gathered[-1]}"
        yield "gather:"
        yield f"  %i = phi i64 [ 0, {entry} ], [ %i.next, %gather ]"
        yield f"  %g = phi ptr [ %first, {entry} ], [ %g.next, %gather ]"
        for index in self._gathered:
            yield from self._copy_in(index)
        yield "  %g.chain = getelementptr %Block, ptr %g, i64 0, i32 4"
        yield "  %g.behind = load ptr, ptr %g.chain"
        yield "  %i.next = add i64 %i, 1"
        yield "  %g.more = icmp ult i64 %i.next, %count"
        yield "  %g.next = select i1 %g.more, ptr %g.behind, ptr %g"
        yield f"  %g.end = icmp eq i64 %i.next, {self._width}"
        yield "  br i1 %g.end, label %call, label %gather"

    def _copy_in(self, index: int) -> Iterator[str]:
        kind, nbytes = self._inputs[index], _row_bytes(self._inputs[index])
        yield f"  %g{index}.at = getelementptr i8, ptr %g, i64 {self._offsets[index]}"
        yield f"  %g{index}.place = mul i64 %i, {nbytes}"
        yield f"  %g{index}.to = getelementptr i8, ptr %rows{index}, i64 %g{index}.place"
        if isinstance(kind, Scalar):
            ty = memory_type(kind.dtype)
            yield f"  %g{index}.value = load {ty}, ptr %g{index}.at"
            yield f"  store {ty} %g{index}.value, ptr %g{index}.to"
            return
        yield f"  %g{index}.from = load ptr, ptr %g{index}.at"
        yield _copy(f"%g{index}.to", f"%g{index}.from", nbytes)

    def _call(self) -> Iterator[str]:
        """Call the form, which takes over a reference to each tensor that it is passed."""
        yield "call:"
        for index in sorted(self._direct):
            yield from self._pass(index)
        arguments = ["ptr %ctx"]
        for index, kind in enumerate(self._inputs):
            if index not in self._direct:
                arguments.append(f"ptr %rows{index}, ptr %all{index}")
            elif isinstance(kind, Scalar):
                arguments.append(f"{memory_type(kind.dtype)} %value{index}")
            else:
                arguments.append(f"ptr %value{index}, ptr %block{index}")
        arguments += [f"ptr %result{i}.at, ptr %owner{i}.at" for i in range(len(self._results))]
        name = function_name(self._form, self._index)
        yield f"  %status = call tailcc i32 {name}({', '.join(arguments)})"
        yield "  %good = icmp eq i32 %status, 0"
        yield "  br i1 %good, label %results, label %fail"
        yield from ("fail:", "  ret i32 %status", "results:")
        for index in range(len(self._results)):
            yield f"  %result{index} = load ptr, ptr %result{index}.at"
            yield f"  %owner{index} = load ptr, ptr %owner{index}.at"
        yield "  br label %scatter"

    def _pass(self, index: int) -> Iterator[str]:
        """Take an input from the first call as it is."""
        kind, offset = self._inputs[index], self._offsets[index]
        yield f"  %d{index}.at = getelementptr i8, ptr %first, i64 {offset}"
        if isinstance(kind, Scalar):
            yield f"  %value{index} = load {memory_type(kind.dtype)}, ptr %d{index}.at"
            return
        yield f"  %d{index}.owner = getelementptr i8, ptr %first, i64 {offset + 8}"
        yield f"  %value{index} = load ptr, ptr %d{index}.at"
        yield f"  %block{index} = load ptr, ptr %d{index}.owner"
        yield f"  call void @relay_retain(ptr %block{index})"

    def _scatter(self) -> Iterator[str]:
        yield "scatter:"
        yield "  %k = phi i64 [ 0, %results ], [ %k.next, %scatter ]"
        yield "  %s = phi ptr [ %first, %results ], [ %s.next, %scatter ]"
        for index, kind in enumerate(self._results):
            offset, nbytes = self._offsets[len(self._inputs) + index], _row_bytes(kind)
            yield f"  %s{index}.at = getelementptr i8, ptr %s, i64 {offset}"
            yield f"  %s{index}.to = load ptr, ptr %s{index}.at"
            yield f"  %s{index}.place = mul i64 %k, {nbytes}"
            yield f"  %s{index}.from = getelementptr i8, ptr %result{index}, i64 %s{index}.place"
            yield _copy(f"%s{index}.to", f"%s{index}.from", nbytes)
        yield "  %s.chain = getelementptr %Block, ptr %s, i64 0, i32 4"
        yield "  %s.next = load ptr, ptr %s.chain"
        yield "  call void @relay_release(ptr %ctx, ptr %s)"
        yield "  %k.next = add i64 %k, 1"
        yield "  %s.end = icmp eq i64 %k.next, %count"
        yield "  br i1 %s.end, label %end, label %scatter"
        yield "end:"
        for index in range(len(self._results)):
            yield f"  call void @relay_release(ptr %ctx, ptr %owner{index})"
        yield from ("  store ptr %s.next, ptr %rest", "  ret i32 0", "}")


def _row_bytes(kind: Kind) -> int:
    assert isinstance(kind, Scalar | Tensor)
    return kind.dtype.itemsize if isinstance(kind, Scalar) else kind.nbytes


def _copy(to: str, source: str, nbytes: int) -> str:
    return f"  call void @llvm.memcpy.p0.p0.i64(ptr {to}, ptr {source}, i64 {nbytes}, i1 false)"
