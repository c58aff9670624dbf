"""Operators on integers of a few bits: `nn.bitpack`, and bit-serial products."""

import numpy as np

from relay.ir.dims import Dim, floor_divide
from relay.ir.expr import Array, Call, Expr
from relay.ir.types import TensorType
from relay.kernels import te
from relay.opdef import checks
from relay.opdef.definition import OperatorDef
from relay.opdef.example import Example
from relay.opdef.table import operator
from relay.ops.binary import scaled, subtract
from relay.ops.cast import Cast, convert
from relay.ops.creation import number
from relay.ops.families import DISCRETE, INTEGERS
from relay.ops.nn.conv_operators import Conv2D
from relay.ops.nn.matmul import Dense
from relay.ops.tensor.dim_arithmetic import ints
from relay.support.dtype import DType, dtype, int16, int32, uint32
from relay.support.node import set_field


@operator("nn.bitpack")
class BitPack(OperatorDef):
    """Pack the bits of integers: a new axis has one plane for each of the lowest `bits` bits.

    In a plane, as many elements along `pack_axis` as `pack_type` has bits form one number, with the
    first element in its highest bit. The planes are along `bit_axis` of the result, that of the
    lowest bit first.
    """

    bits: int = 1
    pack_axis: int = 1
    bit_axis: int = -1
    pack_type: DType | None = None

    undifferentiable = DISCRETE
    examples = (
        Example("i32[2, 16]", bits=2, pack_axis=1, bit_axis=2, pack_type="uint8", domain=(0, 4)),
        Example("u8[32, 3]", bits=3, pack_axis=0, bit_axis=0, domain=(0, 8)),
    )

    def __post_init__(self) -> None:
        for name in ("bits", "pack_axis", "bit_axis"):
            set_field(self, name, int(getattr(self, name)))
        set_field(self, "pack_type", dtype(self.pack_type) if self.pack_type else uint32)
        checks.attribute(self.name, self.bits > 0, "bits must be positive")
        packed = TensorType((), self.pack_type or uint32)
        checks.kind(self.name, "the result (pack_type)", packed, *INTEGERS)

    def _axes(self, rank: int) -> tuple[int, int]:
        """Return the axis that is packed, and the axis of the planes in the result."""
        pack = checks.axis(self.name, self.pack_axis, rank)
        return pack, checks.axis(self.name, self.bit_axis, rank + 1)

    @property
    def _width(self) -> int:
        return (self.pack_type or uint32).bits

    def infer(self, data: TensorType) -> TensorType:
        checks.kind(self.name, "data", data, *INTEGERS)
        pack, plane = self._axes(data.rank)
        said = (
            f"axis {pack} has {data.shape[pack]} elements, which is not a multiple of {self._width}"
        )
        checks.divides(self.name, data.shape[pack], self._width, said)
        shape: list[Dim] = list(data.shape)
        shape[pack] = floor_divide(shape[pack], self._width)
        shape.insert(plane, self.bits)
        return TensorType(tuple(shape), self.pack_type or uint32)

    def compute(self, data: te.Tensor) -> te.Tensor:
        result = self.infer(TensorType(tuple(data.shape), data.dtype))
        pack, plane = self._axes(len(data.shape))

        def element(*i: te.Scalar) -> te.Scalar:
            at = [*i[:plane], *i[plane + 1 :]]
            first, packed = at[pack] * self._width, te.const(0, result.dtype)
            for k in range(self._width):
                at[pack] = first + k
                shift = te.cast(i[plane], data.dtype)
                bit = te.cast((data[tuple(at)] >> shift) & 1, result.dtype)
                packed = packed | (bit << (self._width - 1 - k))
            return packed

        return te.compute(result.shape, element, name="bitpack")

    def reference(self, data: Array) -> Array:
        pack, plane = self._axes(data.ndim)
        moved = np.moveaxis(data, pack, -1).astype(np.int64)
        groups = moved.reshape(*moved.shape[:-1], -1, self._width)
        weights = 1 << np.arange(self._width - 1, -1, -1, dtype=np.int64)
        planes = [((groups >> b & 1) * weights).sum(-1) for b in range(self.bits)]
        found = np.stack([np.moveaxis(each, -1, pack) for each in planes], plane)
        return found.astype((self.pack_type or uint32).numpy)


def _signed(weight: Expr, bits: int, *, unipolar: bool) -> Expr:
    """Return a weight of `bits` bits as integers; a 0 bit of a unipolar weight means -1."""
    whole = Call(Cast(int32), (weight,))
    return subtract(scaled(whole, 2), number(2**bits - 1, whole)) if unipolar else whole


