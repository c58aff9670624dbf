"""Bounds inference: finds the region of a tensor that the stages inside a loop require."""

from relay.kernels.passes.affine_arithmetic import Arithmetic
from relay.kernels.passes.simplify_scalars import Simplifier
from relay.kernels.scalar import Binary, Const, Op, Scalar, Select, Var, lift
from relay.kernels.schedule.iteration_state import Iteration, Span, rounded_up
from relay.kernels.schedule.required_region import Bounds, clamp, union
from relay.kernels.schedule.schedule import Schedule
from relay.kernels.schedule.stage import Stage
from relay.kernels.te.tensor import Axis, Dim, Read, Reduce, Tensor
from relay.kernels.traverse_scalars import substitute, walk
from relay.support.node import replace


class RequiredRegions:
    """The regions of tensors that are required inside one loop of a stage.

    The readers are that stage and the stages computed somewhere inside the same loop. Code is
    written for one case at a time: for full tiles, or for the smaller last one. Each case requires
    only what it reads, because buffers that outer loops have filled cover no more.
    """

    def __init__(
        self, schedule: Schedule, root: Stage, at: Iteration, simplifier: Simplifier
    ) -> None:
        self._schedule = schedule
        self._arithmetic = simplifier.arithmetic
        self._simplify = simplifier
        self._running: dict[Scalar, Dim] = {}
        self._spans: dict[Stage, list[Span]] = {}
        axes = (*root.axes, *root.reduce_axes)
        free = {a: self._unknown(at.extent(a)) for axis in axes for a in at.untouched(axis)}
        cases = {axis: Var(axis.name) for axis in at.ranges}
        for axis, (first, last) in at.ranges.items():
            declare(self._arithmetic, cases[axis], first, last)
        self._entered: dict[Scalar, Scalar] = {var: at.offset(a, {}) for a, var in cases.items()}
        free |= cases
        self._positions = {root: {axis: simplifier(at.position(axis, free)) for axis in axes}}

    def spans(self, stage: Stage) -> list[Span]:
        """Return the required region of a stage's tensor, given the current values of the loops."""
        return [replace(span, low=self._settled(span.low)) for span in self._needed(stage)]

    def _settled(self, low: Scalar) -> Scalar:
        return self._simplify(substitute(low, self._entered)) if self._entered else low

    def _needed(self, stage: Stage) -> list[Span]:
        """Return the required region of a stage's tensor, in variables of the current case.

        It recurses along the producers of one loop nest; fusion keeps them few.
        """
        found = self._spans.get(stage)
        if found is None:
            found = self._spans[stage] = self._find(stage)
        return found

    def _find(self, stage: Stage) -> list[Span]:
        arithmetic, tensor = self._arithmetic, stage.tensor
        found: list[list[Span | None]] = []
        exact = set(range(len(tensor.shape)))
        for reader in self._schedule.stages:
            for read in _reads(reader, tensor):
                indices = self._indices(reader, read)
                bounds = [Bounds(arithmetic, self._running) for _ in indices]
                found.append([one.of(index) for one, index in zip(bounds, indices, strict=True)])
                happens = not _is_guarded(reader)
                exact &= {
                    k
                    for k in exact
                    if (happens and bounds[k].are_reached) or _is_axis(reader, read, k)
                }
        assert found, f"nothing reads {stage.name}"
        dims = enumerate(zip(tensor.shape, *found, strict=True))
        return [
            clamp(arithmetic, union(arithmetic, spans), size, inside=k in exact)
            for k, (size, *spans) in dims
        ]

    def _indices(self, reader: Stage, read: Read) -> list[Scalar]:
        positions: dict[Scalar, Scalar] = {**self._of(reader)}
        return [self._simplify(substitute(index, positions)) for index in read.indices]

    def _of(self, stage: Stage) -> dict[Axis, Scalar]:
        if stage not in self._positions:
            spans = self._needed(stage)
            positions = {
                axis: self._simplify(span.low + self._unknown(span.extent))
                for axis, span in zip(stage.axes, spans, strict=True)
            }
            positions |= {axis: self._unknown(axis.extent) for axis in stage.reduce_axes}
            self._positions[stage] = positions
        return self._positions[stage]

    def _unknown(self, extent: Dim) -> Scalar:
        """Return a new variable that ranges from 0 to `extent - 1`."""
        if extent == 1:
            return Const(0)
        var = Var("any")
        self._running[var] = extent
        declare(self._arithmetic, var, 0, extent - 1)
        return var


def declare(arithmetic: Arithmetic, var: Var, first: Dim, last: Dim) -> None:
    """Record that a variable ranges from `first` to `last`, both included."""
    if isinstance(first, int) and isinstance(last, int):
        arithmetic.declare(var, first, last)
    else:
        arithmetic.bound(var, lift(first), lift(last))


def _is_guarded(reader: Stage) -> bool:
    """Whether `reader` reads conditionally, so that indices of its reads may be out of bounds."""
    body = reader.body
    tested = isinstance(body, Reduce) and not isinstance(body.where, Const)
    return tested or any(isinstance(part, Select) for part in walk(body))


def _is_axis(reader: Stage, read: Read, dim: int) -> bool:
    """Whether a read covers a whole dimension with an axis, or with the blocks of an axis."""
    index, size = read.indices[dim], read.tensor.shape[dim]
    match index:
        case Axis(extent=extent):
            return index in reader.axes and extent is size
        case Binary(op=Op.FLOORDIV, a=Axis(extent=extent) as axis, b=Const(value=int() as block)):
            return axis in reader.axes and rounded_up(extent, block) is size
        case _:
            return False


def _reads(stage: Stage, tensor: Tensor) -> list[Read]:
    return [e for e in walk(stage.body) if isinstance(e, Read) and e.tensor is tensor]
