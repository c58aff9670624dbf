"""Padding by a copy: a reduction over the taps that are in bounds becomes one over all of them.

The copy has neutral elements around, so the loops over it need no tests. It is made of as many rows
at a time as stay in the cache until they are used, which takes the place of reading from memory.
"""

from relay.kernels.passes.affine import Affine
from relay.kernels.passes.bounds import conjunction, conjuncts, margin_of
from relay.kernels.passes.simplify import Simplifier
from relay.kernels.scalar import Binary, Cast, Const, Op, Scalar, rewrite, select
from relay.kernels.te.reductions import identity
from relay.kernels.te.tensor import Axis, Combiner, Computed, Read, Reduce, Tensor
from relay.support.dtype import int64
from relay.support.node import replace
from relay.targets.cpu.schedules.access import reads


def padded(sums: Computed) -> tuple[Computed, Computed | None]:
    """Return a reduction that reads a padded copy, and the copy; none if nothing is padded."""
    body = sums.body
    assert isinstance(body, Reduce)
    simplify = Simplifier()
    for axis in (*sums.axes, *body.axes):
        assert isinstance(axis.extent, int)
        simplify.arithmetic.declare(axis, 0, axis.extent - 1)
    tests = conjuncts(body.where)
    for read in reads(body.body):
        spans = [simplify.arithmetic.interval(simplify.arithmetic.affine(i)) for i in read.indices]
        left = [test for test in tests if not _is_bound(test, read, simplify)]
        fill = _neutral(body, read)
        if len(left) < len(tests) and fill is not None:
            copy, before = _copy(read.tensor, spans, fill)
            return _redirected(sums, body, read.tensor, copy, before, left), copy
    return sums, None


def _neutral(body: Reduce, read: Read) -> Const | None:
    """Return the element that changes nothing where it is read; nothing if there is none."""
    if body.combiner is Combiner.SUM and _is_factor(read, body.body):
        return identity(Combiner.SUM, read.dtype)
    return identity(body.combiner, read.dtype) if body.body is read else None


def _is_factor(read: Read, e: Scalar) -> bool:
    """Whether an expression is 0 where the read element is; it recurses on a short product."""
    match e:
        case Binary(op=Op.MUL, a=a, b=b):
            return _is_factor(read, a) or _is_factor(read, b)
        case Cast(operand=operand):
            return _is_factor(read, operand)
        case _:
            return e is read


def _is_bound(test: Scalar, read: Read, simplify: Simplifier) -> bool:
    """Whether a test says that an index of the read is in bounds, on one side."""
    margin = margin_of(test, simplify)
    if margin is None:
        return False
    for size, index in zip(read.tensor.shape, read.indices, strict=True):
        place = simplify.arithmetic.affine(index)
        assert isinstance(size, int)
        room = Affine({}, size - 1).plus(place, -1)
        if any(_same(margin, bound) for bound in (place, room)):
            return True
    return False


def _same(a: Affine, b: Affine) -> bool:
    difference = a.plus(b, -1)
    return difference.is_constant and difference.const == 0


def _copy(tensor: Tensor, spans: list[tuple[int, int]], fill: Const) -> tuple[Computed, list[int]]:
    """Return the tensor with neutral elements around, and how many are before each axis."""
    before = [max(0, -low) for low, _ in spans]
    sizes = [int(str(size)) for size in tensor.shape]
    after = [max(0, high - (size - 1)) for (_, high), size in zip(spans, sizes, strict=True)]
    shape = tuple(b + size + a for b, size, a in zip(before, sizes, after, strict=True))
    axes = tuple(Axis(f"p{k}", int64, size) for k, size in enumerate(shape))
    inside: list[Scalar] = []
    for axis, low, high, size in zip(axes, before, after, sizes, strict=True):
        inside += [axis >= low] if low else []
        inside += [axis < low + size] if high else []
    place = tuple(axis - low for axis, low in zip(axes, before, strict=True))
    body = select(conjunction(inside), tensor[place], fill)
    return Computed(f"{tensor.name}_padded", shape, tensor.dtype, axes, body), before


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
