"""The flow of values through a function: which operators and calls read the results of operators.

Values flow through variables, branches, tuples, data, references, and functions that are values.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias, cast

from relay.ir.expr import (
    Call,
    Constructor,
    Expr,
    Function,
    GlobalVar,
    If,
    Let,
    Operator,
    Tuple,
    TupleGetItem,
    Var,
)
from relay.ir.match_patterns import (
    Match,
    Pattern,
    PatternConstructor,
    PatternTuple,
    PatternVar,
)
from relay.ir.reference_cells import RefCreate, RefRead, RefWrite

Field: TypeAlias = int | tuple[str, int]
"""A place of a part: the index in a tuple, or a constructor's name and the index of its field."""

Flow: TypeAlias = tuple[Expr, tuple[Field, ...]]
"""A possible content of a value: a result, function or reference, and the fields that lead to it.

Without fields, the value is the result itself or a part of it.
"""

_DEEPEST = 6
"""The number of nested fields that are distinguished; recursive data has parts at every depth."""


_MOST = 20_000
"""The number of flows that are followed, and twenty more for each node: a fraction of a second.

Thousands of results that thousands of nested branches return have millions of flows.
"""


class ValueFlow:
    """The flow of the results of operators to the calls that read them, and to the callers.

    `order` are the nodes of a function, children before parents; `users` has the nodes that have
    each node as a child. Calls of operators, functions, references, and what is unknown are
    sources. The possible contents of an expression are propagated to its users until nothing is
    new:

    1. Operators, and unknown functions such as global ones, kernels and parameters, read their
       arguments. An unknown function also reads the results of functions in its arguments.
    2. A known function binds arguments to parameters; its result is that of the call.
    3. All references that one node creates have the same content.
    4. Fields of tuples and data are distinguished, down to a limited depth.
    5. The callers of the function read its result, and references that they pass to it.

    `is_complete` is False if there are too many flows: some readers are unknown then.
    """

    def __init__(self, order: Sequence[Expr], users: Mapping[Expr, Sequence[Expr]]) -> None:
        self._users = users
        self._held: dict[Expr, set[Flow]] = {}
        self._copies: dict[Expr, dict[Expr, None]] = {}
        self._contents: dict[Expr, Var] = {}
        self._sinks: dict[Var, Call] = {}
        self._readers: dict[Expr, dict[Call, None]] = {}
        self._pending: list[tuple[Expr, Flow]] = []
        (*inner, last) = order
        root = cast("Function", last)
        self._caller = Call(root, root.params)
        self._let_read(self._caller, root.body)
        for expr in (*filter(_is_source, inner), *root.params):
            self._add(expr, (expr, ()))
        self._propagate(_MOST + 20 * len(order))
        self.is_complete = not self._pending

    def readers(self, source: Expr) -> Sequence[Call]:
        """Return the calls in the function that read the result of an operator, or a part of it."""
        return [each for each in self._readers.get(source, ()) if each is not self._caller]

    def is_returned(self, source: Expr) -> bool:
        """Whether callers of the function get the result of an operator, or a part of it."""
        return self._caller in self._readers.get(source, ())

    def _add(self, expr: Expr, flow: Flow) -> None:
        known = self._held.setdefault(expr, set())
        if flow not in known:
            known.add(flow)
            self._pending.append((expr, flow))

    def _copy(self, origin: Expr, target: Expr) -> None:
        """Let `target` hold what `origin` holds, now and later."""
        copies = self._copies.setdefault(origin, {})
        if target not in copies:
            copies[target] = None
            for flow in tuple(self._held.get(origin, ())):
                self._add(target, flow)

    def _propagate(self, most: int) -> None:
        """Follow at most so many flows."""
        while self._pending and most > 0:
            most -= 1
            expr, flow = self._pending.pop()
            if isinstance(expr, Var) and expr in self._sinks:
                self._read(self._sinks[expr], flow)
            for target in self._copies.get(expr, ()):
                self._add(target, flow)
            for user in self._users.get(expr, ()):
                for target, held in self._through(user, expr, flow):
                    self._add(target, held)

    def _through(self, user: Expr, expr: Expr, flow: Flow) -> Iterable[tuple[Expr, Flow]]:
        """Return what holds a flow because `user` has `expr`, which holds it, as a child."""
        match user:
            case Call():
                return self._through_call(user, expr, flow)
            case Let(var, value, body):
                return [(each, flow) for each, part in ((var, value), (user, body)) if part is expr]
            case If(_, then, other):
                return [(user, flow)] if expr is then or expr is other else []
            case Tuple(fields):
                return [(user, _inside(i, flow)) for i, part in enumerate(fields) if part is expr]
            case TupleGetItem(_, index):
                return [(user, part) for part in _outside(index, flow)]
            case Match(data, clauses):
                bodies = [(user, flow) for each in clauses if each.body is expr]
                bound = [way for each in clauses for way in _bound(each.pattern, flow)]
                return [*bodies, *bound] if expr is data else bodies
            case _:
                self._through_cell(user, expr, flow[0])
                return []

    def _through_cell(self, user: Expr, expr: Expr, source: Expr) -> None:
        match user:
            case RefCreate():
                self._copy(expr, self._content(user))
            case RefRead():
                self._copy(self._content(source), user)
            case RefWrite(ref, value) if ref is expr:
                self._copy(value, self._content(source))
            case _:
                pass

    def _through_call(self, call: Call, expr: Expr, flow: Flow) -> list[tuple[Expr, Flow]]:
        match call.op:
            case Operator():
                if expr is not call.op:
                    self._read(call, flow)
            case Constructor(name):
                at = [i for i, arg in enumerate(call.args) if arg is expr]
                return [(call, _inside((name, i), flow)) for i in at]
            case op if op is expr:
                self._enter(call, flow[0])
            case _:
                pass
        return []

    def _enter(self, call: Call, callee: Expr) -> None:
        """Bind the arguments of a call to the parameters of a known function, or read them."""
        if isinstance(callee, Function) and not callee.is_primitive:
            for param, arg in zip(callee.params, call.args, strict=False):
                self._copy(arg, param)
            self._copy(callee.body, call)
            return
        self._add(call, (call, ()))
        for arg in call.args:
            self._let_read(call, arg)

    def _content(self, cell: Expr) -> Var:
        if cell not in self._contents:
            self._contents[cell] = Var("content")
            if not isinstance(cell, RefCreate):  # an unknown reference
                self._add(self._contents[cell], (cell, ()))
                self._let_read(self._caller, self._contents[cell])
        return self._contents[cell]

    def _let_read(self, call: Call, held: Expr) -> None:
        """Let a call read the contents of an expression, now and later."""
        sink = Var("read")
        self._sinks[sink] = call
        self._copy(held, sink)

    def _read(self, call: Call, flow: Flow) -> None:
        """Note that a call reads a source, directly or by calling or reading it."""
        (source, _) = flow
        known = self._readers.setdefault(source, {})
        if call in known:
            return
        known[call] = None
        match source:
            case Function(params, body) if not source.is_primitive:
                self._let_read(call, body)
                for param in params:
                    self._add(param, (param, ()))
            case RefCreate():
                self._let_read(call, self._content(source))
            case _:
                pass


