"""What a Python expression stands for while a function is being translated."""

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Any, TypeAlias

from relay.ir.dims import DimVar
from relay.ir.expr import Expr
from relay.ir.nesting_limits import depth_around
from relay.ir.types import GlobalTypeVar, Type
from relay.numpy.tensors import Size
from relay.support.node import node, set_field
from relay.support.span import Span


@node
class Static:
    """A Python object that is known now: a number, a text, a dtype, a class, a module.

    A number has no element type of its own: it takes that of what it meets.
    """

    content: object

    @property
    def number(self) -> int | float | None:
        """Return the content if it is a number (a bool is one)."""
        return self.content if isinstance(self.content, bool | int | float) else None


@node
class Group:
    """A tuple or list that is written out, or the shape of a tensor.

    As an index, a list chooses several rows and a tuple one element: `brackets` says which of the
    two it is in Python, as far as that is known.
    """

    items: "tuple[Value, ...]"
    brackets: "type[list[Any] | tuple[Any, ...]] | None" = None
    depth: int = field(default=0, init=False, repr=False)

    def __post_init__(self) -> None:
        inner = [item for item in self.items if isinstance(item, Group)]
        set_field(self, "depth", depth_around("a tuple", inner))


@node
class Series:
    """A list of numbers whose length only the program knows: the elements of a vector.

    It is read, and nothing else: what changes, or goes from round to round, is a tensor.
    """

    tensor: Expr


@node
class Template:
    """A function whose parameters have no types yet: each call translates its body anew.

    `place` is where it is written, if it is.
    """

    name: str
    params: tuple[str, ...]
    expand: "Callable[[Sequence[Value], Span], Value]"
    captured: "Mapping[str, Value]"
    defaults: "Mapping[str, Value]"
    place: Span | None = None


@node
class Local:
    """A nested function with types, and what it captured when it was defined.

    `sizes` are the names of sizes that it has for itself: they are others in each call.
    """

    expr: Expr
    params: tuple[str, ...]
    captured: "Mapping[str, Value]"
    defaults: "Mapping[str, Value]"
    sizes: frozenset[DimVar] = frozenset()


@node
class Late:
    """A nested function that reads what had no value yet: it is translated where it is used.

    `around` has the names where it is defined, as they are now; without it they are the reader's.
    """

    at: ast.FunctionDef
    use: "Callable[..., Value]"  # of the reader's scope, `around`, and the place
    around: "Mapping[str, Value] | None" = None


@node
class Pending:
    """Generic data whose type arguments are not known yet, such as `Nil()`."""

    name: str
    head: GlobalTypeVar
    complete: "Callable[[Type], Expr]"
    span: Span


@node
class Undefined:
    """A variable that is defined on some paths only."""

    why: str
    help: str


Value: TypeAlias = (
    Expr | Static | Size | Group | Series | Template | Local | Late | Pending | Undefined
)


def type_of(value: Value) -> Type | None:
    """Return the type of what has one already."""
    match value:
        case Expr():
            return value.ty
        case Local(expr):
            return expr.ty
        case _:
            return None
