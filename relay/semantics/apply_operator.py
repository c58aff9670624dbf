"""Evaluation of a single operator, by its NumPy reference or its decomposition."""

from collections.abc import Sequence
from functools import cache
from typing import TypeAlias, cast

import numpy as np

from relay.ir.attribute_dims import symbolic_attributes
from relay.ir.dims import ANY
from relay.ir.expr import Array, Call, Constant, Expr, Tuple, TupleGetItem
from relay.ir.types import TensorType, TupleType, Type, is_dynamic
from relay.ir.walk import fold
from relay.opdef.definition import OperatorDef
from relay.semantics.evaluator_values import Value
from relay.semantics.value_matching import value_text
from relay.support.dtype import DType
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError, RelayTypeError, RunError, as_run_error

TensorValue: TypeAlias = Array | tuple[Array, ...]


def apply(op: OperatorDef, *args: TensorValue) -> TensorValue:
    """Return an operator's result for arrays; a tuple of arrays stands for a tuple of tensors.

    Overflow and division by zero of floats result in infinity or NaN, without a warning.
    """
    with np.errstate(all="ignore"):
        return apply_to(op, args)


def apply_to(
    op: OperatorDef, args: Sequence[TensorValue], result: Type | None = None
) -> TensorValue:
    """Return an operator's result for arrays; its type is `result` if that is known.

    The caller must silence NumPy's warnings.
    """
    if result is None:  # before NumPy, which accepts some sizes that the type rule rejects
        result = op.result_type([as_constant(arg).type for arg in args])
    if not op.has("reference"):
        if not op.has("decompose"):
            raise _without_reference(op)
        return value_of(op.decompose(*map(as_constant, args)))
    if result is not None and is_dynamic(result):
        _refuse_unknown_sizes(op)
    return _typed(op.reference(*cast("Sequence[Array]", args)), result)


def _without_reference(op: OperatorDef) -> RunError:
    """Return the error `R042` for an operator of a user that only has a formula."""
    return RunError(
        ErrorCode.R042,
        f"the operator {op.name} has no NumPy reference",
        help=f'define one with relay.op.register_reference("{op.name}"), or run the program with '
        "relay.compile",
    )


def _refuse_unknown_sizes(op: OperatorDef) -> None:
    """Raise `R042` for an operator with a size `?` that no argument determines.

    Data decide on the sizes that an operator opens.
    """
    if ANY in symbolic_attributes(op) and not op.opened:
        message = f"{op.name}: the size `?` is unknown, because no argument determines it"
        help_ = "replace ? by a number or by the name of a size, or use a tensor that has the size"
        raise RunError(ErrorCode.R042, message, help=help_)


def as_constant(value: TensorValue) -> Expr:
    """Return an expression that evaluates to `value`: a constant or a tuple of constants."""
    if isinstance(value, tuple):
        return Tuple(tuple(Constant(field) for field in value))
    return Constant(value)


def _typed(value: TensorValue, result: Type | None) -> TensorValue:
    """Convert arrays to the dtypes of the type `result`, since NumPy promotes types differently."""
    if isinstance(value, tuple):
        assert isinstance(result, TupleType), "a tuple has the type of one"
        pairs = zip(value, result.fields, strict=True)
        return tuple(_as_type(array, cast("TensorType", ty)) for array, ty in pairs)
    return _as_type(value, cast("TensorType", result))


def _as_type(array: Array, ty: TensorType) -> Array:
    return np.asarray(array).astype(_numpy_type(ty.dtype), copy=False)


@cache
def _numpy_type(dtype: DType) -> np.dtype[np.generic]:
    return dtype.numpy


def value_of(expr: Expr) -> TensorValue:
    """Return the value of an expression that consists of operators, constants and tuples.

    >>> from relay.ops.nn.activations import Relu
    >>> value_of(Call(Relu(), (Constant(np.array([-1.0, 2.0])),)))
    array([0., 2.])
    """

    def visit(node: Expr, inner: list[TensorValue | None]) -> TensorValue | None:
        match node:
            case Constant(data):
                return data
            case Tuple():
                return tuple(cast("list[Array]", inner))
            case TupleGetItem(_, index):
                return cast("tuple[Array, ...]", inner[0])[index]
            case Call(OperatorDef() as op):
                return apply(op, *cast("list[TensorValue]", inner[:-1]))
            case _:
                return None

    value = fold(expr, visit)
    assert value is not None, f"{type(expr).__name__} is not a value of operators alone"
    return value


def value_of_call(call: Call, op: OperatorDef, inputs: Sequence[Value]) -> Value:
    """Return the result of an operator's call; errors get the source span of the call."""
    try:
        is_open = any(arg.ty is None or is_dynamic(arg.ty) for arg in call.args)
        known = None if is_open else call.ty
        return apply_to(op, cast("Sequence[TensorValue]", inputs), known)
    except RelayTypeError as error:
        if error.code in _OF_ELEMENTS:
            raise error.at(call.span) from None
        raise as_run_error(error).at(call.span) from None  # sizes are known only at run time
    except RelayError as error:
        raise error.at(call.span) from error.__cause__
    except MemoryError as error:
        raise RunError(ErrorCode.R009, f"{op.name}: {error}", span=call.span) from None
    except (ArithmeticError, LookupError, ValueError) as error:
        notes = [
            f"{name}: {value_text(each)}" for name, each in zip(op.arguments(), inputs, strict=True)
        ]
        message = f"the operator {op.name} is not defined for these arguments: {error}"
        raise RunError(ErrorCode.R042, message, span=call.span, notes=notes) from None


_OF_ELEMENTS = frozenset({ErrorCode.T018})
"""The codes of type errors that depend only on element types, not on sizes."""
