"""Pattern classes for operators, calls, alternatives and conditions on an expression.

Patterns compose: `op(x, y)` matches a call, `p | q` matches either pattern, and `x + y` matches a
call of the operator that overloads `+`. The matching engine is `relay.ir.dataflow.matching`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, fields
from typing import Any, ClassVar, TypeAlias, TypeVar, cast

from relay.ir.dataflow.matching import E_co, Found, Goals, Head, Matchable, head_of
from relay.ir.dataflow.partition import partition
from relay.ir.dataflow.pattern_conditions import has_attributes, is_type, tensor_type_of, type_of
from relay.ir.dims import Dim
from relay.ir.expr import (
    Call,
    Expr,
    Operator,
)
from relay.ir.field_validation import (
    require,
    require_callable,
    require_items,
    require_mapping,
    require_name,
)
from relay.ir.operator_overloads import OperatorOverloads, overload
from relay.ir.types import TensorType, Type, has_any
from relay.ir.use_counts import use_counts
from relay.ir.walk import outside_kernels
from relay.support.dtype import DType, dtype
from relay.support.node import node, set_field

Op_co = TypeVar("Op_co", bound=Operator, covariant=True)
E = TypeVar("E", bound=Expr)


@node
class DFPattern(OperatorOverloads["DFPattern[Call]", "DFPattern[Any]"], Matchable[E_co]):
    """The base of dataflow patterns, with methods and operators that compose them."""

    made_by: ClassVar[str] = "write relay.dataflow_pattern.wildcard(), or is_op(name)(…)"
    heads: tuple[Head, ...] | None = field(default=None, init=False, repr=False)
    is_simple: bool = field(default=False, init=False, repr=False)
    is_inside: ClassVar[bool] = True  # pyright: ignore[reportIncompatibleVariableOverride]

    def __call__(self, *args: "DFPattern[Any] | None") -> "DFPattern[Call]":
        """Return a pattern for calls: this pattern matches the callee, and `args` the arguments.

        Arguments that are None or omitted match anything.
        """
        known = cast("Patterns", args)
        return CallPattern(self, None if known in ((), (None,)) else known)

    def __or__(self, other: "DFPattern[E]") -> "AltPattern[E_co | E]":  # alternatives, not bits
        return AltPattern(self, other)

    def parts(self) -> "Patterns":
        """Return the patterns in the fields of this one."""
        found = list[DFPattern[Any]]()
        for each in fields(self):
            value: object = getattr(self, each.name)
            parts = cast("tuple[object, ...]", value if isinstance(value, tuple) else (value,))
            found += (part for part in parts if isinstance(part, DFPattern))
        return tuple(found)

    def optional(
        self, extended: "Callable[[DFPattern[E_co]], DFPattern[E]]"
    ) -> "AltPattern[E_co | E]":
        """Return a pattern that matches this one, or `extended(self)`, such as a `relu` of it."""
        require_callable("the argument of optional", extended)
        return AltPattern(self, extended(self))

    def where(self, holds: Callable[[E_co], bool]) -> "PredicatePattern[E_co]":
        """Return a pattern that also requires `holds(expr)`.

        The predicate is called with expressions of the class that the pattern matches, possibly
        before their operands are matched.
        """
        require_callable("the condition of a pattern", holds)
        return PredicatePattern(self, holds)

    def used_once(self) -> "UsedOncePattern[E_co]":
        """Return a pattern that also requires the expression to have at most one use."""
        return UsedOncePattern(self)

    def has_attr(self, attrs: Mapping[str, object]) -> "AttrPattern[E_co]":
        """Return a pattern that also requires the attributes `attrs`."""
        return AttrPattern(self, attrs)

    def has_type(self, ty: Type) -> "TypePattern[E_co]":
        """Return a pattern that also requires the expression to have the type `ty`."""
        return TypePattern(self, ty)

    def has_dtype(self, dtype: DType | str) -> "DataTypePattern[E_co]":
        """Return a pattern that also requires a tensor with the element type `dtype`."""
        return DataTypePattern(self, dtype)

    def has_shape(self, shape: Sequence[Dim]) -> "ShapePattern[E_co]":
        """Return a pattern that also requires a tensor with the shape `shape`."""
        return ShapePattern(self, shape)

    def dominates(
        self, parent: "DFPattern[Any]", path: "DFPattern[Any] | None" = None
    ) -> "DominatorPattern":
        """Return a pattern for expressions computed from `parent`, with only `path` in between."""
        return DominatorPattern(parent, WildcardPattern() if path is None else path, self)

    def commutes(self, op: Operator) -> bool:
        """Whether a call pattern with this callee matches the two operands of `op` in any order."""
        del op
        return False

    def match(self, expr: Expr) -> bool:
        """Whether an expression as a whole matches this pattern."""
        require(Expr, "the expression to match", expr)
        return Found(lambda part: use_counts(expr)[part]).matches(self, expr)

    def partition(
        self,
        expr: Expr,
        attrs: Mapping[str, object] | None = None,
        check: Callable[[Expr], bool] = lambda _: True,
    ) -> Expr:
        """Return the expression with matching regions moved into functions of their own."""
        return partition(self, expr, attrs, check)

    def _apply(self, symbol: str, *operands: Any) -> "DFPattern[Call]":
        """Return a pattern for calls of the operator that a Python operator such as `+` means."""
        cls = overload(symbol)
        return NamedOperatorPattern((cls,))(*pattern_tuple("the operands of a pattern", operands))


Patterns: TypeAlias = tuple[DFPattern[Any], ...]


def pattern_tuple(what: str, given: object) -> Patterns:
    """Return an iterable of patterns as a tuple.

    Raises `T007`, which calls it `what`, for others.
    """
    return cast("Patterns", require_items(DFPattern, what, given))


@node
class WildcardPattern(DFPattern[Expr]):
    """A pattern for any expression or, once it is redirected, for what another pattern matches.

    Redirecting it to a pattern that contains it makes that pattern recursive. At each recursion,
    the parts of that pattern are matched independently.
    """

    is_inside: ClassVar[bool] = False
    target: DFPattern[Any] | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        set_field(self, "is_simple", True)

    def redirect_to(self, pattern: DFPattern[Any]) -> None:
        """Make the wildcard match what `pattern` matches, which may contain the wildcard itself."""
        require(DFPattern, "the pattern of wildcard.redirect_to", pattern)
        set_field(self, "target", pattern)
        set_field(self, "is_simple", False)

    def goals(self, expr: Expr, found: Found) -> bool | Goals:
        if self.target is None:
            return True
        return self._enter(self.target, expr, found)

    def _enter(self, target: DFPattern[Any], expr: Expr, found: Found) -> Goals:
        if found.is_active(target):
            return (yield from found.independently(target, expr))
        return (yield target, expr)


@node
class OperatorPattern(DFPattern[Op_co]):
    """A pattern for operators of given classes that have given values of some attributes."""

    classes: tuple[type[Op_co], ...]
    attributes: tuple[tuple[str, object], ...] = ()

    def __post_init__(self) -> None:
        set_field(self, "heads", (*self.classes, Operator))  # as heads of calls and as values
        set_field(self, "is_simple", True)

    def goals(self, expr: Expr, found: Found) -> bool:
        fits = isinstance(expr, self.classes)
        return fits and all(getattr(expr, name) == value for name, value in self.attributes)

    def commutes(self, op: Operator) -> bool:
        return op.commutative


@node
class NamedOperatorPattern(OperatorPattern[Op_co]):
    """A pattern for an operator that was given by name, as by `is_op`.

    Calls of it that form the patterns `(a / b) * c` or `(a * c) / b` match both forms. As in TVM,
    the arguments of `add` and `multiply` match in either order, those of others do not.
    """

    def __call__(self, *args: "DFPattern[Any] | None") -> DFPattern[Call]:
        """Return a pattern for calls; for a product with a quotient, it matches both forms."""
        call = super(NamedOperatorPattern, self).__call__(*args)
        other = _rearranged(self, cast("Patterns", args))
        return call if other is None else AltPattern(call, other)

    def commutes(self, op: Operator) -> bool:
        return is_sum_or_product(op)


def is_sum_or_product(op: Expr) -> bool:
    """Whether an expression is `add` or `multiply`, which are commutative in TVM's patterns."""
    return isinstance(op, (overload("+"), overload("*")))


