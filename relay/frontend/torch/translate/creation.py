"""Translate PyTorch's constructors of tensors: fills, ranges and conversions from lists."""

from collections.abc import Mapping
from typing import Any, cast

import numpy as np
import torch
from torch.utils import _pytree as pytree

from relay.frontend.builders.size_expressions import numbers_below
from relay.frontend.builders.tensor_helpers import constant, converted, reshape
from relay.frontend.torch.node import TorchNode
from relay.frontend.torch.registry import torch_operator
from relay.frontend.torch.translate.shapes import broadcast, with_known_sizes
from relay.frontend.torch.translate.type_promotion import common_dtype, default_float, operand
from relay.ir.dims import ANY, Dim, Symbolic
from relay.ir.expr import Array, Call, Constant, Expr, Tuple
from relay.ops.binary import add, multiply
from relay.ops.comparison import equal
from relay.ops.creation import Full, FullLike, Ones, Zeros
from relay.ops.tensor.arange import Arange
from relay.ops.tensor.concat_and_split import Stack
from relay.ops.tensor.dynamic_shapes import DynamicFull
from relay.support.dtype import DType, int64

_NUMBERS: Mapping[str, int] = {
    "zeros": 0, "ones": 1, "zeros_like": 0, "ones_like": 1, "new_zeros": 0, "new_ones": 1,
    "empty": 0, "empty_like": 0, "new_empty": 0, "empty_strided": 0, "new_empty_strided": 0,
    "empty_permuted": 0, "zero": 0, "_efficientzerotensor": 0,
}  # fmt: skip


@torch_operator(*_NUMBERS)
def filled(node: TorchNode) -> Expr:
    """Translate constructors of zeros and ones; uninitialised tensors become zeros."""
    node.ignore("self", "stride", "physical_layout")
    return _filled(node, constant(_NUMBERS[node.operator], _dtype(node, default_float())))


@torch_operator("full", "full_like", "new_full", "scalar_tensor", "fill")
def full(node: TorchNode) -> Expr:
    """Translate constructors of tensors filled with one number."""
    node.ignore("self")
    name = next((n for n in ("fill_value", "value", "s") if n in node.arguments), "value")
    number = node.value(name)
    is_like = "self" in node
    dtype = _dtype(node, common_dtype([number]) if not is_like else default_float())
    if node.operator == "scalar_tensor":
        return operand(node, number, node.dtype() or default_float())
    return _filled(node, operand(node, number, dtype))


@torch_operator("fft_fftfreq", "fft_rfftfreq")
def frequencies(node: TorchNode) -> Expr:
    """Translate the frequencies of a discrete Fourier transform of a number of samples."""
    transforms: Any = torch.fft
    function = getattr(transforms, node.operator.removeprefix("fft_"))
    found = function(node.integer("n"), node.number("d"))
    return converted(Constant(found.numpy()), _dtype(node, default_float()))


def _dtype(node: TorchNode, default: DType) -> DType:
    found = node.dtype()
    if found is None and "self" in node:
        found = node.type("self").dtype
    return found or default


def _shape(node: TorchNode) -> tuple[Dim, ...]:
    return node.dims("size") if "size" in node.arguments else node.type("self").shape


def _filled(node: TorchNode, number: Expr) -> Expr:
    if "size" in node.arguments and node.is_run_time("size"):
        whole = Call(DynamicFull(), (number, node.vector("size")), span=node.span)
        return with_known_sizes(node, whole, "size")
    shape = _shape(node)
    if ANY in shape and "self" in node:
        x = converted(node.tensor("self"), number.tensor_type.dtype)
        return Call(FullLike(), (x, reshape(number, ())), span=node.span)
    dtype = number.tensor_type.dtype
    if isinstance(number, Constant) and number.array.item() in (0, 1):
        op = (Ones if number.array.item() else Zeros)(shape, dtype)
        return Call(op, (), span=node.span)
    if not number.tensor_type.rank:
        return Call(Full(shape, dtype), (number,), span=node.span)
    return broadcast(number, shape)


