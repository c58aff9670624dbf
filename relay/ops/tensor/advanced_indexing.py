"""The operator `adv_index`: NumPy's indexing by several index tensors."""

from collections.abc import Sequence

import numpy as np

from relay.ir.expr import Array, Call, Expr, Tuple, TupleGetItem
from relay.ir.types import TensorType, Type
from relay.kernels import te
from relay.opdef import checks
from relay.opdef.broadcast_axes import BroadcastAxes, aligned_at_right
from relay.opdef.definition import OperatorDef
from relay.opdef.example import Example
from relay.opdef.table import operator
from relay.ops.creation import ZerosLike
from relay.ops.families import extents
from relay.ops.tensor.dim_arithmetic import require_integer, tensor_types
from relay.ops.tensor.element_movement import Indices, move
from relay.ops.tensor.index_bounds import checked_index, checked_indices
from relay.ops.tensor.position_tensors import gradient_of_movement


@operator("adv_index")
class AdvIndex(OperatorDef):
    """Return `data[idx0, idx1, …]` as NumPy does, for a tuple `(data, idx0, idx1, …)`.

    The index tensors broadcast together and replace the leading axes of `data`. Takes any element
    type. An index out of range traps (`R056`).
    """

    examples = (
        Example(["f32[3, 4, 2]", "i64[5]", "i64[5]"], domain=(0, 3)),
        Example(["f32[3, 4]", "i32[2, 1]", "i32[3]"], domain=(-3, 3)),
        Example(["i64[3]", "i64[]"], domain=(0, 3)),
    )

    @property
    def may_trap(self) -> bool:
        """Whether the operator may trap: always, because an index may be out of range."""
        return True

    def infer(self, data: Type) -> TensorType:
        x, *indices = tensor_types(self.name, data)
        checks.attribute(
            self.name,
            0 < len(indices) <= x.rank,
            f"{len(indices)} index tensors are passed, but data has {x.rank} axes",
        )
        for index in indices:
            require_integer(self.name, "every index", index)
        shape = checks.broadcast(self.name, *(index.shape for index in indices))
        return TensorType((*shape, *x.shape[len(indices) :]), x.dtype)

    def broadcast_axes(self, types: Sequence[TensorType]) -> Sequence[BroadcastAxes]:
        """Return the groups of axes of the index tensors that broadcast, aligned at the right."""
        found = aligned_at_right([ty.rank for ty in types[1:]])
        return [{number + 1: axis for number, axis in each.items()} for each in found]

    def compute(self, data: Sequence[te.Tensor]) -> te.Tensor:
        x, *indices = data
        outer = checks.broadcast(self.name, *map(extents, indices))

        def source(i: Indices) -> Indices:
            found = (_broadcast(index, i[: len(outer)]) for index in indices)
            sizes = enumerate(extents(x))
            read = [
                checked_index(one, size, axis)
                for one, (axis, size) in zip(found, sizes, strict=False)
            ]
            return [*read, *i[len(outer) :]]

        return move(x, [*outer, *extents(x)[len(indices) :]], source)

    def reference(self, data: Sequence[Array]) -> Array:
        x, *indices = data
        outer = np.broadcast_shapes(*(index.shape for index in indices))
        shape = (*outer, *x.shape[len(indices) :])
        if 0 in shape:
            return np.empty(shape, x.dtype)
        read = [checked_indices(index, x.shape[axis], axis) for axis, index in enumerate(indices)]
        return np.asarray(x[tuple(read)])

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return the derivative, added at the positions that were read."""
        (data,) = call.args
        count = len(tensor_types(self.name, data.type))
        x, *indices = (TupleGetItem(data, n) for n in range(count))
        d_x = gradient_of_movement(
            lambda places: Call(self, (Tuple((places, *indices)),)), d_out, x
        )
        return (Tuple((d_x, *(Call(ZerosLike(), (index,)) for index in indices))),)


def _broadcast(x: te.Tensor, indices: Indices) -> te.Scalar:
    """Return the element of a tensor that broadcasts to the rank of `indices`."""
    own = list(indices)[len(indices) - len(x.shape) :]
    places = [te.const(0) if n == 1 else i for i, n in zip(own, extents(x), strict=True)]
    return x[tuple(places)]
