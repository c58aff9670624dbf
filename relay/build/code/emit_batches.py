"""LLVM text of the functions that add calls to batches and distribute their results.

Each task has three functions: one starts a batch, one adds a deferred call to the latest batch, and
one copies results out. The code common to all tasks is in `relay/runtime/c/batches.c`.
"""

from collections.abc import Iterator

from relay.build.code.batch_layout import (
    CAPACITY_OFFSET,
    COUNT_OFFSET,
    NEXT_OFFSET,
    TAKEN_OFFSET,
    BatchLayout,
)
from relay.build.code.emit_table_rows import give_rows, given_rows, pass_rows_on
from relay.build.code.llvm_function_writer import slot_types
from relay.build.code.llvm_text_writer import TextWriter
from relay.runtime.code.function import ProgramCode
from relay.runtime.code.register_kinds import DATA_OFFSET, LEVEL_OFFSET, Scalar
from relay.runtime.code.traps import NO_MEMORY


def batch_texts(code: ProgramCode, layout: BatchLayout, task: int) -> list[str]:
    """Return the LLVM functions that manage the batches of a task (a batched region)."""
    return [_begin(layout, task), _defer(code, layout, task), _finish(layout, task)]


def defer_arguments(layout: BatchLayout) -> list[str]:
    """Return the LLVM types of the operands of `relay_defer`: inputs and result addresses."""
    inputs = [ty for kind in layout.inputs for ty in slot_types(kind)]
    return [*inputs, *["ptr"] * (2 * len(layout.results))]


# ---- start of a batch -----------------------------------------------------------------------


def _begin(layout: BatchLayout, task: int) -> str:
    """Return the LLVM function that prepends a new batch to a list.

    It returns null if memory runs out.

    The first batch has room for one call and later ones have more, so that few calls take little
    memory.
    """
    to = TextWriter()
    latest = to.load("ptr", "%cell")
    had = to.value(f"call i64 @relay_capacity(ptr {latest})")
    capacity = str(layout.capacities[-1])
    for least in reversed(layout.capacities[:-1]):
        is_less = to.value(f"icmp ult i64 {had}, {least}")
        capacity = to.value(f"select i1 {is_less}, i64 {least}, i64 {capacity}")
    nbytes = to.value(f"mul i64 {capacity}, {layout.each_call}")
    batch = _allocated(to.value(f"add i64 {nbytes}, {layout.base}"), to)
    to.put(f"store ptr {latest}, ptr {to.at(batch, NEXT_OFFSET)}")
    for offset, number in ((COUNT_OFFSET, "0"), (TAKEN_OFFSET, "0"), (CAPACITY_OFFSET, capacity)):
        to.put(f"store i64 {number}, ptr {to.at(batch, offset)}")
    for index, kind in enumerate(layout.results):
        elements = to.value(f"mul i64 {capacity}, {kind.nbytes}")
        slab = _allocated(to.value(f"add i64 {elements}, {DATA_OFFSET}"), to)
        to.put(f"store i64 %level, ptr {to.at(slab, LEVEL_OFFSET)}")
        to.put(f"store ptr {slab}, ptr {to.at(batch, layout.slab(index))}")
    to.put(f"store ptr {batch}, ptr %cell")
    to.put(f"ret ptr {batch}")
    head = f"define internal ptr @relay_begin{task}(ptr %ctx, ptr %cell, i64 %level) noinline cold"
    return to.definition(head)


def _allocated(nbytes: str, to: TextWriter) -> str:
    """Return the address of a new block of `nbytes` bytes.

    If memory runs out, the written code returns null from its function.
    """
    block = to.value(f"call ptr @relay_allocate_bytes(ptr %ctx, i64 {nbytes})")
    none = to.value(f"icmp eq ptr {block}, null")
    fail, found = to.fresh("f"), to.fresh("f")
    to.put(f"br i1 {none}, label %{fail}, label %{found}, !prof !0")
    to.label(fail)
    to.put("ret ptr null")
    to.label(found)
    return block


# ---- deferral -------------------------------------------------------------------------------


def _defer(code: ProgramCode, layout: BatchLayout, task: int) -> str:
    """Return the LLVM function that defers a call, and returns where its results will be."""
    to = TextWriter()
    own = code.tasks[task]
    given = given_rows(code, layout, own, to)
    if len(given.places) == len(layout.results):
        give_rows(layout, given, to)
    if own.row_task is not None:
        pass_rows_on(code, layout, own, own.row_task, to)
    cell = to.value(f"call ptr @relay_place(ptr %ctx, i64 %level, i64 {task})")
    to.trap_if(to.value(f"icmp eq ptr {cell}, null"), NO_MEMORY)
    room = f"ptr %ctx, ptr {cell}, i64 %level, ptr @relay_begin{task}"
    batch = to.value(f"call ptr @relay_room({room})")
    to.trap_if(to.value(f"icmp eq ptr {batch}, null"), NO_MEMORY)
    number = to.load("i64", to.at(batch, COUNT_OFFSET))
    to.put(f"store i64 {to.value(f'add i64 {number}, 1')}, ptr {to.at(batch, COUNT_OFFSET)}")
    for index in layout.own:
        inputs = to.value(_inputs(layout, index, batch))
        _store(layout, index, to.row(inputs, number, layout.size(index)), to)
    for index in layout.shared:
        _share(layout, index, batch, number, to)
    for index in range(len(layout.results)):
        slab = to.load("ptr", to.at(batch, layout.slab(index)))
        place = (result_row(layout, index, batch, number, to), slab)
        elements, owner = given.place(index, place, to)
        to.retain(owner)
        to.put(f"store ptr {elements}, ptr %r{index}.0")
        to.put(f"store ptr {owner}, ptr %r{index}.1")
    note = f"ptr %ctx, ptr {cell}, i64 %level, i64 {layout.nbytes}"
    to.put(f"ret i32 {to.value(f'call i32 @relay_note({note})')}")
    places = [f"%r{index}.{part}" for index in range(len(layout.results)) for part in (0, 1)]
    pairs = zip(defer_arguments(layout), (*_arguments(layout), *places), strict=True)
    listed = [f"{ty} {name}" for ty, name in pairs]
    arguments = ", ".join(["ptr %ctx", "i64 %level", *listed])
    return to.definition(f"define internal i32 @relay_defer{task}({arguments})")


