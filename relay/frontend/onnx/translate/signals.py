"""Translate ONNX signal operators: window functions, Fourier transforms, mel filters."""

from collections.abc import Sequence
from functools import reduce
from math import log10

import numpy as np

from relay.frontend.builders.counted_loops import size_of
from relay.frontend.builders.fourier import resized, whole_spectrum
from relay.frontend.builders.run_time_slices import first_of
from relay.frontend.builders.tensor_helpers import constant, reshape
from relay.frontend.node_errors import static_sizes
from relay.frontend.onnx.dtypes import tensor_dtype
from relay.frontend.onnx.node import OnnxNode
from relay.frontend.onnx.registry import onnx_operator
from relay.frontend.onnx.translate.mel_filters import mel_filters
from relay.frontend.onnx.translate.run_time_checks import Requirement, required, within
from relay.frontend.onnx.translate.run_time_spectra import half_of, resized_to, whole_spectrum_of
from relay.frontend.onnx.translate.run_time_tensors import numbers, scalar
from relay.ir.dims import is_static, maximum
from relay.ir.expr import Call, Constant, Expr, If, Tuple, TupleGetItem
from relay.ops.binary import FloorDivide, FloorMod, Maximum, add, divide, multiply, scaled, subtract
from relay.ops.cast import Cast
from relay.ops.comparison import equal
from relay.ops.creation import ZerosLike
from relay.ops.tensor.arange import Arange
from relay.ops.tensor.concat_and_split import Concatenate
from relay.ops.tensor.gather import Take
from relay.ops.tensor.position_tensors import numbered
from relay.ops.tensor.reshape import ExpandDims, Reshape
from relay.ops.tensor.slice import StridedSlice
from relay.ops.tensor.transpose import Transpose
from relay.ops.tensor.windows_and_fourier import DFT, SlidingWindow
from relay.ops.transcendental import Cos
from relay.support.dtype import float64, int64
from relay.support.error_codes import ErrorCode

_COEFFICIENTS = {
    "BlackmanWindow": (0.42, -0.5, 0.08),
    "HammingWindow": (25 / 46, -21 / 46, 0.0),
    "HannWindow": (0.5, -0.5, 0.0),
}


@onnx_operator(*_COEFFICIENTS)
def window(node: OnnxNode) -> Expr:
    """Translate window functions, sums of cosines; a constant if the length is known."""
    element = tensor_dtype(node.attribute("output_datatype", 1), node.span)
    is_periodic = bool(node.attribute("periodic", 1))
    a, b, c = _COEFFICIENTS[node.op]
    if not node.is_known(0):
        size, one = scalar(numbers(node, 0)), constant(1, int64)
        period = size if is_periodic else subtract(size, one)
        full = Call(Cast(float64), (Call(Maximum(), (period, one)),))
        places = Call(Cast(float64), (Call(Arange(), (constant(0, int64), size, one)),))
        turn = divide(multiply(places, constant(2 * np.pi, float64)), full)
        first, second = (Call(Cos(), (scaled(turn, by),)) for by in (1, 2))
        total = add(add(constant(a, float64), scaled(first, b)), scaled(second, c))
        return Call(Cast(element), (total,), span=node.span)
    size = node.ints(0, "the size")[0]
    turn = 2 * np.pi * np.arange(size) / max(size if is_periodic else size - 1, 1)
    values = a + b * np.cos(turn) + c * np.cos(2 * turn)
    return Constant(values.astype(element.numpy), span=node.span)


@onnx_operator("EyeLike")
def eye_like(node: OnnxNode) -> Expr:
    """Translate `EyeLike`: ones on a diagonal."""
    wanted = node.attribute("dtype")
    element = node.type(0).dtype if wanted is None else tensor_dtype(wanted, node.span)
    shape, k = node.type(0).shape, node.attribute("k", 0)
    if is_static(shape):
        return Constant(np.eye(*static_sizes(shape)[:2], k=k, dtype=element.numpy))
    rows, columns = (numbered(node.expr(0), axis) for axis in (0, 1))
    there = add(Call(ExpandDims(1), (rows,)), constant(k, int64))
    return Call(Cast(element), (equal(there, columns),), span=node.span)


