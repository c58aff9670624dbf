"""Fourier transforms along any axes, and the spectra of real signals."""

from collections.abc import Sequence
from typing import TypeAlias

from relay.frontend.builders.complex_tensor import joined, parts_of
from relay.frontend.builders.tensor_helpers import constant
from relay.ir.dims import Dim
from relay.ir.expr import Call, Expr, Tuple, TupleGetItem
from relay.ops.binary import scaled
from relay.ops.creation import ZerosLike
from relay.ops.nn.pad import Pad
from relay.ops.tensor.concat_and_split import Concatenate
from relay.ops.tensor.slice import StridedSlice
from relay.ops.tensor.transpose import Reverse, Transpose
from relay.ops.tensor.windows_and_fourier import DFT

Parts: TypeAlias = "tuple[Expr, Expr]"
"""The real and the imaginary part."""


def transformed(parts: Parts, axes: Sequence[int], *, inverse: bool) -> Parts:
    """Return Fourier transforms of complex numbers, given as real and imaginary parts, along axes.

    With `inverse`, the result is not divided by the length. The inverse is computed as the forward
    transform with real and imaginary parts exchanged before and after.
    """
    for axis in axes:
        parts = _exchanged(_along(_exchanged(parts), axis)) if inverse else _along(parts, axis)
    return parts


def _exchanged(parts: Parts) -> Parts:
    return parts[1], parts[0]


def _along(parts: Parts, axis: int) -> Parts:
    rank = parts[0].tensor_type.rank
    order = [i for i in range(rank) if i != axis % rank] + [axis % rank]
    back = tuple(order.index(i) for i in range(rank))
    is_last = order == list(range(rank))
    moved = parts if is_last else [Call(Transpose(tuple(order)), (each,)) for each in parts]
    both = Call(DFT(), tuple(moved), span=parts[0].span)
    real, imaginary = (TupleGetItem(both, index) for index in (0, 1))
    if is_last:
        return real, imaginary
    return Call(Transpose(back), (real,)), Call(Transpose(back), (imaginary,))


def fourier(x: Expr, axes: Sequence[int], *, inverse: bool = False, factor: float = 1.0) -> Expr:
    """Return Fourier transforms of a complex tensor along axes, multiplied by a factor."""
    parts = transformed(parts_of(x).parts, axes, inverse=inverse)
    return joined(*(_multiplied(each, factor) for each in parts))


def spectrum_of_reals(x: Expr, axes: Sequence[int], *, factor: float = 1.0) -> Expr:
    """Return transforms of a real tensor, multiplied by a factor.

    Along the last one of `axes`, only the lower half is returned.
    """
    *others, last = axes
    half = x.tensor_type.shape[last] // 2 + 1
    parts = transformed((x, Call(ZerosLike(), (x,))), [last], inverse=False)
    real, imaginary = (_multiplied(resized(each, half, last), factor) for each in parts)
    return joined(*transformed((real, imaginary), others, inverse=False))


def reals_of_spectrum(
    x: Expr, axes: Sequence[int], size: Dim, *, inverse: bool = True, factor: float
) -> Expr:
    """Return the real tensor of the lower half of a spectrum, multiplied by a factor.

    `size` is its size along the last one of `axes`, along which `x` has that half.
    """
    outer = transformed(parts_of(x).parts, axes[:-1], inverse=inverse)
    whole = whole_spectrum(outer, size, axes[-1])
    return _multiplied(transformed(whole, axes[-1:], inverse=inverse)[0], factor)


def _multiplied(x: Expr, factor: float) -> Expr:
    return x if factor == 1 else scaled(x, factor)


def whole_spectrum(parts: Sequence[Expr], size: Dim, axis: int = -1) -> Parts:
    """Return all `size` frequencies of real signals, of which `parts` are the lower half.

    The upper frequencies are conjugates of the lower ones; too many are cut off, and missing ones
    are zero.
    """
    half = size // 2 + 1
    axis %= parts[0].tensor_type.rank
    whole: list[Expr] = []
    for part, sign in zip(parts, (1.0, -1.0), strict=True):
        lower = resized(part, half, axis)
        inner = Call(StridedSlice((1,), (1 + size - half,), axes=(axis,)), (lower,))
        upper = scaled(Call(Reverse(axis), (inner,)), sign)
        whole.append(Call(Concatenate(axis), (Tuple((lower, upper)),)))
    real, imaginary = whole
    return real, imaginary


def resized(x: Expr, length: Dim, axis: int = -1) -> Expr:
    """Crop an axis, or pad it with zeros, to a length."""
    shape = x.tensor_type.shape
    axis %= len(shape)
    old = shape[axis]
    if old == length:
        return x
    if isinstance(old, int) and isinstance(length, int) and length > old:
        widths = tuple((0, length - old if i == axis else 0) for i in range(len(shape)))
        return Call(Pad(widths), (x, constant(0, x.tensor_type.dtype)))
    return Call(StridedSlice((0,), (length,), axes=(axis,)), (x,))
