"""Blocked summation: adds long sums in blocks, so that rounding errors stay small.

An accumulator of n numbers of equal size loses most of their digits when n is large: in float32,
adding 1 has no effect after 2**24 ones. A loop that adds many terms to a number is split into
blocks of about √n terms, at most `LONGEST`. Each block has an accumulator of its own, which is then
added to the total and cleared. The error of a sum of n terms is at most (LONGEST + n / LONGEST) · u
· Σ|x|, where u is the unit roundoff of its type, instead of n · u · Σ|x|; for shorter blocks, it is
smaller.

If the accumulators fill the registers, like the tile of a matrix product, the totals are in memory:
otherwise they would take registers from the innermost loop.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import prod

from relay.kernels.loops import (
    Allocate,
    Block,
    Buffer,
    For,
    If,
    Kernel,
    Let,
    Load,
    MemoryScope,
    Mode,
    Stmt,
    Store,
    While,
)
from relay.kernels.passes.simplify_scalars import Simplifier
from relay.kernels.passes.traverse_statements import (
    NOTHING,
    Copier,
    declare_loop,
    expressions,
    map_scalars,
    rebuilt,
    sequence,
    statements,
    substatements,
)
from relay.kernels.scalar import Binary, Const, Op, Scalar, Var, minimum
from relay.kernels.traverse_scalars import rewrite, walk
from relay.support.node import node, replace

SHORTEST, LONGEST = 128, 8192
"""The number of terms of a block: so many that the work between blocks is negligible."""

_TILED = 2  # times as many terms for a tile of accumulators, whose totals are in memory
_TILE = 8  # vectors of accumulators that are a tile: with totals, they may exceed the registers
_LARGEST = 1 << 14  # elements of an accumulator in memory that is duplicated: a part of L1


@node
class _Sum:
    """A sum of at most `terms` terms that a statement accumulates into each element of a buffer.

    `names` are the variables on which the element's index depends, and `lanes` is the length of
    the vectors of elements.
    """

    terms: int
    names: frozenset[Scalar]
    lanes: int = 1

    def inside(self, loop: For) -> "_Sum":
        """Return the sum that a loop over elements accumulates if its body accumulates this one."""
        lanes = self.lanes
        if loop.mode is Mode.VECTOR and isinstance(loop.extent, Const):
            lanes = int(loop.extent.value)
        return _Sum(self.terms, self.names - {loop.var}, lanes)

    def is_tile(self, total: Buffer) -> bool:
        """Whether accumulators fill so many registers that their totals must be in memory."""
        elements = prod(size for size in total.shape if isinstance(size, int))
        return total.scope is MemoryScope.REGISTER and elements >= _TILE * self.lanes

    def shortest(self, total: Buffer) -> int:
        """Return the minimum number of terms of a block.

        A sum of fewer than two blocks has one accumulator.
        """
        return SHORTEST * (_TILED if self.is_tile(total) else 1)

    def block(self, total: Buffer, terms: int) -> int:
        """Return the number of terms of a block, for a sum of at most `terms` terms.

        It is a power of two near their square root.
        """
        root = 1 << (terms.bit_length() // 2)
        return max(self.shortest(total), min(root, LONGEST))


@node
class _Effect:
    """The sums that a statement accumulates, by buffer, and all other buffers that it uses."""

    sums: Mapping[Buffer, _Sum]
    others: frozenset[Buffer]


def block_sums(kernel: Kernel, simplify: Simplifier) -> Kernel:
    """Return the kernel with the loops of long sums in blocks; itself if there are none."""
    body, _ = _Blocking(simplify).visit(kernel.body)
    return kernel if body is kernel.body else replace(kernel, body=body)


class _Blocking:
    def __init__(self, simplify: Simplifier) -> None:
        self._simplify = simplify

    def visit(self, stmt: Stmt) -> tuple[Stmt, _Effect]:
        """Return a statement with its long sums in blocks, and its effect.

        It recurses on the depth of loop nests.
        """
        effects: list[_Effect] = []

        def inside(part: Stmt) -> Stmt:
            new, effect = self.visit(part)
            effects.append(effect)
            return new

        new = _rebuilt(stmt, inside)
        match new:
            case Store():
                return new, _of_store(new)
            case For() if isinstance(stmt, For):
                return self._of_loop(new, stmt, _together(effects, _loaded(stmt)))
            case Let(var=var, value=value):
                return new, _renamed(_together(effects, _loaded(stmt)), var, value)
            case Allocate(buffer=buffer):
                return new, _without(_together(effects, _loaded(stmt)), buffer)
            case While():
                whole = _together(effects, _loaded(stmt))
                return new, _Effect({}, whole.others | whole.sums.keys())
            case _:
                return new, _together(effects, _loaded(stmt))

    def _of_loop(self, loop: For, given: For, effect: _Effect) -> tuple[Stmt, _Effect]:
        """Return a loop with its long sums in blocks; `given` is the loop as it was originally."""
        most = self._simplify.arithmetic.interval(self._simplify.arithmetic.affine(loop.extent))[1]
        sums, long = dict(effect.sums), dict[Buffer, int]()
        for buffer, each in effect.sums.items():
            if loop.var in each.names:
                sums[buffer] = each.inside(loop)
            elif most * each.terms < 2 * each.shortest(buffer) or loop.mode is not Mode.SERIAL:
                sums[buffer] = replace(each, terms=max(1, most) * each.terms)
            else:
                long[buffer] = max(1, each.block(buffer, most * each.terms) // each.terms)
        parts = {buffer: _Part.of(buffer, given, effect.sums[buffer]) for buffer in long}
        known = {buffer: part for buffer, part in parts.items() if part is not None}
        size = min((long[buffer] for buffer in known), default=0)
        sums |= {buffer: replace(sums[buffer], terms=1) for buffer in long}
        effect = _Effect(sums, effect.others)
        if not known:
            return loop, effect
        is_copied = not isinstance(loop.extent, Const) and _is_innermost(loop)
        divide = self._in_seldom_blocks if is_copied else self._in_blocks
        return divide(loop, known, size), effect

    def _in_blocks(self, loop: For, parts: "Mapping[Buffer, _Part]", size: int) -> Stmt:
        """Return a loop over blocks of a loop's iterations, with accumulators for each block."""
        held = [part for part in parts.values() if part.is_held]
        own = {buffer: part for buffer, part in parts.items() if not part.is_held}
        several = self._simplify(loop.extent > size)
        steps = self._only_if(several, [part.adding() for part in held])
        blocks = self._blocks(loop, own, size, 0, steps)
        # The sum may continue an earlier one, or have no block: the buffer starts with `total`.
        first = [step for part in held for step in (part.clearing(), part.adding())]
        last = [part.restoring() for part in held]
        start, end = (self._only_if(several, part) for part in (first, last))
        return _with_buffers(held, [start, blocks, end])

    def _only_if(self, test: Scalar, stmts: Iterable[Stmt]) -> Stmt:
        """Return copies of statements that run only if a condition holds."""
        whole = sequence([self._copied(stmt) for stmt in stmts])
        is_certain = isinstance(test, Const) and bool(test.value)
        return whole if is_certain or whole is NOTHING else If(test, whole, NOTHING)

    def _in_seldom_blocks(self, loop: For, parts: "Mapping[Buffer, _Part]", size: int) -> Stmt:
        """Return the first block of an innermost loop, and a loop over any others.

        Most sums of dynamic length have no others. Their code is a function of its own, so that it
        takes no registers from the first block; totals in registers are in memory for it.
        """
        held = {
            buffer: part.in_memory
            for buffer, part in parts.items()
            if buffer.scope is MemoryScope.REGISTER
        }
        others = {buffer: part.of_one_block for buffer, part in parts.items()}
        own = {buffer: part for buffer, part in parts.items() if buffer not in held}
        first = self._block(loop, own, loop.start, minimum(size, loop.extent))
        blocks = self._copied(_redirected(self._blocks(loop, others, size, 1), held))
        steps = [s for part in held.values() for s in (part.clearing(), part.adding())]
        ends = [part.restoring() for part in held.values()]
        whole = [*map(self._copied, steps), blocks, *map(self._copied, ends)]
        several = self._simplify(loop.extent > size)
        return sequence([first, If(several, _with_buffers(held.values(), whole), NOTHING)])

    def _blocks(
        self,
        loop: For,
        parts: "Mapping[Buffer, _Part]",
        size: int,
        first: int,
        behind: Stmt = NOTHING,
    ) -> Stmt:
        """Return the loop over blocks from number `first` on, each followed by `behind`."""
        block, start = Var(f"{loop.var.name}b"), Const(first)
        count = self._simplify((loop.extent + (size - 1)) // size - first)
        declare_loop(self._simplify, block, start, count)
        left = minimum(size, loop.extent - block * size)
        step = self._block(loop, parts, loop.start + block * size, left)
        mode = Mode.SELDOM if first else Mode.SERIAL
        return For(block, start, count, mode, sequence([step, behind]))

    def _block(
        self, loop: For, parts: "Mapping[Buffer, _Part]", start: Scalar, extent: Scalar
    ) -> Stmt:
        """Return some iterations of a loop, with accumulators that are then added to the totals."""
        simplify, body = self._simplify, _redirected(loop.body, parts)
        inner = replace(loop, start=simplify(start), extent=simplify(extent), body=body)
        before = [self._copied(part.clearing()) for part in parts.values()]
        behind = [self._copied(part.adding()) for part in parts.values()]
        return _with_buffers(parts.values(), [*before, inner, *behind])

    def _copied(self, stmt: Stmt) -> Stmt:
        return Copier(self._simplify, {})(stmt)


def _is_innermost(loop: For) -> bool:
    """Whether a loop has no other loop inside that runs its iterations in sequence."""
    inside = (one for one in statements(loop.body) if isinstance(one, For))
    return all(one.mode in (Mode.UNROLL, Mode.VECTOR) for one in inside)


def _rebuilt(stmt: Stmt, change: Callable[[Stmt], Stmt]) -> Stmt:
    """Return a statement with `change` applied to its direct parts; itself if none changes."""
    new = rebuilt(stmt, change)
    pairs = zip(substatements(stmt), substatements(new), strict=False)
    return stmt if all(a is b for a, b in pairs) else new


def _with_buffers(parts: Iterable["_Part"], steps: list[Stmt]) -> Stmt:
    """Return statements in sequence, inside the allocations of the parts' buffers."""
    whole = sequence(steps)
    for part in parts:
        whole = Allocate(part.buffer, whole)
    return whole


@node
class _Part:
    """The accumulators of one block of a sum: a copy of the `total` buffer, or one element.

    If `is_held`, the buffer holds the sum of previous blocks, and a block is added up in `total`.
    The stores in `given` have the elements; it is the loop before inner loops were divided, because
    blocks repeat the stores, which would multiply from loop to loop.
    """

    total: Buffer
    buffer: Buffer
    given: For
    is_one: bool = False
    is_held: bool = False

    @classmethod
    def of(cls, total: Buffer, given: For, sums: _Sum) -> "_Part | None":
        """Return the accumulators of a block of iterations; None if they are too large."""
        if sums.is_tile(total):
            held = replace(total, name=f"{total.name}_held", scope=MemoryScope.WORKSPACE)
            return cls(total, held, given, is_held=True)
        if total.scope is MemoryScope.REGISTER:
            return cls(total, replace(total, name=f"{total.name}_block"), given)
        loops = _Skeleton(total, lambda store: store).of(given)
        name, zero = f"{total.name}_block", (1,) * len(total.shape)
        if isinstance(loops, Store):
            one = Buffer(name, zero, total.dtype, MemoryScope.REGISTER)
            return cls(total, one, given, is_one=True)
        fixed = [size for size in total.shape if isinstance(size, int)]
        if len(fixed) < len(total.shape) or prod(fixed) > _LARGEST:
            return None
        return cls(total, Buffer(name, tuple(fixed), total.dtype, MemoryScope.SCRATCH), given)

    @property
    def of_one_block(self) -> "_Part":
        """Return accumulators that are added to the total after each block."""
        if not self.is_held:
            return self
        return replace(
            self, buffer=replace(self.total, name=f"{self.total.name}_block"), is_held=False
        )

    @property
    def in_memory(self) -> "_Part":
        """Return a copy of the total in memory, which holds the sum of previous blocks."""
        name, scratch = f"{self.total.name}_held", MemoryScope.SCRATCH
        return replace(self, buffer=replace(self.total, name=name, scope=scratch), is_held=True)

    def clearing(self) -> Stmt:
        """Return the statement that sets the accumulators to zero."""
        return _Skeleton(self.total, lambda one: self._zero(self.buffer, one)).of(self.given)

    def adding(self) -> Stmt:
        """Return the statement that adds a block's accumulators to the total, and clears them.

        Clearing makes it safe to visit an element twice: it is added only once.
        """
        pair = (self.total, self.buffer)
        block, total = pair if self.is_held else pair[::-1]

        def step(one: Store) -> Stmt:
            value = self._load(total, one) + self._load(block, one)
            return Block((self._store(total, one, value), self._zero(block, one)))

        return _Skeleton(self.total, step).of(self.given)

    def restoring(self) -> Stmt:
        """Return the statement that copies the sums of all blocks from the buffer to `total`."""

        def step(one: Store) -> Stmt:
            return self._store(self.total, one, self._load(self.buffer, one))

        return _Skeleton(self.total, step).of(self.given)

    def at(self, indices: tuple[Scalar, ...]) -> tuple[Scalar, ...]:
        """Return the indices of the accumulator for the element at these indices."""
        return tuple(Const(0) for _ in indices) if self.is_one else indices

    def _place(self, buffer: Buffer, store: Store) -> tuple[Scalar, ...]:
        return self.at(store.indices) if buffer is self.buffer else store.indices

    def _load(self, buffer: Buffer, store: Store) -> Load:
        return Load(buffer, self._place(buffer, store), store.mask)

    def _store(self, buffer: Buffer, store: Store, value: Scalar) -> Store:
        return Store(buffer, self._place(buffer, store), value, store.mask)

    def _zero(self, buffer: Buffer, store: Store) -> Store:
        return self._store(buffer, store, Const(0.0, buffer.dtype))


def _redirected(body: Stmt, parts: Mapping[Buffer, _Part]) -> Stmt:
    """Return a loop body that adds to the accumulators of a block instead of the totals."""
    memo: dict[Scalar, Scalar] = {}

    def load(part: Scalar) -> Scalar:
        if not isinstance(part, Load) or part.buffer not in parts:
            return part
        block = parts[part.buffer]
        return Load(block.buffer, block.at(part.indices), part.mask)

    def store(stmt: Store) -> Store:
        block = parts.get(stmt.buffer)
        if block is None:
            return stmt
        return replace(stmt, buffer=block.buffer, indices=block.at(stmt.indices))

    return map_scalars(body, lambda e: rewrite(e, load, memo), store)


class _Skeleton:
    """A copy of the loops over a buffer's elements, with another statement for each element.

    Tests that depend on omitted loops, or on data, are omitted as well: adding an empty sum is
    harmless.
    """

    def __init__(self, total: Buffer, make: Callable[[Store], Stmt]) -> None:
        self._total = total
        self._make = make
        self._names: set[Scalar] = set()
        self._dropped: set[Scalar] = set()

    def of(self, stmt: Stmt) -> Stmt:
        """Return the copied loops of a statement; it recurses on the depth of nests."""
        match stmt:
            case Store(buffer=buffer, indices=indices) if buffer is self._total:
                self._names |= _variables(*indices)
                return self._make(stmt)
            case For(var=var, body=body) | Let(var=var, body=body):
                self._dropped.add(var)
                inner = self.of(body)
                if var not in self._names:
                    return inner
                self._names |= _variables(*expressions(stmt))
                return replace(stmt, body=inner)
            case If(condition=condition, then=then, other=other):
                sides = [self.of(then), self.of(other)]
                kept = not (_variables(condition) & (self._dropped - self._names))
                return (
                    If(condition, *sides) if kept and not _buffers(condition) else sequence(sides)
                )
            case _:
                return sequence([self.of(part) for part in substatements(stmt)])


def _of_store(store: Store) -> _Effect:
    """Return the effect of a store: it adds to a sum, or it uses buffers in other ways."""
    own = Load(store.buffer, store.indices, store.mask)
    match store.value:
        case Binary(op=Op.ADD, a=a, b=b) if store.buffer.dtype.is_float and own in (a, b):
            rest = b if a == own else a
        case _:
            return _Effect({}, _loaded(store) | {store.buffer})
    others = _loaded(replace(store, value=rest))
    if store.buffer in others or _buffers(*store.indices):  # data may repeat an index
        return _Effect({}, others | {store.buffer})
    return _Effect({store.buffer: _Sum(1, _variables(*store.indices))}, others)


def _together(effects: Sequence[_Effect], loaded: frozenset[Buffer]) -> _Effect:
    """Return the combined effect of statements in sequence, which also load from `loaded`."""
    others = loaded.union(*(effect.others for effect in effects))
    sums: dict[Buffer, _Sum] = {}
    for effect in effects:
        for buffer, each in effect.sums.items():
            before = sums.get(buffer, _Sum(0, frozenset()))
            terms, names = before.terms + each.terms, before.names | each.names
            sums[buffer] = _Sum(terms, names, max(before.lanes, each.lanes))
    return _Effect({buffer: each for buffer, each in sums.items() if buffer not in others}, others)


def _renamed(effect: _Effect, var: Var, value: Scalar) -> _Effect:
    """Return an effect outside of a let binding: the variables of `value` replace `var`."""
    inner = _variables(value)
    sums = {
        buffer: replace(each, names=(each.names - {var}) | inner) if var in each.names else each
        for buffer, each in effect.sums.items()
    }
    return _Effect(sums, effect.others)


def _without(effect: _Effect, buffer: Buffer) -> _Effect:
    sums = {one: each for one, each in effect.sums.items() if one is not buffer}
    return _Effect(sums, effect.others - {buffer})


def _variables(*parts: Scalar) -> frozenset[Scalar]:
    return frozenset(e for e in walk(*parts) if isinstance(e, Var))


def _buffers(*parts: Scalar) -> frozenset[Buffer]:
    return frozenset(e.buffer for e in walk(*parts) if isinstance(e, Load))


def _loaded(stmt: Stmt) -> frozenset[Buffer]:
    """Return the buffers that a statement loads from, apart from its substatements."""
    return _buffers(*expressions(stmt))
