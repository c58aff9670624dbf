"""Translate StableHLO operations that count the bits of integers."""

from relay.frontend.builders.tensor_helpers import constant
from relay.frontend.stablehlo.node import HloNode
from relay.frontend.stablehlo.registry import hlo_operation
from relay.ir.expr import Call, Expr
from relay.ops.binary import add, subtract
from relay.ops.cast import Reinterpret
from relay.ops.logical import BitwiseAnd, BitwiseNot, BitwiseOr, RightShift
from relay.support.dtype import dtype


@hlo_operation("popcnt")
def population_count(node: HloNode) -> Expr:
    """Translate `popcnt`: the number of bits that are 1."""
    return _reinterpreted(_ones(_unsigned(node.operands[0])), node)


@hlo_operation("count_leading_zeros")
def count_leading_zeros(node: HloNode) -> Expr:
    """Translate `count_leading_zeros`: the zeros above the highest bit that is 1."""
    x = _unsigned(node.operands[0])
    for places in _distances(x, 1):  # all bits below the highest 1 become 1
        x = Call(BitwiseOr(), (x, _right(x, places)))
    return _reinterpreted(_ones(Call(BitwiseNot(), (x,))), node)


def _ones(x: Expr) -> Expr:
    """Count the ones of unsigned integers: of pairs of bits, of groups of 4, of bytes, of all."""
    x = subtract(x, _masked(_right(x, 1), 0x55))
    x = add(_masked(x, 0x33), _masked(_right(x, 2), 0x33))
    x = _masked(add(x, _right(x, 4)), 0x0F)
    for places in _distances(x, 8):
        x = add(x, _right(x, places))
    return Call(BitwiseAnd(), (x, constant(0x7F, x.tensor_type.dtype)))


def _distances(x: Expr, first: int) -> list[int]:
    """Return the powers of two from `first` to half the number of bits."""
    bits = x.tensor_type.dtype.bits
    return [first << n for n in range(bits.bit_length()) if first << n < bits]


def _right(x: Expr, places: int) -> Expr:
    return Call(RightShift(), (x, constant(places, x.tensor_type.dtype)))


def _masked(x: Expr, byte: int) -> Expr:
    """Return the bits that are 1 in `byte`, in every byte of the integers."""
    of = x.tensor_type.dtype
    return Call(BitwiseAnd(), (x, constant(int.from_bytes([byte] * (of.bits // 8)), of)))


def _unsigned(x: Expr) -> Expr:
    to = dtype(f"uint{x.tensor_type.dtype.bits}")
    return x if x.tensor_type.dtype is to else Call(Reinterpret(to), (x,))


def _reinterpreted(x: Expr, node: HloNode) -> Expr:
    to = node.result_type.dtype
    return x if x.tensor_type.dtype is to else Call(Reinterpret(to), (x,), span=node.span)
