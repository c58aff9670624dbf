"""Translate random operators; the generator's key is a node's `seed` or derives from its name.

Programs are pure functions, so each run draws the same numbers.
"""

from collections.abc import Sequence
from zlib import crc32

import numpy as np

from relay.frontend.builders.tensor_helpers import constant, reshape
from relay.frontend.onnx.dtypes import tensor_dtype
from relay.frontend.onnx.node import OnnxNode
from relay.frontend.onnx.registry import onnx_operator
from relay.frontend.onnx.translate.run_time_tensors import sizes_of
from relay.ir.dims import ANY, Shape
from relay.ir.expr import Call, Constant, Expr, TupleGetItem
from relay.ops.binary import divide, multiply, subtract
from relay.ops.cast import Cast
from relay.ops.comparison import GreaterEqual, Less, equal
from relay.ops.functions.random import threefry_key
from relay.ops.nn.softmax import Softmax
from relay.ops.random.distributions import Distribution, Multinomial, Normal, Uniform
from relay.ops.selection import where
from relay.ops.tensor.dynamic_shapes import DynamicBroadcastTo
from relay.support.dtype import DType, bool_, float32, float64, int32
from relay.support.error_codes import ErrorCode

_GIVE_SHAPES = "specify the input shapes: shapes={…}"


@onnx_operator("RandomUniform", "RandomUniformLike")
def random_uniform(node: OnnxNode) -> Expr:
    """Translate `RandomUniform`: uniform numbers between two limits."""
    low, high = node.attribute("low", 0.0), node.attribute("high", 1.0)
    return _drawn(node, Uniform, low, high)


@onnx_operator("RandomNormal", "RandomNormalLike")
def random_normal(node: OnnxNode) -> Expr:
    """Translate `RandomNormal`: normally distributed numbers."""
    mean, scale = node.attribute("mean", 0.0), node.attribute("scale", 1.0)
    return _drawn(node, Normal, mean, scale)


@onnx_operator("Bernoulli")
def bernoulli(node: OnnxNode) -> Expr:
    """Translate `Bernoulli`: 1 with the given probability, else 0."""
    x = node.expr(0)
    wanted = node.attribute("dtype", 0)
    to = tensor_dtype(wanted, node.span) if wanted else x.tensor_type.dtype
    of = _drawing_dtype(x.tensor_type.dtype)
    limit = x if x.tensor_type.dtype is of else Call(Cast(of), (x,))
    drawn = _numbers(node, Uniform, x.tensor_type.shape, of, 0.0, 1.0)
    return Call(Cast(to), (Call(Less(), (drawn, limit)),), span=node.span)


@onnx_operator("Multinomial")
def multinomial(node: OnnxNode) -> Expr:
    """Translate `Multinomial`: class indices from unnormalised log probabilities."""
    x = node.expr(0)
    wanted = node.attribute("dtype", 0)
    to = tensor_dtype(wanted, node.span) if wanted else int32
    shares = Call(Softmax(-1), (x,))
    both = Call(Multinomial(node.attribute("sample_size", 1)), (_key(node), shares))
    found = TupleGetItem(both, 1)
    return found if to is int32 else Call(Cast(to), (found,), span=node.span)


@onnx_operator("Dropout")
def dropout(node: OnnxNode) -> Expr | Sequence[Expr]:
    """Translate `Dropout`; in training, random elements become 0, and the others are scaled up."""
    x = node.expr(0)
    has_mask = bool(node.outputs[1:] and node.outputs[1])
    if not node.has(2) or _is_zero(node.expr(2)):
        return [x, _constant_mask(node, x)] if has_mask else x
    result, mask = _dropped(node, x)
    return [result, mask] if has_mask else result


def _constant_mask(node: OnnxNode, x: Expr) -> Expr:
    """Return the mask outside of training: all true; before opset 12, as in ONNX Runtime, zeros."""
    element = bool_ if node.opset >= 10 else x.tensor_type.dtype
    return Call(DynamicBroadcastTo(), (constant(int(node.opset >= 12), element), sizes_of(x)))


def _dropped(node: OnnxNode, x: Expr) -> tuple[Expr, Expr]:
    """Return the result of dropout, and the mask of kept elements.

    Whether the node is in training may be known only at run time; otherwise nothing is dropped.
    """
    element = x.tensor_type.dtype
    of = _drawing_dtype(element)
    given = node.optional(1)
    scalar = constant(0.5, of) if given is None else reshape(given, ())
    ratio = scalar if scalar.tensor_type.dtype is of else Call(Cast(of), (scalar,))
    ratio = where(reshape(node.expr(2), ()), ratio, constant(0.0, of))
    drawn = _numbers(node, Uniform, x.tensor_type.shape, of, 0.0, 1.0)
    mask = Call(GreaterEqual(), (drawn, ratio), span=node.span)
    one, zero = constant(1.0, of), constant(0.0, of)
    kept = subtract(one, ratio)
    scale = divide(one, where(equal(kept, zero), one, kept))
    factor = scale if of is element else Call(Cast(element), (scale,))
    return where(mask, multiply(x, factor), constant(0.0, element)), mask


def _is_zero(x: Expr) -> bool:
    return isinstance(x, Constant) and not np.any(x.array)


def _drawn(node: OnnxNode, cls: type[Distribution], first: float, second: float) -> Expr:
    """Draw from a distribution; shape and element type are attributes or those of the input."""
    has_input = bool(node.inputs)
    shape = node.type(0).shape if has_input else tuple(node.required("shape"))
    default = node.type(0).dtype if has_input else float32
    wanted = node.attribute("dtype", 0)
    to = tensor_dtype(wanted, node.span) if wanted else default
    drawn = _numbers(node, cls, shape, _drawing_dtype(to), first, second)
    return drawn if drawn.tensor_type.dtype is to else Call(Cast(to), (drawn,), span=node.span)


def _drawing_dtype(dtype: DType) -> DType:
    """Return the element type to draw in, before conversion to `dtype`."""
    return dtype if dtype is float64 else float32


def _numbers(
    node: OnnxNode, cls: type[Distribution], shape: Shape, of: DType, first: float, second: float
) -> Expr:
    if ANY in shape:
        raise node.error(
            ErrorCode.F032,
            "the shape of random numbers must be known at compile time",
            _GIVE_SHAPES,
        )
    limits = (constant(first, of), constant(second, of))
    return TupleGetItem(Call(cls(shape, of), (_key(node), *limits), span=node.span), 1)


def _key(node: OnnxNode) -> Constant:
    """Return the random key of a node, from its seed or from the name of its result."""
    seed = node.attribute("seed")
    if seed is None:
        return threefry_key(crc32(node.outputs[0].encode()))
    return threefry_key(int(np.float64(seed).view(np.uint64)))
