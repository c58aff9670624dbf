"""Which variables may share their memory by Python's rules, on some path at least.

In Relay values do not change, so writing to an array in place is right only where nobody else
sees it. A value leads back to those of which it may be a part, or which it may hold; two values
that lead to one array may share it, and then neither is written to.

An array that is made in each round of a loop is another one in each. A variable that leads to it by
way of the loop's variables, which are from before the round, has none that was made in the round.
"""

from collections.abc import Iterable, Mapping
from itertools import takewhile

from relay.frontend.python.errors import mistake
from relay.frontend.python.values import Group, Local, Value
from relay.ir.expr import (
    Call,
    Constant,
    Constructor,
    Expr,
    GlobalVar,
    If,
    Let,
    Tuple,
    TupleGetItem,
    Var,
)
from relay.ir.patterns import Match
from relay.ir.types import TensorType, TupleType
from relay.ir.walk import bound_by
from relay.opdef.definition import OperatorDef
from relay.ops.broadcasting import BroadcastTo
from relay.ops.tensor.einsum import Einsum, parse
from relay.ops.tensor.gather import Take
from relay.ops.tensor.join import Split
from relay.ops.tensor.reshape import Reshaping
from relay.ops.tensor.run_time_slice import DynamicStridedSlice
from relay.ops.tensor.slice import StridedSlice
from relay.ops.tensor.transpose import Reverse, Transpose
from relay.support.node import node
from relay.support.span import Span

_VIEWS = (
    *(Take, StridedSlice, DynamicStridedSlice, Split),
    *(Reshaping, Transpose, Reverse, BroadcastTo),
)
"""What gives NumPy's arrays a second name for the same memory."""

Path = tuple[int, ...]
Place = tuple[Expr, Path]
Rounds = tuple[Var, ...]
"""The loops around a place, by their functions, the outermost first."""

Aged = tuple[Expr, Path, int]
"""A place, and by way of which loop around the variables of one lead there: the outermost one."""


@node
class Write:
    """A variable that is written to in place, and what the others hold there."""

    name: str
    value: Value
    others: Mapping[str, Value]
    span: Span
    rounds: Rounds


