"""Where values come from: of which others each may be a part, or which it may hold.

Of variables that get their values together, those of a loop for example, it is known what they are
in one round: one row. Variables have numbers, by when they are bound: what is made later than a
variable was bound is not in it.
"""

from collections.abc import Iterable, Mapping, Sequence

from relay.frontend.python.values import Group, Local, Value
from relay.ir.expr import (
    Call,
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
from relay.ir.types import TensorType, TupleType, Type
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

_VIEWS = (
    *(Take, StridedSlice, DynamicStridedSlice, Split),
    *(Reshaping, Transpose, Reverse, BroadcastTo),
)
"""What gives NumPy's arrays a second name for the same memory."""

Path = tuple[int, ...]
Place = tuple[Expr, Path]
Row = Mapping[Expr, Sequence[Expr]]
"""What variables are together."""


class Origins:
    """What values may be parts of, as far as a program is translated."""

    def __init__(self) -> None:
        self.owners: dict[Expr, str] = {}  # who else has an array, in words
        self.makers: set[Var | str] = set()  # functions whose results are surely new
        self.field_makers: set[Var | str] = set()  # those that return tuples of what is new
        self._numbers: dict[Expr, int] = {}  # of variables, by when they are bound
        self._births: dict[Expr, int] = {}  # of arrays that are new each time; -1 if made twice
        self._sources: dict[Expr, list[Expr]] = {}
        self._given: dict[Expr, list[Expr]] = {}  # what variables are, also those that are new
        self._subjects: dict[Expr, Expr] = {}  # variables of patterns, and what they are parts of
        self._rows: dict[Expr, list[Row]] = {}
        self._results: dict[Expr, list[Expr]] = {}  # what loops may end with
        self.meetings: dict[tuple[str, str], Type] = {}  # of variables, where a path opens sizes

    def introduce(self, variables: Iterable[Expr]) -> None:
        """Remember that variables are bound here."""
        for each in variables:
            self._numbers.setdefault(each, len(self._numbers))

    def note(self, variable: Expr, *values: Value) -> None:
        """Remember what a variable may be."""
        self.introduce([variable])
        found = [each for value in values for each in exprs(value)]
        others = [each for each in found if each is not variable]
        self._sources.setdefault(variable, []).extend(others)
        self._given.setdefault(variable, []).extend(others)

    def note_together(self, variables: Sequence[Expr], values: Sequence[Value]) -> None:
        """Remember what variables may be at once."""
        row = {name: exprs(value) for name, value in zip(variables, values, strict=True)}
        for name, value in zip(variables, values, strict=True):
            self.note(name, value)
            self._rows.setdefault(name, []).append(row)

    def note_new(self, value: Expr) -> None:
        """Remember that an array is another one each time that control comes here."""
        self._births[value] = -1 if value in self._births else len(self._numbers)
        self._sources.pop(value, None)

    def note_result(self, function: Var, value: Expr) -> None:
        """Remember what a call of a loop may give."""
        self._results.setdefault(function, []).append(value)

    def note_pattern(self, variables: Iterable[Var], subject: Expr) -> None:
        """Remember that variables of a pattern are parts of the value that it meets."""
        for each in variables:
            self.introduce([each])
            self._subjects[each] = subject

    def given(self, variable: Expr) -> Sequence[Expr]:
        """Return what a variable may be, whether somebody shares it or not."""
        return self._given.get(variable, ())

    def sources(self, variable: Expr) -> list[Expr]:
        """Return what a variable may be."""
        subject = self._subjects.get(variable)
        return self._sources.get(variable, []) if subject is None else [subject]

    def results(self, call: Call) -> list[Expr]:
        """Return what a call may give, if it is that of a loop."""
        return self._results.get(call.op, [])

    def rows(self, *variables: Expr) -> Sequence[Row] | None:
        """Return what variables are together; None if they do not get their values at once."""
        found = self._rows.get(variables[0], ())
        together = found and all(each in row for row in found for each in variables)
        return found if together else None

    def number(self, value: Expr) -> int | None:
        """Return when a variable is bound; None for what is no variable of a known place."""
        return self._numbers.get(value)

    def is_made_after(self, value: Expr, variable: Expr) -> bool:
        """Whether an array is surely made when a variable is bound already."""
        number = self._numbers.get(variable)
        return number is not None and self._births.get(value, -1) > number

    def is_open(self, value: Expr) -> bool:
        """Whether a value may be new, or one that exists: what a function gives."""
        known = isinstance(value, Call) and value.op in self._results
        opaque = isinstance(value, Call) and not is_operator(value) and not known
        return opaque or value in self.owners

    def before(self, value: Expr, path: Path) -> list[Place]:
        """Return what a field of a value is, or is made of; nothing for what is new."""
        match value:
            case TupleGetItem(whole, index):
                return [(whole, (index, *path))]
            case Tuple(fields) if path:
                return [(fields[path[0]], path[1:])]
            case Tuple(fields):
                return [(each, ()) for each in fields]
            case Call(op) if op not in self._results:
                return self._called(value)
            case _ if value in self._subjects:
                return [(self._subjects[value], ())]
            case _:
                return [(each, path) for each in self.ways(value)]

    def ways(self, value: Expr) -> list[Expr]:
        """Return what a choice, a loop or a variable may be, as a whole."""
        match value:
            case If(_, then, other):
                return [last(then), last(other)]
            case Let():
                return [last(value)]
            case Match():
                for clause in value.clauses:
                    self.note_pattern(bound_by(clause.pattern), value.data)
                return [last(clause.body) for clause in value.clauses]
            case Call(op):
                return [last(each) for each in self._results.get(op, ())]
            case _:
                return self._sources.get(value, [])

    def _called(self, call: Call) -> list[Place]:
        """Return what a call may give back."""
        if isinstance(call.op, OperatorDef):
            return [(call.args[0], ())] if is_view(call) else []
        name = call.op.name if isinstance(call.op, GlobalVar) else call.op
        if isinstance(name, Var | str) and name in self._makers_of(call):
            return []
        closed = [] if isinstance(call.op, Constructor) else self._sources.get(call.op, [])
        return [(each, ()) for each in (*call.args, *closed)]

    def _makers_of(self, call: Call) -> set[Var | str]:
        """Return the functions of which a result of the type of a call is surely new."""
        match call.ty:
            case TensorType():
                return self.makers
            case TupleType(fields) if all(isinstance(each, TensorType) for each in fields):
                return self.field_makers
            case _:
                return set()


def exprs(value: Value) -> list[Expr]:
    """Return the values that a list holds, or what a function has seen; lists are not deep."""
    match value:
        case Group(items):
            return [each for item in items for each in exprs(item)]
        case Local(_, _, captured, _):
            return [each for item in captured.values() for each in exprs(item)]
        case Expr():
            return [value]
        case _:
            return []


def has_memory(value: Value) -> bool:
    """Whether a value is no number: an array, or what may hold one."""
    if not isinstance(value, Expr) or isinstance(value, GlobalVar):
        return False
    return not isinstance(value.ty, TensorType) or bool(value.ty.shape)


def is_operator(value: Expr) -> bool:
    """Whether a value is what an operator gives."""
    return isinstance(value, Call) and isinstance(value.op, OperatorDef)


def is_view(call: Call) -> bool:
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
