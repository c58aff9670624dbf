"""Find the loops in graphs of TensorFlow 1, which spread them over nodes.

For each variable a loop has an `Enter` with its initial value, a `Merge` of that and the value of a
`NextIteration`, a `Switch` by the condition (`LoopCond`), and an `Exit`. The `Enter` nodes of one
loop have the same `frame_name`; those of loop invariants have no `Merge`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from relay.frontend.tensorflow.model import Graph, Node, Output
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayImportError

LOOP_ENDS = ("Exit", "RefExit")
_ENTERS = ("Enter", "RefEnter")
_MERGES = ("Merge", "RefMerge")
_NEXT = ("NextIteration", "RefNextIteration")
SWITCHES = ("Switch", "RefSwitch", "_SwitchN")

CONTROL_FLOW = frozenset((*LOOP_ENDS, *_ENTERS, *_MERGES, *_NEXT, *SWITCHES, "LoopCond"))
"""The operators of loops and conditionals of version 1."""


@dataclass(frozen=True)
class LoopVariable:
    """A variable of a loop: its nodes, and the value that a step computes for it."""

    enter: Node
    merge: str
    switch: str
    following: Output
    exits: Sequence[str]

    @property
    def is_fixed(self) -> bool:
        """Whether a step returns the variable unchanged."""
        return self.following.node in (self.switch, self.merge)


@dataclass(frozen=True)
class Frame:
    """A loop: its variables, the values that it reads from outside, and its condition."""

    name: str
    variables: Sequence[LoopVariable]
    constants: Sequence[Node]
    loop_condition: str
    condition: Output

    def needs(self) -> list[str]:
        """Return the nodes whose results are inputs of the loop."""
        return [each.inputs[0].node for each in (*self.constants, *self.enters)]

    @property
    def enters(self) -> list[Node]:
        """Return the `Enter` nodes of the loop's variables."""
        return [each.enter for each in self.variables]


class Frames:
    """The loops of a graph, each analysed on first use."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._frames: dict[str, Frame] = {}

    def of(self, end: Node) -> Frame:
        """Return the loop that an `Exit` node belongs to; raises `F094` if there is none."""
        graph = self._graph
        switch = _only(_inputs(graph, end), SWITCHES, end)
        merge = _only(_inputs(graph, switch), _MERGES, end)
        name = frame_name(_only(_inputs(graph, merge), _ENTERS, end))
        if name not in self._frames:
            condition = graph.node(switch.inputs[1].node)
            if condition.op != "LoopCond":
                raise unstructured(end, "the condition of this node does not belong to a loop")
            self._frames[name] = self._frame(name, condition)
        return self._frames[name]

    def _frame(self, name: str, condition: Node) -> Frame:
        graph = self._graph
        members = self._enters[name]
        carried = [each for each in members if _users(graph, each, _MERGES)]
        constants = [each for each in members if each not in carried]
        variables = [_variable(graph, each, condition.name) for each in carried]
        return Frame(name, variables, constants, condition.name, condition.inputs[0])

    @cached_property
    def _enters(self) -> Mapping[str, Sequence[Node]]:
        """Return the `Enter` nodes of each loop, by the loop's name."""
        found: dict[str, list[Node]] = {}
        for node in self._graph.nodes.values():
            if node.op in _ENTERS:
                found.setdefault(frame_name(node), []).append(node)
        return found


def frame_name(enter: Node) -> str:
    """Return the name of the loop that an `Enter` node belongs to."""
    return enter.attributes["frame_name"].s.decode(errors="replace")


def _variable(graph: Graph, enter: Node, condition: str) -> LoopVariable:
    (merge,) = _users(graph, enter, _MERGES)[:1]
    following = _only(_inputs(graph, merge), _NEXT, enter)
    switches = [s for s in _users(graph, merge, SWITCHES) if s.inputs[1].node == condition]
    switch = switches[0].name if switches else ""
    exits = [] if not switches else [e.name for e in _users(graph, switches[0], LOOP_ENDS)]
    return LoopVariable(enter, merge.name, switch, graph.source(following.inputs[0]), exits)


def _inputs(graph: Graph, node: Node) -> Iterator[Node]:
    return (graph.node(each.node) for each in node.inputs)


def _users(graph: Graph, node: Node, kinds: Sequence[str]) -> list[Node]:
    return [each for each in graph.users.get(node.name, ()) if each.op in kinds]


def _only(nodes: Iterator[Node], kinds: Sequence[str], place: Node) -> Node:
    """Return the first node that has one of the operators `kinds`; raises `F094` if none has."""
    for each in nodes:
        if each.op in kinds:
            return each
    raise unstructured(place, f"the loop lacks its {kinds[0]} node")


def unstructured(node: Node, problem: str) -> RelayImportError:
    """Return the error for control-flow nodes that form neither a loop nor a conditional."""
    return RelayImportError(
        ErrorCode.F094,
        f"{node.op} '{node.name}': {problem}",
        help=(
            "freeze the graph with convert_variables_to_constants_v2 of TensorFlow 2, or "
            "export a SavedModel: these keep loops and conditionals whole"
        ),
    )
