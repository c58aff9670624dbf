"""Collects the constraints on run-time sizes that must hold before a kernel runs."""

from collections.abc import Iterator
from typing import TypeAlias

from relay.ir.attribute_dims import symbolic_attributes
from relay.ir.expr import Call, Function
from relay.ir.types import is_dynamic
from relay.ir.walk import post_order
from relay.opdef.definition import OperatorDef
from relay.opdef.dim_constraints import Constraint
from relay.ops.tensor.shape_assertion import SizeTest
from relay.support.span import Span

Placed: TypeAlias = tuple[Constraint, Span | None]
"""A constraint and the source location of the call that it comes from."""


def constraints_of(function: Function) -> tuple[Placed, ...]:
    """Return the constraints of a primitive function's operators, without duplicates."""
    found: dict[Constraint, Placed] = {}
    for constraint, span in _constraints(function):
        found.setdefault(constraint, (constraint, span))
    return tuple(found.values())


def _constraints(function: Function) -> Iterator[Placed]:
    for call in post_order(function.body):
        if isinstance(call, Call) and isinstance(call.op, OperatorDef):
            types = [arg.type for arg in call.args]
            if (
                symbolic_attributes(call.op)
                or isinstance(call.op, SizeTest)
                or any(map(is_dynamic, (*types, call.type)))
            ):
                for each in call.op.typing(types).constraints:
                    yield each, call.span
