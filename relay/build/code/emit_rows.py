"""Calls that need not wait, as LLVM text: what they give are rows of constant tables.

A leaf of a tree whose state begins with zeros is such a call. Its results are where the tables have
them: nothing is copied, and whoever needs them finds them made.
"""

from relay.build.code.batches import BatchLayout
from relay.build.code.function_writer import widened
from relay.build.code.text_writer import TextWriter
from relay.runtime.code.function import Code, Task
from relay.runtime.code.kinds import Scalar


def give_rows(code: Code, layout: BatchLayout, task: Task, to: TextWriter) -> None:
    """Let a function that defers a call give rows and return, if it is called for such a call.

    Rows that are not there are left to the function that makes the call: it says what they mean.
    """
    rows = [(table, _number(layout, index, to)) for table, index in task.rows]
    known = "true"
    for index, constant in task.fixed:
        same = to.value(f"icmp eq ptr %i{index}.0, {_constant(code, constant, to)}")
        known = to.value(f"and i1 {known}, {same}")
    for table, number in rows:
        count = code.constants.table[table].shape[0]
        inside = to.value(f"icmp ult i64 {number}, {count}")
        known = to.value(f"and i1 {known}, {inside}")
    give, wait = to.fresh("g"), to.fresh("g")
    to.put(f"br i1 {known}, label %{give}, label %{wait}")
    to.label(give)
    for index, (table, number) in enumerate(rows):
        distance = to.value(f"mul i64 {number}, {layout.results[index].nbytes}")
        first = _constant(code, table, to)
        row = to.value(f"getelementptr i8, ptr {first}, i64 {distance}")
        to.put(f"store ptr {row}, ptr %r{index}.0")
        to.put(f"store ptr null, ptr %r{index}.1")
    for index, kind in enumerate(layout.inputs):
        if not isinstance(kind, Scalar):
            to.release(f"%i{index}.1")
    to.put("ret i32 0")
    to.label(wait)


def _constant(code: Code, number: int, to: TextWriter) -> str:
    return to.at(to.load("ptr", to.context(0)), code.constants.table[number].offset)


def _number(layout: BatchLayout, index: int, to: TextWriter) -> str:
    """Return an input that says which row; one below 0 is larger than all there are."""
    kind = layout.inputs[index]
    assert isinstance(kind, Scalar), "the number of a row is a scalar"
    return widened(f"%i{index}.0", kind.dtype, to)
