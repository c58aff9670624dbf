"""The types of the values that ONNX loops carry from one iteration to the next."""

from collections.abc import Sequence

from relay.frontend.builders.counted_loops import Step
from relay.frontend.builders.lists_and_options import common_type
from relay.frontend.builders.tensor_helpers import reshape
from relay.frontend.onnx.node import OnnxNode
from relay.frontend.onnx.value import OnnxValue, of_array
from relay.ir.expr import Call, Constant, Expr, Var
from relay.ir.types import TensorType, Type
from relay.ops.cast import Cast
from relay.support.dtype import bool_, int64
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayImportError

_ONE_TYPE = (
    "let the body return the type that the variable has before it, with Reshape or Cast, or make "
    "the number of iterations a constant of at most 64"
)


class ChangedTypeError(RelayImportError):
    """The error `F042` for an iteration that changes the rank or element type of a value."""


def loop_types(
    node: OnnxNode, names: Sequence[str], first: Sequence[Expr], run: Step
) -> tuple[list[Type], list[TensorType], Expr | None]:
    """Return the types of a loop: of its state, of its scan outputs, and the condition.

    The state has the names `names` in the model. The types are those after all iterations: a size
    that a step changes becomes `Any`. Raises
    `F042` if a step changes rank or element type (a `ChangedTypeError`), and for sequences that
    never have an element.
    """
    types = [each.ty for each in first]
    time = Var("t", TensorType((), int64))
    while True:
        known = zip(first, types, strict=True)
        state = [expr if ty is None else Var("s", ty) for expr, ty in known]
        results, condition = run(time, state)
        new = [common_type(a, each.ty) for a, each in zip(types, results, strict=False)]
        kept = [ty for ty in new if ty is not None]
        if len(kept) < len(new):
            index = new.index(None)
            raise _changed_type(node, names[index], types[index], results[index].ty)
        if all(a is b for a, b in zip(new, types, strict=True)):
            return kept, [each.tensor_type for each in results[len(new) :]], condition
        types = new


def _changed_type(
    node: OnnxNode, name: str, before: Type | None, after: Type | None
) -> RelayImportError:
    """Return the error `F042` for a loop variable without a common type in all iterations."""
    if before is None and after is None:
        problem = (
            f"the loop variable '{name}' is a sequence to which no iteration adds an element, so "
            "its type is unknown"
        )
        return node.error(ErrorCode.F042, problem, help="remove this sequence from the loop")
    problem = f"an iteration changes the loop variable '{name}' from type {before!r} to {after!r}"
    return ChangedTypeError(ErrorCode.F042, problem, span=node.span, help=_ONE_TYPE)


def value_of(expr: Expr) -> OnnxValue:
    """Return an expression as a value, whose elements are known if it is a constant."""
    return of_array(expr.array, expr) if isinstance(expr, Constant) else OnnxValue(expr)


def scalar(x: Expr) -> Expr:
    """Return a one-element tensor as a scalar; integers become int64."""
    flat = reshape(x, ())
    is_number = flat.tensor_type.dtype not in (bool_, int64)
    return Call(Cast(int64), (flat,)) if is_number else flat
