"""The pass that removes the zeros and ones that gradients start from: TVM's `LazyGradientInit`."""

from collections.abc import Sequence
from types import UnionType
from typing import TypeGuard, cast

from relay.ir.analysis.dims_in_scope import binds_new_dims
from relay.ir.dims import is_static
from relay.ir.expr import Call, Constant, Expr, Function, Let, Var
from relay.ir.walk import fold, outside_kernels, post_order, with_children
from relay.ops.binary import Add, Multiply
from relay.ops.creation import Ones, OnesLike, Zeros, ZerosLike
from relay.support.node import value
from relay.transform.effects import effectful_nodes
from relay.transform.pipeline import FunctionPass


@value
class LazyGradientInit(FunctionPass):
    """Eliminate the zeros and ones that initialise gradients: calls of `zeros`, `ones_like` etc.

    1. A sum with zeros becomes its other operand, if both have the same type.
    2. A product with ones becomes its other operand, if both have the same type.
    3. A product with zeros becomes zeros if its size is known, even where the other factor is
       infinite.
    4. A variable of a `let` is replaced by its value if that is zeros, ones, or after other
       replacements a variable or a constant. Gradients are such sequences of `let`.
    5. An operand that has effects is never dropped.
    """

    def run(self, function: Function) -> Function:
        """Return the function without sums and products with those zeros and ones."""
        order = post_order(function, edges=outside_kernels)
        if not any(_makes(expr, Zeros | ZerosLike | Ones | OnesLike) for expr in order):
            return function
        values: dict[Expr, Expr] = {expr.var: expr.value for expr in order if _may_disappear(expr)}
        effectful = effectful_nodes(function)

        def edges(expr: Expr) -> Sequence[Expr]:
            return (values[expr],) if expr in values else outside_kernels(expr)

        def visit(expr: Expr, new: list[Expr]) -> Expr:
            match expr:
                case Var() if new:  # case 4
                    return new[0] if _is_small(new[0]) else expr
                case Let(var) if var in values and _is_small(new[1]):
                    return new[2]
                case Call(_, args) if not effectful.isdisjoint(args):  # case 5
                    return with_children(expr, new)
                case _:
                    return _reduced(with_children(expr, new) if new else expr)

        return cast("Function", fold(function, visit, edges=edges))


def _may_disappear(expr: Expr) -> TypeGuard[Let]:
    """Whether an expression is a let whose variable may be replaced by its value."""
    return (
        isinstance(expr, Let)
        and not isinstance(expr.value, Function)
        and expr.var.ty is expr.value.ty
        and not binds_new_dims(expr)
    )


def _is_small(expr: Expr) -> bool:
    """Whether an expression is as good as a variable: an atom, or zeros or ones."""
    if _makes(expr, Zeros | ZerosLike | Ones | OnesLike):
        return all(isinstance(arg, Var | Constant) for arg in cast("Call", expr).args)
    return isinstance(expr, Var | Constant)


def _reduced(expr: Expr) -> Expr:
    """Return a sum or product simplified if an operand is zeros or ones; else `expr` itself."""
    match expr:
        case Call(Add(), args):  # case 1
            return _without(expr, args, Zeros | ZerosLike)
        case Call(Multiply(), (left, right) as args):
            ty = expr.tensor_type
            if _makes(left, Zeros | ZerosLike) or _makes(right, Zeros | ZerosLike):  # case 3
                return Call(Zeros(ty.shape, ty.dtype), ()) if is_static(ty.shape) else expr
            return _without(expr, args, Ones | OnesLike)  # case 2
        case _:
            return expr


def _without(call: Call, args: Sequence[Expr], neutral: UnionType) -> Expr:
    """Return the operand that remains if the other one is neutral and the types are equal.

    `neutral` are the operators that create the neutral element.
    """
    for this, other in (args, args[::-1]):
        if _makes(this, neutral) and other.ty is call.ty:
            return other
    return call


def _makes(expr: Expr, operators: UnionType) -> bool:
    return isinstance(expr, Call) and isinstance(expr.op, operators)
