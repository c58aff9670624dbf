"""Analysis of memory accesses: the strides between consecutive iterations of loops."""

from collections.abc import Iterable, Iterator, Sequence

from relay.kernels.passes.affine_arithmetic import Affine, Arithmetic
from relay.kernels.passes.linear_sums import factors
from relay.kernels.scalar import Binary, Compare, Const, Op, Scalar, Size, binary, lift
from relay.kernels.te.tensor import Axis, Computed, Placeholder, Read, Reduce, Tensor
from relay.kernels.traverse_scalars import walk
from relay.support.dims.algebra import DimVar
from relay.targets.cpu.schedules.size_hints import product, typical

_NOTHING = Affine({}, 0)


class StridedAccess:
    """An access to a tensor, with its stride along each axis.

    `elements` and `nbytes` are the sizes of the tensor.
    """

    def __init__(
        self,
        tensor: Tensor | None,
        flat: Affine,
        arithmetic: Arithmetic,
        irregular: Iterable[Scalar] = (),
    ) -> None:
        self.elements = product(tensor.shape) if tensor else 0
        self.nbytes = self.elements * tensor.dtype.itemsize if tensor else 0
        self._arithmetic = arithmetic
        self._strides: dict[Scalar, Affine] = {}
        self._irregular: set[Scalar] = set(irregular)
        for atom, factor in flat.terms.items():
            moving = [part for part in walk(atom) if isinstance(part, Axis)]
            axis = _single(atom)
            if axis is None:
                self._irregular.update(moving)
            else:
                old = self._strides.get(axis, _NOTHING)
                self._strides[axis] = old.plus(arithmetic.cofactor(atom, axis), factor)

    def stride(self, axis: Axis) -> int | Scalar | None:
        """Return the stride in elements between two iterations; None if it varies.

        The stride is an expression if it depends on dynamic sizes.
        """
        if axis in self._irregular:
            return None
        found = self._strides.get(axis, _NOTHING)
        return found.const if found.is_constant else self._arithmetic.scalar(found)

    def distance(self, axis: Axis) -> int:
        """Return the approximate stride in elements between two iterations; 0 if it varies."""
        found = self._strides.get(axis, _NOTHING)
        if axis in self._irregular:
            return 0
        return found.const + sum(k * _expected(atom) for atom, k in found.terms.items())

    def goes_on(self, outer: Axis, inner: Axis) -> bool:
        """Whether each iteration of `outer` continues in memory where the loop `inner` ended."""
        if {outer, inner} & self._irregular:
            return False
        count = self._arithmetic.affine(lift(inner.extent))
        near = self._strides.get(inner, _NOTHING)
        rest = self._arithmetic.product(near, count).plus(self._strides.get(outer, _NOTHING), -1)
        return rest.is_constant and rest.const == 0

    def moves(self, axis: Axis) -> bool:
        """Whether the address of the access depends on an axis."""
        return axis in self._irregular or axis in self._strides


def _single(atom: Scalar) -> Axis | None:
    """Return the axis of which an index term is a loop-invariant multiple; None if none."""
    moving = [part for part in factors(atom) if isinstance(part, Axis)]
    others = [part for part in factors(atom) if not isinstance(part, Axis)]
    leaves = [part for other in others for part in walk(other) if not part.parts]
    fixed = all(isinstance(leaf, Size | Const) for leaf in leaves)
    return moving[0] if len(moving) == 1 and fixed else None


def _expected(atom: Scalar) -> int:
    """Return the product of the expected values of a term's sizes; other factors count as 1."""
    total = 1
    for part in factors(atom):
        total *= typical(DimVar(part.name)) if isinstance(part, Size) else 1
    return total


NOWHERE = StridedAccess(None, Affine({}, 0), Arithmetic())


def strided_accesses(
    body: Scalar,
    axes: Sequence[Axis],
    target: Tensor | None = None,
    place: Sequence[Scalar] | None = None,
) -> list[StridedAccess]:
    """Return the strided reads of a scalar expression over `axes`, and the store of its result.

    The result is stored at the axes, or at `place` if that is given.
    """
    arithmetic = arithmetic_over([*axes, *(body.axes if isinstance(body, Reduce) else ())])
    found = [
        StridedAccess(
            read.tensor, _flat(arithmetic, read.tensor, read.indices), arithmetic, _jumps(read)
        )
        for read in reads(body)
    ]
    if target is not None:
        found.append(StridedAccess(target, _flat(arithmetic, target, place or axes), arithmetic))
    return found


