"""Names and what they stand for, and the bindings that a stretch of statements makes."""

import ast
from collections.abc import Callable, Mapping
from types import FunctionType

from relay.frontend.python.analysis import variables
from relay.frontend.python.errors import Code
from relay.frontend.python.liveness import Liveness
from relay.frontend.python.sharing import Memory
from relay.frontend.python.values import Group, Late, Series, Value
from relay.ir.comparison import as_open, holds_functions
from relay.ir.dims import DimVar
from relay.ir.expr import Call, Constant, Expr, Function, GlobalVar, Let, Var
from relay.ir.types import Type
from relay.support.node import node, replace
from relay.support.span import Span


@node
class Flow:
    """Where control goes from here: what `return`, `break` and `continue` become.

    `result` is the type of what is computed here, if it is known: the declared result of the
    function around, or what the variables of a loop are.
    """

    result: Type | None
    leave: "Callable[[Value, Span], Expr]"
    on_break: "Callable[[Scope], Expr] | None" = None
    on_continue: "Callable[[Scope], Expr] | None" = None


class Scope:
    """The variables of a function at one point of it; branches work on copies."""

    def __init__(
        self,
        code: Code,
        outside: Mapping[str, object],
        names: Mapping[str, Value],
        flow: Flow,
        memory: Memory,
    ) -> None:
        self.code = code
        self.outside = outside
        self.names = dict(names)
        self.flow = flow
        self.memory = memory
        self.block = Block(memory)
        self.loose: frozenset[Var] = frozenset()  # loop variables that started as plain numbers
        self.python: FunctionType | None = None  # the function of the module that this is in
        self.function: ast.FunctionDef | None = None  # the definition around, where it is known
        self.liveness: Liveness | None = None  # of this function
        self.statement: ast.stmt | None = None  # the one that is being translated
        self.own: frozenset[str] = frozenset()  # the variables of the functions around
        self.sizes: frozenset[DimVar] = frozenset()  # the names in types of functions around
        self.certain = False  # whether control surely comes here
        self.fresh: frozenset[str] = frozenset()  # what the comprehensions around have bound

    def branch(self, flow: Flow | None = None) -> "Scope":
        """Return a copy with bindings of its own, and another flow if one is given."""
        made = Scope(self.code, self.outside, self.names, flow or self.flow, self.memory)
        made.loose, made.fresh = self.loose, self.fresh
        made.function, made.python, made.own = self.function, self.python, self.own
        made.liveness, made.statement = self.liveness, self.statement
        made.sizes = self.sizes
        return made

    def inside(self, function: ast.FunctionDef, flow: Flow) -> "Scope":
        """Return the scope of the body of a function that is defined here."""
        made = Scope(self.code, self.outside, self.names, flow, self.memory)
        for name, value in self.names.items():
            if isinstance(value, Late) and value.around is None:
                made.names[name] = replace(value, around=self.names)
        made.function, made.python = function, self.python
        made.liveness = Liveness(function)
        made.own, made.sizes = self.own | variables(function), self.sizes
        return made

    def span(self, at: ast.AST) -> Span:
        """Return the place of a part of the syntax."""
        return self.code.span(at)

    def assign(self, name: str, value: Value, span: Span) -> None:
        """Give a variable a value, computed once."""
        if isinstance(value, Expr):
            self.names[name] = self.block.bind(name, value, span)
        elif isinstance(value, Series):
            self.names[name] = Series(self.block.bind(name, value.tensor, span))
        elif isinstance(value, Group):
            held = tuple(self._held(name, each, span) for each in value.items)
            same = all(a is b for a, b in zip(held, value.items, strict=True))
            self.names[name] = value if same else Group(held, value.brackets)
        else:
            self.names[name] = value

    def declare(self, name: str, value: Expr, wanted: Type, span: Span) -> None:
        """Give a variable a value of a type that leaves open what an annotation does: `?`."""
        ty = value.type if holds_functions(value.type) else as_open(value.type, wanted)
        if ty is value.type:
            self.assign(name, value, span)
        else:
            self.names[name] = self.block.hold(Var(name, ty=ty, span=span), value, span)

    def assign_new(self, name: str, value: Value, span: Span) -> None:
        """Give a variable what is new each time that control comes here, if it is an array."""
        self.assign(name, value, span)
        held = self.names[name]
        known = isinstance(held, Constant) and held not in self.memory.owners
        if isinstance(held, Expr) and (known or held is not value):
            self.memory.note_new(held)

    def write(self, name: str, span: Span) -> None:
        """Raise `F116` if others see a change of a variable in place."""
        self.memory.write(name, self.read_later(name), span)

    def is_dead(self, name: str) -> bool:
        """Whether nobody reads a variable behind the statement that is being translated."""
        live, at = self.liveness, self.statement
        return live is not None and at is not None and live.is_dead(name, at)

    def read_later(self, name: str) -> dict[str, Value]:
        """Return a variable, and the others that may still be read."""
        return {n: v for n, v in self.names.items() if n == name or not self.is_dead(n)}

    def _held(self, name: str, item: Value, span: Span) -> Value:
        """Return an item of a list as something that is computed once, like the list."""
        return self.block.bind(name, item, span) if isinstance(item, Call) else item


class Block:
    """The bindings around an expression that is still to come."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._wraps: list[Callable[[Expr], Expr]] = []

    def bind(self, name: str, value: Expr, span: Span) -> Expr:
        """Compute a value here; return the variable that holds it from now on."""
        if isinstance(value, Constant | GlobalVar | Var):
            return value
        return self.hold(Var(name, ty=value.ty, span=span), value, span)

    def hold(self, var: Var, value: Expr, span: Span) -> Var:
        """Compute a value here; return the variable, which holds it from now on."""
        self.define(var, value, span)
        self._memory.note(var, value)
        return var

    def define(self, var: Var, value: Expr, span: Span) -> None:
        """Bind a variable that exists already, such as a function that names itself."""
        self.wrap(lambda rest: Let(var, value, rest, span=span))

    def mark(self) -> int:
        """Return how far the bindings go by now."""
        return len(self._wraps)

    def back_to(self, mark: int) -> None:
        """Forget the bindings since then."""
        del self._wraps[mark:]

    def wrap(self, around: Callable[[Expr], Expr]) -> None:
        """Put something else around what is to come."""
        self._wraps.append(around)

    def finish(self, result: Expr) -> Expr:
        """Return the result inside all bindings."""
        for around in reversed(self._wraps):
            result = around(result)
        return result


def function_of(params: tuple[Var, ...], body: Expr, result: Type | None, span: Span) -> Function:
    """Return a typed function literal."""
    return Function(params, body, result or body.ty, span=span)
