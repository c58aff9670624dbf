"""Evaluate ONNX's shape computations during import: integer tensors become dimensions.

Each rule maps the known inputs of a node to its known result, or to None.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from relay.frontend.node_errors import static_size
from relay.frontend.onnx.node import OnnxNode
from relay.frontend.onnx.value import LARGEST_KNOWN, Known, OnnxValue, as_known, is_static
from relay.ir.dims import ANY, Dim, elements, maximum, product
from relay.ir.dims import is_static as is_static_shape
from relay.ir.types import TensorType

Rule: TypeAlias = Callable[[OnnxNode, list[Known]], Known | None]


def follow(node: OnnxNode) -> Known | None:
    """Return the elements of a node's single result as dimensions, or None if unknown."""
    if node.op == "Shape":
        return _shape(node)
    if node.op == "Size":
        return _array([product(node.type(0).shape)]).reshape(())
    rule = _RULES.get(node.op)
    if rule is None or not node.inputs:
        return None
    known = [None if value is None else value.known for value in node.inputs]
    if node.op == "Concat" and any(each is not None for each in known):
        known = [_any_elements(value) for value in node.inputs]
    present = [k for k, value in zip(known, node.inputs, strict=True) if value is not None]
    if any(k is None for k in present):
        return None
    result = rule(node, [k for k in present if k is not None])
    return result if result is None or result.size <= LARGEST_KNOWN else None


def _any_elements(value: OnnxValue | None) -> Known | None:
    """Return the elements of a value as dimensions; `Any` for elements unknown until run time."""
    if value is None or value.known is not None:
        return None if value is None else value.known
    ty = value.expr.ty
    if not isinstance(ty, TensorType) or not is_static_shape(ty.shape):
        return None
    few = elements(ty.static_shape) <= LARGEST_KNOWN
    return np.full(ty.static_shape, ANY, object) if few else None


def _shape(node: OnnxNode) -> Known | None:
    ty = node.expr(0).ty
    if not isinstance(ty, TensorType):
        return None
    dims = ty.shape[slice(node.attribute("start", 0), node.attribute("end"))]
    return _array(dims)


def _array(dims: Sequence[Dim]) -> Known:
    result = np.empty(len(dims), object)
    result[:] = dims
    return result


def _binary(function: Callable[[Dim, Dim], Dim]) -> Rule:
    vectorised = np.frompyfunc(function, 2, 1)
    return lambda _, inputs: np.asarray(vectorised(inputs[0], inputs[1]), object)


