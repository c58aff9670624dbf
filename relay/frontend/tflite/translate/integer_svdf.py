"""Translate the 8-bit `SVDF`, bit-exact with TensorFlow Lite's integer kernel.

The data and the weights of features have 8 bits, the weights of times and the state 16.
"""

import numpy as np

from relay.frontend.builders.tensor_helpers import constant, reshape
from relay.frontend.tflite.integer_arithmetic import scaled
from relay.frontend.tflite.node import Activation, LiteNode
from relay.ir.expr import Call, Expr, Tuple
from relay.ops.binary import add, multiply
from relay.ops.elementwise import Clip
from relay.ops.qnn.conv_and_matmul import QuantisedDense
from relay.ops.qnn.scale_and_zero_point import cast
from relay.ops.sum_and_mean_reductions import Sum
from relay.ops.tensor.concat_and_split import Concatenate
from relay.ops.tensor.slice import StridedSlice
from relay.support.dtype import DType, float32, int8, int16, int32
from relay.support.error_codes import ErrorCode

INPUT, FEATURES, TIMES, BIAS, STATE = range(5)


def integer_svdf(node: LiteNode) -> Expr:
    """Return the output of a step of an integer `SVDF`, and write its state.

    Raises `F030` for element types and activations that the integer kernel does not have.
    """
    kinds = [node.tensor(index).element for index in (INPUT, FEATURES, TIMES, STATE)]
    if kinds != ["INT8", "INT8", "INT16", "INT16"] or node.result.element != "INT8":
        problem = f"quantised data of types {', '.join(kinds)} are not supported"
        raise node.error(ErrorCode.F030, problem)
    if node.activation() not in (Activation.NONE, Activation.RELU):
        problem = f"the activation {node.activation().name} is not supported for quantised data"
        raise node.error(ErrorCode.F030, problem)
    filters, memory = node.type(TIMES).static_shape
    batch, rank = node.type(INPUT).shape[0], node.option("Rank")
    state = reshape(node.expr(STATE), (batch, filters, memory))
    kept = Call(StridedSlice((1,), (memory,), axes=(2,)), (state,))
    new = Call(Concatenate(2), (Tuple((kept, reshape(_features(node), (batch, filters, 1)))),))
    node.write(STATE, reshape(new, node.type(STATE).shape))
    products = multiply(cast(new, int32), cast(node.expr(TIMES), int32))
    sums = reshape(Call(Sum((2,)), (products,)), (batch, filters // rank, rank))
    found = Call(Sum((2,)), (sums,), span=node.span)
    if node.has(BIAS):
        found = add(found, node.expr(BIAS))
    scaled_ = scaled(found, [_factor(node.tensor(STATE).scale, node.tensor(TIMES).scale,
                                     node.result.scale)])  # fmt: skip
    return _saturated(add(scaled_, constant(node.result.zero, int32)), int8)


def _features(node: LiteNode) -> Expr:
    """Return the features of this step as 16-bit numbers with the scale of the state."""
    points = constant(node.tensor(INPUT).zero, int32), constant(0, int32)
    scales = [constant(1.0, float32)] * 2  # the sums are integers
    operands = (node.expr(INPUT), node.expr(FEATURES), *points, *scales)
    sums = Call(QuantisedDense(), operands, span=node.span)
    tensors = (node.tensor(index).scale for index in (INPUT, FEATURES, STATE))
    return _saturated(scaled(sums, [_factor(*tensors)]), int16)


def _factor(a: np.float32, b: np.float32, to: np.float32) -> float:
    """Return the factor from products of two scales to a scale, rounded as LiteRT does."""
    return float(a * b / to)


def _saturated(x: Expr, dtype: DType) -> Expr:
    low, high = dtype.limits
    return cast(Call(Clip(float(low), float(high)), (x,)), dtype)