def _rearranged(op: OperatorPattern[Any], args: "Patterns") -> "DFPattern[Call] | None":
    """Return `(a / b) * c` as `(a * c) / b` or vice versa; None for other calls.

    `op` is the operator pattern of a call with the patterns `args`.
    """
    times, by = overload("*"), overload("/")
    product, fraction = OperatorPattern((times,)), OperatorPattern((by,))
    for one, other in (args, args[::-1]) if len(args) == 2 else ():
        match one:
            case CallPattern(OperatorPattern((inner,)), (a, b)):
                if op.classes == (times,) and inner is by:
                    return fraction(product(a, other), b)
                if op.classes == (by,) and inner is times and one is args[0]:
                    return product(fraction(a, other), b)
            case _:
                pass
    return None


@node
class CallPattern(DFPattern[Call]):
    """A pattern for calls, with patterns for the callee and the arguments; None matches any.

    The two arguments may match in either order if the pattern of the callee `commutes`.
    """

    op: DFPattern[Any]
    args: "Patterns | None" = None

    def __post_init__(self) -> None:
        require(DFPattern, "the callee of a call pattern", self.op)
        if self.args is not None:
            set_field(self, "args", pattern_tuple("the arguments of a pattern", self.args))
        called = [head for head in self.op.heads or () if head is not Operator]
        is_known = bool(called) and all(issubclass(head, Operator) for head in called)
        set_field(self, "heads", tuple(called) if is_known else (Call, Operator))
        set_field(self, "is_simple", self.op.is_simple and self.args is None)

    def goals(self, expr: Expr, found: Found) -> bool | Goals:
        if not isinstance(expr, Call):
            return False
        orders = _orders(self, expr)
        if not orders or (self.op.is_simple and not found.start(self.op, expr.op)):
            return False
        if not self.op.is_simple or not all(part.is_simple for part in self.args or ()):
            return self._in_some_order(expr.op, orders, found)
        return any(_match_simple(self.args or (), order, found) for order in orders)

    def _in_some_order(self, op: Expr, orders: Sequence[tuple[Expr, ...]], found: Found) -> Goals:
        if not (self.op.is_simple or (yield self.op, op)):
            return False
        for order in orders:
            mark = found.mark
            if (yield from all_of(zip(self.args or (), order, strict=False))):
                return True
            found.undo(mark)
        return False


