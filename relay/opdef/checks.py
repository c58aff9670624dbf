"""Checks that type rules of operators share; each raises an error with its own code.

`T100` rank · `T101` shapes that do not broadcast · `T102` element types that differ or are not
allowed · `T103` axis out of range · `T104` an invalid attribute · `T105` sizes that differ.
"""

from collections.abc import Sequence

from relay.ir.dims import ANY, Dim, Shape, is_natural, may_be_one
from relay.ir.types import TensorType
from relay.opdef.dim_constraints import Relation, constrain
from relay.support.dtype import DType, Kind
from relay.support.error_codes import ErrorCode
from relay.support.errors import ElementTypeError, RelayTypeError


def same_dtype(operator: str, *types: TensorType) -> None:
    """Require that all arguments have the same element type; otherwise raise `T102`."""
    names = [str(ty.dtype) for ty in types]
    if len(set(names)) > 1:
        raise ElementTypeError(
            ErrorCode.T102,
            f"{operator}: the arguments have different element types: {', '.join(names)}",
            help="convert one of them with cast(x, dtype=…)",
        )


def kind(operator: str, name: str, ty: TensorType, *allowed: Kind) -> None:
    """Raise `T102` unless the argument `name` has an element type of an allowed kind.

    Operators that take complex numbers take them where they take floats; the type check of a call
    refuses them for all others.
    """
    found = Kind.FLOAT if ty.dtype.is_complex else ty.dtype.kind
    if found not in allowed:
        wanted = ", ".join(each.value for each in allowed)
        raise RelayTypeError(
            ErrorCode.T102,
            f"{operator}: the element type of {name} is {ty.dtype}, but must be one of: {wanted}",
            help="convert it with cast(x, dtype=…)",
        )


def complex_result(operator: str, dtype: DType) -> None:
    """Raise `T102` unless the result of an operator on complex numbers has a complex type."""
    if not dtype.is_complex:
        raise RelayTypeError(
            ErrorCode.T102,
            f"{operator}: the result cannot be {dtype}, because an argument is complex",
            help="convert the result: cast(…, dtype=…) returns the real part",
        )


def index_dtype(operator: str, dtype: DType) -> None:
    """Raise `T104` unless indices have an integer type, or a float type with arithmetic."""
    allowed = (Kind.INT, Kind.UINT, Kind.FLOAT, Kind.BFLOAT)
    problem = f"indices cannot have the type {dtype}: dtype must be an integer type, such as int32"
    attribute(operator, dtype.kind in allowed, problem)


def rank(operator: str, name: str, ty: TensorType, *allowed: int) -> None:
    """Raise `T100` unless the argument `name` has one of the allowed ranks."""
    if ty.rank not in allowed:
        wanted = " or ".join(map(str, allowed))
        raise RelayTypeError(
            ErrorCode.T100,
            f"{operator}: {name} must have rank {wanted}, but its type is {ty!r}",
            help=f"reshape {name}: expand_dims adds axes, squeeze removes axes of size 1",
        )


def axis(operator: str, index: int, rank: int) -> int:
    """Return the axis `index` counted from the front.

    Negative indices count from the end (`T103`).
    """
    if not -rank <= index < rank:
        help_ = (
            f"choose an axis from 0 to {rank - 1}, or from -{rank} to -1 counted from the end"
            if rank
            else None
        )
        message = f"{operator}: axis {index} is out of range for a tensor of rank {rank}"
        raise RelayTypeError(ErrorCode.T103, message, help=help_)
    return index % rank


def axes(operator: str, indices: Sequence[int] | None, rank: int) -> tuple[int, ...]:
    """Return axes counted from the front, in ascending order; None means all axes.

    Raises `T103` if one is out of range, and `T104` if one is repeated.
    """
    if indices is None:
        return tuple(range(rank))
    found = sorted(axis(operator, index, rank) for index in indices)
    if len(set(found)) != len(found):
        raise RelayTypeError(
            ErrorCode.T104,
            f"{operator}: the list of axes {tuple(indices)} contains an axis twice",
            help="list each axis once; negative numbers count from the last axis",
        )
    return tuple(found)


def attribute(operator: str, condition: bool, problem: str, help: str | None = None) -> None:
    """Require that a condition on the attributes of an operator holds; otherwise raise `T104`."""
    if not condition:
        raise RelayTypeError(ErrorCode.T104, f"{operator}: {problem}", help=help)


