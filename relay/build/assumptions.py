"""What a kernel needs to be true of run-time sizes, before it may run."""

from collections.abc import Iterator

from relay.ir.attributes import symbolic_attributes
from relay.ir.expr import Call, Function
from relay.ir.types import is_dynamic
from relay.ir.walk import post_order
from relay.opdef.assumptions import Assumption, assuming
from relay.opdef.definition import OperatorDef
from relay.ops.tensor.fits import SizeTest
from relay.support.node import Value, value
from relay.support.span import Span


@value
class Taken(Value):
    """What an operator of a kernel takes for granted, and the operator's name and place."""

    assumption: Assumption
    operator: str
    span: Span | None

    def said(self) -> str:
        """Return what is said where it does not hold; see `Assumption`."""
        return self.assumption.text(self.operator)


def assumptions_of(function: Function) -> tuple[Taken, ...]:
    """Return what the type rules of a primitive function's operators take for granted."""
    found: dict[Assumption, Taken] = {}
    for taken in _taken(function):
        found.setdefault(taken.assumption, taken)
    return tuple(found.values())


def _taken(function: Function) -> Iterator[Taken]:
    for call in post_order(function.body):
        if isinstance(call, Call) and isinstance(call.op, OperatorDef):
            types = [arg.type for arg in call.args]
            if (
                symbolic_attributes(call.op)
                or isinstance(call.op, SizeTest)
                or any(map(is_dynamic, (*types, call.type)))
            ):
                with assuming() as found:
                    call.op.result_type(types)
                yield from (Taken(each, call.op.name, call.span) for each in found)