def _arguments(layout: BatchLayout) -> Iterator[str]:
    for index, kind in enumerate(layout.inputs):
        yield from (f"%i{index}.{part}" for part in range(len(slot_types(kind))))


def _inputs(layout: BatchLayout, index: int, batch: str) -> str:
    """Return the LLVM call that computes the address of one input of a batch's calls."""
    return f"call ptr @relay_inputs(ptr {batch}, i64 {layout.base}, i64 {layout.each(index)})"


def _store(layout: BatchLayout, index: int, place: str, to: TextWriter) -> None:
    for part, ty in enumerate(slot_types(layout.inputs[index])):
        to.put(f"store {ty} %i{index}.{part}, ptr {to.at(place, 8 * part)}")


def _share(layout: BatchLayout, index: int, batch: str, number: str, to: TextWriter) -> None:
    """Write code that stores a shared input at a batch's first call, and at others releases it."""
    first, further, end = to.fresh("s"), to.fresh("s"), to.fresh("s")
    to.put(f"br i1 {to.value(f'icmp eq i64 {number}, 0')}, label %{first}, label %{further}")
    to.label(first)
    _store(layout, index, to.at(batch, layout.shared_input(index)), to)
    to.put(f"br label %{end}")
    to.label(further)
    if not isinstance(layout.inputs[index], Scalar):
        to.release(f"%i{index}.1")
    to.put(f"br label %{end}")
    to.label(end)


# ---- results --------------------------------------------------------------------------------


def _finish(layout: BatchLayout, task: int) -> str:
    """Return the LLVM function that copies results to the slabs and frees finished batches.

    `%cursor` points to the first batch with calls that are not flushed.
    """
    to = TextWriter()
    to.put("br label %part")
    to.label("part")
    to.put("%done = phi i64 [ 0, %entry ], [ %all, %next ]")
    batch = to.load("ptr", "%cursor")
    count, taken = (to.load("i64", to.at(batch, at)) for at in (COUNT_OFFSET, TAKEN_OFFSET))
    waiting, left = to.value(f"sub i64 {count}, {taken}"), to.value("sub i64 %count, %done")
    part = to.value(f"call i64 @llvm.umin.i64(i64 {waiting}, i64 {left})")
    to.put(f"%all = add i64 %done, {part}")
    for index, kind in enumerate(layout.results):
        target = result_row(layout, index, batch, taken, to)
        source = to.row(f"%result{index}", "%done", kind.nbytes)
        nbytes = to.value(f"mul i64 {part}, {kind.nbytes}")
        to.put(f"call void @relay_hand_out(ptr {target}, ptr {source}, i64 {nbytes})")
    for index in layout.own:
        if not isinstance(layout.inputs[index], Scalar):
            place = f"i64 {layout.base}, i64 {layout.each(index)}, i64 {taken}, i64 {part}"
            to.put(f"call void @relay_drop(ptr %ctx, ptr {batch}, {place})")
    gone = to.value(f"add i64 {taken}, {part}")
    to.put(f"store i64 {gone}, ptr {to.at(batch, TAKEN_OFFSET)}")
    to.put(f"br i1 {to.value(f'icmp eq i64 {gone}, {count}')}, label %empty, label %next")
    to.label("empty")
    _forget(layout, batch, to)
    to.put("br label %next")
    to.label("next")
    to.put(f"br i1 {to.value('icmp ult i64 %all, %count')}, label %part, label %end")
    to.label("end")
    to.put("ret void")
    results = "".join(f", ptr %result{index}" for index in range(len(layout.results)))
    head = f"define internal void @relay_finish{task}(ptr %ctx, ptr %cursor, i64 %count{results})"
    return to.definition(head)


def result_row(layout: BatchLayout, index: int, batch: str, call: str, to: TextWriter) -> str:
    """Write code that computes the address reserved for a result of a call in a batch."""
    slab = to.at(to.load("ptr", to.at(batch, layout.slab(index))), DATA_OFFSET)
    return to.row(slab, call, layout.results[index].nbytes)


def _forget(layout: BatchLayout, batch: str, to: TextWriter) -> None:
    """Write code that frees a batch, and moves the cursor to the next batch in the list."""
    to.put(f"store ptr {to.load('ptr', to.at(batch, NEXT_OFFSET))}, ptr %cursor")
    for index in range(len(layout.results)):
        to.release(to.load("ptr", to.at(batch, layout.slab(index))))
    for index in layout.shared:
        if not isinstance(layout.inputs[index], Scalar):
            to.release(to.load("ptr", to.at(batch, layout.shared_input(index) + 8)))
    to.put(f"call void @relay_give(ptr %ctx, ptr {batch})")
