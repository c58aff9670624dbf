"""Effects and traps of expressions, which limit how passes move and drop them.

Traps are imprecise (docs/decisions/0008-imprecise-traps.md): a program that traps reports one of
its traps. An expression that may trap may be dropped if its value is unused, and may be reordered,
but it is never speculated: it must not be evaluated where the program would not have evaluated it.
Effects are kept, in order.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

from relay.ir.analysis.dims_in_scope import binds_new_dims
from relay.ir.constructor_field_types import field_types
from relay.ir.dims import ANY, Dim, is_natural
from relay.ir.expr import Call, Constructor, Expr, Function, GlobalVar, Let, Operator, Var
from relay.ir.match_patterns import Match, Pattern, PatternConstructor, PatternTuple, PatternVar
from relay.ir.reference_cells import RefCreate, RefRead, RefWrite
from relay.ir.types import TensorType, TupleType, Type, TypeCall, dimensions, is_dynamic
from relay.ir.walk import Edges, children, post_order
from relay.opdef.definition import OperatorDef
from relay.transform.name_unknown_sizes import fresh_names, with_names


class EffectSummary:
    """The set of functions whose calls have no effect, among given functions and those inside.

    A call has no effect if neither the body of the callee nor the functions that it calls have one.
    Such a call may still trap or diverge. Calls of functions that are passed as values, and of
    global functions outside the given ones, count as effects.
    """

    def __init__(self, functions: Mapping[str, Function]) -> None:
        self._named: dict[Expr | str, Function] = {**functions}
        callers = defaultdict[Function, list[Function]](list)
        effectful: list[Function] = []
        for literal in self._literals(functions.values()):
            callees, has_own = self._calls(literal)
            for callee in callees:
                callers[callee].append(literal)
            if has_own:
                effectful.append(literal)
        self._effectful = _closure(effectful, callers)

    def is_pure(self, callee: Expr) -> bool:
        """Whether a call of that expression is known to have no effect."""
        function = self._callee(callee)
        return function is not None and function not in self._effectful

    def _literals(self, functions: Iterable[Function]) -> list[Function]:
        """Return all function literals in `functions`, and record the variables bound to them.

        The literals that lets bind to variables are also recorded in `_named`.
        """
        nodes = dict.fromkeys(expr for root in functions for expr in post_order(root))
        for expr in nodes:
            if isinstance(expr, Let) and isinstance(expr.value, Function):
                self._named[expr.var] = expr.value
        return [expr for expr in nodes if isinstance(expr, Function)]

    def _calls(self, literal: Function) -> tuple[list[Function], bool]:
        """Return the functions that a literal's body calls, and whether it has other effects."""
        callees, has_own = list[Function](), False
        for expr in post_order(literal.body, edges=lambda e: _evaluated(e, children)):
            callee = self._callee(expr.op) if isinstance(expr, Call) else None
            if callee is not None:
                callees.append(callee)
            elif has_effect(expr):
                has_own = True
        return callees, has_own

    def _callee(self, callee: Expr | Operator) -> Function | None:
        match callee:
            case Function():
                return callee
            case GlobalVar(name):
                return self._named.get(name)
            case Var():
                return self._named.get(callee)
            case _:
                return None


def _closure(start: Iterable[Function], edges: Mapping[Function, list[Function]]) -> set[Function]:
    """Return the functions that are reachable from the functions `start` along `edges`."""
    found, pending = set[Function](), list(start)
    while pending:
        top = pending.pop()
        if top not in found:
            found.add(top)
            pending += edges.get(top, ())
    return found


def effectful_nodes(
    root: Expr, edges: Edges = children, summary: EffectSummary | None = None
) -> set[Expr]:
    """Return the nodes whose evaluation has, or observes, an effect: each is one of the following.

    1. It creates, reads or writes a reference, or calls an operator that is declared stateful.
    2. It calls a function that is not pure according to the `summary`.
    3. It is a match without clauses: the failure of an assertion, which is always reported.
    4. It evaluates such a node; building a closure evaluates nothing.
    """
    return _reaching(root, lambda expr: has_effect(expr, summary), edges)


def unspeculatable_nodes(root: Expr, edges: Edges = children) -> set[Expr]:
    """Return the nodes that have effects or may trap, or that evaluate such a node.

    They must not be speculated, that is, evaluated where the program might not evaluate them.
    `edges` yields the nodes that the evaluation of a node evaluates.
    """
    return _reaching(root, lambda expr: has_effect(expr) or may_trap(expr), edges)


