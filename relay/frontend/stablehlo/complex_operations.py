"""Translate operations of complex tensors: they are real tensors with a last axis of size 2.

Control flow passes pairs on. Other operations take the parts of their operands.
"""

from collections.abc import Sequence
from dataclasses import replace

from relay.frontend.builders.complex_tensor import of_pairs, pairs_of
from relay.frontend.stablehlo.node import HloNode, Region
from relay.frontend.stablehlo.registry import COMPLEX_TRANSLATIONS, Translation
from relay.ir.expr import Expr
from relay.ir.types import TensorType
from relay.opdef.complex_rules import ComplexTensor
from relay.ops.complex_numbers.arithmetic import of_real
from relay.support.error_codes import ErrorCode

PASS_ON = frozenset((
    "func.call", "stablehlo.case", "stablehlo.composite", "stablehlo.if",
    "stablehlo.custom_call",
    "stablehlo.get_dimension_size", "stablehlo.optimization_barrier", "stablehlo.while",
))  # fmt: skip
"""Operations that do not look at elements, so that they take pairs like other tensors."""

BY_PART = frozenset(f"stablehlo.{name}" for name in (
    "broadcast_in_dim", "concatenate", "convert", "dynamic_broadcast_in_dim", "dynamic_gather",
    "dynamic_pad", "dynamic_reshape", "dynamic_slice", "dynamic_update_slice", "gather", "negate",
    "pad", "real_dynamic_slice", "reduce_window", "reshape", "reverse", "scatter", "select",
    "slice", "transpose",
))  # fmt: skip
"""Operations that are applied to the real and to the imaginary parts."""


def translated_with_complex(translate: Translation, node: HloNode) -> Expr | Sequence[Expr]:
    """Return the results of an operation with complex operands or results.

    `translate` is the translation for real tensors. Raises `F030` for operations that have no
    translation for complex ones.
    """
    if node.name in COMPLEX_TRANSLATIONS:
        return COMPLEX_TRANSLATIONS[node.name](node)
    if node.name in PASS_ON:
        return translate(node)
    if node.name in BY_PART:
        return by_part(translate, node)
    help_ = (
        f'pass a translation, custom_convert_map={{"{node.name}": f}}, to which a complex '
        "tensor is "
        "passed as a pair (real part, imaginary part)"
    )
    raise node.error(
        ErrorCode.F030, "the operation is not supported for complex operands", help=help_
    )


def by_part(translate: Translation, node: HloNode) -> list[Expr]:
    """Return the results of an operation on complex numbers that treats both parts alike.

    It is applied to the real parts of the operands, then to their imaginary parts.
    """
    both = [translate(with_parts(node, [part] * len(node.operands))) for part in (0, 1)]
    real, imaginary = ([each] if isinstance(each, Expr) else list(each) for each in both)
    return [pairs_of(ComplexTensor(*pair)) for pair in zip(real, imaginary, strict=True)]


def with_parts(node: HloNode, places: Sequence[int]) -> HloNode:
    """Return a node of real tensors: part `places[n]` (0 is real, 1 imaginary) of operand `n`.

    Real operands are kept. The result types are those of parts; regions take real parts, and
    return the real parts of their results.
    """
    operands = [
        of_pairs(x).parts[place] if is_complex else x
        for x, place, is_complex in zip(node.operands, places, node.complex_operands, strict=True)
    ]
    types = tuple(map(part_type, node.result_types))
    regions = tuple(map(_of_real_parts, node.around.regions))
    around = replace(node.around, regions=regions)
    plain = (False,) * len(operands)
    return replace(node, operands=tuple(operands), result_types=types, around=around,
                   complex_operands=plain, has_complex_results=False)  # fmt: skip


def part_type(pairs: TensorType) -> TensorType:
    """Return the type of each part of pairs."""
    return TensorType(pairs.shape[:-1], pairs.dtype)


def _of_real_parts(region: Region) -> Region:
    def run(values: Sequence[Expr]) -> list[Expr]:
        results = region(*(pairs_of(of_real(each)) for each in values))
        return [of_pairs(each).real for each in results]

    return Region(tuple(map(part_type, region.types)), run)
