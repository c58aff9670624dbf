"""Blocks of variable bindings, in which a trace records the program.

A block ends in a branch to other blocks, in a jump to a join (a local function for the code after a
branch, or for a loop), or in a leaf: the point where a path leaves the region being traced. The
values of leaves are supplied once the code after the region is known; then a block can be converted
to an expression.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from relay.ir.expr import Call, Expr, Function, Let, Var
from relay.ir.types import FuncType, Type
from relay.support.span import Span

Combine: TypeAlias = Callable[[Sequence[Expr], Type], Expr]


class Leaf:
    """The end of a path that leaves a region: its target, its value, and the memory's state."""

    __slots__ = ("block", "span", "state", "target", "value")

    def __init__(
        self, block: "Block", target: object, value: Any, state: Any, span: Span | None = None
    ) -> None:
        self.block, self.target, self.value, self.state, self.span = (
            block,
            target,
            value,
            state,
            span,
        )


class Stop:
    """The end of a path that traps, and the reason."""

    __slots__ = ("make",)

    def __init__(self, make: Callable[[Type], Expr]) -> None:
        self.make = make


class Split:
    """A branch to several blocks; the arms of a `flat` branch bind no variables."""

    __slots__ = ("arms", "combine", "flat")

    def __init__(self, arms: Sequence["Block"], combine: Combine, *, flat: bool = False) -> None:
        self.arms, self.combine, self.flat = arms, combine, flat


class Jump:
    """The end of a path that continues at a join."""

    __slots__ = ("args", "join")

    def __init__(self, join: "Join", args: Sequence[Expr]) -> None:
        self.join, self.args = join, tuple(args)


class Join:
    """A local function for the code after a branch, or for a loop, which calls itself."""

    __slots__ = ("body", "name", "params", "span", "var")

    def __init__(self, name: str, params: Sequence[Var], body: "Block", span: Span) -> None:
        self.name, self.params, self.body, self.span = name, tuple(params), body, span
        self.var: Var | None = None


End: TypeAlias = Leaf | Stop | Split | Jump | None


class Block:
    """A sequence of bindings and the end of the block, which is None until it is known."""

    __slots__ = ("end", "lets", "parent")

    def __init__(self, parent: "Block | None") -> None:
        self.parent = parent
        self.lets: list[tuple[Var, Expr] | Join] = []
        self.end: End = None

    def is_inside(self, other: "Block") -> bool:
        """Whether the bindings of block `other` are in scope here."""
        at: Block | None = self
        while at is not None and at is not other:
            at = at.parent
        return at is other

    def take(self, inner: "Block") -> None:
        """Append the bindings of a child block, and end as it ends."""
        self.lets += inner.lets
        self.end = inner.end
        if isinstance(self.end, Leaf):
            self.end.block = self
        inner.parent, inner.lets = self, self.lets  # what is inside of it sees these bindings


def finish(block: Block, values: Mapping[Leaf, Expr], ty: Type) -> Expr:
    """Convert a block to an expression of type `ty`; recursion follows the nesting of branches."""
    for each in block.lets:
        if isinstance(each, Join):
            own = FuncType(tuple(param.type for param in each.params), ty)
            each.var = Var(each.name, own, span=each.span)
    bodies: dict[int, Function] = {}
    for number, each in enumerate(block.lets):
        if isinstance(each, Join):
            body = finish(each.body, values, ty)
            bodies[number] = Function(each.params, body, ty, span=each.span)
    result, count = _end(block, values, ty), len(block.lets)
    last = block.lets[-1] if count else None
    if isinstance(last, tuple) and last[0] is result:  # a call that is returned is a tail call
        result, count = last[1], count - 1
    for number in range(count - 1, -1, -1):
        each = block.lets[number]
        if isinstance(each, Join):
            assert each.var is not None, "just made"
            result = Let(each.var, bodies[number], result, span=each.span)
        else:
            result = Let(each[0], each[1], result, span=each[0].span)
    return result


def _end(block: Block, values: Mapping[Leaf, Expr], ty: Type) -> Expr:
    match block.end:
        case Leaf() as leaf:
            return values[leaf]
        case Stop(make=make):
            return make(ty)
        case Split(arms=arms, combine=combine):
            return combine([finish(arm, values, ty) for arm in arms], ty)
        case Jump(join=join, args=args):
            assert join.var is not None, "joins are bound around their jumps"
            return Call(join.var, args, ty=ty)
        case None:
            raise AssertionError("a block that is finished has an end")
