"""Pattern classes for single kinds of expressions: constants, tuples, branches, functions."""

from typing import Any, ClassVar

from relay.ir.dataflow.matching import Found, Goals, head_of
from relay.ir.dataflow.patterns import (
    DFPattern,
    Patterns,
    all_of,
    is_sum_or_product,
    operators,
    pattern_tuple,
)
from relay.ir.equality import structural_equal
from relay.ir.expr import Constant, Expr, Function, If, Let, Operator, Tuple, TupleGetItem, Var
from relay.ir.field_validation import require, require_index, require_name
from relay.ir.operator_without_attributes import OperatorKind
from relay.ir.walk import children
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayTypeError
from relay.support.node import node, set_field


@node
class VarPattern(DFPattern[Var]):
    """A pattern for variables with a given name; an empty name matches any variable."""

    name: str = ""
    is_inside: ClassVar[bool] = False

    def __post_init__(self) -> None:
        require_name("the name in a pattern for variables", self.name)
        set_field(self, "heads", (Var,))
        set_field(self, "is_simple", True)

    def goals(self, expr: Expr, found: Found) -> bool:
        return isinstance(expr, Var) and self.name in ("", expr.name)


@node
class ConstantPattern(DFPattern[Constant]):
    """A pattern for constants."""

    def __post_init__(self) -> None:
        set_field(self, "heads", (Constant,))
        set_field(self, "is_simple", True)

    def goals(self, expr: Expr, found: Found) -> bool:
        return isinstance(expr, Constant)


@node
class TuplePattern(DFPattern[Tuple]):
    """A pattern for tuples whose fields match `fields`, one by one; None matches any fields."""

    fields: Patterns | None = None

    def __post_init__(self) -> None:
        if self.fields is not None:
            set_field(self, "fields", pattern_tuple("the fields of a pattern", self.fields))
        set_field(self, "heads", (Tuple,))

    def goals(self, expr: Expr, found: Found) -> bool | Goals:
        if not isinstance(expr, Tuple):
            return False
        if self.fields is None:
            return True
        if len(self.fields) != len(expr.fields):
            return False
        return all_of(zip(self.fields, expr.fields, strict=True))


ANY_FIELD = -1
"""The index of a pattern for any field of a tuple, as TVM stores it."""


@node
class TupleGetItemPattern(DFPattern[TupleGetItem]):
    """A pattern for a field of a tuple; an index of None or -1 matches any field."""

    tuple_value: DFPattern[Any]
    index: int | None = None

    def __post_init__(self) -> None:
        require(DFPattern, "the tuple of a pattern", self.tuple_value)
        if self.index is not None:
            index = require_index("the index in a pattern", self.index)
            if index < ANY_FIELD:
                raise RelayTypeError(
                    ErrorCode.T007,
                    f"the index in a pattern must be a field's number, not {index}",
                    help="pass a number from 0, or -1 for any field",
                )
            set_field(self, "index", None if index == ANY_FIELD else index)
        set_field(self, "heads", (TupleGetItem,))

    def goals(self, expr: Expr, found: Found) -> bool | Goals:
        if not isinstance(expr, TupleGetItem) or self.index not in (None, expr.index):
            return False
        return all_of(((self.tuple_value, expr.tuple_value),))


@node
class ExprPattern(DFPattern[Expr]):
    """A pattern for expressions structurally equal to a given one, with identical variables."""

    expr: Expr

    def __post_init__(self) -> None:
        require(Expr, "the expression of a pattern", self.expr)
        set_field(self, "heads", (head_of(self.expr),))
        set_field(self, "is_simple", True)

    def goals(self, expr: Expr, found: Found) -> bool:
        return expr is self.expr or (
            _looks_like(expr, self.expr) and structural_equal(expr, self.expr)
        )

    def commutes(self, op: Operator) -> bool:
        return is_sum_or_product(op)


def _looks_like(expr: Expr, other: Expr) -> bool:
    """Whether two expressions have the same node classes: a quick test before full comparison."""
    seen: set[Expr] = set()
    pending = [(expr, other)]
    while pending:
        a, b = pending.pop()
        if head_of(a) is not head_of(b) or len(children(a)) != len(children(b)):
            return False
        if b not in seen:
            seen.add(b)
            pending += zip(children(a), children(b), strict=True)
    return True


@node
class IfPattern(DFPattern[If]):
    """A pattern for `if` expressions, with patterns for the condition and both branches."""

    cond: DFPattern[Any]
    true_branch: DFPattern[Any]
    false_branch: DFPattern[Any]

    def __post_init__(self) -> None:
        for part in (self.cond, self.true_branch, self.false_branch):
            require(DFPattern, "an operand of an if pattern", part)
        set_field(self, "heads", (If,))

    def goals(self, expr: Expr, found: Found) -> bool | Goals:
        return isinstance(expr, If) and all_of(
            zip(
                (self.cond, self.true_branch, self.false_branch),
                (expr.condition, expr.then, expr.other),
                strict=True,
            )
        )


@node
class LetPattern(DFPattern[Let]):
    """A pattern for `let` expressions, with patterns for the variable, the value and the body."""

    var: DFPattern[Any]
    value: DFPattern[Any]
    body: DFPattern[Any]

    def __post_init__(self) -> None:
        for part in (self.var, self.value, self.body):
            require(DFPattern, "an operand of a let pattern", part)
        set_field(self, "heads", (Let,))

    def goals(self, expr: Expr, found: Found) -> bool | Goals:
        return isinstance(expr, Let) and all_of(
            zip((self.var, self.value, self.body), (expr.var, expr.value, expr.body), strict=True)
        )


@node
class FunctionPattern(DFPattern[Function]):
    """A pattern for functions, with patterns for the parameters and the body.

    Parameters of None match any parameters.
    """

    params: Patterns | None
    body: DFPattern[Any]

    def __post_init__(self) -> None:
        if self.params is not None:
            set_field(self, "params", pattern_tuple("the parameters of a pattern", self.params))
        require(DFPattern, "the body of a pattern", self.body)
        set_field(self, "heads", (Function,))

    def goals(self, expr: Expr, found: Found) -> bool | Goals:
        if not isinstance(expr, Function):
            return False
        params = () if self.params is None else self.params
        if self.params is not None and len(params) != len(expr.params):
            return False
        pairs = zip((*params, self.body), (*expr.params[: len(params)], expr.body), strict=True)
        return all_of(pairs)


def is_constant() -> ConstantPattern:
    """Return a pattern for any constant."""
    return ConstantPattern()


def is_expr(expr: Expr | OperatorKind) -> DFPattern[Expr]:
    """Return a pattern for expressions equal to `expr`, or for operators of that kind."""
    return operators(expr.operator) if isinstance(expr, OperatorKind) else ExprPattern(expr)
