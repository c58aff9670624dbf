"""Operators that read elements at indices which are data.

No index ever reads out of bounds: `take` says by its mode what such an index means, and the others
count negative indices from the end and then limit them to the axis.
"""

from collections.abc import Sequence

import numpy as np

from relay.ir.dims import elements, static
from relay.ir.expr import Array
from relay.ir.types import TensorType, Type
from relay.kernels import te
from relay.opdef import checks
from relay.opdef.definition import Fusion, OperatorDef
from relay.opdef.example import Example
from relay.opdef.table import operator
from relay.ops.tensor.indices import limited, limited_array
from relay.ops.tensor.movement import Indices, move, regroup
from relay.ops.tensor.sizes import integer, readable, same_shape, tensors
from relay.support.errors import TypeError_

MODES = ("clip", "wrap", "fast")


@operator("take")
class Take(OperatorDef):
    """Read `x` at `indices` along `axis`, or in the flattened `x` when there is no axis.

    The result has shape `x[:axis] + indices[batch_dims:] + x[axis+1:]`; the first `batch_dims`
    axes are common to both. `mode` says what an index outside means: "clip" is the nearest
    element, "wrap" counts modulo the size, "fast" promises that there is none (and clips all the
    same). Any dtype, integer indices.
    """

    batch_dims: int = 0
    axis: int | None = None
    mode: str = "clip"

    fusion = Fusion.INJECTIVE
    examples = (
        Example("f32[5, 3]", "i64[2, 2]", axis=0, values={1: [[0, 4], [2, 2]]}),
        Example("f32[5, 3]", "i32[3]", axis=-1, values={1: [-1, 2, 7]}),
        Example("f32[5, 3]", "i32[3]", axis=1, mode="wrap", values={1: [-1, 2, 7]}),
        Example("f64[2, 3]", "i64[4]", values={1: [0, 5, 3, 3]}),
        Example("i64[4]", "u8[]", axis=0, values={1: 3}),
        Example("f32[2, 5, 3]", "i32[2, 4]", axis=1, batch_dims=1, domain=(0, 5)),
        Example("bool[3]", "i32[0]", axis=0, mode="fast"),
    )

    def __post_init__(self) -> None:
        checks.attribute("take", self.mode in MODES, f"mode is one of {MODES}, not {self.mode!r}")

    def infer(self, x: TensorType, indices: TensorType) -> TensorType:
        integer(self.name, "indices", indices)
        if self.axis is None:
            readable(self.name, x.shape, indices.shape)
            return TensorType(indices.shape, x.dtype)
        axis = checks.axis(self.name, self.axis, x.rank)
        batch = self._batch(indices.rank)
        checks.attribute(self.name, batch <= axis, f"batch_dims {batch} is behind axis {axis}")
        same_shape(self.name, "batch axes", x.shape[:batch], indices.shape[:batch])
        readable(self.name, [x.shape[axis]], indices.shape)
        shape = (*x.shape[:axis], *indices.shape[batch:], *x.shape[axis + 1 :])
        return TensorType(shape, x.dtype)

    def _batch(self, rank: int) -> int:
        batch = self.batch_dims + rank if self.batch_dims < 0 else self.batch_dims
        fits = 0 <= batch <= rank
        checks.attribute(
            self.name, fits, f"batch_dims {self.batch_dims} for indices of rank {rank}"
        )
        return batch

    def compute(self, x: te.Tensor, indices: te.Tensor) -> te.Tensor:
        if self.axis is None:
            return move(x, indices.shape, lambda i: self._flat(x, indices[tuple(i)]))
        axis, batch = self.axis % len(x.shape), self._batch(len(indices.shape))
        inner = len(indices.shape) - batch
        shape = [*x.shape[:axis], *indices.shape[batch:], *x.shape[axis + 1 :]]

        def source(i: Indices) -> Indices:
            index = indices[(*i[:batch], *i[axis : axis + inner])]
            return [*i[:axis], limited(index, x.shape[axis], self.mode), *i[axis + inner :]]

        return move(x, shape, source)

    def _flat(self, x: te.Tensor, index: te.Scalar) -> Indices:
        size = elements(x.shape)
        return regroup([size], x.shape, [limited(index, size, self.mode)])

    def reference(self, x: Array, indices: Array) -> Array:
        if self.axis is None:
            return np.asarray(x.reshape(-1)[limited_array(indices, x.size, self.mode)])
        axis, batch = self.axis % x.ndim, self._batch(indices.ndim)
        places = limited_array(indices, x.shape[axis], self.mode)
        if batch == 0:
            return np.asarray(np.take(x, places, axis))
        shape = (*x.shape[:axis], *indices.shape[batch:], *x.shape[axis + 1 :])
        result = np.empty(shape, x.dtype)
        for at in np.ndindex(*x.shape[:batch]):
            result[at] = np.take(x[at], places[at], axis - batch)
        return result


