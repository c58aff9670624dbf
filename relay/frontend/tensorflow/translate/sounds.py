"""Translate the operators that turn sounds into spectrograms and coefficients of frequencies."""

import numpy as np

from relay.frontend.builders.fourier import resized, transformed
from relay.frontend.builders.tensor_helpers import constant
from relay.frontend.tensorflow.node import TfNode
from relay.frontend.tensorflow.registry import tf_operator
from relay.ir.expr import Array, Constant, Expr
from relay.ops.binary import add, multiply
from relay.ops.functions import core
from relay.support.error_codes import ErrorCode

_MEL_PER_NEPER, _BREAK_HERTZ = 1127.0, 700.0  # the mel scale is linear below the break
_LEAST = 1e-12  # the smallest power of a band, of which the logarithm is taken


@tf_operator("AudioSpectrogram")
def spectrogram(node: TfNode) -> Expr:
    """Translate `AudioSpectrogram`: sizes of frequencies, `(channels, windows, frequencies)`.

    The windows are Hann's, continued by zeros to a power of 2.
    """
    length, channels = node.type(0).shape
    size, stride = node.integer_of("window_size"), node.integer_of("stride")
    if not isinstance(length, int):
        raise node.error(
            ErrorCode.F032, f"the number of samples must be known at compile time, but is {length}"
        )
    places = np.arange(max((length - size) // stride + 1, 0))[:, None] * stride + np.arange(size)
    window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(size) / size)
    rows = core.transpose(node.expr(0), (1, 0))
    frames = core.take(rows, Constant(places), axis=1)
    frames = multiply(frames, Constant(window.astype(np.float32)))
    whole = 1 << (size - 1).bit_length()
    zeros = core.zeros((channels, len(places), whole - size), "float32")
    frames = core.concatenate([frames, zeros], 2)
    parts = transformed((frames, core.zeros_like(frames)), (-1,), inverse=False)
    real, imaginary = (resized(each, whole // 2 + 1) for each in parts)
    powers = add(multiply(real, real), multiply(imaginary, imaginary))
    return powers if node.flag("magnitude_squared") else core.sqrt(powers)


@tf_operator("Mfcc")
def coefficients(node: TfNode) -> Expr:
    """Translate `Mfcc`: cosine coefficients of the logarithms of bands on the mel scale."""
    x = node.expr(0)
    count = node.integer_of("filterbank_channel_count", 40)
    ends = (
        node.number("lower_frequency_limit", 20.0), node.number("upper_frequency_limit", 4000.0),
    )  # fmt: skip
    size = x.tensor_type.shape[-1]
    if not isinstance(size, int):
        raise node.error(
            ErrorCode.F032, f"the number of frequencies must be known at compile time, not {size}"
        )
    rate = float(node.constant(1, "the sample rate").reshape(()))
    bands = _bands(rate, size, count, ends)
    kept = node.integer_of("dct_coefficient_count", 13)
    places = np.pi / count * (np.arange(count) + 0.5)
    cosines = np.sqrt(2 / count) * np.cos(np.arange(kept) * places[:, None])
    sums = core.einsum([core.sqrt(x), Constant(bands.astype(np.float32))], "abc,cd->abd")
    logs = core.log(core.maximum(sums, constant(_LEAST, x.tensor_type.dtype)))
    return core.einsum([logs, Constant(cosines.astype(np.float32))], "abc,cd->abd")


def _bands(rate: float, size: int, count: int, ends: tuple[float, float]) -> Array:
    """Return the weights of frequencies in bands, triangles on the mel scale."""
    step = 0.5 * rate / (size - 1)
    lowest, highest = (_mels(end) for end in ends)
    edges = lowest + (highest - lowest) / (count + 1) * np.arange(count + 2)
    found = np.zeros((size, count + 2))
    for place in range(int(1.5 + ends[0] / step), min(int(ends[1] / step), size - 1) + 1):
        mels = _mels(place * step)
        above = min(int(np.searchsorted(edges[1:-1], mels)), count) + 1
        share = (edges[above] - mels) / (edges[above] - edges[above - 1])
        found[place, above - 1] += share
        found[place, above] += 1 - share
    return found[:, 1:-1]


def _mels(hertz: float) -> float:
    return _MEL_PER_NEPER * float(np.log1p(hertz / _BREAK_HERTZ))