def _match_simple(patterns: "Patterns", args: tuple[Expr, ...], found: Found) -> bool:
    mark = found.mark
    for pattern, arg in zip(patterns, args, strict=False):  # no patterns: any arguments match
        if not found.start(pattern, arg):
            found.undo(mark)
            return False
    return True


def _orders(pattern: CallPattern, call: Call) -> list[tuple[Expr, ...]]:
    """Return the orders of a call's arguments in which they may match, by a quick check."""
    patterns, args = pattern.args, call.args
    if patterns is None:
        return [args]
    if len(patterns) != len(args):
        return []
    may_swap = len(args) == 2 and isinstance(call.op, Operator) and pattern.op.commutes(call.op)
    orders = (args, (args[1], args[0])) if may_swap else (args,)
    return [order for order in orders if _may_match(patterns, order)]


def _may_match(patterns: "Patterns", args: tuple[Expr, ...]) -> bool:
    for pattern, arg in zip(patterns, args, strict=True):
        if pattern.heads is not None and not issubclass(head_of(arg), pattern.heads):
            return False
    return True


@node
class AltPattern(DFPattern[E_co]):
    """A pattern for what `left` or `right` matches; `left` is tried first."""

    left: DFPattern[Any]
    right: DFPattern[Any]

    def __post_init__(self) -> None:
        require(DFPattern, "an alternative", self.left)
        require(DFPattern, "an alternative", self.right)
        left, right = self.left.heads, self.right.heads
        if left is not None and right is not None:
            set_field(self, "heads", tuple(dict.fromkeys((*left, *right))))

    is_inside: ClassVar[bool] = False

    def goals(self, expr: Expr, found: Found) -> Goals:
        return (yield self.left, expr) or (yield self.right, expr)


class Conditional(DFPattern[E_co]):
    """The base of patterns that add a condition to another pattern."""

    __slots__ = ()
    is_inside: ClassVar[bool] = False
    pattern: DFPattern[E_co]

    def __post_init__(self) -> None:
        require(DFPattern, "the base of a conditional pattern", self.pattern)
        set_field(self, "heads", self.pattern.heads)
        set_field(self, "is_simple", self.pattern.is_simple)

    def goals(self, expr: Expr, found: Found) -> bool | Goals:
        if not self.is_simple:
            return self._then_holds(expr, found)
        if self.heads is None or Operator in self.heads:
            return bool(found.start(self.pattern, expr)) and self.holds(expr, found)
        is_of_its_kind = self.may_match(head_of(expr))  # the condition fails most often
        return is_of_its_kind and self.holds(expr, found) and bool(found.start(self.pattern, expr))

    def _then_holds(self, expr: Expr, found: Found) -> Goals:
        return (yield self.pattern, expr) and self.holds(expr, found)

    def holds(self, expr: Expr, found: Found) -> bool:
        """Whether the condition holds for an expression that the other pattern may match."""
        raise AssertionError(f"{type(self).__name__} has no condition")


@node
class PredicatePattern(Conditional[E_co]):
    """A pattern that adds a Python predicate to another pattern."""

    pattern: DFPattern[E_co]
    predicate: Callable[[Any], bool]

    def holds(self, expr: Expr, found: Found) -> bool:
        return self.predicate(expr)


@node
class UsedOncePattern(Conditional[E_co]):
    """A pattern that requires at most one use of the expression."""

    pattern: DFPattern[E_co]

    def holds(self, expr: Expr, found: Found) -> bool:
        return found.uses(expr) <= 1


