"""The pass that replaces VECTOR loops by vector operations.

The loop variable becomes a ramp, and expressions that depend on it get lanes.
An expression that does not depend on the variable stays a scalar, and is broadcast where it is an
operand of a vector operation. Lanes past the end of the loop, and lanes for which a test does not
hold, are masked: they do not load or store. If a loop reduces all its iterations into one element,
the lanes of a vector are reduced there; if the loop around it is a VECTOR loop as well, it reduces
the lanes of several vectors together. A loop without a vector form (a `while` inside, one element
for all lanes) runs serially.
"""

from collections.abc import Sequence

from relay.kernels.bounds_checks import BoundsCheck
from relay.kernels.lane_reductions import LaneReduction
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
)
from relay.kernels.packed_dot_products import DotProduct
from relay.kernels.passes.affine_arithmetic import Affine
from relay.kernels.passes.simplify_scalars import Simplifier
from relay.kernels.passes.tighten_loop_bounds import conjunction, conjuncts
from relay.kernels.passes.traverse_statements import rebuilt
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
    Var,
)
from relay.kernels.traverse_scalars import substitute, walk
from relay.support.dtype import DType, bool_, int64
from relay.support.node import replace


def vectorize(kernel: Kernel, simplify: Simplifier) -> Kernel:
    """Return the kernel with vector operations in place of VECTOR loops."""
    return replace(kernel, body=_vectorized(kernel.body, simplify))


def _vectorized(stmt: Stmt, simplify: Simplifier) -> Stmt:
    """Return a statement without VECTOR loops; it recurses on the depth of loop nests."""
    stmt = rebuilt(stmt, lambda part: _vectorized(part, simplify))
    if not (isinstance(stmt, For) and stmt.mode is Mode.VECTOR):
        return stmt
    try:
        return _Vectorizer(stmt, simplify).body()
    except _NoVectorFormError:
        return replace(stmt, mode=Mode.SERIAL, lanes=0)


_MOST_CHOICES = 2
"""Choices within each other for which an index is replaced by loads: more may be exponential."""

_ANY_ORDER = (Op.ADD, Op.MUL, Op.MIN, Op.MAX, Op.AND, Op.OR)


class _NoVectorFormError(Exception):
    """The error that a loop cannot be vectorised."""


