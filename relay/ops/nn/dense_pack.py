"""The operator `nn.contrib_dense_pack`, a dense layer whose weight has blocks of units."""

from collections.abc import Sequence

from relay.ir.dims import Dim, product
from relay.ir.expr import Array, Call, Expr
from relay.ir.types import TensorType, Type
from relay.kernels import te
from relay.opdef import checks
from relay.opdef.definition import OperatorDef
from relay.opdef.example import Example
from relay.opdef.layout import Layout
from relay.opdef.table import operator
from relay.ops.families import type_of
from relay.ops.nn.accumulation_dtype import narrow, product_dtype, sum_of_products, widen
from relay.ops.nn.matmul import Dense
from relay.ops.nn.separable_gradient import in_layout
from relay.ops.tensor.slice import StridedSlice
from relay.support.dtype import DType, dtype
from relay.support.node import set_field


@operator("nn.contrib_dense_pack")
class DensePack(OperatorDef):
    """Multiply the last axis of `data` by the transpose of a weight in `weight_layout`.

    The layout has the units `N` and the inner axis `C`: in `NC16n`, sixteen units are contiguous,
    for vector instructions. `units` is the number of units, as in `nn.dense`; the last block may be
    padded. Takes numbers; `out_dtype` is the element type of the result.
    """

    weight_layout: str = "NC"
    units: Dim | None = None
    out_dtype: DType | None = None

    result_dtype = "out_dtype"
    examples = (
        Example("f32[4, 5]", "f32[3, 5]"),
        Example("f32[2, 3, 5]", "f32[2, 5, 8]", weight_layout="NC8n"),
        Example("f32[3, 5]", "f32[2, 5, 4]", weight_layout="NC4n", units=7),
        Example("f32[6]", "f32[2, 3, 4, 2]", weight_layout="NC4n2c"),
        Example(
            "u8[4, 5]", "i8[1, 5, 4]", weight_layout="NC4n", out_dtype="int32", domain=(0, 100)
        ),
    )

    def __post_init__(self) -> None:
        set_field(self, "out_dtype", dtype(self.out_dtype) if self.out_dtype else None)
        fits = sorted(self.layout.letters) == ["C", "N"]
        checks.attribute(
            self.name,
            fits,
            (f"weight_layout must have the axes N and C, such as NC8n, not {self.weight_layout}"),
        )

    @property
    def layout(self) -> Layout:
        """Return the layout of the weight."""
        return Layout.parse(self.weight_layout)

    def infer(self, data: TensorType, weight: TensorType) -> TensorType:
        """Return the type of the product; raises `T100`, `T102` or `T105`."""
        to = product_dtype(self.name, self.out_dtype, data=data, weight=weight)
        checks.rank(self.name, "weight", weight, self.layout.rank)
        checks.attribute(self.name, data.rank > 0, "data must not be a scalar")
        sizes = self.layout.sizes(weight.shape)
        checks.size(self.name, "number of inputs of the weight", data.shape[-1], sizes["C"])
        units = self._units(sizes["N"])
        return TensorType((*data.shape[:-1], units), to)

    def _units(self, room: Dim) -> Dim:
        """Return the number of units: `self.units`, or all `room` units of the weight's blocks."""
        if self.units is None:
            return room
        checks.size(self.name, "units", self._in_blocks(self.units), room)
        return self.units

    def _in_blocks(self, units: Dim) -> Dim:
        block = self.layout.block("N")
        return -(-units // block) * block if isinstance(units, int) else units

    def relate(self, types: Sequence[Type | None]) -> Sequence[Type | None]:
        """Return the type of the weight, inferred from the data's type and `units`."""
        data, weight = types
        if weight is not None or self.units is None or not isinstance(data, TensorType):
            return types
        shape = self.layout.shape({"N": self._in_blocks(self.units), "C": data.shape[-1]})
        return data, TensorType(shape, data.dtype)

    def decompose(self, data: Expr, weight: Expr) -> Expr:
        """Return the dense layer, with the weight converted to the plain layout."""
        plain = in_layout(weight, self.weight_layout, "NC")
        rows, inner = plain.tensor_type.shape
        units = self._units(rows)
        if units is not rows:
            plain = Call(StridedSlice((0, 0), (units, inner)), (plain,))
        return Call(Dense(out_dtype=self.out_dtype), (data, plain))

    def reference(self, data: Array, weight: Array) -> Array:
        """Return the product by NumPy, computed in a wider type."""
        plain = self.layout.to_plain(weight, "CN")
        result = widen(data) @ widen(plain[:, : self._units(plain.shape[1])])
        return narrow(result, self.out_dtype.numpy if self.out_dtype else data.dtype)

    def compute(self, data: te.Tensor, weight: te.Tensor) -> te.Tensor:
        """Return the formula: a sum of products over the inner axis."""
        result = self.infer(type_of(data), type_of(weight))
        k = te.reduce_axis(data.shape[-1], "k")

        def element(*i: te.Scalar) -> te.Scalar:
            x, w = data[(*i[:-1], k)], weight[self.layout.indices({"N": i[-1], "C": k})]
            return sum_of_products(x, w, k, result.dtype)

        return te.compute(result.shape, element, name=self.name)

    def flops(self, data: TensorType, weight: TensorType) -> Dim:
        """Return the number of operations: two for each product that is summed."""
        units = self._units(self.layout.sizes(weight.shape)["N"])
        return 2 * product((*data.shape, units))
