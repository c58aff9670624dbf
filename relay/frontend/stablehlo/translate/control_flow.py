"""Translate StableHLO conditionals, loops and calls."""

from collections.abc import Sequence

from relay.frontend.builders.tensor_helpers import constant, reshape
from relay.frontend.builders.translation_registry import registering
from relay.frontend.builders.while_loops import repeated
from relay.frontend.stablehlo.node import HloNode
from relay.frontend.stablehlo.registry import TRANSLATIONS, hlo_operation
from relay.ir.expr import Call, Expr, If, Tuple, TupleGetItem
from relay.ops.cast import Cast
from relay.ops.comparison import equal
from relay.support.dtype import bool_

_PLACEMENTS = (
    "Sharding",
    "SPMDFullToShardShape",
    "SPMDShardToFullShape",
    "annotate_device_placement",
)
"""Custom calls that only say on which device a value is."""


@hlo_operation("while")
def while_node(node: HloNode) -> Sequence[Expr]:
    """Translate `while`: repeat a region while a condition holds."""
    goes_on, body = node.region(0), node.region(1)

    def step(state: Sequence[Expr]) -> tuple[Expr, Sequence[Expr]]:
        (condition,) = goes_on(*state)
        return condition, body(*state)

    return repeated(node.operands, step)


@hlo_operation("if")
def if_node(node: HloNode) -> Sequence[Expr]:
    """Translate `if`: evaluate one of two regions."""
    sides = [Tuple(tuple(node.region(index)())) for index in (0, 1)]
    return _parts(If(node.operands[0], sides[0], sides[1], span=node.span), sides[0])


@hlo_operation("case")
def case(node: HloNode) -> Sequence[Expr]:
    """Translate `case`: evaluate the region with an index, or the last if out of range."""
    index = node.operands[0]
    sides = [Tuple(tuple(node.region(place)())) for place in range(node.region_count)]
    if len(sides) == 2 and _is_flag(index):
        whole: Expr = If(_flag(index), sides[1], sides[0], span=node.span)
        return _parts(whole, sides[0])
    whole = sides[-1]
    for place in reversed(range(len(sides) - 1)):
        chosen = equal(index, constant(place, index.tensor_type.dtype))
        whole = If(reshape(chosen, ()), sides[place], whole, span=node.span)
    return _parts(whole, sides[0])


def _is_flag(index: Expr) -> bool:
    """Whether an integer expression is a converted boolean, so that it is 0 or 1."""
    match index:
        case Call(Cast(), (condition,)):
            return condition.tensor_type.dtype is bool_
        case _:
            return False


def _flag(index: Expr) -> Expr:
    assert isinstance(index, Call), "a conversion is a call"
    return index.args[0]


def _parts(whole: Expr, example: Tuple) -> list[Expr]:
    return [TupleGetItem(whole, place) for place in range(len(example.fields))]


@hlo_operation("call", namespace="func")
def call(node: HloNode) -> Sequence[Expr]:
    """Translate a call of a function of the module."""
    return node.called(node.symbol("callee"), node.operands)


@hlo_operation("composite")
def composite(node: HloNode) -> Sequence[Expr]:
    """Translate a composite operation: call the function that defines it."""
    node.ignore("composite_attributes", "name", "version")
    return node.called(node.symbol("decomposition"), node.operands)


@hlo_operation("optimization_barrier")
def optimization_barrier(node: HloNode) -> Sequence[Expr]:
    """Translate `optimization_barrier` to its operands: Relay needs no barriers."""
    return node.operands


@registering(TRANSLATIONS, *(f"custom_call @{name}" for name in _PLACEMENTS))
def placement(node: HloNode) -> Sequence[Expr]:
    """Translate a custom call that only annotates device placement to its operands."""
    node.ignore_all()
    return node.operands
