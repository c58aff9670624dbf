"""LLVM text of instructions on run-time sizes: shapes of tensors, arithmetic and checks."""

from relay.build.code.emit_instruction import emit
from relay.build.code.llvm_function_writer import FunctionWriter, widened
from relay.kernels.llvm.llvm_types import memory_type
from relay.runtime.code import size_instructions as code
from relay.runtime.code.register_kinds import Scalar, Tensor
from relay.runtime.code.size_instructions import Arithmetic


@emit.register
def _number(instruction: code.Number, to: FunctionWriter) -> None:
    to.set(instruction.to, (str(instruction.number),))


@emit.register
def _size_of(instruction: code.SizeOf, to: FunctionWriter) -> None:
    kind = to.kind(instruction.source)
    assert isinstance(kind, Tensor), "only tensors have sizes"
    parts = to.get(instruction.source)
    to.set(instruction.to, (parts[2 + kind.carried.index(instruction.axis)],))


@emit.register
def _compute(instruction: code.Compute, to: FunctionWriter) -> None:
    (left,), (right,) = to.get(instruction.left), to.get(instruction.right)
    match instruction.operation:
        case Arithmetic.ADD:
            found = _counted("sadd", left, right, instruction.trap, to)
        case Arithmetic.SUBTRACT:
            found = _counted("ssub", left, right, instruction.trap, to)
        case Arithmetic.MULTIPLY:
            found = _counted("smul", left, right, instruction.trap, to)
        case Arithmetic.MAXIMUM:
            found = to.value(f"call i64 @llvm.smax.i64(i64 {left}, i64 {right})")
        case Arithmetic.UNLESS_ONE:
            is_one = to.value(f"icmp eq i64 {left}, 1")
            found = to.value(f"select i1 {is_one}, i64 {right}, i64 {left}")
        case Arithmetic.FLOOR_DIVIDE:
            found = to.value(f"call i64 @relay_floor_divide(i64 {left}, i64 {right})")
    to.set(instruction.to, (found,))


def _counted(operation: str, left: str, right: str, trap: int, to: FunctionWriter) -> str:
    """Write 64-bit arithmetic that traps on overflow, and return its result."""
    name = f"@llvm.{operation}.with.overflow.i64"
    pair = to.value(f"call {{ i64, i1 }} {name}(i64 {left}, i64 {right})")
    to.trap_if(to.value(f"extractvalue {{ i64, i1 }} {pair}, 1"), trap)
    return to.value(f"extractvalue {{ i64, i1 }} {pair}, 0")


@emit.register
def _load_element(instruction: code.LoadElement, to: FunctionWriter) -> None:
    kind = to.kind(instruction.source)
    assert isinstance(kind, Tensor | Scalar), "elements are those of tensors"
    found = to.get(instruction.source)[0]
    if isinstance(kind, Tensor):
        place = to.at(found, instruction.index * kind.dtype.itemsize)
        found = to.load(memory_type(kind.dtype), place)
    to.set(instruction.to, (widened(found, kind.dtype, to),))


@emit.register
def _view(instruction: code.View, to: FunctionWriter) -> None:
    elements, block = to.get(instruction.source)[:2]
    extents = [to.get(register)[0] for register in instruction.extents]
    to.set(instruction.to, (elements, block, *extents))


@emit.register
def _require(instruction: code.Require, to: FunctionWriter) -> None:
    (left,), (right,) = to.get(instruction.left), to.get(instruction.right)
    wrong = "slt" if instruction.at_least else "ne"
    does_not_hold = to.value(f"icmp {wrong} i64 {left}, {right}")
    to.trap_with_report(does_not_hold, instruction.trap, left, right)
