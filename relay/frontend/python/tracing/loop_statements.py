"""Loop statements: unrolled in Python if the iterations are known, else loops of the program."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from relay.frontend.python.tensors.loop_iterables import Steps
from relay.frontend.python.tracing.loops import Loop
from relay.frontend.python.tracing.mutable_state import State, changed, get
from relay.frontend.python.tracing.regions import (
    BREAK,
    CONTINUE,
    ENDED,
    Ended,
    Region,
    Return,
    cells_of,
)
from relay.frontend.python.values.traced_values import Traced, TracedSize, inner, is_set
from relay.ir.expr import Constant, Expr
from relay.numpy.tensor_conversion import constant
from relay.support.errors import RelayError

_STATIC_ROUNDS = 4096
"""The largest number of iterations that Python executes if they compute nothing on tensors."""
_UNROLLED = 256


class _NotStatic(Exception):  # noqa: N818 - no error: it is a loop of the program
    """Raised if an iteration computes a value of the program, so that the loop is not unrolled."""


class Rounds:
    """The functions for test, body and `else` of a loop, and the places that they may change."""

    def __init__(
        self,
        hooks: Any,
        test: Callable[[], Any] | None,
        body: Callable[..., Any],
        other: Callable[[], Any] | None,
        names: Sequence[Any],
        kept: Sequence[str],
    ) -> None:
        self.hooks, self.trace = hooks, hooks.trace
        self.test, self.body, self.other = test, body, other
        self.places = {name: place for name, *place in names}
        self.names, self.kept = list(self.places), kept
        self.cells = cells_of([test, body, other], self.trace)

    def region(self, kind: str) -> Region:
        """Return a region for code that these functions execute."""
        return Region(self.trace, self.cells, kind)

    def settle(self, out: Any, fall: Region, loop: Region) -> None:
        """End the block with a jump to the target of marker `out`, or to `fall` without one."""
        trace = self.trace
        if trace.block is None or out is ENDED:
            return
        if isinstance(out, Return):
            trace.leave(self.hooks.target("call"), out.value, out.span)
        elif out is BREAK:
            trace.leave(loop)
        else:
            assert out is None or out is CONTINUE, "bodies give marks"
            trace.leave(fall)

    def exhausted(self, loop: Region) -> None:
        """Trace the `else` clause of a loop that ends without `break`."""
        loop.kind = "else of a loop"  # what breaks there leaves the loop around
        self.hooks.settle(None if self.other is None else self.hooks.run(self.other), loop)

    def native(self, items: Iterable[Any], *, static: bool = False) -> None:
        """Let Python iterate over `items`.

        With `static`, raise `_NotStatic` if an iteration computes a value of the program.
        """
        trace, loop = self.trace, self.region("loop")
        for number, item in enumerate(items):
            each = self.region("round")
            out = self.hooks.run(self.body, *([item] if self.test is None else []))
            if static and (number > _STATIC_ROUNDS or not self._is_static(loop, each)):
                loop.abandon()
                raise _NotStatic
            self.settle(out, each, loop)
            if each.close() is ENDED:
                break
        if trace.block is not None:
            self.exhausted(loop)
        if loop.close() is ENDED:
            raise Ended

    def _is_static(self, loop: Region, each: Region) -> bool:
        """Whether an iteration computed nothing that is a value of the program."""
        clean = not each.root.lets and each.root.end is None and not each.leaves and not loop.leaves
        places = changed(each.before, self.trace.state()).values()
        return clean and not any(_holds_traced(get(*place)) for place in places)

    def conditions(self) -> Iterable[None]:
        """Yield as long as the test of a `while` loop, which is known, holds."""
        assert self.test is not None, "a while loop"
        while True:
            found = self.hooks.truth(self.test())
            if not isinstance(found, bool):
                raise _NotStatic
            if not found:
                return
            yield None


def go(rounds: Rounds, steps: Steps | None, items: Iterable[Any] | None) -> None:
    """Trace a loop: unrolled if everything in it is known, else as a loop of the program.

    A short loop that cannot be a loop of the program is unrolled, too. An error is then reported
    for the unrolled loop, as Python would raise it, and not for the first attempt.
    """
    trace, block, regions = rounds.trace, rounds.trace.block, list(rounds.trace.regions)
    state = State(rounds.cells, trace.unit.outside)
    mark, leaves = len(block.lets), [len(each.leaves) for each in regions]

    def forget() -> None:
        state.restore()
        trace.regions[:], trace.block = regions, block
        block.end = None
        del block.lets[mark:]
        for each, count in zip(regions, leaves, strict=True):
            del each.leaves[count:]

    if steps is None or items is not None:
        try:
            rounds.native(rounds.conditions() if items is None else items, static=True)
        except (_NotStatic, RelayError, NameError):
            forget()
        else:
            return
    try:
        short = None if steps is None else _unrolled(rounds, steps, items)
        Loop(rounds, steps, is_short=short is not None).trace_it()
    except (RelayError, NameError) as error:
        short = _unrolled(rounds, steps, items)
        if short is None:
            raise
        forget()
        try:
            rounds.native(short)
        except _NotStatic:
            raise error from None


def _unrolled(
    rounds: Rounds, steps: Steps | None, items: Iterable[Any] | None
) -> Iterable[Any] | None:
    """Return the items for an unrolled loop; None if there are too many."""
    if steps is None:
        return _bounded(rounds.conditions())
    if isinstance(items, range):
        return items if len(items) <= _UNROLLED else None
    counter = steps.in_steps_of_one()
    if not (isinstance(counter.count, int) and counter.count <= _UNROLLED):
        return None
    start, dtype = counter.start, counter.start.tensor_type.dtype
    if not isinstance(start, Constant):
        return None
    first = start.array.item()
    return (counter.item(constant(first + i, dtype, None)) for i in range(counter.count))


def _bounded(given: Iterable[None]) -> Iterable[None]:
    for number, each in enumerate(given):
        if number == _UNROLLED:
            raise _NotStatic
        yield each


def _holds_traced(value: Any) -> bool:
    held = value if is_set(value) else inner(value)
    if held is not None:
        return any(map(_holds_traced, held))
    return isinstance(value, Traced | TracedSize | Expr)
