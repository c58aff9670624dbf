"""Lowers the loops of one stage to statements of the loop IR.

If a loop's number of iterations depends on another loop (the last, smaller tile), each case gets
code of its own, in which extents are constants again.
Then the regions that other stages compute there have constant shapes, too.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeAlias

from relay.kernels.loops import (
    Allocate,
    Buffer,
    For,
    If,
    Let,
    Load,
    MemoryScope,
    Mode,
    Stmt,
    Store,
    extents,
)
from relay.kernels.passes.linear_sums import LARGEST_ROOM
from relay.kernels.passes.simplify_scalars import Simplifier
from relay.kernels.passes.tighten_loop_bounds import conjunction, conjuncts, tighten
from relay.kernels.passes.traverse_statements import NOTHING, sequence
from relay.kernels.scalar import Binary, Const, Op, Scalar, Var, binary, lift
from relay.kernels.schedule.bounds_inference import RequiredRegions, declare
from relay.kernels.schedule.iteration_state import AxisRelations, Iteration, Span, rounded_up, whole
from relay.kernels.schedule.schedule import Schedule
from relay.kernels.schedule.skip_empty import updates_unless_empty
from relay.kernels.schedule.stage import Fuse, Split, Stage
from relay.kernels.schedule.symbolic_tails import Tail, tails, whole_tiles
from relay.kernels.te.reductions import identity
from relay.kernels.te.tensor import Axis, Combiner, Dim, Joint, Read, Reduce, Tensor
from relay.kernels.traverse_scalars import rewrite, substitute, walk
from relay.support.dtype import bool_
from relay.support.node import node, replace

_COMBINE = {
    Combiner.SUM: Op.ADD,
    Combiner.PROD: Op.MUL,
    Combiner.MIN: Op.MIN,
    Combiner.MAX: Op.MAX,
    Combiner.ALL: Op.AND,
    Combiner.ANY: Op.OR,
}

_ALWAYS = Const(True, bool_)


@node
class Place:
    """The location of a tensor in memory: element `i` is `buffer[i - origin]`."""

    buffer: Buffer
    origin: tuple[Scalar, ...]


Places: TypeAlias = dict[Tensor, Place]


@node
class Condition:
    """A test that guards the body of loops, and the loops that must be entered before it."""

    axes: tuple[Axis, ...]
    test: Callable[[Iteration], Scalar]


@node
class LoopState:
    """The state at one point of a loop nest while its code is written."""

    at: Iteration
    places: Places
    conditions: tuple[Condition, ...]
    attach: bool  # whether other stages are computed here; false while accumulators are cleared


Then: TypeAlias = Callable[[LoopState], Stmt]


class NestWriter:
    """A writer of the loops of one stage, and of the stages that are computed inside them."""

    def __init__(self, schedule: Schedule, stage: Stage, simplifier: Simplifier) -> None:
        self._schedule = schedule
        self._stage = stage
        self._simplify = simplifier
        self._relations = AxisRelations(stage)

    def write(self, places: Places, spans: Sequence[Span]) -> Stmt:
        """Return the loops that compute the region `spans` of the stage's tensor.

        `places` are the locations of tensors in memory.
        """
        stage = self._stage
        parts = dict(zip(stage.axes, spans, strict=True))
        parts |= {axis: whole(axis) for axis in stage.reduce_axes}
        iteration = Iteration(self._relations, parts, {}, {}, frozenset(), {}, {})
        start = LoopState(iteration, places, (), attach=True)
        if not isinstance(stage.body, Reduce):
            return self._loops(start, stage.loops, self._store)
        reducing = {loop for axis in stage.reduce_axes for loop in self._relations.loops(axis)}
        first = next(k for k, loop in enumerate(stage.loops) if loop in reducing)
        inner = stage.loops[first:]
        kept = [loop for loop in inner if loop not in reducing]

        def reduce(s: LoopState) -> Stmt:
            clear = self._loops(replace(s, attach=False), kept, self._clear)
            guarded = replace(s, conditions=(*s.conditions, *self._where()))
            update = self._loops(guarded, inner, self._update)
            return sequence([clear, updates_unless_empty(stage, first, update, self._simplify)])

        return self._loops(start, stage.loops[:first], reduce)

    def _where(self) -> list[Condition]:
        """Return the conditions of the reduction's predicate, each with the axes that it needs."""
        assert isinstance(self._stage.body, Reduce)
        axes = {*self._stage.axes, *self._stage.reduce_axes}

        def condition(test: Scalar) -> Condition:
            used = tuple(part for part in walk(test) if isinstance(part, Axis) and part in axes)
            reads = any(isinstance(part, Read) for part in walk(test))
            needed = tuple(axes) if reads else used
            return Condition(needed, lambda at: rewrite(test, _same, _positions(at, used)))

        return [condition(test) for test in conjuncts(self._stage.body.where)]

    def _loops(self, s: LoopState, loops: Sequence[Axis], then: Then) -> Stmt:
        """Write loops, outermost first, and inside them the statement that `then` returns.

        It recurses once for each loop of a nest.
        """
        if not loops:
            return self._settled(s, None, then)
        axis, rest = loops[0], loops[1:]
        return self._loop(s, axis, lambda inside: self._loops(inside, rest, then))

    def _loop(self, s: LoopState, axis: Axis, then: Then) -> Stmt:
        s = replace(s, at=self._counted(self._decide(self._committed(s.at, axis)), axis))
        extent, mode = s.at.extent(axis), self._mode(axis, s.at.extent(axis))
        if extent == 0:
            return NOTHING
        lanes = self._relations.lanes(axis, extent) if mode is Mode.VECTOR else 0
        if extent == 1 and lanes <= 1:
            return self._settled(replace(s, at=s.at.enter(axis, Const(0))), axis, then)
        var = Var(axis.name)
        declare(self._simplify.arithmetic, var, 0, extent - 1)
        body = self._settled(replace(s, at=s.at.enter(axis, var)), axis, then)
        if body is NOTHING:
            return NOTHING
        grain, shared = self._stage.grains.get(axis, (None, None))
        test = self._stage.backwards.get(axis)
        backwards = None if test is None else self._simplify(self._loaded(test, s.places))
        count = self._simplify(lift(extent))
        loop = For(var, Const(0), count, mode, body, lanes, grain, shared, backwards)
        return tighten(loop, self._simplify) if mode is Mode.SERIAL else loop

    def _mode(self, axis: Axis, extent: Dim) -> Mode:
        """Return the mode of a loop; unrolling requires a constant extent."""
        mode = self._stage.modes.get(axis, Mode.SERIAL)
        return Mode.SERIAL if mode is Mode.UNROLL and not isinstance(extent, int) else mode

    def _counted(self, at: Iteration, axis: Axis) -> Iteration:
        """Return the state with a loop's extent simplified, to a number if it is constant."""
        extent = at.extent(axis)
        if isinstance(extent, int):
            return at
        count = self._simplify(lift(extent))
        known = int(count.value) if isinstance(count, Const) else count
        return replace(at, extents={**at.extents, axis: known})

    def _committed(self, at: Iteration, axis: Axis) -> Iteration:
        """Return the state with the extent of a split's first loop fixed.

        The extent of its other loop depends on it.
        """
        for split in self._stage.relations:
            if isinstance(split, Split) and split not in at.settled:
                for part, other in ((split.outer, split.inner), (split.inner, split.outer)):
                    first = axis in self._relations.loops(part) and at.is_untouched(other)
                    if first and part not in at.extents:
                        at = replace(at, extents={**at.extents, part: at.extent(part)})
        return at

    def _decide(self, at: Iteration) -> Iteration:
        """Return the state with the splits settled that have no smaller last tile."""
        for split in self._open_splits(at):
            extent = at.extent(split.parent)
            if not isinstance(extent, int):
                if whole_tiles(self._simplify, extent, split.factor) == 0:
                    at = at.settle(split, {split.outer: 1, split.inner: extent})
                continue
            tiles, left = divmod(extent, split.factor)
            if left == 0:
                at = at.settle(split, {split.outer: tiles, split.inner: split.factor})
            elif tiles == 0:
                at = at.settle(split, {split.outer: 1, split.inner: extent})
        return at

    def _open_splits(self, at: Iteration) -> list[Split]:
        """Return the unsettled splits whose parent's extent is settled."""
        found: list[Split] = []
        undecided: set[Axis] = set()
        for relation in self._stage.relations:
            match relation:
                case Split(parent=parent, outer=outer, inner=inner) if relation not in at.settled:
                    undecided |= {outer, inner} - at.extents.keys()
                    if parent not in undecided:
                        found.append(relation)
                case Fuse(fused=fused, outer=outer, inner=inner) if undecided & {outer, inner}:
                    undecided.add(fused)
                case Split() | Fuse():
                    pass
        return found

    def _settled(self, s: LoopState, axis: Axis | None, then: Then) -> Stmt:
        """Write one case for each possible extent of the loops not entered yet."""
        s = replace(s, at=self._decide(s.at))
        for split in self._open_splits(s.at):
            if s.at.is_known(split.outer) and s.at.is_untouched(split.inner):
                return self._cases(s, axis, then, split, split.outer, split.inner)
            if s.at.is_known(split.inner) and s.at.is_untouched(split.outer):
                return self._cases(s, axis, then, split, split.inner, split.outer)
            if s.at.is_known(split.inner) and s.at.is_known(split.outer):
                test = _within(split, s.at.extent(split.parent))
                guarded = replace(s, at=s.at.settle(split, {}), conditions=(*s.conditions, test))
                return self._settled(guarded, axis, then)
        return self._guarded(s, axis, then)

    def _cases(
        self, s: LoopState, axis: Axis | None, then: Then, split: Split, first: Axis, second: Axis
    ) -> Stmt:
        """Write the code for full tiles, then the code for a smaller last tile.

        `first` is the loop of the split that has been entered, `second` the other one.
        """
        extent, count = s.at.extent(split.parent), s.at.extent(first)
        tiles, left = self._divided(extent, split.factor)
        limit = tiles if first is split.outer else left
        many = split.factor if first is split.outer else tiles + 1
        few = left if first is split.outer else tiles
        test = self._simplify(s.at.offset(first, {}) < limit)

        def full(at: Iteration) -> Stmt:
            settled = at.settle(split, {first: count, second: many})
            return self._settled(replace(s, at=settled), axis, then)

        def smaller(at: Iteration) -> Stmt:
            varies = first is split.outer and not isinstance(tiles, int)
            cases = self._tails(second, few, split.factor) if varies else [Tail(_ALWAYS, few)]
            extents = {first: count}
            return self._alternatives(s, at, split, second, extents, cases, axis, then)

        # The outer loop of a symbolic size has at most one smaller tile.
        last = limit if first is split.outer and not isinstance(limit, int) else count - 1
        full_tiles = (0, limit - 1, full)
        other_tiles = (limit, last, smaller)
        if isinstance(test, Const):
            return self._case(s.at, first, *(full_tiles if test.value else other_tiles))
        sides = [self._case(s.at, first, *case) for case in (full_tiles, other_tiles)]
        return If(test, *sides)

    def _case(
        self, at: Iteration, axis: Axis, first: Dim, last: Dim, write: Callable[[Iteration], Stmt]
    ) -> Stmt:
        """Write the code of a case in which an axis ranges from `first` to `last`.

        An axis of a fused loop is represented by a variable with this range, or by a number.
        """
        at = at.within(axis, first, last)
        offset = self._simplify(at.offset(axis, {}))
        if not (isinstance(offset, Binary) and offset.op in (Op.FLOORDIV, Op.FLOORMOD)):
            return write(at)
        if first is last or first == last:
            return write(at.call(axis, self._simplify(lift(first))))
        var = Var(axis.name)
        declare(self._simplify.arithmetic, var, first, last)
        body = write(at.call(axis, var))
        return body if body is NOTHING else Let(var, offset, body)

    def _divided(self, extent: Dim, factor: int) -> tuple[Dim, Dim]:
        """Return the number of full tiles and the rest; a full last tile may count as the rest."""
        if isinstance(extent, int):
            return divmod(extent, factor)
        tiles = whole_tiles(self._simplify, extent, factor)
        if tiles is None:
            return extent // factor, extent % factor
        return tiles, self._simplify(lift(extent - tiles * factor))

    def _tails(self, loop: Axis, left: Dim, factor: int) -> list[Tail]:
        return tails(self._stage, self._relations, loop, self._simplify(lift(left)), factor)

    def _alternatives(
        self,
        s: LoopState,
        at: Iteration,
        split: Split,
        second: Axis,
        extents: Mapping[Axis, Dim],
        cases: Sequence[Tail],
        axis: Axis | None,
        then: Then,
    ) -> Stmt:
        """Write the cases of a last tile as a chain of tests."""
        written = NOTHING
        for case in reversed(cases):
            if case.count is not None:
                self._simplify.arithmetic.declare(case.count[0], 1, case.most)
            settled = at.settle(split, {**extents, second: case.extent})
            body = self._settled(replace(s, at=settled), axis, then)
            if case.count is not None and body is not NOTHING:
                body = Let(case.count[0], self._simplify(case.count[1]), body)
            is_last = case is cases[-1]
            written = body if is_last else If(case.test, body, written)
        return written

    def _guarded(self, s: LoopState, axis: Axis | None, then: Then) -> Stmt:
        """Write tests of those conditions whose loops are all entered, around the body's rest."""
        ready = [c for c in s.conditions if all(s.at.is_known(a) for a in c.axes)]
        later = tuple(c for c in s.conditions if c not in ready)
        tests = [self._simplify(self._loaded(c.test(s.at), s.places)) for c in ready]
        test = conjunction(tests)
        if isinstance(test, Const) and not test.value:
            return NOTHING
        body = self._with_producers(replace(s, conditions=later), axis, then)
        return body if isinstance(test, Const) or body is NOTHING else If(test, body, NOTHING)

    def _with_producers(self, s: LoopState, axis: Axis | None, then: Then) -> Stmt:
        """Write the stages that are computed at this loop, then the rest of its body."""
        producers = [
            one
            for one in self._schedule.stages
            if s.attach
            and one.attachment
            and one.attachment.consumer is self._stage
            and one.attachment.axis is axis
        ]
        if not producers:
            return then(s)
        regions = RequiredRegions(self._schedule, self._stage, s.at, self._simplify)
        buffers: list[Buffer] = []
        before: list[Stmt] = []
        for producer in producers:
            spans = regions.spans(producer)
            place = s.places.get(producer.tensor)
            if place is None:
                whole_shape = producer.tensor.shape
                sizes = zip(spans, whole_shape, strict=True)
                shape = [self._room(span.extent, size) for span, size in sizes]
                if producer.scope is MemoryScope.REGISTER:
                    shape = whole_vectors(producer, shape)
                buffer = Buffer(
                    producer.name, extents(shape), producer.tensor.dtype, producer.scope
                )
                buffers.append(buffer)
                place = Place(buffer, tuple(span.low for span in spans))
                s = replace(s, places={**s.places, producer.tensor: place})
            writer = NestWriter(self._schedule, producer, self._simplify)
            before.append(writer.write(s.places, spans))
        body = sequence([*before, then(s)])
        for buffer in reversed(buffers):
            body = Allocate(buffer, body)
        return body

    def _room(self, extent: Dim, whole_size: Dim) -> Dim:
        """Return a buffer size for an extent that may depend on loops; constant if possible."""
        if isinstance(extent, int):
            return extent
        arithmetic = self._simplify.arithmetic
        total = arithmetic.affine(lift(extent))
        most = arithmetic.interval(total)[1]
        if most < LARGEST_ROOM:
            return most
        return extent if arithmetic.is_size(total) else whole_size

    def _loaded(self, e: Scalar, places: Places) -> Scalar:
        """Return an expression with the reads of tensors replaced by loads from buffers."""

        def change(part: Scalar) -> Scalar:
            return load(part, places) if isinstance(part, Read) else part

        return rewrite(e, change, {})

    def _value(self, e: Scalar, s: LoopState) -> Scalar:
        """Return the value of an expression after all its loops have been entered."""
        places = s.places

        def change(part: Scalar) -> Scalar:
            return load(part, places) if isinstance(part, Read) else part

        axes = (*self._stage.axes, *self._stage.reduce_axes)
        known = [axis for axis in axes if s.at.is_known(axis)]
        return self._simplify(rewrite(e, change, _positions(s.at, known)))

    def _target(
        self, s: LoopState, tensor: Tensor | None = None
    ) -> tuple[Buffer, tuple[Scalar, ...]]:
        place = s.places[tensor or self._stage.tensor]
        axes = zip(self._stage.axes, place.origin, strict=True)
        indices = tuple(self._simplify(s.at.position(axis, {}) - low) for axis, low in axes)
        return place.buffer, self._simplify.place(place.buffer, indices)

    def _store(self, s: LoopState) -> Stmt:
        body = self._stage.body
        if isinstance(body, Joint):
            return self._store_all(body, s)
        buffer, indices = self._target(s)
        return Store(buffer, indices, self._value(body, s))

    def _store_all(self, body: Joint, s: LoopState) -> Stmt:
        """Write the computation of the elements of all tensors, and then their stores."""
        tensors = (self._stage.tensor, *self._stage.others)
        known: dict[Scalar, Scalar] = {}
        bound: list[tuple[Var, Scalar]] = []
        for tensor, part in zip(tensors, body.elements, strict=True):
            value = self._value(part, s)
            var = Var(tensor.name, value.dtype)
            bound.append((var, substitute(value, known)))
            if value.parts:
                known[value] = var
        places = [self._target(s, tensor) for tensor in tensors]
        pairs = zip(places, bound, strict=True)
        written = sequence([Store(*place, var) for place, (var, _) in pairs])
        for var, value in reversed(bound):
            written = Let(var, value, written)
        return written

    def _clear(self, s: LoopState) -> Stmt:
        assert isinstance(self._stage.body, Reduce)
        buffer, indices = self._target(s)
        return Store(buffer, indices, identity(self._stage.body.combiner, buffer.dtype))

    def _update(self, s: LoopState) -> Stmt:
        reduction = self._stage.body
        assert isinstance(reduction, Reduce)
        buffer, indices = self._target(s)
        value = self._value(reduction.body, s)
        total = binary(_COMBINE[reduction.combiner], Load(buffer, indices), value)
        return Store(buffer, indices, total)


