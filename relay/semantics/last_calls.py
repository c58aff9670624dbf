"""Calls that are the last thing a function does, and what is still tested when they have ended.

Nothing is left to do in the function but to pass their result on: they take the place of the call
of it, so that a loop written as a recursion needs no more memory the longer it runs.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import TypeAlias

from relay.ir.dims import DimVar
from relay.ir.expr import Call, Expr, Function, If, Let
from relay.ir.patterns import Match
from relay.ir.types import Type, substitute_dims
from relay.ir.walk import children, post_order
from relay.semantics.values import Frame
from relay.support.node import node
from relay.support.span import Span


def last_calls(functions: Iterable[Function]) -> frozenset[int]:
    """Return the calls with which functions, or those inside of them, end, by identity.

    A call that is also used elsewhere is none: its value is looked for there.

    >>> from relay.ir.expr import Tuple, Var
    >>> f, x = Var("f"), Var("x")
    >>> inner, last = Call(f, (x,)), Call(f, (x,))
    >>> found = last_calls([Function((f, x), Let(Var("y"), inner, last))])
    >>> id(last) in found, id(inner) in found
    (True, False)
    """
    ends: dict[int, int | None] = {}  # of which function a node is an end; None for no or two
    order = post_order(*functions)
    for expr in reversed(order):  # users before what they use
        own = id(expr) if isinstance(expr, Function) else ends.get(id(expr))
        last = {id(each) for each in _ends(expr)}
        for child in children(expr):
            here = own if id(child) in last else None
            ends[id(child)] = here if ends.get(id(child), here) == here else None
    return frozenset(id(e) for e in order if isinstance(e, Call) and ends.get(id(e)) is not None)


def _ends(expr: Expr) -> Iterator[Expr]:
    """Yield the parts whose values are the value of a node, each where it is not also another."""
    match expr:
        case Function(body=body):
            yield body
        case Let(_, value, body) if value is not body:
            yield body
        case If(condition, then, other):
            yield from (each for each in (then, other) if each is not condition)
        case Match(data, clauses):
            yield from (each.body for each in clauses if each.body is not data)
        case _:
            pass


@node
class Promise:
    """A type that a value is promised to have, what its names of sizes stand for, and where."""

    ty: Type
    sizes: Mapping[DimVar, int]
    span: Span | None


Promises: TypeAlias = dict[Type, Promise]
"""What a value is still tested for, first things first, once for each type with known sizes."""


@node
class Entered:
    """What a node that was begun is waiting for: the value of another node, in another call.

    `known` is how many names of sizes the node's own call knew before. A call waits for a value of
    type `result`, which is tested for `owed` then, and for the type `wanted` in its own call.
    """

    body: Expr
    frame: Frame
    known: int = 0
    result: Type | None = None
    wanted: Type | None = None
    owed: Promises | None = None


def in_place(
    last: Call, entered: Entered, ending: Entered, says_sizes: Callable[[Type], bool]
) -> Entered:
    """Return what the caller of a function waits for that ends with a call; it owes more tests.

    What the last call wanted, and what the function had promised, the caller tests from now on.
    """
    sizes = ending.frame.sizes
    pairs = ((entered.wanted, last.span), (ending.result, ending.body.span))
    known = [(ending.frame.types.of(ty), at) for ty, at in pairs if ty is not None]
    new = [Promise(ty, sizes, at) for ty, at in known if says_sizes(ty)]
    owed = _promised(new, ending.owed or {}) if new else ending.owed
    body, frame, result = entered.body, entered.frame, entered.result
    return Entered(body, frame, result=result, wanted=ending.wanted, owed=owed)


def _promised(new: Iterable[Promise], before: Promises) -> Promises:
    """Return promises that are tested first, and then those there were."""
    found: Promises = {}
    for each in new:
        found.setdefault(_with_sizes(each.ty, (*each.sizes.items(),)), each)
    for ty, each in before.items():
        found.setdefault(ty, each)
    return found


@lru_cache(maxsize=64)  # most loops have the same sizes in each step
def _with_sizes(ty: Type, sizes: tuple[tuple[DimVar, int], ...]) -> Type:
    return substitute_dims(ty, dict(sizes))
