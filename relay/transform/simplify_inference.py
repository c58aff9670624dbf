"""The pass that replaces composite operators by simpler ones; those with a kernel on request."""

from collections.abc import Callable
from typing import cast

from relay.ir.dims import Symbolic
from relay.ir.expr import Call, Expr, Function, Let, Var
from relay.ir.types import TensorType, has_any
from relay.ir.walk import children, post_order, rewrite
from relay.opdef.definition import OperatorDef
from relay.opdef.dim_constraints import Constraint, Relation
from relay.ops.nn.normalization import L2Normalize, Normalisation
from relay.ops.tensor.shape_assertion import Assured, with_size
from relay.support.node import replace, value
from relay.support.span import Span
from relay.transform.effects import Effectful
from relay.transform.pipeline import FunctionPass


@value
class SimplifyInference(FunctionPass):
    """Replace calls of operators that have a decomposition, until none is left.

    1. An operator that has a decomposition and no tensor expression is always replaced.
    2. An operator that has both keeps its own kernel (softmax, layer normalisation).
    3. An argument that has effects is computed even if the decomposition does not need it.
    4. A call with unknown sizes is not decomposed until they are named, because its decomposition
       may need their names.
    5. Constraints of the operator's type rule are checked first, because its parts may need fewer
       of them: dimensions that must be equal then become one.
    6. With `normalisations`, as in TVM, the layer, instance and group normalisations and
       `nn.l2_normalize` are replaced, too.
    """

    normalisations: bool = False

    def run(self, function: Function) -> Function:
        """Decompose the calls of a function, operands first, including those in decompositions."""
        return decomposed(function, lambda _, op: self._replaces(op))

    def _replaces(self, op: OperatorDef) -> bool:
        """Whether the pass decomposes calls of an operator that has a decomposition."""
        is_normalisation = isinstance(op, Normalisation | L2Normalize)
        return needs_decomposition(op) or (self.normalisations and is_normalisation)


def needs_decomposition(op: OperatorDef) -> bool:
    """Whether an operator has a decomposition, and no tensor expression."""
    return op.has("decompose") and not op.has("compute")


def decomposed(function: Function, is_chosen: Callable[[Call, OperatorDef], bool]) -> Function:
    """Return a function in which the calls that `is_chosen` selects are decomposed.

    Operators in a decomposition are decomposed in turn.
    """

    def decompose(expr: Expr) -> Expr:
        match expr:
            case Call(OperatorDef() as op, args) if (
                op.has("decompose")
                and is_chosen(expr, op)
                and not any(has_any(arg.type) for arg in args)
            ):
                return decomposed_call(
                    expr, op, lambda parts, known: rewrite(parts, decompose, edges=_until(known))
                )
            case _:
                return expr

    return cast("Function", rewrite(function, decompose))


def decomposed_call(
    call: Call, op: OperatorDef, change: Callable[[Expr, tuple[Expr, ...]], Expr]
) -> Expr:
    """Return the decomposition of a call of `op`, whose arguments have known sizes.

    `change` replaces the parts of the decomposition, up to the arguments, which it receives, too.
    """
    args = _with_checks(op, call.args, call.span)
    return _keeping(args, change(_spanned(op.decompose(*args), call, args), args))


def _with_checks(op: OperatorDef, args: tuple[Expr, ...], span: Span | None) -> tuple[Expr, ...]:
    """Return the arguments of an operator, one of them with checks of the type rule's constraints.

    Broadcast constraints are left to the parts of the operator, which check them.
    """
    position = next((i for i, arg in enumerate(args) if isinstance(arg.type, TensorType)), None)
    if position is None:
        return args
    for each in op.typing([arg.type for arg in args]).constraints:
        if each.relation is not Relation.BROADCAST:
            is_least = each.relation is Relation.AT_LEAST
            test = Assured(each.left, each.right, is_least, each.message)
            tested = Call(test, (args[position],), span=span)
            args = (*args[:position], tested, *args[position + 1 :])
            if isinstance(each.right, Symbolic) and not is_least:
                args = tuple(_with_dimension(arg, each, span) for arg in args)
    return args


def _with_dimension(arg: Expr, equal: Constraint, span: Span | None) -> Expr:
    """Return an argument whose dimensions equal to `equal.right` are replaced by `equal.left`.

    The equality is checked at run time.
    """
    shape = arg.type.shape if isinstance(arg.type, TensorType) else ()
    for axis, dim in enumerate(shape):
        if dim is equal.right:
            arg = with_size(arg, axis, equal.left, equal.message, span)
    return arg


def _keeping(args: tuple[Expr, ...], smaller: Expr) -> Expr:
    """Return the decomposition `smaller`, preceded by the arguments with effects that it omits."""
    left = set(args).difference(post_order(smaller, edges=_until(args)))
    for arg in args:
        if arg in left and arg in Effectful():
            unread = Var("_", arg.ty, ty=arg.ty)
            smaller = Let(unread, arg, smaller, span=arg.span, ty=smaller.ty)
    return smaller


def _until(args: tuple[Expr, ...]) -> Callable[[Expr], tuple[Expr, ...]]:
    """Return an edge function for a traversal of a decomposition that stops at its arguments."""
    from_outside = set(args)

    def edges(expr: Expr) -> tuple[Expr, ...]:
        return () if expr in from_outside else children(expr)

    return edges


def _spanned(new: Expr, old: Call, args: tuple[Expr, ...]) -> Expr:
    """Return a decomposition whose calls have the source location of the original call `old`."""

    def placed(expr: Expr) -> Expr:
        is_placed = not isinstance(expr, Call) or expr.span is not None
        return expr if is_placed else replace(expr, span=old.span)

    return rewrite(new, placed, edges=_until(args))
