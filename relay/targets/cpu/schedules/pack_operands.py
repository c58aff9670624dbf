"""Packs operands of matrix products: copies them into panels as wide as vectors.

An operand is packed if it is not contiguous along the last axis of the result, or if its rows are
so far apart that each step of the sum would touch another page and the same few sets of a cache.
The same holds for the operand whose elements are broadcast, as in the derivatives by weights, `xᵀ ·
d`.
"""

from relay.kernels import te
from relay.kernels.scalar import Cast, Scalar, cast, lift, select
from relay.kernels.schedule.iteration_state import rounded_up
from relay.kernels.te.tensor import Axis, Computed, Dim, Read
from relay.kernels.traverse_scalars import rewrite, walk
from relay.support.node import node, replace
from relay.targets.cpu.schedules.access_strides import (
    StridedAccess,
    arithmetic_over,
    reads,
    strided_accesses,
)
from relay.targets.cpu.schedules.size_hints import exact_product, product

_FEW = 8  # with fewer uses of each element, transposing an operand does not pay
_MANY = 64  # uses of each element from which copying whole rows pays
_FAR = 2048  # bytes between rows from which they count as far apart,
_NEAR = 512  # or, if all rows span
_LONG = 256  # terms from which the sets of the caches are too few
_SPAN = 1 << 20  # bytes, of which an L2 cache holds only a part


def packed(
    sums: Computed, lanes: int, *, may_transpose: bool = True
) -> tuple[Computed, Computed | None]:
    """Return a sum of products that reads a packed copy of one operand, and the copy, if any.

    An operand that is not contiguous along the lanes is packed only if `may_transpose`.
    """
    found = _panels(sums)
    if found is None:
        return sums, None
    uses = product(found.uses)
    if found.contiguous:
        pays = uses >= _MANY and _is_far(sums, found.read, found.walk)
    else:
        pays = may_transpose and uses >= _FEW
    return _packed(sums, found.read, found.place, lanes) if pays else (sums, None)


def packed_rows(sums: Computed, lanes: int) -> tuple[Computed, Computed | None]:
    """Return a sum of products that reads a packed copy of its broadcast operand, and the copy.

    The operand is packed if successive terms of the sum read it at a large stride, because such
    reads map to few sets of the cache and evict each other. If not, the copy is None.
    """
    lane, terms = sums.axes[-1], [axis.extent for axis in sums.reduce_axes]
    pairs = list(zip(reads(sums.body), strided_accesses(sums.body, sums.axes), strict=True))
    fixed = [(read, walk) for read, walk in pairs if not walk.moves(lane)]
    if len(pairs) != 2 or len(fixed) != 1 or len(terms) != 1 or product(terms) < _LONG:
        return sums, None
    ((read, walk),) = fixed
    places = [k for k, index in enumerate(read.indices) if _is_next(index, walk)]
    uses = product(axis.extent for axis in sums.axes if not walk.moves(axis))
    pays = len(places) == 1 and uses >= _MANY and _is_far(sums, read, walk)
    return _packed(sums, read, places[0], lanes) if pays else (sums, None)


def _is_next(index: Scalar, walk: StridedAccess) -> bool:
    """Whether an index is an axis along which an operand is contiguous in memory."""
    return isinstance(index, Axis) and walk.stride(index) == 1


def transposing_does_not_pay(sums: Computed) -> Scalar | None:
    """Return the condition on run-time sizes under which transposing an operand is not worthwhile.

    The result is None if there is no such condition.
    """
    found = _panels(sums)
    if found is None or found.contiguous or product(found.uses) < _FEW:
        return None
    uses = exact_product(found.uses)
    return None if isinstance(uses, int) else lift(uses) < _FEW


@node
class _Panels:
    """The operand of a sum of products that varies over the lanes, and that may be packed.

    `uses` are the extents of the loops over which it is reused.
    """

    read: Read
    walk: StridedAccess
    place: int
    uses: list[Dim]
    contiguous: bool


def _panels(sums: Computed) -> _Panels | None:
    """Return the operand that varies along the lanes, or None.

    It is None unless exactly one of the two operands does, and exactly one of its indices is the
    lanes' axis.
    """
    lane = sums.axes[-1]
    operands = reads(sums.body)
    found = strided_accesses(sums.body, sums.axes)
    moving = [k for k, one in enumerate(found) if one.moves(lane)]
    if len(operands) != 2 or len(moving) != 1:
        return None
    (wanted,) = moving
    read, panels, other = operands[wanted], found[wanted], found[1 - wanted]
    places = [k for k, index in enumerate(read.indices) if index is lane]
    if len(places) != 1:
        return None
    used = [axis.extent for axis in sums.axes if other.moves(axis) and not panels.moves(axis)]
    return _Panels(read, panels, places[0], used, panels.stride(lane) == 1)


def _is_far(sums: Computed, read: Read, panels: StridedAccess) -> bool:
    """Whether the rows of an operand are far apart in memory, and too many for the L1 cache."""
    moved = [axis for axis in sums.reduce_axes if panels.moves(axis) and product([axis.extent]) > 1]
    strides = {axis: panels.distance(axis) for axis in moved}
    known = [(stride, axis) for axis, stride in strides.items() if stride]
    if not known or len(known) < len(moved):
        return False
    stride, nearest = min(known, key=lambda pair: pair[0])
    distance, terms = stride * read.dtype.itemsize, product([nearest.extent])
    return terms >= _MANY and distance >= (_FAR if distance * terms < _SPAN else _NEAR)


def _packed(sums: Computed, read: Read, place: int, lanes: int) -> tuple[Computed, Computed]:
    """Return the sum over a tensor copied to `[batch…, panel, …, lane]`, and the copy.

    If the sum converts the elements from narrower floats, the copy has converted ones.
    """
    tensor, size = read.tensor, read.tensor.shape[place]
    casts = (e for e in walk(sums.body) if isinstance(e, Cast) and e.operand is read)
    term = next((e for e in casts if read.dtype.is_float), read)
    first = _first_of_matrix(sums, read, place)
    others = [k for k in range(len(tensor.shape)) if k != place]
    order = [*others[:first], place, *others[first:]]
    shape = [tensor.shape[k] for k in order]
    shape[first] = rounded_up(size, lanes)

    def element(*i: Scalar) -> Scalar:
        number = i[first] * lanes + i[-1]
        index = dict(zip(order, (*i[:first], number, *i[first + 1 : -1]), strict=True))
        value = tensor[tuple(index[k] for k in range(len(index)))]
        value = cast(value, term.dtype)
        return value if size % lanes == 0 else select(number < size, value, 0)

    copy = te.compute([*shape, lanes], element, name=f"{tensor.name}_packed")

    def change(part: Scalar) -> Scalar:
        if part is not term:
            return part
        found = [read.indices[k] for k in order]
        number = found[first]
        found[first] = number // lanes
        return copy[(*found, number % lanes)]

    return replace(sums, body=rewrite(sums.body, change, {})), copy


def _first_of_matrix(sums: Computed, read: Read, place: int) -> int:
    """Return the position of the first index that varies with the lanes or the reduction."""
    arithmetic = arithmetic_over([*sums.axes, *sums.reduce_axes])
    for k, index in enumerate(read.indices):
        used = {part for atom in arithmetic.affine(index).terms for part in walk(atom)}
        if k == place or used & set(sums.reduce_axes):
            return k
    return place
