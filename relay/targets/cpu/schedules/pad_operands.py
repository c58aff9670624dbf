"""Copies operands of reductions with padding, so that reductions need no bounds checks.

The copy has neutral elements at its borders, so the loops over it need no tests. It is computed in
blocks of rows that stay in the cache until they are used, so memory is not read again.
"""

from collections.abc import Sequence

from relay.kernels.packed_dot_products import DotProduct
from relay.kernels.passes.affine_arithmetic import Affine
from relay.kernels.passes.linear_sums import LARGEST_ROOM
from relay.kernels.passes.simplify_scalars import Simplifier
from relay.kernels.passes.tighten_loop_bounds import conjunction, conjuncts, margin_of
from relay.kernels.scalar import Binary, Cast, Const, Op, Scalar, lift, select
from relay.kernels.schedule.bounds_inference import declare
from relay.kernels.te.reductions import identity
from relay.kernels.te.tensor import Axis, Combiner, Computed, Dim, Read, Reduce, Tensor
from relay.kernels.traverse_scalars import rewrite
from relay.support.dtype import int64
from relay.support.node import replace
from relay.targets.cpu.schedules.access_strides import reads


def padded(sums: Computed) -> tuple[Computed, Computed | None]:
    """Return a reduction that reads a padded copy, and the copy; None if nothing is padded."""
    body = sums.body
    assert isinstance(body, Reduce)
    simplify = Simplifier()
    for axis in (*sums.axes, *body.axes):
        declare(simplify.arithmetic, axis, 0, axis.extent - 1)
    tests = conjuncts(body.where)
    for read in reads(body.body):
        frame = [
            _beyond(*pair, simplify) for pair in zip(read.indices, read.tensor.shape, strict=True)
        ]
        left = [test for test in tests if not _is_bound(test, read, simplify)]
        fill = _neutral(body, read)
        is_bounded = all(max(pair) < LARGEST_ROOM for pair in frame)
        if len(left) < len(tests) and fill is not None and is_bounded:
            copy = _copy(read.tensor, frame, fill)
            before = [low for low, _ in frame]
            return _redirected(sums, body, read.tensor, copy, before, left), copy
    return sums, None


def _beyond(index: Scalar, size: Dim, simplify: Simplifier) -> tuple[int, int]:
    """Return how far an index reaches beyond a dimension, before its start and after its end."""
    arithmetic = simplify.arithmetic
    place = arithmetic.affine(index)
    behind = place.plus(arithmetic.affine(lift(size)), -1).plus(Affine({}, 1))
    return max(0, -arithmetic.interval(place)[0]), max(0, arithmetic.interval(behind)[1])


def _neutral(body: Reduce, read: Read) -> Const | None:
    """Return a value of padding that does not change the reduction; None if there is none."""
    if body.combiner is Combiner.SUM and _is_factor(read, body.body):
        return identity(Combiner.SUM, read.dtype)
    return identity(body.combiner, read.dtype) if body.body is read else None


def _is_factor(read: Read, e: Scalar) -> bool:
    """Whether an expression is 0 if the element `read` is 0; nesting bounds the recursion."""
    match e:
        case Binary(op=Op.MUL, a=a, b=b) | DotProduct(a=a, b=b):
            return _is_factor(read, a) or _is_factor(read, b)
        case Cast(operand=operand):
            return _is_factor(read, operand)
        case _:
            return e is read


def _is_bound(test: Scalar, read: Read, simplify: Simplifier) -> bool:
    """Whether a test is the lower or upper bounds check of an index of `read`."""
    margin = margin_of(test, simplify)
    if margin is None:
        return False
    for size, index in zip(read.tensor.shape, read.indices, strict=True):
        place = simplify.arithmetic.affine(index)
        room = simplify.arithmetic.affine(lift(size - 1)).plus(place, -1)
        if any(_same(margin, bound) for bound in (place, room)):
            return True
    return False


def _same(a: Affine, b: Affine) -> bool:
    difference = a.plus(b, -1)
    return difference.is_constant and difference.const == 0


def _copy(tensor: Tensor, frame: Sequence[tuple[int, int]], fill: Const) -> Computed:
    """Return the tensor with `fill` before and after each axis, as often as `frame` says."""
    shape = tuple(b + size + a for (b, a), size in zip(frame, tensor.shape, strict=True))
    axes = tuple(Axis(f"p{k}", int64, size) for k, size in enumerate(shape))
    inside: list[Scalar] = []
    for axis, (low, high), size in zip(axes, frame, tensor.shape, strict=True):
        inside += [axis >= low] if low else []
        inside += [axis < low + size] if high else []
    place = tuple(axis - low for axis, (low, _) in zip(axes, frame, strict=True))
    body = select(conjunction(inside), tensor[place], fill)
    return Computed(f"{tensor.name}_padded", shape, tensor.dtype, axes, body)


def _redirected(
    sums: Computed,
    body: Reduce,
    tensor: Tensor,
    copy: Tensor,
    before: list[int],
    tests: list[Scalar],
) -> Computed:
    def change(part: Scalar) -> Scalar:
        if isinstance(part, Read) and part.tensor is tensor:
            return copy[tuple(i + low for i, low in zip(part.indices, before, strict=True))]
        return part

    inner = rewrite(body.body, change, {})
    return replace(
        sums, body=Reduce(body.combiner, inner, body.axes, conjunction(tests), body.dtype)
    )
