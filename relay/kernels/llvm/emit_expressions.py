"""LLVM text of scalar expressions.

An expression is a graph: it is flattened into post-order without recursion, so its depth does not
matter. Only if an operand of a `Select` must not be evaluated does a new scope begin; the recursion
is as deep as the nesting of such selects.
"""

from collections.abc import Callable, Sequence
from typing import Any

from relay.kernels.bounds_checks import BoundsCheck
from relay.kernels.lane_reductions import LaneReduction
from relay.kernels.llvm import loads_and_stores, register_buffers
from relay.kernels.llvm.arithmetic import binary, compare
from relay.kernels.llvm.bounds_faults import tested
from relay.kernels.llvm.emitter_context import (
    Context,
    Lanes,
    Memory,
    constant,
    index,
    lane_numbers,
    splat,
    zero,
)
from relay.kernels.llvm.fixed_point_products import high_product
from relay.kernels.llvm.lane_offsets import lane_offsets
from relay.kernels.llvm.lane_reductions import fold
from relay.kernels.llvm.llvm_types import computed, register_type, with_lanes
from relay.kernels.llvm.llvm_writer import Operand, lanes_of, suffix
from relay.kernels.llvm.math.number_emitter import Number
from relay.kernels.llvm.math.power_of_constant_exponent import fixed_power
from relay.kernels.llvm.packed_dot_products import accumulate
from relay.kernels.llvm.scalar_functions import apply
from relay.kernels.llvm.strided_indices import LaneTest, constant_stride, lane_test
from relay.kernels.llvm.type_conversions import cast
from relay.kernels.loops import Load, MemoryScope
from relay.kernels.packed_dot_products import DotProduct
from relay.kernels.passes.unconditional_subexpressions import NeededValues
from relay.kernels.scalar import (
    Apply,
    Binary,
    Broadcast,
    Cast,
    Compare,
    Const,
    Fn,
    Op,
    Order,
    Ramp,
    Scalar,
    Select,
    Size,
    Var,
)
from relay.kernels.scalar import cast as scalar_cast
from relay.kernels.traverse_scalars import walk
from relay.support.dtype import bool_, int32, int64
from relay.support.node import node

_Memo = dict[Scalar, Operand]


@node
class _Place:
    """One index of an access, as in `Lanes`, with the expression of its first lane."""

    base: Scalar
    step: int | None
    offsets: tuple[int, ...] | None = None


class _Forms:
    """The forms in which expressions are emitted, memoised: every unrolled copy needs them."""

    def __init__(self) -> None:
        self._needs: dict[Scalar, Sequence[Scalar]] = {}
        self._places: dict[tuple[Scalar, ...], list[_Place]] = {}
        self._tests: dict[Compare, LaneTest | None] = {}

    def operands(self, expression: Scalar) -> Sequence[Scalar]:
        """Return the operands that must be emitted before an expression can be."""
        needs = self._needs.get(expression)
        if needs is None:
            needs = self._needs[expression] = self._find_operands(expression)
        return needs

    def _find_operands(self, expression: Scalar) -> Sequence[Scalar]:
        match expression:
            case Load(indices=indices, mask=mask):
                bases = [one.base for one in self.places(tuple(indices))]
                return bases if mask is None else [*bases, mask]
            case Binary(op=Op.ADD, a=total, b=DotProduct(a=a, b=b)):
                return (total, a, b)
            case Compare():
                test = self.lane_test(expression)
                return expression.parts if test is None else (test.base, test.bound)
            case Select():
                lazy = _is_lazy(expression)
                return (expression.condition,) if lazy else expression.parts
            case _:
                return expression.parts

    def places(self, indices: tuple[Scalar, ...]) -> list[_Place]:
        """Return each index of an access as its first lane and the distances of the others."""
        found = self._places.get(indices)
        if found is None:
            found = self._places[indices] = [_regular(one) for one in _as_int64(indices)]
        return found

    def lane_test(self, expression: Compare) -> LaneTest | None:
        """Return a comparison as a test of lane numbers, or None if that is impossible."""
        if expression not in self._tests:
            self._tests[expression] = lane_test(expression)
        return self._tests[expression]


