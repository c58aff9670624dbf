"""Which variables may share their memory by Python's rules, on some path at least.

In Relay values do not change, so writing to an array in place is right only where nobody else
sees it. A variable that has been written to has an array of its own from then on.
"""

from collections.abc import Mapping

from relay.frontend.python.apart import Apart
from relay.frontend.python.origins import Origins, Path, has_memory, is_operator, is_view
from relay.frontend.python.values import Group, Value
from relay.ir.expr import Call, Constant, Expr, Var
from relay.ir.types import TensorType
from relay.numpy.errors import mistake
from relay.support.error_codes import ErrorCode
from relay.support.node import node
from relay.support.span import Span


@node
class Write:
    """A variable that is written to in place, and what the others hold there."""

    name: str
    value: Value
    others: Mapping[str, Value]
    span: Span


class Memory(Origins):
    """What has been written to, and whether others see it."""

    def __init__(self) -> None:
        super().__init__()
        self._writes: list[Write] = []

    def lent(self, value: Value) -> Value:
        """Return a value from outside, whose arrays belong to others, too; lists are not deep."""
        if isinstance(value, Constant) and value.tensor_type.rank:
            self.owners[value] = "an array from outside of the function"
        if isinstance(value, Group):
            for each in value.items:
                self.lent(each)
        return value

    def write(self, name: str, names: Mapping[str, Value], span: Span) -> None:
        """Raise `F116` if others see a change of a variable in place; `check` asks again."""
        value = names.get(name)
        if value is None or not (isinstance(value, Group) or has_memory(value)):
            return
        others = {n: v for n, v in names.items() if n != name and _holds_memory(v)}
        self._writes.append(Write(name, value, others, span))
        self._refuse(self._writes[-1], Apart(self))

    def check(self) -> None:
        """Raise `F116` for a write that turns out to be seen, now that all paths are known."""
        apart = Apart(self)
        for each in self._writes:
            self._refuse(each, apart)
        self._writes.clear()

    def _refuse(self, write: Write, apart: Apart) -> None:
        owner, name = self._owner(write, apart), write.name
        if owner is not None:
            advice = f"make a new array: {name} = {name}.copy() before, or {name} = {name} + …"
            listed = isinstance(write.value, Group)
            advice = f"make a new list: {name} = [*{name}, …]" if listed else advice
            what = f"{name} is {owner}, which would change with it"
            raise mistake(ErrorCode.F116, what, write.span, advice)

    def _owner(self, write: Write, apart: Apart) -> str | None:
        """Return whose memory a value is, besides its own, in words; None if it is alone."""
        if isinstance(write.value, Group):
            others = write.others.items()
            other = next((n for n, v in others if _has_item(v, write.value)), None)
            return None if other is None else f"the list of {other}"
        assert isinstance(write.value, Expr), "lists and arrays are written to"
        own = self._arrays(write.value)
        sure = "" if len(own) == 1 else "perhaps "
        for name, value in write.others.items():
            if not apart.surely(write.value, value):
                return f"{sure}the array of {name}"
        owners = (self.owners[each] for each in own if each in self.owners)
        return next((sure + owner for owner in owners), None)

    def _arrays(self, value: Expr) -> dict[Expr, None]:
        """Return the arrays of which a value may be a part, or which it may hold."""
        stack: list[tuple[Expr, Path]] = [(value, ())]
        seen: set[tuple[Expr, Path]] = set()
        found: dict[Expr, None] = {}
        while stack:
            at, path = stack.pop()
            if (at, path) in seen or not has_memory(at):
                continue
            seen.add((at, path))
            before = [each for each in self.before(at, path) if has_memory(each[0])]
            stack += before
            if not before or self.is_open(at):
                found[at] = None
        return {each: None for each in found if _may_be(each, value)}


def refuse_item(
    memory: Memory, name: str, item: Value, names: Mapping[str, Value], span: Span
) -> None:
    """Raise `F116` if an array of a list, changed in place, is one of another place, too."""
    held = names[name]
    if not isinstance(held, Group) or not has_memory(item):
        return
    items, inside = list(held.items), f"an item of {name}"
    if item in items:  # else which one it is shows at run time
        items.remove(item)
    memory.write(inside, {**names, name: Group(tuple(items)), inside: item}, span)


def is_shown(value: Expr) -> bool:
    """Whether a value shows a part of a variable, without a copy."""
    while isinstance(value, Call) and is_operator(value) and is_view(value):
        value = value.args[0]
    return isinstance(value, Var | Constant)


def _holds_memory(value: Value) -> bool:
    return isinstance(value, Group) or has_memory(value)


def _may_be(array: Expr, value: Expr) -> bool:
    """Whether types allow that a value is a part of an array."""
    match value.ty, array.ty:
        case TensorType(dtype=dtype), TensorType(dtype=other):
            return dtype is other
        case _:
            return True


def _has_item(value: Value, wanted: Group) -> bool:
    """Whether a value is a list, or has it among its items; lists are not deep."""
    if value is wanted:
        return True
    return isinstance(value, Group) and any(_has_item(item, wanted) for item in value.items)
