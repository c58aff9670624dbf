"""Convert numbers, arrays and lists to tensors of a common element type.

Types stay narrow where NumPy's become 64 bits wide: a number alone is int32 or float32, and a float
keeps its width when combined with integers: float32 and int32 give float32.
"""

from collections.abc import Sequence
from functools import reduce
from typing import Any, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from relay.ir.dims import AnyDim, Dim
from relay.ir.expr import Array, Call, Constant, Expr, Tuple
from relay.ir.types import TensorType
from relay.numpy.errors import mistake
from relay.ops.cast import Cast
from relay.ops.tensor.arange import Arange
from relay.ops.tensor.concat_and_split import Stack
from relay.ops.tensor.gather import Take
from relay.ops.tensor.one_hot_and_shape_of import ShapeOf
from relay.support.dtype import DType, bool_, complex64, float32, float64, int32
from relay.support.dtype import dtype as to_dtype
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError
from relay.support.node import node
from relay.support.span import Span

Number: TypeAlias = bool | int | float | complex


@node
class Size:
    """A symbolic dimension: a size in shapes, and a scalar in expressions."""

    dim: Dim
    expr: Expr


def tensor(given: object, span: Span | None = None) -> Expr:
    """Return one argument as a tensor; a number alone is int32 or float32."""
    return together([given], span)[0]


def together(given: Sequence[object], span: Span | None = None) -> list[Expr]:
    """Return the operands of an elementwise function, converted to one element type.

    Raises `F112` for operands that are neither tensors, numbers nor lists of them.
    """
    found = [_operand(each, span) for each in given]
    dtypes = [each.tensor_type.dtype for each in found if isinstance(each, Expr)]
    for each in found:
        if not isinstance(each, Expr) and _widens(each, dtypes):
            dtypes.append(default_dtype(each))
    target = promote(dtypes)
    return [
        convert(each, target, span) if isinstance(each, Expr) else constant(each, target, span)
        for each in found
    ]


def _operand(given: object, span: Span | None) -> Expr | Number:
    match given:
        case Expr(ty=TensorType()):
            return given
        case np.ndarray() | np.generic():
            return Constant(np.asarray(cast("Array", given)), span=span)
        case bool() | int() | float() | complex():
            return given
        case Size():
            return given.expr
        case list() | tuple() if given:
            return array_of(cast("Sequence[object]", given), span)
        case _:
            advice = "pass a tensor, a number, an array, or a list of them"
            if isinstance(given, str):
                advice = (
                    "strings exist only in Python: return an index, and look the string up there"
                )
            shown = repr(given.ty) if isinstance(given, Expr) else repr(given)
            what = f"NumPy's functions take tensors and numbers, not {shown}"
            raise mistake(ErrorCode.F112, what, span, advice)


def array_of(items: Sequence[object], span: Span | None = None) -> Expr:
    """Return the tensor that NumPy would create from a list; recursion follows its nesting."""
    if _is_plain(items):
        try:
            return Constant(narrowed(np.asarray(items)), span=span)
        except ValueError:
            what = "these nested lists do not form a tensor: their rows differ in length"
            raise mistake(ErrorCode.F112, what, span, "give all rows the same length") from None
    parts = tuple(together(items, span))
    try:
        return Call(Stack(0), (Tuple(parts, span=span),), span=span)
    except RelayError as error:
        raise error.at(span) from None


def _is_plain(given: object) -> bool:
    if isinstance(given, list | tuple):
        return all(map(_is_plain, cast("Sequence[object]", given)))
    return isinstance(given, bool | int | float | complex) and not isinstance(given, np.generic)


def constant(number: object, dtype: DType, span: Span | None = None) -> Constant:
    """Return a number as a scalar of an element type; raises `F128` if it does not fit."""
    array: Array = np.asarray(number)
    with np.errstate(all="ignore"):
        made = array.astype(dtype.numpy)
    if not dtype.has_derivatives and dtype is not bool_ and not np.array_equal(made, array):
        advice = "choose a wider element type, or a float type for fractions"
        raise mistake(
            ErrorCode.F128,
            f"the number {number} does not fit into the element type {dtype}",
            span,
            advice,
        )
    return Constant(made, span=span)


def like(number: Number, x: Expr) -> Constant:
    """Return a number as a scalar with the element type of a tensor."""
    return Constant(np.asarray(number, x.tensor_type.dtype.numpy))