@operator("gather")
class Gather(OperatorDef):
    """Read `x` with its index on `axis` replaced: `out[i, j] = x[indices[i, j], j]` for axis 0.

    `indices` has the rank of `x`, and on the other axes is no longer than it. Any dtype.
    """

    axis: int

    fusion = Fusion.INJECTIVE
    examples = (
        Example("f32[3, 4]", "i64[2, 4]", axis=0, values={1: [[0, 1, 2, 0], [-1, 2, 2, 1]]}),
        Example("i32[3, 4]", "i32[3, 2]", axis=-1, values={1: [[0, 3], [-4, -1], [9, -9]]}),
        Example("f64[3]", "i64[0]", axis=0),
    )

    def infer(self, x: TensorType, indices: TensorType) -> TensorType:
        integer(self.name, "indices", indices)
        checks.rank(self.name, "indices", indices, x.rank)
        axis = checks.axis(self.name, self.axis, x.rank)
        for at, (size, found) in enumerate(zip(x.shape, indices.shape, strict=True)):
            if at != axis and isinstance(size, int) and isinstance(found, int) and found > size:
                message = f"{self.name}: axis {at} has {size} elements, but {found} indices"
                raise TypeError_("T105", message)
        readable(self.name, [x.shape[axis]], indices.shape)
        return TensorType(indices.shape, x.dtype)

    def compute(self, x: te.Tensor, indices: te.Tensor) -> te.Tensor:
        axis = self.axis % len(x.shape)

        def source(i: Indices) -> Indices:
            return [*i[:axis], limited(indices[tuple(i)], x.shape[axis]), *i[axis + 1 :]]

        return move(x, indices.shape, source)

    def reference(self, x: Array, indices: Array) -> Array:
        axis = self.axis % x.ndim
        places = list(np.indices(indices.shape))
        places[axis] = limited_array(indices, x.shape[axis])
        return x[tuple(places)]


