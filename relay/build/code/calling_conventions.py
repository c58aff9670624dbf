"""Calling conventions: whether functions pass all sizes of tensors, or only dynamic ones.

Closures take and return tensors with all sizes, because the caller of a closure knows neither which
function it holds nor which sizes are static there. A function that ends with a tail call of a
closure, and a closure that ends with a tail call of a function, pass on their own result addresses.
Such functions therefore return results in the closure convention too, so that chains of tail calls
of any length need constant stack.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias, cast

from relay.build.code.escaping_functions import escaping
from relay.build.code.register_kinds import kinds_of, passed_kinds
from relay.ir.analysis.tail_positions import tail_values
from relay.ir.expr import Call, Constructor, Expr, Function, GlobalVar, Let, Var
from relay.ir.module import Module
from relay.ir.types import FuncType, Type
from relay.ir.walk import outside_kernels, post_order
from relay.opdef.definition import OperatorDef
from relay.runtime.code.register_kinds import Kind
from relay.support.node import node
from relay.transform.batched_region_records import region_of

Callee: TypeAlias = Function | None
"""A function that is called; None represents all functions that closures hold."""


@node
class CallingConvention:
    """The kinds of registers in which a function takes parameters and returns results.

    `variables` are the parameter variables of a known function; there are none for closures.
    """

    parameters: tuple[Kind, ...]
    results: tuple[Kind, ...]
    variables: tuple[Var, ...] = ()


def closure_convention(ty: FuncType) -> CallingConvention:
    """Return the calling convention of all closures of a type."""
    return CallingConvention(_kinds(passed_kinds, ty.params), passed_kinds(ty.result))


class CallingConventions:
    """The calling conventions of all directly called functions of a module.

    The entry always uses the convention of its type, because it is called from outside.
    """

    def __init__(self, module: Module, entry: str) -> None:
        self._module = module
        self._entry = module[entry]
        self._neighbours: dict[Callee, set[Callee]] = {}
        for function in module.functions.values():
            self._note(function)
        self._like_closures = self._reached()

    def of(self, function: Function) -> CallingConvention:
        """Return the calling convention of a function that is called directly."""
        ty = cast("FuncType", function.type)
        gives = passed_kinds if function in self._like_closures else kinds_of
        return CallingConvention(_kinds(kinds_of, ty.params), gives(ty.result), function.params)

    def _note(self, root: Function) -> None:
        """Record the tail calls of a global function and of all function literals in it."""
        used = escaping(root)
        exprs = post_order(root, edges=outside_kernels)
        known: dict[Expr, Function] = {
            let.var: let.value
            for let in exprs
            if isinstance(let, Let) and isinstance(let.value, Function) and let.var not in used
        }
        named = {root, *known.values()}
        for expr in exprs:
            if isinstance(expr, Function) and not expr.is_primitive:
                ends = self._callees(expr.body, known)
                self._connect(expr if expr in named else None, ends)
            elif isinstance(expr, GlobalVar) and expr in used:
                self._connect(None, [self._module[expr.name]])

    def _callees(self, body: Expr, known: Mapping[Expr, Function]) -> Iterator[Callee]:
        """Yield the callees of a body's tail calls, except regions, whose calls may be deferred."""
        for end in tail_values(body):
            match end:
                case Call(GlobalVar(name)):
                    if region_of(self._module[name]) is None:
                        yield self._module[name]
                case Call(OperatorDef() | Constructor() | Function(is_primitive=True)):
                    pass
                case Call(op):
                    yield known.get(op)
                case _:
                    pass

    def _connect(self, function: Callee, others: Iterable[Callee]) -> None:
        for other in others:
            if self._entry not in (function, other):
                self._neighbours.setdefault(function, set()).add(other)
                self._neighbours.setdefault(other, set()).add(function)

    def _reached(self) -> set[Callee]:
        """Return the functions linked to closures by tail calls, directly or through others."""
        found: set[Callee] = {None}
        stack: list[Callee] = [None]
        while stack:
            new = self._neighbours.get(stack.pop(), set()) - found
            found |= new
            stack.extend(new)
        return found


def _kinds(kinds: Callable[[Type], tuple[Kind, ...]], types: Sequence[Type]) -> tuple[Kind, ...]:
    return tuple(kind for ty in types for kind in kinds(ty))
