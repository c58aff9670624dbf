"""The derivatives of two-dimensional pooling, as operators of their own."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from relay.ir.dims import Shape
from relay.ir.expr import Array
from relay.ir.types import TensorType
from relay.kernels import te
from relay.opdef import checks
from relay.opdef.example import Example
from relay.opdef.table import operator
from relay.ops.families import extents
from relay.ops.nn.pool_base import Windowed, divisors, lowest, window_divisor
from relay.ops.nn.predicates import conjunction, inside
from relay.ops.nn.wide import narrow, widen
from relay.support.node import value


@value
class PoolGrad(Windowed):
    """The derivative of a pooling with the same attributes, by its data."""

    def infer(self, out_grad: TensorType, data: TensorType) -> TensorType:
        """Type the result, which has the type of the data."""
        checks.same_dtype(self.name, out_grad, data)
        pooled = self.pooled(data)
        checks.rank(self.name, "out_grad", out_grad, pooled.rank)
        for expected, found in zip(pooled.shape, out_grad.shape, strict=True):
            checks.size(self.name, "out_grad", expected, found)
        return data

    def reference(self, out_grad: Array, data: Array) -> Array:
        """Add each window's share, one tap at a time, to the padded data's derivative."""
        source, target = self.layouts
        order = f"NC{self.spatial}"
        grad, plain = target.to_plain(widen(out_grad), order), source.to_plain(widen(data), order)
        shares = self.shares(grad, plain)
        before, sizes = self.padding[: len(self.spatial)], plain.shape[2:]
        room = [
            b + n + s + k * d  # a window begins in the data, or less than a stride behind it
            for b, n, s, k, d in zip(
                before, sizes, self.strides, self.pool_size, self.dilation, strict=True
            )
        ]
        whole = np.zeros((*plain.shape[:2], *room))
        for tap in np.ndindex(*self.pool_size):
            whole[(..., *self._reached(tap, grad.shape[2:]))] += shares[(..., *tap)]
        crop = tuple(slice(b, b + n) for b, n in zip(before, sizes, strict=True))
        return narrow(source.from_plain(whole[(..., *crop)], order), data.dtype)

    def compute(self, out_grad: te.Tensor, data: te.Tensor) -> te.Tensor:
        """Sum over the windows that hold an element: what each of them gives to it."""
        source, target = self.layouts
        y = target.sizes(extents(out_grad))
        given = self.given(out_grad, data)
        taps = [te.reduce_axis(k, f"k{i}") for i, k in enumerate(self.pool_size)]

        def element(*i: te.Scalar) -> te.Scalar:
            at = source.coordinates(i)
            window: dict[str, Any] = {"N": at["N"], "C": at["C"]}
            conditions: list[te.Scalar] = []
            for n, letter in enumerate(self.spatial):
                scaled = at[letter].flat + self.pads[n][0] - taps[n] * self.dilation[n]
                stride = self.strides[n]
                if stride > 1:
                    conditions.append(te.equal(scaled % stride, 0))
                window[letter] = scaled // stride if stride > 1 else scaled
                conditions += [window[letter] >= 0, window[letter] < y[letter]]
            return te.sum(given(window, taps), taps, where=conjunction(conditions))

        return te.compute(data.shape, element, name=self.name)

    def given(
        self, out_grad: te.Tensor, data: te.Tensor
    ) -> Callable[[Mapping[str, Any], Sequence[te.Axis]], te.Scalar]:
        """Return a function: what the window at a place gives to the element at one of its taps."""
        raise AssertionError(f"{self.name} does not share")

    def _reached(self, tap: Sequence[int], counts: Sequence[int]) -> list[slice]:
        starts = [k * d for k, d in zip(tap, self.dilation, strict=True)]
        return [
            slice(start, start + (n - 1) * s + 1, s)
            for start, n, s in zip(starts, counts, self.strides, strict=True)
        ]

    def shares(self, grad: Array, plain: Array) -> Array:
        """Return what each tap of each window gets: `(N, C, counts…, taps…)`."""
        raise AssertionError(f"{self.name} does not share")


@operator("nn.max_pool2d_grad")
class MaxPool2DGrad(PoolGrad):
    """The derivative of `nn.max_pool2d`: each window's goes to its first maximum."""

    layout: str = "NCHW"

    spatial: ClassVar[str] = "HW"
    examples = (
        Example("f32[1, 2, 4, 4]", "f32[1, 2, 8, 8]", pool_size=3, strides=2, padding=1),
        Example("f32[1, 3, 5, 2]", "f32[1, 4, 7, 2]", pool_size=(2, 3), layout="NHWC"),
    )

    def given(
        self, out_grad: te.Tensor, data: te.Tensor
    ) -> Callable[[Mapping[str, Any], Sequence[te.Axis]], te.Scalar]:
        """Give a window's derivative to the tap that holds its first maximum."""
        _, target = self.layouts
        first = self._first_maximum(extents(out_grad), data)

        def share(window: Mapping[str, Any], taps: Sequence[te.Axis]) -> te.Scalar:
            place = target.indices(window)
            number = taps[0] * self.pool_size[1] + taps[1]
            chosen = te.equal(first[place], number)
            return te.select(chosen, out_grad[place], te.const(0, out_grad.dtype))

        return share

    def _first_maximum(self, shape: Shape, data: te.Tensor) -> te.Tensor:
        source, target = self.layouts
        x, y = source.sizes(extents(data)), target.sizes(shape)
        taps = [te.reduce_axis(k, f"m{i}") for i, k in enumerate(self.pool_size)]
        least = te.const(lowest(data.dtype.numpy), data.dtype)

        def element(*i: te.Scalar) -> te.Scalar:
            at = target.coordinates(i)
            read: dict[str, Any] = {"N": at["N"], "C": at["C"]}
            conditions: list[te.Scalar] = []
            for n, letter in enumerate(self.spatial):
                begin = at[letter].flat * self.strides[n] - self.pads[n][0]
                read[letter] = begin + taps[n] * self.dilation[n]
                reach = self.reached(n, x[letter], y[letter])
                conditions += inside(read[letter], x[letter], *reach)
            tap, holds = data[source.indices(read)], conjunction(conditions)
            return te.argmax(tap if holds is None else te.select(holds, tap, least), taps)

        return te.compute(shape, element, name=f"{self.name}_argmax")

    def shares(self, grad: Array, plain: Array) -> Array:
        """Mark the first largest tap of each window."""
        view = self.view(plain, lowest(plain.dtype))
        taps = math.prod(self.pool_size)
        flat = view.reshape(*view.shape[:4], taps)
        place: Array = np.asarray(flat.argmax(axis=-1))[..., None]
        first: Array = np.equal(place, np.arange(taps))
        return np.where(first, grad[..., None], 0).reshape(view.shape)