@operator("nn.bitserial_dense")
class BitserialDense(OperatorDef):
    """Multiply rows of small integers `(m, k)` by weights `(units, k)` of `weight_bits` bits.

    A bit of a `unipolar` weight is 1 or -1. The product is computed in int32 and converted to
    `out_dtype` (int16); `data_bits` and `pack_dtype` only affect the kernels of TVM's Relay.
    """

    units: int | None = None
    data_bits: int = 1
    weight_bits: int = 1
    pack_dtype: DType | None = None
    out_dtype: DType | None = None
    unipolar: bool = True

    examples = (
        Example("u8[3, 8]", "u8[4, 8]", units=4, data_bits=2, weight_bits=2, domain=(0, 4)),
        Example("i32[2, 5]", "i32[3, 5]", unipolar=False, out_dtype="int32", domain=(0, 2)),
        Example("i32[1, 2]", "i32[1, 2]", unipolar=False, out_dtype="int64",
                values={0: [[2**31 - 1, 1]], 1: [[1, 1]]}),
    )  # fmt: skip

    def __post_init__(self) -> None:
        _narrow_types(self)

    def infer(self, data: TensorType, weight: TensorType) -> TensorType:
        checks.kind(self.name, "data", data, *INTEGERS)
        checks.same_dtype(self.name, data, weight)
        ty = Dense(self.units).infer(data, weight)
        return TensorType(ty.shape, self.out_dtype or int16)

    def decompose(self, data: Expr, weight: Expr) -> Expr:
        """Return the product in int32, converted to the result's element type."""
        numbers = _signed(weight, self.weight_bits, unipolar=self.unipolar)
        product = Call(Dense(self.units), (Call(Cast(int32), (data,)), numbers))
        return Call(Cast(self.out_dtype or int16), (product,))

    def reference(self, data: Array, weight: Array) -> Array:
        exact = _exact(weight, self.weight_bits, unipolar=self.unipolar)
        product = data.astype(np.int64) @ exact.T
        return convert(product.astype(np.int32), self.out_dtype or int16)


def _exact(weight: Array, bits: int, *, unipolar: bool) -> Array:
    wide = weight.astype(np.int64)
    return 2 * wide - (2**bits - 1) if unipolar else wide


def _narrow_types(op: OperatorDef) -> None:
    for name in ("pack_dtype", "out_dtype"):
        given: str | DType | None = getattr(op, name)
        set_field(op, name, dtype(given) if given else None)


@operator("nn.bitserial_conv2d")
class BitserialConv2D(OperatorDef):
    """Convolve images of small integers with a kernel of `weight_bits` bits.

    The attributes are those of `nn.conv2d` and `nn.bitserial_dense`.
    """

    strides: tuple[int, ...] = (1, 1)
    padding: tuple[int, ...] = (0, 0)
    kernel_size: tuple[int, ...] | None = (3, 3)
    channels: int | None = None
    activation_bits: int = 1
    weight_bits: int = 1
    data_layout: str = "NCHW"
    kernel_layout: str = "OIHW"
    pack_dtype: DType | None = None
    out_dtype: DType | None = None
    unipolar: bool = True

    examples = (
        Example("u8[1, 3, 5, 6]", "u8[2, 3, 3, 3]", padding=(1, 1), weight_bits=2,
                activation_bits=2, domain=(0, 4)),
        Example("i32[1, 4, 4, 2]", "i32[1, 1, 2, 3]", kernel_size=(1, 1), unipolar=False,
                data_layout="NHWC", kernel_layout="HWIO", out_dtype="int32", domain=(0, 2)),
    )  # fmt: skip

    def __post_init__(self) -> None:
        _narrow_types(self)
        for name in ("strides", "padding"):
            set_field(self, name, ints(getattr(self, name)))
        set_field(self, "kernel_size", None if self.kernel_size is None else ints(self.kernel_size))

    @property
    def _plain(self) -> Conv2D:
        return Conv2D(
            strides=self.strides, padding=self.padding, channels=self.channels,
            kernel_size=self.kernel_size, data_layout=self.data_layout,
            kernel_layout=self.kernel_layout,
        )  # fmt: skip

    def infer(self, data: TensorType, weight: TensorType) -> TensorType:
        checks.kind(self.name, "data", data, *INTEGERS)
        checks.same_dtype(self.name, data, weight)
        return TensorType(self._plain.infer(data, weight).shape, self.out_dtype or int16)

    def decompose(self, data: Expr, weight: Expr) -> Expr:
        """Return the convolution in int32, converted to the result's element type."""
        numbers = _signed(weight, self.weight_bits, unipolar=self.unipolar)
        whole = Call(self._plain, (Call(Cast(int32), (data,)), numbers))
        return Call(Cast(self.out_dtype or int16), (whole,))

    def reference(self, data: Array, weight: Array) -> Array:
        exact = _exact(weight, self.weight_bits, unipolar=self.unipolar).astype(np.int32)
        found = np.asarray(self._plain.reference(data.astype(np.int32), exact))
        return convert(found, self.out_dtype or int16)
