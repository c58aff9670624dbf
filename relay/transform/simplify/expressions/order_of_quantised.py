"""Rewrite rules for operators that only compare the elements of a dequantised tensor."""

from relay.ir.dataflow import Found, is_constant, operators, wildcard
from relay.ir.expr import Call, Constant, Expr
from relay.ops.max_min_reductions import ArgMax, ArgMin
from relay.ops.qnn.quantize import Dequantize
from relay.ops.tensor.sort import Argsort
from relay.transform.rewriting import Rule
from relay.transform.simplify.rounding_conditions import is_moderate


def _keeps_order(scale: Constant) -> bool:
    """Whether products with a scale have the order of the integers that it multiplies."""
    return scale.array.ndim == 0 and scale.array.item() > 0 and is_moderate(scale.array)


quantised, order = wildcard(), operators(ArgMax, ArgMin, Argsort)
scale = is_constant().where(_keeps_order)
compared = order(operators(Dequantize)(quantised, scale, wildcard()))


def _of_integers(found: Found) -> Expr | None:
    """Compare the integers themselves, if they are narrow: wide ones may be equal when rounded."""
    data = found[quantised]
    is_narrow = data.tensor_type.dtype.bits <= _EXACT_BITS
    return Call(found[order], (data,), span=found[compared].span) if is_narrow else None


_EXACT_BITS = 8
"""The number of bits of integers of which all results are different, also in float16."""

RULES = (Rule(compared, _of_integers),)
