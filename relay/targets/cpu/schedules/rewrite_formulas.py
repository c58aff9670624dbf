"""Rewrites tensor expressions before scheduling: inlining, and splitting reductions into lanes."""

from collections.abc import Callable, Collection, Mapping, Sequence

from relay.kernels import te
from relay.kernels.scalar import Apply, Binary, Const, Fn, Op, Scalar, binary
from relay.kernels.schedule.iteration_state import rounded_up
from relay.kernels.schedule.schedule import topological
from relay.kernels.te.hand_written_loops import LoopOutput
from relay.kernels.te.tensor import Axis, Combiner, Computed, Read, Reduce, Tensor
from relay.kernels.traverse_scalars import rewrite, substitute, walk
from relay.support.dtype import bool_, int64
from relay.support.node import replace
from relay.targets.cpu.schedules.access_strides import arithmetic_over, reads
from relay.targets.cpu.schedules.size_hints import exact_product, product

COMBINE = {
    Combiner.SUM: Op.ADD,
    Combiner.PROD: Op.MUL,
    Combiner.MIN: Op.MIN,
    Combiner.MAX: Op.MAX,
    Combiner.ALL: Op.AND,
    Combiner.ANY: Op.OR,
}
_CHEAP = frozenset(
    {Fn.NEG, Fn.NOT, Fn.ABS, Fn.FLOOR, Fn.CEIL, Fn.TRUNC, Fn.ROUND_EVEN}
    | {Fn.FMA, Fn.BITCAST, Fn.ISNAN, Fn.ROUNDED_PRODUCT}
)  # fmt: skip


