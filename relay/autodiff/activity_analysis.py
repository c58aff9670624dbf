"""Activity analysis: finds the values that depend on the differentiated inputs."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence

from relay.autodiff.tangent_types import Tangents
from relay.ir.expr import Call, Expr, Function, GlobalVar, If, Let, Var
from relay.ir.match_patterns import Match
from relay.ir.module import Module
from relay.ir.reference_cells import RefRead, RefWrite
from relay.ir.walk import bound_by, children, free_vars, post_order
from relay.ops.identity_operators import StopGradient, WithDerivativesOf


class Activity:
    """The active expressions and parameters: those that depend on differentiated inputs.

    A function parameter is active if some reachable call passes it an active argument; this is a
    least fixpoint over the module. A value that contains no floats is never active. Every read of a
    cell that holds floats is active, and so is every call that reads such a cell, because the
    analysis does not track which values are written. `cells` are the variables that cells are bound
    to.
    """

    def __init__(
        self,
        module: Module,
        tangents: Tangents,
        entry: str,
        by: Collection[int],
        cells: Collection[Var] = (),
    ) -> None:
        self._module = module
        self._tangents = tangents
        self._effects = _effects(module, cells) if cells else set[Expr]()
        self._varied: set[Expr] = set()
        self._bound_to = _bindings(module)
        self._pending: set[str] = set(module.functions) if cells else set()
        self._mark_params(entry, by)
        while self._pending:
            self._visit(module[self._pending.pop()])

    def __contains__(self, expr: Expr) -> bool:
        return expr in self._varied

    def has_effect(self, expr: Expr) -> bool:
        """Whether the evaluation of an expression creates, reads or writes cells."""
        return expr in self._effects

    def params(self, name: str) -> tuple[Var, ...]:
        """Return the active parameters of a function."""
        return tuple(param for param in self._module[name].params if param in self._varied)

    def inputs(self, region: Expr) -> tuple[Var, ...]:
        """Return the active free variables of an expression."""
        return tuple(var for var in free_vars(region) if var in self._varied)

    def _mark_params(self, name: str, by: Collection[int]) -> None:
        before = len(self._varied)
        for index, param in enumerate(self._module[name].params):
            if index in by:
                self._mark(param)
        if len(self._varied) > before:
            self._pending.add(name)

    def _mark(self, expr: Expr) -> None:
        """Mark an expression, and variables bound to it, as active if it contains floats."""
        stack = [expr]
        while stack:
            top = stack.pop()
            if top not in self._varied and self._tangents.has(top.type):
                self._varied.add(top)
                stack.extend(self._bound_to[top])

    def _visit(self, function: Function) -> None:
        """Mark the active expressions of a function, given its active parameters."""
        for expr in post_order(function):
            is_read = isinstance(expr, RefRead | Call) and expr in self._effects
            if is_read or any(part in self._varied for part in _read(expr)):
                self._mark(expr)
            if isinstance(expr, Call) and isinstance(expr.op, GlobalVar):
                by = {index for index, arg in enumerate(expr.args) if arg in self._varied}
                self._mark_params(expr.op.name, by)


def _effects(module: Module, cells: Collection[Var]) -> set[Expr]:
    """Return the expressions that create, read or write mutable cells, also through calls."""
    found = {let.value for let in _lets(module) if let.var in cells}
    touching: set[str] = set()
    changed = True
    while changed:
        changed = False
        for name, function in module.functions.items():
            for expr in post_order(function.body):
                if _touches(expr, cells, touching) or any(c in found for c in children(expr)):
                    found.add(expr)
            if function.body in found and name not in touching:
                touching.add(name)
                changed = True
    return found


def _touches(expr: Expr, cells: Collection[Var], touching: Collection[str]) -> bool:
    match expr:
        case RefRead(ref) | RefWrite(ref):
            return ref in cells
        case Call(GlobalVar(name)):
            return name in touching
        case _:
            return False


def _lets(module: Module) -> Iterator[Let]:
    for expr in post_order(*module.functions.values()):
        if isinstance(expr, Let):
            yield expr


def _bindings(module: Module) -> dict[Expr, list[Var]]:
    """Return for each expression the variables bound to its value or to parts of it."""
    found: dict[Expr, list[Var]] = defaultdict(list)
    for expr in post_order(*module.functions.values()):
        match expr:
            case Let(var, value):
                found[value].append(var)
            case Match(data, clauses):
                found[data].extend(var for each in clauses for var in bound_by(each.pattern))
            case _:
                pass
    return found


def _read(expr: Expr) -> Sequence[Expr]:
    """Return the children of a node on whose values its own value depends differentiably."""
    match expr:
        case Call(StopGradient()):
            return ()
        case Call(WithDerivativesOf(), (_, formula)):
            return (formula,)
        case Call(_, args):
            return args
        case Let(_, _, body):
            return (body,)
        case If(_, then, other):
            return then, other
        case Match(_, clauses):
            return [clause.body for clause in clauses]
        case Function():
            return ()
        case _:
            return children(expr)