class Evaluator:
    """An emitter of one statement's expressions; common subexpressions are emitted once."""

    def __init__(self, ctx: Context) -> None:
        self.ctx = ctx
        self._memo: _Memo = {}
        self.forms = _Forms()
        self._always = NeededValues(self.forms.operands)
        self._live: Operand | None = None

    def __call__(self, root: Scalar) -> Operand:
        """Emit an expression, and return the operand that holds its value."""
        memo = self._memo
        done = memo.get(root)
        if done is not None:
            return done
        stack = [root]
        while stack:
            top = stack[-1]
            if top in memo:
                stack.pop()
                continue
            operands = self.forms.operands(top)
            waiting = [o for o in operands if o not in memo]
            if not waiting and isinstance(top, Select) and len(operands) == 1:
                waiting = [o for o in self._always.shared(top, root) if o not in memo]
            if waiting:
                stack += waiting
                continue
            stack.pop()
            memo[top] = _EMIT[top.__class__](self, top)
        return memo[root]

    def statement(self) -> None:
        """Forget all values, because a store may have changed what loads return."""
        values = self.ctx.values
        self._memo = dict(values) if values else {}

    def access(self, indices: Sequence[Scalar]) -> list[Lanes]:
        """Return the lanes of each index of an access; their operands are emitted already."""
        places = self.forms.places(tuple(indices))
        return [Lanes(self(one.base), one.step, one.offsets) for one in places]

    def load(self, expression: Load) -> Operand:
        """Emit a load of the live lanes of this scope from memory or registers."""
        where = self.access(expression.indices)
        mask = self._mask(expression)
        place = self.ctx.places[expression.buffer]
        if isinstance(place, Memory):
            return loads_and_stores.load(self.ctx, place, where, mask, expression.dtype)
        return register_buffers.load(self.ctx, place, where, mask, expression.dtype)

    def _mask(self, access: Load | BoundsCheck) -> Operand | None:
        own = None if access.mask is None else self(access.mask)
        live = self._live
        if live is None:
            return own
        if lanes_of(live.ty) != access.dtype.lanes:
            live = self._any(live)
        return live if own is None else self.ctx.w.op(live.ty, f"and {live}, {own.text}")

    def _any(self, live: Operand) -> Operand:
        """Emit the test whether any lane is live, so that a scalar load is valid."""
        name = f"llvm.vector.reduce.or.{suffix(live.ty)}"
        return self.ctx.w.call("i1", name, (live,))

    def select(self, expression: Select) -> Operand:
        """Emit a select; operands with loads are evaluated only if they are chosen."""
        condition = self(expression.condition)
        sides = expression.then, expression.other
        if condition.known is not None:
            return self(sides[0] if condition.known else sides[1])
        if not _is_lazy(expression):
            return self.ctx.w.select(condition, self(sides[0]), self(sides[1]))
        if expression.condition.dtype.lanes == 1:
            return self._branch(condition, expression)
        inverse = self.ctx.w.op(condition.ty, f"xor {condition}, splat (i1 true)")
        then, other = self._under(condition, sides[0]), self._under(inverse, sides[1])
        return self.ctx.w.select(condition, then, other)

    def _under(self, mask: Operand, side: Scalar) -> Operand:
        """Emit an operand of a select with only the lanes of `mask` live."""
        memo, live = self._memo, self._live
        self._memo = dict(memo)
        both = mask if live is None else self.ctx.w.op(mask.ty, f"and {mask}, {live.text}")
        self._live = both
        result = self(side)
        self._memo, self._live = memo, live
        return result

    def _branch(self, condition: Operand, expression: Select) -> Operand:
        """Emit a select as a branch, with each operand in a block of its own."""
        w = self.ctx.w
        labels = w.fresh("then"), w.fresh("else")
        join = w.fresh("join")
        w.branch_if(condition, *labels)
        incoming: list[str] = []
        for label, side in zip(labels, (expression.then, expression.other), strict=True):
            w.block(label)
            memo = self._memo
            self._memo = dict(memo)
            incoming.append(f"[ {self(side).text}, %{w.label} ]")
            self._memo = memo
            w.branch(join)
        w.block(join)
        ty = register_type(expression.dtype)
        return w.op(ty, f"phi {ty} {', '.join(incoming)}")

    def inside(self, expression: BoundsCheck) -> Operand:
        """Emit the bounds check of an index in live lanes; return it counted from the start."""
        index, size = self(expression.index), self(expression.size)
        return tested(self.ctx, expression, index, size, self._mask(expression))


def _regular(one: Scalar) -> _Place:
    stride = constant_stride(one)
    if stride is not None:
        return _Place(stride.base, stride.stride)
    found = lane_offsets(one)
    return _Place(one, None) if found is None else _Place(found.base, None, found.offsets)


def _as_int64(indices: Sequence[Scalar]) -> Sequence[Scalar]:
    return [scalar_cast(one, with_lanes(int64, one.dtype.lanes)) for one in indices]


def _is_lazy(expression: Select) -> bool:
    """Whether an operand of a select reads memory, so that it is evaluated only if chosen."""
    return any(
        isinstance(one, Load) and one.buffer.scope is not MemoryScope.REGISTER
        for side in (expression.then, expression.other)
        for one in walk(side)
    )


