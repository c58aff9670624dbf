"""LLVM text of dot products of words: one instruction if the machine has it, else a sequence.

The table lists the instructions of each machine, by the types of the parts that they multiply. They
work on vectors of fixed lengths: longer ones are split, shorter ones get more lanes. A machine
without an instruction for the types multiplies integers of 16 bits, two at a time on x86, whose
instruction for 8-bit integers saturates, and floats of 32 bits.
"""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from relay.kernels.cpu_model import CpuModel
from relay.kernels.llvm.arithmetic import binary
from relay.kernels.llvm.emitter_context import Context
from relay.kernels.llvm.llvm_writer import Operand, lane_type, lanes_of
from relay.kernels.packed_dot_products import WORD_BITS, parts_of
from relay.kernels.scalar import Op
from relay.support.dtype import DType, Kind, bfloat16, float32, int8, uint8
from relay.support.node import node

Kinds: TypeAlias = tuple[DType, DType]
Words: TypeAlias = tuple[Operand, Operand]


@node
class Instruction:
    """A dot-product instruction of one machine family, for vectors of several lengths.

    `names` maps a vector length in bits to the name of LLVM's intrinsic, and `features` to CPU
    features, one of which a machine needs for that length.
    """

    kinds: Kinds
    names: dict[int, str]
    features: dict[int, tuple[str, ...]]

    def lengths(self, machine: CpuModel) -> list[int]:
        """Return the vector lengths in bits that a machine supports, in ascending order."""
        return [bits for bits, any_of in self.features.items() if any(map(machine.has, any_of))]


def _x86(kinds: Kinds, name: str, features: dict[int, tuple[str, ...]]) -> Instruction:
    return Instruction(kinds, {bits: f"llvm.x86.{name}.{bits}" for bits in features}, features)


def _arm(kinds: Kinds, name: str, feature: str) -> Instruction:
    total, part = ("f32", "bf16") if bfloat16 in kinds else ("i32", "i8")
    names = {
        bits: f"llvm.aarch64.neon.{name}.v{bits // 32}{total}.v{bits // kinds[0].bits}{part}"
        for bits in (64, 128)
    }
    return Instruction(kinds, names, dict.fromkeys(names, (feature,)))


_VNNI = ("avx512vnni", "avxvnni")
INSTRUCTIONS = (
    _x86((uint8, int8), "avx512.vpdpbusd", {128: _VNNI, 256: _VNNI, 512: ("avx512vnni",)}),
    _x86((int8, int8), "avx2.vpdpbssd", dict.fromkeys((128, 256), ("avxvnniint8",))),
    _x86((uint8, uint8), "avx2.vpdpbuud", dict.fromkeys((128, 256), ("avxvnniint8",))),
    _x86(
        (bfloat16, bfloat16), "avx512bf16.dpbf16ps", dict.fromkeys((128, 256, 512), ("avx512bf16",))
    ),
    _arm((bfloat16, bfloat16), "bfdot", "bf16"),
    _arm((int8, int8), "sdot", "dotprod"),
    _arm((uint8, uint8), "udot", "dotprod"),
    _arm((uint8, int8), "usdot", "i8mm"),
)
"""The instructions that add a dot product to each int32, or to each float32."""

_PAIRS = {
    128: ("llvm.x86.sse2.pmadd.wd", ""),
    256: ("llvm.x86.avx2.pmadd.wd", "avx2"),
    512: ("llvm.x86.avx512.pmaddw.d.512", "avx512bw"),
}
"""The x86 instructions that add two products of 16-bit integers, and their features."""


def instructions_of(machine: CpuModel) -> tuple[Kinds, ...]:
    """Return the pairs of integer types that a machine has an instruction for.

    Each pair is listed in both orders.
    """
    integers = (each for each in INSTRUCTIONS if each.kinds[0].is_integer)
    found = [each.kinds for each in integers if each.lengths(machine)]
    return tuple(dict.fromkeys([*found, *((b, a) for a, b in found)]))


def accumulate(ctx: Context, total: Operand, words: Words, kinds: Kinds) -> Operand:
    """Emit the totals plus the dot products of the words."""
    for order in ((0, 1), (1, 0)):
        wanted = kinds[order[0]], kinds[order[1]]
        for each in INSTRUCTIONS:
            lengths = each.lengths(ctx.machine) if each.kinds == wanted else []
            if lengths:
                by = _Call(ctx, each)
                return _in_lengths(ctx, lengths, by, (total, words[order[0]], words[order[1]]))
    if bfloat16 in kinds:
        return _by_floats(ctx, total, words)
    if ctx.machine.is_x86:
        has = ctx.machine.has
        lengths = [bits for bits, (_, feature) in _PAIRS.items() if not feature or has(feature)]
        return _in_lengths(ctx, lengths, _Pairs(ctx, kinds), (total, *words))
    return _one_by_one(ctx, total, words, kinds)


Step: TypeAlias = Callable[[int, Sequence[Operand]], Operand]
"""A function from a vector length in bits, totals and words to the emitted result."""


@node
class _Call:
    ctx: Context
    instruction: Instruction

    def __call__(self, bits: int, operands: Sequence[Operand]) -> Operand:
        total, *words = operands
        w, kind = self.ctx.w, self.instruction.kinds[0]
        ty = f"<{bits // kind.bits} x {'bfloat' if kind is bfloat16 else 'i8'}>"
        parts = [w.op(ty, f"bitcast {word} to {ty}") for word in words]
        return w.call(total.ty, self.instruction.names[bits], (total, *parts))


