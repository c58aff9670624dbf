"""Analysis of results that a rounding error may change a lot, because floats become integers.

Such results of two correct versions of a program need not be equal.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias, Union

from relay.ir.expr import (
    Call,
    Constructor,
    Expr,
    Function,
    GlobalVar,
    Let,
    Tuple,
    Var,
)
from relay.ir.match_patterns import Match
from relay.ir.module import Module
from relay.ir.reference_cells import RefWrite
from relay.ir.types import TensorType, TupleType
from relay.ir.walk import bound_by, children, post_order
from relay.opdef.definition import OperatorDef
from relay.support.dtype import Kind

INTEGERS = (Kind.INT, Kind.UINT)
_EXACT = (*INTEGERS, Kind.BOOL)

Rounded: TypeAlias = Union[bool, "tuple[Rounded, ...]"]
"""Whether a value depends on a rounding, or the answers for the fields of a tuple."""


def rounds_to_integers(module: Module) -> bool:
    """Whether an operator of a module makes integers of floats, as casts and quantisation do."""
    return any(map(_rounds, post_order(*module.functions.values())))


def rounded_results(module: Module, name: str = "main") -> Rounded:
    """Return which results of a function may depend on floats that are rounded to integers.

    The analysis follows the values of variables and the arguments of calls. Any argument of a call
    whose function is not known may be that of any parameter; and in a program that writes to
    references and rounds, every result depends on a rounding.
    """
    nodes = post_order(*module.functions.values())
    roundings = [each for each in nodes if _rounds(each)]
    if not roundings or any(isinstance(each, RefWrite) for each in nodes):
        return bool(roundings)
    origins = _Origins(module, nodes)
    readers: dict[Expr, list[Expr]] = {}
    for each in nodes:
        for part in origins.of(each):
            readers.setdefault(part, []).append(each)
    reached, waiting = set(roundings), roundings
    while waiting:
        new = [each for each in readers.get(waiting.pop(), ()) if each not in reached]
        reached.update(new)
        waiting += new
    return origins.fields(module[name].body, reached)


class _Origins:
    """The expressions from which values come: those of variables, and results of functions."""

    def __init__(self, module: Module, nodes: Sequence[Expr]) -> None:
        self._functions: Mapping[str, Function] = module.functions
        self._values = {e.var: e.value for e in nodes if isinstance(e, Let)}
        self._found: dict[Expr, list[Expr]] = {var: [e] for var, e in self._values.items()}
        self._anywhere: list[Expr] = []  # the arguments of functions that are not known
        for each in nodes:
            self._note(each)
        self._params = {p for e in nodes if isinstance(e, Function) for p in e.params}

    def of(self, expr: Expr) -> Sequence[Expr]:
        """Return the expressions that directly determine the value of `expr`."""
        match expr:
            case Let(body=body) | Function(body=body):
                return (body,)
            case Var() if expr in self._params:
                return [*self._found.get(expr, ()), *self._anywhere]
            case Var():
                return self._found.get(expr, ())
            case GlobalVar(name):
                return (self._functions[name],)
            case _:
                return children(expr)

    def fields(self, expr: Expr, reached: set[Expr]) -> Rounded:
        """Return which fields of a value are among the nodes that a rounding reaches."""
        while expr in reached:
            match expr:
                case Let(body=body) | Call(op=Function(body=body)):
                    expr = body
                case Var() if expr in self._values:
                    expr = self._values[expr]
                case Tuple(fields):
                    return tuple(self.fields(each, reached) for each in fields)
                case _:
                    return True
        return False

    def _note(self, expr: Expr) -> None:
        match expr:
            case Match(data, clauses):
                for clause in clauses:
                    for var in bound_by(clause.pattern):
                        self._found.setdefault(var, []).append(data)
            case Call(op, args) if not isinstance(op, OperatorDef | Constructor):
                function = self._called(op)
                if function is None:
                    self._anywhere += args
                else:
                    for param, arg in zip(function.params, args, strict=False):
                        self._found.setdefault(param, []).append(arg)
            case _:
                pass

    def _called(self, op: Expr) -> Function | None:
        """Return the function that a call calls, if it is known."""
        if isinstance(op, GlobalVar):
            return self._functions[op.name]
        value = self._values.get(op, op) if isinstance(op, Var) else op
        return value if isinstance(value, Function) else None


def _rounds(expr: Expr) -> bool:
    return (
        isinstance(expr, Call)
        and isinstance(expr.op, OperatorDef)
        and any(kind in INTEGERS for kind in _kinds(expr))
        and any(kind not in _EXACT for arg in expr.args for kind in _kinds(arg))
    )


def _kinds(expr: Expr) -> Iterator[Kind]:
    """Yield the kinds of elements of a tensor, or of the tensors of a tuple."""
    types = [expr.type]
    while types:
        match types.pop():
            case TensorType(dtype=element):
                yield element.kind
            case TupleType(fields=fields):
                types += fields
            case _:
                pass
