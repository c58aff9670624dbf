"""LLVM text of the indices of fused loops, which are counted instead of computed by divisions.

If two loops are fused into one over `i`, their indices are `i // m` and `i % m`. With a dynamic
size `m`, each iteration would divide, which may take longer than its work.
"""

from collections.abc import Sequence

from relay.kernels.llvm.arithmetic import binary
from relay.kernels.llvm.emitter_context import Context, index
from relay.kernels.llvm.llvm_writer import Operand
from relay.kernels.llvm.loop_metadata import is_plain
from relay.kernels.loops import For
from relay.kernels.passes.affine_arithmetic import Arithmetic
from relay.kernels.passes.traverse_statements import expressions, statements
from relay.kernels.scalar import Binary, Const, Op, Scalar
from relay.kernels.traverse_scalars import walk
from relay.support.dtype import int64
from relay.support.node import node


def divisors(loop: For) -> Sequence[Scalar]:
    """Return the dynamic sizes by which a loop's body divides its index.

    The extent is a multiple of each, so none is 0 in an iteration. Loops that LLVM vectorises and
    loops that may run backwards have none.
    """
    counts = loop.start is Const(0) and loop.backwards is None
    if not counts or isinstance(loop.extent, Const) or is_plain(loop.body):
        return ()
    found: dict[Scalar, None] = {}
    for part in walk(*(e for s in statements(loop.body) for e in expressions(s))):
        match part:
            case Binary(op=Op.FLOORDIV | Op.FLOORMOD, a=a, b=b) if a is loop.var:
                found[b] = None
            case _:
                pass
    return [by for by in found if not isinstance(by, Const) and _divides(by, loop.extent)]


def _divides(size: Scalar, extent: Scalar) -> bool:
    """Whether an extent is a multiple of a size, whatever the sizes are."""
    rest = Arithmetic().index(Binary(Op.FLOORMOD, extent, size))
    return isinstance(rest, Binary) and rest.op is Op.FLOORMOD and rest.a is Const(0)


@node
class Counters:
    """The quotient and the remainder of a loop's index by a size, in slots of the stack."""

    quotient: Binary
    remainder: Binary
    by: Operand
    slots: tuple[Operand, Operand]

    @classmethod
    def start(
        cls, ctx: Context, loop: For, size: Scalar, by: Operand, first: Operand
    ) -> "Counters":
        """Emit the values for the first index; `by` is the value of `size`.

        They are divided only if the index is not 0: it is 0 on the calling thread.
        """
        w = ctx.w
        parts = Binary(Op.FLOORDIV, loop.var, size), Binary(Op.FLOORMOD, loop.var, size)
        made = cls(*parts, by, (w.slot("i64"), w.slot("i64")))
        for slot in made.slots:
            w.do(f"store {index(0)}, {slot}")
        if first.known != 0:
            divide, after = w.fresh("divide"), w.fresh("after")
            w.branch_if(w.icmp("ne", first, index(0)), divide, after)
            w.block(divide)
            for part, slot in zip(parts, made.slots, strict=True):
                w.do(f"store {binary(ctx, part.op, first, by, int64)}, {slot}")
            w.branch(after)
            w.block(after)
        return made

    def values(self, ctx: Context) -> dict[Scalar, Operand]:
        """Emit loads of both values; return them by their expressions."""
        loaded = [ctx.w.op("i64", f"load i64, {slot}") for slot in self.slots]
        return {self.quotient: loaded[0], self.remainder: loaded[1]}

    def advance(self, ctx: Context, values: dict[Scalar, Operand]) -> None:
        """Emit the values for the next index."""
        w = ctx.w
        following = w.op("i64", f"add {values[self.remainder]}, 1")
        ends = w.icmp("eq", following, self.by)
        more = w.op("i64", f"zext {ends} to i64")
        quotient = w.op("i64", f"add {values[self.quotient]}, {more.text}")
        both = quotient, w.select(ends, index(0), following)
        for value, slot in zip(both, self.slots, strict=True):
            w.do(f"store {value}, {slot}")