@node
class _Pairs:
    """The dot product computed as products of the even 16-bit parts plus those of the odd ones."""

    ctx: Context
    kinds: Kinds

    def __call__(self, bits: int, operands: Sequence[Operand]) -> Operand:
        total, *words = operands
        ctx, ty, halves = self.ctx, total.ty, f"<{bits // 16} x i16>"
        for is_odd in (False, True):
            parts = [
                _halves(ctx, word, kind, halves, is_odd=is_odd)
                for word, kind in zip(words, self.kinds, strict=True)
            ]
            products = ctx.w.call(ty, _PAIRS[bits][0], parts)
            total = ctx.w.op(ty, f"add {total}, {products.text}")
        return total


def _halves(ctx: Context, word: Operand, kind: DType, ty: str, *, is_odd: bool) -> Operand:
    """Emit every second byte of the words, the odd or the even ones, as 16-bit integers."""
    w = ctx.w
    wide = w.op(ty, f"bitcast {word} to {ty}")
    if kind.kind is Kind.UINT:
        return w.op(ty, f"lshr {wide}, splat (i16 8)" if is_odd else f"and {wide}, splat (i16 255)")
    if not is_odd:
        wide = w.op(ty, f"shl {wide}, splat (i16 8)")
    return w.op(ty, f"ashr {wide}, splat (i16 8)")


def _one_by_one(ctx: Context, total: Operand, words: Words, kinds: Kinds) -> Operand:
    """Emit the totals plus the products of the parts, each as a 32-bit integer."""
    for number in range(parts_of(kinds[0])):
        a, b = (_part(ctx, word, kind, number) for word, kind in zip(words, kinds, strict=True))
        product = ctx.w.op(total.ty, f"mul {a}, {b.text}")
        total = ctx.w.op(total.ty, f"add {total}, {product.text}")
    return total


def _by_floats(ctx: Context, total: Operand, words: Words) -> Operand:
    """Emit the totals plus the products of bfloat16 parts, which are upper halves of float32."""
    dtype = DType(float32.kind, float32.bits, lanes_of(total.ty))
    for step in ("shl", 16), ("and", -(1 << 16)):
        a, b = (_upper_half(ctx, word, *step, total.ty) for word in words)
        total = binary(ctx, Op.ADD, total, binary(ctx, Op.MUL, a, b, dtype), dtype)
    return total


def _upper_half(ctx: Context, word: Operand, step: str, by: int, ty: str) -> Operand:
    """Emit words as float32, after an instruction that moves a part to the upper half."""
    amount = f"splat (i32 {by})" if lanes_of(word.ty) > 1 else str(by)
    return ctx.w.op(ty, f"bitcast {ctx.w.op(word.ty, f'{step} {word}, {amount}')} to {ty}")


def _part(ctx: Context, word: Operand, kind: DType, number: int) -> Operand:
    def by(amount: int) -> str:
        return f"splat (i32 {amount})" if lanes_of(word.ty) > 1 else str(amount)

    left, right = WORD_BITS - 8 * (number + 1), WORD_BITS - 8
    high = ctx.w.op(word.ty, f"shl {word}, {by(left)}")
    return ctx.w.op(word.ty, f"{'lshr' if kind.kind is Kind.UINT else 'ashr'} {high}, {by(right)}")


def _in_lengths(
    ctx: Context, lengths: Sequence[int], step: Step, operands: Sequence[Operand]
) -> Operand:
    """Emit an instruction that supports only some vector lengths, on operands of any length.

    It recurses on halves of the operands.
    """
    lanes = lanes_of(operands[0].ty)
    bits, most = lanes * WORD_BITS, max(lengths)
    if bits in lengths and lanes > 1:
        return step(bits, operands)
    if bits <= most:
        room = min(length for length in lengths if length >= bits) // WORD_BITS
        wide = [_resized(ctx, each, range(lanes), room) for each in operands]
        return _resized(ctx, step(room * WORD_BITS, wide), range(lanes), lanes)
    half = most // WORD_BITS
    sides = [
        _in_lengths(ctx, lengths, step, [_resized(ctx, each, side, len(side)) for each in operands])
        for side in (range(half), range(half, lanes))
    ]
    return _joined(ctx, sides[0], sides[1])


def _resized(ctx: Context, operand: Operand, lanes: Sequence[int], count: int) -> Operand:
    """Emit selected lanes of an operand as a vector of `count` lanes, or as a scalar."""
    w, known = ctx.w, lanes_of(operand.ty)
    if known == count:
        return operand
    if known == 1:
        ty = f"<{count} x {operand.ty}>"
        return w.op(ty, f"insertelement {ty} poison, {operand}, i64 0")
    each = lane_type(operand.ty)
    if count == 1:
        return w.op(each, f"extractelement {operand}, i64 {lanes[0]}")
    listed = [f"i32 {lane}" for lane in lanes] + ["i32 poison"] * (count - len(lanes))
    operands = f"{operand}, {operand.ty} poison, <{count} x i32> <{', '.join(listed)}>"
    return w.op(f"<{count} x {each}>", f"shufflevector {operands}")


def _joined(ctx: Context, low: Operand, high: Operand) -> Operand:
    """Emit the concatenation of the lanes of two operands."""
    near, far = lanes_of(low.ty), lanes_of(high.ty)
    width = max(near, far, 2)
    sides = [_resized(ctx, each, range(lanes_of(each.ty)), width) for each in (low, high)]
    chosen = [*range(near), *range(width, width + far)]
    listed = ", ".join(f"i32 {lane}" for lane in chosen)
    operands = f"{sides[0]}, {sides[1]}, <{len(chosen)} x i32> <{listed}>"
    return ctx.w.op(f"<{len(chosen)} x {lane_type(sides[0].ty)}>", f"shufflevector {operands}")