def whole_vectors(stage: Stage, shape: Sequence[Dim]) -> list[Dim]:
    """Return the shape of a register buffer, with each axis padded to whole vectors."""
    relations = AxisRelations(stage)
    sizes: list[Dim] = []
    for axis, size in zip(stage.axes, shape, strict=True):
        loops = [loop for loop in relations.loops(axis) if stage.modes.get(loop) is Mode.VECTOR]
        lanes = max((relations.lanes(loop, loop.extent) for loop in loops), default=1)
        sizes.append(rounded_up(size, lanes) * lanes if lanes > 1 else size)
    return sizes


def load(read: Read, places: Places) -> Scalar:
    """Return the load from a buffer that replaces a read of a tensor."""
    assert read.tensor in places, f"{read.tensor.name} is read outside the loop that computes it"
    place = places[read.tensor]
    indices = zip(read.indices, place.origin, strict=True)
    return Load(place.buffer, tuple(index - low for index, low in indices))


def _positions(at: Iteration, axes: Iterable[Axis]) -> dict[Scalar, Scalar]:
    return {axis: at.position(axis, {}) for axis in axes}


def _same(e: Scalar) -> Scalar:
    return e


def _within(split: Split, extent: Dim) -> Condition:
    """Return the condition that an index of a split loop is below the extent."""
    return Condition((split.parent,), lambda at: at.offset(split.parent, {}) < extent)
