"""Which expressions have effects, so that their number and order of evaluation matters."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from relay.ir.dims import ANY
from relay.ir.expr import (
    Call,
    Constructor,
    Expr,
    Function,
    Operator,
    Var,
)
from relay.ir.fields import field_types
from relay.ir.patterns import Match, Pattern, PatternConstructor, PatternTuple, PatternVar
from relay.ir.references import RefCreate, RefRead, RefWrite
from relay.ir.types import TensorType, TupleType, Type, TypeCall
from relay.ir.walk import Edges, children, post_order
from relay.opdef.definition import OperatorDef
from relay.transform.reasons import reason


def impure_nodes(root: Expr) -> set[Expr]:
    """Return the nodes whose evaluation may have, or may see, an effect.

    1. Reading, writing and creating references, and operators that declare themselves stateful.
    2. Calls of anything but operators and constructors: the callee's body is not known here.
    3. A match that need not fit, or that binds values of sizes which those in data may not have:
       where they do not, the program stops.
    4. Whatever evaluates an impure node; building a closure evaluates nothing.
    """
    impure: set[Expr] = set()
    for expr in post_order(root):
        if is_impure(expr, impure):
            impure.add(expr)
    return impure


def uncertain_nodes(root: Expr, edges: Edges = children) -> set[Expr]:
    """Return the impure nodes, and those whose evaluation may stop the program.

    They are not to be evaluated where it is not certain that they are needed. `edges` gives what
    the evaluation of a node evaluates.
    """
    found: set[Expr] = set()
    for expr in post_order(root, edges=edges):
        if reason(expr) or is_impure(expr, found, edges):
            found.add(expr)
    return found


class Uncertain:
    """The uncertain nodes of programs that are being written: looks at each node once.

    >>> from relay.ir.expr import Tuple
    >>> Tuple(()) in Uncertain()
    False
    """

    def __init__(self) -> None:
        self._certain: set[Expr] = set()
        self._found: set[Expr] = set()

    def __contains__(self, expr: Expr) -> bool:
        if expr not in self._certain and expr not in self._found:
            for each in post_order(expr, edges=self._not_seen):
                stops = each in self._found or reason(each) or is_impure(each, self._found)
                (self._found if stops else self._certain).add(each)
        return expr in self._found

    def _not_seen(self, expr: Expr) -> Sequence[Expr]:
        return () if expr in self._certain or expr in self._found else children(expr)


def may_stop(expr: Expr) -> bool:
    """Whether an expression is a call of an operator that has no value for some elements."""
    return isinstance(expr, Call) and isinstance(expr.op, OperatorDef) and expr.op.may_stop


def is_impure(expr: Expr, known: AbstractSet[Expr], edges: Edges = children) -> bool:
    """Whether a node is impure, given those below it that are."""
    inner = () if isinstance(expr, Function) else edges(expr)
    return is_effect(expr) or any(child in known for child in inner)


def is_effect(expr: Expr) -> bool:
    """Whether a node has, or may see, an effect of its own, or calls what may."""
    match expr:
        case RefCreate() | RefRead() | RefWrite():
            return True
        case Match(data, clauses, complete):
            tests = (_tests_sizes(clause.pattern, data.type) for clause in clauses)
            return not complete or any(tests)
        case Call(OperatorDef() as op):
            return op.stateful
        case Call(op):
            is_kernel = isinstance(op, Function) and op.is_primitive
            return not (is_kernel or isinstance(op, Constructor | Operator))
        case _:
            return False


def _tests_sizes(pattern: Pattern, ty: Type) -> bool:
    """Whether a pattern binds tensors of sizes that the type of what it matches does not say."""
    stack: list[tuple[Pattern, Type]] = [(pattern, ty)]
    while stack:
        match stack.pop():
            case PatternVar(var), TensorType(known):
                wanted = var.type.shape if isinstance(var.type, TensorType) else known
                if any(d is not ANY and d is not k for d, k in zip(wanted, known, strict=True)):
                    return True
            case PatternVar(Var(ty=TupleType(wanted))), TupleType(known):
                stack += ((PatternVar(Var("", a)), b) for a, b in zip(wanted, known, strict=True))
            case PatternTuple(patterns), TupleType(fields):
                stack += zip(patterns, fields, strict=True)
            case PatternConstructor(constructor, patterns), TypeCall() as data:
                stack += zip(patterns, field_types(constructor, data), strict=False)
            case _:
                pass
    return False
