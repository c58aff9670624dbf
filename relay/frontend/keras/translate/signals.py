"""Translate `keras.ops` functions of signals: frames, and Fourier transforms of frames."""

from collections.abc import Sequence

import numpy as np

from relay import numpy as rnp
from relay.frontend.builders.fourier import resized, transformed, whole_spectrum
from relay.frontend.builders.tensor_helpers import constant, reshape
from relay.frontend.json_values import is_list
from relay.frontend.keras.layer_reader import LayerReader
from relay.frontend.keras.registry import keras_operation
from relay.frontend.node_errors import static_size
from relay.ir.expr import Array, Constant, Expr
from relay.ops.binary import add, divide
from relay.ops.functions import core

_COSINES = {"hann": (0.5, 0.5), "hamming": (0.54, 0.46)}


@keras_operation("ExtractSequences")
def sequences(layer: LayerReader) -> Expr:
    """Translate `extract_sequences`: overlapping parts of the last axis."""
    return framed(
        layer.tensor(), layer.integer("sequence_length"), layer.integer("sequence_stride")
    )


@keras_operation("STFT")
def short_time_fourier(layer: LayerReader) -> Sequence[Expr]:
    """Translate `stft`: the lower frequencies of overlapping parts, as two real tensors."""
    size, stride = layer.integer("fft_length"), layer.integer("sequence_stride")
    center = layer.flag("center", default=True)
    length = layer.integer("sequence_length")
    return spectrum(layer, layer.tensor(), size, stride, length, center=center)


def spectrum(
    layer: LayerReader, x: Expr, size: int, stride: int, length: int, *, center: bool
) -> Sequence[Expr]:
    """Return the lower frequencies of overlapping parts of `x`, as two real tensors.

    Each part has `size` elements, of which the window of a layer covers `length`. With `center`,
    the signal is continued on both sides by half a part.
    """
    if center:
        widths = [(0, 0)] * (x.tensor_type.rank - 1) + [(size // 2, size // 2)]
        x = rnp.pad(x, widths, "reflect")
    frames = framed(x, size, stride)
    window = _window(layer, length, size)
    frames = rnp.multiply(frames, Constant(window.astype(x.tensor_type.dtype.numpy)))
    parts = transformed((frames, core.zeros_like(frames)), (-1,), inverse=False)
    return [resized(each, size // 2 + 1) for each in parts]


@keras_operation("ISTFT")
def inverse_short_time_fourier(layer: LayerReader) -> Expr:
    """Translate `istft`: a signal from the lower frequencies of its overlapping parts."""
    size, stride = layer.integer("fft_length"), layer.integer("sequence_stride")
    frames = _real_inverse(layer.tensors(), size)
    window = _window(layer, layer.integer("sequence_length"), size)
    if layer.option("window", "hann") is not None:
        window = _inverse_window(window, stride)
        frames = rnp.multiply(frames, Constant(window.astype(frames.tensor_type.dtype.numpy)))
    found = _overlapping(frames, size, stride)
    begin = size // 2 if layer.flag("center", default=True) else 0
    length = layer.option("length")
    end = static_size(found.tensor_type.shape[-1]) - begin
    end = end if length is None else begin + int(length)
    return core.strided_slice(found, (begin,), (end,), axes=(found.tensor_type.rank - 1,))


def _inverse_window(window: Array, stride: int) -> Array:
    """Return a window that, multiplied by `window`, gives 1 where parts overlap."""
    squares = np.pad(window**2, (0, -len(window) % stride)).reshape(-1, stride).sum(0)
    total = np.tile(squares, -(-len(window) // stride))[: len(window)]
    return np.divide(window, total, out=np.zeros_like(window), where=total != 0)


def _overlapping(frames: Expr, size: int, stride: int) -> Expr:
    """Return the sum of parts of `size` elements, each beginning `stride` after the one before."""
    *batch, count, _ = frames.tensor_type.shape
    steps, pieces = static_size(count), -(-size // stride)
    none = [(0, 0)] * len(batch)
    frames = rnp.pad(frames, [*none, (0, 0), (0, pieces * stride - size)])
    total: Expr | None = None
    for k in range(pieces):
        axes = (frames.tensor_type.rank - 1,)
        part = core.strided_slice(frames, (k * stride,), ((k + 1) * stride,), axes=axes)
        flat = reshape(part, (*batch, steps * stride))
        moved = rnp.pad(flat, [*none, (k * stride, (pieces - 1 - k) * stride)])
        total = moved if total is None else add(total, moved)
    assert total is not None, "a part has at least one element"
    end = size + stride * (steps - 1)
    return core.strided_slice(total, (0,), (end,), axes=(total.tensor_type.rank - 1,))


def framed(x: Expr, length: int, stride: int) -> Expr:
    """Return parts of the last axis of a length, one each `stride` elements."""
    count = (static_size(x.tensor_type.shape[-1]) - length) // stride + 1
    places = np.arange(count)[:, None] * stride + np.arange(length)
    return rnp.take(x, Constant(places), axis=-1)


def _window(layer: LayerReader, length: int, size: int) -> Array:
    """Return the window of frames of `size` elements, with zeros on both sides."""
    given = layer.option("window", "hann")
    if given is None:
        return np.ones(size)
    if isinstance(given, str) and given in _COSINES:
        mean, swing = _COSINES[given]
        found = mean - swing * np.cos(2 * np.pi * np.arange(length) / length)
    elif is_list(given):
        found = np.array(given, np.float64)
    else:
        raise layer.wrong("window", given)
    before = (size - length) // 2
    return np.pad(found, (before, size - length - before))


@keras_operation("IRFFT")
def real_inverse_fourier(layer: LayerReader) -> Expr:
    """Translate `irfft`: a real signal from the lower half of its frequencies."""
    parts, wanted = layer.tensors(), layer.option("fft_length")
    size = 2 * (static_size(parts[0].tensor_type.shape[-1]) - 1) if wanted is None else int(wanted)
    return _real_inverse(parts, size)


def _real_inverse(parts: Sequence[Expr], size: int) -> Expr:
    """Return real signals of `size` elements from the two parts of their lower frequencies."""
    found = transformed(whole_spectrum(parts, size), (-1,), inverse=True)[0]
    return divide(found, constant(float(size), found.tensor_type.dtype))