class _Vectorizer:
    """A rewriter of the body of one VECTOR loop to vector operations.

    `_live` is the mask of the loop's live lanes. Register buffers need no mask, because their rows
    are whole vectors and the rest is never used.
    """

    def __init__(self, loop: For, simplify: Simplifier) -> None:
        self._loop = loop
        self._simplify = simplify
        extent = loop.extent
        self._lanes = loop.lanes or (int(extent.value) if isinstance(extent, Const) else 1)
        if self._lanes == 1:
            raise _NoVectorFormError
        self._live = self._live_lanes()
        self._depends: dict[Scalar, bool] = {loop.var: True}
        self._vectors: dict[Scalar, Scalar] = {}
        self._memo: dict[tuple[Scalar, Scalar | None], Scalar] = {}
        self._needed = NeededValues(_always)
        self._choices: list[tuple[frozenset[Scalar], Scalar | None]] = []

    def body(self) -> Stmt:
        """Return the vectorised body, which performs all iterations together."""
        return self._stmt(self._loop.body, None)

    def _live_lanes(self) -> Scalar | None:
        extent = self._loop.extent
        if isinstance(extent, Const) and extent.value == self._lanes:
            return None
        numbers = Ramp(Const(0), Const(1), self._lanes)
        return Compare(Order.LT, numbers, Broadcast(extent, self._lanes))

    def _stmt(self, stmt: Stmt, test: Scalar | None) -> Stmt:
        """Return the vector form of a statement that runs in the lanes for which `test` holds."""
        match stmt:
            case Store():
                return self._store(stmt, test)
            case Block(stmts=stmts):
                return Block(tuple(self._stmt(one, test) for one in stmts))
            case If():
                return self._branch(stmt, test)
            case For(start=start, extent=extent, body=body):
                if self._varies(start) or self._varies(extent):
                    raise _NoVectorFormError
                return replace(stmt, body=self._stmt(body, test))
            case Let(var=var, value=value, body=body) if self._varies(value):
                bound = Var(var.name, self._wide(var.dtype))
                self._depends[var], self._vectors[var] = True, bound
                return Let(bound, self._needed_in(value, test), self._stmt(body, test))
            case Let(body=body) | Allocate(body=body):
                return replace(stmt, body=self._stmt(body, test))
            case _:
                raise _NoVectorFormError

    def _store(self, stmt: Store, test: Scalar | None) -> Stmt:
        if not any(self._varies(index) for index in stmt.indices):
            return self._combined(stmt, test)
        indices = tuple(self._index(index, test) for index in stmt.indices)
        value = self._needed_in(stmt.value, test)
        mask = None if stmt.mask is None else self._vector(stmt.mask, test)
        return Store(stmt.buffer, indices, value, _both(self._mask(stmt.buffer, test), mask))

    def _combined(self, store: Store, test: Scalar | None) -> Stmt:
        """Return a store that reduces all lanes into one element; all lanes must be live."""
        lanes = self._lanes
        match store:
            case Store(
                buffer=buffer,
                indices=indices,
                value=Binary(op=op, a=Load() as old, b=new),
                mask=None,
            ) if old is Load(buffer, indices) and op in _ANY_ORDER and self._varies(new):
                whole = test is None and self._live is None and lanes & (lanes - 1) == 0
                again = any(isinstance(e, Load) and e.buffer is buffer for e in walk(new))
                if whole and lanes > 1 and buffer.dtype.lanes == 1 and not again:
                    total = LaneReduction(op, (self._vector(new, None),))
                    return replace(store, value=Binary(op, old, total))
            case _:
                pass
        raise _NoVectorFormError

    def _rows(self, one: LaneReduction) -> Scalar:
        """Return a reduction of one row's lanes as a reduction of all rows of the loop."""
        (row,), loop = one.rows, self._loop
        match loop.start, loop.extent:
            case Const(value=int() as start), Const(value=int() as count):
                numbers = range(start, start + count)
            case _:
                raise _NoVectorFormError
        if one.lanes > 1 or count > row.dtype.lanes or self._bound_inside(row):
            raise _NoVectorFormError
        rows = [substitute(row, {loop.var: Const(number)}) for number in numbers]
        return LaneReduction(one.op, tuple(map(self._simplify, rows)), self._lanes)

    def _bound_inside(self, e: Scalar) -> bool:
        """Whether an expression contains a variable that is bound inside the loop."""
        return any(part in self._vectors for part in walk(e))

    def _branch(self, stmt: If, test: Scalar | None) -> Stmt:
        if not self._varies(stmt.condition):
            then, other = self._stmt(stmt.then, test), self._stmt(stmt.other, test)
            return replace(stmt, then=then, other=other)
        common = [part for part in conjuncts(stmt.condition) if not self._varies(part)]
        if common and isinstance(stmt.other, Block) and not stmt.other.stmts:
            return self._stmt(self._nested(stmt, common), test)
        holds = self._needed_in(stmt.condition, test)
        if any(isinstance(part, Load) for part in walk(holds)):
            name = Var("test", holds.dtype)
            return Let(name, holds, self._both_sides(stmt, name, test))
        return self._both_sides(stmt, holds, test)

    def _nested(self, stmt: If, common: Sequence[Scalar]) -> Stmt:
        """Return nested tests: the condition common to all lanes, around that of each lane.

        A load that is common to all lanes has no mask: it may be valid only if the common test
        holds.
        """
        own = [part for part in conjuncts(stmt.condition) if self._varies(part)]
        inner = replace(stmt, condition=conjunction(own))
        return replace(stmt, condition=conjunction(common), then=inner)

    def _both_sides(self, stmt: If, holds: Scalar, test: Scalar | None) -> Stmt:
        then = self._stmt(stmt.then, _both(test, holds))
        return Block((then, self._stmt(stmt.other, _both(test, _negated(holds)))))

    def _varies(self, e: Scalar) -> bool:
        """Whether an expression differs from lane to lane."""
        known = self._depends.get(e)
        if known is None:
            known = self._depends[e] = any(self._varies(part) for part in e.parts)
        return known

    def _index(self, e: Scalar, test: Scalar | None) -> Scalar:
        """Return the vector form of an index; its own loads are masked by `test`."""
        return self._change(e, test) if self._varies(e) else e

    def _vector(self, e: Scalar, test: Scalar | None) -> Scalar:
        """Return an expression with as many lanes as the loop, by a broadcast if needed."""
        return self._change(e, test) if self._varies(e) else Broadcast(e, self._lanes)

    def _change(self, e: Scalar, test: Scalar | None) -> Scalar:
        """Return the vector form of an expression, for the outermost choice that needs it."""
        for place, (needed, outer) in enumerate(self._choices):
            if e in needed:
                return self._change_within(place + 1, e, outer)
        return self._change_within(len(self._choices), e, test)

    def _change_within(self, count: int, e: Scalar, test: Scalar | None) -> Scalar:
        """Return the vector form of an expression; only the first `count` choices affect it."""
        key = (e, test)
        done = self._memo.get(key)
        if done is None:
            all_choices = self._choices
            self._choices = all_choices[:count]
            done = self._memo[key] = self._changed(e, test)
            self._choices = all_choices
        return done

    def _changed(self, e: Scalar, test: Scalar | None) -> Scalar:
        """Return the vector form of an expression that varies over the lanes."""
        if e in self._vectors:
            return self._vectors[e]
        if e.dtype is int64:
            ramp = self._ramp(e)
            if ramp is not None:
                return ramp
        match e:
            case Load(buffer=buffer, indices=indices):
                choice = self._choice_of_loads(e)
                if choice is not None:
                    return self._change(choice, test)
                places = tuple(self._index(index, test) for index in indices)
                return Load(buffer, places, self._mask(buffer, test))
            case Select(condition=condition, then=then, other=other):
                return self._select(condition, then, other, test)
            case Binary(op=op, a=a, b=b):
                return Binary(op, self._vector(a, test), self._vector(b, test))
            case Compare(order=order, a=a, b=b):
                return Compare(order, self._vector(a, test), self._vector(b, test))
            case Apply(fn=fn, args=args, dtype=dtype):
                return Apply(fn, tuple(self._vector(a, test) for a in args), self._wide(dtype))
            case Cast(operand=operand, dtype=dtype):
                return Cast(self._vector(operand, test), self._wide(dtype))
            case DotProduct(a=a, b=b):
                return e.with_parts((self._vector(a, test), self._vector(b, test)))
            case LaneReduction(rows=(_,)) if test is None:
                return self._rows(e)
            case BoundsCheck(index=index, size=size):
                tested = _both(self._live, test)
                parts = (self._vector(index, test), size)
                return e.with_parts(parts if tested is None else (*parts, tested))
            case _:
                raise _NoVectorFormError

    def _choice_of_loads(self, load: Load) -> Scalar | None:
        """Return a load at an index that is one of several ramps as a choice of several loads.

        Each of them reads contiguous elements, or one, which is faster than a gather.
        """
        for place, index in enumerate(load.indices):
            before, after = load.indices[:place], load.indices[place + 1 :]
            choice = self._choice_in(index) if self._is_regular(index) else None
            if choice is not None and all(self._is_regular(i, 0) for i in (*before, *after)):
                sides = (
                    Load(load.buffer, (*before, side, *after), load.mask)
                    for side in self._sides(index, choice)
                )
                return Select(choice.condition, *sides)
        return None

    def _choice_in(self, index: Scalar) -> Select | None:
        """Return the choice in an index that differs from lane to lane; None if there is none."""
        terms = self._simplify.arithmetic.affine(index).terms if self._varies(index) else ()
        found = [atom for atom in terms if isinstance(atom, Select)]
        return next((each for each in found if self._varies(each.condition)), None)

    def _sides(self, index: Scalar, choice: Select) -> tuple[Scalar, Scalar]:
        """Return an index with the first, and with the second alternative of a choice in it."""
        one, other = (substitute(index, {choice: side}) for side in (choice.then, choice.other))
        return self._simplify(one), self._simplify(other)

    def _is_regular(self, index: Scalar, choices: int = _MOST_CHOICES) -> bool:
        """Whether an index is a ramp, the same in all lanes, or a choice of such indices."""
        if not self._varies(index) or self._ramp(index) is not None:
            return True
        choice = self._choice_in(index) if choices else None
        if choice is None:
            return False
        return all(self._is_regular(side, choices - 1) for side in self._sides(index, choice))

    def _ramp(self, e: Scalar) -> Scalar | None:
        """Return an index as a ramp if it has a constant stride over the lanes, else None."""
        arithmetic, var = self._simplify.arithmetic, self._loop.var
        total = arithmetic.affine(e)
        factor = total.terms.get(var, 0)
        rest = total.plus(Affine({var: 1}, 0), -factor)
        if any(self._varies(atom) for atom in rest.terms):
            return None
        first = rest.plus(arithmetic.affine(self._loop.start), factor)
        return Ramp(arithmetic.scalar(first), Const(factor), self._lanes)

    def _select(
        self, condition: Scalar, then: Scalar, other: Scalar, test: Scalar | None
    ) -> Scalar:
        if not self._varies(condition):
            return Select(condition, self._vector(then, test), self._vector(other, test))
        holds = self._vector(condition, test)
        chosen = self._needed_in(then, _both(test, holds))
        return Select(holds, chosen, self._needed_in(other, _both(test, _negated(holds))))

    def _needed_in(self, e: Scalar, test: Scalar | None) -> Scalar:
        """Return an expression as a vector that is needed in the lanes for which `test` holds.

        Its parts that are needed in more lanes are computed for those.
        """
        self._choices.append((self._needed.of(e), test))
        found = self._vector(e, test)
        self._choices.pop()
        return found

    def _mask(self, buffer: Buffer, test: Scalar | None) -> Scalar | None:
        return test if buffer.scope is MemoryScope.REGISTER else _both(self._live, test)

    def _wide(self, dtype: DType) -> DType:
        return DType(dtype.kind, dtype.bits, self._lanes)


def _always(e: Scalar) -> Sequence[Scalar]:
    return (e.condition,) if isinstance(e, Select) else e.parts


def _both(a: Scalar | None, b: Scalar | None) -> Scalar | None:
    if a is None or b is None:
        return b if a is None else a
    return Binary(Op.AND, a, b)


def _negated(e: Scalar) -> Scalar:
    return Apply(Fn.NOT, (e,), DType(bool_.kind, bool_.bits, e.dtype.lanes))
