"""Traversal of statements: their children, and copies with substituted variables."""

from collections.abc import Callable, Iterator, Mapping
from typing import cast

from relay.kernels.loops import (
    Allocate,
    Block,
    For,
    If,
    Invoke,
    Let,
    Load,
    Mode,
    Prefetch,
    Stmt,
    Store,
    While,
)
from relay.kernels.passes.simplify_scalars import Simplifier
from relay.kernels.scalar import Const, Scalar, Var
from relay.kernels.traverse_scalars import rewrite
from relay.support.node import replace

NOTHING = Block(())


def substatements(stmt: Stmt) -> tuple[Stmt, ...]:
    """Return the direct substatements of a statement."""
    match stmt:
        case For(body=body) | While(body=body) | Let(body=body) | Allocate(body=body):
            return (body,)
        case If(then=then, other=other):
            return (then, other)
        case Block(stmts=stmts):
            return stmts
        case Store() | Prefetch() | Invoke():
            return ()
        case _:
            raise AssertionError(f"unknown statement {stmt}")


def expressions(stmt: Stmt) -> tuple[Scalar, ...]:
    """Return the direct expressions of a statement."""
    match stmt:
        case For(start=start, extent=extent, grain=grain, shared=shared, backwards=backwards):
            return (start, extent, *(e for e in (grain, shared, backwards) if e is not None))
        case While(condition=condition) | If(condition=condition):
            return (condition,)
        case Store(indices=indices, value=value, mask=mask):
            return (*indices, value) if mask is None else (*indices, value, mask)
        case Prefetch(element=element):
            return (element,)
        case Invoke(numbers=numbers):
            return numbers
        case Let(value=value):
            return (value,)
        case Allocate(buffer=buffer):
            return tuple(size for size in buffer.shape if isinstance(size, Scalar))
        case Block():
            return ()
        case _:
            raise AssertionError(f"unknown statement {stmt}")


def statements(root: Stmt) -> Iterator[Stmt]:
    """Yield a statement and all its substatements in pre-order."""
    stack = [root]
    while stack:
        top = stack.pop()
        yield top
        stack += reversed(substatements(top))


def sequence(stmts: list[Stmt]) -> Stmt:
    """Return statements as one statement, omitting empty blocks."""
    kept = tuple(stmt for stmt in stmts if not is_nothing(stmt))
    if not kept:
        return NOTHING
    return kept[0] if len(kept) == 1 else Block(kept)


def is_nothing(stmt: Stmt) -> bool:
    """Whether a statement is the empty block."""
    return isinstance(stmt, Block) and not stmt.stmts


def constant_trips(loop: For) -> range | None:
    """Return the values of a loop's variable as a range if they are constants, else None."""
    match loop:
        case For(start=Const(value=int() as start), extent=Const(value=int() as extent)):
            return range(start, start + extent)
        case _:
            pass
    return None


