"""What functions inside of a function have read of it, and whether that is still so.

In Python such a function sees a variable as it is when it is called, here as it was when it was
defined. Both agree unless the variable is assigned in between, which `F127` refuses.
"""

from collections.abc import Iterator, Mapping

from relay.frontend.python.data import DataTypes
from relay.frontend.python.origins import Origins, last
from relay.frontend.python.values import Group, Local, Template, Value
from relay.ir.expr import Call, Expr, If, Let, Tuple, TupleGetItem
from relay.ir.patterns import Match
from relay.ir.types import FuncType, Type, TypeCall, children

Captured = Mapping[str, Value]


class Closures:
    """The functions that have become values of a program, and what each of them has read."""

    def __init__(self, memory: Origins, data: DataTypes) -> None:
        self._memory = memory
        self._data = data
        self._captured: dict[Expr, Captured] = {}
        self._holding: dict[Type, bool] = {}

    def note(self, function: Expr, captured: Captured) -> None:
        """Remember what a function read where it was defined."""
        self._captured[function] = captured

    def outdated(self, value: Value, names: Mapping[str, Value]) -> str | None:
        """Return a variable that some function which a value is, or holds, read before a change."""
        for captured in self._functions(value):
            for each, then in captured.items():
                if names.get(each, then) is not then:
                    return each
        return None

    def _functions(self, value: Value) -> Iterator[Captured]:
        """Yield what has been read by each function that may be in a value; lists are not deep."""
        match value:
            case Group(items):
                for item in items:
                    yield from self._functions(item)
            case Template(captured=captured) | Local(captured=captured):
                yield captured
            case Expr():
                yield from self._computed(value)
            case _:
                pass

    def _computed(self, value: Expr) -> Iterator[Captured]:
        stack, seen = [value], set[Expr]()
        while stack:
            at = stack.pop()
            if at in seen or not self._holds_functions(at.ty):
                continue
            seen.add(at)
            if at in self._captured:
                yield self._captured[at]
            stack += self._before(at)

    def _before(self, value: Expr) -> list[Expr]:
        """Return what a value may be, or be made of."""
        match value:
            case Tuple(fields):
                return list(fields)
            case TupleGetItem(whole):
                return [whole]
            case If(_, then, other):
                return [last(then), last(other)]
            case Let():
                return [last(value)]
            case Match():
                return [value.data, *(last(clause.body) for clause in value.clauses)]
            case Call(op, args):
                return [*args, op, *map(last, self._memory.results(value))]
            case _:
                return self._memory.sources(value)

    def _holds_functions(self, ty: Type | None) -> bool:
        """Whether there may be a function in values of a type; types are not deep."""
        if ty is None or isinstance(ty, FuncType):
            return True
        if ty not in self._holding:
            self._holding[ty] = False  # until a field says otherwise: a type may hold itself
            fields = children(ty)
            if isinstance(ty, TypeCall):
                forms = self._data.alternatives(ty.head)
                fields = (*fields, *(each for form in forms for each in form.inputs))
            self._holding[ty] = any(map(self._holds_functions, fields))
        return self._holding[ty]