class Memory:
    """What values may be parts of, as far as a program is translated."""

    def __init__(self) -> None:
        self.owners: dict[Expr, str] = {}  # who else has an array, in words
        self.makers: set[Var | str] = set()  # functions whose results are surely new
        self.field_makers: set[Var | str] = set()  # those that return tuples of what is new
        self._heads: dict[Expr, Var] = {}  # variables of loops, and of which
        self._born: dict[Expr, Rounds] = {}  # what is new each time, and in the rounds of what
        self._sources: dict[Expr, list[Expr]] = {}
        self._results: dict[Expr, list[Expr]] = {}  # what loops may end with
        self._writes: list[Write] = []

    def note(self, variable: Expr, *values: Value) -> None:
        """Remember what a variable may be."""
        found = [each for value in values for each in _exprs(value)]
        self._sources.setdefault(variable, []).extend(x for x in found if x is not variable)

    def note_head(self, variable: Var, loop: Var) -> None:
        """Remember that a variable has in a round of a loop what it had before the round."""
        self._heads[variable] = loop

    def note_new(self, value: Expr, rounds: Rounds) -> None:
        """Remember that an array is another one in each round of the loops around."""
        self._born[value] = rounds if value not in self._born else ()
        self._sources.pop(value, None)

    def sources(self, variable: Expr) -> list[Expr]:
        """Return what a variable may be."""
        return self._sources.get(variable, [])

    def results(self, call: Call) -> list[Expr]:
        """Return what a call may give, if it is that of a loop."""
        return self._results.get(call.op, [])

    def note_result(self, function: Var, value: Expr) -> None:
        """Remember what a call of a loop may give."""
        self._results.setdefault(function, []).append(value)

    def write(
        self, name: str, names: Mapping[str, Value], span: Span, rounds: Rounds | None
    ) -> None:
        """Raise `F116` if others see a change of a variable in place; `check` asks again."""
        value = names.get(name)
        if value is None or not (isinstance(value, Group) or _has_memory(value)):
            return
        others = {n: v for n, v in names.items() if n != name and _holds_memory(v)}
        self._writes.append(Write(name, value, others, span, rounds or ()))
        self._refuse(self._writes[-1])

    def check(self) -> None:
        """Raise `F116` for a write that turns out to be seen, now that all paths are known."""
        for each in self._writes:
            self._refuse(each)
        self._writes.clear()

    def _refuse(self, write: Write) -> None:
        owner, name = self._owner(write), write.name
        if owner is not None:
            advice = f"make a new array: {name} = {name}.copy() before, or {name} = {name} + …"
            listed = isinstance(write.value, Group)
            advice = f"make a new list: {name} = [*{name}, …]" if listed else advice
            what = f"{name} is {owner}, which would change with it"
            raise mistake("F116", what, write.span, advice)

    def _owner(self, write: Write) -> str | None:
        """Return whose memory a value is, besides its own, in words; None if it is alone."""
        if isinstance(write.value, Group):
            others = write.others.items()
            other = next((n for n, v in others if _has_item(v, write.value)), None)
            return None if other is None else f"the list of {other}"
        assert isinstance(write.value, Expr), "lists and arrays are written to"
        own = self.arrays(write.value, write.rounds)
        sure = "" if len(own) == 1 else "perhaps "
        for name, value in write.others.items():
            if not own.isdisjoint(self.arrays(value, write.rounds)):
                return f"{sure}the array of {name}"
        owners = (self.owners[each] for each, _, _ in own if each in self.owners)
        return next((sure + owner for owner in owners), None)

    def arrays(self, value: Value, rounds: Rounds) -> set[Aged]:
        """Return the arrays of which a value may be a part, or which it may hold."""
        stack: list[Aged] = [(each, (), len(rounds)) for each in _exprs(value)]
        seen: set[Aged] = set()
        found: set[Aged] = set()
        while stack:
            at, path, age = stack.pop()
            age = self._passed(at, age, rounds)
            if (at, path, age) in seen or not _has_memory(at):
                continue
            seen.add((at, path, age))
            sources = [each for each in self._before(at, path) if _has_memory(each[0])]
            stack += [(*each, age) for each in sources]
            if not sources or at in self.owners or self._is_open(at):
                since = min(age, _shared(self._born.get(at, ()), rounds))
                found.add((at, path if _is_operator(at) else (), since))
        return {each for each in found if _may_be(each[0], value)}

    def _passed(self, value: Expr, age: int, rounds: Rounds) -> int:
        """Return which loop around has been passed, if a value is a variable of one."""
        loop = self._heads.get(value)
        return min(age, rounds.index(loop)) if loop in rounds else age

    def _is_open(self, value: Expr) -> bool:
        """Whether a value may be new, or one that exists: what a function gives."""
        known = isinstance(value, Call) and value.op in self._results
        return isinstance(value, Call) and not _is_operator(value) and not known

    def _before(self, value: Expr, path: Path) -> list[Place]:
        """Return what a field of a value is, or is made of; nothing for what is new."""
        match value:
            case TupleGetItem(whole, index):
                return [(whole, (index, *path))]
            case Tuple(fields) if path:
                return [(fields[path[0]], path[1:])]
            case Tuple(fields):
                return [(each, ()) for each in fields]
            case If(_, then, other):
                return [(last(then), path), (last(other), path)]
            case Let():
                return [(last(value), path)]
            case Match():
                for clause in value.clauses:
                    self.note_pattern(bound_by(clause.pattern), value.data)
                return [(last(clause.body), path) for clause in value.clauses]
            case Call():
                return self._called(value, path)
            case _:
                return [(each, path) for each in self._sources.get(value, ())]

    def _makers_of(self, call: Call) -> set[Var | str]:
        """Return the functions of which a result of the type of a call is surely new."""
        match call.ty:
            case TensorType():
                return self.makers
            case TupleType(fields) if all(isinstance(each, TensorType) for each in fields):
                return self.field_makers
            case _:
                return set()

    def note_pattern(self, variables: Iterable[Var], subject: Expr) -> None:
        """Remember that variables of a pattern are parts of the value that it meets."""
        for each in variables:
            self._sources[each] = [subject]

    def _called(self, call: Call, path: Path) -> list[Place]:
        """Return what a call may give back."""
        if isinstance(call.op, OperatorDef):
            return [(call.args[0], ())] if _is_view(call) else []
        if call.op in self._results:
            return [(last(each), path) for each in self._results[call.op]]
        name = call.op.name if isinstance(call.op, GlobalVar) else call.op
        if isinstance(name, Var | str) and name in self._makers_of(call):
            return []
        closed = [] if isinstance(call.op, Constructor) else self._sources.get(call.op, [])
        return [(each, ()) for each in (*call.args, *closed)]


