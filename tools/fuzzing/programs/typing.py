"""Generate random types that have at least one value."""

from relay.ir.dims import is_static
from relay.ir.types import (
    BOOL,
    FuncType,
    TensorType,
    TupleType,
    Type,
    TypeCall,
    TypeVar,
    scalar_type,
)
from relay.support.dtype import dtype
from tools.fuzzing.programs.choices import Choices
from tools.fuzzing.programs.data import DataTypes
from tools.fuzzing.programs.scope import Scope

_TENSORS: tuple[Type, ...] = (
    scalar_type("float32"),
    scalar_type("int32"),
    BOOL,
    TensorType((2,), dtype("float32")),
    TensorType((2, 3), dtype("float32")),
    TensorType((3,), dtype("int32")),
    TensorType((2, 2), dtype("float64")),
    TensorType((1, 2), dtype("int64")),
    TensorType((2,), dtype("uint8")),
    TensorType((2,), dtype("float16")),
)


def random_type(choices: Choices, scope: Scope, data: DataTypes, depth: int) -> Type:
    """Return a type: a tensor, or composed of others up to a depth."""
    match choices.below(7) if depth > 0 else choices.below(2):
        case 0:
            return choices.pick(_TENSORS)
        case 1 | 2:
            at_hand = [ty for ty in scope.types() if _is_free_of_functions(ty)]
            return choices.pick(at_hand or _TENSORS)
        case 3:
            count = choices.below(4)
            return TupleType(
                tuple(random_type(choices, scope, data, depth - 1) for _ in range(count))
            )
        case 4:
            count = choices.below(3)
            params = tuple(random_type(choices, scope, data, depth - 1) for _ in range(count))
            return FuncType(params, random_type(choices, scope, data, depth - 1))
        case _:
            found = data.types[choices.pick(sorted(data.types))]
            args = tuple(random_type(choices, scope, data, depth - 1) for _ in found.type_params)
            return TypeCall(found.header, args)


def plain_type(choices: Choices, data: DataTypes, depth: int = 2) -> Type:
    """Return a type of values that can be passed to a program: without functions."""
    match choices.below(4) if depth > 0 else 0:
        case 0 | 1:
            return choices.pick(_TENSORS)
        case 2:
            count = choices.below(3)
            return TupleType(tuple(plain_type(choices, data, depth - 1) for _ in range(count)))
        case _:
            found = data.types[choices.pick(sorted(data.types))]
            args = tuple(plain_type(choices, data, depth - 1) for _ in found.type_params)
            return TypeCall(found.header, args)


def _is_free_of_functions(ty: Type) -> bool:
    return isinstance(ty, TensorType | TypeVar | TupleType | TypeCall)


def is_open(ty: Type) -> bool:
    """Whether it is a tensor with a symbolic size."""
    return isinstance(ty, TensorType) and not is_static(ty.shape)
