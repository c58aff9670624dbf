"""`relay.dataflow_pattern`: the dataflow pattern language under TVM's names.

>>> import relay
>>> from relay.dataflow_pattern import is_op, wildcard
>>> x, w = relay.var("x", shape=(1, 3, 8, 8)), relay.var("w", shape=(4, 3, 3, 3))
>>> layer = is_op("nn.relu")(is_op("nn.conv2d")(wildcard(), wildcard()))
>>> layer.match(relay.nn.relu(relay.nn.conv2d(x, w)))
True
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from relay.ir.dataflow.expression_patterns import (
    ConstantPattern,
    ExprPattern,
    FunctionPattern,
    IfPattern,
    LetPattern,
    TupleGetItemPattern,
    TuplePattern,
    VarPattern,
    is_constant,
    is_expr,
)
from relay.ir.dataflow.patterns import (
    AltPattern,
    AttrPattern,
    CallPattern,
    DataTypePattern,
    DFPattern,
    DominatorPattern,
    NamedOperatorPattern,
    ShapePattern,
    TypePattern,
    WildcardPattern,
    pattern_tuple,
    wildcard,
)
from relay.ir.dims import Dim
from relay.ir.expr import Expr
from relay.ir.field_validation import require, require_name
from relay.ir.types import Type
from relay.opdef.table import OPERATORS
from relay.support.dtype import DType
from relay.support.error_codes import ErrorCode
from relay.support.errors import UsageError
from relay.support.node import node
from relay.transform.pattern_callbacks import DFPatternCallback, rewrite

__all__ = [
    "AltPattern",
    "AttrPattern",
    "CallPattern",
    "ConstantPattern",
    "DFPattern",
    "DFPatternCallback",
    "DataTypePattern",
    "DominatorPattern",
    "ExprPattern",
    "FunctionPattern",
    "IfPattern",
    "LetPattern",
    "ShapePattern",
    "TupleGetItemPattern",
    "TuplePattern",
    "TypePattern",
    "VarPattern",
    "WildcardPattern",
    "dominates",
    "has_attr",
    "has_dtype",
    "has_shape",
    "has_type",
    "is_constant",
    "is_expr",
    "is_if",
    "is_let",
    "is_op",
    "is_tuple",
    "is_tuple_get_item",
    "is_var",
    "match",
    "partition",
    "register_df_node",
    "rewrite",
    "wildcard",
]

_Class = TypeVar("_Class", bound=type)


def is_var(name: str = "") -> VarPattern:
    """Return a pattern for variables; a nonempty name must match, too."""
    return VarPattern(name)


def is_op(op_name: str) -> NamedOperatorPattern[Any]:
    """Return a pattern for calls of an operator with any attributes; may raise `T005`."""
    return NamedOperatorPattern((OPERATORS.find(op_name),))


def is_tuple(fields: Sequence[DFPattern[Any]] | None = None) -> TuplePattern:
    """Return a pattern for tuples with these fields; None matches any tuple."""
    return TuplePattern(
        None if fields is None else pattern_tuple("the fields of a pattern", fields)
    )


def is_tuple_get_item(tuple_value: DFPattern[Any], index: int | None = None) -> TupleGetItemPattern:
    """Return a pattern for a field of a tuple; an index of None or -1 matches any field."""
    return TupleGetItemPattern(tuple_value, index)


def is_if(
    cond: DFPattern[Any], true_branch: DFPattern[Any], false_branch: DFPattern[Any]
) -> IfPattern:
    """Return a pattern for an `if`."""
    return IfPattern(cond, true_branch, false_branch)


def is_let(var: DFPattern[Any], value: DFPattern[Any], body: DFPattern[Any]) -> LetPattern:
    """Return a pattern for a `let`."""
    return LetPattern(var, value, body)


def has_type(ttype: Type, pattern: DFPattern[Any] | None = None) -> TypePattern[Any]:
    """Return a pattern that requires a type, and optionally matches another pattern."""
    return _or_any(pattern).has_type(ttype)


def has_dtype(dtype: DType | str, pattern: DFPattern[Any] | None = None) -> DataTypePattern[Any]:
    """Return a pattern that requires an element type, and optionally matches another pattern."""
    return _or_any(pattern).has_dtype(dtype)


def has_shape(shape: Sequence[Dim], pattern: DFPattern[Any] | None = None) -> ShapePattern[Any]:
    """Return a pattern that requires a tensor shape, and optionally matches another pattern."""
    return _or_any(pattern).has_shape(shape)


def has_attr(
    attrs: Mapping[str, object], pattern: DFPattern[Any] | None = None
) -> AttrPattern[Any]:
    """Return a pattern that requires attributes, and optionally matches another pattern."""
    return _or_any(pattern).has_attr(attrs)


def dominates(
    parent: DFPattern[Any], path: DFPattern[Any], child: DFPattern[Any]
) -> DominatorPattern:
    """Return a pattern for `child` dominated by `parent`; nodes between them match `path`."""
    require(DFPattern, "the child of a dominator pattern", child)
    return child.dominates(parent, path)


def match(pattern: DFPattern[Any], expr: Expr) -> bool:
    """Whether an expression matches a pattern at its root."""
    require(DFPattern, "the pattern", pattern)
    return pattern.match(expr)


def partition(
    pattern: DFPattern[Any],
    expr: Expr,
    attrs: Mapping[str, object] | None = None,
    check: Callable[[Expr], bool] = lambda _: True,
) -> Expr:
    """Return an expression with each region that matches a pattern as a function of its own.

    See `DFPattern.partition`.
    """
    require(DFPattern, "the pattern", pattern)
    return pattern.partition(expr, attrs, check)


def register_df_node(type_key: str | None = None) -> Callable[[_Class], _Class]:
    """Return a decorator for pattern classes, which derive from `DFPattern` and define `goals`.

    Annotations of the class become fields. Raises `U302` for other classes; `type_key`, a string or
    None, is not used.

    >>> from relay.ir.expr import Constant
    >>> @register_df_node()
    ... class IsScalar(DFPattern):
    ...     def goals(self, expr, found):
    ...         return isinstance(expr, Constant) and expr.data.ndim == 0
    >>> import relay
    >>> IsScalar().match(relay.const(1.0)), IsScalar().match(relay.const([1.0]))
    (True, False)
    """
    if type_key is not None:
        require_name("the key of a pattern class", type_key)

    def declare(cls: _Class) -> _Class:
        if not issubclass(cls, DFPattern):
            message = (
                f"a class of patterns must be derived from DFPattern, but {cls.__name__} is not"
            )
            help_ = f"write class {cls.__name__}(DFPattern)"
            raise UsageError(ErrorCode.U302, message, help=help_)
        return node(cls)

    return declare


def _or_any(pattern: DFPattern[Any] | None) -> DFPattern[Any]:
    if pattern is None:
        return wildcard()
    require(DFPattern, "the pattern", pattern)
    return pattern
