"""Hooks for conditions and branches: `if`, `and`, `or`, `not`, and jumps out of regions."""

from collections.abc import Callable, Sequence
from types import NoneType
from typing import Any

import numpy as np

from relay.frontend.python.tracing.function_tracing import FELL
from relay.frontend.python.tracing.regions import (
    BREAK,
    CONTINUE,
    ENDED,
    Ended,
    Region,
    Return,
    cells_of,
    split,
)
from relay.frontend.python.values.data_class_fields import is_written
from relay.frontend.python.values.error_suggestions import describe
from relay.frontend.python.values.traced_values import DynamicList, Traced, TracedSize, expr_of
from relay.ir.expr import Call, Constant, Expr
from relay.ir.types import BOOL, TensorType
from relay.numpy.errors import mistake
from relay.opdef.table import OPERATORS
from relay.support.error_codes import ErrorCode


class Branches:
    """The hooks by which control continues on one of several paths."""

    def __init__(self, trace: Any) -> None:
        self.trace = trace

    def Return(self, value: Any = None) -> Return:  # noqa: N802 - the mark of a statement
        """Return the marker of a path that leaves the function with `value`."""
        return Return(value, self.trace.span)

    def returned(self, value: Any) -> Any:
        """Record the location of a `return` in a function without branches; return its value."""
        self.trace.returned_at = self.trace.span
        return value

    # Where control goes

    def target(self, kind: str) -> Region:
        """Return the innermost region of a kind: `call`, `loop` or `round` (an iteration)."""
        regions = self.trace.regions
        kinds = ("call", "function") if kind == "call" else (kind,)
        return next(each for each in reversed(regions) if each.kind in kinds)

    def run(self, body: Callable[..., Any], *args: Any) -> Any:
        """Return what `body` returns: a marker of where control continues, or None.

        The marker is `ENDED` if all paths through the body trap.
        """
        try:
            return body(*args)
        except Ended:
            return ENDED

    def settle(self, out: Any, fall: Region) -> None:
        """End the block with a jump to the region that the marker `out` names.

        Without a marker (None) control continues after region `fall`.
        """
        trace = self.trace
        if trace.block is None or out is ENDED:
            return
        if isinstance(out, Return):
            trace.leave(self.target("call"), out.value, out.span)
        elif out is BREAK or out is CONTINUE:
            trace.leave(self.target("loop" if out is BREAK else "round"))
        else:
            trace.leave(fall)

    def activation(self, body: Callable[[], Any]) -> Any:
        """Return the result of a function whose body contains branches or loops."""
        trace = self.trace
        region = trace.regions[-1]
        own = (
            region.kind == "function"
            and region.expected is not None
            and body.__code__ in region.expected.co_consts
        )
        if own:
            region.expected = None
            region.cells = cells_of([body], trace)
            region.roots += region.cells
        else:
            region = Region(trace, cells_of([body], trace), "call")
        out = self.run(body)
        if trace.block is not None and out is not ENDED:
            value, span = (out.value, out.span) if isinstance(out, Return) else (FELL, None)
            trace.leave(region, value, span)
        if own:
            raise Ended
        for leaf in region.leaves:
            leaf.value = None if leaf.value is FELL else leaf.value
        value = region.close()
        if value is ENDED:
            raise Ended
        return value

    # Conditions

    def truth(self, value: Any) -> "bool | Expr":
        """Return the truth value: a bool if it is known, else an expression. Raises `F114`."""
        if isinstance(value, DynamicList):
            value = self.trace.calls.call(len, value)
        if not isinstance(value, Traced | TracedSize):
            return bool(value)
        held, span = expr_of(value), self.trace.span
        if self.trace.unit.data.none(held.ty) is not None and not self._has_truth(held.ty):
            return self.truth(self.negated(self.trace.calls.call(isinstance, value, NoneType)))
        if isinstance(held, Constant) and not held.array.ndim:
            return bool(held.array)
        if held.ty is BOOL:
            return held
        if isinstance(held.ty, TensorType) and not held.ty.shape:
            zero = Constant(np.zeros((), held.ty.dtype.numpy))
            return Call(OPERATORS.find("not_equal")(), (held, zero), span=span)
        what = f"a condition must be a single bool, not a value of type {describe(value)}"
        advice = (
            "write a comparison (x > 0), use .all() or .any() of a tensor, or select with np.where"
        )
        raise mistake(ErrorCode.F114, what, span, advice)

    def _has_truth(self, ty: Any) -> bool:
        """Whether a class of the data type defines `__bool__` or `__len__`."""
        data = self.trace.unit.data
        classes = [data.classes[form] for form in data.alternatives(ty.head)]
        names = ("__bool__", "__len__")
        return any(is_written(getattr(cls, name, None)) for cls in classes for name in names)

    def _branch(self, condition: Expr, arms: Sequence[Callable[[], Any] | None], kind: str) -> Any:
        trace, span = self.trace, self.trace.span
        condition = trace.emit(condition, "condition")
        region = Region(trace, cells_of(arms, trace), kind)
        for arm, block in zip(arms, split(trace, condition, span), strict=True):
            region.before.restore()
            trace.block = block
            out = None if arm is None else self.run(arm)
            if kind == "if":
                self.settle(out, region)
            elif out is not ENDED:
                trace.leave(region, out)
        value = region.close()
        if value is ENDED:
            raise Ended
        return value

    def if_(
        self, test: Any, then: Callable[[], Any] | None, other: Callable[[], Any] | None
    ) -> Any:
        """Trace an `if` statement."""
        condition = self.truth(test)
        if isinstance(condition, bool):
            arm = then if condition else other
            return None if arm is None else arm()
        self._branch(condition, [then, other], "if")
        return None

    def choose(self, test: Any, then: Callable[[], Any], other: Callable[[], Any]) -> Any:
        """Return `then() if test else other()`."""
        condition = self.truth(test)
        if isinstance(condition, bool):
            return then() if condition else other()
        return self._branch(condition, [then, other], "call")

    def both(self, *values: Callable[[], Any]) -> Any:
        """Return the result of `a and b`, which is one of the two operands, as in Python."""
        return self._boolean(values, stop=False)

    def either(self, *values: Callable[[], Any]) -> Any:
        """Return the result of `a or b`, which is one of the two operands, as in Python."""
        return self._boolean(values, stop=True)

    def _boolean(self, values: Sequence[Callable[[], Any]], *, stop: bool) -> Any:
        value = values[0]()
        if len(values) == 1:
            return value
        condition = self.truth(value)
        if isinstance(condition, bool):
            return value if condition is stop else self._boolean(values[1:], stop=stop)
        decided, rest = (lambda: value), (lambda: self._boolean(values[1:], stop=stop))
        return self._branch(condition, [decided, rest] if stop else [rest, decided], "call")

    def all_of(self, *values: Callable[[], Any]) -> Any:
        """Return whether all conditions hold, evaluating no more of them than Python would."""
        return self._decided(values, stop=False)

    def any_of(self, *values: Callable[[], Any]) -> Any:
        """Return whether any condition holds, evaluating no more of them than Python would."""
        return self._decided(values, stop=True)

    def _decided(self, values: Sequence[Callable[[], Any]], *, stop: bool) -> Any:
        first = self.truth(values[0]())
        if len(values) == 1:
            return first if isinstance(first, bool) else self.trace.python(first)
        if isinstance(first, bool):
            return first if first is stop else self._decided(values[1:], stop=stop)
        decided, rest = (lambda: stop), (lambda: self._decided(values[1:], stop=stop))
        return self._branch(first, [decided, rest] if stop else [rest, decided], "call")

    def negated(self, value: Any) -> Any:
        """Return `not value`."""
        condition = self.truth(value)
        if isinstance(condition, bool):
            return not condition
        return self.trace.python(
            Call(OPERATORS.find("logical_not")(), (condition,), span=self.trace.span)
        )
