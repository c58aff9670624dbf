"""The functions of `relay.qnn` and `relay.qnn.op`: operators on quantised numbers.

Scales are float32 and zero points int32: `relay.const(0.5, "float32")`. Functions not defined here
are generated from the operator `qnn.…` of that name.
"""

import sys
from dataclasses import MISSING

import numpy as np

from relay.ir.dims import Dim
from relay.ir.expr import Call, Constant, Expr, operands
from relay.opdef import checks
from relay.ops.functions.call_builders import builder
from relay.ops.functions.generated_members import namespace
from relay.ops.qnn.concatenate import QuantisedConcatenate
from relay.ops.qnn.conv_and_matmul import (
    QuantisedBatchMatmul,
    QuantisedConv2D,
    QuantisedConv2DTranspose,
    QuantisedDense,
    QuantisedDensePack,
)
from relay.ops.qnn.elementwise import QuantisedLeakyRelu
from relay.ops.qnn.pooling import QuantisedAvgPool2D
from relay.ops.qnn.quantize import Dequantize, Quantize, Requantize
from relay.ops.qnn.simulated_quantization import CODES, SimulatedDequantize, SimulatedQuantize
from relay.ops.qnn.unary import (
    QuantisedAbs,
    QuantisedErf,
    QuantisedExp,
    QuantisedHardSwish,
    QuantisedLog,
    QuantisedRsqrt,
    QuantisedSigmoid,
    QuantisedSoftmax,
    QuantisedSqrt,
    QuantisedTanh,
)
from relay.support.absent_names import absent_names
from relay.support.dtype import DType

__path__: list[str] = []  # a package, whose modules `relay.support.import_hook` resolves here
op = sys.modules[__name__]

_ROUNDING = "pass rounding and compute_dtype to relay.qnn.op.requantize"
_ABSENT = {
    "current_requantize_config": _ROUNDING,
    "requantize_config": _ROUNDING,
    "transform": "use the passes CanonicalizeOps and Legalize of relay.transform",
}

_PRODUCT = "input_zero_point kernel_zero_point input_scale kernel_scale"
_WINDOWS = "strides padding dilation groups"
_LAYOUTS = "data_layout kernel_layout out_layout"
_OUTPUT = "output_scale output_zero_point"

quantize = builder(Quantize, f"data {_OUTPUT} axis out_dtype")
dequantize = builder(Dequantize, "data input_scale input_zero_point axis out_dtype")
requantize = builder(
    Requantize,
    f"data input_scale input_zero_point {_OUTPUT} axis rounding compute_dtype out_dtype",
)
concatenate = builder(QuantisedConcatenate, f"data input_scales input_zero_points {_OUTPUT} axis")
conv2d = builder(
    QuantisedConv2D,
    f"data kernel {_PRODUCT} kernel_size channels {_WINDOWS} {_LAYOUTS} out_dtype",
    strides=(1, 1),
    padding=(0, 0),
    dilation=(1, 1),
    out_dtype="int32",
)
conv2d_transpose = builder(
    QuantisedConv2DTranspose,
    f"data weight {_PRODUCT} {_WINDOWS} channels kernel_size {_LAYOUTS} output_padding out_dtype",
    strides=(1, 1),
    padding=(0, 0),
    dilation=(1, 1),
    out_dtype="int32",
)
dense = builder(QuantisedDense, f"data weight {_PRODUCT} units out_dtype", out_dtype="int32")
batch_matmul = builder(
    QuantisedBatchMatmul, "x y x_zero_point y_zero_point x_scale y_scale out_dtype",
    out_dtype="int32",
)  # fmt: skip
leaky_relu = builder(
    QuantisedLeakyRelu, f"x alpha input_scale input_zero_point {_OUTPUT}", alpha=MISSING
)
avg_pool2d = builder(
    QuantisedAvgPool2D,
    f"data input_scale input_zero_point {_OUTPUT} pool_size strides padding dilation ceil_mode "
    "count_include_pad layout out_layout",
    strides=(1, 1),
    padding=(0, 0),
    dilation=(1, 1),
    count_include_pad=True,
    layout="NHWC",
)

_UNARY = f"x scale zero_point {_OUTPUT}"
abs = builder(QuantisedAbs, _UNARY)  # noqa: A001 - the classic name
erf = builder(QuantisedErf, _UNARY)
exp = builder(QuantisedExp, _UNARY)
hardswish = builder(QuantisedHardSwish, _UNARY)
log = builder(QuantisedLog, _UNARY)
rsqrt = builder(QuantisedRsqrt, _UNARY)
sigmoid = builder(QuantisedSigmoid, _UNARY)
softmax = builder(QuantisedSoftmax, f"{_UNARY} axis")
sqrt = builder(QuantisedSqrt, _UNARY)
tanh = builder(QuantisedTanh, _UNARY)


def contrib_dense_pack(
    data: Expr,
    weight: Expr,
    input_zero_point: Expr,
    kernel_zero_point: Expr,
    input_scale: Expr,
    kernel_scale: Expr,
    kernel_layout: str = "NC",
    units: Dim | None = None,
    out_dtype: "DType | str" = "int32",
) -> Call:
    """Return the product of data and a blocked weight; see `qnn.contrib_dense_pack`."""
    attributes = {"weight_layout": kernel_layout, "units": units, "out_dtype": out_dtype}
    given = (data, weight, input_zero_point, kernel_zero_point, input_scale, kernel_scale)
    return Call(QuantisedDensePack.made(attributes), operands(given))


def simulated_quantize(
    data: Expr,
    output_scale: Expr,
    output_zero_point: Expr,
    axis: int = -1,
    out_dtype: Expr | str = "int8",
) -> Call:
    """Return the quantised numbers of `data` as floats.

    `out_dtype` is the type to which numbers are rounded and saturated; with "disable", `data` is
    returned unchanged.
    """
    op_ = SimulatedQuantize.made({"axis": axis})
    data, scale, zero = operands((data, output_scale, output_zero_point))
    return Call(op_, (data, _code(out_dtype), scale, zero))


def simulated_dequantize(
    data: Expr,
    input_scale: Expr,
    input_zero_point: Expr,
    axis: int = -1,
    in_dtype: Expr | str = "int8",
) -> Call:
    """Return the real numbers that a result of `simulated_quantize` represents."""
    op_ = SimulatedDequantize.made({"axis": axis})
    data, scale, zero = operands((data, input_scale, input_zero_point))
    return Call(op_, (data, _code(in_dtype), scale, zero))


def _code(of: Expr | str) -> Expr:
    """Return the int32 code of an element type, such as 1 for "int8"; expressions unchanged."""
    if isinstance(of, Expr):
        return of
    known = str(of) in CODES
    help_ = f"use one of the element types {', '.join(CODES)}"
    checks.attribute(
        "simulated quantisation",
        known,
        f"simulated quantisation does not support the element type '{of}'",
        help_,
    )
    return Constant(np.asarray(CODES[str(of)], np.int32))


_generated, __dir__ = namespace("qnn.", globals())
__getattr__ = absent_names("relay.qnn", _ABSENT, _generated)
