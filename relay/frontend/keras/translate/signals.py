"""Translate `keras.ops` functions of signals: frames, and Fourier transforms of frames."""

from collections.abc import Sequence

import numpy as np

from relay import numpy as rnp
from relay.frontend.builders.fourier import resized, transformed, whole_spectrum
from relay.frontend.builders.tensor_helpers import constant
from relay.frontend.json_values import is_list
from relay.frontend.keras.layer_reader import LayerReader
from relay.frontend.keras.registry import keras_operation
from relay.ir.expr import Array, Constant, Expr
from relay.ops.binary import divide
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
    x, size = layer.tensor(), layer.integer("fft_length")
    if layer.flag("center", default=True):
        widths = [(0, 0)] * (x.tensor_type.rank - 1) + [(size // 2, size // 2)]
        x = rnp.pad(x, widths, "reflect")
    frames = framed(x, size, layer.integer("sequence_stride"))
    window = _window(layer, layer.integer("sequence_length"), size)
    frames = rnp.multiply(frames, Constant(window.astype(x.tensor_type.dtype.numpy)))
    parts = transformed((frames, core.zeros_like(frames)), (-1,), inverse=False)
    return [resized(each, size // 2 + 1) for each in parts]


def framed(x: Expr, length: int, stride: int) -> Expr:
    """Return parts of the last axis of a length, one each `stride` elements."""
    count = (int(str(x.tensor_type.shape[-1])) - length) // stride + 1
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
    size = 2 * (int(str(parts[0].tensor_type.shape[-1])) - 1) if wanted is None else int(wanted)
    whole = whole_spectrum(parts, size)
    found = transformed(whole, (-1,), inverse=True)[0]
    return divide(found, constant(float(size), found.tensor_type.dtype))