def default_dtype(number: object) -> DType:
    """Return the element type of a number without a tensor operand.

    It is bool, int32, float32 or complex64.
    """
    if isinstance(number, bool):
        return bool_
    if isinstance(number, complex):
        return complex64
    return int32 if isinstance(number, int) else float32


def promote(dtypes: Sequence[DType]) -> DType:
    """Return the common type of the operands: complex over float over integer over bool.

    Within a kind, it is NumPy's. A float keeps its width when combined with integers: float32 and
    int32 give float32. Complex numbers have parts of the widest type among them and the floats.
    """
    best = max(map(rank_of_kind, dtypes))
    kind = {d for d in dtypes if rank_of_kind(d) == best or (best[0] and d.is_float)}
    return reduce(_wider, sorted(kind, key=lambda d: d.bits))


def rank_of_kind(dtype: DType) -> tuple[bool, ...]:
    """Return the rank of the kind of an element type."""
    return dtype.is_complex, dtype.is_float, dtype.is_integer


def _wider(a: DType, b: DType) -> DType:
    try:
        return to_dtype(np.promote_types(a.numpy, b.numpy))
    except TypeError:  # 16-bit floats, of which NumPy does not know some common types
        return a if a.is_complex else b if b.is_complex else float32


def _widens(number: object, dtypes: Sequence[DType]) -> bool:
    """Whether a Python number is of a wider kind than all tensor operands."""
    return not dtypes or rank_of_kind(default_dtype(number)) > max(map(rank_of_kind, dtypes))


def convert(x: Expr, dtype: DType, span: Span | None = None) -> Expr:
    """Return the elements in another type; the same expression if it has that type."""
    if x.tensor_type.dtype is dtype:
        return x
    return Call(Cast(dtype), (x,), span=span)


def floating(x: Expr, span: Span | None = None) -> Expr:
    """Return integers and booleans as floats: float64 for 64-bit types, else float32."""
    dtype = x.tensor_type.dtype
    if dtype.has_derivatives:
        return x
    return convert(x, float64 if dtype.bits == 64 else float32, span)


def element_type(given: object, otherwise: DType) -> DType:
    """Return an element type; Python's `int`, `float` and `complex` mean the default ones."""
    if given is None:
        return otherwise
    named: dict[object, object] = {int: int32, float: float32, complex: complex64}
    wanted: Any = named.get(given, given)
    return to_dtype(wanted)


def narrowed(array: npt.NDArray[Any]) -> Array:
    """Return Python numbers in Relay's default types: int32, float32 and complex64."""
    if array.dtype == np.int64 and not np.array_equal(array, array.astype(np.int32)):
        return array
    narrow = {"float64": np.float32, "int64": np.int32, "complex128": np.complex64}
    return array.astype(narrow.get(array.dtype.name, array.dtype))


# Sizes


def size(x: Expr, axis: int, span: Span | None = None) -> int | Size:
    """Return a size of a tensor: an integer, or a symbolic dimension with its run-time value."""
    dim = x.tensor_type.shape[axis]
    if isinstance(dim, int):
        return dim
    shape = Call(ShapeOf(), (x,), span=span)
    return Size(dim, Call(Take(axis=0), (shape, Constant(np.asarray(axis, np.int32))), span=span))


def sizes_of(x: Expr) -> "list[Dim | Size | Expr]":
    """Return the shape of a tensor; sizes known only at run time are expressions."""
    found = [size(x, axis) for axis in range(x.tensor_type.rank)]
    open_ = [isinstance(each, Size) and isinstance(each.dim, AnyDim) for each in found]
    pairs = zip(found, open_, strict=True)
    return [each.expr if isinstance(each, Size) and late else each for each, late in pairs]


def count_along(x: Expr, axis: int, span: Span | None = None) -> Expr:
    """Return the size of an axis as an expression."""
    found = size(x, axis, span)
    return convert(found.expr, int32) if isinstance(found, Size) else constant(found, int32, span)


def places_along(x: Expr, axis: int, span: Span | None = None) -> Expr:
    """Return the indices along an axis, `0, 1, …`; its size may be symbolic or unknown."""
    found = size(x, axis, span)
    if isinstance(found, int):
        return Constant(np.arange(found, dtype=np.int32), span=span)
    end = None if isinstance(found.dim, AnyDim) else found.dim
    ends = constant(0, int32, span), convert(found.expr, int32), constant(1, int32, span)
    return Call(Arange(0, end, 1), ends, span=span)
