"""Error reports for type mismatches: the expected and the actual type, their origins, and help."""

from enum import StrEnum
from math import prod

from relay.ir.dims import Polynomial, equation, is_static, variables
from relay.ir.dtype_advice import number_advice
from relay.ir.expr import Call, Constant, Constructor, Expr, Function, GlobalVar, Let, Var
from relay.ir.types import (
    BOOL,
    FuncType,
    RefType,
    TensorType,
    TupleType,
    Type,
    TypeCall,
)
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayTypeError
from relay.support.node import node
from relay.support.span import Span


class MismatchKind(StrEnum):
    """The kind of a type mismatch; each value is an error code."""

    KIND = ErrorCode.T020
    INFINITE = ErrorCode.T033
    SIZES = ErrorCode.T034
    ELEMENTS = ErrorCode.T035


class Mismatch(Exception):  # noqa: N818 - says what happened; it never leaves this room
    """The exception for two types that cannot be unified, with a reason if they do not show it."""

    def __init__(self, kind: MismatchKind, why: str = "") -> None:
        super().__init__(why)
        self.kind = kind


@node
class TypedRole:
    """The role of an expression, such as an argument, for the report of a type mismatch.

    `name` describes the expression. `source_text` describes what requires the expected type, and
    `by` is the expression at whose location it is written.
    """

    name: str
    source_text: str = ""
    by: Expr | None = None

    def notes(self) -> list[str]:
        """Return a note that says where the expected type comes from, if that is known."""
        if self.by is None or (self.source_text and self.by.span is None):
            return []
        source = f"{self.source_text} at {self.by.span}" if self.source_text else self.by.origin
        return [] if source is None else [f"expected because of {source}"]


CONDITION = TypedRole("a condition")


def mismatch_error(
    place: TypedRole, expected: Type, found: Type, why: Mismatch, at: Expr | None = None
) -> RelayTypeError:
    """Return the error for an expression in the role `place` whose type differs from `expected`.

    `at` is the expression, and `why` the failed unification. The code depends on it: `T020` for
    different kinds of types, `T033` for a type that would contain itself, `T034` for sizes and
    `T035` for element types.
    """
    notes = [*filter(None, [str(why)]), *place.notes()]
    if isinstance(at, Var):
        notes.append(f"found in {at.origin}")
    if why.kind is MismatchKind.INFINITE:
        message = f"the type of {place.name} would contain itself"
        help_ = "define a recursive data type for it"
        return RelayTypeError(why.kind.value, message, notes=notes[1:], help=help_)
    message = f"{place.name}: expected {expected!r}, found {found!r}"
    help_ = _condition(found) if place is CONDITION else _advice(expected, found, at)
    return RelayTypeError(why.kind.value, message, notes=notes, help=help_)


def _condition(found: Type) -> str:
    if isinstance(found, TensorType) and found.dtype is BOOL.dtype:
        return "compute a single bool: reduce the tensor with all(…) or any(…)"
    if isinstance(found, TensorType) and found.dtype.is_complex:
        return "compare the absolute value with zero: abs(%x) > 0f"
    zero = f"0{found.dtype.suffix}" if isinstance(found, TensorType) else "0f"
    return f"compare the number with zero: %x > {zero} or not_equal(%x, {zero})"


