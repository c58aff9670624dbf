"""The base classes of operators that compute derivatives of poolings."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from relay.ir.dims import Shape
from relay.ir.expr import Array
from relay.ir.types import TensorType, Type
from relay.kernels import te
from relay.opdef import checks
from relay.opdef.layout_rules import ArgLayout, Relayout
from relay.ops.families import FLOATS, extents, type_of
from relay.ops.nn.accumulation_dtype import narrow, widen
from relay.ops.nn.pool_base import Windowed, divisors, lowest, window_divisor
from relay.ops.nn.window_bounds_checks import conjunction, inside
from relay.ops.tensor.dim_arithmetic import require_same_shape
from relay.support.dtype import int32, int64
from relay.support.node import value


@value
class PoolGrad(Windowed):
    """The base of derivatives of a pooling by its data; attributes are those of the pooling."""

    def relayout(self, types: Sequence[Type], layouts: Sequence[ArgLayout]) -> Relayout | None:
        """Return the operator in the layout of one of the arguments."""
        return self.in_common_layout(layouts)

    def infer(self, out_grad: TensorType, data: TensorType) -> TensorType:
        """Return the type of the result, which is that of the data."""
        checks.same_dtype(self.name, out_grad, data)
        checks.kind(self.name, "data", data, *FLOATS)
        require_same_shape(self.name, "out_grad", self.pooled_type(data).shape, out_grad.shape)
        return data

    def reference(self, out_grad: Array, data: Array) -> Array:
        """Return the result by NumPy: for each tap, the contributions of all windows are added."""
        source, target = self.layouts
        order = f"NC{self.spatial}"
        grad, plain = target.to_plain(widen(out_grad), order), source.to_plain(widen(data), order)
        shares = self.window_contribution_arrays(grad, plain)
        before, sizes = self.padding[: len(self.spatial)], plain.shape[2:]
        room = [
            b + n + s + k * d  # windows begin in the data, or less than a stride after its end
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
        """Return the formula: the sum of contributions of all windows that contain an element."""
        source, target = self.layouts
        y = target.sizes(extents(out_grad))
        given = self.window_contribution(out_grad, data)
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

    def window_contribution(
        self, out_grad: te.Tensor, data: te.Tensor
    ) -> Callable[[Mapping[str, Any], Sequence[te.Axis]], te.Scalar]:
        """Return a function of a window and a tap: the summand of the derivative at that tap."""
        raise AssertionError(f"{self.name} does not share")

    def _reached(self, tap: Sequence[int], counts: Sequence[int]) -> list[slice]:
        starts = [k * d for k, d in zip(tap, self.dilation, strict=True)]
        return [
            slice(start, start + (n - 1) * s + 1, s)
            for start, n, s in zip(starts, counts, self.strides, strict=True)
        ]

    def window_contribution_arrays(self, grad: Array, plain: Array) -> Array:
        """Return the contributions to each tap of each window, as `(N, C, counts…, taps…)`."""
        raise AssertionError(f"{self.name} does not share")


@value
class MaxPoolGrad(PoolGrad):
    """The base of derivatives of maximum poolings: a window's is added to its first maximum."""

    def window_contribution(
        self, out_grad: te.Tensor, data: te.Tensor
    ) -> Callable[[Mapping[str, Any], Sequence[te.Axis]], te.Scalar]:
        """Return a function of a window and a tap: `out_grad` at its first maximum, else 0."""
        _, target = self.layouts
        first = first_maximum(self, extents(out_grad), data)

        def share(window: Mapping[str, Any], taps: Sequence[te.Axis]) -> te.Scalar:
            place = target.indices(window)
            number: te.Scalar = te.const(0, int32)
            for tap, size in zip(taps, self.pool_size, strict=True):
                number = number * size + te.cast(tap, int32)
            chosen = te.equal(first[place], number)
            return te.select(chosen, out_grad[place], te.const(0, out_grad.dtype))

        return share

    def window_contribution_arrays(self, grad: Array, plain: Array) -> Array:
        """Return the derivative at the first largest tap of each window, else 0."""
        view = self.window_view(plain, lowest(plain.dtype))
        place = first_maximum_in_view(view, math.prod(self.pool_size))
        first: Array = np.equal(place, np.arange(math.prod(self.pool_size)))
        return np.where(first, grad[..., None], 0).reshape(view.shape)


