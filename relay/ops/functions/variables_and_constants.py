"""Functions that build parts of programs: variables, constants, unknown sizes."""

import mmap
from collections.abc import Sequence
from reprlib import repr as short

import numpy as np
import numpy.typing as npt

from relay.ir.dims import ANY, AnyDim, Dim
from relay.ir.expr import Array, Constant, Var
from relay.ir.types import Kind, TensorType, Type, TypeVar, scalar_type
from relay.runtime.dlpack import array_of
from relay.support.dtype import DType, dtype
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayTypeError, TwoTypesError

_NARROWED = {
    np.dtype(np.int64): np.dtype(np.int32),
    np.dtype(np.float64): np.dtype(np.float32),
    np.dtype(np.complex128): np.dtype(np.complex64),
}


def var(
    name_hint: str,
    type_annotation: "Type | DType | str | None" = None,
    shape: Sequence[Dim] | None = None,
    dtype: "DType | str" = "float32",
) -> Var:
    """Return a new variable: with a type, with a shape and element type, or untyped.

    >>> var("x", shape=(2, 3)).type
    Tensor[(2, 3), float32]
    >>> var("n", "int32").type
    int32

    Raises `T014` if both a type and a shape are given, `T017` for an invalid shape.
    """
    if type_annotation is not None and shape is not None:
        message = f"the variable '{name_hint}' is given both a type and a shape"
        raise TwoTypesError(
            ErrorCode.T014,
            message,
            help=(
                "pass either the type, relay.TensorType((2, 3)), or the shape and the element type "
                'by name: shape=(2, 3), dtype="float32"'
            ),
        )
    if shape is not None:
        if not isinstance(shape, Sequence):  # pyright: ignore[reportUnnecessaryIsInstance] - as callers may
            message = f"the shape of the variable '{name_hint}' cannot be {shape!r}"
            raise RelayTypeError(
                ErrorCode.T017, message, help=f"pass a tuple or list of sizes: shape=({shape},)"
            )
        return Var(name_hint, TensorType(tuple(shape), _element(dtype)))
    if isinstance(type_annotation, str | DType):
        return Var(name_hint, scalar_type(type_annotation))
    return Var(name_hint, type_annotation)


def const(value: npt.ArrayLike, dtype: "DType | str | None" = None) -> Constant:
    """Return a constant tensor from a number, nested lists or an array.

    Without `dtype`, integers of Python or of 64 bits become int32, floats of Python or of 64 bits
    become float32, and complex numbers of Python or of 128 bits complex64; arrays of other types
    keep their type.

    >>> const([1.5, 2.5]).type
    Tensor[(2,), float32]
    >>> const(1, "int64").type
    int64

    The constant shares the memory of a read-only array, such as a weight in a mapped file.

    Raises `T012` for a number that the integer type cannot represent, and `R003` or `R010` for a
    tensor of another library that cannot be read.
    """
    try:
        data = array_of(value)
    except ValueError:
        message = "these nested lists do not form a tensor: their rows differ in length"
        raise RelayTypeError(
            ErrorCode.T012, message, help="give all lists at one level the same length"
        ) from None
    huge = data.dtype == object and all(isinstance(each, int) for each in data.flat)
    if data.dtype.kind not in "biufcV" and not huge:
        message = f"a constant must consist of numbers, not of {short(value)}"
        raise RelayTypeError(
            ErrorCode.T012, message, help="pass a number, nested lists of them, or an array"
        )
    given = np.dtype(np.int64) if huge else data.dtype
    target = _NARROWED.get(given, given) if dtype is None else _element(dtype).numpy
    with np.errstate(all="ignore"):
        drops = given.kind == "c" and np.dtype(target).kind != "c"
        held = np.real(data) if drops else data
        held = data if huge else held.astype(target, copy=not _never_changes(data))
    loses = drops or given.kind in "iu" or (given.kind == "f" and np.dtype(target).kind in "iu")
    if huge or (given != target and loses and np.any(held != data)):
        message = f"the element type {target} cannot represent {short(value)}"
        help_ = "choose another type, relay.const(value, dtype), or round the numbers first"
        raise RelayTypeError(ErrorCode.T012, message, help=help_)
    return Constant(held)


def Any() -> AnyDim:  # noqa: N802 - the classic name
    """Return the dimension `?`, whose size is known only at run time."""
    return ANY


def ShapeVar(name: str) -> TypeVar:  # noqa: N802 - the classic name
    """Return a type parameter that stands for a shape."""
    return TypeVar(name, Kind.SHAPE)


def _never_changes(data: Array) -> bool:
    """Whether an array and all arrays whose memory it shares are read-only."""
    holder: Array | None = data
    while isinstance(holder, np.ndarray):
        if holder.flags.writeable:
            return False
        holder = holder.base
    return holder is None or isinstance(holder, mmap.mmap)  # pyright: ignore[reportUnnecessaryIsInstance] - declared as an array


def _element(of: "DType | str") -> DType:
    return dtype(of)
