"""The classic `TupleWrapper`: the result of an operator with several results."""

from typing import Any

from relay.ir.expr import Expr
from relay.ir.types import TupleType
from relay.ir.validation import require, require_index
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayTypeError


class _OfTuples(type):
    """The metaclass of `TupleWrapper`, whose instances are the expressions that are tuples."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Expr) and isinstance(instance.ty, TupleType)


class TupleWrapper(metaclass=_OfTuples):
    """An expression that is a tuple; expressions are returned unchanged, without a wrapper.

    `TupleWrapper(expr, size)` is the expression itself, which can be indexed and unpacked, has a
    length, and has `tuple_value` and `astuple()`. Raises `T013` for anything but a tuple of that
    size.

    >>> from relay.ir.expr import Var
    >>> from relay.ir.types import TensorType
    >>> pair = Var("pair", TupleType((TensorType((2,)), TensorType((3,)))))
    >>> TupleWrapper(pair, 2) is pair, isinstance(pair, TupleWrapper)
    (True, True)
    """

    def __new__(cls, tuple_value: Expr, size: int) -> Any:
        """Return the expression."""
        require(Expr, "what is a tuple", tuple_value)
        count = require_index("the number of fields", size)
        fields = tuple_value.ty.fields if isinstance(tuple_value.ty, TupleType) else None
        if tuple_value.ty is not None and (fields is None or len(fields) != count):
            message = f"expected a tuple of {count} fields, not {tuple_value.ty!r}"
            raise RelayTypeError(
                ErrorCode.T013, message, span=tuple_value.span, help="len(expr) counts them"
            )
        return tuple_value