@onnx_operator("MelWeightMatrix")
def mel_weight_matrix(node: OnnxNode) -> Expr:
    """Translate `MelWeightMatrix`; a constant if its parameters are constant."""
    if not node.is_constant:
        return mel_filters(node)
    what = "a parameter of the filters"
    bins, length, rate = (int(node.constant(index, what).item()) for index in range(3))
    low, high = (2595 * log10(1 + node.constant(index, what).item() / 700) for index in (3, 4))
    places = [
        int((length + 1) * 700 * (10 ** ((low + i * (high - low) / (bins + 2)) / 2595) - 1) // rate)
        for i in range(bins + 2)
    ]
    result = np.zeros((length // 2 + 1, bins))
    for i in range(bins):
        lower, centre, upper = places[i : i + 3]
        if lower == centre:
            result[centre, i] = 1
        else:
            result[lower : centre + 1, i] = np.linspace(0, 1, centre + 1 - lower)
        if upper > centre:
            result[centre:upper, i] = np.linspace(1, 0, upper - centre, endpoint=False)
    element = tensor_dtype(node.attribute("output_datatype", 1), node.span)
    return Constant(result.astype(element.numpy), span=node.span)


@onnx_operator("DFT")
def dft(node: OnnxNode) -> Expr:
    """Translate `DFT` along an axis; the last axis of the data is the real and imaginary part."""
    rank = node.rank(0)
    if node.has(2) and not node.is_known(2):
        axis = Call(FloorMod(), (scalar(numbers(node, 2, 1)), constant(rank, int64)))
        return _one_of([_transformed(node, each) for each in range(rank - 1)], axis)
    default = node.attribute("axis", 1 if node.opset < 20 else -2)
    return _transformed(node, (node.ints(2, "the axis")[0] if node.has(2) else default) % rank)


def _one_of(choices: Sequence[Expr], number: Expr) -> Expr:
    """Return the element of `choices` with index `number`; sizes of the elements may differ."""
    *first, last = choices
    pairs = reversed(list(enumerate(first)))
    return reduce(
        lambda rest, pair: If(equal(number, constant(pair[0], int64)), pair[1], rest), pairs, last
    )


def _transformed(node: OnnxNode, axis: int) -> Expr:
    x, rank = node.expr(0), node.rank(0)
    inverse, onesided = bool(node.attribute("inverse", 0)), bool(node.attribute("onesided", 0))
    order = (*(i for i in range(rank - 1) if i != axis), axis)
    parts = _of_length(node, [Call(Transpose(order), (part,)) for part in _parts(node, x)])
    both = Call(DFT(inverse), tuple(parts), span=node.span)
    back = tuple(order.index(i) for i in range(rank - 1))
    halves = [TupleGetItem(both, index) for index in (0, 1)]
    if onesided:
        halves = halves[:1] if inverse else [_lower_half(node, half) for half in halves]
    return _paired([Call(Transpose(back), (half,)) for half in halves])


def _of_length(node: OnnxNode, parts: Sequence[Expr]) -> Sequence[Expr]:
    """Return the parts with the length of a transform: all frequencies of a one-sided spectrum."""
    is_half = bool(node.attribute("onesided", 0)) and bool(node.attribute("inverse", 0))
    length = _given_length(node)
    if isinstance(length, Expr):
        if is_half:
            return whole_spectrum_of(parts, length)
        return [resized_to(part, length) for part in parts]
    if is_half:
        known = parts[0].tensor_type.shape[-1]
        return whole_spectrum(parts, maximum(2 * (known - 1), 1) if length is None else length)
    return parts if length is None else [resized(part, length) for part in parts]


def _given_length(node: OnnxNode) -> int | Expr | None:
    """Return the length that the second input is: an integer if it is known at import."""
    if not node.has(1):
        return None
    dims = node.dims(1, "the length") if node.is_known(1) else ()
    return dims[0] if dims and isinstance(dims[0], int) else scalar(numbers(node, 1, 1))


def _lower_half(node: OnnxNode, spectrum: Expr) -> Expr:
    """Return the frequencies that determine those of a real signal."""
    length = _given_length(node)
    if isinstance(length, Expr):
        last = spectrum.tensor_type.rank - 1
        return first_of(spectrum, reshape(half_of(length), (1,)), last)
    return resized(spectrum, spectrum.tensor_type.shape[-1] // 2 + 1)


def _parts(node: OnnxNode, x: Expr) -> list[Expr]:
    """Return the real and the imaginary part; the latter is zero for real data."""
    *shape, count = x.tensor_type.shape
    if not isinstance(count, int):
        size, last = size_of(x, len(shape)), len(shape)
        problem = "the last axis must have size 1, for real numbers, or 2, for complex ones"
        allowed = Requirement(x, within(size, 1, constant(2, int64)), problem)
        return required(node, allowed, lambda x: [_column(x, 0, last), _column(_twice(x), 1, last)])
    if count == 1:
        real = reshape(x, shape)
        return [real, Call(ZerosLike(), (real,))]
    axes = (len(shape),)
    cut = (Call(StridedSlice((i,), (i + 1,), axes=axes), (x,)) for i in (0, 1))
    return [reshape(each, shape) for each in cut]


def _column(x: Expr, index: int, axis: int) -> Expr:
    return Call(Take(axis=axis), (x, constant(index, int64)))


def _twice(x: Expr) -> Expr:
    """Return the elements of `x` along its last axis, and then as many zeros."""
    return Call(Concatenate(-1), (Tuple((x, Call(ZerosLike(), (x,)))),))


def _paired(parts: Sequence[Expr]) -> Expr:
    last = parts[0].tensor_type.rank
    columns = tuple(Call(ExpandDims(last), (part,)) for part in parts)
    return Call(Concatenate(-1), (Tuple(columns),))


@onnx_operator("STFT")
def stft(node: OnnxNode) -> Expr:
    """Translate `STFT`: transform overlapping frames, each multiplied by a window."""
    x = node.expr(0)
    if not node.is_known(1) or (node.has(3) and not node.is_known(3)):
        return _stft_of_run_time(node, x)
    hop = node.ints(1, "the step")[0]
    window_ = node.optional(2)
    given = node.ints(3, "the length")[0] if node.has(3) else None
    length = given if given is not None else _length(node, window_)
    parts = _parts(node, x) if x.tensor_type.rank == 3 else [x, Call(ZerosLike(), (x,))]
    frames = [_framed(part, length, hop, window_) for part in parts]
    both = Call(DFT(), tuple(frames), span=node.span)
    halves = [TupleGetItem(both, index) for index in (0, 1)]
    if node.attribute("onesided", 1):
        halves = [resized(half, length // 2 + 1) for half in halves]
    return _paired(halves)


def _stft_of_run_time(node: OnnxNode, x: Expr) -> Expr:
    """Translate `STFT` with a frame length or hop that is known only at run time."""
    window_, one = node.optional(2), constant(1, int64)
    hop = scalar(numbers(node, 1, 1))
    if node.has(3):
        length = scalar(numbers(node, 3, 1))
    elif window_ is not None:
        length = size_of(window_, 0)
    else:
        raise node.error(
            ErrorCode.F020, "the node has neither a window nor a frame length as input"
        )
    count = add(Call(FloorDivide(), (subtract(size_of(x, 1), length), hop)), one)
    zero = constant(0, int64)
    starts = multiply(Call(Arange(), (zero, count, one)), hop)
    within = Call(Arange(), (zero, length, one))
    places = add(Call(Reshape((-1, 1)), (starts,)), within)
    parts = _parts(node, x) if x.tensor_type.rank == 3 else [x, Call(ZerosLike(), (x,))]
    frames = [Call(Take(axis=1), (part, places)) for part in parts]
    if window_ is not None:
        frames = [multiply(frame, window_) for frame in frames]
    both = Call(DFT(), tuple(frames), span=node.span)
    halves = [TupleGetItem(both, index) for index in (0, 1)]
    if node.attribute("onesided", 1):
        kept = reshape(half_of(length), (1,))
        halves = [first_of(half, kept, 2) for half in halves]
    return _paired(halves)


def _length(node: OnnxNode, window_: Expr | None) -> int:
    size = None if window_ is None else window_.tensor_type.shape[0]
    if not isinstance(size, int):
        raise node.error(
            ErrorCode.F022, "the frame length must be a constant, but is computed from data"
        )
    return size


def _framed(x: Expr, length: int, hop: int, window_: Expr | None) -> Expr:
    frames = Call(SlidingWindow(1, (length,), (hop,)), (x,))
    return frames if window_ is None else multiply(frames, window_)
