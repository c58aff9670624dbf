"""Converts a region to a list of operator calls on numbered values, for external compilers."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias, cast

from relay.ir.expr import Array, Call, Constant, Expr, Function, Operator, Tuple, TupleGetItem
from relay.ir.types import TensorType, TupleType, Type
from relay.ir.walk import post_order
from relay.runtime.external_region_format import Step, Steps, write_steps
from relay.support.dtype import DType
from relay.support.node import node
from relay.transform.compilers.inline_external_functions import opened_region

Place: TypeAlias = "int | list[Place]"
"""The number of a tensor, or a list of the numbers of a tuple's fields."""


@node
class OperatorCall:
    """A call of an operator in a region, with the numbers of its operands and results."""

    op: Operator
    operands: tuple[int, ...]
    results: tuple[int, ...]


@node
class RegionSteps:
    """The operator calls of a region in order, and its numbered values.

    Inputs have the first numbers, then constants, then results of calls.

    `types` are the types of all values, and `results` the numbers of the region's results.
    """

    inputs: int
    constants: tuple[Array, ...]
    calls: tuple[OperatorCall, ...]
    results: tuple[int, ...]
    types: tuple[TensorType, ...]

    def encoded(self) -> bytes:
        """Return the steps in the format of `relay.runtime.external_region_format`."""
        steps = [Step(c.op.name, _attributes(c.op), c.operands, len(c.results)) for c in self.calls]
        return write_steps(Steps(self.inputs, self.constants, steps, self.results))


def region_steps(region: Function) -> RegionSteps:
    """Return the operator calls of a region, including those in its composite functions.

    >>> from relay.frontend.text import parse
    >>> from relay.semantics.infer import infer
    >>> text = 'def @main(%x: Tensor[(2), float32]) { tanh(%x) + %x }'
    >>> steps = region_steps(infer(parse('#[version = "0.0.5"]' + text)).main)
    >>> [(call.op.name, call.operands) for call in steps.calls], steps.results
    ([('tanh', (0,)), ('add', (1, 0))], (2,))
    """
    body = opened_region(region).body
    order = post_order(body)
    constants = [expr for expr in order if isinstance(expr, Constant)]
    numbers = _Numbers()
    places: dict[Expr, Place] = {
        expr: numbers.place(expr.type) for expr in (*region.params, *constants)
    }
    calls: list[OperatorCall] = []
    for expr in order:
        if isinstance(expr, Operator) or expr in places:
            continue
        match expr:
            case Tuple(fields):
                places[expr] = [places[each] for each in fields]
            case TupleGetItem(whole, index):
                places[expr] = cast("list[Place]", places[whole])[index]
            case Call(Operator() as op, args):
                operands = [number for arg in args for number in _flat(places[arg])]
                places[expr] = numbers.place(expr.type)
                calls.append(OperatorCall(op, tuple(operands), tuple(_flat(places[expr]))))
            case _:
                raise AssertionError(f"{type(expr).__name__} is not part of a region")
    inputs = sum(len(_flat(places[param])) for param in region.params)
    arrays = tuple(each.array for each in constants)
    results = tuple(_flat(places[body]))
    return RegionSteps(inputs, arrays, tuple(calls), results, tuple(numbers.types))


class _Numbers:
    """A numbering of values, with the type of each."""

    def __init__(self) -> None:
        self.types: list[TensorType] = []

    def place(self, ty: Type) -> Place:
        """Assign the next numbers to the tensors of a type, and return them."""
        if isinstance(ty, TupleType):
            return [self.place(field) for field in ty.fields]
        self.types.append(cast("TensorType", ty))
        return len(self.types) - 1


def _flat(place: Place) -> list[int]:
    return (
        [place] if isinstance(place, int) else [number for each in place for number in _flat(each)]
    )


def _attributes(op: Operator) -> Mapping[str, Any]:
    names = (field.name for field in dataclasses.fields(op))  # pyright: ignore[reportArgumentType] - every value is a dataclass
    return {name: _as_json(getattr(op, name)) for name in names}


def _as_json(given: object) -> Any:
    match given:
        case bool() | int() | float() | str() | None:
            return given
        case tuple() | list():
            return [_as_json(each) for each in cast("Sequence[object]", given)]
        case DType():
            return str(given)
        case _:
            return repr(given)
