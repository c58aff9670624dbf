"""Translate MXNet's loops and conditionals, whose bodies are graphs inside of the node."""

from collections.abc import Sequence

from relay.frontend.builders.collect_loop_outputs import Collection, collecting
from relay.frontend.builders.counted_loops import at, size_of
from relay.frontend.builders.let_before_loops import bound
from relay.frontend.builders.tensor_helpers import constant, reshape
from relay.frontend.mxnet.node import MxNode
from relay.frontend.mxnet.registry import mxnet_operator
from relay.ir.expr import Call, Expr, If, Tuple, TupleGetItem
from relay.ops.cast import Cast
from relay.support.dtype import bool_, int64
from relay.support.error_codes import ErrorCode
from relay.transform.effects import Unspeculatable


@mxnet_operator("_cond")
def cond(node: MxNode) -> Sequence[Expr]:
    """Translate `_cond`: a condition chooses one of two graphs."""
    node.ignore("num_outputs")
    test, then, other = (
        node.subgraph(index)(_chosen(node, node.inputs, f"{name}_input_locs"))
        for index, name in enumerate(("cond", "then", "else"))
    )
    chosen = If(_truth(test[0]), Tuple(tuple(then)), Tuple(tuple(other)), span=node.span)
    return [TupleGetItem(chosen, index) for index in range(len(then))]


@mxnet_operator("_foreach")
def foreach(node: MxNode) -> Sequence[Expr]:
    """Translate `_foreach`: a graph maps a slice of each sequence, and the state, to results.

    The node's inputs are the sequences, the initial state, and what all steps read. It returns the
    results of all steps, then the last state.
    """
    node.ignore("num_outputs")
    count = node.integer("num_out_data")
    places = [node.ints(f"in_{kind}_locs") for kind in ("data", "state")]
    places.append(node.ints("remain_locs"))
    ends = [len(places[0]), len(places[0]) + len(places[1])]

    def looped(given: Sequence[Expr]) -> Sequence[Expr]:
        sequences, first, others = given[: ends[0]], given[ends[0] : ends[1]], given[ends[1] :]
        length, steps = size_of(sequences[0], 0), sequences[0].tensor_type.shape[0]

        def step(time: Expr, state: Sequence[Expr]) -> tuple[Sequence[Expr], None]:
            parts = [at(each, time) for each in sequences]
            results = node.subgraph(0)(_placed(places, (parts, state, others)))
            return [*results[count:], *results[:count]], None

        shown, _ = step(constant(0, int64), first)
        items = [Collection(e.tensor_type, steps, length) for e in shown[len(first) :]]
        types = [each.type for each in first]
        last = collecting(length, None, first, types, items, step)
        return [*last[len(first) :], *last[: len(first)]]

    return bound(node.inputs, Unspeculatable(), looped)


@mxnet_operator("_while_loop")
def while_loop(node: MxNode) -> Sequence[Expr]:
    """Translate `_while_loop`: repeat a graph while another graph's result is true.

    At most `max_iterations` steps run. It returns the results of all steps, with zeros for steps
    that do not run, then the last state.
    """
    node.ignore("num_outputs")
    count, most = node.integer("num_out_data"), node.integer("max_iterations")
    tests, reads = node.ints("cond_input_locs"), node.ints("func_input_locs")
    changed = [reads[place] for place in node.ints("func_var_locs")]

    def looped(given: Sequence[Expr]) -> Sequence[Expr]:
        def values(state: Sequence[Expr], places: Sequence[int]) -> list[Expr]:
            known = list(given)
            for place, value in zip(changed, state, strict=True):
                known[place] = value
            return [known[place] for place in places]

        def goes_on(state: Sequence[Expr]) -> Expr:
            return _truth(node.subgraph(0)(values(state, tests))[0])

        def step(_: Expr, state: Sequence[Expr]) -> tuple[Sequence[Expr], Expr]:
            results = node.subgraph(1)(values(state, reads))
            return [*results[count:], *results[:count]], goes_on(results[count:])

        first = [given[place] for place in changed]
        shown, _ = step(constant(0, int64), first)
        steps = constant(most, int64)
        items = [Collection(each.tensor_type, most, steps) for each in shown[len(first) :]]
        types = [each.type for each in first]
        last = collecting(steps, goes_on(first), first, types, items, step)
        return [*last[len(first) :], *last[: len(first)]]

    return bound(node.inputs, Unspeculatable(), looped)


def _placed(places: Sequence[Sequence[int]], groups: Sequence[Sequence[Expr]]) -> list[Expr]:
    """Return values in the order of a graph's variables, given the place of each."""
    pairs = [pair for each in zip(places, groups, strict=True) for pair in zip(*each, strict=True)]
    found = dict(pairs)
    return [found[place] for place in range(len(pairs))]


def _chosen(node: MxNode, values: Sequence[Expr], name: str) -> list[Expr]:
    places = node.ints(name)
    if any(not 0 <= place < len(values) for place in places):
        raise node.error(
            ErrorCode.F026, f"the attribute {name} lists inputs that the node does not have"
        )
    return [values[place] for place in places]


def _truth(x: Expr) -> Expr:
    return reshape(Call(Cast(bool_), (x,)), ())