@value
class AvgPoolGrad(PoolGrad):
    """The base of derivatives of average poolings: elements of a window share its derivative."""

    count_include_pad: bool = False

    def window_contribution(
        self, out_grad: te.Tensor, data: te.Tensor
    ) -> Callable[[Mapping[str, Any], Sequence[te.Axis]], te.Scalar]:
        """Return a function of a window and a tap: `out_grad` by the number of elements."""
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

    def window_contribution_arrays(self, grad: Array, plain: Array) -> Array:
        """Return the derivatives, divided by the number of counted elements of each window."""
        counts = divisors(self, plain.shape[2:], grad.shape[2:], self.count_include_pad)
        shared = (grad / counts)[(..., *[None] * len(self.spatial))]
        return np.broadcast_to(shared, (*grad.shape, *self.pool_size))


@value
class MaxPoolPick(Windowed):
    """The base of operators that read `data` at the first maximum of each window of `like`.

    They are the adjoints of `MaxPoolGrad`: the derivative of a maximum pooling of `like` in the
    direction `data`, a tensor of the same type.
    """

    def relayout(self, types: Sequence[Type], layouts: Sequence[ArgLayout]) -> Relayout | None:
        """Return the operator in the layout of one of the arguments."""
        return self.in_common_layout(layouts)

    def infer(self, data: TensorType, like: TensorType) -> TensorType:
        """Return the type of the pooled data."""
        checks.same_dtype(self.name, data, like)
        require_same_shape(self.name, "data", like.shape, data.shape)
        return self.pooled_type(like)

    def compute(self, data: te.Tensor, like: te.Tensor) -> te.Tensor:
        """Return the formula, which reads the data at the first maximum of each window."""
        source, target = self.layouts
        result, x = self.pooled_type(type_of(like)), source.sizes(extents(like))
        first, y = first_maximum(self, result.shape, like), target.sizes(result.shape)

        def element(*i: te.Scalar) -> te.Scalar:
            at, number = target.coordinates(i), te.cast(first[i], int64)
            read: dict[str, Any] = {"N": at["N"], "C": at["C"]}
            conditions: list[te.Scalar] = []
            for n in reversed(range(len(self.spatial))):
                letter, size = self.spatial[n], self.pool_size[n]
                tap, number = number % size, number // size
                begin = at[letter].flat * self.strides[n] - self.pads[n][0]
                place = begin + tap * self.dilation[n]  # in padding only if all are -inf
                read[letter] = te.minimum(te.maximum(place, 0), x[letter] - 1)
                reach = self.reachable_positions(n, x[letter], y[letter])
                conditions += inside(place, x[letter], *reach)
            found, holds = data[source.indices(read)], conjunction(conditions)
            return found if holds is None else te.select(holds, found, te.const(0, data.dtype))

        return te.compute(result.shape, element, name=self.name)

    def reference(self, data: Array, like: Array) -> Array:
        """Return the result by NumPy: the data at the first largest tap of each window."""
        source, target = self.layouts
        order, taps = f"NC{self.spatial}", math.prod(self.pool_size)
        plain = source.to_plain(like, order)
        place = first_maximum_in_view(self.window_view(plain, lowest(plain.dtype)), taps)
        view = self.window_view(source.to_plain(data, order), 0)
        picked = np.take_along_axis(view.reshape(*place.shape[:-1], taps), place, -1)
        return target.from_plain(picked[..., 0], order)


def first_maximum(op: Windowed, shape: Shape, data: te.Tensor) -> te.Tensor:
    """Return the index of the first maximum in each window, as a formula of shape `shape`.

    The index is that of the tap, in row-major order.
    """
    source, target = op.layouts
    x, y = source.sizes(extents(data)), target.sizes(shape)
    taps = [te.reduce_axis(k, f"m{i}") for i, k in enumerate(op.pool_size)]
    least = te.const(lowest(data.dtype.numpy), data.dtype)

    def element(*i: te.Scalar) -> te.Scalar:
        at = target.coordinates(i)
        read: dict[str, Any] = {"N": at["N"], "C": at["C"]}
        conditions: list[te.Scalar] = []
        for n, letter in enumerate(op.spatial):
            begin = at[letter].flat * op.strides[n] - op.pads[n][0]
            read[letter] = begin + taps[n] * op.dilation[n]
            reach = op.reachable_positions(n, x[letter], y[letter])
            conditions += inside(read[letter], x[letter], *reach)
        tap, holds = data[source.indices(read)], conjunction(conditions)
        known = tap if holds is None else te.select(holds, tap, least)
        return te.argmax(known, taps, dtype=int32)

    return te.compute(shape, element, name=f"{op.name}_argmax")


def first_maximum_in_view(view: Array, taps: int) -> npt.NDArray[np.int64]:
    """Return the index of the first largest of the `taps` of each window, along a new last axis."""
    whole = view.reshape(*view.shape[: (view.ndim + 2) // 2], taps)
    return np.asarray(whole.argmax(axis=-1))[..., None]