def _advice(expected: Type, found: Type, at: Expr | None) -> str | None:
    """Return advice on the most likely way to fix a mismatch; None if there is none."""
    if repr(expected) == repr(found):
        return "rename one of the two different type parameters that have the same name"
    match expected, found:
        case TensorType(), TensorType():
            return _tensor_advice(expected, found, at)
        case TupleType(), TupleType():
            return "write as many fields as the expected tuple has"
        case TupleType((only,)), _ if only is found:
            return "write a tuple of one field as (%x,)"
        case TupleType(), TensorType():
            return "put the tensors into a tuple: (%x, %y)"
        case TensorType(), TupleType():
            return "use one field of the tuple: %t.0"
        case TensorType(), TypeCall():
            return f"read the fields of the {found.head.name} with match"
        case TypeCall(left, _), TypeCall(right, _) if left is right:
            return f"convert an element: all elements of one {left.name} must have the same type"
        case TypeCall(), TensorType():
            return f"build a {expected.head.name} with one of its constructors"
        case RefType(wanted), RefType():
            return f"create the reference with that content type: let %x: {wanted!r} = …; ref(%x)"
        case _, RefType(content) if content is expected:
            return "read the reference: ref_read(%r)"
        case RefType(), _ if not isinstance(found, RefType):
            return "create a reference, let %r = ref(%x), and use %r"
        case _, FuncType() if not isinstance(expected, FuncType):
            return "call the function: %f(%x)"
        case FuncType(), FuncType() if len(expected.type_params) > len(found.type_params):
            return "pass a generic function: fn [A](%x: A) -> A { … }, or a generic @function"
        case FuncType(), _ if not isinstance(found, FuncType):
            return "pass the function itself, without calling it: %f, or fn (%x) { … }"
        case _:
            return None


def _tensor_advice(expected: TensorType, found: TensorType, at: Expr | None) -> str | None:
    if expected.dtype is not found.dtype:
        if isinstance(at, Constant) and expected.dtype is BOOL.dtype:
            return "write True or False, or a comparison: %x != 0f"
        advice = number_advice(at.array, expected.dtype) if isinstance(at, Constant) else None
        return advice or f'convert it: cast(%x, dtype="{expected.dtype}")'
    if not (is_static(expected.shape) and is_static(found.shape)):
        return _names_advice(expected)
    if _transposed(expected, found):
        return "swap axes, transpose(%x, axes=[…]): the sizes match in another order"
    if prod(expected.static_shape) == prod(found.static_shape):
        return (
            "reshape the tensor, if the order of its elements is right: reshape(%x, "
            f"newshape={_list(expected)})"
        )
    if expected.rank != found.rank:
        return "change the number of axes with expand_dims, squeeze or reshape"
    return "compute a tensor of the expected shape, or declare its actual shape here"


def _names_advice(expected: TensorType) -> str:
    """Return advice for a tensor whose symbolic dimensions differ from those of `expected`."""
    for dim in expected.shape:
        if isinstance(dim, Polynomial) and equation(dim) is None:
            names = " and ".join(sorted(map(str, variables(dim))))
            return (
                f"add a parameter that determines {names}, such as Tensor[(n), …]: the size "
                f"{dim} alone does not"
            )
        if isinstance(dim, Polynomial):
            return f"pad or slice the tensor, so that its size has the form {dim}"
    return "use the same name for equal sizes, or `?` for any size"


def _transposed(a: TensorType, b: TensorType) -> bool:
    return a.rank > 1 and sorted(a.static_shape) == sorted(b.static_shape)


def _list(ty: TensorType) -> str:
    return str([*ty.static_shape])


def result_of(function: Function) -> Expr:
    """Return the expression whose value a function returns: the innermost body of its lets."""
    result = function.body
    while isinstance(result, Let):
        result = result.body
    return result


def result_place(function: Function) -> TypedRole:
    """Return the role of a function's result, with the declared result type if there is one."""
    declared = None if function.result is None else function
    return TypedRole("the result of the function", "the result type of the function", declared)


def use_of(result: Expr, function: Function) -> Span | None:
    """Return the span of the last use of a function's result, if that is a variable.

    For other results it is the span of the function.
    """
    whole = function.span
    if whole is None or not isinstance(result, Var):
        return whole
    return whole.last(f"%{result.name}") or whole


def argument_places(call: Call, function: Function | None) -> list[TypedRole]:
    """Return the role of each argument of a call, with its parameter if the callee is known."""
    of = callee_name(call.op)
    params = [None] * len(call.args) if function is None else function.params
    return [TypedRole(f"argument {i + 1} of {of}", "", param) for i, param in enumerate(params)]


def callee_name(callee: Expr) -> str:
    """Return a description of a callee for error messages, such as `@f`."""
    match callee:
        case GlobalVar(name):
            return f"@{name}"
        case Var(name):
            return f"%{name}"
        case Constructor(name):
            return name
        case _:
            return "the function"