def _is_source(expr: Expr) -> bool:
    """Whether the value of an expression is a result of an operator, or comes from elsewhere."""
    match expr:
        case Call(op):
            return isinstance(op, Operator)
        case _:
            return isinstance(expr, Function | RefCreate | GlobalVar | Constructor | Operator)


def _inside(place: Field, flow: Flow) -> Flow:
    """Return the flow of a value that holds `flow` at a place."""
    source, path = flow
    return source, (place, *path)[:_DEEPEST]


def _outside(place: Field, flow: Flow) -> list[Flow]:
    """Return the flow of the part of a value at a place, if that part holds something."""
    source, path = flow
    if not path:
        return [flow]
    return [(source, path[1:])] if path[0] == place else []


def _bound(pattern: Pattern, flow: Flow) -> Iterator[tuple[Expr, Flow]]:
    """Yield the variables of a pattern that hold a flow because the matched value does."""
    match pattern:
        case PatternVar(var):
            yield var, flow
        case PatternConstructor(constructor, patterns):
            for index, part in enumerate(patterns):
                for held in _outside((constructor.name, index), flow):
                    yield from _bound(part, held)
        case PatternTuple(patterns):
            for index, part in enumerate(patterns):
                for held in _outside(index, flow):
                    yield from _bound(part, held)
        case _:
            pass