@operator("nn.avg_pool2d_grad")
class AvgPool2DGrad(PoolGrad):
    """The derivative of `nn.avg_pool2d`: each window's is shared equally by its elements."""

    layout: str = "NCHW"
    count_include_pad: bool = False

    spatial: ClassVar[str] = "HW"
    examples = (
        Example("f32[1, 2, 4, 4]", "f32[1, 2, 8, 8]", pool_size=3, strides=2, padding=1),
        Example(
            "f32[1, 2, 8, 8]",
            "f32[1, 2, 8, 8]",
            pool_size=3,
            padding=1,
            count_include_pad=True,
        ),
    )

    def given(
        self, out_grad: te.Tensor, data: te.Tensor
    ) -> Callable[[Mapping[str, Any], Sequence[te.Axis]], te.Scalar]:
        """Give each element of a window its share, whichever tap it is."""
        source, target = self.layouts
        x = source.sizes(extents(data))
        sizes = [x[letter] for letter in self.spatial]

        def share(window: Mapping[str, Any], _taps: Sequence[te.Axis]) -> te.Scalar:
            starts = [
                window[letter] * stride - before
                for letter, stride, (before, _) in zip(
                    self.spatial, self.strides, self.pads, strict=True
                )
            ]
            count = window_divisor(self, starts, sizes, include_pad=self.count_include_pad)
            return out_grad[target.indices(window)] / te.cast(count, out_grad.dtype)

        return share

    def shares(self, grad: Array, plain: Array) -> Array:
        """Divide by the number of elements that count."""
        counts = divisors(self, plain.shape[2:], grad.shape[2:], self.count_include_pad)
        shared = (grad / counts)[(..., *[None] * len(self.spatial))]
        return np.broadcast_to(shared, (*grad.shape, *self.pool_size))
