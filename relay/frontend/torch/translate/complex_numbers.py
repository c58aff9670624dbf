"""Translate functions of complex tensors."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, cast

import torch
from torch.utils import _pytree as pytree

from relay.frontend.builders.complex_tensor import length, of_pairs, pairs_of
from relay.frontend.builders.tensor_helpers import converted
from relay.frontend.torch.complex_tensor import PART_TYPES
from relay.frontend.torch.dtypes import relay_dtype
from relay.frontend.torch.node import Argument, TorchNode
from relay.frontend.torch.registry import Translation, torch_operator
from relay.frontend.torch.translate.type_promotion import common_dtype, operand
from relay.ir.expr import Call, Expr
from relay.opdef.complex_rules import ComplexTensor
from relay.ops.binary import add, divide, multiply, subtract
from relay.ops.complex_numbers.arithmetic import (
    angle,
    are_equal,
    conjugate,
    difference,
    of_real,
    quotient,
    total,
)
from relay.ops.complex_numbers.elementary_functions import polar as point
from relay.ops.creation import ZerosLike
from relay.ops.logical import LogicalNot
from relay.support.dtype import DType
from relay.support.error_codes import ErrorCode

LINEAR = frozenset((
    "alias", "as_strided", "cat", "chunk", "clone", "contiguous", "cumsum", "detach", "diagonal",
    "diag_embed", "expand", "expand_as", "flatten", "flip", "gather", "index", "index_select",
    "lift_fresh_copy", "mean", "movedim", "narrow", "neg", "_neg_view", "new_zeros", "permute",
    "repeat", "reshape", "slice_scatter", "select_scatter", "index_put", "copy", "masked_fill",
    "zeros",
    "resolve_conj", "resolve_neg", "roll", "select", "slice", "split", "split_with_sizes",
    "squeeze", "stack", "sum", "t", "tile", "trace", "transpose", "tril", "triu", "unbind",
    "unflatten", "unfold", "unsqueeze", "view", "where", "zeros_like", "_unsafe_view",
    "constant_pad_nd", "pad", "mT", "numpy_T", "swapaxes", "ravel",
))  # fmt: skip
"""Operators that are applied to both parts: real factors and zeros are all that they add."""

BILINEAR = frozenset(("bmm", "dot", "matmul", "mm", "mul", "mv", "outer"))
"""Products: those of the parts add up."""

_SECOND = ("other", "mat2", "vec", "vec2", "tensor")
"""The names of the second factor of a product."""

COMPLEX: dict[str, Translation] = {}
"""The translations of operators that have a special meaning for complex tensors."""


def complex_operator(*names: str) -> Callable[[Translation], Translation]:
    """Return a decorator that registers the translation of operators for complex arguments."""

    def declare(translation: Translation) -> Translation:
        COMPLEX.update(dict.fromkeys(names, translation))
        return translation

    return declare


def called_with_complex(translate: Translation, node: TorchNode) -> object:
    """Return the result of a node whose arguments may be complex; `translate` is for real ones.

    The first case that applies is used:

    1. Without a complex argument, `translate` is called.
    2. An operator that has a translation for complex numbers uses that.
    3. A linear operator is applied to the real and to the imaginary parts.
    4. A product becomes sums of products of the parts.

    Raises `F030` for other operators.
    """
    leaves: list[object] = pytree.tree_leaves([each.value for each in node.arguments.values()])
    if not any(map(_is_complex, leaves)):
        return translate(node)
    if node.operator in COMPLEX:
        return COMPLEX[node.operator](node)
    if node.operator in LINEAR:
        both = [translate(_with_parts(node, part)) for part in (0, 1)]
        return _complex_results(*both)
    if node.operator in BILINEAR:
        return _product(translate, node)
    help_ = "compute with real numbers: torch.view_as_real(x) has the real and the imaginary part"
    raise node.error(ErrorCode.F030, "the operator does not support complex arguments", help=help_)


def _is_complex(leaf: object) -> bool:
    return isinstance(leaf, ComplexTensor | complex) or (
        isinstance(leaf, torch.dtype) and leaf in PART_TYPES
    )


def _complex_results(real: object, imaginary: object) -> object:
    """Return complex tensors with these parts: expressions, or lists of them."""
    if isinstance(real, list | tuple):
        pairs = zip(
            cast("Sequence[object]", real), cast("Sequence[object]", imaginary), strict=True
        )
        return [_complex_results(*pair) for pair in pairs]
    assert isinstance(real, Expr), "the results are tensors"
    assert isinstance(imaginary, Expr), "the results are tensors"
    return ComplexTensor(real, imaginary)


_NUMBERS = ("other", "self", "value")
"""The names of arguments in which an integer is a number; in others it is a place or a size."""


def _with_parts(node: TorchNode, part: int) -> TorchNode:
    """Return the node with complex arguments replaced by a part: 0 is real, 1 imaginary."""
    arguments: dict[str, Argument] = {}
    for name, each in node.arguments.items():
        is_number = name in _NUMBERS and isinstance(each.value, int)
        value: Any = complex(cast("int", each.value)) if is_number else each.value
        changed: object = pytree.tree_map(partial(_part, part=part), value)
        arguments[name] = replace(each, value=changed)
    return replace(node, arguments=arguments)


def _part(leaf: object, part: int) -> object:
    match leaf:
        case ComplexTensor():
            return leaf.parts[part]
        case complex() | float():
            return (leaf.real, leaf.imag)[part]
        case Expr() if part and leaf.tensor_type.dtype.is_float:
            return Call(ZerosLike(), (leaf,))
        case torch.dtype():
            return PART_TYPES.get(leaf, leaf)
        case _:
            return leaf


def _product(translate: Translation, node: TorchNode) -> ComplexTensor:
    second = next(name for name in _SECOND if name in node)
    factors = [node.value("self"), node.value(second)]

    def term(first: int, other: int) -> Expr | None:
        """Return the product of two parts; None if one of them is known to be zero."""
        places = (first, other)
        if any(part and not _has_parts(x) for x, part in zip(factors, places, strict=True)):
            return None
        values = {name: _part(x, part) for name, x, part in
                  zip(("self", second), factors, places, strict=True)}  # fmt: skip
        arguments = {name: replace(each, value=values.get(name, each.value))
                     for name, each in node.arguments.items()}  # fmt: skip
        found = translate(replace(node, arguments=arguments))
        assert isinstance(found, Expr), "a product is a tensor"
        return found

    real, cross, left, right = (term(*each) for each in ((0, 0), (1, 1), (0, 1), (1, 0)))
    assert real is not None, "real parts are there"
    real = real if cross is None else subtract(real, cross)
    mixed = [each for each in (left, right) if each is not None]
    return ComplexTensor(real, mixed[0] if len(mixed) == 1 else add(*mixed))


def _has_parts(x: object) -> bool:
    return isinstance(x, ComplexTensor | complex)


def _tensors(node: TorchNode, *values: object) -> list[ComplexTensor]:
    """Return tensors and numbers as complex tensors of one element type."""
    parts = [_part(x, 0) for x in values]
    dtype = common_dtype(parts)
    return [_tensor(node, x, dtype) for x in values]


def _tensor(node: TorchNode, value: object, dtype: DType) -> ComplexTensor:
    if isinstance(value, ComplexTensor):
        return ComplexTensor(*(converted(each, dtype) for each in value.parts))
    if isinstance(value, complex):
        return ComplexTensor(*(operand(node, each, dtype) for each in (value.real, value.imag)))
    return of_real(operand(node, value, dtype))


def argument(node: TorchNode, name: str = "self") -> ComplexTensor:
    """Return an argument as a complex tensor."""
    found = node.value(name)
    return found if isinstance(found, ComplexTensor) else of_real(node.tensor(name))


@complex_operator("add", "sub")
def add_node(node: TorchNode) -> ComplexTensor:
    """Translate `add` and `sub`: add or subtract both parts."""
    x, y = _tensors(node, node.value("self"), node.value("other"))
    if node.value("alpha") not in (None, 1):
        factor = operand(node, node.value("alpha"), y.tensor_type.dtype)
        y = ComplexTensor(*(multiply(each, factor) for each in y.parts))
    return total(x, y) if node.operator == "add" else difference(x, y)


@complex_operator("div")
def div(node: TorchNode) -> ComplexTensor:
    """Translate `div`; a real divisor divides both parts."""
    x, y = _tensors(node, node.value("self"), node.value("other"))
    if not _has_parts(node.value("other")):
        return ComplexTensor(*(divide(each, y.real) for each in x.parts))
    return quotient(x, y)


@complex_operator("reciprocal")
def reciprocal(node: TorchNode) -> ComplexTensor:
    """Translate `reciprocal`: divide one by the number."""
    return quotient(*_tensors(node, 1.0, node.value("self")))


@complex_operator("abs")
def length_node(node: TorchNode) -> Expr:
    """Translate `abs`: return the lengths."""
    return replace(length(argument(node)), span=node.span)


@complex_operator("angle")
def angle_node(node: TorchNode) -> Expr:
    """Translate `angle`: return the angles, from -pi to pi."""
    return angle(argument(node))


@torch_operator("polar")
def polar(node: TorchNode) -> ComplexTensor:
    """Translate `polar`: return points at given lengths and angles."""
    return point(node.tensor("abs"), node.tensor("angle"))


@torch_operator("complex")
def complex_node(node: TorchNode) -> ComplexTensor:
    """Translate `complex`: join two real tensors, which broadcast."""
    x, y = node.tensor("real"), node.tensor("imag")
    zeros = [Call(ZerosLike(), (each,)) for each in (x, y)]
    return ComplexTensor(add(x, zeros[1]), add(y, zeros[0]))


@torch_operator("view_as_complex", "view_as_complex_copy")
def view_as_complex(node: TorchNode) -> ComplexTensor:
    """Translate `view_as_complex`: return the numbers whose parts lie along the last axis."""
    return of_pairs(node.tensor("self"))


_PARTS: Mapping[str, Callable[[ComplexTensor], object]] = {
    "conj": conjugate,
    "imag": lambda x: x.imaginary,
    "real": lambda x: x.real,
    "view_as_real": pairs_of,
}
_NAMES = {"_conj": "conj", "_conj_physical": "conj", "conj_physical": "conj",
          "view_as_real_copy": "view_as_real"}  # fmt: skip


@torch_operator("conj", "conj_physical", namespace="prims")
@torch_operator("imag", "view_as_real", "view_as_real_copy", "conj_physical", "_conj_physical")
@complex_operator(*_PARTS, *_NAMES)
def part(node: TorchNode) -> object:
    """Translate `real`, `imag`, `view_as_real` (pairs of both parts) and `conj`.

    Real arguments are returned unchanged.
    """
    x = node.value("self")
    if not isinstance(x, ComplexTensor):
        return node.tensor("self")
    return _PARTS[_NAMES.get(node.operator, node.operator)](x)


@complex_operator("eq", "ne")
def comparison(node: TorchNode) -> Expr:
    """Translate `eq` and `ne`: compare both parts."""
    x, y = _tensors(node, node.value("self"), node.value("other"))
    same = are_equal(x, y)
    return same if node.operator == "eq" else Call(LogicalNot(), (same,))


@complex_operator("_to_copy", "to")
def to(node: TorchNode) -> object:
    """Translate `to`: convert the element type of the parts; to a real type, of the real part."""
    node.ignore("copy")
    x, wanted = argument(node), node.value("dtype")
    if wanted is None:
        return x
    dtype = relay_dtype(PART_TYPES.get(wanted, wanted), node.span)
    found = ComplexTensor(*(converted(each, dtype) for each in x.parts))
    return found if wanted in PART_TYPES else found.real