def _jumps(read: Read) -> list[Scalar]:
    """Return the axes that select rows in a read of a tensor that is passed as row addresses."""
    if not (isinstance(read.tensor, Placeholder) and read.tensor.indirect_rows):
        return []
    return [part for part in walk(read.indices[0]) if isinstance(part, Axis)]


def reads(body: Scalar) -> list[Read]:
    """Return the reads of tensors in a scalar expression, in order."""
    return [part for part in walk(body) if isinstance(part, Read)]


def arithmetic_over(axes: Sequence[Axis]) -> Arithmetic:
    """Return index arithmetic with the ranges of the axes declared."""
    arithmetic = Arithmetic()
    for axis in axes:
        if isinstance(axis.extent, int):
            arithmetic.declare(axis, 0, max(0, axis.extent - 1))
        else:
            arithmetic.bound(axis, Const(0), lift(axis.extent) - 1)
    return arithmetic


def tested(body: Scalar) -> set[Scalar]:
    """Return the axes on which comparisons in a scalar expression depend."""
    found: set[Scalar] = set()
    for part in walk(body):
        if isinstance(part, Compare):
            found.update(one for one in walk(part) if isinstance(one, Axis))
    return found


def _flat(arithmetic: Arithmetic, tensor: Tensor, indices: Sequence[Scalar]) -> Affine:
    flat: Scalar = Const(0)
    for size, index in zip(tensor.shape, indices, strict=True):
        flat = arithmetic.index(binary(Op.ADD, flat * size, index))
    return arithmetic.affine(flat)


def window_axes(reduction: Computed) -> set[Axis]:
    """Return the result axes along which a reduction reads overlapping windows."""
    found: set[Axis] = set()
    for read in reads(reduction.body):
        for index in read.indices:
            used = {part for part in walk(index) if isinstance(part, Axis)}
            if used & set(reduction.reduce_axes):
                found |= used & set(reduction.axes)
    return found


def fusable(accesses: Sequence[StridedAccess], outer: Axis, inner: Axis) -> bool:
    """Whether two nested loops can be fused, because all accesses have one stride over both."""
    return all(access.goes_on(outer, inner) for access in accesses)


def blocks_along(body: Scalar, axes: Sequence[Axis]) -> dict[Scalar, int]:
    """Return the one number by which indices of reads divide an axis, for each axis with one.

    They may also divide the axis plus a constant.
    """
    arithmetic = arithmetic_over(axes)
    found: dict[Scalar, set[int]] = {}
    for read in reads(body):
        for index in read.indices:
            for axis, by in _divisors(arithmetic, arithmetic.index(index)):
                found.setdefault(axis, set()).add(by)
    return {axis: min(numbers) for axis, numbers in found.items() if len(numbers) == 1}


def repeats(body: Scalar, axes: Sequence[Axis], axis: Axis, block: int) -> bool:
    """Whether reads that move with an axis do so at its multiples of `block` only, by one element.

    Such reads of a vector are one contiguous load, whose lanes are permuted. They may be limited.
    """
    arithmetic = arithmetic_over(axes)
    for read in reads(body):
        for atom, factor in _flat(arithmetic, read.tensor, read.indices).terms.items():
            if axis in walk(atom) and (factor != 1 or not _is_block(arithmetic, atom, axis, block)):
                return False
    return True


def _is_block(arithmetic: Arithmetic, atom: Scalar, axis: Axis, block: int) -> bool:
    match atom:
        case Binary(op=Op.FLOORDIV, a=a, b=Const(value=by)):
            return by == block and arithmetic.affine(a).terms == {axis: 1}
        case Binary(op=Op.MIN | Op.MAX, a=a, b=b):  # most vectors need no limit
            moving = [part for part in (a, b) if axis in walk(part)]
            return len(moving) == 1 and _is_block(arithmetic, moving[0], axis, block)
        case _:
            return False


def _divisors(arithmetic: Arithmetic, index: Scalar) -> Iterator[tuple[Scalar, int]]:
    """Yield each axis that an index divides, or that it divides plus a constant, and by what."""
    for part in walk(index):
        match part:
            case Binary(op=Op.FLOORDIV | Op.FLOORMOD, a=a, b=Const(value=int() as by)):
                terms = arithmetic.affine(a).terms
                if list(terms.values()) == [1]:
                    yield next(iter(terms)), by
            case _:
                pass
