"""Find the conditionals in graphs of TensorFlow 1, which spread them over nodes.

A `Switch` passes its data to one of its two results; the other result is *dead*, and so is each
value that is computed from it. A `Merge` returns the input that is alive. The *context* of a value
is the set of decisions under which it is alive: pairs of a condition and the side taken. A `Merge`
ends the conditional on which the contexts of its inputs disagree.
"""

from collections.abc import Sequence
from typing import TypeAlias

from relay.frontend.tensorflow.model import Graph, Node, Output
from relay.frontend.tensorflow.topological_order import visit
from relay.frontend.tensorflow.v1_loops import LOOP_ENDS, SWITCHES, unstructured

Context: TypeAlias = frozenset[tuple[Output, int]]

_PASSING_ON = ("Identity", *SWITCHES)
_NEXT = "NextIteration"


class Branches:
    """The decisions under which each node of a graph is alive (its context), found on first use.

    A `Switch` has the context of its data; the context of its results also contains its decision.
    """

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._contexts: dict[str, Context] = {}

    def decision(self, merge: Node) -> tuple[Output, Sequence[int]]:
        """Return the condition on which a `Merge` depends, and the side of each of its inputs.

        Raises `F094` if the inputs do not disagree on a condition.
        """
        first, *others = (dict(sorted(self._context(e), key=str)) for e in merge.inputs)
        for condition in first:
            sides = [first[condition], *(each.get(condition, -1) for each in others)]
            if len(set(sides)) == len(sides) and min(sides) >= 0:
                return condition, sides
        raise unstructured(
            merge, "the inputs of this node do not come from the two branches of one conditional"
        )

    def _context(self, output: Output) -> Context:
        """Return the decisions under which a result is alive."""
        if output.node in self._graph.nodes:
            visit(output.node, self._contexts, self._needs, self._find)
        return self._alive(output)

    def _alive(self, output: Output) -> Context:
        found = self._contexts.get(output.node, frozenset())
        node = self._graph.nodes.get(output.node)
        if node is None or node.op not in SWITCHES:
            return found
        side = {"output_false": 0, "output_true": 1}.get(output.argument, output.index)
        return found | {(self._graph.source(node.inputs[1], _PASSING_ON), side)}

    def _needs(self, name: str) -> Sequence[str]:
        node = self._graph.node(name)
        names = [*(each.node for each in node.inputs), *node.controls]
        known = [each for each in names if each in self._graph.nodes]
        return [each for each in known if self._graph.nodes[each].op != _NEXT]

    def _find(self, name: str) -> None:
        node = self._graph.node(name)
        inputs = [self._alive(each) for each in node.inputs]
        controls = [self._contexts.get(each, frozenset()) for each in node.controls]
        if node.op == "Merge":
            self._contexts[name] = frozenset.intersection(*self._entering(node, inputs))
            return
        found = frozenset[tuple[Output, int]]().union(*inputs, *controls)
        if node.op in LOOP_ENDS:
            switch = self._graph.node(node.inputs[0].node)
            condition = self._graph.source(switch.inputs[1], _PASSING_ON)
            found = frozenset(each for each in found if each[0] != condition)
        self._contexts[name] = found

    def _entering(self, merge: Node, contexts: Sequence[Context]) -> list[Context]:
        """Return the contexts of a merge's inputs; of a loop's merge, only of the initial value."""
        pairs = zip(merge.inputs, contexts, strict=True)
        return [found for each, found in pairs if self._graph.node(each.node).op != _NEXT]
