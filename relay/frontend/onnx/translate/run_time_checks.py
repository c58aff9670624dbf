"""Build run-time checks for requirements of ONNX that cannot be checked during import."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from relay.frontend.builders.let_before_loops import behind
from relay.frontend.builders.tensor_helpers import constant
from relay.frontend.onnx.node import OnnxNode
from relay.frontend.onnx.translate.run_time_tensors import as_int64
from relay.ir.dims import ANY, Dim
from relay.ir.expr import Call, Expr, If, Var
from relay.ir.trap import failure
from relay.opdef import checks
from relay.ops.comparison import GreaterEqual, LessEqual, equal
from relay.ops.logical import LogicalAnd
from relay.ops.max_min_reductions import All
from relay.ops.sum_and_mean_reductions import Sum
from relay.ops.tensor.reshape import Reshape
from relay.support.dtype import int64


@dataclass(frozen=True)
class Requirement:
    """A requirement on an input: its value, a condition, and the message if it is false."""

    value: Expr
    condition: Expr
    problem: str


def required(
    node: OnnxNode, what: Requirement, then: Callable[[Expr], Sequence[Expr]]
) -> list[Expr]:
    """Return `then` applied to a value that is checked at run time; traps (`R040`) if invalid.

    The check is bound before the result, so that loops neither repeat nor skip it.
    """
    reason = f"{node.span.source.name}: {what.problem}"
    tested = If(what.condition, what.value, failure(what.value.type, reason), span=node.span)
    var = Var("tested", what.value.type)
    return behind([(var, tested)], then(var))


def within(x: Expr, low: int, high: Expr) -> Expr:
    """Return whether all integers are between two inclusive limits."""
    numbers = as_int64(x)
    above = Call(GreaterEqual(), (numbers, constant(low, int64)))
    return Call(All(), (Call(LogicalAnd(), (above, Call(LessEqual(), (numbers, high)))),))


def making_up(sizes: Expr, whole: Expr) -> Requirement:
    """Return the requirement that the sizes of parts, computed at run time, add up to `whole`."""
    fits = Call(LogicalAnd(), (equal(Call(Sum(), (sizes,)), whole), within(sizes, 0, whole)))
    return Requirement(sizes, fits, "the sizes of the parts do not add up to the size of the axis")


def common_size(sizes: Sequence[Dim]) -> Dim:
    """Return the common value of equal sizes: an integer if one is known, else a symbol."""
    return next(
        (each for each in sizes if isinstance(each, int)),
        next((each for each in sizes if each is not ANY), ANY),
    )


def sized(node: OnnxNode, x: Expr, axis: int, size: Dim) -> Expr:
    """Return a tensor whose size along an axis is checked at run time; traps with `R054`.

    Raises `T105` if both sizes are known and differ.
    """
    found = x.tensor_type.shape[axis]
    if size is ANY or found == size:
        return x
    checks.size(node.op, f"axis {axis} of a tensor of type {x.type!r}", size, found)
    codes: list[Dim] = [0] * x.tensor_type.rank
    codes[axis] = size
    return Call(Reshape(tuple(codes)), (x,), span=node.span)
