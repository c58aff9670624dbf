"""Translate operations on narrow elements, which are computed in wider types and converted.

Floats of 8 bits are computed in float32 and rounded, integers of 2 or 4 bits with 8 bits.
Operations that only move elements, and conversions, keep the type.
"""

from collections.abc import Sequence
from dataclasses import replace

from relay.frontend.builders.tensor_helpers import converted
from relay.frontend.stablehlo.node import HloNode
from relay.frontend.stablehlo.registry import Translation
from relay.ir.expr import Expr
from relay.ir.types import TensorType
from relay.support.dtype import DType, float32
from relay.support.error_codes import ErrorCode

_KEEPING = frozenset(("func.call", *(f"stablehlo.{name}" for name in (
    "bitcast_convert", "broadcast_in_dim", "case", "composite", "concatenate", "constant",
    "convert", "dynamic_slice", "dynamic_update_slice", "gather", "get_dimension_size", "if",
    "optimization_barrier", "reshape", "reverse", "select", "slice", "transpose", "while",
))))  # fmt: skip
"""Operations that do not compute with elements."""


_NARROW_BITS = (2, 4)
"""Widths of integers that have conversions, but no arithmetic."""


def has_narrow_elements(node: HloNode) -> bool:
    """Whether an operation computes with floats of 8 bits, or integers of 2 or 4 bits."""
    types = [*(each.tensor_type for each in node.operands), *node.result_types]
    return node.name not in _KEEPING and any(_wide(each.dtype) is not each.dtype for each in types)


def translated_in_wider_types(translate: Translation, node: HloNode) -> list[Expr]:
    """Return the results of an operation on narrow elements, computed in wider types.

    Raises `F030` for operations with regions, whose functions are of narrow elements, too.
    """
    if node.region_count:
        help_ = "convert its operands to float32 or int8 in the function"
        problem = "the operation is not supported for floats of 8 bits and integers of 2 or 4 bits"
        raise node.error(ErrorCode.F030, problem, help=help_)
    operands = tuple(converted(x, _wide(x.tensor_type.dtype)) for x in node.operands)
    results = tuple(TensorType(ty.shape, _wide(ty.dtype)) for ty in node.result_types)
    wide = replace(node, operands=operands, result_types=results)
    found = translate(wide)
    listed: Sequence[Expr] = [found] if isinstance(found, Expr) else found
    pairs = zip(listed, node.result_types, strict=True)
    return [converted(x, ty.dtype) for x, ty in pairs]


def _wide(of: DType) -> DType:
    if of.is_minifloat:
        return float32
    return replace(of, bits=8) if of.is_integer and of.bits in _NARROW_BITS else of
