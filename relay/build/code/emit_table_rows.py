"""LLVM text of deferred calls whose results or operands are rows of constant tables.

A typical such call is a leaf of a tree whose state starts with zeros. It need not be deferred: its
results are rows of a precomputed table, so nothing is copied. A consumer that multiplies a row by
weights looks the product up by the row number, which follows from the row's address. If only some
results of a call are rows, the others are deferred.
"""

from collections.abc import Container, Iterator, Mapping

from relay.build.code.batch_layout import BatchLayout
from relay.build.code.llvm_function_writer import slot_types, widened
from relay.build.code.llvm_text_writer import TextWriter
from relay.kernels.llvm.llvm_types import memory_type
from relay.runtime.code.function import ProgramCode, Task
from relay.runtime.code.register_kinds import Kind, Scalar, Tensor
from relay.support.node import node


@node
class GivenRows:
    """The results that are table rows if the LLVM value `known` is true: {number: row address}."""

    known: str
    places: Mapping[int, str]

    def place(self, result: int, otherwise: tuple[str, str], to: TextWriter) -> tuple[str, str]:
        """Return the address and owner of a result: those of its table row, or `otherwise`.

        The owner of a row is null. Writes code that chooses at run time.
        """
        if result not in self.places:
            return otherwise
        elements, owner = otherwise
        row = f"ptr {self.places[result]}"
        at = to.value(f"select i1 {self.known}, {row}, ptr {elements}")
        return at, to.value(f"select i1 {self.known}, ptr null, ptr {owner}")


def given_rows(code: ProgramCode, layout: BatchLayout, task: Task, to: TextWriter) -> GivenRows:
    """Write code that finds the results of a call that are rows of precomputed tables.

    If a row number is out of range, the function that runs the call handles it.
    """
    known, places = "true", dict[int, str]()
    for index, constant in task.fixed if task.rows else ():
        same = to.value(f"icmp eq ptr %i{index}.0, {_constant(code, constant, to)}")
        known = to.value(f"and i1 {known}, {same}")
    for result, table, index in task.rows:
        number = _number(layout, index, to)
        count = code.constants.table[table].shape[0]
        known = to.value(f"and i1 {known}, {to.value(f'icmp ult i64 {number}, {count}')}")
        places[result] = to.row(_constant(code, table, to), number, layout.results[result].nbytes)
    return GivenRows(known, places)


def give_rows(layout: BatchLayout, given: GivenRows, to: TextWriter) -> None:
    """Write a branch of a function that defers a call: it returns if all results are table rows."""
    give, wait = to.fresh("g"), to.fresh("g")
    to.put(f"br i1 {given.known}, label %{give}, label %{wait}")
    to.label(give)
    for result, row in given.places.items():
        to.put(f"store ptr {row}, ptr %r{result}.0")
        to.put(f"store ptr null, ptr %r{result}.1")
    for index, kind in enumerate(layout.inputs):
        if not isinstance(kind, Scalar):
            to.release(f"%i{index}.1")
    to.put("ret i32 0")
    to.label(wait)


def pass_rows_on(
    code: ProgramCode, layout: BatchLayout, task: Task, other: int, to: TextWriter
) -> None:
    """Write a branch: a call whose operands are table rows is deferred to the task `other`."""
    begins = {index: _constant(code, table, to) for index, table in task.row_inputs}
    index, table = task.row_inputs[0]
    number = _row_number(f"%i{index}.0", begins[index], _nbytes(layout, index), to)
    is_row = to.value(f"icmp ult i64 {number}, {code.constants.table[table].shape[0]}")
    for index, first in begins.items():
        row = to.row(first, number, _nbytes(layout, index))
        same = to.value(f"icmp eq ptr %i{index}.0, {row}")
        is_row = to.value(f"and i1 {is_row}, {same}")
    leave, stay = to.fresh("o"), to.fresh("o")
    to.put(f"br i1 {is_row}, label %{leave}, label %{stay}")
    to.label(leave)
    for index in begins:
        to.release(f"%i{index}.1")
    callee = code.functions[code.tasks[other].single]
    given = [*_kept(layout, begins), _narrowed(number, callee.kinds[callee.parameters - 1], to)]
    places = [f"ptr %r{i}.{part}" for i in range(len(layout.results)) for part in (0, 1)]
    arguments = ", ".join(["ptr %ctx", "i64 %level", *given, *places])
    to.put(f"ret i32 {to.value(f'call i32 @relay_defer{other}({arguments})')}")
    to.label(stay)


def _kept(layout: BatchLayout, rows: Container[int]) -> Iterator[str]:
    """Yield the LLVM operands of all inputs that are not rows; they are passed on unchanged."""
    for index, kind in enumerate(layout.inputs):
        if index not in rows:
            yield from (f"{ty} %i{index}.{part}" for part, ty in enumerate(slot_types(kind)))


def _row_number(row: str, table: str, nbytes: int, to: TextWriter) -> str:
    """Write code that computes the row number of an address in a table.

    The number is arbitrary for addresses outside of the table.
    """
    at, begin = (to.value(f"ptrtoint ptr {each} to i64") for each in (row, table))
    return to.value(f"udiv i64 {to.value(f'sub i64 {at}, {begin}')}, {nbytes}")


def _nbytes(layout: BatchLayout, index: int) -> int:
    kind = layout.inputs[index]
    assert isinstance(kind, Tensor), "a row is a tensor"
    return kind.nbytes


def _narrowed(number: str, kind: Kind, to: TextWriter) -> str:
    assert isinstance(kind, Scalar), "the number of a row is a scalar"
    ty = memory_type(kind.dtype)
    return f"i64 {number}" if ty == "i64" else f"{ty} {to.value(f'trunc i64 {number} to {ty}')}"


def _constant(code: ProgramCode, number: int, to: TextWriter) -> str:
    return to.at(to.load("ptr", to.context(0)), code.constants.table[number].offset)


def _number(layout: BatchLayout, index: int, to: TextWriter) -> str:
    """Write code that reads input `index`, a row number, as an unsigned 64-bit integer.

    A negative number becomes larger than the number of rows of any table.
    """
    kind = layout.inputs[index]
    assert isinstance(kind, Scalar), "the number of a row is a scalar"
    return widened(f"%i{index}.0", kind.dtype, to)
