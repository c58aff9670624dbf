"""Translate the graphs of a TensorFlow model to Relay expressions."""

from collections.abc import Callable, Mapping, Sequence

from relay.frontend.builders.constant_folding import computed, with_static_sizes
from relay.frontend.builders.expansion_limits import Expansion
from relay.frontend.builders.tensor_helpers import constant
from relay.frontend.node_errors import SENSELESS, located
from relay.frontend.tensorflow.assertions import asserted, guarded, message_of
from relay.frontend.tensorflow.loops import repeated
from relay.frontend.tensorflow.model import Graph, Library, Node, Output
from relay.frontend.tensorflow.node import Surroundings, TfNode
from relay.frontend.tensorflow.non_tensor_values import Value
from relay.frontend.tensorflow.registry import OUTPUTS, TRANSLATIONS, Translation, result_count
from relay.frontend.tensorflow.table_values import Table
from relay.frontend.tensorflow.topological_order import visit
from relay.frontend.tensorflow.translate.control_flow import alternatives
from relay.frontend.tensorflow.v1_conditionals import Branches
from relay.frontend.tensorflow.v1_loops import LOOP_ENDS, Frame, Frames
from relay.frontend.unsupported_operators import custom_help
from relay.ir.expr import Constant, Expr
from relay.opdef.complex_rules import is_complex
from relay.ops.comparison import equal
from relay.support.dtype import bool_, int32
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayImportError, RelayTypeError
from relay.support.span import Source, Span
from relay.transform.effects import Unspeculatable

LARGEST_KNOWN = 1024  # the limit of elements for constants that are folded at import


class GraphImporter:
    """A translator of a model's graphs; `custom` has the user's translations by operator name."""

    def __init__(
        self,
        library: Library,
        weight: Callable[[str], Constant],
        table: Callable[[str], Table],
        custom: Mapping[str, Translation],
        source: Source,
    ) -> None:
        self.library = library
        self.custom = custom
        self.source = source
        self.translated: list[Expr] = []
        self._control_flow: dict[Graph, tuple[Frames, Branches]] = {}
        self.expansion = Expansion()
        self.around = Surroundings(
            self.call, library.__getitem__, library.defaults, weight, table, Unspeculatable()
        )

    def control_flow(self, graph: Graph) -> tuple[Frames, Branches]:
        """Return the loops and conditionals of a graph in the style of TensorFlow 1."""
        if graph not in self._control_flow:
            self._control_flow[graph] = Frames(graph), Branches(graph)
        return self._control_flow[graph]

    def run(
        self, graph: Graph, given: Mapping[str, Sequence[Value]], wanted: Sequence[Output]
    ) -> Sequence[Value]:
        """Return the results `wanted` of a graph, given the results of some of its nodes.

        Raises `F094` if calls are nested too deep.
        """
        with self.expansion.inside(graph.name):
            return _Region(self, graph, given).values(wanted)

    def call(self, name: str, values: Sequence[Value]) -> Sequence[Value]:
        """Return the results of a function of the model; raises `F094` if it calls itself."""
        graph = self.library[name]
        self.expansion.check_not_inside(name)
        if len(values) != len(graph.parameters):
            message = (
                f"the function '{name}' takes {len(graph.parameters)} values, but {len(values)} "
                "are passed"
            )
            raise RelayImportError(ErrorCode.F025, message)
        given = {name: [value] for name, value in zip(graph.parameters, values, strict=True)}
        return self.run(graph, given, graph.results)