@torch_operator("tensor", "as_tensor")
def tensor(node: TorchNode) -> Expr:
    """Translate `tensor`: numbers, or nested lists of numbers, as a tensor."""
    given = node.value("t" if "t" in node.arguments else "data")
    leaves, _ = pytree.tree_flatten(given)
    if isinstance(given, Expr):
        return converted(given, node.dtype() or given.tensor_type.dtype)
    dtype = node.dtype() or (common_dtype(leaves) if leaves else default_float())
    if isinstance(given, list):
        return _stacked(node, cast("list[Any]", given), dtype)
    return operand(node, given, dtype)


def _stacked(node: TorchNode, given: list[Any], dtype: DType) -> Expr:
    """Stack a nested list to a tensor; its nesting in the model's source bounds recursion."""
    if not given:
        return Constant(np.zeros((0,), dtype.numpy))
    parts = [
        _stacked(node, cast("list[Any]", each), dtype)
        if isinstance(each, list)
        else operand(node, each, dtype)
        for each in given
    ]
    if all(isinstance(each, Constant) for each in parts):
        return Constant(np.stack([each.array for each in parts if isinstance(each, Constant)]))
    return Call(Stack(0), (Tuple(tuple(parts)),), span=node.span)


@torch_operator("arange")
def arange(node: TorchNode) -> Expr:
    """Translate `arange`: a constant if all arguments are constant."""
    start: Any = 0 if node.value("start") is None else node.value("start")
    step: Any = 1 if node.value("step") is None else node.value("step")
    end = node.value("end")
    dtype = node.dtype() or common_dtype([start, end, step])
    if not any(isinstance(each, Symbolic | Expr) for each in (start, end, step)):
        return Constant(_numbers(start, end, step).astype(dtype.numpy), span=node.span)
    symbolic = isinstance(end, Symbolic) and isinstance(start, int) and isinstance(step, int)
    op = Arange(start, node.dim("end"), step, dtype) if symbolic else Arange(dtype=dtype)
    args = (operand(node, each, int64) for each in (start, end, step))
    return Call(op, tuple(args), span=node.span)


def _numbers(start: float, end: float, step: float) -> Array:
    return np.arange(start, end, step)


@torch_operator("linspace")
def linspace(node: TorchNode) -> Expr:
    """Translate `linspace`: evenly spaced numbers, including both ends."""
    dtype = node.dtype() or default_float()
    count, ends = node.integer("steps"), [node.value("start"), node.value("end")]
    first, last = (operand(node, each, dtype) for each in ends)
    weights = np.linspace(0.0, 1.0, count)
    from_first, from_last = (Constant(w.astype(dtype.numpy)) for w in (1 - weights, weights))
    return add(multiply(first, from_first), multiply(last, from_last))


@torch_operator("eye")
def eye(node: TorchNode) -> Expr:
    """Translate `eye`: ones on the diagonal, zeros elsewhere."""
    rows = node.dim("n")
    columns = node.dim("m") if "m" in node else rows
    dtype = node.dtype() or default_float()
    if not isinstance(rows, int) or not isinstance(columns, int):
        places = [numbers_below(columns), reshape(numbers_below(rows), (rows, 1))]
        return converted(equal(*places), dtype)
    return Constant(np.eye(rows, columns).astype(dtype.numpy), span=node.span)


@torch_operator("tril_indices", "triu_indices")
def triangle_indices(node: TorchNode) -> Expr:
    """Translate `tril_indices` and `triu_indices`: rows and columns of a triangle's elements."""
    function = np.tril_indices if node.operator == "tril_indices" else np.triu_indices
    places = function(node.integer("row"), node.integer("offset"), node.integer("col"))
    dtype = node.dtype() or int64
    return Constant(np.stack(places).astype(dtype.numpy), span=node.span)
