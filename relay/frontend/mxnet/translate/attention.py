"""Translate the products of attention whose heads MXNet interleaves, and what models add to it."""

import math

import numpy as np

from relay import numpy as rnp
from relay.frontend.builders.tensor_helpers import constant, reshape
from relay.frontend.mxnet.node import MxNode
from relay.frontend.mxnet.registry import mxnet_operator
from relay.frontend.node_errors import static_size
from relay.ir.expr import Call, Constant, Expr
from relay.ops.binary import divide
from relay.ops.nn.matmul import BatchMatmul
from relay.ops.tensor.gather import Take
from relay.ops.tensor.transpose import Transpose
from relay.support.dtype import int64

_PREFIX = "_contrib_interleaved_matmul_"


@mxnet_operator(f"{_PREFIX}selfatt_qk", f"{_PREFIX}encdec_qk")
def scores(node: MxNode) -> Expr:
    """Translate the products of queries and keys, `(batch · heads, queries, keys)`.

    Queries are divided by the square root of their size. For self-attention, the axis of features
    has the query, the key and the value of each head in turn; otherwise the second input has keys
    and values.
    """
    is_self = node.op.endswith("selfatt_qk")
    query = _part(node, 0, 0, 3 if is_self else 1)
    key = _part(node, 0, 1, 3) if is_self else _part(node, 1, 0, 2)
    size = static_size(query.tensor_type.shape[-1])
    query = divide(query, constant(math.sqrt(size), query.tensor_type.dtype))
    return Call(BatchMatmul(transpose_b=True), (query, key), span=node.span)


@mxnet_operator(f"{_PREFIX}selfatt_valatt", f"{_PREFIX}encdec_valatt")
def weighted_values(node: MxNode) -> Expr:
    """Translate the products of attention weights and values, `(queries, batch, features)`."""
    value = _part(node, 0, 2, 3) if node.op.endswith("selfatt_valatt") else _part(node, 0, 1, 2)
    heads, batch = node.integer("heads"), node.type().shape[1]
    product = Call(BatchMatmul(transpose_b=False), (node.tensor(1), value), span=node.span)
    _, count, size = product.tensor_type.shape
    split = reshape(product, (batch, heads, count, size))
    return reshape(Call(Transpose((2, 0, 1, 3)), (split,)), (count, batch, heads * size))


def _part(node: MxNode, index: int, part: int, parts: int) -> Expr:
    """Return one of the interleaved parts of an input as `(batch · heads, sequence, size)`."""
    x, heads = node.tensor(index), node.integer("heads")
    count, batch, width = x.tensor_type.shape
    size = width // (heads * parts)
    split = reshape(x, (count, batch, heads, parts, size))
    chosen = Call(Take(axis=3), (split, constant(part, int64)))
    return reshape(Call(Transpose((1, 2, 0, 3)), (chosen,)), (batch * heads, count, size))


@mxnet_operator("_contrib_div_sqrt_dim")
def div_sqrt_dim(node: MxNode) -> Expr:
    """Translate `div_sqrt_dim`: divide by the square root of the size of the last axis."""
    x = node.tensor()
    size = x.tensor_type.static_shape[-1]
    return divide(x, constant(math.sqrt(size), x.tensor_type.dtype))


@mxnet_operator("_contrib_arange_like")
def arange_like(node: MxNode) -> Expr:
    """Translate `arange_like`: a range as long as an axis of a tensor, or in its shape."""
    x = node.tensor()
    start, step = node.number("start", 0.0), node.number("step", 1.0)
    count, dtype = node.integer("repeat", 1), x.tensor_type.dtype.numpy
    node.ignore("axis", "ctx")
    if "axis" in node:
        (size,), shape = (x.tensor_type.shape[node.integer("axis")],), None
    else:
        shape = x.tensor_type.static_shape
        size = math.prod(shape)
    if isinstance(size, int):
        numbers = (start + step * (np.arange(size) // count)).astype(dtype)
        return Constant(numbers if shape is None else numbers.reshape(shape), span=node.span)
    if count != 1:
        raise node.wrong("repeat")
    places = rnp.arange(size, dtype=dtype)
    return rnp.add(rnp.multiply(places, np.asarray(step, dtype)), np.asarray(start, dtype))


@mxnet_operator("masked_softmax", "_npx_masked_softmax")
def masked_softmax(node: MxNode) -> Expr:
    """Translate `masked_softmax`: softmax over the elements where the mask is true."""
    x, mask, axis = node.tensor(), node.tensor(1), node.integer("axis", -1)
    least = np.asarray(np.finfo(x.tensor_type.dtype.name).min)
    scaled = rnp.divide(x, np.asarray(node.number("temperature", 1.0), least.dtype))
    kept = rnp.where(mask, scaled, least)
    powers = rnp.exp(rnp.subtract(kept, rnp.max(kept, axis=axis, keepdims=True)))
    powers = rnp.where(mask, powers, np.asarray(0, least.dtype))
    return rnp.divide(powers, rnp.sum(powers, axis=axis, keepdims=True))