def _reaching(root: Expr, holds: Callable[[Expr], bool], edges: Edges) -> set[Expr]:
    found: set[Expr] = set()
    for expr in post_order(root, edges=edges):
        if holds(expr) or not found.isdisjoint(_evaluated(expr, edges)):
            found.add(expr)
    return found


def _evaluated(expr: Expr, edges: Edges) -> Sequence[Expr]:
    return () if isinstance(expr, Function) else edges(expr)


class Effectful:
    """The set of effectful nodes of programs under construction; each node is visited once.

    >>> from relay.ir.expr import Tuple
    >>> Tuple(()) in Effectful()
    False
    """

    def __init__(self, holds: Callable[[Expr], bool] | None = None) -> None:
        self._holds = holds or has_effect
        self._without: set[Expr] = set()
        self._found: set[Expr] = set()

    def __contains__(self, expr: Expr) -> bool:
        if expr not in self._without and expr not in self._found:
            for each in post_order(expr, edges=self._unseen):
                inner = _evaluated(each, children)
                found = self._holds(each) or not self._found.isdisjoint(inner)
                (self._found if found else self._without).add(each)
        return expr in self._found

    def _unseen(self, expr: Expr) -> Sequence[Expr]:
        return () if expr in self._without or expr in self._found else children(expr)


class Unspeculatable(Effectful):
    """The set of nodes that have effects or may trap, in programs under construction."""

    def __init__(self) -> None:
        super().__init__(lambda expr: has_effect(expr) or may_trap(expr))


def has_effect(expr: Expr, summary: EffectSummary | None = None) -> bool:
    """Whether a node itself has or observes an effect, or calls a function that may have one."""
    match expr:
        case RefCreate() | RefRead() | RefWrite():
            return True
        case Match(clauses=clauses):
            return not clauses
        case Call(OperatorDef() as op):
            return op.stateful
        case Call(op):
            is_kernel = isinstance(op, Function) and op.is_primitive
            is_pure = summary is not None and summary.is_pure(op)
            return not (is_kernel or is_pure or isinstance(op, Constructor | Operator))
        case _:
            return False


def may_trap(expr: Expr) -> bool:
    """Whether a node itself may trap (stop with an error at run time), regardless of its operands.

    One of these cases must hold:

    1. It calls an operator or a kernel that is undefined for some elements, or for some sizes;
       constant elements are known, such as the index in `x[0]`.
    2. It is a match that may not be exhaustive, or may assert sizes that the data does not have.
    3. It is a let that asserts a size through a dimension in its variable's type.
    """
    match expr:
        case Call(OperatorDef() as op):
            return op.may_trap_on(expr.args) or sizes_may_trap(expr, op)
        case Call(Function() as kernel) if kernel.is_primitive:
            return any(map(may_trap, post_order(kernel.body)))
        case Match(data, clauses, complete):
            return not complete or any(_tests_sizes(each.pattern, data.type) for each in clauses)
        case Let():
            return binds_new_dims(expr)
        case _:
            return False


def elements_may_trap(expr: Expr) -> bool:
    """Whether an expression is a call of an operator that is undefined for some elements."""
    return isinstance(expr, Call) and isinstance(expr.op, OperatorDef) and expr.op.may_trap


def sizes_may_trap(call: Call, op: OperatorDef) -> bool:
    """Whether a call may trap at run time because sizes that its types leave unknown do not fit.

    This holds if the operator's type rule has a constraint on symbolic or unknown sizes, or if the
    result has a size that may be negative.
    """
    types = tuple(arg.type for arg in call.args)
    if not any(map(is_dynamic, (*types, call.type))):
        return False
    return any(map(_may_be_negative, dimensions(call.type))) or _constrains(op, types)


def _may_be_negative(dim: Dim) -> bool:
    return dim is not ANY and not is_natural(dim)


def _constrains(op: OperatorDef, types: tuple[Type, ...]) -> bool:
    names = fresh_names()
    return bool(op.typing([with_names(ty, names) for ty in types]).constraints)


def _tests_sizes(pattern: Pattern, ty: Type) -> bool:
    """Whether matching a pattern checks sizes that the type of the data leaves unknown."""
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
