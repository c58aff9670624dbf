"""The pass that flattens nested concatenations, such as those of unrolled loops."""

from collections.abc import Sequence
from typing import TypeAlias, cast

from relay.ir.expr import Call, Expr, Function, Tuple
from relay.ir.types import TensorType
from relay.ir.use_counts import use_counts
from relay.ir.walk import fold, outside_kernels, post_order, with_children
from relay.ops.tensor.concat_and_split import Concatenate
from relay.support.node import value
from relay.transform.effects import Effectful
from relay.transform.pipeline import FunctionPass

_Parts: TypeAlias = dict[Expr, list[Expr]]


@value
class FlattenConcatenate(FunctionPass):
    """Replace nested concatenations along one axis by one, in linear time.

    1. A concatenation whose only reader is another one along the same axis becomes part of it.
    2. Parts of size 0 along the axis are dropped if they have no effects, but one part always
       stays.
    3. More than `width` parts are first concatenated in groups of that size, because the number of
       operands of a kernel is limited.
    """

    width: int = 32

    def run(self, function: Function) -> Function:
        """Return the function with nested concatenations along one axis merged."""
        parts = _flattened(function, self.width)

        def edges(expr: Expr) -> Sequence[Expr]:
            return parts.get(expr) or outside_kernels(expr)

        def visit(expr: Expr, new: list[Expr]) -> Expr:
            if expr in parts:
                return self._joined(cast("Call", expr), new)
            return with_children(expr, new) if new else expr

        return cast("Function", fold(function, visit, edges=edges)) if parts else function

    def _joined(self, call: Call, parts: list[Expr]) -> Expr:
        while len(parts) > 1:
            groups = [parts[i : i + self.width] for i in range(0, len(parts), self.width)]
            parts = [_join(call, group) for group in groups]
        return parts[0]


def _join(call: Call, parts: list[Expr]) -> Expr:
    return parts[0] if len(parts) == 1 else Call(call.op, (Tuple(tuple(parts)),), span=call.span)


def _flattened(function: Function, width: int) -> _Parts:
    """Return a map from each outermost concatenation that changes to its parts.

    More than `width` parts are concatenated in groups.
    """
    uses = use_counts(function)
    order = post_order(function, edges=outside_kernels)
    absorbed: set[Expr] = set()
    effectful = Effectful()
    found: _Parts = {}
    for expr in reversed(order):
        if _axis(expr) is None or expr in absorbed:
            continue
        parts: list[Expr] = []
        stack = [expr]
        while stack:
            top = stack.pop()
            is_whole = top is expr or (_axis(top) == _axis(expr) and uses[top] == 1)
            if not is_whole:
                parts.append(top)
                continue
            absorbed.add(top)
            stack.extend(reversed(_fields(top)))
        axis = cast("int", _axis(expr))
        kept = [p for p in parts if p.tensor_type.shape[axis] != 0 or p in effectful]
        if (kept != list(_fields(expr)) or len(kept) > width) and parts:
            found[expr] = kept or parts[:1]
    return found


def _axis(expr: Expr) -> int | None:
    """Return the axis of a concatenation of a literal tuple, counted from the front."""
    match expr:
        case Call(Concatenate(axis), (Tuple(),)) if isinstance(expr.ty, TensorType):
            return axis % expr.ty.rank
        case _:
            return None


def _fields(expr: Expr) -> tuple[Expr, ...]:
    return cast("Tuple", cast("Call", expr).args[0]).fields
