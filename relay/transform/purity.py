"""Which expressions have effects, so that their number and order of evaluation matters."""

from relay.ir.expr import (
    Call,
    Constructor,
    Expr,
    Function,
    Operator,
)
from relay.ir.patterns import Match
from relay.ir.references import RefCreate, RefRead, RefWrite
from relay.ir.walk import children, post_order
from relay.opdef.definition import OperatorDef


def impure_nodes(root: Expr) -> set[Expr]:
    """Return the nodes whose evaluation may have, or may see, an effect.

    1. Reading, writing and creating references, and operators that declare themselves stateful.
    2. Calls of anything but operators and constructors: the callee's body is not known here.
    3. A match that need not fit: where it does not, the program stops.
    4. Whatever evaluates an impure node; building a closure evaluates nothing.
    """
    impure: set[Expr] = set()
    for expr in post_order(root):
        if is_impure(expr, impure):
            impure.add(expr)
    return impure


def uncertain_nodes(root: Expr) -> set[Expr]:
    """Return the impure nodes, and those whose evaluation may stop the program.

    They are not to be evaluated where it is not certain that they are needed.
    """
    found: set[Expr] = set()
    for expr in post_order(root):
        if may_stop(expr) or is_impure(expr, found):
            found.add(expr)
    return found


def may_stop(expr: Expr) -> bool:
    """Whether an expression is a call of an operator that has no value for some arguments."""
    return isinstance(expr, Call) and isinstance(expr.op, OperatorDef) and expr.op.may_stop


def is_impure(expr: Expr, known: set[Expr]) -> bool:
    """Whether a node is impure, given those below it that are."""
    inner = () if isinstance(expr, Function) else children(expr)
    return _is_effect(expr) or any(child in known for child in inner)


def _is_effect(expr: Expr) -> bool:
    match expr:
        case RefCreate() | RefRead() | RefWrite():
            return True
        case Match(complete=complete):
            return not complete
        case Call(OperatorDef() as op):
            return op.stateful
        case Call(op):
            is_kernel = isinstance(op, Function) and op.is_primitive
            return not (is_kernel or isinstance(op, Constructor | Operator))
        case _:
            return False