@node
class TypePattern(Conditional[E_co]):
    """A pattern that requires a type, up to the names of type parameters."""

    pattern: DFPattern[E_co]
    type: Type

    def __post_init__(self) -> None:
        super(TypePattern, self).__post_init__()
        require(Type, "the type of a pattern", self.type)

    def holds(self, expr: Expr, found: Found) -> bool:
        return is_type(type_of(expr), self.type)


@node
class DataTypePattern(Conditional[E_co]):
    """A pattern that requires a tensor with a given element type."""

    pattern: DFPattern[E_co]
    dtype: DType | str

    def __post_init__(self) -> None:
        super(DataTypePattern, self).__post_init__()
        set_field(self, "dtype", dtype(self.dtype))

    def holds(self, expr: Expr, found: Found) -> bool:
        ty = tensor_type_of(expr)
        return ty is not None and ty.dtype is self.dtype


@node
class ShapePattern(Conditional[E_co]):
    """A pattern that requires a tensor with a given shape; shapes with `Any` never match."""

    pattern: DFPattern[E_co]
    shape: Sequence[Dim]

    def __post_init__(self) -> None:
        super(ShapePattern, self).__post_init__()
        set_field(self, "shape", TensorType(self.shape).shape)

    def holds(self, expr: Expr, found: Found) -> bool:
        ty = tensor_type_of(expr)
        return ty is not None and not has_any(ty) and ty.shape == self.shape


@node
class AttrPattern(Conditional[E_co]):
    """A pattern that requires attributes of a call's operator, a function or an operator."""

    pattern: DFPattern[E_co]
    attrs: Mapping[str, object]

    def __post_init__(self) -> None:
        super(AttrPattern, self).__post_init__()
        require_mapping("the attributes of a pattern", self.attrs)
        for name in self.attrs:
            require_name("each name in the attributes of a pattern", name)

    def holds(self, expr: Expr, found: Found) -> bool:
        return has_attributes(expr, self.attrs)


@node
class DominatorPattern(DFPattern[Expr]):
    """A pattern for expressions that match `child` and are computed from one match of `parent`.

    All nodes between the two must match `path`.

    Variables, constants and other expressions that are not computed may be operands anywhere.
    """

    parent: DFPattern[Any]
    path: DFPattern[Any]
    child: DFPattern[Any]
    is_inside: ClassVar[bool] = False

    def __post_init__(self) -> None:
        for each in (self.parent, self.path, self.child):
            require(DFPattern, "an operand of a dominator pattern", each)
        set_field(self, "heads", self.child.heads)

    def goals(self, expr: Expr, found: Found) -> Goals:
        """Match the child, then try each expression on one path to the inputs as the parent.

        One path suffices, because a dominator is on every path.
        """
        if not (yield self.child, expr):
            return False
        inputs, passed = _inputs(expr), list[tuple[DFPattern[Any], Expr]]()
        while inputs and (self, inputs[0]) not in found.memo.without_parent:
            mark, candidate = found.mark, inputs[0]
            passed.append((self, candidate))
            if self.parent.may_match(head_of(candidate)):
                if (yield self.parent, candidate) and (
                    yield from self._reach(candidate, expr, found)
                ):
                    return True
                found.undo(mark)
                passed.clear()
            if not (yield from found.independently(self.path, candidate)):
                break
            found.undo(mark)
            inputs = _inputs(candidate)
        found.memo.without_parent.update(passed)
        return False

    def _reach(self, parent: Expr, child: Expr, found: Found) -> Goals:
        """Match each node between `parent` and `child` with `path`, each as a separate match."""
        seen = {parent}
        pending = _inputs(child)
        while pending:
            each = pending.pop()
            if each in seen:
                continue
            seen.add(each)
            inputs = _inputs(each)
            if not inputs or not (yield from found.independently(self.path, each)):
                return False
            pending += inputs
        return True


def _inputs(expr: Expr) -> list[Expr]:
    return [part for part in outside_kernels(expr) if outside_kernels(part)]


def all_of(goals: "Iterator[tuple[DFPattern[Any], Expr]] | Sequence[Any] | zip[Any]") -> Goals:
    """Match subgoals (pairs of a pattern and an expression) in order, until one fails."""
    for goal in goals:
        if not (yield goal):
            return False
    return True


def wildcard() -> WildcardPattern:
    """Return a pattern that matches any expression."""
    return WildcardPattern()


def operators(*classes: type[Op_co], **attributes: object) -> OperatorPattern[Op_co]:
    """Return a pattern for operators of some classes that have the given attribute values."""
    return OperatorPattern(classes, tuple(attributes.items()))