class Copier:
    """A copier of statements that replaces variables and simplifies the copy.

    Every loop of a copy has a fresh variable, so that each variable has one range.
    """

    def __init__(self, simplify: Simplifier, values: Mapping[Var, Scalar]) -> None:
        self._simplify = simplify
        self._memo: dict[Scalar, Scalar] = {**values}

    def scalar(self, e: Scalar) -> Scalar:
        """Return an expression with the variables replaced, and simplified."""
        return self._simplify(rewrite(e, _same, self._memo))

    def __call__(self, stmt: Stmt) -> Stmt:
        """Return the copy of a statement; it recurses on the depth of loop nests."""
        match stmt:
            case For():
                return self._loop(stmt)
            case If():
                return self._branch(stmt)
            case Store(buffer=buffer, indices=indices, value=value, mask=mask):
                places = self._simplify.place(buffer, tuple(map(self.scalar, indices)))
                guard = None if mask is None else self.scalar(mask)
                return Store(buffer, places, self.scalar(value), guard)
            case Prefetch(element=element):
                return Prefetch(cast("Load", self.scalar(element)))
            case Invoke(numbers=numbers):
                return replace(stmt, numbers=tuple(map(self.scalar, numbers)))
            case Block(stmts=stmts):
                return sequence([self(one) for one in stmts])
            case Allocate(buffer=buffer, body=body):
                inside = self(body)
                return inside if is_nothing(inside) else Allocate(buffer, inside)
            case Let(var=var, value=value, body=body):
                fresh = self._fresh(var)
                return Let(fresh, self.scalar(value), self(body))
            case While(condition=condition, body=body):
                return While(self.scalar(condition), self(body))
            case _:
                raise AssertionError(f"unknown statement {stmt}")

    def _loop(self, loop: For) -> Stmt:
        start, extent = self.scalar(loop.start), self.scalar(loop.extent)
        if isinstance(extent, Const) and int(extent.value) <= 0:
            return NOTHING
        if isinstance(extent, Const) and extent.value == 1 and loop.mode is not Mode.VECTOR:
            self._memo[loop.var] = start
            return self(loop.body)
        fresh = self._fresh(loop.var)
        declare_loop(self._simplify, fresh, start, extent)
        body = self(loop.body)
        if is_nothing(body):
            return body
        return replace(loop, var=fresh, start=start, extent=extent, body=body)

    def _branch(self, stmt: If) -> Stmt:
        condition = self.scalar(stmt.condition)
        if isinstance(condition, Const):
            return self(stmt.then if condition.value else stmt.other)
        then, other = self(stmt.then), self(stmt.other)
        if is_nothing(then) and is_nothing(other):
            return NOTHING
        return If(condition, then, other)

    def _fresh(self, var: Var) -> Var:
        fresh = Var(var.name, var.dtype)
        self._memo[var] = fresh
        return fresh


def declare_loop(simplify: Simplifier, var: Var, start: Scalar, extent: Scalar) -> None:
    """Declare the range of a loop's variable in the simplifier."""
    arithmetic = simplify.arithmetic
    low, high = arithmetic.interval(arithmetic.affine(start))
    end = arithmetic.affine(start).plus(arithmetic.affine(extent))
    arithmetic.declare(var, low, max(low, arithmetic.interval(end)[1] - 1, high))
    if not (isinstance(start, Const) and isinstance(extent, Const)):
        arithmetic.limit(var, start, start + extent - 1)


def _same(e: Scalar) -> Scalar:
    return e


def rebuilt(stmt: Stmt, change: Callable[[Stmt], Stmt]) -> Stmt:
    """Return a statement with `change` applied to its direct parts.

    Blocks in which nothing changes are the same object.
    """
    match stmt:
        case For(body=body) | While(body=body) | Let(body=body) | Allocate(body=body):
            return replace(stmt, body=change(body))
        case If(then=then, other=other):
            return replace(stmt, then=change(then), other=change(other))
        case Block(stmts=stmts):
            new = [change(one) for one in stmts]
            same = all(a is b for a, b in zip(stmts, new, strict=True))
            return stmt if same else sequence(new)
        case _:
            return stmt


def map_scalars(
    stmt: Stmt, change: Callable[[Scalar], Scalar], place: Callable[[Store], Store]
) -> Stmt:
    """Return a statement with every expression changed by `change`, then each store by `place`.

    It recurses on the depth of a loop nest.
    """
    stmt = rebuilt(stmt, lambda part: map_scalars(part, change, place))
    match stmt:
        case For(start=start, extent=extent):
            return replace(stmt, start=change(start), extent=change(extent))
        case While(condition=condition) | If(condition=condition):
            return replace(stmt, condition=change(condition))
        case Let(value=value):
            return replace(stmt, value=change(value))
        case Store(indices=indices, value=value, mask=mask):
            places = tuple(change(index) for index in indices)
            guard = None if mask is None else change(mask)
            return place(Store(stmt.buffer, places, change(value), guard))
        case Prefetch(element=element):
            return Prefetch(cast("Load", change(element)))
        case Invoke(numbers=numbers):
            return replace(stmt, numbers=tuple(map(change, numbers)))
        case _:
            return stmt
