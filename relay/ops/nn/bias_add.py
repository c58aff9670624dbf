"""The operator `nn.bias_add`, which adds a number to each channel, and helpers for such vectors."""

from collections.abc import Sequence

from relay.ir.dims import Dim
from relay.ir.expr import Array, Call, Expr
from relay.ir.types import TensorType, Type
from relay.kernels import te
from relay.opdef import checks
from relay.opdef.batched_call import Batched, shifted_axis
from relay.opdef.definition import OperatorDef, Precision
from relay.opdef.example import Example
from relay.opdef.table import operator
from relay.ops.families import NUMBERS
from relay.ops.sum_and_mean_reductions import Sum
from relay.support.node import replace


@operator("nn.bias_add")
class BiasAdd(OperatorDef):
    """Add `bias`, a vector, along one axis of `data`. Takes numbers of one element type."""

    axis: int = 1

    keeps_type = True
    precision = Precision.FOLLOW
    examples = (
        Example("f32[2, 3, 4, 5]", "f32[3]"),
        Example("f32[2, 3]", "f32[3]", axis=-1),
        Example("i32[4]", "i32[4]", axis=0),
    )

    def infer(self, data: TensorType, bias: TensorType) -> TensorType:
        """Return the type of the data, after checking that of the bias."""
        checks.same_dtype(self.name, data, bias)
        checks.kind(self.name, "data", data, *NUMBERS)
        require_vector_along_axis(self.name, "bias", data, bias, self.axis)
        return data

    def relate(self, types: Sequence[Type | None]) -> Sequence[Type | None]:
        """Return the type of the bias, inferred from the type of the data."""
        return vectors_from_data(self.name, types, self.axis)

    def batched(self, types: Sequence[Type], mapped: Sequence[bool], size: Dim) -> Batched | None:
        """Return the addition for a batch: along the same axis, after the new first axis.

        The result is None if the bias differs within the batch.
        """
        del types, size
        return None if mapped[1] else Batched(replace(self, axis=shifted_axis(self.axis)))

    def compute(self, data: te.Tensor, bias: te.Tensor) -> te.Tensor:
        """Return the formula: each element plus the bias of its channel."""
        axis = self.axis % len(data.shape)
        return te.compute(data.shape, lambda *i: data[i] + bias[i[axis]], name=self.name)

    def reference(self, data: Array, bias: Array) -> Array:
        """Return the result by NumPy."""
        return data + broadcast_along(bias, self.axis, data.ndim)

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return the derivatives: the bias's is summed over all other axes."""
        return d_out, Call(Sum(axis=(self.axis,), exclude=True), (d_out,))


def require_vector_along_axis(
    operator: str, name: str, data: TensorType, vector: TensorType, axis_attribute: int
) -> None:
    """Require that `vector` has one element for each position along an axis of `data`."""
    axis = checks.axis(operator, axis_attribute, data.rank)
    checks.rank(operator, name, vector, 1)
    help_ = f"the bias needs one element for each index of axis {axis}; choose the axis with axis=…"
    checks.size(operator, f"length of {name}", data.shape[axis], vector.shape[0], help_)


def vectors_from_data(
    operator: str, types: Sequence[Type | None], axis: int
) -> Sequence[Type | None]:
    """Return argument types, where unknown ones are vectors along an axis of the first argument."""
    data = types[0]
    if not isinstance(data, TensorType):
        return types
    vector = TensorType((data.shape[checks.axis(operator, axis, data.rank)],), data.dtype)
    return data, *(vector if ty is None else ty for ty in types[1:])


def broadcast_along(vector: Array, axis: int, rank: int) -> Array:
    """Return a vector reshaped so that it broadcasts along one axis of a tensor of this rank."""
    return vector.reshape([-1 if i == axis % rank else 1 for i in range(rank)])
