"""Write composite operators in terms of smaller ones, where no kernel of their own is better."""

from collections.abc import Callable
from typing import cast

from relay.ir.expr import Call, Expr, Function, Let, Var
from relay.ir.types import TensorType, has_any
from relay.ir.walk import children, post_order, rewrite
from relay.opdef.assumptions import assuming, doubting
from relay.opdef.definition import OperatorDef
from relay.ops.tensor.fits import Assured
from relay.support.node import replace, value
from relay.support.span import Span
from relay.transform.effects import Effectful
from relay.transform.pipeline import FunctionPass


@value
class SimplifyInference(FunctionPass):
    """Replace calls of operators that decompose by their decomposition, until none is left.

    1. An operator that has a decomposition and no tensor expression is always replaced.
    2. One that has both keeps its own kernel (softmax, layer normalisation).
    3. An argument that has effects is computed even if the decomposition does not need it.
    4. A call with sizes of which nothing is known waits until they have names: its decomposition
       may have to say them.
    5. What its type rule takes for granted of sizes is tested first: its parts may need less.

    With `named`, all sizes have names, and those that meet were made equal (`NameSizes`).
    """

    named: bool = False

    def run(self, function: Function) -> Function:
        """Decompose from the leaves up; what a decomposition contains is decomposed in turn."""
        with assuming() if self.named else doubting():  # different names may stand for one size
            return decomposed(function, lambda _, op: not op.has("compute"))


def decomposed(function: Function, is_chosen: Callable[[Call, OperatorDef], bool]) -> Function:
    """Return a function without the calls that are chosen, of operators that decompose.

    What a decomposition contains is decomposed in turn.
    """

    def decompose(expr: Expr) -> Expr:
        match expr:
            case Call(OperatorDef() as op, args) if (
                op.has("decompose")
                and is_chosen(expr, op)
                and not any(has_any(arg.type) for arg in args)
            ):
                assured = _assured(op, args, expr.span)
                smaller = _spanned(op.decompose(*assured), expr, assured)
                return _keeping(assured, rewrite(smaller, decompose, edges=_until(assured)))
            case _:
                return expr

    return cast("Function", rewrite(function, decompose))


def _assured(op: OperatorDef, args: tuple[Expr, ...], span: Span | None) -> tuple[Expr, ...]:
    """Return the arguments of an operator, of which one is there if their sizes fit (case 5).

    Where sizes broadcast, so do the parts of the operator, which test it themselves.
    """
    with assuming() as found:
        op.result_type([arg.type for arg in args])
    position = next((i for i, arg in enumerate(args) if isinstance(arg.type, TensorType)), None)
    if position is None:
        return args
    tested = args[position]
    for each in found:
        if not each.broadcasts and each.left != each.right:
            test = Assured(each.left, each.right, each.at_least, each.text(op.name))
            tested = Call(test, (tested,), span=span)
    return (*args[:position], tested, *args[position + 1 :])


def _keeping(args: tuple[Expr, ...], smaller: Expr) -> Expr:
    """Return the decomposition of an operator behind the effects of arguments that it dropped."""
    left = set(args).difference(post_order(smaller, edges=_until(args)))
    for arg in args:
        if arg in left and arg in Effectful():
            unread = Var("_", arg.ty, ty=arg.ty)
            smaller = Let(unread, arg, smaller, span=arg.span, ty=smaller.ty)
    return smaller


def _until(args: tuple[Expr, ...]) -> Callable[[Expr], tuple[Expr, ...]]:
    """Walk a decomposition but not the arguments it was given: those are done already."""
    from_outside = {id(arg) for arg in args}

    def edges(expr: Expr) -> tuple[Expr, ...]:
        return () if id(expr) in from_outside else children(expr)

    return edges


def _spanned(new: Expr, old: Call, args: tuple[Expr, ...]) -> Expr:
    """Keep the place in the source with what replaces a call: where a part stops, the call does."""

    def placed(expr: Expr) -> Expr:
        is_placed = not isinstance(expr, Call) or expr.span is not None
        return expr if is_placed else replace(expr, span=old.span)

    return rewrite(new, placed, edges=_until(args))