def refuse_item(
    memory: Memory, name: str, item: Value, names: Mapping[str, Value], span: Span
) -> None:
    """Raise `F116` if an array of a list, changed in place, is one of another place, too."""
    held = names[name]
    if not isinstance(held, Group) or not _has_memory(item):
        return
    items, inside = list(held.items), f"an item of {name}"
    if item in items:  # else which one it is shows at run time
        items.remove(item)
    memory.write(inside, {**names, name: Group(tuple(items)), inside: item}, span, None)


def _shared(a: Rounds, b: Rounds) -> int:
    """Return how many loops are around both of two places."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] is pair[1], zip(a, b, strict=False)))


def _exprs(value: Value) -> list[Expr]:
    """Return the values that a list holds, or what a function has seen; lists are not deep."""
    match value:
        case Group(items):
            return [each for item in items for each in _exprs(item)]
        case Local(_, _, captured, _):
            return [each for item in captured.values() for each in _exprs(item)]
        case Expr():
            return [value]
        case _:
            return []


def _holds_memory(value: Value) -> bool:
    return isinstance(value, Group) or _has_memory(value)


def _has_memory(value: Value) -> bool:
    """Whether a value is no number: an array, or what may hold one."""
    if not isinstance(value, Expr) or isinstance(value, GlobalVar):
        return False
    return not isinstance(value.ty, TensorType) or bool(value.ty.shape)


def _may_be(array: Expr, value: Value) -> bool:
    """Whether types allow that a value is a part of an array."""
    match value, array.ty:
        case Expr(ty=TensorType(dtype=dtype)), TensorType(dtype=other):
            return dtype is other
        case _:
            return True


def _has_item(value: Value, wanted: Group) -> bool:
    """Whether a value is a list, or has it among its items; lists are not deep."""
    if value is wanted:
        return True
    return isinstance(value, Group) and any(_has_item(item, wanted) for item in value.items)


def is_shown(value: Expr) -> bool:
    """Whether a value shows a part of a variable, without a copy."""
    while isinstance(value, Call) and _is_view(value):
        value = value.args[0]
    return isinstance(value, Var | Constant)


def _is_operator(value: Expr) -> bool:
    return isinstance(value, Call) and isinstance(value.op, OperatorDef)


def _is_view(call: Call) -> bool:
    """Whether NumPy gives the same memory; rows that a vector of indices chooses are copied."""
    if isinstance(call.op, Take) and call.args[1].tensor_type.rank:
        return False
    if isinstance(call.op, Einsum):  # NumPy gives a view where it has nothing to compute
        given = call.args[0].ty
        parts = given.fields if isinstance(given, TupleType) else ()
        ranks = [each.rank for each in parts if isinstance(each, TensorType)]
        return len(ranks) == 1 and not parse(call.op.equation, ranks).summed
    return isinstance(call.op, _VIEWS)


def last(value: Expr) -> Expr:
    """Return what bindings lead to."""
    while isinstance(value, Let):
        value = value.body
    return value