def _const(_: Evaluator, expression: Const) -> Operand:
    operand = constant(expression.dtype, expression.value)
    if expression.dtype is bool_:
        return Operand(operand.ty, operand.text, int(expression.value))
    return operand


def _compare(evaluator: Evaluator, expression: Compare) -> Operand:
    test = evaluator.forms.lane_test(expression)
    if test is None:
        a, b = evaluator(expression.a), evaluator(expression.b)
        return compare(evaluator.ctx, expression.order, a, b, expression.a.dtype)
    base, bound = evaluator(test.base), evaluator(test.bound)
    return _mask(evaluator.ctx, test.order, base, bound, expression.dtype.lanes)


def _mask(ctx: Context, order: Order, base: Operand, bound: Operand, lanes: int) -> Operand:
    """Emit the mask of the lanes whose number is in `order` with `bound - base`, in 32 bits."""
    distance = binary(ctx, Op.SUB, bound, base, int64)
    for op, limit in ((Op.MAX, -1), (Op.MIN, lanes)):
        distance = binary(ctx, op, distance, index(limit), int64)
    narrow = cast(ctx, distance, int64, int32)
    wide = with_lanes(int32, lanes)
    return compare(ctx, order, lane_numbers(wide), splat(ctx, narrow, lanes), wide)


def _ramp(evaluator: Evaluator, expression: Ramp) -> Operand:
    ctx, lanes = evaluator.ctx, expression.lanes
    base, stride = evaluator(expression.base), evaluator(expression.stride)
    ty = register_type(expression.dtype)
    steps = f"mul {lane_numbers(expression.dtype)}, {splat(ctx, stride, lanes).text}"
    return ctx.w.op(ty, f"add {splat(ctx, base, lanes)}, {ctx.w.op(ty, steps).text}")


def _broadcast(evaluator: Evaluator, expression: Broadcast) -> Operand:
    operand = expression.operand
    if isinstance(operand, Const):
        return constant(expression.dtype, operand.value)
    return splat(evaluator.ctx, evaluator(operand), expression.lanes)


def _binary(evaluator: Evaluator, expression: Binary) -> Operand:
    if expression.op is Op.ADD and isinstance(expression.b, DotProduct):
        return _dot_product(evaluator, expression.b, evaluator(expression.a))
    a, b = evaluator(expression.a), evaluator(expression.b)
    return binary(evaluator.ctx, expression.op, a, b, expression.dtype)


def _apply(evaluator: Evaluator, expression: Apply) -> Operand:
    source = expression.args[0].dtype
    match expression:
        case Apply(Fn.POW, (x, Const(exponent) | Broadcast(Const(exponent)))):
            base = Number(evaluator.ctx, evaluator(x), computed(source))
            power = fixed_power(base, float(exponent))
            if power is not None:
                return power.operand
        case Apply(Fn.ROUNDED_PRODUCT, (a, b, Const(31) | Broadcast(Const(31)))):
            return high_product(evaluator.ctx, evaluator(a), evaluator(b), source)
        case _:
            pass
    args = [evaluator(arg) for arg in expression.args]
    return apply(evaluator.ctx, expression.fn, args, source, expression.dtype)


def _cast(evaluator: Evaluator, expression: Cast) -> Operand:
    operand = expression.operand
    return cast(evaluator.ctx, evaluator(operand), operand.dtype, expression.dtype)


def _dot_product(
    evaluator: Evaluator, expression: DotProduct, total: Operand | None = None
) -> Operand:
    words = evaluator(expression.a), evaluator(expression.b)
    start = zero(expression.dtype) if total is None else total
    return accumulate(evaluator.ctx, start, words, expression.kinds)


def _fold(evaluator: Evaluator, expression: LaneReduction) -> Operand:
    rows = [evaluator(row) for row in expression.rows]
    return fold(evaluator.ctx, expression.op, rows, expression.lanes, expression.dtype)


def _variable(evaluator: Evaluator, expression: Var) -> Operand:
    return evaluator.ctx.variables[expression]


_EMIT: dict[type, Callable[[Evaluator, Any], Operand]] = {
    Apply: _apply,
    Binary: _binary,
    Broadcast: _broadcast,
    Cast: _cast,
    Compare: _compare,
    Const: _const,
    DotProduct: _dot_product,
    LaneReduction: _fold,
    BoundsCheck: Evaluator.inside,
    Load: Evaluator.load,
    Ramp: _ramp,
    Select: Evaluator.select,
    Size: _variable,
    Var: _variable,
}
