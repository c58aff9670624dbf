"""Translate the Keras layers that compute spectrograms of signals."""

from collections.abc import Callable, Mapping

import numpy as np

from relay import numpy as rnp
from relay.frontend.builders.tensor_helpers import reshape
from relay.frontend.keras.layer_reader import LayerReader
from relay.frontend.keras.registry import keras_layer
from relay.frontend.keras.translate.signals import spectrum
from relay.frontend.keras.translate.window_padding import (
    data_layout,
    is_channels_first,
    padding_of_sizes,
)
from relay.frontend.node_errors import static_size
from relay.ir.dims import ANY, multiply
from relay.ir.expr import Array, Call, Constant, Expr
from relay.ops.functions import core
from relay.ops.nn.conv_operators import Conv1D

_EPSILON = 1e-7  # Keras takes logarithms and roots of larger numbers only
_MEL_PER_NEPER, _BREAK_HERTZ = 1127.0, 700.0  # the mel scale is linear below the break


@keras_layer("MelSpectrogram")
def mel_spectrogram(layer: LayerReader) -> Expr:
    """Translate `MelSpectrogram`: the power in bands of the mel scale, in decibels by default."""
    size = layer.integer("fft_length", 2048)
    length = layer.option("sequence_length")
    parts = spectrum(
        layer, layer.tensor(), size, layer.integer("sequence_stride", 512),
        size if length is None else int(length), center=True,
    )  # fmt: skip
    absolute = rnp.sqrt(rnp.add(*(rnp.square(each) for each in parts)))
    powers = rnp.power(absolute, layer.number("mag_exp", 2.0))
    bands = _bands(layer, size // 2 + 1).astype(absolute.tensor_type.dtype.numpy)
    found = rnp.matmul(powers, Constant(bands))
    least, decibel_range, reference = (
        layer.number(name, default)
        for name, default in (("min_power", 1e-10), ("top_db", 80.0), ("ref_power", 1.0))
    )
    if layer.flag("power_to_db", default=True):
        decibels = rnp.multiply(10.0, rnp.log10(rnp.maximum(found, least)))
        decibels = rnp.subtract(decibels, float(10 * np.log10(max(abs(reference), least))))
        found = rnp.maximum(decibels, rnp.subtract(rnp.max(decibels), decibel_range))
    return rnp.swapaxes(found, -1, -2)


def _bands(layer: LayerReader, count: int) -> Array:
    """Return the weights of `count` frequencies in each band, triangles on the mel scale."""
    rate = layer.number("sampling_rate", 16000)
    highest = layer.option("max_freq")
    highest = int(rate / 2) if highest is None else float(highest)
    bands = layer.integer("num_mel_bins", 128)
    edges: Array = np.linspace(_mels(layer.number("min_freq", 20.0)), _mels(highest), bands + 2)
    lower, center, upper = edges[:-2], edges[1:-1], edges[2:]
    places = _mels(np.linspace(0.0, rate / 2, count)[1:])[:, None]
    slopes = (places - lower) / (center - lower), (upper - places) / (upper - center)
    return np.pad(np.maximum(0.0, np.minimum(*slopes)), [(1, 0), (0, 0)])


def _mels(hertz: "float | Array") -> Array:
    return _MEL_PER_NEPER * np.log(1.0 + np.asarray(hertz) / _BREAK_HERTZ)


def _power(real: Expr, imaginary: Expr) -> Expr:
    return rnp.add(rnp.square(real), rnp.square(imaginary))


def _density(real: Expr, imaginary: Expr) -> Expr:
    """Return the power, in which all frequencies but the first and the last count twice."""
    power = _power(real, imaginary)
    count = static_size(power.tensor_type.shape[2])
    factors = np.full((count, 1), 2, power.tensor_type.dtype.numpy)
    factors[[0, -1]] = 1
    return rnp.multiply(power, Constant(factors))


def _magnitude(real: Expr, imaginary: Expr) -> Expr:
    return rnp.sqrt(rnp.maximum(_power(real, imaginary), _EPSILON))


_MODES: Mapping[str, Callable[[Expr, Expr], Expr]] = {
    "angle": lambda real, imaginary: rnp.arctan2(imaginary, real),
    "log": lambda real, imaginary: rnp.log(rnp.maximum(_magnitude(real, imaginary), _EPSILON)),
    "magnitude": _magnitude,
    "psd": _density,
    "stft": lambda real, imaginary: rnp.concatenate([real, imaginary], 2),
}


@keras_layer("STFTSpectrogram")
def stft_spectrogram(layer: LayerReader) -> Expr:
    """Translate `STFTSpectrogram`: convolutions with sines and cosines, which are weights."""
    layer.ignore("fft_length", "window", "periodic", "scaling")  # the weights contain them
    mode = layer.text("mode", "log")
    if mode in ("real", "imag"):
        return _arranged(layer, _convolved(layer, layer.arrays(1)[0]))
    if mode not in _MODES:
        raise layer.wrong("mode", mode)
    return _arranged(layer, _MODES[mode](*(_convolved(layer, each) for each in layer.arrays(2))))


def _convolved(layer: LayerReader, kernel: Array) -> Expr:
    """Return the products of parts of signals with a kernel: `(N, C, frequencies, time)`."""
    x, length = layer.tensor(), layer.integer("frame_length", 256)
    step = layer.option("frame_step")
    stride = length // 2 if step is None else int(step)
    if not is_channels_first(layer):
        x = rnp.swapaxes(x, 1, 2)
    batch, channels, time = x.tensor_type.shape
    rows = ANY if ANY in (batch, channels) else multiply(batch, channels)
    x = reshape(x, (rows, 1, time) if is_channels_first(layer) else (rows, time, 1))
    op = Conv1D(
        strides=(stride,),
        padding=padding_of_sizes(layer, (time,), (length,), (stride,), (1,)),
        data_layout=data_layout(layer, 1),
        kernel_layout="WIO",
    )
    found: Expr = Call(op, (x, layer.constant(kernel)), span=layer.span)
    if not is_channels_first(layer):
        found = rnp.swapaxes(found, 1, 2)
    return reshape(found, (batch, channels, *found.tensor_type.shape[1:]))


def _arranged(layer: LayerReader, x: Expr) -> Expr:
    """Return spectrograms `(N, C, frequencies, time)` with the axes that the options demand."""
    batch, channels, count, time = x.tensor_type.shape
    first = is_channels_first(layer)
    if layer.flag("expand_dims"):
        return core.transpose(x, (0, 1, 3, 2) if first else (0, 3, 2, 1))
    flat = reshape(x, (batch, multiply(channels, count), time))
    return flat if first else rnp.swapaxes(flat, 1, 2)
