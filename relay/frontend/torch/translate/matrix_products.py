"""Translate PyTorch matrix products."""

from collections.abc import Sequence
from functools import reduce

from relay.frontend.builders.grouped_products import columns_by_rows, rows_by_matrices
from relay.frontend.builders.matrix_products import dense, multiplied
from relay.frontend.builders.tensor_helpers import converted, reshape
from relay.frontend.torch.node import TorchNode
from relay.frontend.torch.registry import torch_operator
from relay.frontend.torch.translate.matrix_helpers import turned
from relay.frontend.torch.translate.type_promotion import operand
from relay.ir.dims import product
from relay.ir.expr import Call, Constant, Expr, Tuple
from relay.ops.binary import add, multiply
from relay.ops.complex_numbers.operators import Conj
from relay.ops.nn.matmul import Dense, Matmul
from relay.ops.sum_and_mean_reductions import Sum
from relay.ops.tensor.einsum import Einsum
from relay.ops.tensor.transpose import Transpose
from relay.support.dtype import float32, int32, int64
from relay.support.error_codes import ErrorCode


@torch_operator("linear")
def linear(node: TorchNode) -> Expr:
    """Translate `linear`: multiply by a transposed weight and add the bias."""
    x, weight = node.tensor("input"), node.tensor("weight")
    bias = node.optional("bias")
    if weight.tensor_type.rank == 1:
        weight = reshape(weight, (1, *weight.tensor_type.shape))
        result = linear_of(x, weight, None)
        result = reshape(result, result.tensor_type.shape[:-1])
    else:
        result = linear_of(x, weight, None)
    return result if bias is None else add(result, bias)


def linear_of(x: Expr, weight: Expr, bias: Expr | None) -> Expr:
    """Return `x · weightᵀ + bias` for any number of leading axes."""
    shape = x.tensor_type.shape
    if isinstance(weight, Constant) or len(shape) == 2:
        rows = x if len(shape) > 1 else reshape(x, (1, *shape))
        result: Expr = Call(Dense(), (rows, weight), span=x.span)
        result = result if len(shape) > 1 else reshape(result, result.tensor_type.shape[1:])
    else:
        rows = reshape(x, (product(shape[:-1]), shape[-1]))
        units = weight.tensor_type.shape[0]
        result = reshape(Call(Dense(), (rows, weight), span=x.span), (*shape[:-1], units))
    return result if bias is None else add(result, bias)


@torch_operator("matmul", "mm", "bmm", "mv", "dot", "vdot")
def matmul(node: TorchNode) -> Expr:
    """Translate matrix products, with the semantics of `numpy.matmul`."""
    x = node.tensor("self")
    other = next(name for name in ("other", "mat2", "vec", "tensor") if name in node)
    y = node.tensor(other)
    if node.operator == "vdot" and x.tensor_type.dtype.is_complex:
        x = Call(Conj(), (x,))
    if x.tensor_type.rank == y.tensor_type.rank == 1:
        return Call(Sum(), (multiply(x, y),), span=node.span)
    return multiplied(x, y)


@torch_operator("_int_mm")
def integer_product(node: TorchNode) -> Expr:
    """Translate `_int_mm`: products of matrices of 8-bit integers, with sums of 32 bits."""
    op = Matmul(out_dtype=int32)
    return Call(op, (node.tensor("self"), node.tensor("mat2")), span=node.span)


@torch_operator("_scaled_mm")
def scaled_product(node: TorchNode) -> Expr:
    """Translate `_scaled_mm`: products of matrices of 8-bit floats, with a scale for each operand.

    An operand has one scale, or one for each of its rows (the first) or columns (the second).
    """
    node.ignore("use_fast_accum")
    scales = node.tensor("scale_a"), node.tensor("scale_b")
    return _with_scales(node, scales, [_scaling_of(node, *scales)])


@torch_operator("_scaled_mm_v2")
def scaled_product_by_recipe(node: TorchNode) -> Expr:
    """Translate `_scaled_mm_v2`: as `_scaled_mm`, with lists of scales and codes of their kinds."""
    node.ignore("use_fast_accum", "swizzle_a", "swizzle_b")
    first, second = node.tensors("scale_a"), node.tensors("scale_b")
    recipes = node.ints("recipe_a") + node.ints("recipe_b")
    return _with_scales(node, (first[0], second[0]), recipes)


_TENSORWISE, _ROWWISE = 0, 1
"""PyTorch's codes for one scale of an operand, and for one of each row or column."""


def _scaling_of(node: TorchNode, *scales: Expr) -> int:
    """Return the code of the kind of scales, which their sizes tell."""
    rows, columns = node.type("self").shape[0], node.type("mat2").shape[1]
    shapes = [each.tensor_type.shape for each in scales]
    if all(product(shape) == 1 for shape in shapes):
        return _TENSORWISE
    return _ROWWISE if shapes == [(rows, 1), (1, columns)] else -1