def natural(operator: str, what: str, *sizes: Dim) -> None:
    """Require sizes that are not negative (`T002`), as far as they are known; `what` names them."""
    for each in sizes:
        if isinstance(each, int) and each < 0:
            raise RelayTypeError(
                ErrorCode.T002, f"{operator}: {what} must not be negative, but is {each}"
            )


def size(operator: str, what: str, expected: Dim, found: Dim, help: str | None = None) -> None:
    """Require the size `found` to be `expected` (`T105`); symbolic sizes are checked at run time.

    The message calls the size `what`.
    """
    constrain(operator, expected, found, what)
    if isinstance(expected, int) and isinstance(found, int) and expected != found:
        message = f"{operator}: {what}: expected {expected}, found {found}"
        raise RelayTypeError(ErrorCode.T105, message, help=help)


def enough(
    operator: str,
    size: Dim,
    least: Dim,
    message: str,
    code: ErrorCode = ErrorCode.T105,
    help: str | None = None,
) -> None:
    """Require `size >= least`, at run time if sizes are symbolic.

    `message` is that of the error `code`; `{size}` and `{index}` in it stand for `size` and
    `least`.
    """
    if is_natural(size - least):
        return
    if isinstance(size, int) and isinstance(least, int):
        raise RelayTypeError(
            code, f"{operator}: {message.format(size=size, index=least)}", help=help
        )
    constrain(operator, size, least, relation=Relation.AT_LEAST, message=f"{operator}: {message}")


def divides(
    operator: str,
    size: Dim,
    by: Dim,
    message: str,
    code: ErrorCode = ErrorCode.T105,
    help: str | None = None,
) -> None:
    """Require that `by` divides `size`, at run time if `size` is symbolic.

    `message` is that of the error `code`.
    """
    rest = size % by
    if isinstance(rest, int) and rest:
        raise RelayTypeError(code, f"{operator}: {message}", help=help)
    constrain(operator, 0, rest, message=f"{operator}: {message}")


def broadcast(operator: str, *shapes: Shape, trailing: int = 0) -> Shape:
    """Return the shape to which all shapes broadcast, aligned at the right (`T101`).

    The shapes may be the leading part of tensor shapes: `trailing` is the number of axes after
    them, for axis numbers in messages. If the dimensions of an axis differ, a dimension that is
    never 1 determines the result; if all of them may be 1, the result is `?`. Equality of symbolic
    dimensions is checked at run time.
    """
    for position, dims in _aligned(shapes):
        others = [dim for dim in dims if dim != 1]
        for dim in others[1:]:
            constrain(operator, others[0], dim, f"axis {-position - trailing}", Relation.BROADCAST)
    return broadcast_shape(operator, *shapes)


def broadcast_shape(operator: str, *shapes: Shape) -> Shape:
    """Return the shape to which shapes broadcast (`T101`), without checks at run time."""
    return tuple(_broadcast_dim(operator, dims, shapes) for _, dims in _aligned(shapes))[::-1]


def _aligned(shapes: Sequence[Shape]) -> list[tuple[int, list[Dim]]]:
    """Return each axis of right-aligned shapes: its position from the right, and its dimensions."""
    positions = range(1, max(map(len, shapes), default=0) + 1)
    return [(at, [shape[-at] for shape in shapes if len(shape) >= at]) for at in positions]


def _broadcast_dim(operator: str, dims: Sequence[Dim], shapes: Sequence[Shape]) -> Dim:
    """Return the dimension to which `dims` broadcast; raises `T101` if two integers differ."""
    different = dict.fromkeys(dim for dim in dims if dim != 1)
    numbers = [dim for dim in different if isinstance(dim, int)]
    if len(numbers) > 1:
        raise _clash(operator, numbers, shapes)
    if len(different) < 2:
        return next(iter(different), 1)
    return next((dim for dim in (*numbers, *different) if not may_be_one(dim)), ANY)


def _clash(operator: str, sizes: Sequence[Dim], shapes: Sequence[Shape]) -> RelayTypeError:
    drawn = " and ".join(f"({', '.join(map(str, shape))})" for shape in shapes)
    return RelayTypeError(
        ErrorCode.T101,
        f"{operator}: the shapes {drawn} do not broadcast",
        notes=[
            f"the sizes {sizes[0]} and {sizes[1]} meet at one axis; axes are aligned from the right"
        ],
        help="reshape an argument: at each axis the sizes must be equal, or one of them 1",
    )