def _divide(a: Dim, b: Dim) -> Dim:
    """Divide integers as ONNX does, rounding toward zero; symbolic sizes are nonnegative."""
    if isinstance(a, int) and isinstance(b, int):
        return 0 if b == 0 else int(abs(a) // abs(b)) * (1 if (a < 0) == (b < 0) else -1)
    return a // b


def _cast(node: OnnxNode, inputs: list[Known]) -> Known | None:
    integers = (6, 7, 12, 13)  # INT32, INT64, UINT32, UINT64
    return inputs[0] if node.attribute("to") in integers else None


def _gather(node: OnnxNode, inputs: list[Known]) -> Known | None:
    data, indices = inputs
    if not is_static(indices):
        return None
    try:
        found = np.take(data, indices.astype(np.int64), axis=node.attribute("axis", 0))
    except IndexError:
        return None  # the model traps if it reaches this division
    return np.asarray(found, object)


def _concat(node: OnnxNode, inputs: list[Known]) -> Known:
    return np.concatenate(inputs, axis=node.required("axis"))


def _axes(node: OnnxNode, inputs: list[Known]) -> tuple[int, ...] | None:
    if len(inputs) > 1:
        return tuple(int(each) for each in inputs[1].ravel()) if is_static(inputs[1]) else None
    axes = node.attribute("axes")
    return None if axes is None else tuple(axes)


def _unsqueeze(node: OnnxNode, inputs: list[Known]) -> Known | None:
    axes = _axes(node, inputs)
    return None if axes is None else np.expand_dims(inputs[0], axes)


def _squeeze(node: OnnxNode, inputs: list[Known]) -> Known:
    return np.squeeze(inputs[0], _axes(node, inputs))


def _slice(node: OnnxNode, inputs: list[Known]) -> Known | None:
    if node.opset < 10:
        starts, ends, axes = (node.attribute(name) for name in ("starts", "ends", "axes"))
        steps = None
    else:
        if not all(is_static(each) for each in inputs[1:]):
            return None
        lists = [[int(item) for item in each.ravel()] for each in inputs[1:]]
        starts, ends, axes, steps = [*lists, None, None][:4]
    index: list[Any] = [slice(None)] * inputs[0].ndim
    for position, axis in enumerate(axes or range(len(starts or ()))):
        step = steps[position] if steps else 1
        end = (ends or ())[position]
        stop = None if step < 0 and end < -inputs[0].shape[axis] else end
        index[axis] = slice((starts or ())[position], stop, step)
    return inputs[0][tuple(index)]


def _reshape(node: OnnxNode, inputs: list[Known]) -> Known | None:
    data, shape = inputs
    if not is_static(shape):
        return None
    wanted = [int(dim) for dim in shape]
    if not node.attribute("allowzero", 0):
        wanted = [data.shape[i] if dim == 0 else dim for i, dim in enumerate(wanted)]
    return data.reshape(wanted)


def _range(_: OnnxNode, inputs: list[Known]) -> Known | None:
    if not all(is_static(each) for each in inputs):
        return None
    start, limit, delta = (int(each.reshape(())[()]) for each in inputs)
    if delta == 0 or len(range(start, limit, delta)) > LARGEST_KNOWN:
        return None
    return as_known(np.arange(start, limit, delta))


def _product(node: OnnxNode, inputs: list[Known]) -> Known | None:
    if inputs[0].ndim != 1:
        return None
    if not _axes(node, inputs) and node.attribute("noop_with_empty_axes", 0):
        return inputs[0]
    total: Dim = 1
    for dim in inputs[0]:
        total = total * dim
    return _array([total]) if node.attribute("keepdims", 1) else _array([total]).reshape(())


def _where(_: OnnxNode, inputs: list[Known]) -> Known | None:
    condition, x, y = inputs
    return np.where(condition.astype(bool), x, y) if is_static(condition) else None


def _equal(_: OnnxNode, inputs: list[Known]) -> Known | None:
    if not all(is_static(each) for each in inputs):
        return None
    return as_known(
        np.equal(inputs[0].astype(np.int64), inputs[1].astype(np.int64)).astype(np.int64)
    )


def _smaller(a: Dim, b: Dim) -> Dim:
    return a if a is b else min(static_size(a), static_size(b))


def _minimum(_: OnnxNode, inputs: list[Known]) -> Known | None:
    if len(inputs) != 2 or not all(is_static(each) for each in inputs):
        return None
    return np.asarray(np.frompyfunc(_smaller, 2, 1)(*inputs), object)


_RULES: Mapping[str, Rule] = {
    "Add": _binary(lambda a, b: a + b),
    "Sub": _binary(lambda a, b: a - b),
    "Mul": _binary(lambda a, b: a * b),
    "Div": _binary(_divide),
    "Max": lambda node, inputs: _binary(maximum)(node, inputs) if len(inputs) == 2 else None,
    "Min": _minimum,
    "Cast": _cast,
    "Gather": _gather,
    "Concat": _concat,
    "Unsqueeze": _unsqueeze,
    "Squeeze": _squeeze,
    "Slice": _slice,
    "Reshape": _reshape,
    "Range": _range,
    "ReduceProd": _product,
    "Where": _where,
    "Equal": _equal,
    "Identity": lambda _, inputs: inputs[0],
}
