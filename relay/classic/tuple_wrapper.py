"""TVM's `TupleWrapper`, for operators with several results."""

from typing import Any

from relay.ir.expr import Expr
from relay.ir.field_validation import require, require_index
from relay.ir.types import TupleType
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayTypeError


class _OfTuples(type):
    """The metaclass of `TupleWrapper`: `isinstance` is true for all tuple expressions."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Expr) and isinstance(instance.ty, TupleType)


class TupleWrapper(metaclass=_OfTuples):
    """TVM's wrapper of tuple expressions; here, constructing one returns the expression itself.

    `TupleWrapper(expr, size)` is `expr`, which can be indexed and unpacked, has a length, and has
    `tuple_value` and `astuple()`. Raises `T013` unless it is a tuple of `size` fields.

    >>> from relay.ir.expr import Var
    >>> from relay.ir.types import TensorType
    >>> pair = Var("pair", TupleType((TensorType((2,)), TensorType((3,)))))
    >>> TupleWrapper(pair, 2) is pair, isinstance(pair, TupleWrapper)
    (True, True)
    """

    def __new__(cls, tuple_value: Expr, size: int) -> Any:
        """Return the expression itself after checking that it is a tuple of `size` fields."""
        require(Expr, "the wrapped tuple", tuple_value)
        count = require_index("the number of fields", size)
        fields = tuple_value.ty.fields if isinstance(tuple_value.ty, TupleType) else None
        if tuple_value.ty is not None and (fields is None or len(fields) != count):
            message = (
                f"a tuple of {count} fields is expected, but the expression has type "
                f"{tuple_value.ty!r}"
            )
            raise RelayTypeError(
                ErrorCode.T013,
                message,
                span=tuple_value.span,
                help=("read the number of fields with len(expr)"),
            )
        return tuple_value
