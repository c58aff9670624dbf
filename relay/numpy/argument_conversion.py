"""Convert arguments of NumPy functions to tensors, by the annotations of the parameters.

A parameter annotated with `Expr` is a tensor, with `Sequence[Expr]` a list of tensors: numbers,
arrays and lists become tensors, and all tensors of one call take one element type. Parameters with
other annotations must be known before the program runs.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import wraps
from inspect import BoundArguments, Parameter, Signature, signature
from typing import Annotated, Any, TypeAlias, TypeVar, cast

import numpy as np

from relay.ir.dims import AnyDim, Dim, is_static
from relay.ir.expr import Constant, Expr, TupleGetItem
from relay.ir.types import TensorType, TupleType
from relay.numpy.errors import argument_mismatch, mistake
from relay.numpy.tensor_conversion import Size, floating, tensor, together
from relay.ops.functions import core
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError

Real: TypeAlias = Annotated[Expr, "a float"]
"""A tensor whose integers are converted to floats: float64 for 64-bit integers, else float32."""

Apart: TypeAlias = Annotated[Expr, "on its own"]
"""A tensor that keeps its element type whatever the other arguments are: indices, a condition."""

MaybeExpr: TypeAlias = Expr | None
"""An optional tensor."""

MaybeReal: TypeAlias = Annotated[Expr | None, "a float"]
"""An optional float tensor."""

MaybeApart: TypeAlias = Annotated[Expr | None, "on its own"]
"""An optional tensor that keeps its element type."""

Given: TypeAlias = Annotated[Any, "as it is"]
"""An argument that the function itself converts."""

Axes: TypeAlias = int | Sequence[int] | None
Shape: TypeAlias = Dim | Sequence[Dim]

Sizes: TypeAlias = Annotated[Sequence[Dim | Size | Expr], "sizes of run time, too"]
"""A shape whose sizes may be integers that the program computes at run time."""

_LISTS: tuple[object, ...] = (Sequence[Expr], Sequence[Real], Sequence[Apart])
_FLOATS: tuple[object, ...] = (Real, MaybeReal, Sequence[Real])
_APART: tuple[object, ...] = (Apart, MaybeApart, Sequence[Apart])
_TENSORS: tuple[object, ...] = (Expr, MaybeExpr, *_FLOATS, *_APART, *_LISTS)
_ONE_NUMBER: tuple[object, ...] = (int, int | None)
_RESULT = TypeVar("_RESULT")


def numpy_function(build: Callable[..., _RESULT]) -> Callable[..., _RESULT]:
    """Return a NumPy function that converts its arguments by the annotations of `build`.

    Raises `F118` for arguments that do not match the parameters, `F112` for an argument that is not
    a tensor, `F120` for an argument that must be known before the program runs but is not.
    """
    shape = signature(build)
    name = build.__name__

    @wraps(build)
    def call(*args: object, **named: object) -> _RESULT:
        converted = _converted(shape, _bound(name, shape, args, named))
        try:
            return build(*converted.args, **converted.kwargs)
        except RelayError:
            raise
        except (ArithmeticError, LookupError, TypeError, ValueError) as error:
            what, help_ = _mismatch_error(name, error, [*args, *named.values()], shape)
            raise mistake(ErrorCode.F120, what, None, help_) from None

    return call


def _bound(
    name: str, shape: Signature, args: Sequence[object], named: Mapping[str, object]
) -> BoundArguments:
    try:
        return shape.bind(*args, **named)
    except TypeError:
        what, help_ = (
            argument_mismatch(name, shape, args, named),
            f"call it as {name}{shown(shape)}",
        )
        raise mistake(ErrorCode.F118, what, None, help_) from None


def _mismatch_error(
    name: str, error: Exception, given: Sequence[object], shape: Signature
) -> tuple[str, str]:
    """Return the message and the help text of an error in the function `name`.

    `error` is the exception that it raised, `given` are its arguments, and `shape` its signature.
    """
    if any(map(_is_open, given)):
        what = (
            f"the function {name} needs constant sizes, but a size passed here is known only at "
            "run time"
        )
        return what, "annotate the size of the tensor as a number, Tensor[3], or write the number"
    help_ = f"call it as {name}{shown(shape)}"
    if isinstance(error, TypeError):
        listed = ", ".join(map(_described, given))
        return f"the function {name} does not accept these arguments: {listed}", help_
    return f"{name}: {error}", help_


def _described(given: object) -> str:
    return repr(given.ty) if isinstance(given, Expr) else repr(given)


def _is_open(given: object) -> bool:
    """Whether a value is a size known only at run time, or a list with one."""
    if isinstance(given, list | tuple):
        return any(map(_is_open, cast("Sequence[object]", given)))
    return isinstance(given, Size)


def shown(shape: Signature) -> str:
    """Return the text of the signature `shape` without annotations."""
    plain = [each.replace(annotation=Parameter.empty) for each in shape.parameters.values()]
    return str(Signature(plain))


def _converted(shape: Signature, given: BoundArguments) -> BoundArguments:
    """Return the arguments converted as the signature `shape` declares.

    Tensors get one element type; other arguments must be known before the program runs.
    """
    kinds = {name: shape.parameters[name] for name in given.arguments}
    joint = {
        name: _items(kinds[name], each)
        for name, each in given.arguments.items()
        if _is_promoted_with_others(kinds[name].annotation, each)
    }
    flat = [item for items in joint.values() for item in items]
    typed = iter(together(flat) if flat else ())
    for name, each in given.arguments.items():
        kind = kinds[name].annotation
        if name in joint:
            parts = tuple(next(typed) for _ in joint[name])
            found = tuple(map(floating, parts)) if kind in _FLOATS else parts
            given.arguments[name] = found if _is_list(kinds[name]) else found[0]
        elif kind in _APART:
            given.arguments[name] = _apart(kinds[name], each)
        elif kind is Given:
            given.arguments[name] = each
        elif kind is Sizes:
            given.arguments[name] = tuple(map(_size, _items_of_list(each)))
        else:
            given.arguments[name] = known(each)
            if kind in _ONE_NUMBER and isinstance(given.arguments[name], tuple):
                what = f"the parameter {name} must be one number, not {given.arguments[name]}"
                raise mistake(ErrorCode.F120, what, None, f"write one number, {name}=0")
    return given


def _is_promoted_with_others(kind: object, given: object) -> bool:
    """Whether an argument is a tensor that is promoted to a common type with the others."""
    return kind in _TENSORS and kind not in _APART and given is not None


def _is_list(parameter: Parameter) -> bool:
    """Whether a parameter takes several tensors: as a list, or as variadic arguments."""
    return parameter.annotation in _LISTS or parameter.kind is Parameter.VAR_POSITIONAL


def _items(parameter: Parameter, given: object) -> Sequence[object]:
    """Return the tensors of one parameter; a tensor in place of a list yields its slices."""
    if not _is_list(parameter):
        return [given]
    if isinstance(given, list | tuple):
        return cast("Sequence[object]", given)
    return _items_of_list(given)


def _items_of_list(given: object) -> Sequence[object]:
    """Return the items of a list, a tuple or an array; a list of one for any other value."""
    match given:
        case Expr(ty=TupleType(fields)):
            return [TupleGetItem(given, index) for index in range(len(fields))]
        case list() | tuple():
            return cast("Sequence[object]", given)
        case np.ndarray() if given.ndim:
            return list(cast("Iterator[object]", iter(given)))
        case Expr(ty=TensorType(shape=(int() as count, *_))):
            return [core.take(given, index, axis=0) for index in range(count)]
        case _:
            return [given]


def _apart(parameter: Parameter, given: object) -> object:
    if _is_list(parameter):
        return tuple(map(tensor, _items(parameter, given)))
    return None if given is None else tensor(given)


def _size(given: object) -> object:
    """Return a size: a known one, or an integer that the program computes."""
    if isinstance(given, Size):
        return given.expr if isinstance(given.dim, AnyDim) else given
    if isinstance(given, Expr) and not isinstance(given, Constant):
        integer = given.tensor_type.dtype.is_integer and not given.tensor_type.rank
        if integer:
            return given
    return known(given)


def known(given: object) -> Any:
    """Return the value of an attribute; raises `F120` if it is known only at run time."""
    match given:
        case Constant(data) | (np.ndarray() as data):
            return data.item() if not data.ndim else tuple(map(known, data.tolist()))
        case np.generic():
            return cast("Any", given).item()
        case Size(dim):
            return dim
        case list() | tuple():
            return tuple(map(known, cast("Sequence[object]", given)))
        case Expr():
            shown_ = repr(given.ty)
            what = f"this argument must be a constant, not {shown_}"
            help_ = "write a number, or a size of an argument such as x.shape[0]"
            raise mistake(ErrorCode.F120, what, None, help_)
        case _:
            return given


def axes_of(axis: Axes, rank: int) -> tuple[int, ...]:
    """Return axes counted from 0; None means all. Raises `F120` for an axis out of range.

    >>> axes_of(None, 2), axes_of(-1, 2)
    ((0, 1), (1,))
    """
    listed = range(rank) if axis is None else (axis,) if isinstance(axis, int) else axis
    for each in listed:
        if not -rank <= each < rank:
            what = f"axis {each} is out of range for a tensor of rank {rank}"
            raise mistake(
                ErrorCode.F120, what, None, "axes are counted from 0, or from -1 backwards"
            )
    return tuple(each % rank for each in listed)


def shape_of(given: Shape) -> tuple[Dim, ...]:
    """Return a shape, which may be written as one number.

    >>> shape_of(3)
    (3,)
    """
    return tuple(given) if isinstance(given, Sequence) else (given,)


def known_shape(x: Expr) -> tuple[int, ...]:
    """Return the sizes of a tensor as integers; raises `F120` for a symbolic size."""
    if not is_static(x.tensor_type.shape):
        what = (
            "the tensor needs sizes that are known at compile time, but its type is "
            f"{x.tensor_type!r}"
        )
        raise mistake(
            ErrorCode.F120, what, None, "annotate its sizes as numbers: Tensor[3, 4, float32]"
        )
    return x.tensor_type.static_shape


def known_size(x: Expr, axis: int) -> int:
    """Return the size of an axis as an integer; raises `F120` if it is symbolic."""
    size = x.tensor_type.shape[axis]
    return size if isinstance(size, int) else known_shape(x)[axis]
