"""The program that a trace writes down: blocks of bindings, and how each block ends.

A block ends in a choice between other blocks, in a jump to a join (what follows several paths, or a
loop), or in a leaf: the place where a path leaves the region that is being traced. Leaves are given
their values when it is known what follows them; then a block becomes an expression.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from relay.ir.expr import Call, Expr, Function, Let, Var
from relay.ir.types import FuncType, Type
from relay.support.span import Span

Combine: TypeAlias = Callable[[Sequence[Expr], Type], Expr]


class Leaf:
    """The end of a path: where it goes, with which value, and what memory holds then."""

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
    """The end of a path that stops the program, and why."""

    __slots__ = ("make",)

    def __init__(self, make: Callable[[Type], Expr]) -> None:
        self.make = make


class Split:
    """A choice between blocks; the arms of a `flat` one have no variables of their own."""

    __slots__ = ("arms", "combine", "flat")

    def __init__(self, arms: Sequence["Block"], combine: Combine, *, flat: bool = False) -> None:
        self.arms, self.combine, self.flat = arms, combine, flat


class Jump:
    """The end of a path that goes on at a join."""

    __slots__ = ("args", "join")

    def __init__(self, join: "Join", args: Sequence[Expr]) -> None:
        self.join, self.args = join, tuple(args)


class Join:
    """A local function: what follows several paths, or a loop, which jumps to itself."""

    __slots__ = ("body", "name", "params", "span", "var")

    def __init__(self, name: str, params: Sequence[Var], body: "Block", span: Span) -> None:
        self.name, self.params, self.body, self.span = name, tuple(params), body, span
        self.var: Var | None = None


End: TypeAlias = Leaf | Stop | Split | Jump | None


class Block:
    """Bindings, and how they end; None while the block is being traced."""

    __slots__ = ("end", "lets", "parent")

    def __init__(self, parent: "Block | None") -> None:
        self.parent = parent
        self.lets: list[tuple[Var, Expr] | Join] = []
        self.end: End = None

    def is_inside(self, other: "Block") -> bool:
        """Whether bindings of another block can be seen from here."""
        at: Block | None = self
        while at is not None and at is not other:
            at = at.parent
        return at is other

    def take(self, inner: "Block") -> None:
        """Go on as another block does, whose parent this is."""
        self.lets += inner.lets
        self.end = inner.end
        if isinstance(self.end, Leaf):
            self.end.block = self
        inner.parent, inner.lets = self, self.lets  # what is inside of it sees these bindings


def finish(block: Block, values: Mapping[Leaf, Expr], ty: Type) -> Expr:
    """Return a block as an expression of a type; recursion follows how choices are nested."""
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
