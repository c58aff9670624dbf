"""The operators `sliding_window`, `dft` and `stft`: windows, and Fourier transforms."""

from collections.abc import Sequence
from math import pi, sqrt

import numpy as np

from relay.ir.dims import Dim
from relay.ir.expr import Array, Call, Constant, Expr, Tuple, TupleGetItem
from relay.ir.types import TensorType, TupleType
from relay.kernels import te
from relay.kernels.scalar import Number
from relay.opdef import checks
from relay.opdef.definition import Fusion, OperatorDef
from relay.opdef.example import Example
from relay.opdef.table import operator
from relay.ops.binary import multiply, opposite
from relay.ops.families import extents, known_extents, type_of
from relay.ops.tensor.dim_arithmetic import ints, require_same_shape
from relay.ops.tensor.einsum import Einsum
from relay.ops.tensor.element_movement import move
from relay.ops.tensor.fft_algorithms import divided, rotation, transformed_lines
from relay.ops.tensor.position_tensors import gradient_of_movement
from relay.ops.tensor.slice import StridedSlice
from relay.support.dtype import DType
from relay.support.error_codes import ErrorCode
from relay.support.node import set_field


@operator("sliding_window")
class SlidingWindow(OperatorDef):
    """Return all windows of the axes from `axis` on, as `x[:axis] + counts + window_shape`.

    `window_shape` and `strides` have one entry for each of these axes. Takes any element type.
    """

    axis: int
    window_shape: tuple[int, ...]
    strides: tuple[int, ...]

    examples = (
        Example("f32[2, 5, 6]", axis=1, window_shape=(3, 2), strides=(2, 1)),
        Example("i64[4]", axis=0, window_shape=(4,), strides=(1,)),
        Example("f64[2, 3]", axis=-1, window_shape=(1,), strides=(2,)),
    )

    def __post_init__(self) -> None:
        set_field(self, "window_shape", ints(self.window_shape))
        set_field(self, "strides", ints(self.strides))
        positive = min((*self.window_shape, *self.strides), default=1) > 0
        checks.attribute("sliding_window", positive, "windows and strides must be positive")

    def infer(self, x: TensorType) -> TensorType:
        at = checks.axis(self.name, self.axis, x.rank)
        fits = len(self.window_shape) == len(self.strides) == x.rank - at
        checks.attribute(
            self.name,
            fits,
            f"window_shape and strides must have {x.rank - at} entries: one for each axis from "
            f"axis {at} on",
        )
        counts: list[Dim] = []
        for size, window, stride in zip(x.shape[at:], self.window_shape, self.strides, strict=True):
            said = (
                f"the window of size {window} is larger than the axis, which has {{size}} elements"
            )
            checks.enough(self.name, size, window, said, ErrorCode.T104)
            counts.append((size - window) // stride + 1)
        return TensorType((*x.shape[:at], *counts, *self.window_shape), x.dtype)

    def compute(self, x: te.Tensor) -> te.Tensor:
        shape = self.infer(type_of(x)).shape
        at, rank = self.axis % len(x.shape), len(x.shape)
        return move(
            x,
            shape,
            lambda i: [
                *i[:at],
                *(i[k] * self.strides[k - at] + i[rank + k - at] for k in range(at, rank)),
            ],
        )

    def reference(self, x: Array) -> Array:
        at = self.axis % x.ndim
        axes = tuple(range(at, x.ndim))
        plain = x.view(f"V{x.dtype.itemsize}")  # NumPy has no views of minifloats
        windows = np.lib.stride_tricks.sliding_window_view(plain, self.window_shape, axes)
        steps = (slice(None),) * at + tuple(slice(None, None, step) for step in self.strides)
        return windows[steps].copy().view(x.dtype)

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return the derivative of all windows, added at the positions that were read."""
        (x,) = call.args
        return (gradient_of_movement(lambda places: Call(self, (places,)), d_out, x),)


@operator("dft")
class DFT(OperatorDef):
    """Return the discrete Fourier transform along the last axis, as `(real, imaginary)`.

    The arguments are the real and the imaginary part, floats of one type. The inverse divides by
    the length. For n elements it takes O(n log n) operations, or O(n²) if n is known only at run
    time.
    """

    inverse: bool = False

    examples = (
        Example("f32[2, 8]", "f32[2, 8]"),
        Example("f64[5]", "f64[5]", inverse=True),
        Example("f32[2, 3, 3, 20]", "f32[2, 3, 3, 20]", inverse=True),
        Example("f64[2, 44]", "f64[2, 44]"),
    )

    def infer(self, re_data: TensorType, im_data: TensorType) -> TupleType:
        checks.same_dtype(self.name, re_data, im_data)
        checks.attribute(self.name, re_data.dtype.is_float, "the data must be floats")
        checks.attribute(self.name, re_data.rank > 0, "the data must have an axis")
        require_same_shape(self.name, "shape of im_data", re_data.shape, im_data.shape)
        return TupleType((re_data, im_data))

    def compute(self, re_data: te.Tensor, im_data: te.Tensor) -> tuple[te.Tensor, te.Tensor]:
        *rows, n = extents(re_data)
        if isinstance(n, int) and n > 1 and 0 not in rows:
            scale = self._scale(n, re_data.dtype)
            return transformed_lines(re_data, im_data, rows, n, self._sign, scale)
        sign, scale = self._sign, self._scale(n, re_data.dtype)

        def part(imaginary: bool) -> te.Tensor:
            k = te.reduce_axis(n, "k")

            def element(*i: te.Scalar) -> te.Scalar:
                cos, sin = rotation(i[-1] * k, n, sign, re_data.dtype)
                re, im = re_data[(*i[:-1], k)], im_data[(*i[:-1], k)]
                term = re * sin + im * cos if imaginary else re * cos - im * sin
                return te.sum(term * scale, [k])

            return te.compute(re_data.shape, element)

        return part(imaginary=False), part(imaginary=True)

    @property
    def _sign(self) -> float:
        return 1.0 if self.inverse else -1.0

    def _scale(self, n: Dim, dtype: DType) -> Number:
        return divided(1.0, n, dtype) if self.inverse else 1.0

    def reference(self, re_data: Array, im_data: Array) -> tuple[Array, Array]:
        data = re_data.astype(np.float64) + 1j * im_data.astype(np.float64)
        if not data.size:
            return re_data, im_data
        result = np.fft.ifft(data) if self.inverse else np.fft.fft(data)
        return result.real.astype(re_data.dtype), result.imag.astype(re_data.dtype)

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return `conj(F(conj(d_out)))`, since the matrix of the transform `F` is symmetric."""
        found = Call(self, (TupleGetItem(d_out, 0), opposite(TupleGetItem(d_out, 1))))
        return TupleGetItem(found, 0), opposite(TupleGetItem(found, 1))


@operator("stft")
class STFT(OperatorDef):
    """Return the Fourier transforms of overlapping, windowed frames of a signal.

    `x` is `(batch, time)`; `window`, a vector of length `win_length`, is centred in a frame of
    `n_fft`. The result is `(batch, frequencies, frames, 2)` with real and imaginary parts;
    `onesided` keeps the frequencies up to the middle, `normalized` divides by the square root of
    `n_fft`. The default -1 means the window's length for `n_fft` and `win_length`, and a quarter of
    it for `hop_length`. Takes floats of one type.
    """

    n_fft: int = -1
    hop_length: int = -1
    win_length: int = -1
    normalized: bool = False
    onesided: bool = True

    fusion = Fusion.OPAQUE  # as for `DFT`
    examples = (
        Example("f32[2, 20]", "f32[8]", n_fft=8, hop_length=4, win_length=8),
        Example("f64[1, 12]", "f64[4]", n_fft=6, hop_length=3, win_length=4, onesided=False),
        Example("f32[1, 8]", "f32[8]", normalized=True),
    )

    def infer(self, x: TensorType, window: TensorType) -> TensorType:
        checks.same_dtype(self.name, x, window)
        checks.attribute(self.name, x.dtype.is_float, "the data must be floats")
        checks.rank(self.name, "data", x, 2)
        checks.rank(self.name, "window", window, 1)
        size, hop = self._frame(window.shape[0])
        said = f"a frame has {size} elements, but the signal has only {{size}}"
        checks.enough(self.name, x.shape[1], size, said, ErrorCode.T104)
        checks.size(self.name, "window", min(self._window(size), size), window.shape[0])
        frames = (x.shape[1] - size) // hop + 1
        return TensorType((x.shape[0], self._frequencies(size), frames, 2), x.dtype)

    def _frame(self, window: Dim) -> tuple[int, int]:
        size = self.n_fft if self.n_fft > 0 else window
        known = isinstance(size, int) and size > 0
        checks.attribute(
            self.name, known, "the frame length must be positive and known at compile time"
        )
        frame = size if isinstance(size, int) else 1
        return frame, self.hop_length if self.hop_length > 0 else max(frame // 4, 1)

    def _window(self, frame: int) -> int:
        return self.win_length if self.win_length > 0 else frame

    def _frequencies(self, frame: int) -> int:
        return frame // 2 + 1 if self.onesided else frame

    def compute(self, x: te.Tensor, window: te.Tensor) -> te.Tensor:
        length = known_extents(self.name, window)[0]
        size, hop = self._frame(length)
        left = (size - length) // 2
        shape = self.infer(type_of(x), type_of(window))
        scale = 1.0 / sqrt(size) if self.normalized else 1.0
        k = te.reduce_axis(window.shape[0], "k")

        def element(
            batch: te.Scalar, at: te.Scalar, frame: te.Scalar, part: te.Scalar
        ) -> te.Scalar:
            cos, sin = rotation(at * (k + left), size, -1.0, x.dtype)
            wave = te.select(te.equal(part, 0), cos, sin)
            return te.sum(x[batch, frame * hop + k + left] * window[k] * wave * scale, [k])

        return te.compute(shape.shape, element)

    def decompose(self, x: Expr, window: Expr) -> Expr:
        """Return an expression that multiplies frames by the matrix of the transform."""
        size, hop = self._frame(window.tensor_type.shape[0])
        length = min(self._window(size), size)
        left = (size - length) // 2
        frames = Call(SlidingWindow(1, (size,), (hop,)), (x,))
        cut = Call(StridedSlice((left,), (left + length,), axes=(2,)), (frames,))
        turns = np.outer(np.arange(self._frequencies(size)), np.arange(left, left + length)) % size
        angles = turns * (2.0 * pi / size)
        scale = 1.0 / sqrt(size) if self.normalized else 1.0
        waves = scale * np.stack([np.cos(angles), -np.sin(angles)], -1)
        constant = Constant(waves.astype(x.tensor_type.dtype.numpy))
        return Call(Einsum("btk,fkp->bftp"), (Tuple((multiply(cut, window), constant)),))

    def reference(self, x: Array, window: Array) -> Array:
        size, hop = self._frame(window.shape[0])
        left = (size - window.shape[0]) // 2
        padded = np.zeros(size)
        padded[left : left + window.shape[0]] = window
        frames = np.lib.stride_tricks.sliding_window_view(x, size, 1)[:, ::hop].astype(np.float64)
        waves = np.fft.fft(frames * padded)[..., : self._frequencies(size)].swapaxes(1, 2)
        waves = waves / sqrt(size) if self.normalized else waves
        return np.stack([waves.real, waves.imag], -1).astype(x.dtype)