def _with_scales(node: TorchNode, scales: tuple[Expr, Expr], recipes: Sequence[int]) -> Expr:
    if any(each not in (_TENSORWISE, _ROWWISE) for each in recipes):
        raise node.error(ErrorCode.F030, "scales of blocks of an operand are not supported")
    x, y = (converted(node.tensor(name), float32) for name in ("self", "mat2"))
    found = reduce(multiply, map(_as_factor, scales), multiplied(x, y))
    bias = node.optional("bias")
    found = found if bias is None else add(found, converted(bias, float32))
    return converted(found, node.dtype("out_dtype") or node.type("self").dtype)


def _as_factor(scale: Expr) -> Expr:
    """Return scales in a shape that broadcasts to the matrix; a single one becomes a scalar."""
    is_single = product(scale.tensor_type.shape) == 1
    return reshape(scale, ()) if is_single else scale


@torch_operator("_grouped_mm")
def grouped_product(node: TorchNode) -> Expr:
    """Translate `_grouped_mm`: groups of rows, or of columns, have a matrix each.

    1. Two batches of matrices are multiplied in pairs.
    2. Rows of the first operand are in groups.
    3. Columns of the second operand are in groups: both operands are transposed.
    4. The columns of the first and the rows of the second operand are in groups.
    """
    x, y, ends = node.tensor("self"), node.tensor("mat2"), node.optional("offs")
    product_ = multiplied(x, y) if ends is None else _by_groups(x, y, converted(ends, int64))
    bias = node.optional("bias")
    product_ = product_ if bias is None else add(product_, bias)
    return converted(product_, node.dtype("out_dtype") or x.tensor_type.dtype)


@torch_operator("grouped_mm_fallback", namespace="transformers")
def product_of_experts(node: TorchNode) -> Expr:
    """Translate the operator by which `transformers` multiplies the rows of experts."""
    x, weight, ends = (node.tensor(name) for name in ("input", "weight", "offs"))
    return rows_by_matrices(x, weight, converted(ends, int64))


def _by_groups(x: Expr, y: Expr, ends: Expr) -> Expr:
    if y.tensor_type.rank > 2:
        return rows_by_matrices(x, y, ends)
    if x.tensor_type.rank > 2:
        return turned(rows_by_matrices(turned(y), turned(x), ends))
    return columns_by_rows(x, y, ends)


@torch_operator("addmm", "addmv", "baddbmm", "addbmm")
def add_product(node: TorchNode) -> Expr:
    """Translate `addmm` and others: `beta · tensor + alpha · product`."""
    first, second = {
        "addmm": ("mat1", "mat2"),
        "addmv": ("mat", "vec"),
        "baddbmm": ("batch1", "batch2"),
        "addbmm": ("batch1", "batch2"),
    }[node.operator]
    left, right = node.tensor(first), node.tensor(second)
    product_ = _turned(left, right) if node.operator == "addmm" else multiplied(left, right)
    if node.operator == "addbmm":
        product_ = Call(Sum(axis=(0,)), (product_,))
    product_ = _scaled(node, product_, node.value("alpha"))
    if node.value("beta") == 0:
        node.ignore("self")
        return product_
    return add(product_, _scaled(node, node.tensor("self"), node.value("beta")))


def _turned(x: Expr, y: Expr) -> Expr:
    """Return the product of two matrices; a transposed weight gives a dense operator."""
    match y:
        case Call(Transpose((1, 0)), (weight,)):
            return Call(Dense(), (x, weight))
        case _:
            return dense(x, y)


def _scaled(node: TorchNode, x: Expr, factor: object) -> Expr:
    if factor is None or factor == 1:
        return x
    return multiply(x, operand(node, factor, x.tensor_type.dtype))


@torch_operator("outer", "ger")
def outer(node: TorchNode) -> Expr:
    """Translate `outer`: the outer product of two vectors."""
    x, y = node.tensor("self"), node.tensor("vec2")
    return multiply(reshape(x, (*x.tensor_type.shape, 1)), y)


@torch_operator("_trilinear")
def trilinear(node: TorchNode) -> Expr:
    """Multiply three tensors, each with axes of size 1 inserted, and sum over axes."""
    node.ignore("unroll_dim")
    factors: list[Expr] = []
    for index in (1, 2, 3):
        x = node.tensor(f"i{index}")
        for axis in sorted(node.ints(f"expand{index}")):
            shape = x.tensor_type.shape
            x = reshape(x, (*shape[:axis], 1, *shape[axis:]))
        factors.append(x)
    axes = node.ints("sumdim")
    whole = reduce(multiply, factors)
    return Call(Sum(axis=axes), (whole,), span=node.span) if axes else whole


@torch_operator("einsum")
def einsum(node: TorchNode) -> Expr:
    """Translate `einsum`."""
    rule = Einsum(equation_of(node))
    return Call(rule, (Tuple(tuple(node.tensors("tensors"))),), span=node.span)


def equation_of(node: TorchNode) -> str:
    """Return the equation of an `einsum` without spaces."""
    node.ignore("path")
    return str(node.value("equation")).replace(" ", "")


@torch_operator("linalg_multi_dot", "chain_matmul")
def multi_dot(node: TorchNode) -> Expr:
    """Translate `linalg_multi_dot`: multiply matrices from left to right."""
    name = "tensors" if "tensors" in node else "matrices"
    return reduce(multiplied, node.tensors(name))