@operator("gather_nd")
class GatherND(OperatorDef):
    """Read `x` at index tuples, which lie along the *first* axis of `indices`.

    With M indices in a tuple the result has shape `indices.shape[1:] + x.shape[batch_dims+M:]`; the
    first `batch_dims` axes of `x` go with the first axes behind the tuple. `index_rank` bounds
    M where it is not static. Any dtype.
    """

    batch_dims: int = 0
    index_rank: int | None = None

    fusion = Fusion.INJECTIVE
    examples = (
        Example("f32[3, 4, 2]", "i64[2, 5]", values={1: [[0, 1, 2, -1, 9], [3, 0, 1, -4, 1]]}),
        Example("f32[3, 4]", "i32[1, 2, 2]", values={1: [[[0, 2], [1, 1]]]}),
        Example("f64[2, 4, 3]", "i64[1, 2]", batch_dims=1, values={1: [[3, 0]]}),
        Example("i64[3]", "i32[1, 0]"),
    )

    def infer(self, x: TensorType, indices: TensorType) -> TensorType:
        integer(self.name, "indices", indices)
        checks.attribute(self.name, indices.rank > 0, "indices must have an axis for the tuple")
        depth, batch = indices.shape[0], self.batch_dims
        checks.attribute(
            self.name, isinstance(depth, int), "the length of index tuples must be known"
        )
        used = batch + (depth if isinstance(depth, int) else 0)
        checks.attribute(self.name, 0 <= used <= x.rank, f"{used} indices for rank {x.rank}")
        same_shape(self.name, "batch axes", x.shape[:batch], indices.shape[1 : batch + 1])
        readable(self.name, x.shape[batch:used], indices.shape[1:])
        return TensorType((*indices.shape[1:], *x.shape[used:]), x.dtype)

    def compute(self, x: te.Tensor, indices: te.Tensor) -> te.Tensor:
        batch, outer = self.batch_dims, len(indices.shape) - 1
        depth = indices.shape[0]

        def source(i: Indices) -> Indices:
            read = [indices[(te.const(k), *i[:outer])] for k in range(depth)]
            sizes = x.shape[batch : batch + depth]
            places = [limited(one, size) for one, size in zip(read, sizes, strict=True)]
            return [*i[:batch], *places, *i[outer:]]

        return move(x, [*indices.shape[1:], *x.shape[batch + depth :]], source)

    def reference(self, x: Array, indices: Array) -> Array:
        outer = np.indices(indices.shape[1:])[: self.batch_dims]
        sizes = x.shape[self.batch_dims :]
        read = (limited_array(one, size) for one, size in zip(indices, sizes, strict=False))
        return np.asarray(x[(*outer, *read)])


@operator("adv_index")
class AdvIndex(OperatorDef):
    """Index as NumPy does: `data[idx0, idx1, …]` for a tuple `(data, idx0, idx1, …)`.

    The index tensors broadcast together and replace as many leading axes of `data`. Any dtype.
    """

    fusion = Fusion.INJECTIVE
    examples = (
        Example(["f32[3, 4, 2]", "i64[5]", "i64[5]"], domain=(0, 3)),
        Example(["f32[3, 4]", "i32[2, 1]", "i32[3]"], domain=(-3, 3)),
        Example(["i64[3]", "i64[]"], domain=(0, 3)),
    )

    def infer(self, data: Type) -> TensorType:
        x, *indices = tensors(self.name, data)
        checks.attribute(
            self.name, 0 < len(indices) <= x.rank, f"{len(indices)} indices for rank {x.rank}"
        )
        for index in indices:
            integer(self.name, "every index", index)
        shape = checks.broadcast(self.name, *(index.shape for index in indices))
        readable(self.name, x.shape[: len(indices)], shape)
        return TensorType((*shape, *x.shape[len(indices) :]), x.dtype)

    def compute(self, data: Sequence[te.Tensor]) -> te.Tensor:
        x, *indices = data
        outer = static(checks.broadcast(self.name, *(index.shape for index in indices)))

        def source(i: Indices) -> Indices:
            places = [
                limited(_broadcast(index, i[: len(outer)]), size)
                for index, size in zip(indices, x.shape, strict=False)
            ]
            return [*places, *i[len(outer) :]]

        return move(x, [*outer, *x.shape[len(indices) :]], source)

    def reference(self, data: Sequence[Array]) -> Array:
        x, *indices = data
        sizes = x.shape[: len(indices)]
        places = (limited_array(i, size) for i, size in zip(indices, sizes, strict=True))
        return np.asarray(x[tuple(places)])


def _broadcast(x: te.Tensor, indices: Indices) -> te.Scalar:
    """Read a tensor that broadcasts to the rank of `indices`."""
    own = list(indices)[len(indices) - len(x.shape) :]
    places = [te.const(0) if n == 1 else i for i, n in zip(own, x.shape, strict=True)]
    return x[tuple(places)]