def inlined(outputs: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """Return the outputs with all tensor expressions inlined that are cheap to recompute.

    Reads of such a tensor are replaced by its expression, unless that repeats costly work. Inputs
    of hand-written loops are not inlined.
    """
    order = topological(outputs)
    kept = _kept(order, outputs)
    expanded: dict[Tensor, Computed] = {}
    new: dict[Tensor, Tensor] = {}
    for tensor in order:
        if isinstance(tensor, Computed):
            current = redirected(tensor, new, expanded)
            (new if tensor in kept else expanded)[tensor] = current
    return tuple(new.get(tensor, tensor) for tensor in outputs)


def _kept(order: Sequence[Tensor], outputs: Sequence[Tensor]) -> set[Tensor]:
    """Return the computed tensors that keep loops of their own instead of being inlined."""
    fixed = _behind_loops(order)
    evaluated_in: dict[Tensor, set[Tensor]] = {tensor: set() for tensor in order}
    kept: set[Tensor] = set()
    for tensor in reversed(order):
        if not isinstance(tensor, Computed):
            continue
        if tensor in outputs or tensor in fixed or not _is_repeatable(tensor, evaluated_in[tensor]):
            kept.add(tensor)
        places = {tensor} if tensor in kept else evaluated_in[tensor]
        for source in tensor.inputs:
            evaluated_in[source] |= places
    return kept


def _is_repeatable(tensor: Computed, evaluated_in: Collection[Tensor]) -> bool:
    """Whether a tensor can be inlined: it is cheap, or is not evaluated more often then."""
    if isinstance(tensor.body, Reduce):
        return False
    if cost(tensor.body) <= 2 and is_regular(tensor):
        return True
    return len(evaluated_in) == 1 and sum(map(iterations, evaluated_in)) <= product(tensor.shape)


def is_regular(tensor: Computed) -> bool:
    """Whether all reads have a constant stride along each axis, or blocks of one size."""
    arithmetic = arithmetic_over(tensor.axes)
    divisors: set[tuple[Scalar, Scalar]] = set()
    for read in reads(tensor.body):
        for index in read.indices:
            for atom in arithmetic.affine(index).terms:
                match atom:
                    case Axis():
                        pass
                    case Binary(op=Op.FLOORDIV | Op.FLOORMOD, a=Axis() as axis, b=by):
                        divisors.add((axis, by))
                    case _:
                        return False
    return len({axis for axis, _ in divisors}) == len(divisors)


def iterations(tensor: Tensor) -> int:
    """Return how often a tensor's scalar expression is evaluated."""
    reduced = tensor.reduce_axes if isinstance(tensor, Computed) else ()
    return product(tensor.shape) * product(axis.extent for axis in reduced)


def redirected(
    tensor: Computed, new: Mapping[Tensor, Tensor], expanded: Mapping[Tensor, Computed]
) -> Computed:
    """Return a tensor whose reads are redirected to the tensors `new` or replaced by `expanded`."""

    def change(part: Scalar) -> Scalar:
        if not isinstance(part, Read):
            return part
        formula = expanded.get(part.tensor)
        if formula is not None:
            return substitute(formula.body, dict(zip(formula.axes, part.indices, strict=True)))
        return Read(new.get(part.tensor, part.tensor), part.indices, part.dtype)

    body = rewrite(tensor.body, change, {})
    return tensor if body is tensor.body else replace(tensor, body=body)


def replaced(outputs: Sequence[Tensor], change: Callable[[Computed], Tensor]) -> tuple[Tensor, ...]:
    """Return the outputs with `change` applied to each computed tensor, producers first."""
    new: dict[Tensor, Tensor] = {}
    fixed = _behind_loops(topological(outputs))
    for tensor in topological(outputs):
        if isinstance(tensor, Computed) and tensor not in fixed:
            new[tensor] = change(redirected(tensor, new, {}))
    return tuple(new.get(tensor, tensor) for tensor in outputs)


def in_lanes(tensor: Computed, run: Sequence[Axis], lanes: int, vectors: int) -> Computed:
    """Return a reduction split into `vectors * lanes` partial results and their combination.

    `run` are the innermost axes of the reduction, along which elements are contiguous.
    """
    body = tensor.body
    assert isinstance(body, Reduce)
    length = exact_product(axis.extent for axis in run)
    width = lanes * vectors
    chunk = te.reduce_axis(rounded_up(length, width), "chunk")
    lane = Axis("lane", int64, width)
    number = chunk * width + lane
    values: dict[Scalar, Scalar] = dict(zip(run, unravelled(number, run), strict=True))
    where = substitute(body.where, values)
    if length % width != 0:
        where = binary(Op.AND, where, number < length)
    others = tuple(axis for axis in body.axes if axis not in run)
    formula = Reduce(
        body.combiner, substitute(body.body, values), (*others, chunk), where, body.dtype
    )
    partial = Computed(
        f"{tensor.name}_lanes", (*tensor.shape, width), tensor.dtype, (*tensor.axes, lane), formula
    )
    if vectors > 1:
        partial = _folded(partial, lanes, body.combiner)
    return _combined(tensor, partial, body.combiner)


def _folded(partial: Computed, lanes: int, combiner: Combiner) -> Computed:
    """Return fewer partial results: those at a distance of `lanes` are combined."""
    axes = renamed(partial.axes[:-1])
    lane = Axis("lane", int64, lanes)
    width = product(partial.shape[-1:])
    parts = [partial[(*axes, lane + start)] for start in range(0, width, lanes)]
    shape = (*partial.shape[:-1], lanes)
    body = _tree(combiner, parts)
    return Computed(f"{partial.name}_folded", shape, partial.dtype, (*axes, lane), body)


def _combined(tensor: Computed, partial: Computed, combiner: Combiner) -> Computed:
    """Return the tensor that combines all partial results of each row."""
    axes = renamed(tensor.axes)
    lane = te.reduce_axis(partial.shape[-1], "lane")
    body = Reduce(combiner, partial[(*axes, lane)], (lane,), Const(True, bool_), tensor.dtype)
    return Computed(tensor.name, tensor.shape, tensor.dtype, axes, body)


def _tree(combiner: Combiner, parts: Sequence[Scalar]) -> Scalar:
    """Return the combination of scalars as a balanced tree, which shortens the dependency chain."""
    while len(parts) > 1:
        half = (len(parts) + 1) // 2
        pairs = [
            binary(COMBINE[combiner], parts[i], parts[i + half]) for i in range(len(parts) - half)
        ]
        parts = [*pairs, *parts[len(pairs) : half]]
    return parts[0]


def unravelled(number: Scalar, axes: Sequence[Axis]) -> list[Scalar]:
    """Return the row-major indices of the element with a number, over some axes."""
    found: list[Scalar] = []
    for axis in reversed(axes[1:]):
        found.append(number % axis.extent)
        number = number // axis.extent
    return [number, *reversed(found)]


def renamed(axes: Sequence[Axis]) -> tuple[Axis, ...]:
    """Return fresh axes with the same names and extents."""
    return tuple(Axis(axis.name, int64, axis.extent) for axis in axes)


def cost(e: Scalar) -> int:
    """Return an estimate of the cycles of a scalar expression for one vector, without its loads."""
    return sum(_weight(part) for part in walk(e) if part.dtype is not int64)


def _weight(part: Scalar) -> int:
    match part:
        case Apply(fn=fn):
            return 1 if fn in _CHEAP else 12
        case Binary(op=Op.DIV | Op.REM | Op.FLOORDIV | Op.FLOORMOD):
            return 8
        case Read() | Const():
            return 0
        case _:
            return 0 if part.dtype is bool_ else 1


def _behind_loops(order: Sequence[Tensor]) -> set[Tensor]:
    """Return the tensors on which hand-written loops depend, directly or indirectly."""
    found: set[Tensor] = set()
    for tensor in reversed(order):
        if isinstance(tensor, LoopOutput) or tensor in found:
            found.update(tensor.inputs)
    return found
