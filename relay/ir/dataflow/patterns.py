"""The patterns: one class for each kind of expression, and for each condition on one.

They are built from one another: `op(x, y)` is a call, `p | q` either of two, and `x + y` a call of
the operator that Python's sign stands for. `relay.ir.dataflow.matching` matches them.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from typing import Any, ClassVar, TypeAlias, TypeVar, cast

from relay.ir.dataflow.matching import E_co, Found, Goals, Head, Matchable, head_of
from relay.ir.expr import (
    Call,
    Constant,
    Expr,
    Operator,
    Tuple,
    TupleGetItem,
    Var,
)
from relay.ir.parts import listed, require
from relay.ir.signs import SIGNS, Signs
from relay.support.node import node, set_field

Op_co = TypeVar("Op_co", bound=Operator, covariant=True)
E = TypeVar("E", bound=Expr)


@node
class DFPattern(Signs["CallPattern", "DFPattern[Any]"], Matchable[E_co]):
    """The base of dataflow patterns."""

    made_by: ClassVar[str] = "write relay.dataflow_pattern.wildcard(), or is_op(name)(…)"
    heads: tuple[Head, ...] | None = field(default=None, init=False, repr=False)
    is_inside: ClassVar[bool] = True  # pyright: ignore[reportIncompatibleVariableOverride]

    def __call__(self, *args: "DFPattern[Any] | None") -> "CallPattern":
        """Return the pattern of calls of what matches; without arguments, or None, of any."""
        known = cast("Patterns", args)
        return CallPattern(self, None if known in ((), (None,)) else known)

    def __or__(self, other: "DFPattern[E]") -> "AltPattern[E_co | E]":  # alternatives, not bits
        return AltPattern(self, other)

    def optional(
        self, extended: "Callable[[DFPattern[E_co]], DFPattern[E]]"
    ) -> "AltPattern[E_co | E]":
        """Return the pattern of what matches, with or without something on top of it."""
        return AltPattern(self, extended(self))

    def where(self, holds: Callable[[E_co], bool]) -> "ConditionPattern[E_co]":
        """Return the pattern of what matches and fulfils a condition."""
        return ConditionPattern(self, holds)

    def used_once(self) -> "UsedOncePattern[E_co]":
        """Return the pattern of what matches and has no other user."""
        return UsedOncePattern(self)

    def _write(self, sign: str, *operands: Any) -> "CallPattern":
        """Return the pattern of calls of the operator that a sign of Python stands for."""
        classes = (cast("type[Operator]", SIGNS[sign]),)
        return OperatorPattern(classes)(*parts("the operands of a pattern", operands))


Patterns: TypeAlias = tuple[DFPattern[Any], ...]


def parts(what: str, given: object) -> Patterns:
    """Return several patterns as a tuple; raises `T007` for anything else."""
    return cast("Patterns", listed(DFPattern, what, given))


@node
class WildcardPattern(DFPattern[Expr]):
    """Matches any expression, or what it is redirected to: so patterns become recursive."""

    is_inside: ClassVar[bool] = False
    target: DFPattern[Any] | None = field(default=None, init=False, repr=False)

    def redirect_to(self, pattern: DFPattern[Any]) -> None:
        """Let the wildcard stand for a pattern that may contain the wildcard itself."""
        require(DFPattern, "what a wildcard is redirected to", pattern)
        set_field(self, "target", pattern)

    def goals(self, expr: Expr, found: Found) -> bool | Goals:
        return True if self.target is None else _all(((self.target, expr),))


@node
class VarPattern(DFPattern[Var]):
    """Matches variables, of one name if it is not empty."""

    name: str = ""
    is_inside: ClassVar[bool] = False

    def __post_init__(self) -> None:
        set_field(self, "heads", (Var,))

    def goals(self, expr: Expr, found: Found) -> bool:
        return isinstance(expr, Var) and self.name in ("", expr.name)


@node
class ConstantPattern(DFPattern[Constant]):
    """Matches constants."""

    def __post_init__(self) -> None:
        set_field(self, "heads", (Constant,))

    def goals(self, expr: Expr, found: Found) -> bool:
        return isinstance(expr, Constant)


@node
class OperatorPattern(DFPattern[Op_co]):
    """Matches operators of some classes with these attributes, whatever the others are."""

    classes: tuple[type[Op_co], ...]
    attributes: tuple[tuple[str, object], ...] = ()

    def __post_init__(self) -> None:
        set_field(self, "heads", self.classes)

    def goals(self, expr: Expr, found: Found) -> bool:
        fits = isinstance(expr, self.classes)
        return fits and all(getattr(expr, name) == value for name, value in self.attributes)


@node
class CallPattern(DFPattern[Call]):
    """Matches calls of what matches `op`, with these arguments; None for any.

    The two arguments of a commutative operator match in either order.
    """

    op: DFPattern[Any]
    args: "Patterns | None" = None

    def __post_init__(self) -> None:
        require(DFPattern, "what a pattern calls", self.op)
        if self.args is not None:
            set_field(self, "args", parts("the arguments of a pattern", self.args))
        heads = self.op.heads
        is_known = heads is not None and all(issubclass(head, Operator) for head in heads)
        set_field(self, "heads", heads if is_known else (Call, Operator))

    def goals(self, expr: Expr, found: Found) -> bool | Goals:
        if not isinstance(expr, Call):
            return False
        if self.args is None:
            return _all(((self.op, expr.op),))
        orders = [args for args in _orders(expr) if _may_match(self.args, args)]
        return bool(orders) and self._in_some_order(expr.op, self.args, orders, found)

    def _in_some_order(
        self, op: Expr, args: "Patterns", orders: Sequence[tuple[Expr, ...]], found: Found
    ) -> Goals:
        if not (yield self.op, op):
            return False
        for order in orders:
            mark = found.mark
            if (yield from _all(zip(args, order, strict=True))):
                return True
            found.undo(mark)
        return False


def _orders(call: Call) -> Sequence[tuple[Expr, ...]]:
    """Return the orders in which arguments may be taken."""
    args = call.args
    may_swap = isinstance(call.op, Operator) and call.op.commutative and len(args) == 2
    return (args, (args[1], args[0])) if may_swap else (args,)


def _may_match(patterns: "Patterns", args: tuple[Expr, ...]) -> bool:
    """Whether the heads of arguments fit: most calls are refused by that alone."""
    return len(patterns) == len(args) and all(
        pattern.heads is None or issubclass(head_of(arg), pattern.heads)
        for pattern, arg in zip(patterns, args, strict=True)
    )


@node
class TuplePattern(DFPattern[Tuple]):
    """Matches tuples of exactly these fields; None for any."""

    fields: Patterns | None = None

    def __post_init__(self) -> None:
        if self.fields is not None:
            set_field(self, "fields", parts("the fields of a pattern", self.fields))
        set_field(self, "heads", (Tuple,))

    def goals(self, expr: Expr, found: Found) -> bool | Goals:
        if not isinstance(expr, Tuple):
            return False
        if self.fields is None:
            return True
        if len(self.fields) != len(expr.fields):
            return False
        return _all(zip(self.fields, expr.fields, strict=True))


@node
class TupleGetItemPattern(DFPattern[TupleGetItem]):
    """Matches a field of what matches: one of them, or any for None."""

    tuple_value: DFPattern[Any]
    index: int | None = None

    def __post_init__(self) -> None:
        require(DFPattern, "the tuple of a pattern", self.tuple_value)
        set_field(self, "heads", (TupleGetItem,))

    def goals(self, expr: Expr, found: Found) -> bool | Goals:
        if not isinstance(expr, TupleGetItem) or self.index not in (None, expr.index):
            return False
        return _all(((self.tuple_value, expr.tuple_value),))


@node
class AltPattern(DFPattern[E_co]):
    """Matches what matches `left`, or else `right`."""

    left: DFPattern[Any]
    right: DFPattern[Any]

    def __post_init__(self) -> None:
        require(DFPattern, "an alternative", self.left)
        require(DFPattern, "an alternative", self.right)
        left, right = self.left.heads, self.right.heads
        set_field(self, "heads", None if left is None or right is None else (*left, *right))

    is_inside: ClassVar[bool] = False

    def goals(self, expr: Expr, found: Found) -> Goals:
        return (yield self.left, expr) or (yield self.right, expr)


Test: TypeAlias = Callable[[Any], bool]


@node
class ConditionPattern(DFPattern[E_co]):
    """Matches what matches a pattern and fulfils a condition."""

    pattern: DFPattern[E_co]
    holds: Test
    is_inside: ClassVar[bool] = False

    def __post_init__(self) -> None:
        set_field(self, "heads", self.pattern.heads)

    def goals(self, expr: Expr, found: Found) -> Goals:
        return (yield self.pattern, expr) and self.holds(expr)


@node
class UsedOncePattern(DFPattern[E_co]):
    """Matches what matches a pattern and has no more than one user."""

    pattern: DFPattern[E_co]
    is_inside: ClassVar[bool] = False

    def __post_init__(self) -> None:
        set_field(self, "heads", self.pattern.heads)

    def goals(self, expr: Expr, found: Found) -> bool | Goals:
        return found.uses(expr) <= 1 and _all(((self.pattern, expr),))


def _all(goals: "Iterator[tuple[DFPattern[Any], Expr]] | Sequence[Any] | zip[Any]") -> Goals:
    for goal in goals:
        if not (yield goal):
            return False
    return True


def wildcard() -> WildcardPattern:
    """Return the pattern of any expression."""
    return WildcardPattern()


def is_constant() -> ConstantPattern:
    """Return the pattern of any constant."""
    return ConstantPattern()


def operators(*classes: type[Op_co], **attributes: object) -> OperatorPattern[Op_co]:
    """Return the pattern of operators of some classes, with these values of their attributes."""
    return OperatorPattern(classes, tuple(attributes.items()))
