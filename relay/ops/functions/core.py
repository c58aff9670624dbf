"""The functions of the module `relay` itself, such as `relay.add` and `relay.reshape`.

Functions not defined here are generated from the operator of that name.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from relay.ir.dims import Dim
from relay.ir.expr import Call, Constant, Expr, operands
from relay.opdef import checks
from relay.ops.broadcasting import BroadcastTo
from relay.ops.creation import Full, FullLike
from relay.ops.functions import composites
from relay.ops.functions.call_builders import arguments, builder, call
from relay.ops.functions.generated_members import namespace
from relay.ops.functions.variables_and_constants import const
from relay.ops.nn.sparse_matrices import SparseToDense
from relay.ops.selection import Where
from relay.ops.tensor.advanced_indexing import AdvIndex
from relay.ops.tensor.arange import Arange
from relay.ops.tensor.gather import Gather, Take
from relay.ops.tensor.one_hot_and_shape_of import OneHot
from relay.ops.tensor.reshape import ReverseReshape
from relay.ops.tensor.search_and_unique import Unique
from relay.ops.tensor.slice import StridedSlice
from relay.ops.tensor.strided_set import StridedSet
from relay.ops.tensor.triangles_masks_diagonals import MatrixSetDiag, Trilu
from relay.ops.tensor.windows_and_fourier import STFT
from relay.support.dtype import DType

_SIDES = {
    f"{above}_{below}": (above == "RIGHT", below == "RIGHT")
    for above in ("LEFT", "RIGHT")
    for below in ("LEFT", "RIGHT")
}

take = builder(Take, "data indices axis batch_dims mode")
gather = builder(Gather, "data axis indices")
adv_index = builder(AdvIndex, "inputs")
strided_slice = builder(
    StridedSlice, "data begin end strides axes slice_mode", strides=(), axes=None
)
reverse_reshape = builder(ReverseReshape, "data newshape allowzero")
broadcast_to = builder(BroadcastTo, "data shape dtype")
full_like = builder(FullLike, "data fill_value")


def where(condition: Expr, x: Expr | float, y: Expr | float) -> Call:
    """Return `x` where the condition holds and `y` elsewhere; the three broadcast."""
    return Call(Where(), (condition, *operands((x, y))))


def full(
    fill_value: Expr | float,
    shape: Expr | Sequence[object] = (),
    dtype: "DType | str" = "",
) -> Call:
    """Return a tensor filled with one number; `dtype` is that of the number by default."""
    return call(Full, [_number(fill_value, dtype)], {"shape": shape, "dtype": dtype})


def arange(
    start: Expr | float,
    stop: Expr | float | None = None,
    step: Expr | float | None = None,
    dtype: "DType | str" = "float32",
) -> Call:
    """Return the numbers from `start` to `stop`, exclusive; a single argument is `stop`."""
    first, last = (0, start) if stop is None else (start, stop)
    parts = [_number(each, dtype) for each in (first, last, 1 if step is None else step)]
    known = [_known(each) for each in parts]
    names = ("start", "stop", "step")
    return Call(Arange.made({**dict(zip(names, known, strict=True)), "dtype": dtype}), tuple(parts))


def one_hot(
    indices: Expr,
    on_value: Expr | float,
    off_value: Expr | float,
    depth: Expr | Dim,
    axis: int,
    dtype: "DType | str",
) -> Call:
    """Return one-hot vectors along a new axis: `on_value` at the index, else `off_value`."""
    tensors = [indices, _number(on_value, dtype), _number(off_value, dtype)]
    return call(OneHot, tensors, {"depth": depth, "axis": axis, "dtype": dtype})


def strided_set(
    data: Expr,
    v: Expr,
    begin: Expr | Sequence[int],
    end: Expr | Sequence[int],
    strides: Expr | Sequence[int] | None = None,
) -> Call:
    """Return `data` with the slice from `begin` to `end` replaced by `v`."""
    first = _indices(begin)
    ones = np.ones(first.tensor_type.concrete_shape, "int64") if strides is None else strides
    return Call(StridedSet(), operands((data, v, first, _indices(end), _indices(ones))))


def sparse_to_dense(
    sparse_indices: Expr,
    output_shape: Expr | Sequence[int],
    sparse_values: Expr | float,
    default_value: Expr | float = 0,
) -> Call:
    """Return a dense tensor with `sparse_values` at `sparse_indices`, else a default."""
    values = sparse_values if isinstance(sparse_values, Expr) else const(sparse_values, "float32")
    rest = default_value
    if not isinstance(rest, Expr):
        rest = const(rest, operands((values,))[0].tensor_type.dtype)
    given = (sparse_indices, values, rest)
    return call(SparseToDense, given, {"output_shape": output_shape})


def matrix_set_diag(
    data: Expr,
    diagonal: Expr,
    k: int | tuple[int, int] = 0,
    align: str = "RIGHT_LEFT",
) -> Call:
    """Return matrices with diagonal `k` replaced, or the diagonals from `k[0]` to `k[1]`.

    `align` is the alignment, in their rows of `diagonal`, of the shorter diagonals above the main
    diagonal, and of those below it.
    """
    low, high = k if isinstance(k, tuple) and len(k) == 2 else (k, k)
    help_ = f"use one of the values {', '.join(_SIDES)}"
    checks.attribute(
        "matrix_set_diag", str(align) in _SIDES, f"the parameter align cannot be {align!r}", help_
    )
    above, below = _SIDES[align]
    sides = {"super_diag_right_align": above, "sub_diag_right_align": below}
    op = MatrixSetDiag.made({"k1": low, "k2": high, **sides})
    return Call(op, arguments([data, diagonal]))


def unique(data: Expr, is_sorted: bool = True, return_counts: bool = False) -> Call:
    """Return the distinct elements, their first indices, the inverse indices, and their number.

    The first two results are padded to the length of the data; `return_counts` adds the counts.
    """
    op = Unique.made({"sorted": is_sorted, "return_counts": return_counts})
    return Call(op, operands((data,)))


def trilu(data: Expr, k: Expr | int, upper: bool = True) -> Call:
    """Return the upper or lower triangle of matrices, starting at diagonal `k`."""
    return Call(Trilu.made({"upper": upper}), operands((data, _number(k, "int64"))))


def stft(
    data: Expr,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Expr | None = None,
    normalized: bool = False,
    onesided: bool = True,
) -> Call:
    """Return the short-time Fourier transform.

    By default, the hop is a quarter of the frame, and there is no window.
    """
    hop = -1 if hop_length is None else hop_length
    length = n_fft if win_length is None else win_length
    given = {"n_fft": n_fft, "hop_length": hop, "win_length": length}
    op = STFT.made({**given, "normalized": normalized, "onesided": onesided})
    weights = const(np.ones(op.win_length), data.tensor_type.dtype) if window is None else window
    return Call(op, operands((data, weights)))


def _number(of: Expr | float, element: "DType | str") -> Expr:
    own = isinstance(element, str) and not element
    return of if isinstance(of, Expr) else const(of, None if own else element)


def _known(of: Expr) -> object:
    """Return the value of a constant with one element; None for other expressions."""
    return of.array.item() if isinstance(of, Constant) and of.array.size == 1 else None


def _indices(of: Expr | npt.ArrayLike) -> Expr:
    return of if isinstance(of, Expr) else const(of, "int64")


__getattr__, __dir__ = namespace("", globals(), vars(composites))
