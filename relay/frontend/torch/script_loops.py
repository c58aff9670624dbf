"""Build TorchScript's loops whose number of steps is only known at run time."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from relay.frontend.builders.collect_loop_outputs import Collection
from relay.frontend.builders.let_before_loops import bound
from relay.frontend.builders.size_expressions import size_number
from relay.frontend.builders.tensor_helpers import constant, converted, reshape
from relay.frontend.builders.while_loops import settled, while_loop
from relay.frontend.torch.script_aliases import argument
from relay.frontend.torch.script_nodes import (
    all_nodes,
    changes_container,
    read_from_outside,
    span_of_node,
)
from relay.ir.dims import ANY, Dim, Symbolic
from relay.ir.expr import Call, Expr, If, Var
from relay.ops.binary import add
from relay.ops.comparison import Less
from relay.support.dtype import bool_, int64
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayImportError
from relay.transform.effects import Unspeculatable

ENDLESS = 2**62  # the step count of a loop that only its condition ends

Step: TypeAlias = Callable[[Expr, Sequence[Expr]], tuple[Expr, Sequence[Expr], Sequence[Expr]]]
"""Maps the number of a step and the state to whether to continue, the next state, and items."""


def script_loop(
    trips: "Dim | Expr", goes_on: Expr | None, first: Sequence[Expr], step: Step
) -> list[Expr]:
    """Build a loop; return its final state, then a tensor of each item that steps give.

    `trips` is the largest number of steps, and `goes_on` whether there is a first step; None for a
    loop that only the number of steps ends. If a step changes sizes of the state, it is translated
    again with unknown sizes. Initial values that may trap are bound before the loop.
    """
    count = _steps(trips)
    flags = [] if goes_on is None else [goes_on]

    def following(state: Sequence[Expr]) -> tuple[tuple[Expr, Sequence[Expr]], Sequence[Expr]]:
        time, *rest = state
        condition: Expr = Call(Less(), (time, count))
        for flag in rest[: len(flags)]:
            condition = If(condition, flag, constant(0, bool_))
        again, new, items = step(time, rest[len(flags) :])
        return (condition, items), [add(time, constant(1, int64)), *[again][: len(flags)], *new]

    def built(given: Sequence[Expr]) -> Sequence[Expr]:
        state, (condition, items), new = settled(given, following)
        known = ANY if flags or isinstance(trips, Expr) else trips
        tensors = [Collection(each.tensor_type, known, count) for each in items]
        wholes = [Var("items", each.type) for each in tensors]
        grown = [
            each.with_item(whole, item, state[0])
            for each, whole, item in zip(tensors, wholes, items, strict=True)
        ]
        begin = [*given, *(each.first() for each in tensors)]
        return while_loop([*state, *wholes], condition, [*new, *grown], begin)

    results = bound([constant(0, int64), *flags, *first], Unspeculatable(), built)
    return results[1 + len(flags) :]


def _steps(trips: "Dim | Expr") -> Expr:
    if isinstance(trips, Expr):
        return converted(reshape(trips, ()), int64)
    count: Dim = min(trips, ENDLESS) if isinstance(trips, int) else trips
    return size_number(count) if isinstance(count, Symbolic) else constant(count, int64)


def lists_that_grow(block: Any) -> Mapping[str, Any]:
    """Return the lists from before a loop to which each step appends one tensor, by name.

    The values are the nodes that append. Raises `F056` if steps change or read them otherwise.
    """
    before = {*read_from_outside(block), *_carried(block)}
    nodes, found = all_nodes(block), dict[str, Any]()
    own = {value.debugName() for node in block.nodes() for value in node.outputs()}
    for node in filter(changes_container, nodes):
        name = argument(node).debugName()
        if name not in before:
            continue
        is_own = any(value.debugName() in own for value in node.outputs())
        if not is_own or not _appends_one(node) or _reads(nodes, name) > 1:
            message = (
                f"the list {name} grows in a loop whose number of iterations is unknown, so each "
                "iteration must append exactly one tensor to it, and do nothing else with it"
            )
            help_ = (
                "append once per iteration, outside of branches, or specify input sizes as numbers"
            )
            raise RelayImportError(ErrorCode.F056, message, span=span_of_node(node), help=help_)
        found[name] = node
    return found


def _carried(block: Any) -> list[str]:
    """Return the names of lists that a step takes and, changed, passes on: `items += [x]`."""
    pairs = zip(list(block.inputs())[1:], list(block.outputs())[1:], strict=True)
    return [
        given.debugName()
        for given, result in pairs
        if changes_container(result.node())
        and argument(result.node()).debugName() == given.debugName()
    ]


def _appends_one(node: Any) -> bool:
    """Whether a node appends one item: `items.append(x)` or `items += [x]`."""
    if node.kind() == "aten::append":
        return True
    added = list(node.inputs())[-1].node()
    return node.kind() in ("aten::add_", "aten::extend") and (
        added.kind() == "prim::ListConstruct" and added.inputsSize() == 1
    )


def _reads(nodes: Sequence[Any], name: str) -> int:
    """Return how many times nodes, and their blocks, read a value."""
    results = [value for node in nodes for block in node.blocks() for value in block.outputs()]
    read = [value for node in nodes for value in node.inputs()]
    return sum(value.debugName() == name for value in [*read, *results])
