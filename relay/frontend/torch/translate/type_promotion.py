"""Element type promotion by PyTorch's rules.

A number has lower priority than a scalar tensor, which has lower priority than other tensors: its
type counts only if it is of a higher kind (boolean, integer, float, complex).
"""

from collections.abc import Sequence
from functools import reduce

import numpy as np
import torch

from relay.frontend.builders.tensor_helpers import converted
from relay.frontend.torch.dtypes import relay_dtype, torch_dtype
from relay.frontend.torch.node import TorchNode
from relay.ir.dims import ANY, Symbolic
from relay.ir.expr import Constant, Expr
from relay.support.dtype import DType, bool_, int64


def floating(x: Expr) -> Expr:
    """Return floats and complex numbers unchanged; others as PyTorch's default float type."""
    return x if x.tensor_type.dtype.has_derivatives else converted(x, default_float())


def default_float() -> DType:
    """Return PyTorch's default element type of floats."""
    return relay_dtype(torch.get_default_dtype())


def common_dtype(values: Sequence[object]) -> DType:
    """Return the common element type of operands: tensors, sizes and numbers."""
    tensors = [v.tensor_type for v in values if isinstance(v, Expr)]
    found: DType | None = None
    for group in (
        [ty.dtype for ty in tensors if ty.rank],
        [ty.dtype for ty in tensors if not ty.rank],
        [_number_dtype(v) for v in values if not isinstance(v, Expr)],
    ):
        if group:
            dtype = reduce(promoted, group)
            found = dtype if found is None else _raised(found, dtype)
    assert found is not None, "operands are tensors or numbers"
    return found


def _raised(dtype: DType, other: DType) -> DType:
    """Return an element type, raised to the kind of one that counts less."""
    if other.is_complex and dtype.is_float:
        return relay_dtype(torch_dtype(dtype).to_complex())
    return other if _kind(other) > _kind(dtype) else dtype


def promoted(a: DType, b: DType) -> DType:
    """Return the element type to which PyTorch promotes two others."""
    return relay_dtype(torch.promote_types(torch_dtype(a), torch_dtype(b)))


def operands(node: TorchNode, *values: object, dtype: DType | None = None) -> list[Expr]:
    """Return `values` as tensors of one element type: `dtype`, or their common one."""
    wanted = common_dtype(values) if dtype is None else dtype
    return [operand(node, value, wanted) for value in values]


def operand(node: TorchNode, value: object, dtype: DType) -> Expr:
    """Return a tensor, a size or a number as a tensor of element type `dtype`."""
    if isinstance(value, bool | int | float | complex):
        return Constant(np.asarray(_fitting(value, dtype), dtype.numpy))
    return converted(node.as_tensor(value, "an operand"), dtype)


def _fitting(value: complex, dtype: DType) -> complex:
    """Return a number in the range of an integer type: truncated, and modulo 2^bits."""
    if isinstance(value, complex) or not dtype.is_integer:
        return bool(value) if dtype is bool_ else value
    whole = int(value) % (1 << dtype.bits)
    is_signed = not dtype.holds((1 << dtype.bits) - 1)
    return whole - (1 << dtype.bits) if is_signed and whole >> dtype.bits - 1 else whole


def _number_dtype(value: object) -> DType:
    if isinstance(value, bool):
        return bool_
    if isinstance(value, int) or (isinstance(value, Symbolic) and value is not ANY):
        return int64
    return default_float().as_complex if isinstance(value, complex) else default_float()


def _kind(dtype: DType) -> int:
    ranks = dtype.is_integer, dtype.is_float, dtype.is_complex
    return 1 + ranks.index(True) if any(ranks) else 0