class _Region:
    """The translated values of one graph, or of the nodes in one step of a loop."""

    def __init__(
        self, importer: GraphImporter, graph: Graph, given: Mapping[str, Sequence[Value]]
    ) -> None:
        self._importer = importer
        self._graph = graph
        self._results: dict[str, Sequence[Value]] = dict(given)
        self._frames, self._branches = importer.control_flow(graph)

    def values(self, wanted: Sequence[Output]) -> Sequence[Value]:
        """Return results of nodes; each node is translated after those that it reads."""
        effects = self._graph.effects
        tested = (each.inputs[0] for each in asserted(self._graph, effects))
        for each in (*wanted, *tested):
            visit(each.node, self._results, self._needs, self._translate)
        results = [self._value(each) for each in wanted]
        return self._tested(results, effects, Span(self._importer.source))

    def _needs(self, name: str) -> Sequence[str]:
        """Return the nodes that a node depends on; raises `F026` for an invalid node."""
        node = self._graph.node(name)
        try:
            if node.op in LOOP_ENDS:
                return self._frames.of(node).needs()
            if node.op == "Merge":
                return self._needs_of_merge(node)
            tested = (each.inputs[0] for each in asserted(self._graph, node.controls))
            return [each.node for each in (*node.inputs, *tested)]
        except SENSELESS as error:
            message = f"{node.op} '{name}' has invalid inputs ({type(error).__name__}: {error})"
            raise RelayImportError(ErrorCode.F026, message) from error

    def _needs_of_merge(self, merge: Node) -> Sequence[str]:
        """Return the dependencies of a merge: first its condition, then the inputs to select."""
        decision, sides = self._branches.decision(merge)
        if decision.node not in self._results:
            return [decision.node]
        chosen = self._chosen(decision, sides)
        return (
            [each.node for each in merge.inputs] if chosen is None else [merge.inputs[chosen].node]
        )

    def _chosen(self, decision: Output, sides: Sequence[int]) -> int | None:
        """Return the index of the input that a merge selects by a constant condition, or None."""
        condition = self._value(decision)
        if not isinstance(condition, Constant):
            return None
        return sides.index(min(int(condition.array), max(sides)))

    def _value(self, output: Output) -> Value:
        results, index = self._results[output.node], self._index(output)
        if index >= len(results):
            message = (
                f"the model uses the result {output.argument}:{output.index} of the node "
                f"'{output.node}', which has only {len(results)}"
            )
            raise RelayImportError(ErrorCode.F025, message, span=Span(self._importer.source))
        return results[index]

    def _index(self, output: Output) -> int:
        """Return the index of the result to which a reference refers, among all results of a node.

        In functions, references name an output argument of the node.
        """
        node = self._graph.nodes.get(output.node)
        if node is None or not output.argument:
            return output.index
        names = OUTPUTS.get(node.op) or self._importer.library.outputs(node.op)
        if len(names) < 2:
            return output.index
        if output.argument not in names:
            return len(names)
        before = names[: names.index(output.argument)]
        return sum(result_count(node, name) for name in before) + output.index

    def _translate(self, name: str) -> None:
        self._importer.expansion.count_node()
        node = self._graph.node(name)
        span = Span(Source(f"{self._importer.source.name}, node {name}"))
        with located(span, f"{node.op} '{name}' has invalid inputs or attributes"):
            if node.op in LOOP_ENDS:
                self._results.update(self._loop(self._frames.of(node)))
            elif node.op == "Merge":
                self._results[name] = self._merged(node, span)
            else:
                self._results[name] = self._translated(node, span)

    def _translated(self, node: Node, span: Span) -> Sequence[Value]:
        inputs = [self._value(each) for each in node.inputs]
        if node.op in self._importer.library:
            return self._importer.call(node.op, inputs)
        call = TfNode(node, inputs, span, self._importer.around)
        own = self._importer.custom.get(node.op)
        found = own(call) if own else _called(TRANSLATIONS[node.op], call)
        results = list(found) if isinstance(found, Sequence) else [found]
        if own is None:
            call.check_all_read()
        self._importer.translated += (each for each in results if isinstance(each, Expr))
        results = self._tested(results, node.controls, span)
        if inputs and all(map(_is_small, inputs)):
            return [computed(e, LARGEST_KNOWN) if isinstance(e, Expr) else e for e in results]
        return [with_static_sizes(e) if isinstance(e, Expr) else e for e in results]

    def _tested(
        self, values: Sequence[Value], effects: Sequence[str], span: Span
    ) -> Sequence[Value]:
        """Return `values`, which trap unless the assertions among `effects` hold.

        `effects` are the control dependencies, which must run before.
        """
        for each in asserted(self._graph, effects):
            condition = self._value(each.inputs[0])
            assert isinstance(condition, Expr), "conditions are tensors"
            values = guarded(
                values, condition, f"{span.source.name}: {message_of(self._graph, each)}"
            )
        return values

    def _merged(self, merge: Node, span: Span) -> Sequence[Value]:
        """Return the value of the conditional that ends at a merge, and the index of its input."""
        decision, sides = self._branches.decision(merge)
        chosen = self._chosen(decision, sides)
        if chosen is not None:
            return self._side(merge, chosen)
        condition = self._value(decision)
        assert isinstance(condition, Expr), "conditions are tensors"
        last, *others = sorted(range(len(sides)), key=lambda index: -sides[index])
        results = self._side(merge, last)
        for index in others:
            is_other = equal(condition, constant(sides[index], condition.tensor_type.dtype))
            results = alternatives(is_other, self._side(merge, index), results, span)
        return results

    def _side(self, merge: Node, index: int) -> Sequence[Value]:
        return [self._value(merge.inputs[index]), constant(index, int32)]

    def _loop(self, frame: Frame) -> dict[str, Sequence[Value]]:
        """Return the values of all `Exit` nodes of a loop, by node name."""
        variables = frame.variables
        constants = {each.name: [self._value(each.inputs[0])] for each in frame.constants}
        first = [self._value(each.enter.inputs[0]) for each in variables]
        wanted = [frame.condition, *(each.following for each in variables)]

        def step(state: Sequence[Value]) -> tuple[Expr, Sequence[Value]]:
            given: dict[str, Sequence[Value]] = {**constants}
            given[frame.loop_condition] = [constant(1, bool_)]
            for variable, value in zip(variables, state, strict=True):
                given[variable.merge] = given[variable.switch] = [value, value]
            condition, *following = self._importer.run(self._graph, given, wanted)
            assert isinstance(condition, Expr), "conditions are tensors"
            return condition, following

        fixed = {index for index, each in enumerate(variables) if each.is_fixed}
        last = repeated(first, fixed, step, self._importer.around)
        return {
            name: [value]
            for variable, value in zip(variables, last, strict=True)
            for name in variable.exits
        }


def _is_small(value: Value) -> bool:
    return isinstance(value, Constant) and value.array.size <= LARGEST_KNOWN


def _called(translate: Translation, node: TfNode) -> Value | Sequence[Value]:
    """Return the results of a translation; `F030` for operators without complex numbers."""
    try:
        return translate(node)
    except RelayTypeError as error:
        has_complex = any(isinstance(each, Expr) and is_complex(each.ty) for each in node.inputs)
        if not has_complex or error.code != ErrorCode.T102:
            raise
        problem = "the operator does not support tensors of complex numbers"
        raise node.error(ErrorCode.F030, problem, custom_help(node.op)) from error
